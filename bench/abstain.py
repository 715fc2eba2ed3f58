"""Whether recall says that it knows nothing when it does, and only then; and what its `relevance` is worth.

    python -m bench.abstain --data FILE [--format everyday|locomo|beam|dev] [--half first|second] --json

everyday  scenarios (bench/everyday.py): what is asked with `want_any` can be answered, what is asked with `abstain` not
locomo    LoCoMo's format: questions of category 5 are about what the other speaker said, and nothing answers them
beam      BEAM's folder: its ability `abstention`
dev       DevMemBench's folder: its type `abstention`

A half is every other scenario, or every other conversation; of a single one every other question.

A question is met with silence when the reply says `known = false`. Reported are the share of unanswerable questions met
with silence and of answerable ones, precision and recall of `known` (a question that can be answered and is), the same
by floor, and for every hit shown without a floor whether it is evidence, in ten bins of its relevance.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from bench import locomo_file
from bench.common import machine, show
from bench.conversations import ABSTENTION, Conversation, beam, devmembench, ingest
from bench.everyday import Palace
from palazzo.bootstrap import create_engine
from palazzo.model.capability import View
from palazzo.recall.read.cue import Cue
from palazzo.settings import Settings

FLOORS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
BINS = 10
READERS: dict[str, Callable[[Path], Sequence[Conversation]]] = {
    "locomo": locomo_file.read, "beam": partial(beam, unanswerable=True), "dev": partial(devmembench, unanswerable=True)
}  # fmt: skip
UNANSWERABLE = (ABSTENTION, "adversarial")


@dataclass(frozen=True, slots=True)
class Met:
    """How one question was met: whether it can be answered, whether it was, and each hit's relevance and worth."""

    question: str
    answerable: bool
    known: bool
    hits: tuple[tuple[float, bool], ...]

    @property
    def best(self) -> float:
        return max((relevance for relevance, _ in self.hits), default=0.0)


def everyday(path: Path, half: str | None) -> Iterator[Met]:
    """The questions of scenarios, each scenario in a palace of its own."""
    for number, scenario in enumerate(json.loads(path.read_text("utf-8"))):
        if half not in (None, ("first", "second")[number % 2]):
            continue
        with tempfile.TemporaryDirectory() as folder:
            palace = Palace(Path(folder) / "palace", scenario)
            try:
                for asked in scenario["ask"]:
                    if not asked["want_any"] and not asked["abstain"]:
                        continue
                    said = palace.memory.recall(asked["q"], user_id=asked.get("user"))
                    every = palace.memory.recall(asked["q"], user_id=asked.get("user"), min_relevance=0)
                    hits = tuple(
                        (hit.relevance, any(re.search(want, hit.text) for want in asked["want_any"])) for hit in every
                    )
                    yield Met(asked["q"], not asked["abstain"], said.known, hits)
            finally:
                palace.memory.close()


def conversations(told: Sequence[Conversation], embedder: str, *, sessions: bool) -> Iterator[Met]:
    """The questions of conversations, each conversation in a palace of its own."""
    for conversation in told:
        with tempfile.TemporaryDirectory() as folder:
            settings = Settings.of({"palace": str(Path(folder) / "palace"), "embedder": embedder, "durable": False})
            with create_engine(settings) as engine:
                ingest(engine, conversation)
                for question in conversation.questions:
                    cue = Cue(text=question.text, now_us=conversation.now_us)
                    known = engine.recall(cue).known
                    reply = engine.recall(Cue(text=question.text, now_us=conversation.now_us, min_relevance=0.0))
                    with engine.store.reading(View()) as reading:
                        found = reading.through_time().provenance.first_sources(
                            [hit.memory.revision.key for hit in reply.hits]
                        )
                    ids = [found[hit.memory.revision.key].label for hit in reply.hits]
                    if sessions:
                        ids = [conversation.ids[one] for one in ids]
                    answerable = question.category not in UNANSWERABLE
                    hits = tuple(
                        (hit.relevance, answerable and one in question.gold)
                        for hit, one in zip(reply.hits, ids, strict=True)
                    )
                    yield Met(question.text, answerable, known, hits)


def halved(told: Sequence[Conversation], half: str | None) -> Sequence[Conversation]:
    """Every other conversation; of a single one every other question."""
    if half is None:
        return told
    begin = ("first", "second").index(half)
    if len(told) > 1:
        return told[begin::2]
    return [replace(one, questions=one.questions[begin::2]) for one in told]


def share(some: Sequence[bool]) -> float | None:
    """The share that holds; None of nothing."""
    return round(sum(some) / len(some), 4) if some else None


def report(met: Sequence[Met]) -> dict[str, Any]:
    """All figures."""
    yes, no = [one for one in met if one.answerable], [one for one in met if not one.answerable]
    known = [one for one in met if one.known]
    hits = sorted(hit for one in met for hit in one.hits)
    bins = []
    for number in range(BINS):
        inside = [hit for hit in hits if number <= hit[0] * BINS < number + 1 or (number == BINS - 1 and hit[0] == 1)]
        mean = round(sum(relevance for relevance, _ in inside) / len(inside), 3) if inside else None
        bins.append(
            {"from": number / BINS, "n": len(inside), "relevance": mean, "evidence": share([w for _, w in inside])}
        )
    return {
        "answerable": len(yes), "unanswerable": len(no),
        "unanswerable_silent": share([not one.known for one in no]),
        "answerable_silenced": share([not one.known for one in yes]),
        "known_precision": share([one.answerable for one in known]),
        "known_recall": share([one.known for one in yes]),
        "by_floor": [
            {
                "floor": floor, "unanswerable_silent": share([one.best < floor for one in no]),
                "answerable_silenced": share([one.best < floor for one in yes]),
            }
            for floor in FLOORS
        ],
        "calibration": bins, "made": machine(),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--format", choices=("everyday", *READERS), default="everyday")
    parser.add_argument("--half", choices=("first", "second"), help="only every other scenario or conversation")
    parser.add_argument("--embedder", default="builtin")
    parser.add_argument("--worst", type=int, default=0, help="show so many questions that were met wrongly")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.format == "everyday":
        met = list(everyday(options.data, options.half))
    else:
        told = READERS[options.format](options.data)
        sessions = options.format == "dev"
        met = list(conversations(halved(told, options.half), options.embedder, sessions=sessions))
    result = report(met)
    if options.worst:
        wrong = sorted((one for one in met if one.known != one.answerable), key=lambda one: (one.answerable, -one.best))
        result["wrong"] = [
            {"question": one.question, "answerable": one.answerable, "best": one.best} for one in wrong[: options.worst]
        ]
    show(result, as_json=options.json)


if __name__ == "__main__":
    main()
