"""Makes the small encoder that reads doubtful passages: its vocabulary here, its weights on a machine with torch.

    python -m training.injection.encoder prepare MINILM_FOLDER FOLDER
    python training/injection/encoder_learn.py FOLDER OUT        (torch alone is needed)
    python -m training.injection.encoder pack FOLDER OUT

or, to go on from the weights of the package with texts they never saw:

    python -m training.injection.encoder again FOLDER FILE
    python training/injection/encoder_learn.py FOLDER OUT --from FOLDER
    python -m training.injection.encoder pack FOLDER OUT

`prepare` cuts the training texts with the package's own cutting, over a vocabulary that is MiniLM's most frequent
pieces, the pieces our texts use, and words and signs of other languages that MiniLM would spell letter by letter.
`pack` writes the weights into the package as bytes. Thresholds are chosen on the development file, from which nothing
is learned; the held-out file is read by `bench.injection` alone.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np

from palazzo.text.reader import encoder, weights
from palazzo.text.safety import injection_head as head
from palazzo.text.safety import wording
from palazzo.text.safety.injection import plain_form
from training.injection.train import DATA, TWINS, Text, ordinary_texts, read, threshold, training_texts
from training.reader import packing

FREQUENT = 7_000
PASS_AT = -1.4
"""What the head must say for the encoder to read: nearly all attacks of the development set pass."""
HEAD_WEIGHT = 0.7
FALSE_AT_MOST = 0.01
"""Of the harmless texts of the development file, two thirds of which come close to an attack."""
NEVER = 1e3
LEFT = 0
"""The fold that stays out of the student whose harmless texts say what is never refused."""
REFUSED_ABOVE = 4.0
"""How far above what any of these harmless texts reaches a text is refused, which loses it; they are few."""
DEVELOP = ("develop-5.txt",)
"""Thresholds are chosen on it, nothing is learned from it."""
SPECIAL = ("[UNK]", "[CLS]", "[SEP]")
_WORD = re.compile(r"[^\W\d_]+")


def vocabulary(full: dict[str, int], texts: list[Text]) -> list[str]:
    """The pieces of the small encoder, in their order."""
    found: dict[str, None] = dict.fromkeys(SPECIAL)
    known = {piece: number for piece, number in full.items() if not piece.startswith("[")}
    numbers = {number: piece for piece, number in known.items()}
    found.update((piece, None) for piece, number in sorted(known.items(), key=lambda at: at[1]) if number < FREQUENT)
    used: Counter[str] = Counter()
    signs: Counter[str] = Counter()
    words: Counter[str] = Counter()
    beginnings: Counter[str] = Counter()
    endings: Counter[str] = Counter()
    for text in texts:
        lowered = plain_form(text.text).lower()
        used.update(numbers[number] for number in wording.cut(lowered, known)[0] if number in numbers)
        signs.update(sign for sign in lowered if re.match(f"[{encoder.HAN}]", sign))
        if text.language == "en":
            continue
        for word in {head.folded(one) for one in _WORD.findall(lowered) if not re.match(f"[{encoder.HAN}]", one)}:
            words[word] += 1
            if not word.isascii():
                beginnings.update(word[:size] for size in (3, 4, 5, 6) if len(word) > size)
                endings.update(f"##{word[-size:]}" for size in (2, 3, 4) if len(word) > size + 2)
    found.update((piece, None) for piece, count in used.items() if count >= 3)
    found.update((sign, None) for sign in signs)
    found.update((word, None) for word, count in words.items() if count >= 4 and len(word) >= 3)
    found.update((part, None) for part, count in (beginnings + endings).items() if count >= 5)
    letters = {letter for word in words for letter in word}
    found.update((f"{before}{letter}", None) for letter in sorted(letters) for before in ("", "##"))
    return list(found)


def prepare(model: Path, folder: Path) -> None:
    from safetensors.numpy import load_file

    full = {piece: number for number, piece in enumerate((model / "vocab.txt").read_text("utf-8").splitlines())}
    texts = training_texts()
    pieces = vocabulary(full, texts)
    texts += ordinary_texts()
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
        weights["embeddings.position_embeddings.weight"][: encoder.LONGEST]
        + weights["embeddings.token_type_embeddings.weight"][0]
    ).astype(np.float16)
    kept["words"] = rows.astype(np.float16)
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "start.npz", **kept)
    laid_down(folder, pieces, texts, frozenset())


def again(folder: Path, new: Path) -> None:
    """Lays down the weights of the package beside the texts; those of one file are new to them."""
    of = wording.encoder()
    if of is None:
        raise SystemExit("the weights of the package cannot be read")
    tables = {"places": of.places, "concept": of.marks}
    offsets = [*of.norm]
    for number, layer in enumerate(of.layers):
        for name in ("asked", "mixed", "wide", "narrow"):
            tables[f"{name}{number}"] = getattr(layer, name).opened.T
        offsets += [layer.asked.offset, layer.mixed.offset, *layer.mixed_norm, layer.wide.offset, layer.narrow.offset,
                    *layer.narrow_norm]  # fmt: skip
    offsets += [part.reshape(-1) for part in of.heads["wording"]]
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "words.npz", words=of.words * of.steps[:, None])
    np.savez(folder / "layers.npz", offsets=np.concatenate(offsets), **tables)
    laid_down(folder, list(of.vocabulary), [*training_texts(), *ordinary_texts()], frozenset(read(new)))


def laid_down(folder: Path, pieces: list[str], texts: list[Text], new: frozenset[Text]) -> None:
    """Writes the texts as the encoder cuts them: of a harmless one every passage as well, which is read by itself."""
    numbers = {piece: number for number, piece in enumerate(pieces)}
    (folder / "vocabulary.txt").write_text("\n".join(pieces), encoding="utf-8")
    for name, some in (("train", texts), ("develop", [text for held in DEVELOP for text in read(DATA / held)])):
        told = []
        for text in some:
            lowered = plain_form(text.text).lower()
            parts = [] if text.attack or name == "develop" else head.passages(lowered)
            for part in {lowered: None, **dict.fromkeys(parts)}:
                cut = wording.cut(part, numbers)
                told.append((*cut, int(text.attack), text.fold, text.language, int(text in new)))
        (folder / f"{name}.json").write_text(json.dumps(told))
    unknown = np.mean([number == encoder.UNKNOWN for one in told for number in one[0]])
    print(json.dumps({"pieces": len(pieces), "texts": len(texts), "attacks": sum(text.attack for text in texts),
                      "unknown_in_develop": round(float(unknown), 4)}))  # fmt: skip


def _row(piece: str, full: dict[str, int], table: np.ndarray, mean: np.ndarray) -> np.ndarray:
    if piece in full:
        return table[full[piece]]
    numbers = [
        number for number in encoder.pieces(piece.removeprefix("##"), full, head.folded) if number != encoder.UNKNOWN
    ]
    return table[numbers].mean(0) if numbers and numbers != [0] else mean


def pack(folder: Path, out: Path) -> None:
    """Writes the weights into the package; the head, whose word counts beside the encoder's, must have been made."""
    left, whole = (
        wording.fitting(weights.unpacked(packed(folder, at, {"flag_at": -NEVER, "refuse_at": NEVER})))
        for at in (out / "left", out)
    )
    if left is None or whole is None:
        raise SystemExit("the weights cannot be read back")
    develop = [text for held in DEVELOP for text in read(DATA / held)]
    both, attack = _sums(whole, develop)
    flag_at = threshold(both[~attack], FALSE_AT_MOST)
    print(json.dumps({"caught": round(float((both[attack] >= flag_at).mean()), 4), "of": int(attack.sum())}))
    both, attack = _sums(left, [*develop, *(text for text in read(DATA / TWINS) if text.fold == LEFT)])
    refuse_at = float(both[~attack].max()) + REFUSED_ABOVE
    raw = packed(folder, out, {"flag_at": flag_at, "refuse_at": refuse_at})
    (Path(wording.__file__).parents[1] / wording.WEIGHTS).write_bytes(raw)
    print(json.dumps({"bytes": len(raw), "flag_at": flag_at, "refuse_at": refuse_at}))


def packed(folder: Path, out: Path, thresholds: dict[str, float]) -> bytes:
    arrays = {**np.load(out / "words.npz"), **np.load(out / "layers.npz")}
    arrays = {name: array.astype(np.float32) for name, array in arrays.items()}
    return packing.packed(
        (folder / "vocabulary.txt").read_text("utf-8").split("\n"),
        {name: array for name, array in arrays.items() if array.ndim == 2}, arrays["offsets"],
        heads=[("wording", 1)], figures={"pass_at": PASS_AT, "head_weight": HEAD_WEIGHT, **thresholds},
        concepts=head.lexicon().names,
    )  # fmt: skip


def _sums(of: encoder.Encoder, texts: list[Text]) -> tuple[np.ndarray, np.ndarray]:
    """What head and encoder say together of each text, and which of them are attacks."""
    by_head = head.head()
    if by_head is None:
        raise SystemExit("the weights of the head cannot be read")
    found = wording.sums(by_head, of, [plain_form(text.text).lower() for text in texts])
    both = np.array([max(worst, default=-NEVER) if read else -NEVER for worst, read in found])
    return both, np.array([text.attack for text in texts])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("prepare", "again", "pack"))
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    options = parser.parse_args()
    {"prepare": prepare, "again": again, "pack": pack}[options.step](options.first, options.second)


if __name__ == "__main__":
    main()
