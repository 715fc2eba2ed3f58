"""Counts what a bridge makes of the pairs by topic, those of topics that were learned and those that were not.

    python -m training.plans.judge [--show]

Five plans at a time are told in one session and what was said of each comes later, with other talk between, as in
`bench/plan_stories.py`, whose definition of right is used: a plan stands as it should and nowhere else. What names
nothing of its plan is left out, for it may be said of any. `--show` prints what was missed of held topics.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from bench.plan_stories import TOGETHER, PlanStory, session

from palazzo.persona.bridge import bridge_of
from palazzo.persona.work import SaidTurn
from palazzo.text.meaning.plans import matter_terms
from training.plans.examples import HELD, Told, told


def story(one: Told) -> PlanStory:
    """A pair as a story of two blocks."""
    state = one.sort if one.sort in ("done", "cancelled") else "open"
    return PlanStory(state, one.sort, one.plan, ((("user", one.plan),), (("user", one.said),)), one.said)


def judged(stories: Sequence[PlanStory]) -> tuple[dict[str, Any], list[str]]:
    """The figures, and what was missed."""
    right, many = Counter[str](), Counter[str]()
    missed: list[str] = []
    offered = called_over = 0
    for start in range(0, len(stories), TOGETHER):
        some = stories[start : start + TOGETHER]
        turns = session(some, random.Random(start))
        items = bridge_of([SaidTurn(role, text, at) for at, (role, text) in enumerate(turns, 1)]).items
        for one in some:
            found = {item.state for item in items if item.text == one.named}
            many[one.sort] += 1
            right[one.sort] += found == {one.state}
            offered += one.state == "cancelled" and "open" in found
            called_over += one.state == "open" and bool(found & {"done", "cancelled"})
            if found != {one.state}:
                missed.append(f"{one.sort}, told as {sorted(found)}: {one.named} // {one.told}")
    return {
        "plans": len(stories), "right": round(right.total() / max(1, len(stories)), 4),
        "cancelled_offered_as_open": offered, "open_called_over": called_over,
        "by_sort": {sort: f"{right[sort]} of {many[sort]}" for sort in many},
    }, missed  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    pairs = [one for one in told() if one.names]
    random.Random(3).shuffle(pairs)
    for part, some in (
        ("held topics", [one for one in pairs if one.topic in HELD]),
        ("held topics, a word in common", [
            one for one in pairs if one.topic in HELD and matter_terms(one.plan) & matter_terms(one.said)
        ]),
        ("learned topics", [one for one in pairs if one.topic not in HELD]),
    ):  # fmt: skip
        found, missed = judged([story(one) for one in some])
        print(json.dumps({"part": part, **found}))
        for line in missed if given.show and part == "held topics" else ():
            print("   ", line)


if __name__ == "__main__":
    main()
