"""What was asked of the mind, held by the results that are pinned."""

from __future__ import annotations

from bench.report_mind import kept


def test_every_figure_that_was_asked_of_the_mind_is_kept_by_what_is_pinned() -> None:
    lines = kept()
    assert lines
    assert [f"{what}: {figure}, asked {bound}" for what, bound, figure, fine in lines if not fine] == []
