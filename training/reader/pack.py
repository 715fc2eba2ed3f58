"""Writes the learned weights into the package, with temperatures and thresholds chosen on the development examples.

    python -m training.reader.pack FOLDER OUT [--between OTHER...]
    python -m training.reader.pack --again

FOLDER is what `prepare` laid down, OUT what `learn` brought back. What both readers say of the held-out examples is
only counted and printed, with the thresholds already chosen. `--between` packs the middle of the weights in OUT and in
other folders (FOLDER/earlier has those that were gone on from): of weights that began as one, the middle errs less than
each. What they say of the examples is read by the package itself. The layers of the second reader stand over the words
of the first and are pressed to half a byte, as those words are; of the first they are in bytes. `--again` chooses the
thresholds of a change anew for the weights of the package; they lie in the first file.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palazzo.adapters.wordllama_embedder import WordLlamaEmbedder
from palazzo.intake.changed import NEAR
from palazzo.intake.known import matter_of
from palazzo.text.change.beside import BOTH_HOLD, BOTH_SURELY_HOLD, says_alike
from palazzo.text.reader import encoder as reader
from palazzo.text.reader import weights as file
from palazzo.text.reader.judgements import OTHER_LANGUAGES
from training.reader import packing
from training.reader.prepare import (
    HOLDS,
    PLAIN,
    REPLACES,
    SAME,
    TOUCHES,
    items,
    nearest,
    of_answers,
    of_kinds,
    of_plans,
)
from training.reader.prepare import of_change as changes
from training.reader.tables import opened

TASKS = {"change": 4, "answers": 1, "kinds": 7, "plans": 6}
FALSE_SUPERSEDED, FALSE_MARKED = 0.007, 0.012
"""Of the harmless development pairs, how many may be superseded, and marked: fewer than may be of those of authors whom
nobody has seen, who are told apart less well."""
FALSE_ELSEWHERE = 0.01, 0.035
"""The same of pairs in other languages, of which there are few."""
CUED = frozenset({"home", "work", "life"})
"""Authors whose harmless statements speak of a change more often than people do."""
BESIDE_SUPERSEDED, BESIDE_MARKED, BESIDE = 0.0015, 0.01, 3000
"""The same of pairs that have nothing in common, most of those that are read, and palaces they are drawn from."""
PAIRS = Path(__file__).parents[1] / "change" / "pairs" / "develop.json"
PACKAGE = Path(reader.__file__).parents[1]
FALSE_TOUCHED = 0.01
SILENCED = 0.04
"""Of the texts that answer a question, how many may fall below the floor."""
KEPT = frozenset({"places", "sides", "offsets"})
"""Tables that are too small to be pressed."""
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


class Judged(NamedTuple):
    """Harmless pairs for development as intake meets them: what the reader says of them, and what is asked of them."""

    logits: Floats
    apart: NDArray[np.bool_]
    """Pairs without a shared word or nearness, and those that a guard takes for no change."""
    alike: NDArray[np.bool_]

    def odds(self, less: float = 0.0) -> Floats:
        return softmax(self.logits - less * (np.arange(self.logits.shape[1]) == REPLACES))[:, REPLACES]

    def reached(self, at: float, far_at: float, less: float = 0.0, *, alike: bool = True) -> float:
        """The share of these pairs that reaches a threshold, or the higher one that is asked of some."""
        higher = self.apart | self.alike if alike else self.apart
        return float((self.odds(less) >= np.where(higher, max(at, far_at), at)).mean())


def harmless(of: file.Encoder, heat: float, *, english: bool) -> Judged:
    pairs = [
        (one["old"], new)
        for one in items("develop")
        if one["author"] in PLAIN - CUED and (one["language"] == "en") == english
        for new in (*one["holds"], *one["same"])
    ]
    if english:
        ordinary = json.loads(PAIRS.read_text("utf-8"))
        pairs += [(pair["old"], pair["new"]) for pair in ordinary if pair["label"] != "replaces"]
    logits = np.concatenate([reader.voiced(of, "change", pairs[at : at + 64]) for at in range(0, len(pairs), 64)])
    logits = logits.astype(np.float64) / heat
    logits[[any(guard(*pair) for guard in BOTH_SURELY_HOLD) for pair in pairs], REPLACES] = -np.inf
    guarded = np.array([any(guard(*pair) for guard in BOTH_HOLD) for pair in pairs])
    embedder = WordLlamaEmbedder()
    first, second = (embedder.embed([pair[side] for pair in pairs]) for side in (0, 1))
    near = (first * second).sum(1) >= NEAR
    apart = np.array([matter_of(old).isdisjoint(matter_of(new)) for old, new in pairs]) & ~near
    return Judged(logits, apart | guarded, np.array([says_alike(*pair) for pair in pairs]))


def least(allowed: float, reached: Callable[[float], float]) -> float:
    """The least threshold, in steps of a hundredth, that at most a share reaches."""
    return next((float(at) for at in np.arange(0.1, 1, 0.01) if reached(float(at)) <= allowed), 1.0)


def of_change(of: file.Encoder, heat: float) -> dict[str, float]:
    """The thresholds of a change, from the development pairs."""
    figures: dict[str, float] = {}
    apart = [pair for pair, apart in nearest("develop", BESIDE, random.Random(5)).items() if apart]
    beside = softmax(reader.voiced(of, "change", apart).astype(np.float64) / heat)[:, REPLACES]
    figures["far_replaced_at"] = far = above(beside, BESIDE_SUPERSEDED)
    figures["far_marked_at"] = far_marked = above(beside, BESIDE_MARKED)
    english, other = (harmless(of, heat, english=which) for which in (True, False))
    figures["replaced_at"] = replaced = least(FALSE_SUPERSEDED, lambda at: english.reached(at, far))
    figures["marked_at"] = marked = least(FALSE_MARKED, lambda at: english.reached(at, far_marked, alike=False))
    figures[OTHER_LANGUAGES] = next(
        (
            float(less)
            for less in np.arange(0, 5, 0.05)
            if other.reached(replaced, far, less) <= FALSE_ELSEWHERE[0]
            and other.reached(marked, far_marked, less, alike=False) <= FALSE_ELSEWHERE[1]
        ),
        5.0,
    )
    return figures


def chosen(said: dict[str, Floats], of: file.Encoder, tasks: Collection[str]) -> dict[str, float]:
    """Temperatures and thresholds of some judgements, from the development examples."""
    figures: dict[str, float] = {}
    for task in tasks:
        logits, examples = said[f"{task}_1"], said[f"{task}_1_examples"]
        if len(examples):
            figures[f"{task}_temperature"] = temperature(logits.astype(np.float64), examples[:, 3])
    figures |= of_taken_back(said, of, figures["change_temperature"]) if "change" in tasks else {}
    if "answers" in tasks:
        logits, examples = said["answers_1"][:, 0] / figures["answers_temperature"], said["answers_1_examples"]
        odds = 1 / (1 + np.exp(-logits))
        figures["answers_at"] = float(np.quantile(odds[examples[:, 3] == 1], SILENCED))
    return {name: round(value, 6) for name, value in figures.items()}


def of_taken_back(said: dict[str, Floats], of: file.Encoder, heat: float) -> dict[str, float]:
    """The thresholds of a change, and of what it only touches."""
    logits, examples = said["change_1"].astype(np.float64), said["change_1_examples"]
    odds, label = softmax(logits / heat), examples[:, 3]
    found = list(items("develop"))
    plain = np.array([group >= 0 and found[group]["author"] in PLAIN for group in examples[:, 5]])
    touched = above(odds[((label == HOLDS) | (label == SAME)) & plain, TOUCHES], FALSE_TOUCHED)
    return {"touched_at": touched, **of_change(of, heat)}


def with_figures(raw: bytes, figures: dict[str, float]) -> bytes:
    """A file of weights with other figures."""
    magic, told, spelled = file.HEADER.unpack_from(raw)
    start = file.HEADER.size + told
    header = json.dumps(json.loads(raw[file.HEADER.size : start]) | {"figures": figures}).encode()
    return file.HEADER.pack(magic, len(header), spelled) + header + raw[start:]


def again() -> None:
    """Chooses the thresholds of a change anew for the weights of the package."""
    of = reader.encoder()
    if of is None:
        raise SystemExit("the package has no weights")
    figures = {**of.figures, **of_change(of, of.figures["change_temperature"])}
    figures = {name: round(value, 6) for name, value in figures.items()}
    installed = PACKAGE / reader.WEIGHTS
    installed.write_bytes(with_figures(installed.read_bytes(), figures))
    print(json.dumps({"figures": figures}, indent=1))


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
    for task in (task for task in ("answers", "kinds") if f"{task}_{part}" in said):
        logits, examples = said[f"{task}_{part}"], said[f"{task}_{part}_examples"]
        if len(examples) and task == "answers":
            found = 1 / (1 + np.exp(-logits[:, 0] / figures["answers_temperature"]))
            yes = examples[:, 3] == 1
            result["answers_silenced"] = round(float((found[yes] < figures["answers_at"]).mean()), 4)
            result["not_answers_silenced"] = round(float((found[~yes] < figures["answers_at"]).mean()), 4)
        elif len(examples):
            result["kinds_right"] = round(float((logits.argmax(1) == examples[:, 3]).mean()), 4)
    return result


def middle(folders: list[Path], name: str) -> dict[str, Floats]:
    """The weights of a reader in several folders, each the mean of theirs."""
    every = [opened([one / f"{name}.npz"]) for one in folders]
    return {at: np.mean([one[at] for one in every if at in one], axis=0) for at in every[0]}


def file_of(
    weights: dict[str, Floats], figures: dict[str, float], words: Floats | None = None, pieces: list[str] | None = None
) -> bytes:
    """The file of a reader; without words its layers stand over those of another one, and are pressed."""
    heads = [(task, many) for task, many in TASKS.items() if f"head {task}" in weights]
    last = [weights[f"{part} {task}"].ravel() for task, _ in heads for part in ("head", "base")]
    tables = {at: table for at, table in weights.items() if table.ndim == 2 and " " not in at}
    pressed = ["words"] if words is not None else [at for at in tables if at not in KEPT]
    return packing.packed(
        pieces or [], tables | ({} if words is None else {"words": words}), np.concatenate([weights["offsets"], *last]),
        heads=heads, figures=figures, press=pressed,
    )  # fmt: skip


def read_by(of: file.Encoder) -> dict[str, Floats]:
    """What an encoder says of the development and the held-out examples, as `learn` writes it down."""
    rng, said = random.Random(11), {}
    for number, part in ((1, "develop"), (2, "heldout")):
        made = {"change": changes(part, rng), "answers": of_answers(part, rng), "kinds": of_kinds(part, rng)}
        for task, found in ((task, list(some)) for task, some in {**made, "plans": of_plans(part)}.items()):
            if task in of.heads:
                pairs = [(one.first, one.second) for one in found]
                rows = [reader.voiced(of, task, pairs[at : at + 64]) for at in range(0, len(pairs), 64)]
                said[f"{task}_{number}"] = np.concatenate(rows) if rows else np.zeros((0, TASKS[task]), np.float32)
                said[f"{task}_{number}_examples"] = np.array(
                    [(0, 0, 0, one.label, number, one.group, one.plain) for one in found]
                )
    return said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--between", type=Path, nargs="+", default=[], help="other weights, to pack the middle of all")
    parser.add_argument("--again", action="store_true", help="choose the thresholds of the installed weights anew")
    options = parser.parse_args()
    if options.again:
        again()
        return
    folders = [options.out, *options.between]
    first, second = middle(folders, "whole"), middle(folders, "second")
    words = first.pop("words") if "words" in first else opened([options.folder / "words.npz"])["words"]
    (PACKAGE / reader.SECOND).write_bytes(file_of(second, {}))

    def written(figures: dict[str, float]) -> int:
        raw = file_of(first, figures, words, spelled(options.folder))
        return (PACKAGE / reader.WEIGHTS).write_bytes(raw)

    written({})
    judged = reader.encoder()
    if judged is None or reader.second() is None:
        raise SystemExit("the weights cannot be read back")
    said = read_by(judged)
    figures = chosen(said, judged, [*TASKS])
    print(json.dumps({"bytes": written(figures), "figures": figures, "develop": told(said, figures, 1),
                      "heldout": told(said, figures, 2)}, indent=1))  # fmt: skip


def spelled(folder: Path) -> list[str]:
    """The pieces, and the words of other languages with the pieces they are read as."""
    translated = json.loads((folder / "translated.json").read_text("utf-8"))
    return (folder / "vocabulary.txt").read_text("utf-8").split("\n") + [
        f"{language}\t{word}\t{' '.join(map(str, numbers))}"
        for language, table in translated.items()
        for word, numbers in table.items()
    ]


if __name__ == "__main__":
    main()
