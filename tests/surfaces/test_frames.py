"""Frames on a socket: whole or not there, however the bytes come in."""

from __future__ import annotations

import socket
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.surfaces.wire import Frames


@given(st.lists(st.binary(max_size=40), max_size=5), st.lists(st.integers(0, 200), max_size=6))
def test_frames_come_out_as_they_went_in_however_they_are_cut(frames: list[bytes], cuts: list[int]) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        sent = b"".join(len(frame).to_bytes(4, "big") + frame for frame in frames)
        reader = Frames(theirs)
        for start, end in pairwise(sorted({0, len(sent), *(cut for cut in cuts if cut < len(sent))})):
            ours.sendall(sent[start:end])
        ours.shutdown(socket.SHUT_WR)
        assert [reader.read() for _ in frames] == frames
        assert reader.read() is None


def test_a_large_frame_is_put_together_and_one_over_the_limit_is_not_read() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        frame = b"heron" * 30_000
        Frames(ours).write(frame)
        assert Frames(theirs).read() == frame
        ours.sendall((11).to_bytes(4, "big") + b"eleven byte")
        with pytest.raises(OverflowError):
            Frames(theirs, limit=10).read()


def test_a_frame_that_breaks_off_is_not_there() -> None:
    for sent in (b"\x00\x00", b"\x00\x00\x00\x09short"):
        ours, theirs = socket.socketpair()
        with theirs:
            with ours:
                ours.sendall(sent)
            assert Frames(theirs).read() is None
