"""Makes the small encoder that reads doubtful passages: its vocabulary here, its weights on a machine with torch.

    python -m training.injection.encoder prepare MINILM_FOLDER FOLDER
    python training/injection/encoder_learn.py FOLDER OUT        (torch alone is needed)
    python -m training.injection.encoder pack FOLDER OUT

`prepare` cuts the training texts with the package's own cutting, over a vocabulary that is MiniLM's most frequent
pieces, the pieces our texts use, and words and signs of other languages that MiniLM would spell letter by letter.
`pack` writes the weights into the package as bytes. The held-out files are read by `bench.injection` alone, but for
the first, which was looked at before and serves as a development set: nothing is learned from it.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np

from palazzo.text.safety import injection_head as head
from palazzo.text.safety import wording
from palazzo.text.safety.injection import plain_form
from training.injection.train import DATA, RIDGES, Text, out_of_fold, problem, read, threshold, training_texts

FREQUENT = 7_000
PASS_AT = -1.0
"""What the head must say for the encoder to read: nearly all attacks of the development set pass."""
HEAD_WEIGHT = 0.7
FALSE_AT_MOST = 0.025
"""Of the harmless training texts of the folds left out, nearly all written to come close to an attack."""
REFUSED_AT_MOST = 0.0
SPECIAL = ("[UNK]", "[CLS]", "[SEP]")
_WORD = re.compile(r"[^\W\d_]+")


def vocabulary(full: dict[str, int], texts: list[Text]) -> list[str]:
    """The pieces of the small encoder, in their order."""
    found: dict[str, None] = dict.fromkeys(SPECIAL)
    known = {piece: number for piece, number in full.items() if not piece.startswith("[")}
    numbers = {number: piece for piece, number in known.items()}
    found.update((piece, None) for piece, number in sorted(known.items(), key=lambda at: at[1]) if number < FREQUENT)
    signs: Counter[str] = Counter()
    words: Counter[str] = Counter()
    beginnings: Counter[str] = Counter()
    endings: Counter[str] = Counter()
    for text in texts:
        lowered = plain_form(text.text).lower()
        used, _ = wording.cut(lowered, known)
        found.update((numbers[number], None) for number in used if number in numbers)
        signs.update(sign for sign in lowered if re.match(f"[{wording._HAN}]", sign))
        if text.language == "en":
            continue
        for word in {head.folded(one) for one in _WORD.findall(lowered) if not re.match(f"[{wording._HAN}]", one)}:
            words[word] += 1
            if not word.isascii():
                beginnings.update(word[:size] for size in (3, 4, 5, 6) if len(word) > size)
                endings.update(f"##{word[-size:]}" for size in (2, 3, 4) if len(word) > size + 2)
    found.update((sign, None) for sign in signs)
    found.update((word, None) for word, count in words.items() if count >= 3 and len(word) >= 3)
    found.update((part, None) for part, count in (beginnings + endings).items() if count >= 5)
    letters = {letter for word in words for letter in word}
    found.update((f"{before}{letter}", None) for letter in sorted(letters) for before in ("", "##"))
    return list(found)


def prepare(model: Path, folder: Path) -> None:
    from safetensors.numpy import load_file

    full = {piece: number for number, piece in enumerate((model / "vocab.txt").read_text("utf-8").splitlines())}
    texts = training_texts()
    pieces = vocabulary(full, texts)
    numbers = {piece: number for number, piece in enumerate(pieces)}
    weights = load_file(model / "model.safetensors")
    table = weights["embeddings.word_embeddings.weight"]
    mean = table.mean(0)
    rows = np.stack([_row(piece, full, table, mean) for piece in pieces])
    kept = {
        name: array.astype(np.float16)
        for name, array in weights.items()
        if name.startswith(("encoder.", "embeddings.LayerNorm"))
    }
    kept["places"] = (
        weights["embeddings.position_embeddings.weight"][: wording.LONGEST]
        + weights["embeddings.token_type_embeddings.weight"][0]
    ).astype(np.float16)
    kept["words"] = rows.astype(np.float16)
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "start.npz", **kept)
    (folder / "vocabulary.txt").write_text("\n".join(pieces), encoding="utf-8")
    for name, some in (("train", texts), ("develop", read(DATA / "heldout-1.txt"))):
        told = [
            (*(part[: wording.LONGEST - 2] for part in wording.cut(plain_form(text.text).lower(), numbers)),
             int(text.attack), text.fold, text.language)
            for text in some
        ]  # fmt: skip
        (folder / f"{name}.json").write_text(json.dumps(told))
    unknown = np.mean([number == wording.UNKNOWN for one in told for number in one[0]])
    print(json.dumps({"pieces": len(pieces), "texts": len(texts), "attacks": sum(text.attack for text in texts),
                      "unknown_in_develop": round(float(unknown), 4)}))  # fmt: skip


def _row(piece: str, full: dict[str, int], table: np.ndarray, mean: np.ndarray) -> np.ndarray:
    if piece in full:
        return table[full[piece]]
    numbers = [number for number in wording._pieces(piece.removeprefix("##"), full) if number != wording.UNKNOWN]
    return table[numbers].mean(0) if numbers and numbers != [0] else mean


def pack(folder: Path, out: Path) -> None:
    """Writes the weights into the package; the head, whose word counts beside the encoder's, must have been made."""
    told = json.loads((out / "told.json").read_text())
    arrays = {**np.load(out / "words.npz"), **np.load(out / "layers.npz")}
    arrays = {name: array.astype(np.float32) for name, array in arrays.items()}
    flag_at, refuse_at = _thresholds(told["left_out"])
    raw = wording.packed(
        (folder / "vocabulary.txt").read_text("utf-8").split("\n"),
        {name: array for name, array in arrays.items() if array.ndim == 2}, arrays["offsets"],
        layers=told["layers"], heads=12,
        thresholds={"pass_at": PASS_AT, "head_weight": HEAD_WEIGHT, "flag_at": flag_at, "refuse_at": refuse_at},
    )  # fmt: skip
    (Path(wording.__file__).parents[1] / wording.WEIGHTS).write_bytes(raw)
    print(json.dumps({"bytes": len(raw), "flag_at": flag_at, "refuse_at": refuse_at}))


def _thresholds(found: dict[str, float]) -> tuple[float, float]:
    """What few and what hardly any harmless texts reach of those that neither head nor encoder learned from."""
    of = problem(training_texts())
    sums = out_of_fold(of, RIDGES)
    both = np.array([weighed + HEAD_WEIGHT * sums[int(at)] for at, weighed in found.items() if not of.attack[int(at)]])
    return threshold(both, FALSE_AT_MOST), threshold(both, REFUSED_AT_MOST)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("prepare", "pack"))
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    options = parser.parse_args()
    (prepare if options.step == "prepare" else pack)(options.first, options.second)


if __name__ == "__main__":
    main()
