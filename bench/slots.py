"""Supersession at text level: does a newer statement take the place of the one it updates, and of no other?

    python bench/slots.py --data ../shared/data [--json]

Positive pairs are labelled updates that state both values (a documented, mechanical test per corpus, below); negative
pairs come from the same people and projects and are not updates of each other. A pair counts as linked when
`contradicts` scores at least `SUPERSEDES` between any proposition of the older and any of the newer text.

automemorybench  superseded_by edges between user turns. Negatives: every other ordered pair of user turns of the case
                 without a superseded_by, updates, contradicts or invalidates edge; turns that merely repeat the old
                 value count with it. The planted near misses ("... must not override ...") are negatives.
halumem          memory points with is_update and an original memory, when the new text says "from A to B" and A stands
                 in the original, or when the original states a dislike and the new text takes to the same thing.
                 Negatives: all other pairs of memory points, planted interference left out.
beam_100k        knowledge_update questions, when the older message and the newer one each hold a figure of the same
                 unit from the labelled references. Negatives: other pairs of the same user's messages.
locomo           no updates are labelled: pairs of one speaker's propositions, all negative.

`Corpus.repeats` lists, for each update, the other texts before it that state the same old value of the same subject: in
automemorybench the events that the corpus itself marks as repeats; in halumem the memory points, and in BEAM the
propositions, that hold the named old value (as their present one, where they name two) and every content word that the
two sides of the update (in BEAM the two labelled references) share.

"all" samples negative pairs evenly; "near" takes for each text its ten most similar older texts by shared rare words,
which are the candidates a store would actually compare. Intervals are 95% Wilson.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from palazzo.text.change.contradiction import SUPERSEDES, contradicts
from palazzo.text.statements.propositions import split_propositions

NEAR = 10
SAMPLED = 20_000
_WORD = re.compile(r"[a-z0-9]+")
_FIGURE = re.compile(r"(\d[\d,]*(?:\.\d+)?)\s?(%|ms\b|[a-z]+)?", re.IGNORECASE)
_WORDED = {"two": "2", "twice": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "ten": "10"}
_EMPTY = frozenset(
    re.findall(r"\w+", "the and for with was were has have had from now his her their that this are its")
)
_FROM_TO = re.compile(r"from [\"']?([^\"']+?)[\"']? to [\"']?([^\"',.]+)")
_TAKEN_TO = re.compile(r"\b(?:evolved|now|appreciat\w+|reconsider\w+|embrac\w+|enjoy\w*|includ\w+|likes?|loves?)\b")
DISLIKE = re.compile(
    r"\b(?:dislike|avoid|hate|steer clear of)s?:?\s+([^.:]+?)(?:\s+(?:reason|because|due|as they)\b|[.:]|$)"
)


@dataclass
class Corpus:
    """Texts in order of time, with labelled pairs; a text is the list of its propositions."""

    name: str
    groups: list[list[list[str]]] = field(default_factory=list)
    updates: list[tuple[list[str], list[str]]] = field(default_factory=list)
    repeats: list[list[list[str]]] = field(default_factory=list)  # for each update: further texts with the old value
    conflicts: list[tuple[list[str], list[str]]] = field(default_factory=list)
    excluded: set[tuple[int, int, int]] = field(default_factory=set)  # group, older, newer


def interval(hits: int, total: int) -> tuple[float, float]:
    """95% Wilson interval of a share."""
    if not total:
        return 0.0, 1.0
    z, share = 1.96, hits / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return max(0.0, middle - half), min(1.0, middle + half)


def linked(old: list[str], new: list[str], *, floor: float = SUPERSEDES) -> bool:
    """Whether any proposition of `new` takes back any of `old`."""
    for before in old:
        for after in new:
            found = contradicts(before, after)
            if found is not None and found.score >= floor:
                return True
    return False


def propositions(text: str, speaker: str = "the user", addressee: str = "the assistant") -> list[str]:
    kept, _ = split_propositions(text, speaker=speaker, addressee=addressee)
    return [proposition.text for proposition in kept]


def automemorybench(data: Path) -> Corpus:
    corpus = Corpus("automemorybench")
    for shard in sorted((data / "automemorybench/data/sample/shards").glob("*.json")):
        for case in json.loads(shard.read_text())["cases"]:
            turns = {t["turn_id"]: t["content"] for s in case["sessions"] for t in s["turns"] if t["role"] == "user"}
            order = {event["event_id"]: n for n, event in enumerate(case["events"])}
            texts = [propositions(turns.get(event["source_turn_ids"][0], "")) for event in case["events"]]
            group = len(corpus.groups)
            corpus.groups.append(texts)
            repeats = {order[e["event_id"]] for e in case["events"] if "old_reinforce" in e["event_id"]}
            for edge in case["event_edges"]:
                a, b = order[edge["source_event_id"]], order[edge["target_event_id"]]
                if edge["edge_type"] == "superseded_by":
                    corpus.updates.append((texts[a], texts[b]))
                    corpus.repeats.append([texts[n] for n in sorted(repeats) if n < b and n != a])
                elif edge["edge_type"] == "contradicts":
                    corpus.conflicts.append((texts[min(a, b)], texts[max(a, b)]))
                if edge["edge_type"] in ("superseded_by", "updates", "contradicts", "invalidates"):
                    corpus.excluded.add((group, min(a, b), max(a, b)))
                    for repeat in repeats:
                        corpus.excluded.update(((group, repeat, max(a, b)), (group, min(a, b), repeat)))
    return corpus


def states_both(old: str, new: str) -> bool:
    """The documented test for halumem: the new text names the old value, or takes up a thing that was disliked."""
    stated = _FROM_TO.search(new)
    if stated:
        return set(_WORD.findall(stated.group(1).lower())) <= set(_WORD.findall(old.lower()))
    disliked = DISLIKE.search(old)
    if not disliked:
        return False
    things = set(_WORD.findall(disliked.group(1).lower())) - {"the", "a", "and", "or", "i", "my"}
    return bool(things) and things <= set(_WORD.findall(new.lower())) and bool(_TAKEN_TO.search(new))


def says_old_value(text: str, value: set[str], subject: set[str]) -> bool:
    """Whether a text states a replaced value of the same subject; a value it names as its own old one does not count.

    `value` are the words of the old value, `subject` the words that both sides of the update share beside it.
    """
    words = set(_WORD.findall(text.lower()))
    named = _FROM_TO.search(text)
    stated = set(_WORD.findall(text[named.start(2) :].lower())) if named else words
    return bool(value) and value <= stated and subject <= words


def _subject(old: str, new: str, value: set[str]) -> set[str]:
    """Content words that both sides of an update share, without the value."""
    shared = set(_WORD.findall(old.lower())) & set(_WORD.findall(new.lower()))
    return {word for word in shared if len(word) > 1 and word not in _EMPTY} - value


def halumem(data: Path) -> Corpus:
    corpus = Corpus("halumem")
    for path in sorted((data / "halumem").glob("*.jsonl")):
        for line in path.read_text().splitlines():
            points = [
                point
                for session in json.loads(line)["sessions"]
                for point in session["memory_points"]
                if point["memory_source"] != "interference"
            ]
            group = len(corpus.groups)
            corpus.groups.append([[point["memory_content"]] for point in points])
            places: dict[str, list[int]] = {}
            for n, point in enumerate(points):
                places.setdefault(point["memory_content"], []).append(n)
                for written in point["original_memories"] if point["is_update"] == "True" else ():
                    original = re.sub(r"^(\[[^\]]*\])+", "", written)
                    corpus.excluded.update((group, m, n) for m in places.get(original, ()))
                    if states_both(original, point["memory_content"]):
                        corpus.updates.append(([original], [point["memory_content"]]))
                        named = _FROM_TO.search(point["memory_content"])
                        value = set(_WORD.findall(named.group(1).lower())) if named else set()
                        about = _subject(original, point["memory_content"], value)
                        earlier = (p["memory_content"] for p in points[:n])
                        corpus.repeats.append(
                            [[text] for text in earlier if text != original and says_old_value(text, value, about)]
                        )
    return corpus


def figures(text: str) -> set[tuple[str, str]]:
    low = text.lower()
    for word, digit in _WORDED.items():
        low = re.sub(rf"\b{word}\b", digit, low)
    return {(number.replace(",", ""), (unit or "").rstrip("s")) for number, unit in _FIGURE.findall(low)}


def beam(data: Path) -> Corpus:
    corpus = Corpus("beam_100k")
    for folder in sorted((data / "beam_100k").iterdir()):
        raw: dict[int, str] = {}
        for batch in json.loads((folder / "chat.json").read_text()):
            for message in (m for turn in batch["turns"] for m in turn):
                if message["role"] == "user":
                    raw[message["id"]] = re.sub(r"\s*->->.*$", "", message["content"], flags=re.DOTALL)
        ids = sorted(raw)
        texts = {n: propositions(raw[n]) for n in ids}
        group = len(corpus.groups)
        corpus.groups.append([[p] for n in ids for p in texts[n]])
        said_at: dict[int, list[int]] = {}
        for n in ids:
            for _ in texts[n]:
                said_at.setdefault(n, []).append(sum(map(len, said_at.values())))
        questions = json.loads((folder / "probing_questions/probing_questions.json").read_text())
        for kind in ("knowledge_update", "contradiction_resolution"):
            for question in questions.get(kind, ()):
                before, after = (
                    [n for n in listed if n in raw] for listed in list(question["source_chat_ids"].values())[:2]
                )
                pairs = [(a, b) for a in before for b in after if a != b]
                for a, b in pairs:
                    corpus.excluded.update(
                        (group, min(m, n), max(m, n)) for m in said_at.get(a, ()) for n in said_at.get(b, ())
                    )
                if kind == "contradiction_resolution":
                    older = [p for n in before for p in texts[n]]
                    newer = [p for n in after for p in texts[n]]
                    if pairs:
                        corpus.conflicts.append((older, newer))
                elif pairs and both_figures(question, [raw[n] for n in before], [raw[n] for n in after]):
                    older, newer = ([p for n in listed for p in texts[n]] for listed in (before, after))
                    corpus.updates.append((older, newer))
                    references = question["conversation_references"][:2]
                    value = replaced_figures(*references)
                    about = _subject(*references, value)
                    earlier = (p for n in ids if n < min(after) for p in texts[n] if p not in older)
                    corpus.repeats.append([[p] for p in earlier if says_old_value(p, value, about)])
    return corpus


def replaced_figures(before: str, after: str) -> set[str]:
    """Numbers of the older reference in whose place, with the same unit, the newer one has another."""
    old, new = figures(before), figures(after)
    return {
        number for number, unit in old
        if number not in {n for n, _ in new} and any(u == unit and n not in {m for m, _ in old} for n, u in new)
    }  # fmt: skip


def both_figures(question: dict[str, Any], before: list[str], after: list[str]) -> bool:
    """The documented test for BEAM: each message holds its own figure of a unit that both references use."""
    references = question.get("conversation_references", [])
    if len(references) < 2:
        return False
    old_said = {n for text in before for n, _ in figures(text)}
    new_said = {n for text in after for n, _ in figures(text)}
    answer = {n for n, _ in figures(question["answer"])}
    for number, unit in figures(references[0]):
        for other, same in figures(references[1]):
            fits = number != other and unit == same and number in old_said and other in new_said and other in answer
            if fits:
                return True
    return False


def locomo(data: Path) -> Corpus:
    corpus = Corpus("locomo")
    for sample in json.loads((data / "locomo/locomo_dev.json").read_text()):
        talk = sample["conversation"]
        names = (talk["speaker_a"], talk["speaker_b"])
        spoken: dict[str, list[list[str]]] = {name: [] for name in names}
        numbers = sorted(int(k.split("_")[1]) for k in talk if re.fullmatch(r"session_\d+", k))
        for number in numbers:
            for turn in talk[f"session_{number}"]:
                other = names[1] if turn["speaker"] == names[0] else names[0]
                spoken[turn["speaker"]].extend([p] for p in propositions(turn["text"], turn["speaker"], other))
        corpus.groups.extend(spoken.values())
    return corpus


def nearest(texts: list[list[str]]) -> Iterator[tuple[int, int]]:
    """For each text its ten most similar older ones, by the summed rarity of shared words."""
    bags = [frozenset(_WORD.findall(" ".join(text).lower())) for text in texts]
    seen = Counter(word for bag in bags for word in bag)
    weight = {word: math.log(1 + len(bags) / count) for word, count in seen.items()}
    for newer in range(1, len(bags)):
        ranked = sorted(
            ((sum(weight[w] for w in bags[older] & bags[newer]), older) for older in range(newer)), reverse=True
        )
        yield from ((older, newer) for score, older in ranked[:NEAR] if score > 0)


def evenly(groups: list[list[list[str]]]) -> Iterable[tuple[int, int, int]]:
    chooser = random.Random(11)
    pairs = [(g, a, b) for g, texts in enumerate(groups) for b in range(len(texts)) for a in range(b)]
    return chooser.sample(pairs, min(SAMPLED, len(pairs)))


def wrong(corpus: Corpus, pairs: Iterable[tuple[int, int, int]], shown: list[tuple[str, str]]) -> tuple[int, int]:
    hits = total = 0
    for group, older, newer in pairs:
        if (group, older, newer) in corpus.excluded:
            continue
        total += 1
        old, new = corpus.groups[group][older], corpus.groups[group][newer]
        if linked(old, new):
            hits += 1
            shown.append((" / ".join(old), " / ".join(new)))
    return hits, total


def share(hits: int, total: int) -> dict[str, Any]:
    low, high = interval(hits, total)
    return {
        "hits": hits,
        "of": total,
        "share": round(hits / total, 4) if total else None,
        "interval": [round(low, 4), round(high, 4)],
    }


def measure(data: Path, show: int) -> dict[str, Any]:
    report: dict[str, Any] = {}
    totals: Counter[str] = Counter()
    for load in (automemorybench, halumem, beam, locomo):
        corpus = load(data)
        row: dict[str, Any] = {}
        missed = [pair for pair in corpus.updates if not linked(*pair)]
        found = len(corpus.updates) - len(missed)
        agreed = sum(1 for old, new in corpus.conflicts if linked(old, new, floor=0.2) or linked(new, old, floor=0.2))
        shown: list[tuple[str, str]] = []
        near = wrong(corpus, ((g, a, b) for g, texts in enumerate(corpus.groups) for a, b in nearest(texts)), shown)
        far = wrong(corpus, evenly(corpus.groups), [])
        row["superseded"], row["conflicts_seen"] = (
            share(found, len(corpus.updates)),
            share(agreed, len(corpus.conflicts)),
        )
        row["wrong_near"], row["wrong_all"] = share(*near), share(*far)
        for name, (hits, total) in (
            ("superseded", (found, len(corpus.updates))),
            ("wrong_near", near),
            ("wrong_all", far),
        ):
            totals[name + " hits"] += hits
            totals[name + " of"] += total
        report[corpus.name] = row
        for old, new in missed[:show]:
            print("MISSED", corpus.name, "\n   ", " / ".join(old), "\n   ", " / ".join(new), file=sys.stderr)
        for before, after in shown[:show]:
            print("WRONG", corpus.name, "\n   ", before, "\n   ", after, file=sys.stderr)
    report["together"] = {
        name: share(totals[name + " hits"], totals[name + " of"]) for name in ("superseded", "wrong_near", "wrong_all")
    }
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--show", type=int, default=0, help="print this many misses and wrong links per corpus")
    arguments = parser.parse_args()
    report = measure(arguments.data, arguments.show)
    if arguments.json:
        print(json.dumps(report, indent=2))
        return
    for corpus, row in report.items():
        for name, value in row.items():
            low, high = value["interval"]
            figure = "-" if value["share"] is None else f"{value['share']:.2%} [{low:.2%}, {high:.2%}]"
            print(f"{corpus:16} {name:15} {value['hits']:6} of {value['of']:6}  {figure}")


if __name__ == "__main__":
    main()
