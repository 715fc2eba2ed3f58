"""What a hook says to a daemon and reads from it is MessagePack like any other."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.surfaces.hooks.thin import packed, unpacked

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(), inner, max_size=20),
    max_leaves=40,
)


@given(VALUES)
def test_what_is_written_is_read_by_a_daemon_and_what_a_daemon_writes_is_read(value: Any) -> None:
    assert msgspec.msgpack.decode(packed(value)) == value
    assert unpacked(msgspec.msgpack.encode(value)) == value
    assert unpacked(packed(value)) == value


@pytest.mark.parametrize("size", [15, 16, 31, 32, 255, 256, 65_535, 65_536])
def test_texts_and_lists_of_any_length_are_read(size: int) -> None:
    for value in ("x" * size, [0] * size, {str(at): at for at in range(size)}, b"x" * size):
        assert unpacked(msgspec.msgpack.encode(value)) == value


def test_a_moment_is_passed_over() -> None:
    for moment in (
        datetime(2026, 11, 17, tzinfo=UTC),
        datetime(2026, 11, 17, 3, 4, 5, 678, UTC),
        datetime(1900, 1, 1, tzinfo=UTC),
    ):
        raw = msgspec.msgpack.encode({"at": moment, "text": "behind it"})
        assert unpacked(raw)["text"] == "behind it"


@given(st.binary(max_size=60))
def test_bytes_that_are_no_answer_are_refused_and_nothing_else_happens(raw: bytes) -> None:
    try:
        unpacked(raw)
    except ValueError:
        return


def test_an_answer_that_was_cut_is_refused() -> None:
    whole = msgspec.msgpack.encode({"result": {"text": "x" * 300, "hits": [1, 2.5, None]}})
    for end in range(len(whole)):
        with pytest.raises(ValueError, match="answer"):
            unpacked(whole[:end])
