"""What the mind was promised to find, each with the figure it is to reach.

    python -m bench.promised [--json]

wordings      fifty ways to say one thing (bench/wordings.py), placed as they are: how many are gathered into one memory
interference  generated pairs with known fates (bench/contradiction_pairs.py, three styles), each in a scope of its own:
              of the pairs that `replay` puts before a person as competing, how many do (at least 0.80), and how many of
              those that do it finds; the same of pairs that are no templates (training/change/pairs: those looked at
              and those that were only counted), with what it says of all of them however far apart (`judged`); and of
              a simulated life of thirty days (bench/life.py), told as it is and placed as it is
metadata      a hundred generated texts with the people, technologies, files and links in them known: how much of what
              is read out of them is right (at least 0.90), and how much of what is there is read
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from bench.common import machine, show
from bench.contradiction_pairs import STYLES, cases
from bench.life import CHANGING, live
from bench.wordings import WORDINGS
from palazzo import Memory
from palazzo.mind.dream import SEEN_ALL, DreamTurn
from palazzo.mind.replay import COMPETES, competing_odds
from palazzo.model.scope import Scope
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import place_memory
from palazzo.text.facts.entities import find_entities

SEED = 17
PAIRS = Path(__file__).parent.parent / "training" / "change" / "pairs"
LABELLED = {
    "looked at": ("develop", "develop-2", "develop-3", "fresh-2", "fresh-3", "fresh-6"),
    "counted": ("heldout", "heldout-2"),
}
PEOPLE = (
    "Ingeborg Sander", "Tariq Haddad", "Wanda Kowalska", "Mateo Rivas", "Aiko Tanabe", "Ruth Achterberg",
    "Pavel Novotny", "Chiara Bellini", "Oluwaseun Ade", "Freya Lindqvist",
)  # fmt: skip
TECHNOLOGIES = (
    "Postgres", "Kubernetes", "Redis", "Terraform", "React", "Django", "Kafka", "Rust", "Docker", "GraphQL",
)  # fmt: skip
FILES = (
    "src/billing/invoice.py", "docs/runbook.md", "config/prod.yaml", "web/app.tsx", "Makefile.am",
    "notes/2025/plan.txt",
    "infra/main.tf", "scripts/seed.sh", "lib/parser.rs", "report.xlsx",
)  # fmt: skip
LINKS = (
    "https://status.example.org/incidents/44", "https://wiki.example.com/oncall", "http://intranet.example/forms",
    "https://git.example.net/team/ledger/pull/812", "https://example.org/menu",
)  # fmt: skip
TEXTS = (
    "{person} moved the ledger from MySQL files to {technology} last week.",
    "Please ask {person} before you touch {file}.",
    "The error comes from {file}, see {link} for the trace.",
    "We run {technology} behind the shop, and {person} is on call for it.",
    "I read about {technology} in the train; the link was {link}.",
    "{person} and {other} pair on {file} every Tuesday.",
    "My neighbour {person} has nothing to do with computers.",
    "After lunch {person} sent the minutes: {link}.",
    "The tests in {file} need {technology} to be running.",
    "Yesterday it rained, so we stayed in and talked about the garden.",
)
KINDS = {
    "person": "people", "technology": "technologies", "path": "files", "file": "files", "service": "links",
    "organization": "others", "location": "others",
}  # fmt: skip
"""What each kind of thing is told as; of the others there are none, so whatever is read as one is wrong."""


def wordings() -> dict[str, Any]:
    """Fifty wordings of one thing, gathered."""
    with tempfile.TemporaryDirectory() as base, _palace(base) as memory:
        memory.engine.store.commit([place_memory(text) for text in WORDINGS])
        memory.run("backfill", limit=1_000)
        gather = next(one for one in memory.engine.dreaming.passes if one.name == "consolidate")
        sizes = sorted((len(step.about) for step in gather.plan(_turn(memory))), reverse=True)
    return {"told": len(WORDINGS), "gathered": sizes[0] if sizes else 0, "memories_made": len(sizes)}


def interference() -> dict[str, Any]:
    """Pairs that compete, as `replay` finds them among generated ones."""
    found: dict[str, Any] = {}
    every: Counter[str] = Counter()
    for style in STYLES:
        counts: Counter[str] = Counter()
        with tempfile.TemporaryDirectory() as base, _palace(base) as memory:
            wanted = _placed(memory, style, counts)
            memory.run("backfill", limit=100_000)
            counts += _flagged(memory, wanted)
        every += counts
        found[style] = _shares(counts)
    return {**found, "all": _shares(every), "labelled": labelled(), "life": lived()}


def labelled() -> dict[str, Any]:
    """Pairs of no templates, each in a scope of its own: what takes the older statement back competes with it."""
    return {which: _labelled(names) for which, names in LABELLED.items()}


def _labelled(names: Sequence[str]) -> dict[str, Any]:
    told = [one for name in names for one in json.loads((PAIRS / f"{name}.json").read_text(encoding="utf-8"))]
    scopes = [Scope.parse(f"project:case{number}") for number in range(len(told))]
    clock = FixedClock()
    with tempfile.TemporaryDirectory() as base, _palace(base, clock) as memory:
        sides = []
        for side in ("old", "new"):
            sides.append([place_memory(one[side], scope=scope) for one, scope in zip(told, scopes, strict=True)])
            memory.engine.store.commit(sides[-1])
            clock.advance(days=1)
        memory.run("backfill", limit=100_000)
        ids = [(one.memory_id, other.memory_id) for one, other in zip(*sides, strict=True)]
        wanted = {frozenset(pair) for pair, one in zip(ids, told, strict=True) if one["label"] == "replaces"}
        counts = Counter(pairs=len(told), compete=len(wanted))
        counts += _flagged(memory, wanted)
        with memory.engine.store.reading(SEEN_ALL) as reading:
            read = [(reading.memories.get(one), reading.memories.get(other)) for one, other in ids]
        said = [frozenset(pair) for pair, odds in zip(ids, competing_odds(read), strict=True) if odds >= COMPETES]
    judged = Counter(flagged=len(said), right=sum(one in wanted for one in said), compete=len(wanted), pairs=len(told))
    return {**_shares(counts), "judged": _shares(judged)}


def lived() -> dict[str, Any]:
    """A simulated life: small events that are worded alike, and values that do change."""
    stems = [told.split("{}")[0] for _, told, _ in CHANGING]
    found: dict[str, Any] = {}
    for how in ("told", "placed"):
        clock = FixedClock()
        with tempfile.TemporaryDirectory() as base, _palace(base, clock) as memory:
            for day in live(30, 10).days:
                if how == "placed":
                    memory.engine.store.commit([place_memory(text) for text in day])
                else:
                    memory.remember_many(day)
                    memory.run("settle", limit=10_000)
                clock.advance(days=1)
            memory.run("backfill", limit=100_000)
            some = {one.id: one.text for one in memory.list(limit=1_000)}
            of = {one: next((stem for stem in stems if text.startswith(stem)), "") for one, text in some.items()}
            wanted = {
                frozenset((one, other)) for one, other in combinations(some, 2)
                if of[one] and of[one] == of[other] and some[one] != some[other]
            }  # fmt: skip
            found[how] = _shares(Counter(compete=len(wanted)) + _flagged(memory, wanted))
    return found


def _flagged(memory: Memory, wanted: set[frozenset[Any]]) -> Counter[str]:
    """The pairs that `replay` says compete, and how many of them do."""
    replay = next(one for one in memory.engine.dreaming.passes if one.name == "replay")
    said = [step for step in replay.plan(_turn(memory)) if step.does == "contradict"]
    return Counter(flagged=len(said), right=sum(frozenset(step.about) in wanted for step in said))


def _placed(memory: Memory, style: str, counts: Counter[str]) -> set[frozenset[Any]]:
    """Every case in a scope of its own; the pairs of which one takes the other back."""
    wanted: set[frozenset[Any]] = set()
    changes = []
    for number, case in enumerate(cases(style, SEED)):
        scope = Scope.parse(f"project:case{number}")
        older = [place_memory(text, scope=scope) for text in case.older]
        newer = place_memory(case.newer, scope=scope)
        changes += [*older, newer]
        wanted |= {frozenset((older[at].memory_id, newer.memory_id)) for at in case.taken}
        counts["pairs"] += len(older)
        counts["compete"] += len(case.taken)
    for start in range(0, len(changes), 500):
        memory.engine.store.commit(changes[start : start + 500])
    return wanted


def _shares(counts: Counter[str]) -> dict[str, Any]:
    return {
        **{name: counts[name] for name in ("pairs", "compete", "flagged", "right")},
        "precision": round(counts["right"] / max(1, counts["flagged"]), 3),
        "recall": round(counts["right"] / max(1, counts["compete"]), 3),
    }


def metadata() -> dict[str, Any]:
    """What is read out of a hundred texts, against what was put into them."""
    chance = random.Random(SEED)
    right: Counter[str] = Counter()
    read: Counter[str] = Counter()
    there: Counter[str] = Counter()
    for number in range(100):
        person, other = chance.sample(PEOPLE, 2)
        given = {
            "person": person, "other": other, "technology": chance.choice(TECHNOLOGIES), "file": chance.choice(FILES),
            "link": chance.choice(LINKS),
        }  # fmt: skip
        template = TEXTS[number % len(TEXTS)]
        text = template.format(**given)
        told = {("people", given[name]) for name in ("person", "other") if f"{{{name}}}" in template}
        told |= {
            (kind, given[name]) for name, kind in (("technology", "technologies"), ("file", "files"), ("link", "links"))
            if f"{{{name}}}" in template
        }  # fmt: skip
        told |= {("technologies", "MySQL")} if "MySQL" in template else set()
        found = {(KINDS[one.kind], one.text.rstrip(".")) for one in find_entities(text) if one.kind in KINDS}
        right.update(kind for kind, _ in found & told)
        read.update(kind for kind, _ in found)
        there.update(kind for kind, _ in told)
    rows = {
        kind: {
            "precision": round(right[kind] / max(1, read[kind]), 3),
            "recall": round(right[kind] / max(1, there[kind]), 3),
        }
        for kind in sorted(read | there)
    }  # fmt: skip
    whole = {
        "precision": round(right.total() / max(1, read.total()), 3),
        "recall": round(right.total() / there.total(), 3),
    }
    return {"texts": 100, **whole, "kinds": rows}


def _palace(base: str, clock: FixedClock | None = None) -> Memory:
    return Memory(Path(base) / "palace", clock=clock or FixedClock(), durable=False, upkeep=False)


def _turn(memory: Memory) -> DreamTurn:
    return DreamTurn(limit=5_000, since_us=0, now_us=memory.engine.clock.now_us())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    show(
        {"wordings": wordings(), "interference": interference(), "metadata": metadata(), "machine": machine()},
        given.json,
    )


if __name__ == "__main__":
    main()
