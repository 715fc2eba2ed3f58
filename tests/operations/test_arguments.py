"""Arguments from outside: what passes, what is refused and how it is named, and the schema a client is shown."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.errors import InvalidInput
from palazzo.operations.arguments import converted, schema
from palazzo.operations.declared import Operation
from palazzo.operations.intake.spec import GivenNote
from palazzo.operations.recall.spec import RecallParameters
from palazzo.operations.registry import OPERATIONS, operation

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("name", "given_", "field"),
    [
        ("recall", {}, "cue"),
        ("recall", {"cue": None}, "cue"),
        ("recall", {"cue": 3}, "cue"),
        ("recall", {"cue": "x", "limt": 3}, "limt"),
        ("recall", {"cue": "x", "limit": 0}, "limit"),
        ("recall", {"cue": "x", "limit": 201}, "limit"),
        ("recall", {"cue": "x", "limit": True}, "limit"),
        ("recall", {"cue": "x", "preset": "huge"}, "preset"),
        ("recall", {"cue": "x", "kinds": "fact"}, "kinds"),
        ("recall", {"cue": "x", "kinds": ["fact", 1]}, "kinds[1]"),
        ("recall", {"cue": "x", "as_of": "2026-03-01T12:00:00"}, "as_of"),
        ("recall", {"cue": "x", "as_of": datetime(2026, 3, 1)}, "as_of"),  # noqa: DTZ001 - it is refused
        ("recall", {"cue": "x", "as_of": "yesterday"}, "as_of"),
        ("remember", {"text": "x", "importance": 1.5}, "importance"),
        ("remember_many", {"notes": ["x", {"txt": "y"}]}, "notes[1].txt"),
        ("remember_many", {"notes": [{"text": "y", "importance": 2}]}, "notes[0].importance"),
        ("observe", {"turns": [{"content": "x", "role": "king"}]}, "turns[0].role"),
        ("status", {"verbose": True}, "verbose"),
    ],
)
def test_a_fault_is_refused_by_the_name_of_its_field(name: str, given_: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        converted(operation(name), given_)
    assert caught.value.field == field


def test_a_refusal_never_repeats_the_value() -> None:
    for value in ("sesame-4711", ["sesame-4711"], {"sesame-4711": 1}):
        with pytest.raises(InvalidInput) as caught:
            converted(operation("recall"), {"cue": "x", "preset": value})
        assert "sesame" not in str(caught.value)


def test_ids_times_and_notes_are_taken_as_python_or_as_json_has_them() -> None:
    known = UUID(int=7)
    assert converted(operation("get"), {"memory": known}).memory == str(known)
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    for given_ in (noon, "2026-03-01T12:00:00Z", "2026-03-01T13:00:00+01:00"):
        assert converted(operation("get"), {"memory": "x", "as_of": given_}).as_of == noon
    note = GivenNote(text="tea", kind="fact")
    assert converted(operation("remember_many"), {"notes": [note, {"text": "tea", "kind": "fact"}, "x"]}).notes == (
        note, note, "x",
    )  # fmt: skip


@pytest.mark.parametrize("declared", OPERATIONS, ids=lambda o: o.name)
def test_the_schema_shows_every_parameter_with_its_words(declared: Any) -> None:
    shown = schema(declared)
    assert list(shown["properties"]) == [p.name for p in declared.parameters]
    assert all(part["description"] for part in shown["properties"].values())
    assert shown["additionalProperties"] is False
    without = schema(declared, scope_keys=False)
    assert list(without["properties"]) == [p.name for p in declared.parameters if not p.of_scope]


@given(st.fixed_dictionaries({}, optional={"cue": ANYTHING, "limit": ANYTHING, "kinds": ANYTHING, "preset": ANYTHING}))
def test_what_the_schema_refuses_is_refused_and_nothing_else_breaks(given_: dict[str, Any]) -> None:
    fits = jsonschema.Draft202012Validator(schema(operation("recall"))).is_valid(given_)
    try:
        made = converted(operation("recall"), given_)
    except InvalidInput:
        return
    assert fits
    assert isinstance(made, RecallParameters)


def some(hint: Any) -> Any:
    """A value of a parameter's type."""
    if get_origin(hint) is Literal:
        return get_args(hint)[0]
    return [] if get_origin(hint) is tuple else {str: "x", int: 1, bool: True}[hint]


@pytest.mark.parametrize("blank", ["", "  \n"])
@pytest.mark.parametrize("declared", OPERATIONS, ids=lambda o: o.name)
def test_a_text_that_must_be_given_says_something(declared: Operation, blank: str) -> None:
    given = {p.name: some(p.type) for p in declared.parameters if p.required}
    for parameter in declared.parameters:
        if parameter.says_something:
            with pytest.raises(InvalidInput, match=f"{parameter.name} is empty") as told:
                converted(declared, {**given, parameter.name: blank})
            assert (told.value.field, told.value.hint) == (parameter.name, parameter.help)
            assert schema(declared)["properties"][parameter.name]["pattern"] == r"\S"


@pytest.mark.parametrize("name", ["grant", "token_create", "plan"])
def test_a_time_of_days_stays_within_a_century(name: str) -> None:
    declared = operation(name)
    given = {p.name: some(p.type) for p in declared.parameters if p.required}
    for days in (36_501, 1.7e308):
        with pytest.raises(InvalidInput, match="days is from 0 to 36,500"):
            converted(declared, {**given, "days": days})
