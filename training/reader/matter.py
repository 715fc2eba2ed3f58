"""Learns the map by which a newer statement finds the older ones of its matter (`palazzo.text.reader.matter`).

    python -m training.reader.matter

A turn of the built-in embedder's vectors, learned from the items (`training/change`) in a minute on a processor: what
replaces a statement or says the same shall be nearer to it than to the other statements of its batch. Development
items say how often the right one is among the nearest of a palace of a dozen, before and after, and how near pairs
without a shared word are that are read beside a change. Seeds fixed.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from palazzo.adapters.wordllama_embedder import WordLlamaEmbedder
from palazzo.intake.changed import WORD_COUNTS
from palazzo.intake.known import matter_of
from palazzo.text.reader import encoder, matter
from training.reader.prepare import PLAIN, items

ROUNDS, RATE, SHARP, HELD_BACK, BATCH = 6, 1e-3, 14.0, 1e-4, 512
BESIDE = 12
INSTALLED = Path(encoder.__file__).parents[1] / matter.WEIGHTS
Floats = NDArray[np.float32]
Pair = tuple[str, str]


def told(part: str) -> list[tuple[Pair, int]]:
    """Newer statements, each with the older one of its matter and the number of its item."""
    plain = (one for one in items(part) if one["author"] in PLAIN)
    return [
        ((new, one["old"]), number)
        for number, one in enumerate(plain)
        for new in (*one["replaces"], *(one["same"] if part == "train" else ()))
    ]


def embedded(texts: list[str]) -> Floats:
    embedder = WordLlamaEmbedder()
    return np.concatenate([embedder.embed(texts[at : at + 1000]) for at in range(0, len(texts), 1000)])


def learned(pairs: list[tuple[Pair, int]]) -> Floats:
    newer, older = (embedded([pair[side] for pair, _ in pairs]) for side in (0, 1))
    item = np.array([number for _, number in pairs])
    start: Floats = np.eye(matter.WIDTH, dtype=np.float32)
    found, mean, square = start.copy(), np.zeros_like(start), np.zeros_like(start)
    rng, step, own = np.random.default_rng(0), 0, np.arange(BATCH)
    for round_ in range(ROUNDS):
        order, lost = rng.permutation(len(pairs)), 0.0
        batches = [order[at : at + BATCH] for at in range(0, len(order) - BATCH + 1, BATCH)]
        for some in batches:
            turned = newer[some] @ found
            length = np.linalg.norm(turned, axis=1, keepdims=True)
            unit = turned / length
            near = SHARP * unit @ older[some].T
            of_one = item[some][:, None] == item[some][None]
            np.fill_diagonal(of_one, val=False)
            near[of_one] = -1e9
            odds = np.exp(near - near.max(1, keepdims=True))
            odds /= odds.sum(1, keepdims=True)
            lost -= float(np.log(odds[own, own] + 1e-9).mean()) / len(batches)
            odds[own, own] -= 1
            slope = odds @ older[some] * (SHARP / BATCH)
            slope = (slope - unit * (slope * unit).sum(1, keepdims=True)) / length
            slope = newer[some].T @ slope + HELD_BACK * (found - start)
            step += 1
            mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
            found -= RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        print(json.dumps({"round": round_ + 1, "loss": round(lost, 3)}), flush=True)
    return found


def figures(found: Floats, pairs: list[Pair]) -> dict[str, object]:
    """How often the right one of a dozen is among the nearest, and how near others without a shared word are."""
    rng, pool = random.Random(1), sorted({old for _, old in pairs})
    palaces = [[old, *[one for one in rng.sample(pool, BESIDE + 1) if one != old][:BESIDE]] for _, old in pairs]
    newer = embedded([new for new, _ in pairs])
    older = embedded([text for held in palaces for text in held]).reshape(len(pairs), BESIDE + 1, -1)
    shared = np.array(
        [
            [len(matter_of(new) & matter_of(text)) for text in held]
            for (new, _), held in zip(pairs, palaces, strict=True)
        ]
    )
    turned = newer @ found
    turned /= np.linalg.norm(turned, axis=1, keepdims=True)
    result: dict[str, object] = {"pairs": len(pairs)}
    for name, vectors in (("before", newer), ("after", turned)):
        cosine = np.einsum("pd,pcd->pc", vectors, older)
        near = cosine + WORD_COUNTS * shared
        rank = (near > near[:, :1]).sum(1)
        result[name] = {f"among {many}": round(float((rank < many).mean()), 3) for many in (1, 2, 3, 4, 5)}
        best = np.argsort(-near, axis=1)[:, :3]
        beside = np.take_along_axis(cosine, best, 1)[(best > 0) & (np.take_along_axis(shared, best, 1) == 0)]
        right = cosine[:, 0][shared[:, 0] == 0]
        result[f"{name}, cosine that one in twenty beside it has"] = round(float(np.quantile(beside, 0.95)), 3)
        result[f"{name}, changes without a word that have it"] = round(
            float((right >= np.quantile(beside, 0.95)).mean()), 3
        )
    return result


def main() -> None:
    found = learned(told("train"))
    INSTALLED.write_bytes(matter.packed(found))
    print(json.dumps(figures(found, [pair for pair, _ in told("develop")]), indent=1))


if __name__ == "__main__":
    main()
