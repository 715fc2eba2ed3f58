"""Contradiction at write: does a newer statement take back the older ones it contradicts, and nothing else?

    python -m bench.belief contradiction --data ../shared/data [--json] [--show N] [--half first|second] [--seed N]

corpora    For every labelled update of automemorybench, halumem and BEAM (labels of bench/slots.py) the older statement
           and the ten older ones nearest to the newer one are remembered in order, then the newer one. A hit: the newer
           one superseded, or was put into dispute with, the memory of the older one. As many statements without a label
           are written the same way; whatever they take back is wrong. Recall is over updates, precision over all links
           made; a link is a memory taken back, and a memory that several texts repeated stands for all of them.
           Counted twice from the same run:
           direct    only the labelled older statement is right; every other memory taken back is wrong.
           chain     the other statements of the replaced value are right too (`Corpus.repeats`: a rule over the
                     corpora's own fields and words). When an income went from 15 to 18 and now to 22, the memory
                     "went from 15 to 18" is as untrue as "is 18", though only the second carries a label. `members`
                     is how many of all those statements were taken back.
generated  Statements of bench/contradiction_pairs.py, whose fates are known by construction, in three styles, each with
           what its first run gave before anything was developed on it. Recall is over statements to be taken back,
           precision over links; near misses by kind.

Odd and even updates are the two halves; develop on the first, check on the second. Intervals are 95% Wilson.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from bench import slots
from bench.contradiction_pairs import FIRST_SIGHT, STYLES, cases
from bench.intake import HOUR_US, START_US, palace
from bench.slots import Corpus, share
from palazzo.engine import Engine
from palazzo.model.message import Message
from palazzo.model.scope import Scope

Half = Callable[[int], bool]
NEAREST = 10
LOADERS = (slots.automemorybench, slots.halumem, slots.beam)
COUNTINGS = ("direct", "chain")


@dataclass
class Labelled:
    """One update of a corpus: the group it stands in, and further texts before it that state the old value."""

    corpus: str
    old: list[str]
    new: list[str]
    group: list[list[str]]
    taken: frozenset[int]
    repeats: list[list[str]]


def labelled(data: Path, half: Half) -> Iterator[Labelled]:
    """The updates of a half, corpus by corpus."""
    for load in LOADERS:
        corpus = load(data)
        for number, ((old, new), repeats) in enumerate(zip(corpus.updates, corpus.repeats, strict=True)):
            if half(number):
                where = group_of(corpus, old, new)
                taken = frozenset(a for g, a, _ in corpus.excluded if g == where)
                yield Labelled(corpus.name, old, new, corpus.groups[where] if where >= 0 else [], taken, repeats)


def group_of(corpus: Corpus, old: list[str], new: list[str]) -> int:
    """The conversation an update comes from; -1 when its texts are not in one (their original was not recorded)."""
    for number, group in enumerate(corpus.groups):
        said = {proposition for text in group for proposition in text}
        if set(new) <= said or set(old) <= said:
            return number
    return -1


def older_near(one: Labelled) -> list[list[str]]:
    """The nearest texts before the newer side, in order, without the labelled ones."""
    place = next((n for n, text in enumerate(one.group) if text == one.new), len(one.group))
    bag = slots._WORD.findall(" ".join(one.new).lower())
    ranked = sorted(
        (-len(set(bag) & set(slots._WORD.findall(" ".join(text).lower()))), n)
        for n, text in enumerate(one.group[:place])
        if not set(text) & {*one.old, *one.new}
    )
    return [one.group[n] for _, n in sorted(ranked[:NEAREST], key=lambda pair: pair[1])]


@dataclass
class Tally:
    """What was to be taken back and what was, by both countings."""

    updates: int = 0
    hits: int = 0
    links: int = 0
    right: int = 0
    right_in_chain: int = 0
    members: int = 0
    members_taken: int = 0

    @classmethod
    def of(cls, links: list[set[int]], members: set[int], direct: int) -> Tally:
        """One update: the memories taken back, the texts that state the old value, the labelled one among them."""
        taken = {n for texts in links for n in texts}
        return cls(
            updates=1, hits=direct in taken, links=len(links), right=sum(direct in texts for texts in links),
            right_in_chain=sum(bool(texts & members) for texts in links), members=len(members),
            members_taken=len(members & taken),
        )  # fmt: skip

    def add(self, other: Tally) -> None:
        self.updates += other.updates
        self.hits += other.hits
        self.links += other.links
        self.right += other.right
        self.right_in_chain += other.right_in_chain
        self.members += other.members
        self.members_taken += other.members_taken

    def row(self, counting: str) -> dict[str, Any]:
        if counting == "direct":
            return {"recall": share(self.hits, self.updates), "precision": share(self.right, self.links)}
        return {
            "recall": share(self.hits, self.updates), "precision": share(self.right_in_chain, self.links),
            "members": share(self.members_taken, self.members),
        }  # fmt: skip


def corpora(data: Path, half: Half, shown: int) -> dict[str, Any]:
    """Both countings for each corpus and together."""
    chooser = random.Random(3)
    found: dict[str, Tally] = {}
    with palace() as engine:
        for number, one in enumerate(labelled(data, half)):
            tally = found.setdefault(one.corpus, Tally())
            before = [*older_near(one), one.old]
            last = len(before) - 1
            right = {n for n, text in enumerate(before) if text in one.repeats} | {last}
            links = taken_back(engine, Scope.of(user=f"u{number}"), before, one.new)
            taken = {n for texts in links for n in texts}
            tally.add(Tally.of(links, right, last))
            for n in sorted(taken ^ right)[: max(shown, 0)]:
                shown -= 1
                print("WRONG" if n in taken else "MISSED", one.corpus, before[n], "\n   ", one.new, file=sys.stderr)
            others = [text for text in one.group if text not in (one.old, one.new)]
            if others:
                idle = chooser.choice(others)
                links = taken_back(engine, Scope.of(user=f"n{number}"), before, idle)
                tally.links += sum(last not in texts for texts in links)
    together = Tally()
    for tally in found.values():
        together.add(tally)
    return {
        counting: {name: tally.row(counting) for name, tally in (found | {"together": together}).items()}
        for counting in COUNTINGS
    }


def taken_back(engine: Engine, scope: Scope, before: Sequence[Sequence[str]], new: Sequence[str]) -> list[set[int]]:
    """The memories that the newer text superseded or disputed, each as the older texts it stands for."""
    owners: dict[UUID, set[int]] = {}
    for n, text in enumerate(before):
        result = engine.remember_many([message(part, n, scope) for part in text])
        for fate in result.fates:
            if fate.memory_id is not None and fate.reason != "verbatim":
                owners.setdefault(fate.memory_id, set()).add(n)
    result = engine.remember_many([message(part, len(before) + 1, scope) for part in new])
    taken = {
        target
        for fate in result.fates
        if fate.outcome in ("superseded", "conflict")
        for target in (fate.memory_id, fate.other)
        if target in owners
    }
    return [owners[target] for target in taken]


def message(text: str, hour: int, scope: Scope) -> Message:
    """A text at an hour of the story."""
    return Message(text=text, at_us=START_US + hour * HOUR_US, scope=scope)


def generated(style: str, seed: int, shown: int) -> dict[str, Any]:
    """Recall, precision and the near misses by kind of a generated style."""
    tally = Tally()
    wrong: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    with palace() as engine:
        for number, case in enumerate(cases(style, seed)):
            links = taken_back(engine, Scope.of(user=f"{style}{number}"), [[one] for one in case.older], [case.newer])
            taken = {n for texts in links for n in texts}
            right = len(taken & case.taken)
            rightly = sum(bool(texts & case.taken) for texts in links)
            tally.add(Tally(updates=len(case.taken), hits=right, links=len(links), right=rightly))
            kinds[case.kind] += max(len(case.taken), 1)
            hits[case.kind] += right
            wrong[case.kind] += bool(taken - case.taken)
            if shown > 0 and taken != case.taken:
                shown -= 1
                print(case.kind, case.older, "\n   ", case.newer, taken, case.taken, file=sys.stderr)
    changes = ("change", "chain")
    return {
        **tally.row("direct"), "by kind": {kind: share(hits[kind], kinds[kind]) for kind in changes},
        "near misses taken": {kind: share(wrong[kind], kinds[kind]) for kind in sorted(kinds) if kind not in changes},
    }  # fmt: skip


def contradiction(data: Path, half: Half, shown: int, seed: int) -> dict[str, Any]:
    """The figures over the corpora, counted both ways, and over both generated styles."""
    return {
        **corpora(data, half, shown),
        "generated": {style: generated(style, seed, shown) for style in STYLES},
        "first sight": {
            style: {name: share(*counts) for name, counts in found.items()} for style, found in FIRST_SIGHT.items()
        },
    }
