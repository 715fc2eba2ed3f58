"""What is left of a working session after three compactions and two restarts, one of them by kill -9.

    python -m bench.continuity [--seed N] [--stories N] [--words stories|plain|typed|held_out|development]
        --json

A made-up session of two hundred turns (bench/continuity_story.py) is told to a palace by a process of its own, exchange
by exchange, as a client's hooks do; it is compacted three times, ended and begun again once, and killed once. Then a
fresh process asks: for every planted fact and decision, whether recall has its answer among five (`facts_by_recall`),
or the page a session begins with tells it (`facts`); for every plan, whether the bridge tells its state, and whether it
tells that or has the words that decided it beside the plan; for every path, branch and code, whether the warm start has
it letter by letter.

Beside it the plan states of the same session with an agent that keeps a list of its work, as coding agents do, which
its hooks hand over (`with_list`; the list is right at every moment, so this measures that it arrives and counts). And
the session without Palazzo: a window that keeps, at a compaction, the last six messages and the newest 2,000 characters
of what the user said, and begins empty after a restart. What it holds is read by the same rules.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from bench.common import machine, show
from bench.continuity_story import DEVELOPMENT, HELD_OUT, Fact, PlanTold, Story, story
from palazzo import Memory
from palazzo.operations.thread.spec import ShownBridge
from palazzo.persona.bridge import LOOSE_SHOWN, bridge_of
from palazzo.persona.work import SaidTurn

THREAD: Final = "work"
PROJECT: Final = "bench"
COMPACTED_AT: Final = (30, 58, 86)
ENDED_AT: Final = 44
KILLED_AT: Final = 71
KEPT_MESSAGES: Final = 6
SUMMARY_CHARS: Final = 2000
WORDS: Final = {"stories": None, "plain": None, "typed": None, "held_out": HELD_OUT, "development": DEVELOPMENT}


def work(folder: Path, told: Path, first: int, last: int, session: str) -> None:
    """Tells exchanges to a palace, one call each, with the list of work where it changed, and says what was heard."""
    turns, listed = json.loads(told.read_text("utf-8"))
    with Memory(folder, embedder="builtin", durable=False) as memory:
        memory.session_start(THREAD, session=session, client="bench", project=PROJECT)
        for number in range(first, last):
            memory.observe(
                [{"role": role, "content": text} for role, text in turns[2 * number : 2 * number + 2]],
                thread=THREAD, session=session, project=PROJECT,
            )  # fmt: skip
            if str(number) in listed:
                memory.checkpoint(THREAD, session=session, project=PROJECT, todos=listed[str(number)])
            if number == first:
                memory.handoff_consume(THREAD, session, project=PROJECT)
            if number in COMPACTED_AT:
                memory.compacted(THREAD, session=session, project=PROJECT, removed_turns=2 * number - KEPT_MESSAGES)
                memory.session_start(THREAD, session=session, source="compact", project=PROJECT)
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()
        if last == KILLED_AT + 1:
            signal.pause()  # killed here, with nothing said to the palace
        memory.session_end(session, project=PROJECT)


def tell(folder: Path, made: Story, listed: dict[int, list[dict[str, str]]], scratch: Path) -> int:
    """Runs the session in its three processes; returns how many exchanges were acknowledged."""
    told = scratch / "told.json"
    told.write_text(json.dumps([made.turns, listed]), "utf-8")
    exchanges = len(made.turns) // 2
    acknowledged = 0
    for session, first, last in (
        ("first", 0, ENDED_AT + 1), ("second", ENDED_AT + 1, KILLED_AT + 1), ("third", KILLED_AT + 1, exchanges),
    ):  # fmt: skip
        command = [sys.executable, "-m", "bench.continuity", "--work", str(folder), str(told), str(first), str(last),
                   session]  # fmt: skip
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        for line in child.stdout:
            acknowledged += 1
            if int(line) == KILLED_AT:
                os.kill(child.pid, signal.SIGKILL)
        child.wait()
        child.stdout.close()
    return acknowledged


def window(made: Story) -> str:
    """What a client's window holds at the end without a memory."""
    messages: list[tuple[str, str]] = []
    summary = ""
    for number in range(len(made.turns) // 2):
        messages += made.turns[2 * number : 2 * number + 2]
        if number in COMPACTED_AT:
            said = "\n".join([summary, *(text for role, text in messages[:-KEPT_MESSAGES] if role == "user")])
            summary, messages = said[-SUMMARY_CHARS:], messages[-KEPT_MESSAGES:]
        if number in (ENDED_AT, KILLED_AT):
            summary, messages = "", []
    return "\n".join([summary, *(text for _, text in messages)])


def share(held: Sequence[bool]) -> float:
    return round(sum(held) / len(held), 4) if held else 0.0


def states(plans: Sequence[PlanTold], items: Sequence[tuple[str, str]]) -> tuple[list[bool], int]:
    """For each plan whether its state is told, and how many cancelled ones are told as open."""
    right, resumed = [], 0
    for plan in plans:
        others = [said for other in plans if other is not plan for said in other.said]
        found = {
            state
            for text, state in items
            if plan.named in text.lower() and not any(text in said for said in others)  # another plan may name it, too
        }
        right.append(found == {plan.state})
        resumed += plan.state == "cancelled" and "open" in found
    return right, resumed


def readable(plans: Sequence[PlanTold], right: Sequence[bool], found: ShownBridge) -> list[bool]:
    """For each plan whether its state is told, or the words that decided it stand beside it for who goes on, or among
    those that end something unnamed."""
    loose = found.loose[:LOOSE_SHOWN]
    return [
        known
        or any(
            plan.named in item.text.lower()
            and any(said and said in plan.said[-1] for said in (item.spoken, item.moved_by))
            for item in found.items
            if plan.said
        )
        or any(said in plan.said[-1] for said in loose if plan.said)
        for plan, known in zip(plans, right, strict=True)
    ]


def asked(memory: Memory, facts: Sequence[Fact]) -> list[bool]:
    """Whether recall has each answer among five."""
    return [
        any(fact.answer.lower() in hit.text.lower() for hit in memory.recall(fact.question, limit=5, project=PROJECT))
        for fact in facts
    ]


def lists(made: Story, *, removed: bool) -> dict[int, list[dict[str, str]]]:
    """The list of work that an agent writes, by the exchange after which it does.

    A plan is on it from its beginning, by the first sentence that names it, and after its last word stands as it ends.
    What is cancelled is `removed`, or says so: clients differ in that.
    """
    found: dict[int, list[dict[str, str]]] = {}
    words = {
        plan: next((one for one in parts if plan.named in one.lower()), plan.named)
        for plan in made.plans
        if (parts := [one for text in plan.said for one in re.split(r"(?<=[.!?]) ", text)])
    }
    entries: dict[str, str] = {}
    for number in range(len(made.turns) // 2):
        heard = [text for _, text in made.turns[2 * number : 2 * number + 2]]
        before = dict(entries)
        for plan, text in words.items():
            if plan.said[-1] in heard:
                entries[text] = plan.state
            elif plan.said[0] in heard:
                entries[text] = "open"
        if removed:
            entries = {text: state for text, state in entries.items() if state != "cancelled"}
        if entries != before:
            found[number] = [{"text": text, "state": state} for text, state in entries.items()]
    return found


def listed_states(made: Story, *, removed: bool) -> dict[str, float]:
    """The same session with an agent that keeps a list of its work, which its hooks hand over."""
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        tell(scratch / "palace", made, lists(made, removed=removed), scratch)
        with Memory(scratch / "palace", embedder="builtin") as memory:
            found = [(item.text, item.state) for item in memory.bridge(THREAD, project=PROJECT).items]
    right, resumed = states(made.plans, found)
    return {"plan_states": share(right), "cancelled_offered_as_open": resumed}


def measure(seed: int, words: str) -> dict[str, Any]:
    """One story, with and without."""
    made = story(seed, WORDS[words], words)
    listed = listed_states(made, removed=seed % 2 == 1) if WORDS[words] is None else {}
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        folder = scratch / "palace"
        acknowledged = tell(folder, made, {}, scratch)
        with Memory(folder, embedder="builtin") as memory:
            begun = memory.session_start(THREAD, session="last", project=PROJECT)
            bridge = memory.bridge(THREAD, project=PROJECT)
            facts, decisions = asked(memory, made.facts), asked(memory, made.decisions)
    plans, resumed = states(made.plans, [(item.text, item.state) for item in bridge.items])
    left = window(made)
    alone = bridge_of([SaidTurn("user", line, 1) for line in left.splitlines()])
    plans_alone, resumed_alone = states(made.plans, [(item.text, item.state) for item in alone.items])
    return {
        "turns": len(made.turns), "acknowledged": acknowledged, "compactions": bridge.compactions,
        "previous": begun.previous, "handoff": begun.handoff,
        "palazzo": {
            "facts": share([one or fact.told in begun.warm_start for one, fact in zip(facts, made.facts, strict=True)]),
            "facts_by_recall": share(facts), "decisions": share(decisions), "plan_states": share(plans),
            "plan_states_or_words": share(readable(made.plans, plans, bridge)),
            "cancelled_offered_as_open": resumed,
            "names": share([one in begun.warm_start for one in made.names]), "warm_start_chars": len(begun.warm_start),
        },
        "without": {
            "facts": share([fact.told.lower() in left.lower() for fact in made.facts]),
            "decisions": share([fact.told in left for fact in made.decisions]), "plan_states": share(plans_alone),
            "cancelled_offered_as_open": resumed_alone, "names": share([one in left for one in made.names]),
        },
        "with_list": listed,
        "planted": {"facts": len(facts), "decisions": len(decisions), "plans": len(plans), "names": len(made.names)},
    }  # fmt: skip


def mean(runs: Sequence[dict[str, Any]], part: str) -> dict[str, float]:
    names = runs[0][part].keys()
    return {name: round(sum(run[part][name] for run in runs) / len(runs), 4) for name in names}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stories", type=int, default=3)
    parser.add_argument("--words", choices=tuple(WORDS), default="stories")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--work", nargs=5, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        folder, told, first, last, session = given.work
        work(Path(folder), Path(told), int(first), int(last), session)
        return
    runs = [measure(given.seed + number, given.words) for number in range(given.stories)]
    found = {
        "words": given.words, "stories": len(runs), "turns": runs[0]["turns"], "compactions": runs[0]["compactions"],
        "restarts": 2, "killed": 1, "acknowledged": [run["acknowledged"] for run in runs],
        "planted": runs[0]["planted"], "palazzo": mean(runs, "palazzo"),
        "with_list": mean(runs, "with_list"), "without": mean(runs, "without"),
        "made": machine(),
    }  # fmt: skip
    show(found, given.json)


if __name__ == "__main__":
    main()
