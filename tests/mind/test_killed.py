"""kill -9 at every write of a dream, of what carries one out or takes it back, and of a sweep: whole, and done once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from uuid import UUID

import msgspec
import pytest

from palazzo import Memory
from palazzo.mind.dream import DreamWanted
from palazzo.mind.jobs import JobTurn
from palazzo.model.change import Attachments, PlaceMemory
from palazzo.model.graph import MentionDraft, RelationDraft
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import place_memory

SAID = (
    "Indentation should be two spaces.", "Please indent with 2 spaces.", "I always use two spaces for indentation.",
    "The user prefers 2-space indentation.", "I use Django.",
    *(
        f"Deployed the {what}: first I ran the tests, then I built the image, finally I pushed it to the registry."
        for what in ("shop", "blog", "mill")
    ),
)  # fmt: skip
CUES = ("how many spaces do I indent with?", "who manages Luis?", "deployed the shop")
EVERY = ("consolidate", "habits", "replay", "infer", "assess", "summaries", "gaps", "promote")
NOW = FixedClock().now()
KILLED = """
import os, signal, sys
from datetime import datetime
from pathlib import Path
from shutil import copytree
from palazzo import Memory
from palazzo.testing.clock import FixedClock
from palazzo.text.reader import judgements
told, now, act = Path(sys.argv[1]), datetime.fromisoformat(sys.argv[2]), sys.argv[3]
judgements.missing()  # the weights are read once for all of those who are killed
for after in range(1, 200):
    folder = told.with_name(f"{told.name}-{after}")
    copytree(told, folder)
    if not (child := os.fork()):
        memory = Memory(folder, clock=FixedClock(now), upkeep=False)
        database, left = memory.engine.store.database, [after]
        write = database.write
        def counted(job):
            made = write(job)
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return made
        database.write = counted
        exec(act)
        memory.close()
        os._exit(0)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if ended != -signal.SIGKILL:
        sys.exit(ended)
"""
"""Does something to copies of a palace, killed after the first write, then after the second ..., until it ends."""


def killed_at_each_write(told: Path, act: str, now: datetime = NOW) -> list[Path]:
    """The palaces that are left, the last one of whoever was not killed."""
    made = subprocess.run(
        [sys.executable, "-c", KILLED, str(told), now.isoformat(), act], check=False, timeout=240, capture_output=True
    )
    assert made.returncode == 0, made.stderr.decode()
    found = sorted(told.parent.glob(f"{told.name}-*"), key=lambda one: int(one.name.rpartition("-")[2]))
    assert len(found) > 3
    return found


def manages(one: str, other: str) -> PlaceMemory:
    """A memory that states a relation, as intake would have read it."""
    mentions = (MentionDraft(one, "person", one), MentionDraft(other, "person", other))
    relations = (RelationDraft(one, "manages", other),)
    return place_memory(
        f"{one} manages {other}.", attachments=Attachments(mentions=mentions, relations=relations)
    )  # fmt: skip


@pytest.fixture
def told(tmp_path: Path) -> Path:
    """A palace in which every pass finds something to do months later."""
    folder = tmp_path / "told"
    with Memory(folder, clock=FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC)), upkeep=False) as memory:
        for text in SAID:
            memory.remember(text)
        memory.remember("The heron importer runs with two workers.", project="atlas", pinned=True)
        for one, other in (("Marco", "Anna Rossi"), ("Anna Rossi", "Luis"), ("Anna Rossi", "Luis")):
            memory.engine.store.commit([manages(one, other)])
        memory.run("backfill")
    return folder


def opened(folder: Path, now: datetime = NOW) -> Memory:
    return Memory(folder, clock=FixedClock(now), upkeep=False, durable=False)


def dream(memory: Memory) -> None:
    """Every pass, by somebody who need not wait until the one that was killed has lost its turn."""
    wanted = DreamWanted(passes=EVERY, completed="atlas")
    memory.engine.dreaming.run(JobTurn(lambda *_: True, 100), wanted)


DREAM = f"""
memory.setting_put("dream_passes", "{", ".join(f"{name}=on" for name in EVERY)}")
memory.dream(only={EVERY[:-1]})
memory.dream(completed="atlas")
"""


Held = tuple[list[tuple[str, str, str]], set[str], bytes]


def held(folder: Path, now: datetime = NOW) -> Held:
    """Every memory with where it is in its life, the questions that are open, and to the last byte what recall gives
    and a model is given; of a copy, for whoever looks has used what it saw."""
    lives = ("live", "archived", "forgotten")
    with TemporaryDirectory() as other, opened(copytree(folder, Path(other) / "copy"), now) as memory:
        texts = [(life, one.text, one.state) for life in lives for one in memory.list(state=life, limit=500)]  # type: ignore[arg-type]
        found = [(memory.recall(cue, limit=20).hits, memory.context(cue).text) for cue in CUES]
        return sorted(texts), {one.question for one in memory.gaps()}, msgspec.json.encode(found)


def all_alike(folders: list[Path], finish: Callable[[Memory], object], now: datetime = NOW) -> None:
    """Whoever was killed, and whenever: what it left is sound, and finished it is what it is without a kill."""
    whole = held(folders[-1], now)
    for folder in folders[:-1]:
        with opened(folder, now) as memory:
            finish(memory)
            assert memory.verify().clean, folder.name
        assert held(folder, now) == whole, folder.name


def take_back(memory: Memory, besides: frozenset[UUID] = frozenset()) -> None:
    """Takes back every run that was made, those that were cut off too."""
    for one in memory.dreams(limit=100):
        if one.state == "made" and one.id not in besides:
            memory.undo(str(one.id))


def test_a_dream_killed_after_any_write_of_any_pass_is_whole_and_its_rerun_does_nothing_twice(told: Path) -> None:
    before, folders = held(told), killed_at_each_write(told, DREAM)
    with opened(folders[2]) as memory:
        assert memory.dream().state == "busy", "whoever was killed has it for a minute"
    with opened(folders[-1]) as memory:
        authors = {event.subject for event in memory.engine.store.journal.tail(0, 1000)}
        assert authors >= {f"mind:{name}" for name in EVERY}, "every pass did something"
    all_alike(folders, dream)
    for folder in folders:
        with opened(folder) as memory:
            take_back(memory)
        assert held(folder) == before, f"undo takes back what a killed run did, too: {folder.name}"


@pytest.mark.parametrize("name", EVERY)
def test_whatever_a_pass_did_undo_gives_back_recall_to_the_last_byte(told: Path, name: str) -> None:
    before = held(told)
    with opened(told) as memory:
        memory.setting_put("dream_passes", f"{name}=on")
        made = memory.dream(only=(name,), completed="atlas" if name == "promote" else "")
        assert "made" in [step.state for step in made.steps]
        memory.undo(str(made.id))
    assert held(told) == before


def test_an_undo_killed_after_any_write_is_finished_by_the_next_one(told: Path) -> None:
    before = held(told)
    with opened(told) as memory:
        memory.setting_put("dream_passes", ", ".join(f"{name}=on" for name in EVERY))
        dream(memory)
    folders = killed_at_each_write(told, "memory.undo(str(memory.dreams()[0].id))")
    assert held(folders[-1]) == before
    all_alike(folders, take_back)


def test_a_proposal_killed_while_it_is_carried_out_is_carried_out_once_and_taken_back_whole(told: Path) -> None:
    def finish(memory: Memory) -> None:
        for one in memory.dreams():
            if one.state == "proposed":
                memory.dream_apply(str(one.id))

    with opened(told) as memory:
        memory.dream()
        done = frozenset(one.id for one in memory.dreams() if one.state == "made")
    before = held(told)
    act = 'memory.dream_apply(str(next(one.id for one in memory.dreams() if one.state == "proposed")))'
    folders = killed_at_each_write(told, act)
    all_alike(folders, finish)
    for folder in folders:
        with opened(folder) as memory:
            take_back(memory, besides=done)
        assert held(folder) == before, folder.name


def test_a_run_killed_while_it_takes_itself_back_is_taken_back_whole(told: Path) -> None:
    worse = "own = memory.engine.dreaming; own._chosen = lambda given=own._chosen: (given()[0], -1.0)"
    before = held(told)
    for folder in killed_at_each_write(told, f"{worse}\n{DREAM}"):
        with opened(folder) as memory:
            memory.setting_put("dream_passes", ", ".join(f"{name}=off" for name in EVERY))
            memory.engine.dreaming.run(JobTurn(lambda *_: True, 100))  # tells what was cut off
            take_back(memory)
            assert memory.verify().clean
        assert held(folder) == before, folder.name


def test_a_sweep_killed_after_any_write_is_whole_and_its_rerun_gives_what_one_gives(tmp_path: Path) -> None:
    folder, began = tmp_path / "told", datetime(2025, 6, 1, 12, tzinfo=UTC)
    with Memory(folder, clock=FixedClock(began), embedder="none", upkeep=False) as memory:
        for number in range(12):
            memory.remember(f"Crate {number} holds {number + 3} lamps.", pinned=False, importance=0.2)
    now = began + timedelta(days=400)
    folders = killed_at_each_write(folder, 'memory.run("sweep")', now)
    assert {state for _, _, state in held(folders[-1], now)[0]} == {"archived"}
    all_alike(folders, lambda one: one.engine.jobs.named("sweep").run(JobTurn(lambda *_: True, 100)), now)
