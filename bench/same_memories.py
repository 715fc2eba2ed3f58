"""Whether taking in makes the memories it made: every row of every table, by two states of the code.

    python -m bench.same_memories --data FOLDER --write FOLDER [--of talk ...] [--part N]
    python -m bench.same_memories --data FOLDER --against FOLDER

LoCoMo's turns, what users and assistants said in BEAM, HaluMem's notes and the texts of training/everyday and of the
everyday scenarios are taken in at a moment that stands still, with ids made from a count instead of chance, so that two
runs of one code write the same rows, ids included. Told by batches, kept first and understood, and (everyday) one by
one. --against prints the tables that differ and ends with 1 if any does. CPU of each part stands beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from hashlib import blake2b
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from msgspec.structs import replace

from bench.intake import BATCH, START_US, locomo_messages
from palazzo.bootstrap import create_engine
from palazzo.engine import Engine
from palazzo.errors import PalazzoError
from palazzo.model import ids
from palazzo.model.message import Message
from palazzo.model.scope import Scope
from palazzo.settings import Settings
from palazzo.testing.clock import FixedClock

EVERYDAY = Path("training/everyday")
SHOWN = 3


def assistant_turns(data: Path) -> list[Message]:
    """What users said to an assistant in BEAM, and every fourth of its answers."""
    found = []
    for folder in sorted((data / "beam_100k").iterdir()):
        for batch in json.loads((folder / "chat.json").read_text()):
            for said in (one for turn in batch["turns"] for one in turn):
                if said["role"] == "user" or not said["id"] % 8:
                    text = re.sub(r"\s*->->.*$", "", said["content"], flags=re.DOTALL)
                    at_us = START_US + said["id"] * 60_000_000
                    channel = Scope.of(channel=folder.name)
                    role = "user" if said["role"] == "user" else "assistant"
                    found.append(Message(text=text, role=role, at_us=at_us, thread=folder.name, scope=channel))
    return found


def notes(data: Path) -> list[Message]:
    """HaluMem's memory points."""
    points = [
        point["memory_content"]
        for path in sorted((data / "halumem").glob("*.jsonl"))
        for line in path.read_text().splitlines()
        for session in json.loads(line)["sessions"] for point in session["memory_points"]
    ]  # fmt: skip
    return [Message(text=text, source="message") for text in points]


def everyday(data: Path) -> Iterator[tuple[str, Message]]:
    """What everyday scenarios say, each in a scope of its own, and how it is told."""
    for path in (*sorted(EVERYDAY.glob("*.json")), data / "everyday/scenarios.json"):
        for number, scenario in enumerate(json.loads(path.read_text())):
            for said in scenario["say"]:
                if said["how"] not in ("observe", "remember", "remember_verbatim"):
                    continue
                speaker = said.get("speaker") or "user"
                moment = datetime.fromisoformat(said.get("at") or scenario["now"])
                yield "observe" if said["how"] == "observe" else "remember", Message(
                    text=said["text"], role="assistant" if speaker == "assistant" else "user",
                    speaker="" if speaker in ("user", "assistant") else speaker,
                    at_us=int(moment.timestamp() * 1_000_000), zone=moment.isoformat()[-6:],
                    verbatim=said["how"] == "remember_verbatim", thread=f"{path.stem}-{number}",
                    scope=Scope.of(user=f"{path.stem}-{number}"),
                )  # fmt: skip


def in_batches(engine: Engine, texts: list[Message], *, observed: bool, later: bool = False) -> None:
    for at in range(0, len(texts), BATCH):
        (engine.observe if observed else engine.remember_many)(texts[at : at + BATCH], later=later)
    while engine.intake.understand():
        pass


def one_by_one(engine: Engine, data: Path, part: int) -> None:
    for how, message in list(everyday(data))[: part or None]:
        try:
            (engine.observe([message]) if how == "observe" else engine.remember(message))
        except PalazzoError as error:
            print(f"refused: {error.code}", file=sys.stderr)


def talk(data: Path) -> list[Message]:
    return [message for _, message in locomo_messages(data)]


TOLD: dict[str, Callable[[Engine, Path, int], None]] = {
    "talk": lambda engine, data, part: in_batches(engine, talk(data)[: part or None], observed=True),
    "talk-kept": lambda engine, data, part: in_batches(engine, talk(data)[: part or 1000], observed=True, later=True),
    "told": lambda engine, data, part: in_batches(
        engine, [replace(m, speaker="", addressee="", source="message") for m in talk(data)[: part or None]],
        observed=False,
    ),
    "assistant": lambda engine, data, part: in_batches(engine, assistant_turns(data)[: part or None], observed=True),
    "notes": lambda engine, data, part: in_batches(engine, notes(data)[: part or None], observed=False),
    "notes-whole": lambda engine, data, part: in_batches(
        engine, [replace(one, verbatim=True) for one in notes(data)[: part or None]], observed=False, later=True
    ),
    "everyday": one_by_one,
}  # fmt: skip


def rows_of(path: Path) -> dict[str, list[str]]:
    """Every row of every table of a palace, as text."""
    with sqlite3.connect(path) as file:
        names = [name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        return {name: sorted(map(repr, file.execute(f'SELECT * FROM "{name}"'))) for name in names}


def made(tell: Callable[[Engine, Path, int], None], data: Path, part: int) -> tuple[dict[str, list[str]], float]:
    """The rows of a palace that was told something, and the seconds of CPU it took."""
    numbers = count()
    chance = SimpleNamespace(urandom=lambda size: blake2b(str(next(numbers)).encode(), digest_size=size).digest())
    with tempfile.TemporaryDirectory(prefix="palazzo-same-") as folder, patch.object(ids, "os", chance):
        ids._SEQUENCE.us = -1
        settings = Settings.of({"palace": f"{folder}/palace", "embedder": "builtin", "upkeep": False, "zone": "+00:00"})
        with create_engine(settings, clock=FixedClock()) as engine:
            began = time.process_time()
            tell(engine, data, part)
            spent = time.process_time() - began
        return rows_of(Path(folder) / "palace/palace.db"), spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--write", type=Path, help="write the rows here, a file for each part")
    parser.add_argument("--against", type=Path, help="compare them with those written here")
    parser.add_argument("--of", nargs="*", choices=[*TOLD], default=[*TOLD])
    parser.add_argument("--part", type=int, default=0, help="this many texts of each alone")
    given = parser.parse_args()
    if sys.flags.hash_randomization:  # what is written in the order of a set is no difference
        os.execvp("env", ["env", "PYTHONHASHSEED=0", sys.executable, "-m", "bench.same_memories", *sys.argv[1:]])
    other = False
    for name in given.of:
        found, spent = made(TOLD[name], given.data, given.part)
        print(f"{name}: {len(found['memory'])} memories, {spent:.2f} s of CPU", flush=True)
        if given.write:
            given.write.mkdir(parents=True, exist_ok=True)
            (given.write / f"{name}.json").write_text(json.dumps(found))
        if given.against:
            before = json.loads((given.against / f"{name}.json").read_text())
            for table in sorted({*before, *found}):
                old, new = before.get(table, []), found.get(table, [])
                gone, come = sorted({*old} - {*new}), sorted({*new} - {*old})
                if old != new:
                    other = True
                    print(f"  {table}: {len(gone)} of {len(old)} rows gone, {len(come)} of {len(new)} come")
                    for one in (*gone[:SHOWN], *come[:SHOWN]):
                        print(f"    {one[:400]}")
    sys.exit(other)


if __name__ == "__main__":
    main()
