"""Fits the small model that says how likely a text answers a cue, and chooses the floor below which nothing is known.

    python -m training.relevance.fit CHANGE_DATA OUT [--tables EARLIER]

CHANGE_DATA is a folder of items (`training/change/data`): a statement, others that say the same, others about the same
things that do not answer the question that it answers, and that question. Each item makes cues of three sorts: the
question, two or three of its words, and a statement. What answers: for a question the statement and what says the
same; for the others all that is about it. What does not: for a question what only touches it, what other items have
nearest to it, and random statements. A grid of people, things and what they have (`data/attributes.txt`) adds questions
of whose subject much is said and nothing that answers: the same person's other attributes, the same attribute of
others, another time.

What comes out of it knows the words alone. What they and the learned reader say together is fitted by `joined`.
`heldout` is not read here. Nothing is read but these items, which are ours.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from palazzo.adapters.wordllama_embedder import WordLlamaEmbedder
from palazzo.recall.rank.known_words import KnownWords
from palazzo.recall.rank.relevance import NAMES, OF_WORDS, features
from palazzo.text.meaning.answering import reading
from palazzo.text.words.parsed import parsed
from training.answers.worlds import LEARNED, PARTS, worlds
from training.reader.prepare import ASKED_PARTS, asked
from training.relevance import grid

Floats = NDArray[np.float64]
HIDDEN = 16
EPOCHS = 30
NEAR, FAR = 4, 6
SILENCED = 0.065
"""Share of the hardest questions, of small palaces in which everything is about the same few, that fall below the
floor: of ordinary ones it is far smaller."""
READ = 5
"""Texts of a question that the learned reader is asked about, those that have most of it by the words."""
LIMIT = 1e-4
UNGROUPED = 1_000_000
"""Groups of questions that belong to no item begin here."""
JOINED_DECAY = 0.001
_AS_NOTED = (
    (r"\bI'm\b", "the user is"), (r"\bI've\b", "the user has"), (r"\bI\b", "the user"), (r"\b[Mm]y\b", "the user's"),
    (r"\bme\b", "the user"),
)  # fmt: skip


class Example(NamedTuple):
    cue: str
    text: str
    label: int
    sort: str
    group: int


def items(folder: Path, parts: Sequence[str]) -> list[dict[str, Any]]:
    found = []
    for path in sorted(folder.glob("*.jsonl")):
        part = path.stem if path.stem in ("develop", "heldout") else "train"
        if part in parts:
            found += [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [one for one in found if one.get("question")]


def noted(text: str) -> str:
    """A text as somebody else would note it down."""
    for pattern, word in _AS_NOTED:
        text = re.sub(pattern, word, text)
    return text[:1].upper() + text[1:]


def examples(found: list[dict[str, Any]], rng: random.Random, embedder: WordLlamaEmbedder) -> Iterator[Example]:
    texts = [(text, at) for at, one in enumerate(found) for text in (one["old"], *one["holds"], *one["same"])]
    owner = np.array([at for _, at in texts])
    told = embedder.embed([text for text, _ in texts])
    asked = embedder.embed([one["question"] for one in found])
    holding: dict[str, list[int]] = {}
    for at, (text, _) in enumerate(texts):
        for term in set(parsed(text).content_terms):
            holding.setdefault(term, []).append(at)
    for group, one in enumerate(found):
        score = told @ asked[group]
        for term in set(parsed(one["question"]).content_terms):
            if term in holding:
                score[holding[term]] += 0.12 * np.log(len(texts) / len(holding[term]))
        score[(owner == group) | ((asked @ asked[group])[owner] > 0.6)] = -9
        near = rng.sample(np.argsort(-score)[: 3 * NEAR].tolist(), NEAR)
        far = [at for at in rng.sample(range(len(texts)), FAR) if owner[at] != group]
        english = one.get("language", "en") == "en"

        def shown(text: str, english: bool = english) -> str:
            return noted(text) if english and rng.random() < 0.4 else text

        answering = [(one["old"], "old"), (one["same"][0], "same")]
        question = one["question"]
        yield from (Example(question, shown(text), 1, sort, group) for text, sort in answering)
        yield from (Example(question, shown(text), 0, "touching", group) for text in one["holds"])
        yield from (Example(question, shown(texts[at][0]), 0, "near", group) for at in near)
        yield from (Example(question, shown(texts[at][0]), 0, "far", group) for at in far)
        said = [word.text for word in reading(question).words if not word.small]
        words = " ".join(rng.sample(said, min(len(said), rng.choice((1, 2, 2, 3)))))
        about = [one["old"], one["same"][0], *one["holds"]]
        if words:
            held = {word.casefold() for word in words.split()}
            for text in about:
                has = any(word in text.casefold() for word in held)
                yield (
                    Example(words, shown(text), 1, "words", group) if has else Example(words, shown(text), 2, "", group)
                )
            yield from (Example(words, shown(texts[at][0]), 0, "words far", group) for at in far)
        told_cue = rng.choice(one["holds"])
        yield from (Example(told_cue, shown(text), 1, "statement", group) for text in about[:2])
        yield from (Example(told_cue, shown(texts[at][0]), 0, "statement far", group) for at in far)


COUNTS = {
    "touching": 0.7, "near": 0.6, "far": 0.7, "words": 0.3, "words far": 0.3, "statement": 0.3, "statement far": 0.3,
    "grid": 0.5, "grid right": 0.7, "world": 4.0, "world right": 4.0, "world none": 4.0,
    "asked": 1.0, "asked right": 2.0,
}  # fmt: skip
ASKED = ("old", "same", "touching", "near", "far", "grid", "grid right", "world", "world right", "world none", "asked",
         "asked right")  # fmt: skip
"""Sorts of pairs whose cue is a question."""
JOINED, REPORTED = (2,), (3,)
"""Of the grid: what both are fitted on together, and what is reported."""


def of_grid(parts: Sequence[int], count: int, seed: int) -> list[Example]:
    some = [one for number, one in enumerate(grid.attributes()) if number % PARTS in parts]
    made = grid.pairs(some, count, random.Random(seed))
    groups: dict[str, int] = {}
    return [
        Example(cue, text, label, sort, -1 - groups.setdefault(cue, len(groups))) for cue, text, label, sort in made
    ]


def of_worlds(half: int) -> list[Example]:
    """Half of the small palaces that the reader has not learned from."""
    unseen = worlds([part for part in range(PARTS) if part not in LEARNED])
    groups: dict[str, int] = {}
    return [
        Example(cue, text, label, "world right" if label else "world none" if cue in world.unanswered else "world",
                UNGROUPED + groups.setdefault(f"{number} {cue}", len(groups)))
        for number, world in enumerate(unseen) if number % 2 == half
        for cue, text, label in world.pairs()
    ]  # fmt: skip


def of_asked(half: int) -> list[Example]:
    """Half of the questions that the reader has not learned from, with what answers them and what looks like it."""
    unseen = [one for number, one in enumerate(asked()) if not number % ASKED_PARTS]
    return [
        Example(one["question"], text, label, sort, 2 * UNGROUPED + number)
        for number, one in enumerate(unseen) if number % 2 == half
        for label, sort, texts in ((1, "asked right", one["answers"]), (0, "asked", one["near"]))
        for text in texts
    ]  # fmt: skip


def measured(words: KnownWords, found: Sequence[Example]) -> Floats:
    made = np.zeros((len(found), len(NAMES)))
    at = 0
    while at < len(found):
        end = at
        while end < len(found) and found[end].cue == found[at].cue and found[end].group == found[at].group:
            end += 1
        made[at:end] = features(words, reading(found[at].cue), [one.text for one in found[at:end]])
        at = end
    return made


class Model(NamedTuple):
    mean: Floats
    spread: Floats
    inner: Floats
    offset: Floats
    outer: Floats
    base: Floats

    def logits(self, rows: Floats) -> Floats:
        hidden = np.tanh((rows - self.mean) / self.spread @ self.inner + self.offset)
        found: Floats = hidden @ self.outer + self.base[0]
        return found

    def told(self) -> dict[str, Any]:
        return {name: np.round(value, 4).tolist() for name, value in self._asdict().items()}


def learn(rows: Floats, labels: Floats, counts: Floats, seed: int = 0) -> Model:
    """A hidden layer of tanh, by Adam."""
    rng = np.random.default_rng(seed)
    mean, spread = rows.mean(0), np.maximum(rows.std(0), 1e-3)
    scaled = (rows - mean) / spread
    size, width = scaled.shape
    held = [
        rng.normal(0, width**-0.5, (width, HIDDEN)), np.zeros(HIDDEN), rng.normal(0, HIDDEN**-0.5, HIDDEN), np.zeros(1)
    ]  # fmt: skip
    first, second = [np.zeros_like(one) for one in held], [np.zeros_like(one) for one in held]
    step = 0
    for epoch in range(EPOCHS):
        rate = 3e-3 * (1 - epoch / EPOCHS) + 1e-4
        order = rng.permutation(size)
        for start in range(0, size, 512):
            some = order[start : start + 512]
            step += 1
            hidden = np.tanh(scaled[some] @ held[0] + held[1])
            odds = 1 / (1 + np.exp(-(hidden @ held[2] + held[3][0])))
            error = (odds - labels[some]) * counts[some] / len(some)
            back = np.outer(error, held[2]) * (1 - hidden**2)
            slopes = [
                scaled[some].T @ back + 1e-4 * held[0],
                back.sum(0),
                hidden.T @ error + 1e-4 * held[2],
                error.sum(keepdims=True),
            ]
            for at, slope in enumerate(slopes):
                first[at] = 0.9 * first[at] + 0.1 * slope
                second[at] = 0.999 * second[at] + 0.001 * slope**2
                held[at] -= rate * (first[at] / (1 - 0.9**step)) / (np.sqrt(second[at] / (1 - 0.999**step)) + 1e-8)
    return Model(mean, spread, *held)


def line(rows: Floats, labels: Floats, counts: Floats) -> Floats:
    """A logistic regression, by Newton's steps; the last figure is its base."""
    mean, spread = rows.mean(0), np.maximum(rows.std(0), 1e-3)
    scaled = np.column_stack([(rows - mean) / spread, np.ones(len(rows))])
    found = np.zeros(scaled.shape[1])
    shrunk = np.append(np.full(rows.shape[1], JOINED_DECAY), 0.0)
    for _ in range(30):
        odds = 1 / (1 + np.exp(-scaled @ found))
        slope = scaled.T @ (counts * (odds - labels)) / counts.sum() + shrunk * found
        bend = (scaled * (counts * odds * (1 - odds))[:, None]).T @ scaled / counts.sum() + np.diag(shrunk)
        found -= np.linalg.solve(bend + 1e-9 * np.eye(len(found)), slope)
    weights = found[:-1] / spread
    return np.append(weights, found[-1] - float(weights @ mean))


def labels_of(found: Sequence[Example]) -> tuple[Floats, Floats]:
    """Labels and what each example counts."""
    counts = np.array([COUNTS.get(one.sort, 1.0) for one in found])
    return np.array([float(one.label) for one in found]), counts


def met(logits: Floats, words: Floats, found: Sequence[Example], sorts: Sequence[str]) -> Floats:
    """For each question the best of the few that are read, of these sorts of texts."""
    groups: dict[int, list[int]] = {}
    for at, one in enumerate(found):
        if one.sort in sorts:
            groups.setdefault(one.group, []).append(at)
    best = []
    for rows in groups.values():
        first = sorted(rows, key=lambda row: -words[row])[:READ]
        best.append(max(logits[row] for row in first))
    return np.array(best)


def figures(logits: Floats, words: Floats, found: Sequence[Example]) -> dict[str, Any]:
    """Of questions with nothing that answers them, the share met with silence, by the share of others silenced."""
    told: dict[str, Any] = {}
    for name, all_of, none_of in (
        ("items", ("old", "touching", "near", "far"), ("touching", "near", "far")),
        ("items, no touching", ("old", "touching", "near", "far"), ("near", "far")),
        ("grid", ("grid", "grid right"), ("grid",)),
        ("worlds", ("world", "world right"), ("world none",)),
        ("asked", ("asked", "asked right"), ("asked",)),
    ):
        yes, no = met(logits, words, found, all_of), met(logits, words, found, none_of)
        if len(yes):
            told[name] = {
                silenced: (round(float((no < (at := np.quantile(yes, silenced))).mean()), 3), round(float(at), 2))
                for silenced in (0.03, 0.05, 0.1)
            }
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--tables", type=Path, help="keep the models of the words alone: only the reader is another")
    options = parser.parse_args()
    embedder = WordLlamaEmbedder()
    tables: dict[str, Any] = {"names": list(NAMES)}

    def made(part: str, seed: int) -> list[Example]:
        found = examples(items(options.data, [part]), random.Random(seed), embedder)
        return [one for one in found if one.label < 2]  # 2: nobody can say

    earlier = json.loads(options.tables.read_text("utf-8")) if options.tables else None
    train = made("train", 0) if earlier is None else []
    develop = [one for one in made("develop", 1) if one.sort in ASKED]
    reported = [
        *(one for one in develop if one.group % 2 == 1),
        *of_grid(REPORTED, 200, 5),
        *of_worlds(1),
        *of_asked(1),
    ]
    # In one thread: set OPENBLAS_NUM_THREADS=1 on a machine that has other work.
    for table, words in (("words", KnownWords(None)), ("vectors", KnownWords(embedder.word_vectors))):
        if earlier is None:
            model = learn(measured(words, train)[:, : len(OF_WORDS)], *labels_of(train))
        else:
            model = Model(*(np.array(earlier[table][field]) for field in Model._fields))
        tables[table] = model.told()
        rows = measured(words, reported)
        logits = model.logits(rows[:, : len(OF_WORDS)])
        print(table, json.dumps(figures(logits, logits, reported)), flush=True)
    tables |= {"read": earlier["read"]} if earlier else {}
    options.out.write_text(json.dumps(tables) + "\n", "utf-8")


if __name__ == "__main__":
    main()
