"""Learns the weights of the injection head from the texts beside it.

    python -m training.injection.train [--write]

Logistic regression by full-batch Adam, seed and order fixed, over the features of `injection_head`. The two
thresholds, for where the head judges alone, are chosen on folds of the training texts that hold no translation of one
another; the held-out files are read by `bench.injection` alone. The file it writes is the same on every run.
"""

from __future__ import annotations

import argparse
import json
import struct
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from operator import or_
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from palazzo.text.safety import injection_head as head
from palazzo.text.safety.injection import plain_form

DATA = Path(__file__).parent / "data"
BESIDE = Path(__file__).parents[1]
TWINS = "varied-6.txt"
"""Attacks and harmless texts that differ only in who speaks to whom."""
FOLDS = 5
FALSE_AT_MOST = 0.025
"""The share of harmless training texts that may be flagged when they were not learned from. Nearly all of them were
written to come close to an attack, so ordinary writing is flagged far more rarely."""
REFUSED_AT_MOST = 0.0
RIDGES = (1.0, 1.0)
STEPS = 250
HASHED_COUNT = 3.0
"""What all hashed features of a passage count together, beside dense ones that count one each."""
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Text:
    """One labelled text, its language, and the fold it stays out of."""

    text: str
    attack: bool
    language: str
    fold: int


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of features, hashed ones weighed by the root of their number, as one long list of places."""

    rows: NDArray[np.int64]
    places: NDArray[np.int64]
    values: Floats
    height: int
    width: int

    def dot(self, weights: Floats) -> Floats:
        return np.bincount(self.rows, self.values * weights[self.places], minlength=self.height)

    def transposed_dot(self, errors: Floats) -> Floats:
        return np.bincount(self.places, self.values * errors[self.rows], minlength=self.width)


def read(path: Path) -> list[Text]:
    """The texts of a file: `## attack|harmless language` heads the lines that follow, `\\n` breaks one of them."""
    found: list[Text] = []
    kind = language = ""
    lines = path.read_text(encoding="utf-8").splitlines()
    heads: Counter[str] = Counter()
    twins = max(Counter(line for line in lines if line.startswith("## ")).values(), default=0) > 1
    number = 0
    for line in lines:
        if line.startswith("## "):
            _, kind, language = line.split()
            heads[line] += 1
            number = 0
        elif line.strip():
            # Files of different languages say the same on the same line; neighbours are of one family. In a file of
            # many heads, an attack and its harmless twin stand below the same one of their kind.
            place = heads[f"## {kind} {language}"] - 1 if twins else number // (4 if language == "en" else 1)
            found.append(Text(line.replace("\\n", "\n"), kind == "attack", language, place % FOLDS))
            number += 1
    return found


def training_texts() -> list[Text]:
    kept = [path for path in sorted(DATA.glob("*.txt")) if not path.name.startswith(("heldout", "develop"))]
    return [text for path in kept for text in read(path)]


def close_texts() -> list[Text]:
    """Attacks and what comes close to them, as far as words tell them apart: of twins the head learns to doubt both."""
    twins = frozenset(read(DATA / TWINS))
    return [text for text in training_texts() if text not in twins]


def ordinary_texts() -> list[Text]:
    """What people say when no attack is near, from the texts of other classifiers: the head lets it pass unread."""
    found = [line.split("\t", 2)[1:] for line in (BESIDE / "kinds/data/messages.tsv").read_text("utf-8").splitlines()]
    for author in ("home", "life", "work"):
        for line in (BESIDE / f"change/data/{author}.jsonl").read_text("utf-8").splitlines():
            item = json.loads(line)
            found += [[item["language"], text] for text in (item["old"], item["replaces"][0], item["holds"][0])]
    for path in sorted((BESIDE / "talk").glob("*.jsonl")):
        found += [["en", json.loads(line)["text"]] for line in path.read_text("utf-8").splitlines()]
    return [Text(text, False, language, number // 4 % FOLDS) for number, (language, text) in enumerate(found)]


def hashed_features(tokens: list[str]) -> list[int]:
    """Places in the table: of every word and its parts, and of every two neighbours."""
    found = [place for token in tokens for place in head._of_word(token)]
    return found + [head._place(f"{one[-12:]} {two[:12]}") for one, two in pairwise(tokens)]


def dense_features(tokens: list[str]) -> list[int]:
    """Places of the concepts and the length of a piece among the dense features, in the order of `shapes`."""
    concepts = [head._concepts_at(tokens, at) for at in range(len(tokens))]
    size = len(tokens) + sum(map(head._width, tokens))
    longer = sum(size > most for most in head._LENGTHS)
    return head._dense_places(reduce(or_, concepts, 0), concepts[0] if concepts else 0, longer)


def matrix(passages: Sequence[str]) -> Matrix:
    rows: list[int] = []
    places: list[int] = []
    values: list[float] = []
    for row, passage in enumerate(passages):
        tokens = next(head.pieces(passage), [])
        hashed = hashed_features(tokens)
        dense = dense_features(tokens) + head.shape_features(passage)
        rows += [row] * (len(hashed) + len(dense))
        places += hashed + [head.HASHED + place for place in dense]
        values += [HASHED_COUNT / max(len(hashed), 1) ** 0.5] * len(hashed) + [1.0] * len(dense)
    width = head.HASHED + len(head.shapes())
    return Matrix(np.array(rows), np.array(places), np.array(values), len(passages), width)


def learned(
    of: Matrix, labels: Floats, weights: Floats, ridge_hashed: float, ridge_dense: float
) -> tuple[Floats, float]:
    """Weights and bias that fit the labels."""
    ridge = np.full(of.width, ridge_dense)
    ridge[: head.HASHED] = ridge_hashed
    found, bias = np.zeros(of.width), 0.0
    first, second = np.zeros(of.width + 1), np.zeros(of.width + 1)
    total = weights.sum()
    for step in range(1, STEPS + 1):
        errors = weights * (1 / (1 + np.exp(-(of.dot(found) + bias))) - labels) / total
        slope = np.append(of.transposed_dot(errors) + ridge * found / total, errors.sum())
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope**2
        rate = 0.1 * min(1.0, 2 * (1 - step / (STEPS + 1)))
        move = rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
        found, bias = found - move[:-1], bias - move[-1]
    return found, bias


@dataclass(frozen=True, slots=True)
class Problem:
    texts: Sequence[Text]
    of: Matrix
    owner: NDArray[np.int64]
    attack: NDArray[np.bool_]
    fold: NDArray[np.int64]


def problem(texts: Sequence[Text]) -> Problem:
    passages = [
        (number, passage)
        for number, text in enumerate(texts)
        for passage in head.passages(plain_form(text.text).lower())
    ]
    owner = np.array([number for number, _ in passages])
    attack = np.array([text.attack for text in texts])
    return Problem(texts, matrix([passage for _, passage in passages]), owner, attack,
                   np.array([text.fold for text in texts]))  # fmt: skip


def some(of: Matrix, keep: NDArray[np.bool_]) -> Matrix:
    chosen = keep[of.rows]
    rows = (np.cumsum(keep) - 1)[of.rows[chosen]]
    return Matrix(rows, of.places[chosen], of.values[chosen], int(keep.sum()), of.width)


def fitted(of: Problem, keep: NDArray[np.bool_], ridges: tuple[float, float]) -> tuple[Floats, float]:
    """Learned from every passage of a harmless text, and of an attack from the one that is it.

    Which one that is among several, weights say that were learned from attacks of a single passage.
    """
    attack = of.attack[of.owner]
    taken = keep & (~attack | (np.bincount(of.owner)[of.owner] == 1))
    for again in (False, True):
        labels = attack[taken].astype(float)
        found, bias = learned(some(of.of, taken), labels, np.where(labels > 0, 2.0, 1.0), *ridges)
        if not again:
            sums = of.of.dot(found)
            taken = keep & (~attack | (sums == by_text(of, sums)[of.owner]))
    return found, bias


def by_text(of: Problem, sums: Floats) -> Floats:
    worst = np.full(len(of.texts), -np.inf)
    np.maximum.at(worst, of.owner, sums)
    return worst


def out_of_fold(of: Problem, ridges: tuple[float, float]) -> Floats:
    """The sum of each text under weights that were learned without its fold."""
    sums = np.zeros(of.of.height)
    for fold in range(FOLDS):
        out = of.fold[of.owner] == fold
        found, bias = fitted(of, ~out, ridges)
        sums[out] = some(of.of, out).dot(found) + bias
    return by_text(of, sums)


def threshold(harmless: Floats, at_most: float) -> float:
    """The lowest sum that flags at most this share of the harmless texts."""
    ordered = np.sort(harmless)[::-1]
    return float(ordered[int(at_most * len(ordered))]) + 1e-6


def packed(weights: Floats, bias: float, flag_at: float, refuse_at: float) -> bytes:
    hashed = weights[: head.HASHED] * HASHED_COUNT
    step = float(np.abs(hashed).max() / 127)
    table = np.rint(hashed / step).astype(np.int8).tobytes()
    dense = [float(w) for w in weights[head.HASHED :]]
    header = head._HEADER.pack(head._MAGIC, len(table), len(dense), step, bias, flag_at, refuse_at)
    return header + table + struct.pack(f"<{len(dense)}f", *dense)


def told(of: Problem, sums: Floats, flag_at: float) -> dict[str, object]:
    languages = sorted({text.language for text in of.texts})
    flagged = sums >= flag_at
    language = np.array([text.language for text in of.texts])
    return {
        "caught": round(float(flagged[of.attack].mean()), 4),
        "false": round(float(flagged[~of.attack].mean()), 4),
        "caught_by_language": {
            one: round(float(flagged[of.attack & (language == one)].mean()), 3) for one in languages
        },
    }


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the weights into the package")
    options = parser.parse_args(None if arguments is None else list(arguments))
    close = close_texts()
    of = problem([*close, *ordinary_texts()])
    print(json.dumps({"attacks": int(of.attack.sum()), "harmless": int((~of.attack).sum())}))
    sums = out_of_fold(of, RIDGES)
    harmless = sums[: len(close)][~of.attack[: len(close)]]
    flag_at = threshold(harmless, FALSE_AT_MOST)
    refuse_at = max(threshold(harmless, REFUSED_AT_MOST), flag_at + 1.0)
    print(json.dumps(told(of, sums, flag_at)))
    weights, bias = fitted(of, np.ones(len(of.owner), dtype=bool), RIDGES)
    print(json.dumps({"flag_at": flag_at, "refuse_at": refuse_at}))
    if options.write:
        (Path(head.__file__).parents[1] / head.WEIGHTS).write_bytes(packed(weights, bias, flag_at, refuse_at))


if __name__ == "__main__":
    main()
