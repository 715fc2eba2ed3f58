"""Learns the weights of both readers from what `prepare` laid down. Needs torch and nothing of ours.

    python training/reader/learn.py FOLDER OUT [--seconds TEACHER STUDENTS]

A teacher, MPNet with twelve layers (`broad`), learns every judgement by its labels. What it says of each example, and
of pairs without a label that its vectors bring together, two students of MiniLM's make learn beside the labels, each in
a process of its own: OUT/whole.npz, of three layers, every judgement, and OUT/second.npz, of six, those that are read
a second time where the first is in doubt. Where FOLDER/earlier has the weights of the package they go on from those and
over its vectors of words, which stay as they are. In half of the batches figures, names and towns change places with
others of their kind: what is said does not hang on which they are. What lies in OUT already is not learned again. With
`--seconds` teacher and students learn for so long, else for so many rounds.
Seeds are fixed. What each says of the development and of the held-out examples is written beside the weights; nothing
here looks at the held-out ones.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from broad import Broad, neighbours  # beside this file
from tables import opened
from torch import nn
from torch.nn import functional as F  # noqa: N812

OPENING, CLOSING, PAD = 1, 2, 0
WIDTH, ATTENTION = 384, 12
TASKS = ("change", "answers", "kinds", "plans")
OUTPUTS = {"change": 4, "answers": 1, "kinds": 7, "plans": 6}
COUNTS = {"change": 1.0, "answers": 0.7, "kinds": 0.5, "plans": 0.7}
BROAD_COUNTS = {"change": 1.0, "answers": 0.5, "kinds": 0.7, "plans": 0.6}
"""Which share of the examples a round has; a teacher sees what there is fewer times."""
SWAPS = 64
"""Ways in which pieces of a kind change places, drawn anew for each round."""
AVERAGED_EVERY, AVERAGED = 10, 0.99
"""Steps after which weights count for those that are kept, which are a mean over the last thousand or so."""
UNLABELLED, UNLIKE = 4, 5
"""Parts: of which only the teacher says what it makes of it, and pairs that have nothing to do with each other."""
TAUGHT = (0, UNLABELLED, UNLIKE)
COUNTED = (1, 2, 3, 6)
"""Parts of which only is told what is said of them; the last is laid beside the examples by who asks for it."""
BROAD_RATE, BROAD_SIZE = 3e-5, 256
OWN_VOICE = "kinds"
"""What earlier weights say better than a teacher who has seen few messages by kind."""
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Student(NamedTuple):
    """What is learned for the package: judgements, and the layers of MiniLM to begin with."""

    tasks: tuple[str, ...]
    layers: tuple[int, ...]
    rate: float
    wide: int = 1024
    """Inner units it keeps of each layer."""


STUDENTS = {
    "whole": Student(TASKS, (0, 2, 4), 2e-4),
    "second": Student(("change", "answers", "plans"), (0, 1, 2, 3, 4, 5), 3e-4),
}


class Layer(nn.Module):
    def __init__(self, wide: int) -> None:
        super().__init__()
        self.asked = nn.Linear(WIDTH, 3 * WIDTH)
        self.mixed = nn.Linear(WIDTH, WIDTH)
        self.mixed_norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.wide = nn.Linear(WIDTH, wide)
        self.narrow = nn.Linear(wide, WIDTH)
        self.narrow_norm = nn.LayerNorm(WIDTH, eps=1e-12)

    def forward(self, states, mask, drop):
        b, t, _ = states.shape
        q, k, v = self.asked(states).view(b, t, 3, ATTENTION, WIDTH // ATTENTION).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        mixed = self.mixed(mixed.transpose(1, 2).reshape(b, t, WIDTH))
        states = self.mixed_norm(states + F.dropout(mixed, drop, self.training))
        inner = self.wide(states)
        inner = self.narrow(inner * torch.sigmoid(1.702 * inner))
        return self.narrow_norm(states + F.dropout(inner, drop, self.training))


class Model(nn.Module):
    def __init__(self, start: dict, layers: Sequence[int], wide: int = 4 * WIDTH, drop: float = 0.1) -> None:
        super().__init__()
        t = lambda name: torch.tensor(start[name].astype(np.float32))  # noqa: E731
        self.drop = drop
        self.words, self.places, self.sides = (nn.Parameter(t(name)) for name in ("words", "places", "sides"))
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.norm.weight.data, self.norm.bias.data = t("embeddings.LayerNorm.weight"), t("embeddings.LayerNorm.bias")
        self.layers = nn.ModuleList()
        for number in layers:
            at = f"encoder.layer.{number}."
            one = Layer(wide)
            own = at + "attention.self."
            one.asked.weight.data = torch.cat([t(f"{own}{p}.weight") for p in ("query", "key", "value")])
            one.asked.bias.data = torch.cat([t(f"{own}{p}.bias") for p in ("query", "key", "value")])
            for name, theirs in (
                ("mixed", "attention.output.dense"), ("mixed_norm", "attention.output.LayerNorm"),
                ("wide", "intermediate.dense"), ("narrow", "output.dense"), ("narrow_norm", "output.LayerNorm"),
            ):  # fmt: skip
                getattr(one, name).weight.data = t(f"{at}{theirs}.weight")
                getattr(one, name).bias.data = t(f"{at}{theirs}.bias")
            # of the inner units those that carry most
            weight = one.wide.weight.data.norm(dim=1) * one.narrow.weight.data.norm(dim=0)
            kept = weight.topk(wide).indices.sort().values
            one.wide.weight.data, one.wide.bias.data = one.wide.weight.data[kept], one.wide.bias.data[kept]
            one.narrow.weight.data = one.narrow.weight.data[:, kept]
            self.layers.append(one)
        self.heads = nn.ModuleDict({name: nn.Linear(3 * WIDTH, many) for name, many in OUTPUTS.items()})
        for head in self.heads.values():
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)

    def says(self, task: str, read):
        return self.heads[task](self(*read))

    def forward(self, ids, sides, first, second, real):
        places = (real.long().cumsum(1) - 1).clamp_min(0)
        states = F.embedding(ids, self.words) + F.embedding(places, self.places) + F.embedding(sides, self.sides)
        states = F.dropout(self.norm(states), self.drop, self.training)
        mask = real[:, None, None, :]
        for layer in self.layers[:-1]:
            states = layer(states, mask, self.drop)
        opening = self.layers[-1](states, mask, self.drop)[:, 0]  # nothing else is asked of the last layer
        mean = lambda which: (states * which[..., None]).sum(1) / which.sum(1, keepdim=True).clamp_min(1)  # noqa: E731
        one, other = mean(first), mean(second)
        return F.dropout(torch.cat([opening, one - other, one * other], 1), self.drop, self.training)


class Data:
    """Texts on the device, and batches of pairs out of them."""

    def __init__(self, folder: Path) -> None:
        raw = np.load(folder / "examples.npz")
        lengths, pieces = raw["lengths"].astype(np.int64), raw["pieces"].astype(np.int64)
        table = np.zeros((len(lengths), max(1, lengths.max())), np.int64)
        table[np.arange(table.shape[1])[None] < lengths[:, None]] = pieces
        self.texts = torch.tensor(table, device=DEVICE)
        self.lengths = torch.tensor(lengths, device=DEVICE)
        self.examples = raw["examples"]
        if (beside := folder / "neighbours.npy").exists():
            self.examples = np.concatenate([self.examples, np.load(beside)])
        self.lengths_host = lengths
        self.alike = [np.array(group) for group in json.loads((folder / "alike.json").read_text())]
        self.many = int((folder / "vocabulary.txt").read_text("utf-8").count("\n")) + 1

    def of(self, task: str, part: int) -> np.ndarray:
        return self.examples[(self.examples[:, 0] == TASKS.index(task)) & (self.examples[:, 4] == part)]

    def swapped(self, rng: np.random.Generator) -> torch.Tensor:
        """Tables in which pieces of a kind have changed places."""
        found = np.tile(np.arange(self.many), (SWAPS, 1))
        for row in found:
            for group in self.alike:
                row[group] = rng.permutation(group)
        return torch.tensor(found, device=DEVICE)

    def batch(self, some: np.ndarray, on: torch.Tensor, lost: float = 0.0, swap: torch.Tensor | None = None):
        """Examples as the model reads them; `some` lies here and `on` the same on the device."""
        first, second = on[:, 1], on[:, 2]
        widths = [max(1, int(self.lengths_host[some[:, at]].max())) for at in (1, 2)]
        parts = []
        for texts, width in ((first, widths[0]), (second, widths[1])):
            ids = self.texts[texts, :width]
            ids = ids if swap is None else swap[ids]
            real = torch.arange(width, device=DEVICE)[None] < self.lengths[texts][:, None]
            parts.append((ids, real))
        count = len(some)
        column = lambda value: torch.full((count, 1), value, device=DEVICE, dtype=torch.long)  # noqa: E731
        yes = torch.ones(count, 1, device=DEVICE, dtype=torch.bool)
        no = ~yes
        paired = (self.lengths[second] > 0)[:, None]
        (a, ra), (b, rb) = parts
        if lost:
            a, b = (torch.where((torch.rand(x.shape, device=DEVICE) < lost), torch.zeros_like(x), x) for x in (a, b))
        ids = torch.cat([column(OPENING), a, column(CLOSING), b, column(CLOSING)], 1)
        real = torch.cat([yes, ra, yes, rb, paired], 1)
        sides = torch.cat([torch.zeros_like(a[:, :1]).expand(-1, a.shape[1] + 2), torch.ones_like(b), column(1)], 1)
        none_a, none_b = torch.zeros_like(ra), torch.zeros_like(rb)
        in_first = torch.cat([no, ra, no, none_b, no], 1)
        in_second = torch.cat([no, none_a, no, rb, no], 1)
        return ids, sides, in_first, in_second, real


def on_device(examples: np.ndarray) -> torch.Tensor:
    return torch.tensor(examples.astype(np.int64), device=DEVICE)


def begun(name: str, folder: Path) -> Model:
    """A student as it begins: with the weights of the package where those lie there, else with MiniLM's."""
    of = STUDENTS[name]
    model = Model(opened([folder / "start.npz"]), of.layers, of.wide)
    if not (folder / "earlier" / f"{name}.npz").exists():
        return model
    tables = {of: torch.tensor(found) for of, found in opened([folder / "earlier" / f"{name}.npz"]).items()}
    model.words.data = torch.tensor(opened([folder / "words.npz"])["words"])
    model.words.requires_grad = False
    model.places.data, model.sides.data = tables["places"], tables["sides"]
    offsets = tables["offsets"]

    def filled(*parameters: nn.Parameter) -> None:
        nonlocal offsets
        for p in parameters:
            p.data, offsets = offsets[: p.numel()].reshape(p.shape).clone(), offsets[p.numel() :]

    filled(model.norm.weight, model.norm.bias)
    for number, layer in enumerate(model.layers):
        for part in ("asked", "mixed", "wide", "narrow"):
            getattr(layer, part).weight.data = tables[f"{part}{number}"]
        filled(layer.asked.bias, layer.mixed.bias, layer.mixed_norm.weight, layer.mixed_norm.bias,
               layer.wide.bias, layer.narrow.bias, layer.narrow_norm.weight, layer.narrow_norm.bias)  # fmt: skip
    for task in (task for task in of.tasks if f"head {task}" in tables):
        model.heads[task].weight.data = tables[f"head {task}"]
        model.heads[task].bias.data = tables[f"base {task}"]
    return model


def loss_of(task: str, logits, labels, taught=None, part=None):
    if OUTPUTS[task] == 1:
        hard = F.binary_cross_entropy_with_logits(logits[:, 0], labels.float(), reduction="none")
    else:
        hard = F.cross_entropy(logits, labels, label_smoothing=0.03, reduction="none")
    if taught is None:
        return hard.mean()
    soft = 0.3 * hard * (part != UNLABELLED) + 0.35 * F.mse_loss(logits, taught, reduction="none").mean(1)
    return torch.where(part == UNLIKE, hard, soft).mean()


class Pace:
    """How far learning is, from 0 to 1: by the steps it was given, or by the seconds."""

    def __init__(self, steps: int, seconds: float | None) -> None:
        self.steps, self.seconds, self.done, self.began = steps, seconds, 0, time.time()

    def step(self) -> float:
        self.done += 1
        return (time.time() - self.began) / self.seconds if self.seconds else self.done / (self.steps + 1)


def in_batches(data: Data, examples: dict, counts: dict, rng: np.random.Generator, size: int):
    """One round: examples by task in an order of its own, and where batches of one length begin and end in it."""
    orders, batches = {}, []
    for task, found in examples.items():
        order = rng.permutation(np.flatnonzero(rng.random(len(found)) < counts[task]))
        long = data.lengths_host[found[order, 1]] + data.lengths_host[found[order, 2]]
        chunks = [slice(begin, begin + 16 * size) for begin in range(0, len(order), 16 * size)]
        by_length = [order[c][np.argsort(long[c], kind="stable")] for c in chunks]  # little is padding
        order = np.concatenate(by_length) if by_length else order
        orders[task] = order, torch.tensor(order, device=DEVICE)
        batches += [(task, slice(at, at + size)) for at in range(0, len(order), size)]
    return orders, [batches[number] for number in rng.permutation(len(batches))]


def learn(
    model: Model | Broad, data: Data, epochs: int, rate: float, seed: int, taught: dict | None = None, size: int = 256,
    seconds: float | None = None, tasks: Sequence[str] = TASKS,
):  # fmt: skip
    """A model that has learned the training examples; `taught` is what the teacher says of each, in their order."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    model.to(DEVICE).train()
    learned = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    rates = (rate, rate * 5)
    optimiser = torch.optim.AdamW(
        [{"params": [p for name, p in learned if name.startswith("heads") == heads]} for heads in (False, True)],
        weight_decay=0.01, fused=DEVICE == "cuda",
    )  # fmt: skip
    parts = (0, UNLIKE) if taught is None else TAUGHT
    examples = {task: np.concatenate([data.of(task, part) for part in parts]) for task in tasks}
    on = {task: on_device(found) for task, found in examples.items()}
    counts = BROAD_COUNTS if isinstance(model, Broad) else COUNTS
    pace = Pace(epochs * sum(-(-int(counts[task] * len(found)) // size) for task, found in examples.items()), seconds)
    far, round_, kept = 0.0, 0, [p.detach().clone() for _, p in learned]
    while far < 1 and (seconds or round_ < epochs):
        swaps = data.swapped(rng)
        orders, batches = in_batches(data, examples, counts, rng, size)
        for task, where in batches:
            chosen, there = (order[where] for order in orders[task])
            swap = swaps[int(rng.integers(SWAPS))] if rng.random() < 0.5 else None
            given = on[task][there]
            read = data.batch(examples[task][chosen], given, float(rng.choice([0.0, 0.0, 0.05, 0.1])), swap)
            with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
                logits = model.says(task, read)
            soft = None if taught is None else taught[task][there]
            loss = loss_of(task, logits.float(), given[:, 3], soft, given[:, 4])
            if (far := pace.step()) >= 1:
                break
            factor = min(1.0, far / 0.06) * max(0.0, 1 - far)
            for group, base in zip(optimiser.param_groups, rates, strict=True):
                group["lr"] = base * factor
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_([p for _, p in learned], 1.0)
            optimiser.step()
            if taught is not None and pace.done % AVERAGED_EVERY == 0:
                torch._foreach_lerp_(kept, [p.detach() for _, p in learned], 1 - AVERAGED)
        round_ += 1
        print(json.dumps({"round": round_, "steps": pace.done, "seconds": round(time.time() - pace.began)}), flush=True)
    if taught is not None:
        for (_, p), mean in zip(learned, kept, strict=True):
            p.data = mean
    told = {"layers": len(model.layers), "develop": figures(model, data, 1, tasks)}
    told |= {"ordinary": changes(model, data, 3)} if "change" in tasks else {}
    print(json.dumps(told), flush=True)
    return model.eval()


def said(model: Model, data: Data, task: str, part: int) -> tuple[np.ndarray, np.ndarray]:
    """Logits and examples of one part."""
    found = data.of(task, part)
    logits = np.zeros((len(found), OUTPUTS[task]), np.float32)
    model.eval()
    with torch.no_grad():
        model.to(DEVICE)
        order = np.argsort(data.lengths_host[found[:, 1]] + data.lengths_host[found[:, 2]], kind="stable")
        for at in range(0, len(found), 2048):
            some = order[at : at + 2048]
            with torch.autocast(DEVICE, torch.bfloat16, enabled=part in TAUGHT and DEVICE == "cuda"):
                read = data.batch(found[some], on_device(found[some]))
                logits[some] = model.says(task, read).float().cpu().numpy()
    return logits, found


def share(found: np.ndarray) -> float | None:
    return round(float(found.mean()), 3) if len(found) else None


def changes(model: Model, data: Data, part: int) -> dict:
    """How many changes of a part are caught at few false ones."""
    answer: dict = {}
    logits, found = said(model, data, "change", part)
    if len(found):
        found_label, odds = found[:, 3], torch.softmax(torch.tensor(logits), 1).numpy()
        replaces, holds = odds[found_label == 0, 0], odds[(found_label == 1) & (found[:, 5] >= 0), 0]
        for false in (0.01, 0.03, 0.05):
            at = float(np.quantile(holds, 1 - false)) if len(holds) else 1.0
            answer[f"change@{false}"] = [round(float((replaces > at).mean()), 3), round(at, 3)]
        answer["change_right"] = round(float((logits.argmax(1) == found_label).mean()), 3)
        answer["touches"] = share((logits.argmax(1) == 3)[found_label == 3])
        answer["same_called_replaced"] = share(odds[found_label == 2, 0] > 0.5)
        answer["stays_called_replaced"] = share(odds[found[:, 5] == -2, 0] > 0.5)
    return answer


def figures(model: Model, data: Data, part: int, tasks: Sequence[str] = TASKS) -> dict:
    """How good it is on a part: changes caught at few false ones, answers told apart, kinds right, orders caught."""
    answer = changes(model, data, part) if "change" in tasks else {}
    logits, found = said(model, data, "answers", part)
    yes, no = logits[found[:, 3] == 1, 0], logits[found[:, 3] == 0, 0]
    for false in (0.02, 0.05, 0.1, 0.2) if "answers" in tasks else ():
        at = float(np.quantile(no, 1 - false))
        answer[f"answers@{false}"] = [round(float((yes > at).mean()), 3), round(at, 2)]
    if set(tasks) <= {"change", "answers"}:
        return answer
    logits, found = said(model, data, "kinds", part)
    if len(found):
        right = logits.argmax(1) == found[:, 3]
        answer["kinds_right"] = round(float(right.mean()), 3)
        answer["kinds"] = {int(k): round(float(right[found[:, 3] == k].mean()), 3) for k in np.unique(found[:, 3])}
    logits, found = said(model, data, "plans", part)
    for name, some in (("plans", found[:, 6] == 0), ("plans_told", found[:, 6] == 1)) if len(found) else ():
        right = logits[some].argmax(1) == found[some, 3]
        answer[f"{name}_right"] = share(right)
        answer[name] = {int(k): share(right[found[some, 3] == k]) for k in np.unique(found[some, 3])}
    return answer


def rounded(model: Model) -> Model:
    """The weights as bytes of one step a row would give them back."""
    for name, p in model.named_parameters():
        if p.ndim == 2 and p.requires_grad and not name.startswith("heads"):
            step = p.data.abs().amax(1, keepdim=True).clamp_min(1e-8) / 127
            p.data = torch.round(p.data / step) * step
    return model


def saved(model: Model, path: Path, tasks: Sequence[str]) -> None:
    f = lambda p: p.detach().float().cpu().numpy()  # noqa: E731
    tables = {"places": f(model.places), "sides": f(model.sides)}
    offsets = [f(model.norm.weight), f(model.norm.bias)]
    for number, layer in enumerate(model.layers):
        for name in ("asked", "mixed", "wide", "narrow"):
            tables[f"{name}{number}"] = f(getattr(layer, name).weight)
        offsets += [
            f(p) for p in (layer.asked.bias, layer.mixed.bias, layer.mixed_norm.weight, layer.mixed_norm.bias,
                           layer.wide.bias, layer.narrow.bias, layer.narrow_norm.weight, layer.narrow_norm.bias)
        ]  # fmt: skip
    heads = {f"head {task}": f(model.heads[task].weight) for task in tasks}
    heads |= {f"base {task}": f(model.heads[task].bias) for task in tasks}
    words = {"words": f(model.words).astype(np.float16)} if model.words.requires_grad else {}
    tables = {name: table.astype(np.float16) for name, table in tables.items()}
    np.savez(path, offsets=np.concatenate(offsets), **tables, **heads, **words)


def voices(model: Model, data: Data, tasks: Sequence[str]) -> dict[str, np.ndarray]:
    """What a model says of all examples that are learned from, with a label or without."""
    return {task: np.concatenate([said(model, data, task, part)[0] for part in TAUGHT]) for task in tasks}


def taught(options: argparse.Namespace) -> None:
    """Lays down pairs without a label, and what the teacher says of all examples when it has learned."""
    folder, out = options.folder, options.out
    model = Broad(opened(sorted(folder.glob("broad-*.npz"))), OUTPUTS)
    if not (beside := folder / "neighbours.npy").exists():
        np.save(beside, neighbours(model, Data(folder), TASKS, OPENING, CLOSING, options.seed))
        torch.cuda.empty_cache()
    print(json.dumps({"neighbours": len(np.load(beside))}), flush=True)
    data, (seconds, _) = Data(folder), options.seconds or (None, None)
    teacher = learn(model, data, options.epochs, BROAD_RATE, options.seed, size=BROAD_SIZE, seconds=seconds)
    counted(teacher, data, out / "teacher-said.npz", TASKS)
    np.savez(out / "teacher.npz", **{task: of.astype(np.float16) for task, of in voices(teacher, data, TASKS).items()})


def studied(options: argparse.Namespace) -> None:
    """Lays down the weights of one student."""
    name, of, out = options.student, STUDENTS[options.student], options.out
    data, (_, seconds) = Data(options.folder), options.seconds or (None, None)
    said_of = {task: found.astype(np.float32) for task, found in np.load(options.out / "teacher.npz").items()}
    student = begun(name, options.folder)
    if OWN_VOICE in of.tasks and (options.folder / "earlier").exists():
        said_of |= voices(student, data, [OWN_VOICE])
    soft = {task: torch.tensor(said_of[task], device=DEVICE) for task in of.tasks}
    student = learn(student, data, options.student_epochs, of.rate, options.seed, soft, options.size, seconds, of.tasks)
    student = rounded(student)
    saved(student, out / f"{name}.npz", of.tasks)
    counted(student, data, out / f"{name}-said.npz", of.tasks)
    told = {"layers": len(student.layers), "develop": figures(student, data, 1, of.tasks)}
    print(json.dumps({name: told}), flush=True)
    (out / f"{name}.json").write_text(json.dumps(told))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--student-epochs", type=int, default=12)
    parser.add_argument("--seconds", type=float, nargs=2)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--size", type=int, default=768)
    parser.add_argument("--student", choices=STUDENTS, help="only this one, of a teacher who has learned")
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    options.out.mkdir(parents=True, exist_ok=True)
    if options.student:
        studied(options)
        return
    if not (options.out / "teacher.npz").exists():
        taught(options)
        torch.cuda.empty_cache()
    waiting = [name for name in STUDENTS if not (options.out / f"{name}.json").exists()]
    running = [subprocess.Popen([sys.executable, *sys.argv, "--student", name]) for name in waiting]
    if sum(one.wait() != 0 for one in running):
        raise SystemExit("a student failed")


def counted(model: Model | Broad, data: Data, path: Path, tasks: Sequence[str]) -> None:
    """Writes down what a model says of the examples that nothing is learned from."""
    spoken = {}
    for task in tasks:
        for part in COUNTED:
            logits, found = said(model, data, task, part)
            spoken[f"{task}_{part}"], spoken[f"{task}_{part}_examples"] = logits, found
    np.savez_compressed(path, **spoken)


if __name__ == "__main__":
    main()
