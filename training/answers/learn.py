"""Learns the last layer by which the reader says whether a text answers a question. Needs torch.

    python -m training.answers.learn WEIGHTS STATES.npz           lays down what the layers below say of every pair
    python training/answers/learn.py STATES.npz LAST.npz          learns; needs torch and nothing of ours
    python -m training.answers.learn WEIGHTS LAST.npz WEIGHTS     writes the weights with the learned layer in them

The layers below, which every judgement shares, stay as they are, so that what the reader says of changes and kinds does
not move; of the last layer two thin tables beside each of its tables are learned, with the head. Pairs come from three
of four small palaces (`data`), from questions with what answers them and what only looks like it (`asked`), from
general questions (`classes`), half of the grid of attributes and items of change. The fourth palace of each four and
every eighth question are reported and stop the learning nowhere. `--without AUTHOR` leaves the questions of one author
out and reports all of them: that is how well it judges what somebody wrote of whom it has seen nothing. With `--like
OTHER` where the states are laid down, it learns to say what other weights say of the same pairs, whatever their labels.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

ROUNDS, RATE, SIZE, RANK = 2, 3e-4, 64, 32
WORLD_TEXTS, ITEMS, GRID = 2, 8_000, 700
EACH = {"world": 24_000, "other": 8_000, "asked": 24_000}
"""Pairs of a round, drawn anew for each."""
LONGEST = 64
DROP = 0.25
SURE = 7.0
"""Logits of other weights beyond this are all the same."""
TEMPERATURE = 1.2
TABLES = ("asked", "mixed", "wide", "narrow")
SORTS = ("world", "world reported", "other", "asked", "asked reported")
WHOLE = (
    "asked_1", "mixed_1", "mixed_norm_0", "mixed_norm_1", "wide_1", "narrow_1", "narrow_norm_0", "narrow_norm_1",
)  # fmt: skip
"""What the layer has of its own as a whole, in the order of the file."""


def told_pairs() -> tuple[list[tuple[str, str, int, int, int, int]], list[str]]:
    """Question, text, label, group, sort and author of every pair, and the authors."""
    import random

    from palazzo.text.words.parsed import parsed
    from training.answers.worlds import LEARNED, PARTS, general, worlds
    from training.reader.prepare import ASKED_PARTS, asked, of_answers, of_user
    from training.relevance import grid

    rng = random.Random(5)
    pairs: list[tuple[str, str, int, int, int, int]] = []
    group = 0
    for part in range(PARTS):
        for world in worlds((part,)):
            for cue in dict.fromkeys(cue for cue, _, _ in world.pairs()):
                group += 1
                told = [(text, label) for question, text, label in world.pairs() if question == cue]
                if part not in LEARNED:
                    pairs += [(cue, text, label, group, 1, -1) for text, label in told if not group % 4]
                    continue
                no = [pair for pair in told if not pair[1]]
                for text, label in [*(pair for pair in told if pair[1]), *rng.sample(no, min(WORLD_TEXTS, len(no)))]:
                    pairs.append((cue, of_user(text) if rng.random() < 0.3 else text, label, group, 0, -1))
    some = [one for number, one in enumerate(grid.attributes()) if number % 4 < 2]
    pairs += [(cue, text, label, -1, 2, -1) for cue, text, label, _ in grid.pairs(some, GRID, rng)]
    pairs += [(cue, text, label, -1, 2, -1) for cue, text, label in general(rng)]
    items = [one for one in of_answers("train", rng) if one.group >= 0]
    pairs += [(one.first, one.second, one.label, -1, 2, -1) for one in rng.sample(items, ITEMS)]
    authors: list[str] = []
    for number, item in enumerate(asked()):
        group += 1
        if item["author"] not in authors:
            authors.append(item["author"])
        english = item.get("language", "en") == "en"
        reported = not number % ASKED_PARTS
        for label, texts in ((1, item["answers"]), (0, item["near"])):
            for text in texts:
                both = (item["question"], text) if english else (parsed(item["question"]).gloss, parsed(text).gloss)
                rest = (label, group, 4 if reported else 3, authors.index(item["author"]))
                pairs.append((*both, *rest))
                if english and not reported and rng.random() < 0.4:
                    pairs.append((item["question"], of_user(text), *rest))
    return pairs, authors


def lay_down(weights: Path, out: Path, like: Path | None) -> None:
    """The states of every pair before the last layer, with where its texts begin and end, and what others say of it."""
    from palazzo.text.reader import encoder as reader
    from palazzo.text.reader.weights import unpacked

    of = unpacked(weights.read_bytes())
    assert of is not None
    pairs, authors = told_pairs()
    cuts = {text: reader.cut(text, of.vocabulary, of.translated)[:LONGEST] for pair in pairs for text in pair[:2]}
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
    fields = {name: (getattr(last, name).opened, getattr(last, name).offset) for name in TABLES}
    fields |= {name: getattr(last, name) for name in ("mixed_norm", "narrow_norm")}
    given = {f"{name}_{part}": both[part] for name, both in fields.items() for part in (0, 1)}
    other = unpacked(like.read_bytes()) if like else None
    said = [] if other is None else [
        reader.logits(other, "answers", [(first, second) for first, second, *_ in pairs[at : at + 64]])[:, 0]
        for at in range(0, len(pairs), 64)
    ]  # fmt: skip
    given |= {"said": np.concatenate(said)} if said else {}
    np.savez(
        out, states=np.concatenate(states), spans=np.array(spans), told=np.array([pair[2:] for pair in pairs]),
        authors=np.array(authors), head_0=of.heads["answers"][0], head_1=of.heads["answers"][1], **given,
    )  # fmt: skip


def learn(given: Path, out: Path, without: str) -> None:
    import torch
    from torch.nn import functional as F  # noqa: N812

    torch.set_num_threads(1)
    torch.manual_seed(3)
    raw = dict(np.load(given))
    states, spans, told = (raw.pop(name) for name in ("states", "spans", "told"))
    authors = raw.pop("authors").tolist()
    said_before = raw.pop("said", None)
    left_out = told[:, 3] == authors.index(without) if without else np.zeros(len(told), bool)
    shared = {name: torch.tensor(table.astype(np.float32)) for name, table in raw.items()}
    width = shared["asked_0"].shape[0]
    learned = {name: torch.nn.Parameter(table.clone()) for name, table in shared.items() if name[:-2] not in TABLES}
    learned |= {f"{name}_1": torch.nn.Parameter(shared[f"{name}_1"].clone()) for name in TABLES}
    for name in TABLES:
        rows, columns = shared[f"{name}_0"].shape
        learned[f"{name}_in"] = torch.nn.Parameter(torch.randn(rows, RANK) * rows**-0.5)
        learned[f"{name}_out"] = torch.nn.Parameter(torch.zeros(RANK, columns))
    means = np.zeros((len(spans), 2 * width), np.float32)
    for row, (start, middle, end) in enumerate(spans):
        one, other = (
            states[a:b].astype(np.float32).mean(0) if b > a else np.zeros(width, np.float32)
            for a, b in ((start + 1, middle - 1), (middle, end - 1))
        )
        means[row, :width], means[row, width:] = one - other, one * other

    def by(name: str, found: torch.Tensor) -> torch.Tensor:
        table = shared[f"{name}_0"] + learned[f"{name}_in"] @ learned[f"{name}_out"]
        return found @ table + learned[f"{name}_1"]

    def normed(found: torch.Tensor, name: str) -> torch.Tensor:
        return F.layer_norm(found, (width,), learned[f"{name}_0"], learned[f"{name}_1"], 1e-12)

    def logits(rows: np.ndarray, drop: float) -> torch.Tensor:
        lengths = spans[rows, 2] - spans[rows, 0]
        table = np.zeros((len(rows), lengths.max(), width), np.float32)
        for at, (start, _, end) in enumerate(spans[rows]):
            table[at, : end - start] = states[start:end]
        x = torch.tensor(table)
        real = torch.arange(table.shape[1])[None] < torch.tensor(lengths)[:, None]
        q, k, v = by("asked", x).view(len(rows), -1, 3, width // 32, 32).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q[:, :, :1], k, v, attn_mask=real[:, None, None, :])
        mixed = by("mixed", mixed.reshape(len(rows), width))
        first = normed(x[:, 0] + F.dropout(mixed, drop, drop > 0), "mixed_norm")
        inner = by("wide", first)
        inner = by("narrow", inner * torch.sigmoid(1.702 * inner))
        first = normed(first + F.dropout(inner, drop, drop > 0), "narrow_norm")
        seen = F.dropout(torch.cat([first, torch.tensor(means[rows])], 1), drop, drop > 0)
        return (seen @ learned["head_0"] + learned["head_1"])[:, 0]

    def reported() -> dict[str, dict[str, float]]:
        found = {}
        for name, chosen in (
            *((sort, told[:, 2] == SORTS.index(sort)) for sort in SORTS if sort.endswith("reported")),
            (without, left_out),
        ):
            rows = np.flatnonzero(chosen)
            if not len(rows):
                continue
            with torch.no_grad():
                said = np.concatenate([logits(rows[at : at + 256], 0).numpy() for at in range(0, len(rows), 256)])
            label, group = told[rows, 0], told[rows, 1]
            yes = np.array([said[(group == g) & (label == 1)].max() for g in np.unique(group[label == 1])])
            none = np.setdiff1d(group, group[label == 1])
            no = np.array([said[(group == g) & (label == 0)].max() for g in (none if len(none) else np.unique(group))])
            ranks = float((said[label == 1][:, None] > said[label == 0][None]).mean())
            silent = {str(s): round(float((no < np.quantile(yes, s)).mean()), 3) for s in (0.03, 0.05, 0.1)}
            found[name] = {"ranks": round(ranks, 4)} | silent
        return found

    rng = np.random.default_rng(3)
    optimiser = torch.optim.AdamW(learned.values(), lr=RATE, weight_decay=0.02)
    began, done = time.time(), 0
    print(json.dumps({"before": reported()}), flush=True)

    def batches() -> list[np.ndarray]:
        found = []
        for sort, many in EACH.items():
            rows = np.flatnonzero((told[:, 2] == SORTS.index(sort)) & ~left_out)
            order = rng.permutation(rows)
            if sort == "world":  # a third answers
                yes = told[order, 0] == 1
                order = rng.permutation(np.concatenate([order[yes][: many // 3], order[~yes][: many - many // 3]]))
            for begin in range(0, min(many, len(order)), 16 * SIZE):
                chunk = order[begin : min(begin + 16 * SIZE, many)]
                chunk = chunk[np.argsort(spans[chunk, 2] - spans[chunk, 0], kind="stable")]
                found += [chunk[at : at + SIZE] for at in range(0, len(chunk), SIZE)]
        return [found[number] for number in rng.permutation(len(found))]

    steps = ROUNDS * len(batches())
    for round_ in range(ROUNDS):
        for rows in batches():
            if said_before is not None:
                loss = F.smooth_l1_loss(logits(rows, 0), torch.tensor(said_before[rows].clip(-SURE, SURE)))
            else:
                labels = torch.tensor(told[rows, 0]).float()
                counts = torch.where(labels > 0, 1.5, 1.0)
                smoothed = 0.97 * labels + 0.015
                loss = F.binary_cross_entropy_with_logits(logits(rows, DROP), smoothed, weight=counts)
            done += 1
            for group in optimiser.param_groups:
                group["lr"] = RATE * min(1.0, done / (0.06 * steps)) * max(0.0, 1 - done / (steps + 1))
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(list(learned.values()), 1.0)
            optimiser.step()
        print(json.dumps({"round": round_, "seconds": round(time.time() - began), "reported": reported()}), flush=True)
    np.savez(out, **{name: p.detach().numpy() for name, p in learned.items()})


def grafted(weights: bytes, last: dict[str, np.ndarray], temperature: float) -> bytes:
    """The file of weights with what was learned of the last layer behind the others, and the learned head in place of
    the old one."""
    from palazzo.text.reader.weights import _HEADER, in_bytes

    magic, told, spelled = _HEADER.unpack_from(weights)
    start = _HEADER.size + told
    header = json.loads(weights[_HEADER.size : start])
    offsets = np.frombuffer(weights, np.float32, header["offsets"], len(weights) - 4 * header["offsets"])
    tables = weights[start + spelled : len(weights) - 4 * header["offsets"]]
    width, wide, number = header["width"], header["wide"], header["layers"]
    if any(name.startswith("answers.") for name, *_ in header["arrays"]):
        raise SystemExit("these weights have a layer of their own already")
    below = 2 * width + number * (3 * width + width + 2 * width + wide + width + 2 * width)
    heads: list[np.ndarray] = []
    at = below
    features = (len(offsets) - below) // sum(count for _, count in header["heads"]) - 1
    for name, count in header["heads"]:
        old = offsets[at : at + count * (features + 1)]
        at += len(old)
        heads.append(np.concatenate([last["head_0"].T.ravel(), last["head_1"]]) if name == "answers" else old)
    offsets = np.concatenate([offsets[:below], *(last[field] for field in WHOLE), *heads]).astype(np.float32)
    for name in TABLES:
        for side in ("out", "in"):
            table = last[f"{name}_{side}"].T
            found, steps = in_bytes(np.ascontiguousarray(table))
            tables += steps.tobytes() + found.tobytes()
            header["arrays"].append([f"answers.{name}.{side}", *table.shape])
    header |= {"offsets": len(offsets), "size": len(tables) + 4 * len(offsets)}
    header["figures"]["answers_temperature"] = temperature
    written = json.dumps(header).encode()
    said = weights[start : start + spelled]
    return bytes(_HEADER.pack(magic, len(written), spelled) + written + said + tables + offsets.tobytes())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--without", default="")
    parser.add_argument("--like", type=Path)
    options = parser.parse_args()
    first, second, *third = options.files
    if third:
        third[0].write_bytes(grafted(first.read_bytes(), dict(np.load(second)), TEMPERATURE))
    elif first.suffix == ".npz":
        learn(first, second, options.without)
    else:
        lay_down(first, second, options.like)
