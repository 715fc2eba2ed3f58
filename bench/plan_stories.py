"""Plans told and ended in the words of ordinary talk, mostly without repeating how they were told.

    python -m bench.plan_stories [--file stories|plain|typed|ends|fresh|held|answered] [--half looked|counted]
        [--show] --json

The stories of `plan_stories.txt`, those of `plan_plain.txt`, whose ends are said plainly, of `plan_typed.txt`, the
same as people type, or of `plan_ends.txt`, whose ends share hardly a word with the plan, five at a time in one session
with other talk between, are read as a thread is. Right is a story whose plans stand at the end as they should; beside
it the cancelled plans that are offered as plainly open, and those that are told as unsure. Half of the stories may be
looked at (`--show` prints what was missed), the other half is only counted.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench.common import machine, show
from palazzo.persona.bridge import Bridge, bridge_of
from palazzo.persona.work import SaidTurn

FILES: Final = {
    name: Path(__file__).with_name(f"plan_{name}.txt") for name in ("stories", "plain", "typed", "ends", "fresh")
} | {name: Path(__file__).parents[1] / f"training/plans/data/stories-{name}.txt" for name in ("held", "answered")}
TOGETHER: Final = 5
HALVES: Final = {"looked": 0, "counted": 1}
IDLE: Final = (
    ("How does the build look?", "Two warnings in the linker, nothing else."),
    ("Is the staging host up?", "It answers, yes."),
    ("What time is it in Tokyo?", "Just past nine in the evening."),
)
Turn = tuple[str, str]


@dataclass(frozen=True, slots=True)
class PlanStory:
    """A plan by a word of it, what happens to it, how it stands at the end, and the turns, block by block."""

    state: str
    sort: str
    named: str
    blocks: tuple[tuple[Turn, ...], ...]
    told: str
    beside: tuple[tuple[str, str], ...] = ()
    """Other plans of its matter: the state of each, and a word of it."""


def stories(half: str, name: str = "stories") -> list[PlanStory]:
    """The stories of one half of a file."""
    lines = [line for line in FILES[name].read_text("utf-8").splitlines() if line and not line.startswith("#")]
    return [_story(line) for at, line in enumerate(lines) if at % 2 == HALVES[half]]


def _story(line: str) -> PlanStory:
    state, sort, named, told = line.split("|", 3)
    blocks = (re.split(r" >> | (?=A:)", block) for block in told.split(" // "))
    turns = tuple(tuple(_turn(one.strip()) for one in some if one.strip()) for some in blocks)
    first, *others = zip(state.split(","), (one.rstrip("s") for one in named.split(",")), strict=True)
    return PlanStory(first[0], sort, first[1], turns, told, tuple(others))


def _turn(said: str) -> Turn:
    return ("assistant", said[2:]) if said.startswith("A:") else ("user", said)


def session(some: Sequence[PlanStory], chance: random.Random) -> list[Turn]:
    """Several stories as one conversation: all begin, then go on, each time in another order."""
    turns: list[Turn] = []
    for depth in range(max(len(one.blocks) for one in some)):
        for one in chance.sample(list(some), len(some)):
            turns += one.blocks[depth] if depth < len(one.blocks) else ()
        asked, answered = IDLE[depth % len(IDLE)]
        turns += [("user", asked), ("assistant", answered)]
    return turns


def stands(bridge: Bridge, named: str) -> set[str]:
    """Where the items stand that are of a plan."""
    return {item.state for item in bridge.items if named in item.text.lower()}


def measure(half: str, name: str = "stories") -> tuple[dict[str, Any], list[tuple[PlanStory, list[set[str]]]]]:
    """The figures of one half, and what was missed."""
    told = stories(half, name)
    missed: list[tuple[PlanStory, list[set[str]]]] = []
    offered = unsure = 0
    right: Counter[str] = Counter()
    for start in range(0, len(told), TOGETHER):
        some = told[start : start + TOGETHER]
        turns = session(some, random.Random(start))
        bridge = bridge_of([SaidTurn(role, text, at) for at, (role, text) in enumerate(turns, 1)])
        for one in some:
            plans = ((one.state, one.named), *one.beside)
            found = [stands(bridge, named) for _, named in plans]
            offered += sum("open" in at for (state, _), at in zip(plans, found, strict=True) if state == "cancelled")
            unsure += sum("unsure" in at for at in found)
            if all(at == {state} for (state, _), at in zip(plans, found, strict=True)):
                right[one.sort] += 1
            else:
                missed.append((one, found))
    many = Counter(one.sort for one in told)
    given_up = sum(state == "cancelled" for one in told for state in (one.state, *(at for at, _ in one.beside)))
    return {
        "plans": len(told), "right": round(right.total() / len(told), 4),
        "cancelled_offered_as_open": offered, "cancelled": given_up, "unsure": unsure,
        "by_sort": {sort: f"{right[sort]} of {many[sort]}" for sort in many},
    }, missed  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", choices=tuple(FILES), default="stories")
    parser.add_argument("--half", choices=tuple(HALVES), default="counted")
    parser.add_argument("--show", action="store_true", help="print the stories of the looked-at half that were missed")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found, missed = measure(given.half, given.file)
    for one, states in missed if given.show and given.half == "looked" else ():
        print(f"{one.sort}, told as {[sorted(at) for at in states]}: {one.told}")
    show({"file": given.file, "half": given.half, **found, "made": machine()}, given.json)


if __name__ == "__main__":
    main()
