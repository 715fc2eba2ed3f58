"""Fits the small model that says how likely a text answers a cue, and chooses the floor below which nothing is known.

    python -m training.relevance.fit CHANGE_DATA OUT

CHANGE_DATA is a folder of items (`training/change/data`): a statement, others that say the same, others about the same
things that do not answer the question that it answers, and that question. Each item makes cues of three sorts: the
question, two or three of its words, and a statement. What answers: for a question the statement and what says the
same; for the others all that is about it. What does not: for a question what only touches it, what other items have
nearest to it, and random statements. `develop` chooses the floor, `heldout` is measured once; both are in no
example. Nothing is read but these items, which are ours.
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
from palazzo.recall.rank.relevance import NAMES, KnownWords, features
from palazzo.text.meaning.answering import reading
from palazzo.text.words.parsed import parsed

Floats = NDArray[np.float64]
HIDDEN = 16
EPOCHS = 30
NEAR, FAR = 4, 6
SILENCED = 0.05
"""Of the questions that can be answered, how many may be met with silence."""
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
    "touching": 0.7,
    "near": 0.6,
    "far": 0.7,
    "words": 0.3,
    "words far": 0.3,
    "statement": 0.3,
    "statement far": 0.3,
}


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

    def odds(self, rows: Floats) -> Floats:
        hidden = np.tanh((rows - self.mean) / self.spread @ self.inner + self.offset)
        return 1 / (1 + np.exp(-(hidden @ self.outer + self.base[0])))


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


def figures(odds: Floats, found: Sequence[Example], floor: float) -> dict[str, float]:
    sorts = np.array([one.sort for one in found])
    groups = np.array([one.group for one in found])
    told = {f"{sort}_silent": round(float((odds[sorts == sort] < floor).mean()), 4) for sort in sorted({*sorts} - {""})}
    for name, kinds in (("hard", ("touching", "near", "far")), ("near", ("near", "far")), ("far", ("far",))):
        best = np.zeros(groups.max() + 1)
        which = np.isin(sorts, kinds)
        np.maximum.at(best, groups[which], odds[which])
        told[f"unanswered_{name}_silent"] = round(float((best < floor).mean()), 4)
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    embedder = WordLlamaEmbedder()
    tables: dict[str, Any] = {"names": list(NAMES)}
    sets = {
        part: [one for one in examples(items(options.data, [part]), random.Random(seed), embedder) if one.label < 2]
        for seed, part in enumerate(("train", "develop", "heldout"))
    }
    for table, words in (("vectors", KnownWords(embedder.word_vectors)), ("words", KnownWords(None))):
        rows = {part: measured(words, found) for part, found in sets.items()}
        train = sets["train"]
        model = learn(
            rows["train"], np.array([float(one.label) for one in train]),
            np.array([COUNTS.get(one.sort, 1.0) for one in train]),
        )  # fmt: skip
        odds = {part: model.odds(made) for part, made in rows.items()}
        old = np.array([one.sort == "old" for one in sets["develop"]])
        floor = float(np.quantile(odds["develop"][old], SILENCED))
        tables[table] = {name: np.round(value, 4).tolist() for name, value in model._asdict().items()} | {
            "floor": round(floor, 3)
        }
        for part in sets:
            print(table, part, len(sets[part]), json.dumps(figures(odds[part], sets[part], floor)))
    options.out.write_text(json.dumps(tables) + "\n", "utf-8")


if __name__ == "__main__":
    main()
