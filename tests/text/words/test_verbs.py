"""Verb forms: the third person, and the way back from a form to its base."""

from __future__ import annotations

import pytest

from palazzo.text.words.grammar import (
    BASE,
    GERUND,
    PARTICIPLE,
    PAST,
    THIRD,
    base_of,
    forms_of,
    third_person,
    verb_table,
)


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("work", "works"),
        ("try", "tries"),
        ("play", "plays"),
        ("go", "goes"),
        ("watch", "watches"),
        ("have", "has"),
        ("be", "is"),
    ],
)
def test_the_third_person_follows_the_spelling(base: str, expected: str) -> None:
    assert third_person(base) == expected


@pytest.mark.parametrize(
    ("form", "base"), [("went", "go"), ("planned", "plan"), ("tried", "try"), ("lying", "lie"), ("studies", "study")]
)
def test_a_form_leads_back_to_its_base(form: str, base: str) -> None:
    assert base_of(form) == base


def test_forms_tell_past_from_present() -> None:
    assert forms_of("walked") & PAST
    assert forms_of("walking") & GERUND
    assert forms_of("walks") & THIRD
    assert forms_of("eaten") & PARTICIPLE
    assert forms_of("zzz") == 0


def test_every_base_is_its_own_base() -> None:
    for base, bits in {b: bits for word, (b, bits) in verb_table().items() if word == b}.items():
        assert bits & BASE
        assert base_of(base) == base
