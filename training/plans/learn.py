"""Learns the weights of the reader of plans from what `examples` laid down. Needs torch and nothing of ours.

    python training/plans/learn.py FOLDER OUT [--epochs N] [--from OUT]

Goes on from the weights of the reader of statements: its words and its first layer stay as they are, so they are read
once, and a processor learns the rest in minutes; `--from` goes on from what was learned before. Examples that were left
out are only counted; what logits are divided by for their odds to come true is chosen on them.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

OPENING, CLOSING = 1, 2
WIDTH, ATTENTION, SORTS = 384, 12, 6
SIZE = 48


class Layer(nn.Module):
    def __init__(self, wide: int) -> None:
        super().__init__()
        self.asked = nn.Linear(WIDTH, 3 * WIDTH)
        self.mixed = nn.Linear(WIDTH, WIDTH)
        self.mixed_norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.wide = nn.Linear(WIDTH, wide)
        self.narrow = nn.Linear(wide, WIDTH)
        self.narrow_norm = nn.LayerNorm(WIDTH, eps=1e-12)

    def forward(self, states, mask, drop, *, opening=False):
        """The states after this layer, or of the opening piece alone."""
        b = len(states)
        size = WIDTH // ATTENTION
        asked = states[:, :1] if opening else states
        heads = lambda found: found.view(b, -1, ATTENTION, size).transpose(1, 2)  # noqa: E731
        weight, bias = self.asked.weight, self.asked.bias
        q = heads(F.linear(asked, weight[:WIDTH], bias[:WIDTH]))
        k, v = map(heads, F.linear(states, weight[WIDTH:], bias[WIDTH:]).chunk(2, -1))
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        mixed = self.mixed(mixed.transpose(1, 2).reshape(b, -1, WIDTH))
        states = asked
        states = self.mixed_norm(states + F.dropout(mixed, drop, self.training))
        inner = self.wide(states)
        inner = self.narrow(inner * torch.sigmoid(1.702 * inner))
        return self.narrow_norm(states + F.dropout(inner, drop, self.training))


class Model(nn.Module):
    def __init__(self, start: dict, drop: float = 0.1) -> None:
        super().__init__()
        t = lambda name: torch.tensor(start[name].astype(np.float32))  # noqa: E731
        self.drop = drop
        self.words, self.places, self.sides = (nn.Parameter(t(name)) for name in ("words", "places", "sides"))
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        wide = len(start["wide0"])
        self.layers = nn.ModuleList(Layer(wide) for name in start if name.startswith("asked"))
        for number, layer in enumerate(self.layers):
            for name in ("asked", "mixed", "wide", "narrow"):
                getattr(layer, name).weight.data = t(f"{name}{number}")
        self.judge = nn.Linear(3 * WIDTH, SORTS)
        nn.init.normal_(self.judge.weight, std=0.02)
        nn.init.zeros_(self.judge.bias)
        taken, flat = 0, t("offsets")
        for part in self.vectors():
            if taken < len(flat):  # the reader has no such head
                part.data = flat[taken : taken + part.numel()].clone().view_as(part)
                taken += part.numel()

    def vectors(self) -> list[nn.Parameter]:
        """What is no table, in the order of the file."""
        found = [self.norm.weight, self.norm.bias]
        for layer in self.layers:
            found += [layer.asked.bias, layer.mixed.bias, layer.mixed_norm.weight, layer.mixed_norm.bias,
                      layer.wide.bias, layer.narrow.bias, layer.narrow_norm.weight, layer.narrow_norm.bias]  # fmt: skip
        return [*found, self.judge.weight, self.judge.bias]

    def entered(self, ids, sides, real):
        """The states after the layer that stays as it is."""
        places = (real.long().cumsum(1) - 1).clamp_min(0)
        states = F.embedding(ids, self.words) + F.embedding(places, self.places) + F.embedding(sides, self.sides)
        return self.layers[0](self.norm(states), real[:, None, None, :], 0.0)

    def forward(self, states, first, second, real):
        mask = real[:, None, None, :]
        *before, last = self.layers[1:]
        states = F.dropout(states, self.drop, self.training)
        for layer in before:
            states = layer(states, mask, self.drop)
        opening = last(states, mask, self.drop, opening=True)[:, 0]
        mean = lambda which: (states * which[..., None]).sum(1) / which.sum(1, keepdim=True).clamp_min(1)  # noqa: E731
        one, other = mean(first), mean(second)
        return self.judge(F.dropout(torch.cat([opening, one - other, one * other], 1), self.drop, self.training))


def batch(some):
    """Examples of one batch: what was read of each, where its texts are, and which places are real."""
    longest = max(len(one[4]) for one in some)
    states = torch.zeros(len(some), longest, WIDTH)
    first, second = torch.zeros(len(some), longest), torch.zeros(len(some), longest)
    real = torch.zeros(len(some), longest, dtype=torch.bool)
    for row, (one, other, _, _, read) in enumerate(some):
        states[row, : len(read)] = read.float()
        real[row, : len(read)] = True
        first[row, 1 : 1 + len(one)] = 1
        second[row, len(one) + 2 : len(one) + 2 + len(other)] = 1
    return states, first, second, real


def read_once(model: Model, examples) -> None:
    """Adds to every example the states it enters the learned layers with."""
    model.eval()
    order = sorted(examples, key=lambda one: len(one[0]) + len(one[1]))
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        for start in range(0, len(order), 64):
            some = order[start : start + 64]
            rows = [[OPENING, *one, CLOSING, *([*other, CLOSING] if other else [])] for one, other, *_ in some]
            longest = max(map(len, rows))
            ids = torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows])
            real = torch.arange(longest)[None] < torch.tensor([len(row) for row in rows])[:, None]
            sides = torch.arange(longest)[None] >= torch.tensor([len(one[0]) + 2 for one in some])[:, None]
            found = model.entered(ids, sides.long(), real).to(torch.bfloat16)
            for one, row, states in zip(some, rows, found, strict=True):
                one.append(states[: len(row)].clone())


def batches(examples, rng: random.Random):
    order = rng.sample(examples, len(examples))
    found = []
    for start in range(0, len(order), 16 * SIZE):
        some = sorted(order[start : start + 16 * SIZE], key=lambda one: len(one[0]) + len(one[1]))
        found += [some[at : at + SIZE] for at in range(0, len(some), SIZE)]
    return rng.sample(found, len(found))


def said(model: Model, examples) -> np.ndarray:
    model.eval()
    with torch.no_grad():
        found = [model(*batch(examples[at : at + 256])).numpy() for at in range(0, len(examples), 256)]
    return np.concatenate(found)


def temperature(logits: np.ndarray, labels: np.ndarray) -> float:
    losses = []
    for tried in np.geomspace(0.5, 4, 40):
        odds = np.exp((logits - logits.max(1, keepdims=True)) / tried)
        odds /= odds.sum(1, keepdims=True)
        losses.append((-np.log(odds[np.arange(len(labels)), labels] + 1e-9).mean(), float(tried)))
    return min(losses)[1]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--rate", type=float, default=1.5e-4)
    parser.add_argument("--from", dest="earlier", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    torch.manual_seed(7)
    rng = random.Random(7)
    torch.set_num_threads(given.threads)
    start = dict(np.load(given.folder / "start.npz"))
    if given.earlier:
        start |= {name: found for name, found in np.load(given.earlier / "learned.npz").items() if name != "words"}
    model = Model(start)
    examples = json.loads((given.folder / "examples.json").read_text("utf-8"))
    left, learned = [one for one in examples if one[3]], [one for one in examples if not one[3]]
    read_once(model, examples)
    print(json.dumps({"read": len(examples)}), flush=True)
    for part in (model.words, model.places, model.sides, *model.norm.parameters(), *model.layers[0].parameters()):
        part.requires_grad_(False)
    fresh = [*model.judge.parameters()]
    others = [p for p in model.parameters() if p.requires_grad and not any(p is one for one in fresh)]
    optimiser = torch.optim.AdamW([{"params": others}, {"params": fresh}], lr=given.rate, weight_decay=0.01)
    steps, done, began = given.epochs * -(-len(learned) // SIZE), 0, time.time()
    labels = np.array([one[2] for one in left])
    for epoch in range(given.epochs):
        model.train()
        for some in batches(learned, rng):
            with torch.autocast("cpu", torch.bfloat16):
                logits = model(*batch(some))
            labelled = torch.tensor([one[2] for one in some])
            loss = F.cross_entropy(logits.float(), labelled, label_smoothing=0.05)
            done += 1
            factor = min(1.0, done / (0.06 * steps)) * max(0.0, 1 - done / (steps + 1))
            for group, base in zip(optimiser.param_groups, (given.rate, 10 * given.rate), strict=True):
                group["lr"] = base * factor
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_([*others, *fresh], 1.0)
            optimiser.step()
            if done % 20 == 0:
                print(
                    json.dumps(
                        {"step": done, "of": steps, "loss": round(loss.item(), 3), "s": round(time.time() - began)}
                    ),
                    flush=True,
                )
        found = said(model, left)
        print(
            json.dumps({"epoch": epoch, "left_right": round(float((found.argmax(1) == labels).mean()), 4)}), flush=True
        )
    f = lambda p: p.detach().float().numpy()  # noqa: E731
    tables = {name: f(getattr(model, name)) for name in ("words", "places", "sides")}
    for number, layer in enumerate(model.layers):
        tables |= {f"{name}{number}": f(getattr(layer, name).weight) for name in ("asked", "mixed", "wide", "narrow")}
    given.out.mkdir(parents=True, exist_ok=True)
    np.savez(
        given.out / "learned.npz", offsets=np.concatenate([f(one).reshape(-1) for one in model.vectors()]), **tables
    )
    heat = temperature(found, labels)
    (given.out / "figures.json").write_text(json.dumps({"plans_temperature": round(heat, 4)}), "utf-8")


if __name__ == "__main__":
    main()
