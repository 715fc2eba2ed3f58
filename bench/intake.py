"""Intake through the real engine, with the built-in embedder: what is superseded, kept, dropped, refused, and how fast.

    python -m bench.intake supersession|junk|duplicates|screen|speed|stages --data ../shared/data [--json] [--show N]

supersession  Turns are observed (halumem: memory points are remembered) in order, one scope per case. A labelled update
              counts when the newer turn superseded a memory that the older turn had made, repeated or last changed.
              Labels and the test for "states both values" are those of bench/slots.py. `wrong` are supersessions
              between turns without a label, over all memories made; `precision` is over all supersessions.
              Unlabelled updates in the corpora count as wrong.
junk          LoCoMo observed with its speakers and times. Filler is judged by the check of bench/propositions.py, over
              the propositions that became memories. A gold evidence turn is reachable when its verbatim memory is
              stored; `drawn` counts those that also have a memory of their own that cites them.
duplicates    Pairs of bench/duplicates.py: the first text is remembered, then the second; the fate of the second counts
              (skipped or merged: a duplicate). A near miss that supersedes is no merge: both revisions are kept.
screen        Turns of LoCoMo and of BEAM's users observed: how many had a sentence refused or flagged, by class.
speed         `remember_many`, the same `verbatim`, and `observe` over LoCoMo's turns in batches of 500, and single
              `remember` calls; wall clock and CPU of this process. A single call waits for the disk twice at most
              (commit and archive). `kept` is what a second of CPU keeps with `understand="later"`, `understood` what it
              keeps and understands.
stages        Where the CPU of such batches goes, ms a text; and of those that are kept first.

Intervals are 95% Wilson.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from msgspec.structs import replace

from bench import duplicates, propositions, slots
from bench.common import machine, show
from bench.conversations import moment_us
from bench.slots import share
from bench.stages import Watch as StageWatch
from palazzo.archive import Archive
from palazzo.bootstrap import create_engine, load_settings
from palazzo.engine import Engine
from palazzo.intake import pipeline
from palazzo.model.message import Intake, Message
from palazzo.model.scope import Scope
from palazzo.store.sql import store
from palazzo.store.sql.writing import SqlWriting
from palazzo.text.safety import gate

BATCH = 500
HOUR_US = 3_600_000_000
START_US = 1_700_000_000_000_000
HELD = ("stored", "superseded", "merged", "skipped", "conflict", "flagged")


@contextmanager
def palace() -> Iterator[Engine]:
    """An engine over a fresh palace, as a user gets it."""
    with (
        tempfile.TemporaryDirectory(prefix="palazzo-bench-") as folder,
        create_engine(load_settings({"palace": str(Path(folder) / "palace")})) as engine,
    ):
        yield engine


class Watch:
    """Which turn every memory's current content came from, and which turn superseded which."""

    def __init__(self) -> None:
        self.owners: dict[Any, set[int]] = {}
        self.pairs: set[tuple[int, int]] = set()
        self.events = self.made = 0

    def see(self, turn: int, intake: Intake) -> list[tuple[int, int]]:
        """Enters the account of a turn; returns the pairs (older turn, newer turn) it superseded."""
        found: list[tuple[int, int]] = []
        for fate in intake.fates:
            if fate.outcome not in HELD or fate.reason == "verbatim":
                continue
            if fate.outcome == "superseded":
                self.events += 1
                older = self.owners.get(fate.other or fate.memory_id, set()) - {turn}
                found += [(owner, turn) for owner in older]
                self.owners[fate.other or fate.memory_id] = {turn}
            elif fate.outcome in ("stored", "conflict", "flagged"):
                self.made += 1
            self.owners.setdefault(fate.memory_id, set()).add(turn)
        self.pairs.update(found)
        return found


def observed(engine: Engine, texts: Sequence[str], scope: Scope, *, remembered: bool = False) -> Watch:
    """Takes in texts in order, an hour apart, in batches of ten as a session would come."""
    watch = Watch()
    for start in range(0, len(texts), 10):
        some = [
            Message(text=text, at_us=START_US + (start + n) * HOUR_US, scope=scope, thread="bench", session=str(start))
            for n, text in enumerate(texts[start : start + 10])
        ]
        result = engine.remember_many(some) if remembered else engine.observe(some)
        for n, intake in enumerate(result.intakes):
            watch.see(start + n, intake)
    return watch


def _row(cases: list[tuple[Watch, list[tuple[list[int], list[int]]], set[tuple[int, int]]]]) -> dict[str, Any]:
    hits = total = wrong = made = events = 0
    for watch, updates, allowed in cases:
        for older, newer in updates:
            total += 1
            hits += any((a, b) in watch.pairs for a in older for b in newer)
        labelled = {(a, b) for older, newer in updates for a in older for b in newer} | allowed
        wrong += len({pair for pair in watch.pairs if pair not in labelled})
        made += watch.made
        events += len(watch.pairs)
    return {
        "superseded": share(hits, total), "wrong": share(wrong, made), "precision": share(events - wrong, events),
        "memories": made,
    }  # fmt: skip


def automemorybench(engine: Engine, data: Path) -> dict[str, Any]:
    cases = []
    for shard in sorted((data / "automemorybench/data/sample/shards").glob("*.json")):
        for case in json.loads(shard.read_text())["cases"]:
            said = [t for s in case["sessions"] for t in s["turns"] if t["role"] == "user"]
            at = {turn["turn_id"]: n for n, turn in enumerate(said)}
            event = {e["event_id"]: at.get(e["source_turn_ids"][0], -1) for e in case["events"]}
            repeats = {event[e["event_id"]] for e in case["events"] if "old_reinforce" in e["event_id"]}
            updates: list[tuple[list[int], list[int]]] = []
            allowed: set[tuple[int, int]] = set()
            for edge in case["event_edges"]:
                a, b = event[edge["source_event_id"]], event[edge["target_event_id"]]
                if edge["edge_type"] == "superseded_by":
                    updates.append(([a, *repeats], [b]))
                if edge["edge_type"] in ("superseded_by", "updates", "contradicts", "invalidates"):
                    ends = {a, b} | repeats
                    allowed |= {(x, y) for x in ends for y in ends}
            watch = observed(engine, [turn["content"] for turn in said], Scope.of(user=case["case_id"]))
            cases.append((watch, updates, allowed))
    return _row(cases)


def _originals(point: dict[str, Any]) -> list[str]:
    """What a memory point updates; those that are no memory points themselves are remembered first."""
    written = point["original_memories"] if point["is_update"] == "True" else ()
    return [re.sub(r"^(\[[^\]]*\])+", "", text) for text in written]


def halumem(engine: Engine, data: Path) -> dict[str, Any]:
    """Updates one by one, each after twenty memory points that came before it; wrong ones over the whole story."""
    cases = []
    hits = total = 0
    for path in sorted((data / "halumem").glob("*.jsonl")):
        for number, line in enumerate(path.read_text().splitlines()):
            points = [
                point for session in json.loads(line)["sessions"] for point in session["memory_points"]
                if point["memory_source"] != "interference"
            ]  # fmt: skip
            texts = [point["memory_content"] for point in points]
            allowed: set[tuple[int, int]] = set()
            for n, point in enumerate(points):
                for original in _originals(point):
                    allowed |= {(m, n) for m in range(n) if texts[m] == original}
                    if slots.states_both(original, texts[n]):
                        before = [text for text in texts[max(0, n - 20) : n] if text != original]
                        told = [original, *before, texts[n]]
                        watch = observed(engine, told, Scope.of(user=f"pair-{number}-{total}"), remembered=True)
                        total += 1
                        hits += (0, len(told) - 1) in watch.pairs or _by_way(watch, len(told) - 1)
            watch = observed(engine, texts, Scope.of(user=f"halumem-{number}"), remembered=True)
            cases.append((watch, [], allowed))
    return _row(cases) | {"superseded": share(hits, total)}


def _by_way(watch: Watch, last: int) -> bool:
    """Whether the first text was superseded by one in between that the last one superseded in turn."""
    return any((0, between) in watch.pairs and (between, last) in watch.pairs for between in range(1, last))


def beam(engine: Engine, data: Path) -> dict[str, Any]:
    cases = []
    for folder in sorted((data / "beam_100k").iterdir()):
        raw: dict[int, str] = {}
        for batch in json.loads((folder / "chat.json").read_text()):
            for message in (m for turn in batch["turns"] for m in turn):
                if message["role"] == "user":
                    raw[message["id"]] = re.sub(r"\s*->->.*$", "", message["content"], flags=re.DOTALL)
        ids = sorted(raw)
        at = {message_id: n for n, message_id in enumerate(ids)}
        updates: list[tuple[list[int], list[int]]] = []
        allowed: set[tuple[int, int]] = set()
        questions = json.loads((folder / "probing_questions/probing_questions.json").read_text())
        for kind in ("knowledge_update", "contradiction_resolution"):
            for question in questions.get(kind, ()):
                before, after = (
                    [n for n in listed if n in raw] for listed in list(question["source_chat_ids"].values())[:2]
                )
                allowed |= {(at[a], at[b]) for a in before for b in after} | {
                    (at[b], at[a]) for a in before for b in after
                }
                if kind == "knowledge_update" and before and after:
                    texts = [raw[n] for n in before], [raw[n] for n in after]
                    if slots.both_figures(question, *texts):
                        updates.append(([at[n] for n in before], [at[n] for n in after]))
        watch = observed(engine, [raw[n] for n in ids], Scope.of(user=f"beam-{folder.name}"))
        cases.append((watch, updates, allowed))
    return _row(cases)


def supersession(data: Path, _show: int) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    with palace() as engine:
        for measure in (automemorybench, halumem, beam):
            rows[measure.__name__] = measure(engine, data)
    for name in ("superseded", "wrong", "precision"):
        hits, of = (sum(row[name][part] for row in rows.values() if name in row) for part in ("hits", "of"))
        rows.setdefault("together", {})[name] = share(hits, of)
    return rows


def locomo_messages(data: Path) -> list[tuple[propositions.Turn, Message]]:
    """LoCoMo's turns with speakers, listeners and times."""
    times: dict[str, int] = {}
    for sample in json.loads((data / "locomo/locomo_dev.json").read_text()):
        for key, value in sample["conversation"].items():
            if key.endswith("_date_time"):
                number = key.removeprefix("session_").removesuffix("_date_time")
                times[f"{sample['sample_id']} D{number}"] = moment_us(value, START_US)
    found = []
    for turn in propositions.load(data):
        thread, dialogue = turn.place.split(" ")
        session, position = dialogue.split(":")
        at_us = times.get(f"{thread} {session}", START_US) + int(position) * 60_000_000
        message = Message(
            text=turn.text, speaker=turn.speaker, addressee=turn.listener, thread=thread, session=session, at_us=at_us,
            scope=Scope.of(channel=thread),
        )  # fmt: skip
        found.append((turn, message))
    return found


def junk(data: Path, shown: int) -> dict[str, Any]:
    said = locomo_messages(data)
    spread = Counter(word for turn, _ in said for word in set(re.findall(r"[a-z]+(?:'[a-z]+)?", turn.text.lower())))
    common = frozenset(word for word, count in spread.items() if count >= propositions.COMMON * len(said))
    reasons: Counter[str] = Counter()
    made = reachable = drawn = evidence = 0
    examples: list[str] = []
    with palace() as engine:
        for start in range(0, len(said), BATCH):
            some = said[start : start + BATCH]
            result = engine.observe([message for _, message in some])
            for (turn, _), intake in zip(some, result.intakes, strict=True):
                own = [f for f in intake.fates if f.outcome in HELD and f.reason != "verbatim"]
                evidence += turn.evidence
                reachable += turn.evidence and any(f.memory_id for f in intake.fates)
                drawn += turn.evidence and bool(own)
                for fate in own:
                    made += 1
                    text = turn.text[fate.start : fate.end]
                    kept, _ = propositions.split_propositions(text, speaker=turn.speaker, addressee=turn.listener)
                    reason = propositions.check(kept[0].text if kept else text, turn, common)
                    reasons[reason] += bool(reason)
                    if reason and len(examples) < shown:
                        examples.append(f"{reason}: {text}")
    for example in examples:
        print(example)
    return {
        "turns": len(said), "propositions": made, "filler": share(sum(reasons.values()), made),
        "by_rule": {name: count for name, count in reasons.items() if name},
        "evidence_reachable": share(reachable, evidence), "evidence_drawn": share(drawn, evidence),
    }  # fmt: skip


def duplicate_pairs(data: Path, shown: int) -> dict[str, Any]:
    rng = random.Random(2)
    pairs: list[tuple[str, str, str, str]] = []
    for texts in duplicates.sentences(data).values():
        for text in rng.sample(texts, min(100, len(texts))):
            for label, changes in (("near-exact", duplicates.NEAR_EXACT), ("near-miss", duplicates.NEAR_MISS)):
                for kind, change in changes.items():
                    changed = change(text, rng)
                    if changed is not None and changed != text:
                        pairs.append((label, kind, text, changed))
    counts: Counter[tuple[str, str]] = Counter()
    with palace() as engine:
        for start in range(0, len(pairs), BATCH):
            some = pairs[start : start + BATCH]
            scopes = [Scope.of(user=f"pair-{start + n}") for n in range(len(some))]
            for side in (2, 3):
                told = [
                    Message(text=pair[side], scope=s, verbatim=True) for pair, s in zip(some, scopes, strict=True)
                ]  # one statement each: what splitting makes of them is not in question here
                result = engine.remember_many(told)
            for pair, intake in zip(some, result.intakes, strict=True):
                outcomes = {fate.outcome for fate in intake.fates}
                joined = bool(outcomes & {"skipped", "merged"})
                refused = not outcomes or outcomes == {"refused"}
                counts[pair[0], "joined" if joined else "refused" if refused else "apart"] += 1
                if joined != (pair[0] == "near-exact") and not refused and shown > 0:
                    shown -= 1
                    print(pair[1], outcomes, "|", pair[2], "|", pair[3])
    exact = counts["near-exact", "apart"] + counts["near-exact", "joined"]
    misses = counts["near-miss", "apart"] + counts["near-miss", "joined"]
    return {
        "missed_duplicates": share(counts["near-exact", "apart"], exact),
        "false_merges": share(counts["near-miss", "joined"], misses),
        "not_compared": counts["near-exact", "refused"] + counts["near-miss", "refused"],
    }  # fmt: skip


def screened(data: Path, _show: int) -> dict[str, Any]:
    from bench.screen import beam_user_turns, locomo_turns

    rows: dict[str, Any] = {}
    with palace() as engine:
        for name, texts in (("locomo", locomo_turns(data)), ("beam_users", beam_user_turns(data))):
            classes: Counter[str] = Counter()
            refused = flagged = 0
            for start in range(0, len(texts), BATCH):
                turns = [Message(text=text, thread=name) for text in texts[start : start + BATCH]]
                for intake in engine.observe(turns).intakes:
                    found = [fate.reason for fate in intake.fates if fate.outcome == "refused"]
                    refused += bool(found)
                    classes.update(set(found))
                    flagged += any(fate.outcome == "flagged" for fate in intake.fates)
            rows[name] = {
                "refused": share(refused, len(texts)),
                "flagged": share(flagged, len(texts)),
                "classes": dict(classes),
            }
    return rows


def speed(data: Path, _show: int) -> dict[str, Any]:
    said = [message for _, message in locomo_messages(data)]
    rows: dict[str, Any] = {"machine": machine(), "turns": len(said)}
    plain = [Message(text=m.text, source="message") for m in said]
    whole = [_whole(m) for m in plain]
    for name, texts in (("observe", said), ("remember_many", plain), ("verbatim", whole)):
        with palace() as engine:
            call = engine.observe if name == "observe" else engine.remember_many
            call(texts[-50:])  # first use loads the model and compiles patterns
            wall, cpu = time.perf_counter(), time.process_time()
            memories = sum(len(call(texts[start : start + BATCH]).memory_ids) for start in range(0, len(texts), BATCH))
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            rows[name] = {
                "per_s": round(len(texts) / wall), "per_cpu_s": round(len(texts) / cpu),
                "memories_per_turn": round(memories / len(texts), 2),
            }  # fmt: skip
        if name != "remember_many":
            rows[name] |= kept_first(texts, name)
    with palace() as engine:
        engine.remember_many(plain[-50:])
        walls, cpus = [], []
        for message in plain[:300]:
            wall, cpu = time.perf_counter(), time.process_time()
            engine.remember(message)
            walls.append(time.perf_counter() - wall)
            cpus.append(time.process_time() - cpu)
        rows["remember"] = {
            "p50_ms": round(median(walls) * 1000, 2), "p95_ms": round(sorted(walls)[285] * 1000, 2),
            "p50_cpu_ms": round(median(cpus) * 1000, 2),
        }  # fmt: skip
    return rows


def kept_first(texts: Sequence[Message], name: str) -> dict[str, Any]:
    """Texts a second of CPU that are kept, and that are kept and understood, where the two are apart."""
    with palace() as engine:
        call = engine.observe if name == "observe" else engine.remember_many
        call(texts[-50:])
        began = time.process_time()
        pending = sum(call(texts[at : at + BATCH], later=True).pending for at in range(0, len(texts), BATCH))
        kept = time.process_time()
        while engine.intake.understand():
            pass
        return {
            "pending": pending, "kept_per_cpu_s": round(len(texts) / (kept - began)),
            "understood_per_cpu_s": round(len(texts) / (time.process_time() - began)),
        }  # fmt: skip


STAGES = (
    ("screened: secrets, personal data, planted instructions", pipeline, "screen"),
    ("requests to forget, corrections, whom a pronoun means", pipeline, "carry_out"),
    ("requests to forget, corrections, whom a pronoun means", pipeline, "put_right"),
    ("requests to forget, corrections, whom a pronoun means", pipeline, "remind"),
    ("cut into statements", pipeline, "split"), ("kinds, and what lasts", pipeline, "judge"),
    ("dates, slots, names, topics, feelings", pipeline, "extract"),
    ("when it will matter", pipeline, "anticipate"), ("vectors", pipeline, "embed"),
    ("requests to forget, corrections, whom a pronoun means", pipeline, "heard_now"),
    ("changes put together", pipeline, "as_kept"),
    ("compared with what is known", pipeline, "weigh"), ("compared with what is known", pipeline, "recognise"),
    ("changes put together", pipeline, "assemble"), ("the gate before the store", gate, "passed"),
    ("the archive", Archive, "append"), ("the archive", Archive, "append_commit"),
    ("the transaction", SqlWriting, "flush"), ("the transaction", store, "apply"),
)  # fmt: skip
"""The stages of intake and the functions each is made of."""


def stages(data: Path, _show: int) -> dict[str, Any]:
    """CPU ms a text in each stage, in batches; a stage inside another takes its share out of that."""
    said = [message for _, message in locomo_messages(data)]
    plain = [Message(text=m.text, source="message") for m in said]
    rows: dict[str, Any] = {"machine": machine(), "turns": len(said)}
    whole = [_whole(m) for m in plain]
    told = (
        ("observe", said),
        ("remember", plain),
        ("verbatim", whole),
        ("observe, kept", said),
        ("verbatim, kept", whole),
    )
    for name, texts in told:
        later = name.endswith("kept")
        with palace() as engine:
            call = engine.observe if name.startswith("observe") else engine.remember_many
            call(texts[-50:])
            watch = StageWatch()
            with watch.over(STAGES):
                for start in range(0, len(texts), BATCH):
                    call(texts[start : start + BATCH], later=later)
        spent = {stage: watch.seconds[stage] for stage in dict.fromkeys(stage for stage, *_ in STAGES)}
        spent["the rest"] = sum(watch.seconds.values()) - sum(spent.values())
        rows[name] = {stage: round(seconds / len(texts) * 1000, 3) for stage, seconds in spent.items()}
        rows[name]["a text"] = round(sum(watch.seconds.values()) / len(texts) * 1000, 3)
    return rows


def _whole(message: Message) -> Message:
    return replace(message, verbatim=True)


PARTS = {
    "supersession": supersession, "junk": junk, "duplicates": duplicate_pairs, "screen": screened, "speed": speed,
    "stages": stages,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=[*PARTS])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--show", type=int, default=0, help="print this many examples of what went wrong")
    options = parser.parse_args()
    show(PARTS[options.part](options.data, options.show), options.json)


if __name__ == "__main__":
    main()
