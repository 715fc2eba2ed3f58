"""What was asked of the mind, held by the results that are pinned."""

from __future__ import annotations

from bench.report_mind import RESULTS, kept

from bench import pinned


def test_every_figure_that_was_asked_of_the_mind_is_kept_by_what_is_pinned() -> None:
    assert not [name for name in RESULTS if pinned.load(name) is None]
    assert not [what for what, _, _, fine in kept() if not fine]
