"""Learns the weights of the small encoder from what `encoder prepare` laid down. Needs torch and nothing of ours.

    python training/injection/encoder_learn.py FOLDER OUT [--from FOLDER]

Two copies of MiniLM with all its layers learn to tell attacks from harmless texts; a student made of its first two
layers learns the same labels and the teachers' doubts. One fold stays out of a student that is kept in OUT/left, on
which `encoder pack` chooses the thresholds; the student in OUT learns from everything.
With `--from` a student whose weights lie in that folder (`encoder again` lays down those of the package) goes on
learning, low and short, which a processor does in minutes: new texts by their labels, and old ones beside them, of
which it is held to what it said before, so that nothing is forgotten. One fold of the new texts stays out of a student
that is kept in OUT/left for the thresholds, and is learned last.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

UNKNOWN, OPENING, CLOSING = 0, 1, 2
LONGEST, WIDTH, HEADS, CONCEPTS = 96, 384, 12, 33
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
LAYERS = [0, 1]
"""MiniLM's layers that the student begins with."""
LEFT = 0
"""The fold that stays out of one student, for the thresholds to be chosen on texts it did not learn from."""
AGAIN_RATE, AGAIN_SHARE = 6e-5, 3
"""How fast earlier weights go on, and how often new texts are gone through, each time beside another share of old."""


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.asked = nn.Linear(WIDTH, 3 * WIDTH)
        self.mixed = nn.Linear(WIDTH, WIDTH)
        self.mixed_norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.wide = nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = nn.Linear(4 * WIDTH, WIDTH)
        self.narrow_norm = nn.LayerNorm(WIDTH, eps=1e-12)

    def forward(self, states, mask, drop):
        b, t, _ = states.shape
        q, k, v = self.asked(states).view(b, t, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        mixed = self.mixed(mixed.transpose(1, 2).reshape(b, t, WIDTH))
        states = self.mixed_norm(states + F.dropout(mixed, drop, self.training))
        inner = self.wide(states)
        inner = self.narrow(inner * torch.sigmoid(1.702 * inner))
        return self.narrow_norm(states + F.dropout(inner, drop, self.training))


class Model(nn.Module):
    def __init__(self, pieces: int, layers: int, drop: float = 0.1) -> None:
        super().__init__()
        self.drop = drop
        self.words = nn.Parameter(torch.zeros(pieces, WIDTH))
        self.places = nn.Parameter(torch.zeros(LONGEST, WIDTH))
        self.concept = nn.Parameter(torch.zeros(CONCEPTS, WIDTH))
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.judge = nn.Linear(2 * WIDTH, 1)
        nn.init.normal_(self.judge.weight, std=0.02)
        nn.init.zeros_(self.judge.bias)

    @classmethod
    def begun(cls, start: dict, layers: list[int]) -> Model:
        """MiniLM's words and these of its layers."""
        t = lambda name: torch.tensor(start[name].astype(np.float32))  # noqa: E731
        self = cls(len(start["words"]), len(layers))
        self.words.data, self.places.data = t("words"), t("places")
        self.norm.weight.data, self.norm.bias.data = t("embeddings.LayerNorm.weight"), t("embeddings.LayerNorm.bias")
        for number, one in zip(layers, self.layers, strict=True):
            at = f"encoder.layer.{number}."
            own = at + "attention.self."
            one.asked.weight.data = torch.cat([t(f"{own}{p}.weight") for p in ("query", "key", "value")])
            one.asked.bias.data = torch.cat([t(f"{own}{p}.bias") for p in ("query", "key", "value")])
            for ours, theirs in (("mixed", "attention.output.dense"), ("mixed_norm", "attention.output.LayerNorm"),
                                 ("wide", "intermediate.dense"), ("narrow", "output.dense"),
                                 ("narrow_norm", "output.LayerNorm")):  # fmt: skip
                part = getattr(one, ours)
                part.weight.data, part.bias.data = t(f"{at}{theirs}.weight"), t(f"{at}{theirs}.bias")
        return self

    @classmethod
    def taken(cls, folder: Path) -> Model:
        """A student with weights as `saved` lays them down."""
        arrays = {**np.load(folder / "words.npz"), **np.load(folder / "layers.npz")}
        arrays = {name: torch.tensor(array.astype(np.float32)) for name, array in arrays.items()}
        self = cls(len(arrays["words"]), sum(name.startswith("asked") for name in arrays))
        self.words.data, self.places.data, self.concept.data = (arrays[name] for name in ("words", "places", "concept"))
        for number, layer in enumerate(self.layers):
            for name in ("asked", "mixed", "wide", "narrow"):
                getattr(layer, name).weight.data = arrays[f"{name}{number}"]
        taken = 0
        for vector in self.vectors():
            count = vector.numel()
            vector.data = arrays["offsets"][taken : taken + count].reshape(vector.shape).clone()
            taken += count
        return self

    def vectors(self) -> list[nn.Parameter]:
        """What is no table, in the order of the file."""
        found = [self.norm.weight, self.norm.bias]
        for layer in self.layers:
            found += [layer.asked.bias, layer.mixed.bias, layer.mixed_norm.weight, layer.mixed_norm.bias,
                      layer.wide.bias, layer.narrow.bias, layer.narrow_norm.weight, layer.narrow_norm.bias]  # fmt: skip
        return [*found, self.judge.weight, self.judge.bias]

    def forward(self, ids, concepts, real):
        states = F.embedding(ids, self.words) + self.places[: ids.shape[1]] + concepts @ self.concept
        states = F.dropout(self.norm(states), self.drop, self.training)
        mask = real[:, None, None, :]
        for layer in self.layers:
            states = layer(states, mask, self.drop)
        mean = (states * real[..., None]).sum(1) / real.sum(1, keepdim=True)
        return self.judge(F.dropout(torch.cat([states[:, 0], mean], 1), self.drop, self.training))[:, 0]


def batch(texts: list[tuple[list[int], list[int]]]):
    longest = max(len(one[0]) for one in texts) + 2
    ids = np.zeros((len(texts), longest), np.int64)
    real = np.zeros((len(texts), longest), bool)
    masks = np.zeros((len(texts), longest), np.int64)
    for at, (numbers, concepts) in enumerate(texts):
        end = len(numbers) + 2
        ids[at, :end] = [OPENING, *numbers, CLOSING]
        masks[at, 1 : end - 1] = concepts
        real[at, :end] = True
    bits = (torch.tensor(masks, device=DEVICE)[..., None] >> torch.arange(CONCEPTS, device=DEVICE)) & 1
    return torch.tensor(ids, device=DEVICE), bits.float(), torch.tensor(real, device=DEVICE)


def varied(one, harmless, rng: random.Random):
    """A text as learned from this time: now and then among ordinary ones, with words lost."""
    numbers, concepts = list(one[0]), list(one[1])
    if rng.random() < 0.25:
        other = rng.choice(harmless)
        pair = [(numbers, concepts), (list(other[0]), list(other[1]))]
        if rng.random() < 0.6:
            pair.reverse()
        if len(pair[0][0]) + len(pair[1][0]) <= LONGEST - 2:
            numbers, concepts = pair[0][0] + pair[1][0], pair[0][1] + pair[1][1]
    lost = rng.choice((0.0, 0.0, 0.05, 0.1))
    blind = rng.random() < 0.15
    numbers = [UNKNOWN if rng.random() < lost else number for number in numbers]
    concepts = [0 if blind or rng.random() < lost else mask for mask in concepts]
    return numbers[: LONGEST - 2], concepts[: LONGEST - 2]


def scores(model: Model, texts) -> np.ndarray:
    model.eval()
    order = sorted(range(len(texts)), key=lambda at: len(texts[at][0]))
    found = np.zeros(len(texts), np.float32)
    with torch.no_grad():
        for start in range(0, len(order), 512):
            some = order[start : start + 512]
            found[some] = model(*batch([(texts[at][0], texts[at][1]) for at in some])).float().cpu().numpy()
    return found


def batches(texts, size: int, rng: random.Random):
    """Texts as learned from this time, in a new order, each batch of texts about as long as one another."""
    harmless = [one for one in texts if not one[2]]
    order = [(*varied(one, harmless, rng), one[2], one[5]) for one in rng.sample(texts, len(texts))]
    found = []
    for start in range(0, len(order), 16 * size):
        some = sorted(order[start : start + 16 * size], key=lambda one: len(one[0]))
        found += [some[at : at + size] for at in range(0, len(some), size)]
    return rng.sample(found, len(found))


@dataclass(frozen=True)
class Lesson:
    """How a student learns beside labels: whose doubts it takes over on texts they know, and how fast its last sum."""

    teachers: tuple[Model, ...] = ()
    fresh_rate: float = 10.0
    each: Callable[[Model], None] | None = None
    """What is told after every round."""


def learn(model: Model, rounds, rate: float, seed: int, lesson: Lesson) -> Model:
    rng = random.Random(seed)
    torch.manual_seed(seed)
    model.to(DEVICE).train()
    fresh = [model.concept, *model.judge.parameters()]
    others = [p for p in model.parameters() if not any(p is one for one in fresh)]
    rates = (rate, rate * lesson.fresh_rate)
    optimiser = torch.optim.AdamW([{"params": others}, {"params": fresh}], lr=rate, weight_decay=0.01, fused=True)
    size = 96 if DEVICE == "cuda" else 48
    steps = sum(-(-len(texts) // size) for texts in rounds)
    done = 0
    for texts in rounds:
        for some in batches(texts, size, rng):
            given = batch([one[:2] for one in some])
            labels = torch.tensor([float(one[2]) for one in some], device=DEVICE)
            known = torch.tensor([not one[3] for one in some], device=DEVICE) & bool(lesson.teachers)
            with torch.autocast(DEVICE, torch.bfloat16):
                logits = model(*given)
                with torch.no_grad():
                    taught = [teacher(*given).float() for teacher in lesson.teachers] if known.any() else []
            logits = logits.float()
            loss = F.binary_cross_entropy_with_logits(logits, labels, reduction="none")
            if taught:
                soft = torch.sigmoid(torch.stack(taught).mean(0) / 2)
                mixed = 0.4 * loss + 1.2 * F.binary_cross_entropy_with_logits(logits / 2, soft, reduction="none")
                loss = torch.where(known, mixed, loss)
            done += 1
            factor = min(1.0, done / (0.06 * steps)) * max(0.0, 1 - done / (steps + 1))
            for group, base in zip(optimiser.param_groups, rates, strict=True):
                group["lr"] = base * factor
            optimiser.zero_grad(set_to_none=True)
            loss.mean().backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
        if lesson.each is not None:
            lesson.each(model)
            model.train()
    model.eval()
    return model


def told(model: Model, sets: dict, at_most: float = 0.02) -> dict:
    answer = {}
    for name, texts in sets.items():
        found = scores(model, texts)
        attack = np.array([bool(one[2]) for one in texts])
        for share in (0.01, at_most):
            ordered = np.sort(found[~attack])[::-1]
            flag_at = float(ordered[int(share * len(ordered))]) + 1e-4
            answer[f"{name}@{share}"] = round(float((found[attack] >= flag_at).mean()), 3)
        answer[f"{name}_at"] = round(flag_at, 2)
        english = np.array([one[4] == "en" for one in texts])
        answer[f"{name}_en/other"] = [
            round(float((found[attack & which] >= flag_at).mean()), 3) for which in (english, ~english)
        ]
    return answer


def rounded(model: Model) -> Model:
    """The weights as bytes of one step a row would give them back."""
    for name, p in model.named_parameters():
        if p.ndim == 2 and "judge" not in name:
            step = p.data.abs().amax(1, keepdim=True).clamp_min(1e-8) / 127
            p.data = torch.round(p.data / step) * step
    return model


def saved(model: Model, out: Path) -> None:
    f = lambda p: p.detach().float().cpu().numpy()  # noqa: E731
    tables = {"places": f(model.places), "concept": f(model.concept)}
    for number, layer in enumerate(model.layers):
        for name in ("asked", "mixed", "wide", "narrow"):
            tables[f"{name}{number}"] = f(getattr(layer, name).weight)
    offsets = [f(vector).reshape(-1) for vector in model.vectors()]
    out.mkdir(parents=True, exist_ok=True)
    np.savez(out / "words.npz", words=f(model.words).astype(np.float16))
    tables = {name: table.astype(np.float16) for name, table in tables.items()}
    np.savez(out / "layers.npz", offsets=np.concatenate(offsets), **tables)


def again(begin: Path, texts, develop, out: Path, known: int | None) -> None:
    """Goes on from earlier weights; a text whose last number is 1 is new to them, beside so many that are known."""
    torch.set_num_threads(1)
    began = time.time()
    before = Model.taken(begin).to(DEVICE).eval()
    new = [one for one in texts if one[5]]
    left = [one for one in new if one[3] == LEFT]
    old = random.Random(7).sample([one for one in texts if not one[5]], len(texts) - len(new))[:known]
    model = Model.taken(begin)

    def tell(model):
        sets = {"left": left, "develop": develop}
        print(json.dumps({"seconds": round(time.time() - began), **told(model, sets)}), flush=True)

    tell(before)
    rounds = [[*(one for one in new if one[3] != LEFT), *old[at::AGAIN_SHARE]] for at in range(AGAIN_SHARE)]
    learn(model, rounds, AGAIN_RATE, 7, Lesson((before,), fresh_rate=1.0, each=tell))
    saved(rounded(copy.deepcopy(model)), out / "left")
    learn(model, [[*new, *old[::AGAIN_SHARE]]], AGAIN_RATE / 3, 8, Lesson((before,), fresh_rate=1.0, each=tell))
    saved(rounded(model), out)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--from", dest="begin", type=Path, help="go on from the weights in this folder")
    parser.add_argument("--known", type=int, help="go on with so many texts they know; all when left out")
    parser.add_argument("--part", choices=("left", "whole"), help="only one of the two students")
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    texts = json.loads((options.folder / "train.json").read_text())
    develop = json.loads((options.folder / "develop.json").read_text())
    if options.begin:
        again(options.begin, texts, develop, options.out, options.known)
        return
    start = dict(np.load(options.folder / "start.npz"))
    left = [one for one in texts if one[3] == LEFT]
    for part, some, seeds, out in (
        ("left", [one for one in texts if one[3] != LEFT], (1, 2), options.out / "left"),
        ("whole", texts, (1, 2), options.out),
    ):
        if options.part not in (None, part):
            continue
        whole = [Model.begun(start, list(range(6))) for _ in seeds]
        teachers = [learn(one, [some] * 8, 6e-5, seed, Lesson()) for one, seed in zip(whole, seeds, strict=True)]
        student = learn(Model.begun(start, LAYERS), [some] * 20, 2e-4, 7, Lesson(tuple(teachers)))
        print(json.dumps(told(student, {"left": left, "develop": develop})), flush=True)
        saved(rounded(student), out)


if __name__ == "__main__":
    main()
