"""Learns the layer and the head by which the reader says whether a text answers a question. Needs torch.

    python -m training.answers.learn WEIGHTS STATES.npz           lays down what the layers below say of every pair
    python training/answers/learn.py STATES.npz LAST.npz          learns; needs torch and nothing of ours
    python -m training.answers.learn WEIGHTS LAST.npz WEIGHTS     writes the weights with the learned layer in them

The layers below, which every judgement shares, stay as they are, so that what the reader says of changes and kinds does
not move. Pairs come from three of four small palaces (`data`), from half of the grid of attributes and from items of
change; the fourth palace of each four is reported and stops the learning nowhere.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

EPOCHS, RATE, SIZE = 3, 2e-4, 64
ITEMS, GRID = 16_000, 700
LONGEST = 64
DROP = 0.2
TEMPERATURE = 1.2


def lay_down(weights: Path, out: Path) -> None:
    """The states of every pair before the last layer, with where its texts begin and end."""
    import random

    from palazzo.text.reader import encoder as reader
    from training.answers.worlds import LEARNED, PARTS, worlds
    from training.reader.prepare import of_answers, of_user
    from training.relevance import grid

    of = reader.unpacked(weights.read_bytes())
    assert of is not None
    rng = random.Random(5)
    pairs: list[tuple[str, str, int, int, int]] = []
    group = 0
    for part in range(PARTS):
        for world in worlds((part,)):
            for cue in dict.fromkeys(cue for cue, _, _ in world.pairs()):
                group += 1
                told = [(text, label) for asked, text, label in world.pairs() if asked == cue]
                pairs += [(cue, text, label, group, int(part not in LEARNED)) for text, label in told]
                if part in LEARNED:
                    pairs += [(cue, of_user(text), label, group, 0) for text, label in told if rng.random() < 0.4]
    some = [one for number, one in enumerate(grid.attributes()) if number % 4 < 2]
    pairs += [(cue, text, label, -1, 2) for cue, text, label, _ in grid.pairs(some, GRID, rng)]
    items = [one for one in of_answers("train", rng) if one.group >= 0]
    pairs += [(one.first, one.second, one.label, -1, 2) for one in rng.sample(items, ITEMS)]
    cuts = {text: reader.cut(text, *_tables(of))[:LONGEST] for pair in pairs for text in pair[:2]}
    states, spans = [], []
    at = 0
    for begin in range(0, len(pairs), 256):
        rows: list[int] = []
        sides: list[int] = []
        marks: list[tuple[int, int, int]] = []
        for first, second, *_ in pairs[begin : begin + 256]:
            start = len(rows)
            rows += [reader.OPENING, *cuts[first], reader.CLOSING]
            middle = len(rows)
            rows += [*cuts[second], reader.CLOSING]
            sides += [0] * (middle - start) + [1] * (len(rows) - middle)
            marks.append((start, middle, len(rows)))
        bounds = [(start, end) for start, _, end in marks]
        found = reader.entered(of, rows, bounds, of.marks[np.array(sides)])
        for layer in of.layers[:2]:
            found = reader.through(found, bounds, layer, of.attention_heads)
        states.append(found.astype(np.float16))
        spans += [(at + start, at + middle, at + end) for start, middle, end in marks]
        at += len(rows)
    last = of.layers[2]
    tables = {name: getattr(last, name) for name in ("asked", "mixed", "wide", "narrow")}
    fields = {name: (table.opened, table.offset) for name, table in tables.items()}
    fields |= {name: getattr(last, name) for name in ("mixed_norm", "narrow_norm")}
    given = {f"{name}_{part}": both[part] for name, both in fields.items() for part in (0, 1)}
    np.savez(
        out, states=np.concatenate(states), spans=np.array(spans),
        told=np.array([pair[2:] for pair in pairs]), head_0=of.heads["answers"][0], head_1=of.heads["answers"][1],
        **given,
    )  # fmt: skip


def _tables(of: object) -> tuple[object, ...]:
    translated = getattr(of, "translated", None)
    return (of.vocabulary,) if translated is None else (of.vocabulary, translated)  # type: ignore[attr-defined]


def learn(given: Path, out: Path) -> None:
    import torch
    from torch.nn import functional as F  # noqa: N812

    torch.set_num_threads(1)
    torch.manual_seed(3)
    raw = dict(np.load(given))
    states, spans, told = raw["states"], raw["spans"], raw["told"]
    names = [name for name in raw if name not in ("states", "spans", "told")]
    weights = {name: torch.nn.Parameter(torch.tensor(raw[name].astype(np.float32))) for name in names}
    width = weights["asked_0"].shape[0]
    means = np.zeros((len(spans), 2 * width), np.float32)
    for row, (start, middle, end) in enumerate(spans):
        one, other = (
            states[a:b].astype(np.float32).mean(0) if b > a else np.zeros(width, np.float32)
            for a, b in ((start + 1, middle - 1), (middle, end - 1))
        )
        means[row, :width], means[row, width:] = one - other, one * other

    def normed(found: torch.Tensor, name: str) -> torch.Tensor:
        return F.layer_norm(found, (width,), weights[f"{name}_0"], weights[f"{name}_1"], 1e-12)

    def logits(rows: np.ndarray, drop: float) -> torch.Tensor:
        lengths = spans[rows, 2] - spans[rows, 0]
        table = np.zeros((len(rows), lengths.max(), width), np.float32)
        for at, (start, _, end) in enumerate(spans[rows]):
            table[at, : end - start] = states[start:end]
        x = torch.tensor(table)
        real = torch.arange(table.shape[1])[None] < torch.tensor(lengths)[:, None]
        asked = x @ weights["asked_0"] + weights["asked_1"]
        heads = width // 32
        q, k, v = asked.view(len(rows), -1, 3, heads, 32).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q[:, :, :1], k, v, attn_mask=real[:, None, None, :])
        first = x[:, 0]
        mixed = mixed.reshape(len(rows), width) @ weights["mixed_0"] + weights["mixed_1"]
        first = normed(first + F.dropout(mixed, drop, drop > 0), "mixed_norm")
        inner = first @ weights["wide_0"] + weights["wide_1"]
        inner = (inner * torch.sigmoid(1.702 * inner)) @ weights["narrow_0"] + weights["narrow_1"]
        first = normed(first + F.dropout(inner, drop, drop > 0), "narrow_norm")
        seen = F.dropout(torch.cat([first, torch.tensor(means[rows])], 1), drop, drop > 0)
        return (seen @ weights["head_0"] + weights["head_1"])[:, 0]

    def reported() -> dict[str, float]:
        rows = np.flatnonzero(told[:, 2] == 1)
        with torch.no_grad():
            found = np.concatenate([logits(rows[at : at + 256], 0).numpy() for at in range(0, len(rows), 256)])
        label, group = told[rows, 0], told[rows, 1]
        yes = np.array([found[(group == g) & (label == 1)].max() for g in np.unique(group[label == 1])])
        asked = np.setdiff1d(group, group[label == 1])
        no = np.array([found[group == g].max() for g in asked])
        ranks = float((found[label == 1][:, None] > found[label == 0][None]).mean())
        silent = {str(s): round(float((no < np.quantile(yes, s)).mean()), 3) for s in (0.03, 0.05, 0.1)}
        return {"ranks": round(ranks, 4)} | silent

    rng = np.random.default_rng(3)
    optimiser = torch.optim.AdamW(weights.values(), lr=RATE, weight_decay=0.05)
    learned = {part: np.flatnonzero(told[:, 2] == part) for part in (0, 2)}
    began, done = time.time(), 0
    steps = EPOCHS * 2 * -(-len(learned[0]) // SIZE)
    print(json.dumps({"before": reported(), "pairs": {k: len(v) for k, v in learned.items()}}), flush=True)
    for epoch in range(EPOCHS):
        batches = []
        for rows in learned.values():
            order = rng.permutation(rows)[: len(learned[0])]  # of the others as many as of the palaces, anew each time
            for begin in range(0, len(order), 16 * SIZE):
                chunk = order[begin : begin + 16 * SIZE]
                chunk = chunk[np.argsort(spans[chunk, 2] - spans[chunk, 0], kind="stable")]
                batches += [chunk[at : at + SIZE] for at in range(0, len(chunk), SIZE)]
        for number in rng.permutation(len(batches)):
            rows = batches[number]
            labels = torch.tensor(told[rows, 0]).float()
            counts = torch.where(labels > 0, 1.5, 1.0)
            smoothed = 0.97 * labels + 0.015
            loss = F.binary_cross_entropy_with_logits(logits(rows, DROP), smoothed, weight=counts)
            done += 1
            for group in optimiser.param_groups:
                group["lr"] = RATE * min(1.0, done / (0.06 * steps)) * max(0.0, 1 - done / (steps + 1))
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(list(weights.values()), 1.0)
            optimiser.step()
        print(json.dumps({"epoch": epoch, "seconds": round(time.time() - began), "reported": reported()}), flush=True)
    np.savez(out, **{name: p.detach().numpy() for name, p in weights.items()})


def grafted(weights: bytes, last: dict[str, np.ndarray], temperature: float) -> bytes:
    """The file of weights with the learned layer behind the others, and the learned head in place of the old one."""
    from palazzo.text.reader import encoder as reader

    magic, told, spelled = reader._HEADER.unpack_from(weights)
    start = reader._HEADER.size + told
    header = json.loads(weights[reader._HEADER.size : start])
    offsets = np.frombuffer(weights, np.float32, header["offsets"], len(weights) - 4 * header["offsets"])
    tables = weights[start + spelled : len(weights) - 4 * header["offsets"]]
    width, wide, number = header["width"], header["wide"], header["layers"]
    if header.get("own_last"):
        raise SystemExit("these weights have a layer of their own already")
    below = 2 * width + number * (3 * width + width + 2 * width + wide + width + 2 * width)
    fields = (
        "asked_1",
        "mixed_1",
        "mixed_norm_0",
        "mixed_norm_1",
        "wide_1",
        "narrow_1",
        "narrow_norm_0",
        "narrow_norm_1",
    )
    heads: list[np.ndarray] = []
    at = below
    features = (len(offsets) - below) // sum(count for _, count in header["heads"]) - 1
    for name, count in header["heads"]:
        old = offsets[at : at + count * (features + 1)]
        at += len(old)
        heads.append(np.concatenate([last["head_0"].T.ravel(), last["head_1"]]) if name == "answers" else old)
    offsets = np.concatenate([offsets[:below], *(last[field] for field in fields), *heads]).astype(np.float32)
    for name in ("asked", "mixed", "wide", "narrow"):
        table = last[f"{name}_0"].T
        steps = np.maximum(np.abs(table).max(axis=1), 1e-8).astype(np.float32) / np.float32(127)
        tables += steps.tobytes() + np.rint(table / steps[:, None]).astype(np.int8).tobytes()
        header["arrays"].append([f"{name}{number}", *table.shape])
    header |= {"layers": number + 1, "own_last": {"answers": number}, "offsets": len(offsets)}
    header["size"] = len(tables) + 4 * len(offsets)
    header["figures"]["answers_temperature"] = temperature
    written = json.dumps(header).encode()
    said = weights[start : start + spelled]
    return bytes(reader._HEADER.pack(magic, len(written), spelled) + written + said + tables + offsets.tobytes())


if __name__ == "__main__":
    first, second, *third = map(Path, sys.argv[1:])
    if third:
        third[0].write_bytes(grafted(first.read_bytes(), dict(np.load(second)), TEMPERATURE))
    elif first.suffix == ".npz":
        learn(first, second)
    else:
        lay_down(first, second)
