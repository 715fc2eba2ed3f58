"""Whether recall answers as it did: every reply to the questions of a file in LoCoMo's format, hit by hit.

    python -m bench.same --data LOCOMO_FILE --folder bench/work/same --write before.json
    python -m bench.same --data LOCOMO_FILE --folder bench/work/same --against before.json

The conversations are taken in once, each into a palace of its own in --folder, and asked again by whatever code runs.
An answer is the ids of its hits with score, relevance, trust, caveat, provenance and reasons; --against prints how many
first tens differ and how many of the rest, and ends with 1 if any does. CPU a question stands beside it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from bench import locomo_file
from bench.conversations import ingest
from bench.latency import VIEW
from palazzo.bootstrap import create_engine, open_engine
from palazzo.recall.answer.reply import Hit
from palazzo.recall.read.cue import Cue
from palazzo.settings import Settings


def told(hit: Hit) -> list[Any]:
    """What is compared of a hit, its id first; its utility is none of it, which counts how often it was asked for."""
    figures = [hit.score, hit.relevance, hit.trust.relevance, hit.trust.accuracy, hit.trust.freshness]
    reasons = [str(one) for one in hit.signals]
    return [str(hit.memory.id), figures, hit.text, hit.caveat, hit.provenance, hit.lane, hit.before, reasons]


def answers(data: Path, folder: Path) -> tuple[list[list[Any]], float]:
    """Every reply of every conversation, and the milliseconds of CPU a question took."""
    found: list[list[Any]] = []
    spent = 0.0
    for number, conversation in enumerate(locomo_file.read(data)):
        palace = folder / f"talk-{number}"
        fresh = not palace.exists()
        settings = Settings.of({"palace": str(palace), "embedder": "builtin", "durable": False})
        with (create_engine if fresh else open_engine)(settings) as engine:
            if fresh:
                ingest(engine, conversation)
            began = time.thread_time()
            for one in conversation.questions:
                reply = engine.recall(Cue(text=one.text, now_us=conversation.now_us), VIEW)
                found.append([reply.known, *map(told, reply.hits)])
            spent += time.thread_time() - began
    return found, spent * 1000 / max(1, len(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a file in LoCoMo's format")
    parser.add_argument("--folder", type=Path, required=True, help="where the palaces are kept")
    parser.add_argument("--write", type=Path, help="write the answers here")
    parser.add_argument("--against", type=Path, help="compare them with those written here")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    found, spent = answers(given.data, given.folder)
    print(f"{len(found)} questions, {spent:.2f} ms of CPU each")
    if given.write:
        given.write.write_text(json.dumps(found))
    if given.against:
        before = json.loads(given.against.read_text())
        pairs = list(zip(before, json.loads(json.dumps(found)), strict=True))
        tens = [at for at, (old, new) in enumerate(pairs) if [o[0] for o in old[1:11]] != [n[0] for n in new[1:11]]]
        rest = [at for at, (old, new) in enumerate(pairs) if old != new and at not in tens]
        print(f"other first tens: {len(tens)} {tens[:20]}; same ten, anything else different: {len(rest)} {rest[:20]}")
        sys.exit(bool(tens or rest))


if __name__ == "__main__":
    main()
