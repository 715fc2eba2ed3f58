"""Beliefs: does a contradiction at write find what it takes back, is stale memory noticed, and how fast is `why`?

    python -m bench.belief contradiction|staleness|why --data ../shared/data [--json] [--show N] [--half first|second]

Labels. Each corpus says which text updates which; nothing was labelled by hand. For staleness what has none is read so:
as labelled    every text without a label counts as fresh.
adjudicated    two rules that look at words alone leave texts out of the count, as neither right nor wrong: (1) a later
               text names this one's value as the old one ("from X to Y", a disliked thing taken up), so it is stale
               though no label says so; (2) the corpus names it as another statement of the labelled old value. The
               rules were added after errors of the first runs were looked at, so the first reading is the safe one.

contradiction  see bench/contradictions.py.
staleness      A labelled set. Stale: the older side of those updates, placed without the write-time check, judged when
               everything later of its conversation is there; and generated habits whose signals moved away. Fresh:
               the newer sides, four unlabelled memories for each update, and generated habits that were kept, grew
               in their own direction, wavered within ten points, or have too few events to tell. Memories carry the
               slots and entities the text room finds. Figures together and per axis, each over its part.
why            `why` over a palace of --memories memories with turns, sources and a chain behind each; CPU of the call.

Odd and even updates are the two halves; develop on the first, check on the second. Intervals are 95% Wilson.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID

from bench import slots
from bench.common import machine, percentiles, show
from bench.contradictions import Half, Labelled, contradiction, labelled
from bench.slots import share
from palazzo.belief.staleness import DAY_US, FLAGGED_ABOVE, Staleness, combine
from palazzo.belief.why import why
from palazzo.model.belief import AddSignals, Axes, BehaviourSignal
from palazzo.model.capability import View
from palazzo.model.change import Attachments, LinkProvenance, PlaceMemory
from palazzo.model.graph import EdgeDraft, MentionDraft, Node, ProvenanceEdge, ProvenanceNode, Source
from palazzo.model.ids import new_id
from palazzo.model.memory import Atom
from palazzo.model.scope import Scope
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import make_store, place_memory
from palazzo.text.facts.entities import find_entities
from palazzo.text.facts.slots.find import find_slots
from palazzo.text.meaning.kinds import classify

UNLABELLED = 4
READINGS = {"as labelled": False, "adjudicated": True}


@contextmanager
def store_at(clock: FixedClock) -> Iterator[SqliteStore]:
    with (
        tempfile.TemporaryDirectory(prefix="palazzo-bench-") as folder,
        make_store(Path(folder) / "palace", clock=clock) as store,
    ):
        yield store


def drafted(text: str, scope: Scope, name: str) -> PlaceMemory:
    """A memory with what the text room finds in it, and none of intake's judgement."""
    atoms = tuple(
        Atom(fact.subject, fact.predicate, fact.value, fact.functional, fact.negated) for fact in find_slots(text)
    )
    mentions = tuple(MentionDraft(one.name, one.kind) for one in find_entities(text))  # type: ignore[arg-type]
    return place_memory(
        text, kind=classify(text).kind, scope=scope, place="work.bench", name=name, atoms=atoms,
        attachments=Attachments(mentions=mentions),
    )  # fmt: skip


@dataclass(frozen=True)
class Judged:
    """A memory of the labelled set as the audit saw it."""

    source: str
    stale: bool
    axes: Axes
    text: str
    rival: str = ""


def conversations(data: Path, half: Half, *, adjudicated: bool) -> Iterator[Judged]:
    chooser = random.Random(5)
    clock = FixedClock()
    with store_at(clock) as store:
        for number, one in enumerate(labelled(data, half)):
            scope = Scope.of(user=f"c{number}")
            group = one.group or [one.old, one.new]
            texts = [*([one.old] if one.old not in group else []), *group]
            if one.new not in texts:
                texts.append(one.new)
            changes, ids = [], []
            for n, text in enumerate(texts):
                made = [drafted(part, scope, f"t{n}-{k}") for k, part in enumerate(text)]
                changes.append(made)
                ids.append([change.memory_id for change in made])
            for batch in changes:
                clock.advance(hours=1)
                if batch:
                    store.commit(batch)
            look = Staleness(store, View(scope=scope))
            wanted = [(texts.index(one.old), True), (len(texts) - 1 - texts[::-1].index(one.new), False)]
            idle = [n for n, text in enumerate(texts) if text not in (one.old, one.new) and text]
            wanted += [(n, False) for n in chooser.sample(idle, min(UNLABELLED, len(idle)))]
            for n, stale in wanted:
                if adjudicated and not stale and left_out(one, texts, n):
                    continue
                found = [look.look(i) for i in ids[n]]
                top = max(found, key=lambda f: combine(f.axes), default=None)
                if top is not None:
                    yield Judged(one.corpus, stale, top.axes, " / ".join(texts[n]), top.caveat)


def left_out(one: Labelled, texts: list[list[str]], n: int) -> bool:
    """Whether a text without a label is stale by the rules for adjudication."""
    if texts[n] in one.group and one.group.index(texts[n]) in one.taken:
        return True
    return any(text[0] != texts[n][0] and retaken(texts[n], text) for text in texts[n + 1 :] if text)


def retaken(text: list[str], later: list[str]) -> bool:
    """Whether a later text names this one's value as the old one: then it is stale by another update's label."""
    return any(slots.states_both(before, after) for before in text for after in later)


FAMILIES = {
    "language": ("python", "rust", "go", "typescript"),
    "editor": ("vim", "helix", "emacs", "zed"),
    "shell": ("docker", "kubectl", "make", "npm"),
    "music": ("jazz", "techno", "folk", "metal"),
    "drink": ("coffee", "tea", "water", "juice"),
}
HABITS = (
    ("{who} prefers {what}.", 0.8), ("{who} mostly uses {what}.", 0.8), ("{who} always uses {what}.", 0.95),
    ("{who} uses {what} often.", 0.6), ("{who} rarely uses {what}.", 0.1), ("{who} sometimes uses {what}.", 0.3),
    ("{what} makes up 60% of what {who} does.", 0.6), ("{who} never uses {what}.", 0.02),
)  # fmt: skip
PEOPLE = ("The user", "Mira", "The team")


def histories(count: int, seed: int) -> Iterator[Judged]:
    """Generated habits with a month of signals; see the module's text for what is stale and what is fresh."""
    chooser = random.Random(seed)
    clock = FixedClock()
    with store_at(clock) as store:
        for number in range(count):
            form, frequency = chooser.choice(HABITS)
            family = chooser.choice(sorted(FAMILIES))
            what, *rest = chooser.sample(FAMILIES[family], 4)
            stale = chooser.random() < 0.5
            actual, events = _moved(chooser, frequency) if stale else _kept(chooser, frequency)
            scope = Scope.of(user=f"h{number}")
            made = place_memory(form.format(who=chooser.choice(PEOPLE), what=what.capitalize()), scope=scope,
                                kind="preference", name="habit")  # fmt: skip
            day = clock.now_us() // DAY_US
            signals = []
            for _ in range(events):
                dimension = what if chooser.random() < actual else chooser.choice(rest)
                signals.append(BehaviourSignal(family=family, dimension=dimension, day=day - chooser.randrange(30)))
            signals.append(BehaviourSignal(family=family, dimension=what, day=day, count=0))
            store.commit([made, AddSignals(tuple(signals), scope)])
            found = Staleness(store, View(scope=scope)).look(made.memory_id)
            yield Judged("histories", stale, found.axes, made.content.text)


def _moved(chooser: random.Random, frequency: float) -> tuple[float, int]:
    """A share at least a fifth away, in the direction that makes the habit untrue; 40 to 400 events."""
    events = chooser.randrange(40, 400)
    if frequency in (0.1, 0.3, 0.02):
        return chooser.uniform(frequency + 0.2, 0.95), events
    return chooser.uniform(0.0, frequency - 0.2), events


def _kept(chooser: random.Random, frequency: float) -> tuple[float, int]:
    way = chooser.choice(("same", "grown", "wavering", "few"))
    events = chooser.randrange(40, 400)
    if way == "few":
        return chooser.random(), chooser.randrange(0, 15)
    if way == "grown" and frequency != 0.6:
        grown = frequency * 0.3 if frequency in (0.1, 0.3, 0.02) else chooser.uniform(frequency, 1.0)
        return grown, events
    if way == "wavering":
        return min(max(frequency + chooser.uniform(-0.1, 0.1), 0.0), 1.0), events
    return frequency, events


def staleness(data: Path, half: Half, shown: int, seed: int, *, adjudicated: bool) -> dict[str, Any]:
    judged = [*conversations(data, half, adjudicated=adjudicated), *histories(100, seed)]
    report: dict[str, Any] = {}
    for name in ("automemorybench", "halumem", "beam_100k", "histories"):
        report[name] = _scored([one for one in judged if one.source == name], combine)
    axes: dict[str, Callable[[Axes], float]] = {
        "semantic": lambda a: combine(Axes(semantic=a.semantic)),
        "temporal": lambda a: combine(Axes(temporal=a.temporal)),
        "behavioral": lambda a: combine(Axes(behavioral=a.behavioral)),
    }
    for axis, figure in axes.items():
        own = [one for one in judged if axis == "temporal" or (one.source == "histories") == (axis == "behavioral")]
        report[f"{axis} axis"] = _scored(own, figure)
    report["together"] = _scored(judged, combine)
    for one in [o for o in judged if o.stale != (combine(o.axes) > FLAGGED_ABOVE)][:shown]:
        print(
            "MISSED" if one.stale else "WRONG",
            one.source,
            one.axes.semantic,
            one.text[:260],
            "|",
            one.rival[:200],
            file=sys.stderr,
        )
    return report


def _scored(judged: Sequence[Judged], figure: Callable[[Axes], float]) -> dict[str, Any]:
    flagged = [one for one in judged if figure(one.axes) > FLAGGED_ABOVE]
    hits = sum(one.stale for one in flagged)
    return {"precision": share(hits, len(flagged)), "recall": share(hits, sum(one.stale for one in judged))}


def reasons(memories: int, asked: int) -> dict[str, Any]:
    """Latency of `why` in a palace of this size: each memory from a turn, with a chain of three behind its node."""
    chooser = random.Random(7)
    clock = FixedClock()
    with store_at(clock) as store:
        ids: list[UUID] = []
        for start in range(0, memories, 1000):
            changes: list[Any] = []
            links: list[ProvenanceEdge] = []
            for n in range(start, min(start + 1000, memories)):
                nodes = [
                    ProvenanceNode(id=new_id(clock.now_us()), kind=kind, at_us=clock.now_us() - k, label=f"{kind} {n}")  # type: ignore[arg-type]
                    for k, kind in enumerate(("conversation", "file", "command", "app_activation"))
                ]
                turn = place_memory(f"We spoke of item {n}.", kind="exchange", place="forest.today", name=f"turn-{n}")
                made = place_memory(
                    f"Item {n} is settled.", place="work.items", name=f"item-{n}",
                    attachments=Attachments(
                        sources=tuple(Source(node=node, start=0, end=10) for node in nodes),
                        edges=(EdgeDraft("derived_from", Node(turn.memory_id)),),
                    ),
                )  # fmt: skip
                changes += [turn, made]
                links += [ProvenanceEdge("context_for", a.id, b.id) for a, b in pairwise(nodes)]
                ids.append(made.memory_id)
            store.commit([*changes, LinkProvenance(edges=tuple(links))])
        times: list[float] = []
        for memory_id in chooser.choices(ids, k=asked):
            began = time.process_time()
            with store.reading(View()) as reading:
                why(reading, memory_id)
            times.append(time.process_time() - began)
    return {"memories": 2 * memories, "why": percentiles(times)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("part", choices=("contradiction", "staleness", "why"))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--show", type=int, default=0, help="print this many misses")
    parser.add_argument("--half", choices=("first", "second", "all"), default="all")
    parser.add_argument("--seed", type=int, default=17, help="of what is generated")
    parser.add_argument("--memories", type=int, default=50_000)
    arguments = parser.parse_args()
    half: Half = {"first": lambda n: n % 2 == 0, "second": lambda n: n % 2 == 1, "all": lambda _: True}[arguments.half]
    if arguments.part == "contradiction":
        result = contradiction(arguments.data, half, arguments.show, arguments.seed)
    elif arguments.part == "staleness":
        result = {
            name: staleness(
                arguments.data, half, arguments.show if name == "as labelled" else 0, arguments.seed, adjudicated=rule
            )
            for name, rule in READINGS.items()
        }
    else:
        result = reasons(arguments.memories, 2_000)
    show({**result, "machine": machine()}, arguments.json)


if __name__ == "__main__":
    main()
