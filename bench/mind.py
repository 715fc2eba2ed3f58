"""What each pass of a dream buys and costs: the same palaces asked the same before and after it, alone and together.

    python -m bench.mind --data FOLDER [--only CORPUS] [--questions N] [--conversations N] [--days N] [--events N]
        [--json]

FOLDER holds the corpora that are there: locomo/locomo_dev.json, beam_100k, devmembench; a simulated life of --days days
with --events things said on each is always among them (--events 625 is a busy life, the default takes minutes). For
each corpus and pass: answer@10 (a question counts when one of the first ten hits is, or was made of, what answers it),
update correctness (of values that changed, the first one shown is the one that holds), abstention (of questions that
nothing answers, those that get no answer), tokens of the first ten hits and tokens up to the first that answers, the
tokens of the whole context a model is given for a question and whether the answer is in it (also for every other
question alone, 1 and 2, so that one half can be looked at and the other believed), the size of the palace and the CPU
of the pass, what it held back because too much would be given up, and whether the check took it back. A palace is taken
in once and copied for each pass. Also: whether the confidence `knows` states goes with the answers measured (see
bench/known.py; the first --apart conversations were looked at when it was made, the others are told apart too), what
the paragraph over everything is worth, and a life with the mind beside one without it.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from bench import locomo_file
from bench.common import machine, show
from bench.conversations import ABSTENTION, Conversation, beam, devmembench, ingest
from bench.known import Stated, confidence, paragraph, stated_of
from bench.life import Life, LifeQuestion, live
from bench.sources import answering, mean
from palazzo import Memory
from palazzo.mind.dream import DreamWanted
from palazzo.mind.jobs import JobTurn
from palazzo.recall.answer.context import Context
from palazzo.recall.answer.reply import Hit
from palazzo.recall.read.cue import Cue
from palazzo.testing.clock import FixedClock
from palazzo.text.words.tokens import estimate_tokens

BEGAN = datetime(2025, 1, 6, 7, tzinfo=UTC)
LIMIT = 5_000
CHECKPOINTS = 3
DROP = 1.0
"""Points of answer@10 that a run may cost before it takes itself back, as by default."""
Asked = Callable[[Memory], dict[str, float]]


@contextmanager
def opened(folder: Path, now: datetime) -> Iterator[Memory]:
    """A palace whose clock stands at a moment."""
    with Memory(folder, clock=FixedClock(now), durable=False, upkeep=False, dream_drop=DROP) as memory:
        yield memory


def size_of(folder: Path) -> int:
    """The bytes of the palace's file; what waits in its log is moved there by upkeep."""
    return (folder / "palace.db").stat().st_size


def measured(found: Sequence[tuple[Sequence[bool], Sequence[Hit]]]) -> dict[str, float]:
    """answer@10 and tokens, of which hits answer each question."""
    until = [
        sum(estimate_tokens(hit.text) for hit in hits[: list(good).index(True) + 1])
        for good, hits in found
        if any(good[:10])
    ]
    return {
        "answer@10": mean([float(any(good[:10])) for good, _ in found]),
        "tokens@10": mean([float(sum(estimate_tokens(hit.text) for hit in hits[:10])) for _, hits in found]),
        "tokens_to_answer": mean([float(one) for one in until]),
    }


Given = Callable[[Context], bool]
"""Whether the answer is in what a model is given."""


def contexts(memory: Memory, asked: Sequence[tuple[str, Given]]) -> dict[str, float]:
    """What a model is given for each question by itself: its tokens, and whether the answer is in it."""
    rows: list[tuple[float, float]] = []
    for text, has in asked:
        memory.mind_clear()
        given = memory.engine.context(text)
        rows.append((float(estimate_tokens(given.text)), float(has(given))))
    found = {"context_tokens": mean([a for a, _ in rows]), "answer_in_context": mean([b for _, b in rows])}
    for half in (1, 2):
        some = rows[half - 1 :: 2]
        found[f"context_tokens_{half}"] = mean([a for a, _ in some])
        found[f"answer_in_context_{half}"] = mean([b for _, b in some])
    return found


def ask_conversation(memory: Memory, conversation: Conversation, *, sessions: bool) -> dict[str, float]:
    """The questions of a conversation."""
    asked: list[tuple[str, Given]] = []
    found: list[tuple[list[bool], Sequence[Hit]]] = []
    updates: list[float] = []
    silent: list[float] = []
    for question in conversation.questions:
        reply = memory.engine.recall(Cue(text=question.text, limit=10, now_us=conversation.now_us))
        if not question.gold:
            silent.append(float(not reply.known))
            continue
        good = answering(memory, conversation, question, reply.hits, sessions=sessions)
        found.append((good, reply.hits))
        asked.append((
            question.text,
            lambda given, q=question: any(answering(memory, conversation, q, given.reply.hits, sessions=sessions)),
        ))  # fmt: skip
        if "update" in question.category:
            updates.append(float(any(good[:10])))
    told = {"update": mean(updates), "abstention": mean(silent)}
    return {**measured(found), **contexts(memory, asked), **told}


def ask_life(memory: Memory, questions: Sequence[LifeQuestion]) -> dict[str, float]:
    """The questions of a day of a life."""
    found: list[tuple[list[bool], Sequence[Hit]]] = []
    updates: list[float] = []
    silent: list[float] = []
    for question in questions:
        reply = memory.engine.recall(Cue(text=question.text, limit=10))
        if not question.answer:
            silent.append(float(not reply.known))
            continue
        good = [question.answer.casefold() in hit.text.casefold() for hit in reply.hits]
        found.append((good, reply.hits))
        if question.before:
            values = (question.answer, *question.before)
            shown = next((v for hit in reply.hits for v in values if v.casefold() in hit.text.casefold()), "")
            updates.append(float(shown == question.answer))
    asked: list[tuple[str, Given]] = [
        (one.text, lambda given, answer=one.answer.casefold(): answer in given.text.casefold())
        for one in questions if one.answer
    ]  # fmt: skip
    told = {"update": mean(updates), "abstention": mean(silent)}
    return {**measured(found), **contexts(memory, asked), **told}


def dreamt(memory: Memory, passes: Sequence[str]) -> dict[str, float]:
    """Passes run in earnest, and what is proposed carried out: the CPU seconds, and what was too much or worse."""
    began = time.process_time()
    dreaming = memory.engine.dreaming
    memory.setting_put("dream_passes", ", ".join(f"{name}=on" for name in passes))
    made = dreaming.run(JobTurn(lambda *_: True, LIMIT), DreamWanted(passes=tuple(passes)))
    spent = time.process_time() - began
    memory.run("backfill")
    held = sum(step.state == "held back" for step in made.steps)
    return {"cpu_s": round(spent, 2), "held_back": held, "taken_back": float(made.state == "rolled_back")}


def ablation(
    folder: Path, now: datetime, ask: Asked, default: Sequence[str], only: Sequence[str] = ()
) -> dict[str, Any]:
    """Every pass alone (or some), those that are on by default, and all together, over copies of one palace."""
    with opened(folder, now) as memory:
        names = [one.name for one in memory.engine.dreaming.passes if not only or one.name in only]
        before = ask(memory)
    none = {"bytes": size_of(folder), "cpu_s": 0.0, "held_back": 0, "taken_back": 0.0}
    rows: dict[str, Any] = {"none": {**before, **none}}
    variants = {name: [name] for name in names} | {"default": list(default), "all": names}
    for name, passes in variants.items():
        with tempfile.TemporaryDirectory() as other:
            copy = Path(other) / "palace"
            shutil.copytree(folder, copy)
            with opened(copy, now) as memory:
                run = dreamt(memory, passes)
                rows[name] = {**ask(memory), **run}
            rows[name]["bytes"] = size_of(copy)
    return rows


def lived(folder: Path, life: Life, default: Sequence[str]) -> list[dict[str, Any]]:
    """A life told day by day, with upkeep and a dream every night as a daemon has them, asked now and then and closed
    after that, so that its file has everything; each answer is told as it comes."""
    marks = [len(life.days) * n // CHECKPOINTS for n in range(CHECKPOINTS + 1)]
    seen: list[dict[str, Any]] = []
    clock, began_s, dreams_s = FixedClock(BEGAN), time.process_time(), 0.0
    for first, last in pairwise(marks):
        with Memory(folder, clock=clock, durable=False, upkeep=False, dream_drop=DROP) as memory:
            for said in life.days[first:last]:
                memory.remember_many(said)
                memory.run("settle", limit=10_000)
                memory.run("upkeep", limit=100_000)
                told_s = time.process_time()
                if default:
                    memory.setting_put("dream_passes", ", ".join(f"{name}=on" for name in default))
                    memory.engine.dreaming.run(JobTurn(lambda *_: True, LIMIT), DreamWanted())
                    memory.run("sweep")
                dreams_s += time.process_time() - told_s
                clock.advance(days=1)
            spent = {"cpu_s": round(time.process_time() - began_s, 1), "dreams_cpu_s": round(dreams_s, 1)}
            clock.advance(days=-1)
            row = {"day": last, **ask_life(memory, life.asked[last - 1]), "memories": memory.count(), **spent}
            clock.advance(days=1)
        seen.append({**row, "bytes": size_of(folder)})
        print("with" if default else "without", "the mind:", json.dumps(seen[-1]), file=sys.stderr, flush=True)
    return seen


def corpora(data: Path, conversations: int) -> Iterator[tuple[str, list[Conversation], bool]]:
    """The corpora that are there, with so many conversations of each."""
    if (found := data / "locomo" / "locomo_dev.json").is_file():
        yield "locomo", locomo_file.read(found)[:conversations], False
    if (found := data / "beam_100k").is_dir():
        yield "beam", beam(found, unanswerable=True)[:conversations], False
    for inner in sorted(data.glob("devmembench/**/sessions.json"))[:1]:
        yield "devmembench", devmembench(inner.parent, unanswerable=True), True


def sampled(talk: Conversation, most: int) -> Conversation:
    """A talk with so many questions, those about what changed and what nothing answers always among them."""
    telling = [one for one in talk.questions if one.category == ABSTENTION or "update" in one.category]
    rest = [one for one in talk.questions if one not in telling]
    chosen = telling[: most // 2]
    rest = random.Random(11).sample(rest, min(len(rest), most - len(chosen))) if most else rest
    kept = (*chosen, *rest) if most else talk.questions
    return Conversation(talk.name, talk.lines, tuple(kept), talk.now_us, talk.ids)


def joined(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The mean over conversations of every figure of every pass."""
    made: dict[str, Any] = {}
    for name in rows[0]:
        figures = [row[name] for row in rows]
        made[name] = {key: mean([one[key] for one in figures if one[key] != -1.0]) for key in figures[0]}
    return made


def differences(rows: dict[str, Any]) -> dict[str, Any]:
    """The same with the points each pass gains or costs."""
    base = rows["none"]
    for name, row in rows.items():
        if name != "none":
            for key in ("answer@10", "answer_in_context", "update", "abstention"):
                row[f"{key}_points"] = round(100 * (row[key] - base[key]), 2) if row[key] >= 0 <= base[key] else 0.0
            for key in ("tokens_to_answer", "context_tokens", "context_tokens_1", "context_tokens_2"):
                row[f"{key}_share"] = round(row[key] / max(1e-9, base[key]), 3)
    return rows


def life_told(base: Path, life: Life, default: Sequence[str]) -> dict[str, Any]:
    """A life with the mind and without it, each in a process of its own, and every pass at its end."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as both:
        lives = [both.submit(lived, base / name, life, on) for name, on in (("off", ()), ("on", default))]
        without, with_mind = (one.result() for one in lives)
    rows = ablation(
        base / "off", BEGAN + timedelta(days=len(life.days)), lambda m: ask_life(m, life.asked[-1]), default
    )
    return {"life_without_the_mind": without, "life_with_the_mind": with_mind, "life": differences(rows)}


def known_told(stated: Sequence[dict[str, Stated]], apart: int) -> dict[str, Any]:
    """The confidence over every conversation, and over those that were not looked at when it was made."""
    told: dict[str, Any] = {}
    for name, some in (("all", stated), ("apart", stated[apart:])):
        every: dict[str, Stated] = {"domains": {}, "clusters": {}}
        for one in some:
            for level, parts in one.items():
                every[level] |= parts
        if some:
            told[name] = {level: confidence(parts) for level, parts in every.items()}
    return told


def corpus_told(base: Path, corpus: tuple[str, list[Conversation], bool], given: argparse.Namespace) -> dict[str, Any]:
    """One corpus: every pass over its conversations, and what the palace knows of what it knows."""
    name, talks, sessions = corpus
    rows: list[dict[str, Any]] = []
    stated: list[dict[str, Stated]] = []
    worth: list[dict[str, float]] = []
    for number, talk in enumerate(talks):
        folder, now = base / f"{name}{number}", datetime.fromtimestamp(talk.now_us / 1e6, UTC)
        with opened(folder, now) as memory:
            default = [pass_ for pass_, mode in memory.engine.dreaming.modes().items() if mode == "on"]
            ingest(memory.engine, talk)
            memory.run("settle", limit=100_000)
            stated.append(stated_of(memory, talk, sessions=sessions))
            worth.append(paragraph(memory, talk, sessions=sessions))
        asked = sampled(talk, given.questions)
        if not given.known:
            rows.append(
                ablation(folder, now, lambda m, t=asked, s=sessions: ask_conversation(m, t, sessions=s), default)
            )
    found = {name: differences(joined(rows))} if rows else {}
    whole = {key: mean([one[key] for one in worth]) for key in worth[0]}
    return {**found, f"{name}_confidence": known_told(stated, given.apart), f"{name}_paragraph": whole}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--conversations", type=int, default=1)
    parser.add_argument("--questions", type=int, default=40, help="asked before and after each pass; 0: all there are")
    parser.add_argument("--days", type=int, default=90)
    parser.add_argument("--events", type=int, default=10)
    parser.add_argument("--apart", type=int, default=2, help="conversations that were looked at; others count apart")
    parser.add_argument("--only", choices=("locomo", "beam", "devmembench", "life"), help="one of them alone")
    parser.add_argument(
        "--known", action="store_true", help="only whether the palace knows what it knows; no pass runs"
    )
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    result: dict[str, Any] = {"questions": given.questions, "days": given.days, "events": given.events}
    with tempfile.TemporaryDirectory() as base:
        for corpus in corpora(given.data, given.conversations):
            if given.only in (None, corpus[0]):
                result |= corpus_told(Path(base), corpus, given)
        if given.only in (None, "life") and not given.known:
            with opened(Path(base) / "none", BEGAN) as memory:
                default = [name for name, mode in memory.engine.dreaming.modes().items() if mode == "on"]
            result |= life_told(Path(base), live(given.days, given.events), default)
    show(result | {"machine": machine()}, given.json)


if __name__ == "__main__":
    main()
