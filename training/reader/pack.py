"""Writes the learned weights into the package, with temperatures and thresholds chosen on the development examples.

    python -m training.reader.pack FOLDER OUT

FOLDER is what `prepare` laid down, OUT what `learn` brought back. What the student said of the held-out examples is
only counted and printed, with the thresholds already chosen.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from palazzo.text.reader import encoder as reader
from palazzo.text.reader.judgements import OTHER_LANGUAGES
from training.reader.prepare import HOLDS, PLAIN, REPLACES, SAME, TOUCHES, items, nearest

TASKS = {"change": 4, "answers": 1, "kinds": 7}
FALSE_SUPERSEDED = 0.01
"""Of the harmless development pairs, how many may be superseded."""
FALSE_MARKED = 0.04
BESIDE_SUPERSEDED, BESIDE_MARKED, BESIDE = 0.002, 0.01, 3000
"""The same of pairs that have nothing in common, most of those that are read, and palaces they are drawn from."""
PAIRS = Path(__file__).parents[1] / "change" / "pairs" / "develop.json"
FALSE_TOUCHED = 0.01
SILENCED = 0.04
"""Of the texts that answer a question, how many may fall below the floor."""
Floats = NDArray[np.float64]


def softmax(found: Floats) -> Floats:
    found = np.exp(found - found.max(1, keepdims=True))
    return found / found.sum(1, keepdims=True)


def temperature(logits: Floats, labels: NDArray[np.int64]) -> float:
    """What logits are divided by for their odds to be what comes true."""
    best, least = 1.0, np.inf
    for tried in np.geomspace(0.3, 4, 80):
        if logits.shape[1] == 1:
            odds = 1 / (1 + np.exp(-logits[:, 0] / tried))
            loss = -np.mean(np.log(np.clip(np.where(labels == 1, odds, 1 - odds), 1e-9, 1)))
        else:
            loss = -np.mean(np.log(np.clip(softmax(logits / tried)[np.arange(len(labels)), labels], 1e-9, 1)))
        if loss < least:
            best, least = float(tried), float(loss)
    return best


def above(found: Floats, share: float) -> float:
    """The least threshold that at most this share reaches."""
    ordered = np.sort(found)[::-1]
    at = int(share * len(ordered))
    return float(ordered[at]) + 1e-6 if at < len(ordered) else 0.0


def lowered_by(logits: Floats, figures: dict[str, float]) -> float:
    """How much lower what replaces must count of these harmless pairs for the same thresholds to err as seldom."""
    allowed = ((figures["replaced_at"], FALSE_SUPERSEDED), (figures["marked_at"], FALSE_MARKED))
    for less in np.arange(0, 5, 0.05):
        odds = softmax(logits - less * (np.arange(logits.shape[1]) == REPLACES))[:, REPLACES]
        if all((odds >= at).mean() <= share for at, share in allowed):
            return float(less)
    return 5.0


def chosen(said: dict[str, Floats], of: reader.Encoder) -> dict[str, float]:
    """Temperatures and thresholds, from the development examples."""
    figures: dict[str, float] = {}
    for task in TASKS:
        logits, examples = said[f"{task}_1"], said[f"{task}_1_examples"]
        if len(examples):
            figures[f"{task}_temperature"] = temperature(logits.astype(np.float64), examples[:, 3])
    logits, examples = said["change_1"].astype(np.float64), said["change_1_examples"]
    odds, label = softmax(logits / figures["change_temperature"]), examples[:, 3]
    found = list(items("develop"))
    plain, other = (
        np.array([group >= 0 and which(found[group]) for group in examples[:, 5]])
        for which in (lambda one: one["author"] in PLAIN, lambda one: one["language"] != "en")
    )
    harmless = ((label == HOLDS) | (label == SAME)) & plain
    figures["touched_at"] = above(odds[harmless, TOUCHES], FALSE_TOUCHED)
    pairs = [pair for pair in json.loads(PAIRS.read_text("utf-8")) if pair["label"] != "replaces"]
    ordinary = reader.logits(of, "change", [(pair["old"], pair["new"]) for pair in pairs]).astype(np.float64)
    ordinary = softmax(ordinary / figures["change_temperature"])[:, REPLACES]
    weighed = np.concatenate([odds[harmless & ~other, REPLACES], ordinary])
    apart = [pair for pair, apart in nearest("develop", BESIDE, random.Random(5)).items() if apart]
    beside = reader.logits(of, "change", apart).astype(np.float64)
    beside = softmax(beside / figures["change_temperature"])[:, REPLACES]
    figures["replaced_at"], figures["marked_at"] = above(weighed, FALSE_SUPERSEDED), above(weighed, FALSE_MARKED)
    figures["far_replaced_at"], figures["far_marked_at"] = (
        above(beside, BESIDE_SUPERSEDED),
        above(beside, BESIDE_MARKED),
    )
    figures[OTHER_LANGUAGES] = lowered_by(logits[harmless & other] / figures["change_temperature"], figures)
    logits, examples = said["answers_1"][:, 0] / figures["answers_temperature"], said["answers_1_examples"]
    odds = 1 / (1 + np.exp(-logits))
    figures["answers_at"] = float(np.quantile(odds[examples[:, 3] == 1], SILENCED))
    return {name: round(value, 6) for name, value in figures.items()}


def told(said: dict[str, Floats], figures: dict[str, float], part: int) -> dict[str, object]:
    """How a part comes out with the figures chosen."""
    logits, examples = said[f"change_{part}"].astype(np.float64), said[f"change_{part}_examples"]
    odds, label = softmax(logits / figures["change_temperature"]), examples[:, 3]
    ours = examples[:, 5] != -2

    def share(which: NDArray[np.bool_], at: float, column: int = REPLACES) -> float:
        return round(float((odds[which, column] >= at).mean()), 4) if which.any() else 0.0

    result: dict[str, object] = {
        "n": len(label),
        "taken_back": share(label == REPLACES, figures["replaced_at"]),
        "taken_back_or_marked": share(label == REPLACES, figures["marked_at"]),
        "wrong_superseded": share((label != REPLACES) & (label != TOUCHES) & ours, figures["replaced_at"]),
        "wrong_marked_or_superseded": share((label != REPLACES) & (label != TOUCHES) & ours, figures["marked_at"]),
        "part_that_stays_superseded": share(~ours, figures["replaced_at"]),
        "touched": share(label == TOUCHES, figures["touched_at"], TOUCHES),
    }
    for task in ("answers", "kinds"):
        logits, examples = said[f"{task}_{part}"], said[f"{task}_{part}_examples"]
        if len(examples) and task == "answers":
            found = 1 / (1 + np.exp(-logits[:, 0] / figures["answers_temperature"]))
            yes = examples[:, 3] == 1
            result["answers_silenced"] = round(float((found[yes] < figures["answers_at"]).mean()), 4)
            result["not_answers_silenced"] = round(float((found[~yes] < figures["answers_at"]).mean()), 4)
        elif len(examples):
            result["kinds_right"] = round(float((logits.argmax(1) == examples[:, 3]).mean()), 4)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    said = dict(np.load(options.out / "said.npz"))
    arrays = {**np.load(options.out / "words.npz"), **np.load(options.out / "layers.npz")}
    arrays = {name: array.astype(np.float32) for name, array in arrays.items()}

    translated = json.loads((options.folder / "translated.json").read_text("utf-8"))
    read_as = [
        f"{language}\t{word}\t{' '.join(map(str, numbers))}"
        for language, table in translated.items()
        for word, numbers in table.items()
    ]

    def packed(figures: dict[str, float]) -> bytes:
        return reader.packed(
            [*(options.folder / "vocabulary.txt").read_text("utf-8").split("\n"), *read_as],
            {name: array for name, array in arrays.items() if array.ndim == 2}, arrays["offsets"],
            heads=tuple(TASKS.items()), figures=figures,
        )  # fmt: skip

    unjudged = reader.unpacked(packed({}))
    if unjudged is None:
        raise SystemExit("the weights cannot be read back")
    figures = chosen(said, unjudged)
    raw = packed(figures)
    (Path(reader.__file__).parents[1] / reader.WEIGHTS).write_bytes(raw)
    print(json.dumps({"bytes": len(raw), "figures": figures, "develop": told(said, figures, 1),
                      "heldout": told(said, figures, 2)}, indent=1))  # fmt: skip


if __name__ == "__main__":
    main()
