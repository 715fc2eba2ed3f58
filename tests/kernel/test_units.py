"""The compiled count of likely tokens is that of the patterns, for every text in plain letters."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from palazzo import kernel
from palazzo.text.words import tokens

pytestmark = pytest.mark.skipif(
    not hasattr(kernel._built(), "count_units"), reason="the compiled kernel was not built: there is no C compiler here"
)
PLAIN = st.one_of(st.text(st.characters(max_codepoint=127), max_size=80), st.text("aBz9_ \t\n\r\x1c.,'", max_size=60))


@given(PLAIN)
@example("")
@example("HELLOworldly ABCDe parseHTTPResponse __init__ 12345 ...!!  \t\n\n\x1c\x85"[:-1])
def test_the_kernel_counts_what_the_patterns_find(text: str) -> None:
    assert kernel.count_units(text) == tokens._units(text)


@given(st.text(max_size=40))
def test_a_text_has_as_many_tokens_with_the_kernel_as_without(text: str) -> None:
    counted = tokens._estimated(text)
    kernel.use(False)
    try:
        assert tokens._estimated(text) == counted
    finally:
        kernel.use(True)
