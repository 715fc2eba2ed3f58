"""What the mind was promised to find is measured: the texts are always the same, and what is read of them is right."""

from __future__ import annotations

from bench.promised import metadata
from bench.wordings import WORDINGS


def test_what_is_read_out_of_a_hundred_texts_is_right() -> None:
    assert metadata() == metadata()
    assert metadata()["precision"] >= 0.9


def test_there_are_fifty_wordings() -> None:
    assert len(set(WORDINGS)) == 50
