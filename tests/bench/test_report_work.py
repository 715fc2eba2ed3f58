"""What was asked of work is held by the results that are pinned, and what they miss is said."""

from __future__ import annotations

from pathlib import Path

from bench.report_work import ASKED_OF, kept

from bench import pinned

MISSION = Path(__file__).parents[2] / "docs/mission.md"
ASKED = {"0": 1, "50": 2, "200 ms": 2, "5 ms": 1, "350 MB": 2}
"""Bounds, and how many figures each is asked of."""


def test_what_was_asked_of_work_is_kept_by_what_is_pinned_or_said_to_be_missed() -> None:
    assert not [name for name in ASKED_OF if pinned.load(name) is None]
    lines = kept()
    assert {bound: sum(one == bound for _, one, _, _ in lines) for bound in ASKED} == ASKED
    missed = [line for line in MISSION.read_text().splitlines() if line.startswith("- **Missed**: ")]
    assert missed == [
        f"- **Missed**: {what}: {figure}, asked {bound}." for what, bound, figure, fine in lines if not fine
    ]


def test_what_is_by_the_processor_is_reached() -> None:
    assert not [what for what, _, _, fine in kept() if "processor" in what and not fine]
