"""What was asked of the mind, held by the results that are pinned, but for what is said to miss it."""

from __future__ import annotations

from bench.report_mind import MISSED, RESULTS, kept

from bench import pinned


def test_every_figure_that_was_asked_of_the_mind_is_kept_by_what_is_pinned() -> None:
    assert not [name for name in RESULTS if pinned.load(name) is None]
    assert {what for what, _, _, fine in kept() if not fine} <= MISSED
