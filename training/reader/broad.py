"""MPNet with twelve layers as a teacher of the reader: broader than MiniLM, and too slow for the package.

Owns its form over the package's pieces of words, and which pairs without a label it is asked about. It reads and judges
as `learn.Model` does, so that both learn by the same steps. Needs torch and nothing of ours. Invariant: pairs that are
brought together come from examples that are learned from, never from those that only are counted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

WIDTH, HEADS, BUCKETS, FARTHEST = 768, 12, 32, 128
LEARNED, UNLABELLED = 0, 4
ASKED = {"change": (100_000, 6, 30), "answers": (22_000, 22, 60), "plans": (4_000, 20, 80)}
"""How many texts stand first in pairs of a judgement that are brought together, and how many second texts each of them
is given, drawn from so many that are nearest."""


def buckets(width: int) -> torch.Tensor:
    """Which of MPNet's distances lies between each two places."""
    at = torch.arange(width)
    apart = at[:, None] - at[None, :]  # from the one that looks back to the one that is looked at
    half, exact = BUCKETS // 2, BUCKETS // 4
    far = apart.abs()
    wide = exact + (
        torch.log(far.float().clamp_min(1) / exact) / math.log(FARTHEST / exact) * (half - exact)
    ).long().clamp_min(-exact)
    return (apart < 0).long() * half + torch.where(far < exact, far, wide.clamp_max(half - 1))


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.asked = nn.Linear(WIDTH, 3 * WIDTH)
        self.mixed = nn.Linear(WIDTH, WIDTH)
        self.mixed_norm = nn.LayerNorm(WIDTH, eps=1e-5)
        self.wide = nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = nn.Linear(4 * WIDTH, WIDTH)
        self.narrow_norm = nn.LayerNorm(WIDTH, eps=1e-5)

    def forward(self, states, mask, drop):
        b, t, _ = states.shape
        q, k, v = self.asked(states).view(b, t, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask.to(q.dtype))
        mixed = self.mixed(mixed.transpose(1, 2).reshape(b, t, WIDTH))
        states = self.mixed_norm(states + F.dropout(mixed, drop, self.training))
        inner = self.narrow(F.gelu(self.wide(states)))
        return self.narrow_norm(states + F.dropout(inner, drop, self.training))


class Broad(nn.Module):
    """MPNet with a head for each judgement."""

    def __init__(self, start: Mapping[str, np.ndarray], outputs: Mapping[str, int], drop: float = 0.1) -> None:
        super().__init__()
        t = lambda name: torch.tensor(start[name])  # noqa: E731
        self.drop = drop
        self.words, self.places = nn.Parameter(t("words")), nn.Parameter(t("places"))
        self.sides = nn.Parameter(torch.zeros(2, WIDTH))
        self.apart = nn.Parameter(t("encoder.relative_attention_bias.weight"))
        self.norm = nn.LayerNorm(WIDTH, eps=1e-5)
        self.norm.weight.data, self.norm.bias.data = t("embeddings.LayerNorm.weight"), t("embeddings.LayerNorm.bias")
        self.layers = nn.ModuleList()
        for number in range(sum(name.endswith("attention.attn.q.weight") for name in start)):
            at, one = f"encoder.layer.{number}.", Layer()
            for kind in ("weight", "bias"):
                asked = torch.cat([t(f"{at}attention.attn.{p}.{kind}") for p in "qkv"])
                setattr(getattr(one.asked, kind), "data", asked)  # noqa: B010
                for name, theirs in (
                    ("mixed", "attention.attn.o"), ("mixed_norm", "attention.LayerNorm"),
                    ("wide", "intermediate.dense"), ("narrow", "output.dense"), ("narrow_norm", "output.LayerNorm"),
                ):  # fmt: skip
                    setattr(getattr(getattr(one, name), kind), "data", t(f"{at}{theirs}.{kind}"))  # noqa: B010
            self.layers.append(one)
        self.heads = nn.ModuleDict({name: nn.Linear(3 * WIDTH, many) for name, many in outputs.items()})
        for head in self.heads.values():
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)

    def says(self, task: str, read):
        return self.heads[task](self(*read))

    def states(self, ids, sides, real):
        """What the last layer but one and the last say at each place."""
        places = (real.long().cumsum(1) - 1).clamp_min(0)
        states = F.embedding(ids, self.words) + F.embedding(places, self.places) + F.embedding(sides, self.sides)
        states = F.dropout(self.norm(states), self.drop, self.training)
        apart = F.embedding(buckets(ids.shape[1]).to(ids.device), self.apart).permute(2, 0, 1)[None]
        mask = apart.float().masked_fill(~real[:, None, None, :], -1e4)
        before = states
        for layer in self.layers:
            before, states = states, layer(states, mask, self.drop)
        return before, states

    def forward(self, ids, sides, first, second, real):
        before, states = self.states(ids, sides, real)
        mean = lambda which: (before * which[..., None]).sum(1) / which.sum(1, keepdim=True).clamp_min(1)  # noqa: E731
        one, other = mean(first), mean(second)
        return F.dropout(torch.cat([states[:, 0], one - other, one * other], 1), self.drop, self.training)

    def vectors(self, data, texts: np.ndarray, opening: int, closing: int) -> torch.Tensor:
        """Where each of some texts lies, as MPNet was learned to tell."""
        found = torch.zeros(len(texts), WIDTH, device=data.texts.device, dtype=torch.float16)
        order = np.argsort(data.lengths_host[texts], kind="stable")
        for at in range(0, len(texts), 4096):
            some = order[at : at + 4096]
            on = torch.tensor(texts[some].astype(np.int64), device=data.texts.device)
            width = max(1, int(data.lengths_host[texts[some]].max()))
            real = torch.arange(width, device=on.device)[None] < data.lengths[on][:, None]
            yes = torch.ones_like(real[:, :1])
            ids = torch.cat([yes * opening, data.texts[on, :width], yes * closing], 1)
            real = torch.cat([yes, real, yes], 1)
            with torch.autocast(on.device.type, torch.bfloat16, enabled=on.device.type == "cuda"):
                _, states = self.states(ids, torch.zeros_like(ids), real)
            mean = (states.float() * real[..., None]).sum(1) / real.sum(1, keepdim=True)
            found[torch.tensor(some, device=on.device)] = F.normalize(mean, dim=1).half()
        return found


@torch.no_grad()
def neighbours(
    model: Broad, data, tasks: Sequence[str], opening: int, closing: int, seed: int
) -> np.ndarray:  # fmt: skip
    """Pairs without a label: of a change, statements beside near ones, whatever they were written for; of answers,
    questions beside statements near to them; of plans, plans beside what is said of near ones."""
    model.to(data.texts.device).eval()
    rng = np.random.default_rng(seed)
    of = {task: data.of(task, LEARNED) for task in ASKED}
    told = np.concatenate([of["change"][:, 1], of["change"][:, 2], of["answers"][:, 2]])
    told = np.setdiff1d(told, of["answers"][:, 1])
    pairs = []
    for task, (many, drawn, nearest) in ASKED.items():
        seconds = of["plans"][:, 2] if task == "plans" else told
        seconds = np.unique(seconds[data.lengths_host[seconds] > 0])
        firsts = seconds if task == "change" else np.unique(of[task][data.lengths_host[of[task][:, 2]] > 0, 1])
        firsts = rng.permutation(firsts)[:many]
        there, asked = (model.vectors(data, some, opening, closing) for some in (seconds, firsts))
        known = np.unique(_numbered(of[task][:, 1], of[task][:, 2]))
        for at in range(0, len(firsts), 512):
            near = (asked[at : at + 512] @ there.T).topk(min(nearest, len(seconds)), dim=1).indices.cpu().numpy()
            first = np.repeat(firsts[at : at + 512], min(drawn, near.shape[1]))
            second = seconds[rng.permuted(near, axis=1)[:, :drawn]].ravel()
            kept = (first != second) & ~np.isin(_numbered(first, second), known)
            pair = np.zeros((int(kept.sum()), of[task].shape[1]), of[task].dtype)
            pair[:, 0], pair[:, 4], pair[:, 5] = tasks.index(task), UNLABELLED, -1
            pair[:, 1], pair[:, 2] = first[kept], second[kept]
            pairs.append(pair)
    return np.concatenate(pairs)


def _numbered(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """A pair as one number."""
    return first.astype(np.int64) << 32 | second.astype(np.int64)
