"""Whether a newer statement takes back the older one it changes, and nothing else, through the public library.

    python -m bench.change --data FILE [--limit N] [--seed N] [--json]

FILE is a JSON list of `{old, new, label}` (label: replaces, holds or same), a JSON list of chains `{texts, question}`,
or lines of `{old, replaces, holds, same, question}`. Each pair gets a palace of its own with a dozen others of
the same file, told before. Then the old statement is told, and a month later the new one.

taken_back        replaces: the old statement no longer stands
marked            replaces: it stands, and is put before a person as in conflict, or said to have changed perhaps
wrong_superseded  holds and same: the old statement no longer stands (a same that was merged or revised stands, and so
                  does what was over before: "until 2009")
wrong_marked      holds and same: it is marked
others_changed    of the dozen others, how many no longer stand or are marked, of all pairs
chains            only the last value stands: all before it are gone or marked, the last one stands
write             of the one write of the new statement, processor time of this process, percentiles
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from bench.common import percentiles, show
from palazzo import Memory
from palazzo.errors import NotFound, Refused
from palazzo.testing.clock import FixedClock

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
BETWEEN = timedelta(days=30)
BESIDE = 12


class Pair(NamedTuple):
    """An older statement, a newer one, what it does to it, and a language."""

    old: str
    new: str
    label: str
    language: str = "en"


def read(path: Path) -> tuple[list[Pair], list[list[str]]]:
    """The pairs and the chains of a file."""
    text = path.read_text("utf-8")
    told = (
        json.loads(text) if text.lstrip().startswith("[") else [json.loads(line) for line in text.splitlines() if line]
    )
    pairs: list[Pair] = []
    chains: list[list[str]] = []
    for one in told:
        language = one.get("language", "en")
        if "texts" in one:
            chains.append(list(one["texts"]))
        elif "new" in one:
            pairs.append(Pair(one["old"], one["new"], one["label"], language))
        else:
            pairs += [
                Pair(one["old"], new, label, language) for label in ("replaces", "holds", "same") for new in one[label]
            ]
    return pairs, chains


def others(pairs: Sequence[Pair], chains: Sequence[Sequence[str]]) -> list[str]:
    return list(dict.fromkeys([pair.old for pair in pairs] + [chain[0] for chain in chains]))


class Told:
    """A palace that is told statements a month apart."""

    def __init__(self, folder: Path, beside: Sequence[str]) -> None:
        self.clock = FixedClock(START)
        self.memory = Memory(folder, clock=self.clock, zone="+00:00", durable=False, upkeep=False)
        self.seconds: list[float] = []
        self.beside = [(text, self.tell(text, days=0)) for text in beside]

    def tell(self, text: str, days: float = BETWEEN.days) -> list[tuple[UUID, str]]:
        """The memories a text was kept as, each with what it said then; none where it was refused."""
        self.clock.advance(days=days)
        began = time.process_time()
        try:
            kept = self.memory.remember(text).memories
        except Refused:
            kept = ()
        self.seconds.append(time.process_time() - began)
        return [(one, self.memory.get(str(one)).text) for one in kept]

    def state(self, kept: Sequence[tuple[UUID, str]]) -> str:
        """gone, marked or stands: the worst of what became of the memories a text was kept as."""
        found = [self._state(memory, said) for memory, said in kept]
        return next((state for state in ("gone", "marked") if state in found), "stands")

    def _state(self, memory: UUID, said: str) -> str:
        try:
            held = self.memory.get(str(memory))
        except NotFound:
            return "gone"
        now = self.clock.now()
        revised = held.text != said and not _within(said, held.text)
        if held.state not in ("active", "stale"):
            return "gone"
        if held.deprecated or revised or (held.valid_to is not None and held.valid_to <= now and held.kind != "event"):
            return "gone"
        disputed = any(memory in (one.newer, one.older) for one in self.memory.inbox())
        return "marked" if disputed or held.staleness > 0.5 else "stands"


def _within(said: str, later: str) -> bool:
    """Whether a later text still says the earlier one, and more."""
    return said.rstrip(".").lower() in later.lower()


def measured(pairs: Sequence[Pair], pool: Sequence[str], seed: int) -> Iterator[tuple[Pair, str, int, float]]:
    for number, pair in enumerate(pairs):
        rng = random.Random(f"{seed} {number}")
        beside = [text for text in rng.sample(list(pool), min(BESIDE + 1, len(pool))) if text != pair.old][:BESIDE]
        with tempfile.TemporaryDirectory() as folder:
            told = Told(Path(folder) / "palace", beside)
            ids = told.tell(pair.old)
            stood = told.state(ids)
            before = [told.state(held) for _, held in told.beside]
            told.tell(pair.new)
            state = told.state(ids) if pair.label == "replaces" or stood == "stands" else "stands"
            after = [told.state(held) for _, held in told.beside]
            told.memory.close()
        yield pair, state, sum(a != b for a, b in zip(before, after, strict=True)), told.seconds[-1]


def chained(chains: Sequence[Sequence[str]], pool: Sequence[str], seed: int) -> Iterator[tuple[bool, bool]]:
    """Of each chain, whether only the last value stands, and whether nothing but it stands unmarked."""
    for number, chain in enumerate(chains):
        rng = random.Random(f"{seed} chain {number}")
        beside = [text for text in rng.sample(list(pool), min(BESIDE + 1, len(pool))) if text not in chain][:BESIDE]
        with tempfile.TemporaryDirectory() as folder:
            told = Told(Path(folder) / "palace", beside)
            kept = [told.tell(text) for text in chain]
            states = [told.state(ids) for ids in kept]
            last = told.memory.get(str(kept[-1][0][0])).text if kept[-1] else ""
            told.memory.close()
        stands = (bool(last) and _within(chain[-1], last)) or states[-1] == "stands"
        yield stands and all(state == "gone" for state in states[:-1]), stands and "stands" not in states[:-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--limit", type=int, help="at most so many pairs, chosen by the seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--wrong", action="store_true", help="show what came out wrong")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    pairs, chains = read(options.data)
    pool = others(pairs, chains)
    if options.limit is not None and len(pairs) > options.limit:
        pairs = random.Random(options.seed).sample(pairs, options.limit)
    counted: Counter[tuple[str, str]] = Counter()
    languages: Counter[tuple[str, str, str]] = Counter()
    changed, seconds, wrong = 0, [], []
    for pair, state, beside, took in measured(pairs, pool, options.seed):
        counted[pair.label, state] += 1
        languages[pair.language, pair.label, state] += 1
        changed += beside
        seconds.append(took)
        if (pair.label == "replaces") != (state == "gone"):
            wrong.append({"label": pair.label, "state": state, "old": pair.old, "new": pair.new})

    def share(labels: Sequence[str], states: Sequence[str]) -> float | None:
        total = sum(count for (label, _), count in counted.items() if label in labels)
        found = sum(count for (label, state), count in counted.items() if label in labels and state in states)
        return round(found / total, 4) if total else None

    result: dict[str, Any] = {
        "n": len(pairs),
        "by_label": dict(sorted(Counter(pair.label for pair in pairs).items())),
        "taken_back": share(["replaces"], ["gone"]),
        "taken_back_or_marked": share(["replaces"], ["gone", "marked"]),
        "marked": share(["replaces"], ["marked"]),
        "wrong_superseded": share(["holds", "same"], ["gone"]),
        "wrong_marked": share(["holds", "same"], ["marked"]),
        "wrong_superseded_holds": share(["holds"], ["gone"]),
        "others_changed": round(changed / max(1, len(pairs) * BESIDE), 5),
        "languages": {
            language: {
                label: round(
                    languages[language, label, "gone"]
                    / max(1, sum(languages[language, label, state] for state in ("gone", "marked", "stands"))), 3,
                )
                for label in ("replaces", "holds", "same")
            }
            for language in sorted({pair.language for pair in pairs})
        },
        "write": percentiles(seconds) if seconds else None,
    }  # fmt: skip
    if chains:
        found = list(chained(chains, pool, options.seed))
        result["chains"] = {
            "n": len(found), "only_the_last": round(sum(strict for strict, _ in found) / len(found), 4),
            "only_the_last_unmarked": round(sum(loose for _, loose in found) / len(found), 4),
        }  # fmt: skip
    if options.wrong:
        result["wrong"] = wrong
    show(result, as_json=options.json)


if __name__ == "__main__":
    main()
