"""After an update, is the old value still among the first five hits for a question about the present?

    python -m bench.updates --data ../shared/data [--embedder NAME|FOLDER] [--json] [--show]

`--data` is the folder that holds automemorybench, beam_100k and halumem; what is not there is left out. A case is a
story told in order (bench/update_cases.py says how each corpus is read), the texts that hold the old value and those
that hold the new one, and a question. Four counts, each over all cases:

old_not_in_first_5  asked about the present, no text with the old value is among the first five hits: the aim is 0.97
new_in_first_5      asked about the present, a text with the new value is
past_finds_old      asked the same with "Before it changed:" in front, a text with the old value is among the first ten
as_of_finds_old     asked about the present as of the moment before the update was told, it is among the first ten

A hit counts as the text it was drawn from. A text that holds both values counts as new.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bench.common import machine, show
from bench.retrieval import embedder_of, ids_of
from bench.slots import share
from bench.update_cases import CORPORA, Asked, Story
from palazzo.bootstrap import create_engine
from palazzo.engine import Engine
from palazzo.model.capability import View
from palazzo.model.message import Message
from palazzo.recall.read.cue import Cue
from palazzo.settings import Settings

FIRST = 5
FIRST_PAST = 10
BATCH = 200
COUNTS = ("old_not_in_first_5", "new_in_first_5", "past_finds_old", "as_of_finds_old")


def tell(engine: Engine, story: Story) -> dict[str, int]:
    """Tells a story; returns the moment before each text that an update stands in."""
    moments: dict[str, int] = {}
    breaks = {label for asked in story.asked for label in asked.new}
    waiting: list[Message] = []

    def hand_over() -> None:
        if waiting:
            (engine.remember_many if story.remembered else engine.observe)(waiting)
            waiting.clear()

    for message in story.told:
        if message.label in breaks:
            hand_over()
            moments[message.label] = engine.clock.now_us()
        waiting.append(message)
        if len(waiting) >= BATCH:
            hand_over()
    hand_over()
    return moments


def found(engine: Engine, text: str, now_us: int, view: View = View()) -> list[str]:
    """Labels of the texts behind the first hits."""
    reply = engine.recall(Cue(text=text, limit=FIRST_PAST, now_us=now_us, min_relevance=0.0), view)
    with engine.store.reading(view) as reading:
        return ids_of(reading, [hit.memory.revision.key for hit in reply.hits])


def ask(engine: Engine, story: Story, asked: Asked, moments: dict[str, int]) -> tuple[bool, bool, bool, bool]:
    """The four counts of one case."""
    now = found(engine, asked.question, story.now_us)
    past = found(engine, f"Before it changed: {asked.question}", story.now_us)
    view = View(as_of_us=min(moments[label] for label in asked.new))
    earlier = found(engine, asked.question, story.now_us, view)
    return (
        not asked.old.intersection(now[:FIRST]), bool(asked.new.intersection(now[:FIRST])),
        not asked.old or bool(asked.old.intersection(past)), not asked.old or bool(asked.old.intersection(earlier)),
    )  # fmt: skip


def run(stories: Iterable[Story], embedder: str, shown: bool) -> list[tuple[bool, bool, bool, bool]]:
    """Every case of every story, each story in a palace of its own."""
    rows = []
    for story in stories:
        with tempfile.TemporaryDirectory() as folder:
            settings = Settings.of({"palace": str(Path(folder) / "palace"), "embedder": embedder, "durable": False})
            with create_engine(settings) as engine:
                moments = tell(engine, story)
                for asked in story.asked:
                    row = ask(engine, story, asked, moments)
                    rows.append(row)
                    if shown and not all(row):
                        print(story.name, dict(zip(COUNTS, row, strict=True)), asked, file=sys.stderr)
    return rows


def shares(rows: Sequence[tuple[bool, bool, bool, bool]]) -> dict[str, Any]:
    """Each count with its share and interval."""
    counted = {name: share(sum(row[part] for row in rows), len(rows)) for part, name in enumerate(COUNTS)}
    return {"n": len(rows), **counted}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--embedder", default="builtin")
    parser.add_argument("--only", choices=tuple(CORPORA), help="one corpus")
    parser.add_argument("--show", action="store_true", help="print the cases that fail a count")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    embedder = embedder_of(given.embedder)
    rows = {
        name: run(stories(given.data), embedder, given.show)
        for name, stories in CORPORA.items()
        if given.only in (None, name)
    }
    together = [row for some in rows.values() for row in some]
    result = {name: shares(some) for name, some in rows.items()} | {"together": shares(together)}
    show({"embedder": given.embedder, **result, "machine": machine()}, given.json)


if __name__ == "__main__":
    main()
