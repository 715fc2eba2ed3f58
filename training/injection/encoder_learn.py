"""Learns the weights of the small encoder from what `encoder prepare` laid down. Needs torch and nothing of ours.

    python training/injection/encoder_learn.py FOLDER OUT

Three copies of MiniLM with all its layers learn to tell attacks from harmless texts; a student made of its first two
layers learns the same labels and the teachers' doubts. Two folds stay out in turn, and what a student made without
them says of them is told as well: `encoder pack` chooses the thresholds on it. The last student learns from everything.
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

UNKNOWN, OPENING, CLOSING = 0, 1, 2
LONGEST, WIDTH, HEADS, CONCEPTS = 96, 384, 12, 33
DEVICE = "cuda"
LAYERS = [0, 1]
"""MiniLM's layers that the student begins with."""
FOLDS = (0, 1)
"""Folds left out in turn, for the thresholds to be chosen on texts the student did not learn from."""


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
        inner = self.narrow(F.gelu(self.wide(states), approximate="tanh"))
        return self.narrow_norm(states + F.dropout(inner, drop, self.training))


class Model(nn.Module):
    def __init__(self, start: dict, layers: list[int], drop: float = 0.1) -> None:
        super().__init__()
        t = lambda name: torch.tensor(start[name].astype(np.float32))  # noqa: E731
        self.drop = drop
        self.words = nn.Parameter(t("words"))
        self.places = nn.Parameter(t("places"))
        self.concept = nn.Parameter(torch.zeros(CONCEPTS, WIDTH))
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.norm.weight.data, self.norm.bias.data = t("embeddings.LayerNorm.weight"), t("embeddings.LayerNorm.bias")
        self.layers = nn.ModuleList()
        for number in layers:
            at = f"encoder.layer.{number}."
            one = Layer()
            own = at + "attention.self."
            one.asked.weight.data = torch.cat([t(f"{own}{p}.weight") for p in ("query", "key", "value")])
            one.asked.bias.data = torch.cat([t(f"{own}{p}.bias") for p in ("query", "key", "value")])
            one.mixed.weight.data = t(at + "attention.output.dense.weight")
            one.mixed.bias.data = t(at + "attention.output.dense.bias")
            one.mixed_norm.weight.data = t(at + "attention.output.LayerNorm.weight")
            one.mixed_norm.bias.data = t(at + "attention.output.LayerNorm.bias")
            one.wide.weight.data = t(at + "intermediate.dense.weight")
            one.wide.bias.data = t(at + "intermediate.dense.bias")
            one.narrow.weight.data = t(at + "output.dense.weight")
            one.narrow.bias.data = t(at + "output.dense.bias")
            one.narrow_norm.weight.data = t(at + "output.LayerNorm.weight")
            one.narrow_norm.bias.data = t(at + "output.LayerNorm.bias")
            self.layers.append(one)
        self.judge = nn.Linear(2 * WIDTH, 1)
        nn.init.normal_(self.judge.weight, std=0.02)
        nn.init.zeros_(self.judge.bias)

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


def learn(model: Model, texts, epochs: int, rate: float, seed: int, teachers=()) -> Model:
    rng = random.Random(seed)
    torch.manual_seed(seed)
    model.to(DEVICE).train()
    harmless = [one for one in texts if not one[2]]
    fresh = [model.concept, *model.judge.parameters()]
    others = [p for p in model.parameters() if not any(p is one for one in fresh)]
    optimiser = torch.optim.AdamW(
        [{"params": others, "lr": rate}, {"params": fresh, "lr": rate * 10}], weight_decay=0.01, fused=True
    )
    size = 96
    steps = epochs * (len(texts) // size)
    done = 0
    for _ in range(epochs):
        order = list(range(len(texts)))
        rng.shuffle(order)
        for start in range(0, len(order) - size + 1, size):
            some = [texts[at] for at in order[start : start + size]]
            given = batch([varied(one, harmless, rng) for one in some])
            labels = torch.tensor([float(one[2]) for one in some], device=DEVICE)
            with torch.autocast("cuda", torch.bfloat16):
                logits = model(*given)
                if teachers:
                    with torch.no_grad():
                        taught = torch.stack([teacher(*given) for teacher in teachers]).float().mean(0)
            logits = logits.float()
            loss = F.binary_cross_entropy_with_logits(logits, labels)
            if teachers:
                soft = torch.sigmoid(taught / 2)
                loss = 0.4 * loss + 1.2 * F.binary_cross_entropy_with_logits(logits / 2, soft)
            done += 1
            factor = min(1.0, done / (0.06 * steps)) * max(0.0, 1 - done / (steps + 1))
            for group, base in zip(optimiser.param_groups, (rate, rate * 10), strict=True):
                group["lr"] = base * factor
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
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
    offsets = [f(model.norm.weight), f(model.norm.bias)]
    for number, layer in enumerate(model.layers):
        for name in ("asked", "mixed", "wide", "narrow"):
            tables[f"{name}{number}"] = f(getattr(layer, name).weight)
        offsets += [
            f(p) for p in (layer.asked.bias, layer.mixed.bias, layer.mixed_norm.weight, layer.mixed_norm.bias,
                           layer.wide.bias, layer.narrow.bias, layer.narrow_norm.weight, layer.narrow_norm.bias)
        ]  # fmt: skip
    offsets += [f(model.judge.weight)[0], f(model.judge.bias)]
    np.savez(out / "words.npz", words=f(model.words).astype(np.float16))
    tables = {name: table.astype(np.float16) for name, table in tables.items()}
    np.savez(out / "layers.npz", offsets=np.concatenate(offsets), **tables)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    start = dict(np.load(options.folder / "start.npz"))
    texts = json.loads((options.folder / "train.json").read_text())
    develop = json.loads((options.folder / "develop.json").read_text())
    began = time.time()
    left_out: dict[int, float] = {}

    def student_of(some, seeds):
        teachers = [learn(Model(start, list(range(6))), some, 8, 6e-5, seed) for seed in seeds]
        return rounded(learn(Model(start, LAYERS), some, 25, 2e-4, 7, teachers))

    for fold in FOLDS:
        left = [at for at, one in enumerate(texts) if one[3] == fold]
        student = student_of([one for one in texts if one[3] != fold], (1, 2))
        left_out.update(zip(left, scores(student, [texts[at] for at in left]).tolist(), strict=True))
        sets = {"fold": [texts[at] for at in left], "develop": develop}
        print(json.dumps({"fold": fold, "seconds": round(time.time() - began), **told(student, sets)}), flush=True)
    final = student_of(texts, (1, 2, 3))
    print(json.dumps({"final": told(final, {"develop": develop}), "seconds": round(time.time() - began)}))
    saved(final, options.out)
    (options.out / "told.json").write_text(json.dumps({"layers": len(LAYERS), "left_out": left_out}))


if __name__ == "__main__":
    main()
