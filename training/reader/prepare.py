"""Lays down what the reader learns from: texts cut into pieces, examples of every judgement, and MiniLM to begin with.

    python -m training.reader.prepare MINILM_FOLDER MPNET_FOLDER FOLDER [--from-package] [--unlike PALACES]

Examples are made of items (`training/change`, `data` and `plain`) and messages by kind (`training/kinds/data`). An
item is an older statement and newer ones with what they do to it; the question it answers makes examples of what
answers a question and what only looks like it, and so do small palaces with questions (`training/answers`). Held-out
files are cut for the measurement at the end alone; development files choose temperatures and thresholds. With
`--from-package` the weights of the package and their vocabulary are laid down in FOLDER/earlier, and the vectors of
words in FOLDER/words.npz, for `learn` to go on from them; `--unlike` adds pairs of unlike statements that the package
takes for changes. MPNet is laid down in two parts, for the teacher (`broad`).
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from palazzo.adapters.wordllama_embedder import WordLlamaEmbedder
from palazzo.text.reader import encoder as reader
from palazzo.text.reader.matter import SPACE, toward
from training.answers.worlds import LEARNED, general, worlds
from training.plans import examples as plans
from training.reader.tables import in_steps
from training.relevance import grid

HERE = Path(__file__).parents[1]
CHANGE = HERE / "change"
KINDS = HERE / "kinds" / "data"
WORDS = HERE / "reader" / "words"
FREQUENT = 8_000
KINDS_REPEATED = 4
WORLDS_REPEATED = 1
"""How often messages by kind, of which there are few, and small palaces are learned from."""
ASKED_REPEATED, ASKED_PARTS = 3, 8
"""How often questions with what answers them and what only looks like it are learned from, and of how many one is for
development."""
UNLABELLED = 12
"""Pairs an item gives that only teachers judge."""
NEAREST = 4
"""Pairs a question gives that only teachers judge."""
FEW = 200
"""Items a language must have for pairs of unlike statements to be drawn from it."""
BESIDE, SAMPLED, NEAREST_OTHERS = 1, 60, 2
"""Statements of other matters that each newer one is learned beside: of all, and the nearest of so many."""
SPECIAL = ("[UNK]", "[CLS]", "[SEP]")
REPLACES, HOLDS, SAME, TOUCHES = range(4)
PLAIN = frozenset({"home", "work", "life"} | {path.stem for path in (CHANGE / "plain").glob("*.jsonl")})
"""Authors of items like what people say; the others wrote to be told apart with difficulty."""
UNLIKE_AT, UNLIKE_REPEATED = 0.1, 2
"""Odds in the package from which on a pair of unlike statements is learned from, and how often."""
TALKED = 2
"""Turns of talk that each question is judged beside by teachers alone."""
TASKS = ("change", "answers", "kinds", "plans")
KIND_NAMES = ("fact", "instruction", "request", "question", "chat", "forget", "correction")
_WORD = re.compile(r"[^\W\d_]+")
_I = [(re.compile(p), w) for p, w in (
    (r"\bI'm\b", "the user is"), (r"\bI've\b", "the user has"), (r"\bI\b", "the user"), (r"\b[Mm]y\b", "the user's"),
    (r"\bme\b", "the user"), (r"\bmine\b", "the user's"),
)]  # fmt: skip


class Example(NamedTuple):
    """A pair (or one text), what a head should say of it, and where it belongs."""

    task: str
    first: str
    second: str
    label: int
    part: str
    """train, develop or heldout"""
    group: int = -1
    """Items that belong together, for figures by item."""
    plain: bool = True


def items(part: str) -> Iterator[dict[str, Any]]:
    for path in sorted(CHANGE.glob("*/*.jsonl")):
        belongs = path.stem if path.stem in ("heldout", "develop") else "train"
        if belongs == part:
            for line in path.read_text("utf-8").splitlines():
                yield json.loads(line)


def of_change(part: str, rng: random.Random) -> Iterator[Example]:
    found = list(items(part))
    everything = [text for one in found for text in (one["old"], *one["replaces"], *one["holds"])]
    for group, one in enumerate(found):
        old, same = one["old"], one["same"][0]

        def made(
            first: str, second: str, label: int, group: int = group, plain: bool = one["author"] in PLAIN
        ) -> Example:
            return Example("change", first, second, label, part, group, plain)

        yield from (made(old, new, REPLACES) for new in one["replaces"])
        yield from (made(old, new, HOLDS) for new in one["holds"])
        yield made(old, same, SAME)
        if part != "train":
            yield from (made(told, new, TOUCHES) for told in one.get("consequences", ()) for new in one["replaces"])
            yield from (made(stays, one["replaces"][int(at)], HOLDS, -2) for at, stays in one.get("stays", {}).items())
            continue
        if one.get("chain"):
            yield from (made(first, second, REPLACES) for first, second in combinations(one["replaces"], 2))
        yield made(same, rng.choice(one["replaces"]), REPLACES)
        yield made(same, rng.choice(one["holds"]), HOLDS)
        yield made(rng.choice(one["holds"]), old, HOLDS)
        yield made(same, old, SAME)
        yield made(old, old, SAME)
        yield made(old, one["question"], HOLDS)
        yield made(old, rng.choice(everything), HOLDS)
        yield made(old, rng.choice(found)["replaces"][0], HOLDS)
        yield from (made(told, new, TOUCHES) for told in one.get("consequences", ()) for new in one["replaces"])
        yield from (made(told, old, HOLDS) for told in one.get("consequences", ()))
        yield from (made(stays, one["replaces"][int(at)], HOLDS) for at, stays in one.get("stays", {}).items())
        if one.get("language", "en") == "en":
            for new, label in ((rng.choice(one["replaces"]), REPLACES), (rng.choice(one["holds"]), HOLDS)):
                yield made(of_user(old), of_user(new) if rng.random() < 0.5 else new, label)


def of_other_matters(rng: random.Random) -> Iterator[Example]:
    """Newer statements beside older ones of other matters, some of them near: a palace holds many statements, and all
    but one of them, or all, have nothing to do with what is told."""
    by_language: dict[str, list[dict[str, Any]]] = {}
    for one in items("train"):
        by_language.setdefault(one["language"], []).append(one)
    embedder = WordLlamaEmbedder()
    for found in by_language.values():
        olds = embedder.embed([one["old"] for one in found])
        asked = [_beginnings(one["question"]) | _beginnings(one["old"]) for one in found]
        for at, one in enumerate(found):
            told = [*one["replaces"], rng.choice(one["holds"])]
            towards = [toward(SPACE, vector) for vector in embedder.embed(told)]
            for new, vector in zip(told, towards, strict=True):
                words = asked[at] | _beginnings(new)
                some = [
                    other
                    for other in rng.sample(range(len(found)), min(SAMPLED, len(found)))
                    if found[other]["topic"] != one["topic"] and words.isdisjoint(asked[other])
                ]
                near = sorted(some[BESIDE:], key=lambda other: -float(olds[other] @ vector))[:NEAREST_OTHERS]
                for other in (*some[:BESIDE], *near):
                    first = found[other]["old"] if rng.random() < 0.8 else found[other]["same"][0]
                    yield Example("change", first, new, HOLDS, "unlike")


def unlabelled(rng: random.Random) -> Iterator[Example]:
    """Pairs of which only the teachers say what they make of them: within an item, and with its neighbours."""
    found = list(items("train"))
    by_topic: dict[str, list[dict[str, Any]]] = {}
    for one in found:
        by_topic.setdefault(f"{one.get('author')} {one.get('topic')}", []).append(one)
    for one in found:
        own = [one["old"], *one["same"], *one["replaces"], *one["holds"]]
        pairs = [(first, second) for first in own[1:] for second in own if first != second]
        near = by_topic[f"{one.get('author')} {one.get('topic')}"]
        for _ in range(8):
            other = rng.choice(near)
            pairs.append((rng.choice(own), rng.choice([other["old"], *other["replaces"], *other["holds"]])))
        yield from (
            Example("change", *pair, 0, "unlabelled", plain=one["author"] in PLAIN)
            for pair in rng.sample(pairs, min(len(pairs), UNLABELLED))
        )


def nearest(part: str, palaces: int, rng: random.Random) -> dict[reader.Pair, bool]:
    """Pairs that palaces of a dozen unlike statements would read when another item is told, and whether they share
    neither words nor topic: then nothing is changed."""
    by_language: dict[str, list[dict[str, Any]]] = {}
    for one in items(part):
        by_language.setdefault(one["language"], []).append(one)
    shares = [(language, some) for language, some in by_language.items() if len(some) > FEW]
    embedder = WordLlamaEmbedder()
    pairs: dict[reader.Pair, bool] = {}
    for _ in range(palaces if shares else 0):
        _, some = rng.choices(shares, [len(some) for _, some in shares])[0]
        *held, new = rng.sample(some, 13)
        second = rng.choice((*new["replaces"], *new["replaces"], *new["holds"], new["old"]))
        told = [(rng.choice((one["old"], one["same"][0])), one) for one in held]
        vectors = embedder.embed([second, *(text for text, _ in told)])
        for at in np.argsort(-(vectors[1:] @ vectors[0]))[:3]:
            first, old = told[at]
            apart = _beginnings(first).isdisjoint(_beginnings(second)) and old["topic"] != new["topic"]
            pairs[first, second] = apart and _beginnings(old["question"]).isdisjoint(_beginnings(new["question"]))
    return pairs


def unlike(palaces: int, rng: random.Random) -> Iterator[Example]:
    """Pairs of unlike statements: nothing is changed where they share neither words nor topic, else the teachers
    judge."""
    for pair, apart in nearest("train", palaces, rng).items():
        yield Example("change", *pair, HOLDS, "unlike" if apart else "unlabelled")


def mistaken(examples: list[Example]) -> Iterator[Example]:
    """The examples, without those pairs of unlike statements that the package does not take for a change, and with the
    others several times."""
    of = reader.encoder()
    unlike = sorted((one for one in examples if one.part == "unlike"), key=lambda one: len(one.first + one.second))
    yield from (one for one in examples if one.part != "unlike")
    for at in range(0, len(unlike) if of else 0, 64):
        some = unlike[at : at + 64]
        logits = reader.logits(of, "change", [(one.first, one.second) for one in some])
        odds = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
        for one, likely in zip(some, odds[:, REPLACES], strict=True):
            yield from (one,) * (UNLIKE_REPEATED if likely >= UNLIKE_AT else 0)


def of_talk() -> Iterator[Example]:
    """Turns of long talk in which nothing changes (`training/talk`) beside those before that are nearest to them."""
    embedder = WordLlamaEmbedder()
    for path in sorted((HERE / "talk").glob("*.jsonl")):
        turns = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for talk in sorted({one["talk"] for one in turns}):
            texts = list(dict.fromkeys(one["text"] for one in turns if one["talk"] == talk))
            vectors = embedder.embed(texts)
            for at, text in enumerate(texts[1:], 1):
                for near in np.argsort(-(vectors[:at] @ vectors[at]))[:3]:
                    yield Example("change", texts[near], text, HOLDS, "unlike")


def _beginnings(text: str) -> set[str]:
    return {word[:5] for word in _WORD.findall(text.lower()) if len(word) > 3}


def of_ordinary() -> Iterator[Example]:
    """Ordinary pairs, for figures alone."""
    labels = {"replaces": REPLACES, "holds": HOLDS, "same": SAME}
    for group, one in enumerate(json.loads((CHANGE / "pairs" / "develop.json").read_text("utf-8"))):
        yield Example("change", one["old"], one["new"], labels[one["label"]], "ordinary", group)


def of_user(text: str) -> str:
    """A text as somebody else would note it down: "I" is the user."""
    for pattern, word in _I:
        text = pattern.sub(word, text)
    return text[:1].upper() + text[1:]


def asked() -> Iterator[dict[str, Any]]:
    """Questions with texts that answer them and texts that only look like it."""
    for path in sorted((HERE / "answers" / "asked").glob("*.jsonl")):
        yield from (json.loads(line) for line in path.read_text("utf-8").splitlines())


def of_answers(part: str, rng: random.Random) -> Iterator[Example]:
    found = list(items(part))
    by_topic: dict[str, list[dict[str, Any]]] = {}
    for one in found:
        by_topic.setdefault(f"{one.get('author')} {one.get('topic')}", []).append(one)
    for group, one in enumerate(found):
        question = one["question"]
        near = by_topic[f"{one.get('author')} {one.get('topic')}"]
        texts = [(one["old"], 1), (one["same"][0], 1), *((new, 1) for new in one["replaces"])]
        texts += [(new, 0) for new in one["holds"]]
        for many, some in ((2, near), (1, found)):
            for other in rng.sample(some, min(many, len(some))):
                if other is not one:
                    texts.append((rng.choice([other["old"], *other["replaces"], *other["holds"]]), 0))
        if one.get("language", "en") == "en" and part == "train":
            texts += [(of_user(one["old"]), 1), (of_user(rng.choice(one["holds"])), 0)]
        plain = one["author"] in PLAIN
        yield from (Example("answers", question, text, label, part, group, plain) for text, label in texts)
    for number, one in enumerate(asked()):
        texts = [*((text, 1) for text in one["answers"]), *((text, 0) for text in one["near"])]
        told = [(one["question"], text, label) for text, label in texts]
        if part == "train" and number % ASKED_PARTS:
            told += [(cue, of_user(text), label) for cue, text, label in told[::2]]
            yield from (Example("answers", *each, part) for each in told * ASKED_REPEATED)
        elif part == "develop" and not number % ASKED_PARTS:
            yield from (Example("answers", *each, part) for each in told)
    if part == "train":  # the other parts of the grid are fitted on and reported by training/relevance
        some = [one for number, one in enumerate(grid.attributes()) if number % 4 < 2]
        yield from (Example("answers", cue, text, label, part) for cue, text, label, _ in grid.pairs(some, 1500, rng))
        told = [*(pair for world in worlds(LEARNED) for pair in world.pairs()), *general(rng)]
        told += [(cue, of_user(text), label) for cue, text, label in told[::3]]
        yield from (Example("answers", *pair, part) for pair in told * WORLDS_REPEATED)


def unlabelled_answers() -> Iterator[Example]:
    """Questions of small palaces with what is nearest to them in all others: of these only the teachers judge."""
    embedder = WordLlamaEmbedder()
    talk = [
        (f"{one['speaker']}: " if number % 2 else "") + one["text"]
        for path in sorted((HERE / "talk").glob("*.jsonl"))
        for number, one in enumerate(map(json.loads, path.read_text("utf-8").splitlines()))
    ]
    questions = [one["question"] for one in asked() if one.get("language", "en") == "en"]
    spoken = embedder.embed(talk).T
    for question, row in zip(questions, embedder.embed(questions) @ spoken, strict=True):
        yield from (Example("answers", question, talk[at], 0, "unlabelled") for at in np.argsort(-row)[:TALKED])
    told = worlds(LEARNED)
    texts = [(text, number) for number, world in enumerate(told) for text, _ in world.answered]
    owner = np.array([number for _, number in texts])
    vectors = embedder.embed([text for text, _ in texts])
    for number, world in enumerate(told):
        its = list(dict.fromkeys([*(one for _, own in world.answered for one in own), *world.unanswered]))
        near = embedder.embed(its) @ vectors.T
        near[:, owner == number] = -1
        for question, row in zip(its, near, strict=True):
            for at in np.argsort(-row)[:NEAREST]:
                yield Example("answers", question, texts[at][0], 0, "unlabelled")


def of_plans(part: str) -> Iterator[Example]:
    """Plans and what is said later of them, or of others."""
    if part != "heldout":
        for one in plans.examples(random.Random(plans.SEED)):
            if one.left == (part == "develop"):
                label = plans.SORTS.index(one.sort)
                yield Example("plans", one.first, one.second, label, part, plain=one.told)


def of_kinds(part: str, rng: random.Random) -> Iterator[Example]:
    for path in sorted(KINDS.glob("*.tsv")):
        for number, line in enumerate(path.read_text("utf-8").splitlines()):
            label, _, text = line.split("\t", 2)
            belongs = {0: "heldout", 1: "develop"}.get(number % 12, "train")
            if belongs == part:
                one = Example("kinds", text, "", KIND_NAMES.index(label), part)
                yield from (one,) * (KINDS_REPEATED if part == "train" else 1)
    if part == "train":
        found = rng.sample(list(items(part)), 1200)
        yield from (Example("kinds", one["old"], "", 0, part) for one in found if "instruct" not in one["topic"])
        yield from (Example("kinds", one["question"], "", 3, part) for one in found[:400])


def vocabulary(full: dict[str, int], texts: list[str]) -> list[str]:
    """The pieces of the reader: MiniLM's most frequent, those our texts use, and words of other languages."""
    known = {piece: number for piece, number in full.items() if not piece.startswith("[")}
    numbers = {number: piece for piece, number in known.items()}
    found: dict[str, None] = dict.fromkeys(SPECIAL)
    found.update((piece, None) for piece, number in sorted(known.items(), key=lambda at: at[1]) if number < FREQUENT)
    used: Counter[str] = Counter()
    words: Counter[str] = Counter()
    signs: Counter[str] = Counter()
    read_as = translated(known)
    foreign = {word for table in read_as.values() for word in table}
    for text in texts:
        used.update(numbers[number] for number in reader.cut(text, known, read_as) if number in numbers)
        lowered = text.lower()
        signs.update(sign for sign in lowered if re.match(f"[{reader.HAN}]", sign))
        for word in _WORD.findall(lowered):
            folded = reader.folded(word)
            spelled = len(reader.pieces(folded, known, reader.folded)) > 2 or not folded.isascii()
            if spelled and folded not in foreign and not re.match(f"[{reader.HAN}]", word):
                words[folded] += 1
    found.update((piece, None) for piece, count in used.items() if count >= 3)
    found.update((sign, None) for sign, count in signs.items() if count >= 2)
    found.update((word, None) for word, count in words.items() if count >= 4 and len(word) >= 3)
    letters = {letter for word in words for letter in word}
    found.update((f"{before}{letter}", None) for letter in sorted(letters) for before in ("", "##"))
    return list(found)


@cache
def translations() -> dict[str, dict[str, str]]:
    """By language, English words for its words, by their folded form."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(WORDS.glob("*.tsv")):
        lines = sorted((line.split("\t") for line in path.read_text("utf-8").splitlines()), key=_unaccented)
        found[path.stem] = {reader.folded(word): english for word, english in lines}
    return found


def _unaccented(line: list[str]) -> bool:
    """Last, so that of two words with one folded form the one that is written so counts."""
    return line[0].isascii()


def translated(vocabulary: dict[str, int]) -> dict[str, dict[str, tuple[int, ...]]]:
    """The pieces that words of other languages are read as; a sign of a script without spaces has a row of its own."""
    found: dict[str, dict[str, tuple[int, ...]]] = {}
    for language, words in translations().items():
        for word, english in words.items():
            read_as = tuple(n for one in english.split() for n in reader.pieces(one, vocabulary, reader.folded))
            if reader.UNKNOWN not in read_as and not re.match(f"[{reader.HAN}]", word):
                found.setdefault(language, {})[word] = read_as
    return found


def alike(vocabulary: dict[str, int]) -> list[list[int]]:
    """Pieces that may change places in a pair without a change of what it says: figures of one length, and the words
    of each line of `alike.txt` (names, towns, days, months)."""
    figures: dict[tuple[bool, int], list[int]] = {}
    for piece, number in vocabulary.items():
        digits = piece.removeprefix("##")
        if digits.isascii() and digits.isdigit():
            figures.setdefault((piece != digits, len(digits)), []).append(number)
    lines = (WORDS / "alike.txt").read_text("utf-8").splitlines()
    groups = [[vocabulary[word] for word in dict.fromkeys(line.split()) if word in vocabulary] for line in lines]
    return [*figures.values(), *groups]


def installed(folder: Path) -> None:
    """Lays down the weights of the package as `learn` goes on from them, with their vocabulary, and beside them the
    vectors of words that both readers have."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, of in (("whole", reader.encoder()), ("second", reader.second())):
        if of is None:
            raise SystemExit("the package has no weights to go on from")
        tables, offsets = {"places": of.places, "sides": of.marks}, [*of.norm]
        for number, layer in enumerate(of.layers):
            for part in ("asked", "mixed", "wide", "narrow"):
                tables[f"{part}{number}"] = getattr(layer, part).opened.T
            offsets += [layer.asked.offset, layer.mixed.offset, *layer.mixed_norm]
            offsets += [layer.wide.offset, layer.narrow.offset, *layer.narrow_norm]
        for task, (weights, base) in of.heads.items():
            tables |= {f"head {task}": weights.T, f"base {task}": base}
        laid = {name: part for one in tables.items() for name, part in in_steps(*one).items()}
        np.savez_compressed(folder / f"{name}.npz", offsets=np.concatenate(offsets), **laid)
    (folder / "vocabulary.txt").write_text("\n".join(of.vocabulary), encoding="utf-8")
    np.savez_compressed(folder.parent / "words.npz", words=of.words, **{"words|steps": of.steps})


def _row(piece: str, full: dict[str, int], table: np.ndarray) -> np.ndarray:
    """Where a piece begins: at MiniLM's own, at what a sign means, or between the pieces MiniLM cuts it into."""
    if piece in full and not re.match(f"[{reader.HAN}]", piece):
        return table[full[piece]]
    words = translations().get("zh", {}).get(piece, piece.removeprefix("##")).split()
    numbers = [number for word in words for number in reader.pieces(word, full, reader.folded) if number]
    return table[numbers].mean(0) if numbers else table.mean(0)


BROAD_STEPS = 63
"""Steps on each side of nothing for MPNet's tables."""
SPECIAL_OF_MPNET = {"[UNK]": "<unk>", "[CLS]": "<s>", "[SEP]": "</s>"}


def broad(model: Path, folder: Path, pieces: list[str]) -> None:
    """Lays down MPNet for the pieces of the reader, in bytes with a step a row, in two parts of about one size."""
    from safetensors.numpy import load_file

    full = {piece: number for number, piece in enumerate((model / "vocab.txt").read_text("utf-8").splitlines())}
    weights = load_file(model / "model.safetensors")
    table = weights["embeddings.word_embeddings.weight"]
    numbers = {**full, **{ours: full[theirs] for ours, theirs in SPECIAL_OF_MPNET.items()}}
    kept = {name: found for name, found in weights.items() if name.startswith(("encoder.", "embeddings.LayerNorm"))}
    kept["places"] = weights["embeddings.position_embeddings.weight"][2 : 2 * reader.LONGEST + 16]
    kept["words"] = np.stack([_row(piece, numbers, table) for piece in pieces])
    parts: list[dict[str, np.ndarray]] = [{}, {}]
    for name, found in sorted(kept.items(), key=lambda one: -one[1].size):
        part = min(parts, key=lambda one: sum(array.nbytes for array in one.values()))
        part.update(in_steps(name, found, BROAD_STEPS))
    for number, part in enumerate(parts, 1):
        np.savez_compressed(folder / f"broad-{number}.npz", **part)


def prepare(model: Path, folder: Path, earlier: Path | None, unlike_pairs: int) -> None:
    from safetensors.numpy import load_file

    rng = random.Random(11)
    examples = [
        one
        for part in ("train", "develop", "heldout")
        for made in (of_change(part, rng), of_answers(part, rng), of_kinds(part, rng), of_plans(part))
        for one in made
    ]
    examples += [
        *of_other_matters(rng),
        *of_ordinary(),
        *unlabelled(rng),
        *unlabelled_answers(),
        *unlike(unlike_pairs, rng),
    ]
    examples += of_talk() if unlike_pairs else ()
    examples = list(mistaken(examples))
    texts = list(dict.fromkeys(text for one in examples for text in (one.first, one.second)))
    learned = list(dict.fromkeys(t for one in examples if one.part == "train" for t in (one.first, one.second)))
    full = {piece: number for number, piece in enumerate((model / "vocab.txt").read_text("utf-8").splitlines())}
    told = "" if earlier is None else (earlier / "vocabulary.txt").read_text("utf-8")
    pieces = told.split("\n") if earlier else vocabulary(full, learned)
    numbers = {piece: number for number, piece in enumerate(pieces)}
    read_as = translated(numbers)
    weights = load_file(model / "model.safetensors")
    table = weights["embeddings.word_embeddings.weight"]
    kept = {name: found for name, found in weights.items() if name.startswith(("encoder.", "embeddings.LayerNorm"))}
    kept["places"] = weights["embeddings.position_embeddings.weight"][: 2 * reader.LONGEST + 3]
    kept["sides"] = weights["embeddings.token_type_embeddings.weight"]
    kept["words"] = np.stack([_row(piece, full, table) for piece in pieces])
    folder.mkdir(parents=True, exist_ok=True)
    laid = {name: part for one in kept.items() for name, part in in_steps(*one).items()}
    np.savez_compressed(folder / "start.npz", **laid)
    (folder / "vocabulary.txt").write_text("\n".join(pieces), encoding="utf-8")
    (folder / "translated.json").write_text(json.dumps(read_as))
    (folder / "alike.json").write_text(json.dumps(alike(numbers)))
    cut = [reader.cut(text, numbers, read_as) for text in texts]
    at = {text: number for number, text in enumerate(texts)}
    parts = ("train", "develop", "heldout", "ordinary", "unlabelled", "unlike")
    np.savez_compressed(
        folder / "examples.npz",
        pieces=np.array([number for one in cut for number in one], np.uint16),
        lengths=np.array([len(one) for one in cut], np.uint8),
        examples=np.array(
            [
                (TASKS.index(e.task), at[e.first], at[e.second], e.label, parts.index(e.part), e.group, e.plain)
                for e in examples
            ],
            np.int32,
        ),
    )
    counted = Counter((one.task, one.part, one.label) for one in examples)
    unknown = Counter(one.part for one in examples if reader.UNKNOWN in cut[at[one.first]])
    by_kind = {" ".join(map(str, key)): count for key, count in sorted(counted.items())}
    print(
        json.dumps(
            {
                "pieces": len(pieces),
                "translated": {language: len(table) for language, table in read_as.items()},
                "texts": len(texts),
                "with_unknown": unknown,
                "examples": by_kind,
            },
            indent=1,
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("teacher", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--from-package", action="store_true")
    parser.add_argument("--unlike", type=int, default=0, help="palaces of a dozen that are tried for unlike pairs")
    options = parser.parse_args()
    earlier = options.folder / "earlier"
    if options.from_package:
        installed(earlier)
    prepare(options.model, options.folder, earlier if options.from_package else None, options.unlike)
    broad(options.teacher, options.folder, (options.folder / "vocabulary.txt").read_text("utf-8").split("\n"))


if __name__ == "__main__":
    main()
