"""Words and terms of the compiled kernel are those that the patterns and the plain loops give, for every text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from palazzo import kernel
from palazzo.store.index.text import documents
from palazzo.text.safety import injection_head
from palazzo.text.words import language, tokens
from palazzo.text.words.similarity import wording_key

T = TypeVar("T")
pytestmark = pytest.mark.skipif(
    not hasattr(kernel._built(), "terms_in"), reason="the compiled kernel was not built: there is no C compiler here"
)
SIGNS = st.text("abcdf AZ'’.,+#_|-019 ?!\n\t\x00é。ß\ud800", max_size=40)
TEXTS = st.one_of(st.text(max_size=40), SIGNS)


@pytest.fixture(autouse=True)
def used() -> Iterator[None]:
    yield
    kernel.use(True)


def both(read: Callable[[], T]) -> tuple[T, T]:
    """What is read with the kernel, and without."""
    kernel.use(True)
    with_it = read()
    kernel.use(False)
    return with_it, read()


@given(TEXTS)
@example("c++, c#, f# and c+ cc++ 1,234.5 3.x v2's don't o'clock' rock'n'roll 'tis 7' it's2")
def test_a_text_has_the_same_terms(text: str) -> None:
    with_it, without = both(lambda: tokens.terms(text))
    assert with_it == without


@given(TEXTS)
@example("It's A Day, don't' x'")
def test_a_text_has_the_same_plain_words_and_runs(text: str) -> None:
    assert len(set(both(lambda: language.plain_words.__wrapped__(text)))) == 1
    if text.isascii():
        for joined in (False, True):
            with_it, without = both(lambda joined=joined: tokens.plain_runs(text, joined=joined))  # type: ignore[misc]
            assert with_it == without


@given(st.lists(st.sampled_from(["a", "tern", "wing", "é", "\ud800", "x" * 70]) | st.text(max_size=3), max_size=60))
@example(["tern"] * 256)
@example(["tern"] * 300)
@example([f"{number}" for number in range(256)])
def test_the_index_keeps_the_same_of_a_list_of_terms(words: list[str]) -> None:
    with_it, without = both(lambda: documents.encode(words))
    assert with_it == without


@given(SIGNS)
def test_a_plain_text_is_cut_where_any_text_is(text: str) -> None:
    said = text.lower()
    assert injection_head.sentences(said) == [one for one in injection_head._STOP.split(said) if one.strip()]


@given(TEXTS)
def test_wording_is_known_again_with_and_without_the_kernel(text: str) -> None:
    wording_key.cache_clear()
    kernel.use(True)
    with_it = wording_key(text)
    wording_key.cache_clear()
    kernel.use(False)
    assert wording_key(text) == with_it
