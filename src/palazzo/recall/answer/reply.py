"""What a recall returns: hits that explain themselves, and figures about how the answer was found.

Owns the values, and how they fit into a token budget: in full while it lasts, then as summary, key fact and label, and
when none fits as a line about where they stand. Invariants: a hit names every signal that counted for or against it,
with its weight, so the score can be recomputed from what is shown; the sum of what is packed never exceeds the budget,
and what found no room is counted, not silently lost; a passage is a stretch of its document, word for word.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from palazzo.model.belief import Trust
from palazzo.model.memory import ACTING, SECTIONED, Memory
from palazzo.model.zone import UTC_NAME
from palazzo.text.words.parsed import parsed
from palazzo.text.words.remembered import kept_in
from palazzo.text.words.tokens import STOP_WORDS

Mode = Literal["full", "text only", "degraded"]
Lane = Literal["recalled", "identity", "instruction", "procedure", "address", "place", "earlier"]
Tier = Literal["full", "passage", "summary", "key fact", "label"]


class Signal(msgspec.Struct, frozen=True, gc=False):
    """One reason: its figure from 0 to 1, what it weighs, and this memory's rank by it among the candidates."""

    name: str
    value: float
    weight: float
    rank: int


class Reasons:
    """The signals of every row of one ranking, written out when somebody looks at them: few who recall do.

    Until then a reply holds a few arrays and no thousand small objects, which would make each full collection of
    garbage a pause of its own (60 ms with 500 answers kept).
    """

    __slots__ = ("_columns", "_names", "_order", "_ranks", "_shown", "_weights")

    def __init__(self, columns: Mapping[str, NDArray[np.float32]], weights: Mapping[str, float], shown: int) -> None:
        """`shown` is how many rows, from the first, may be asked about."""
        self._names = [name for name in columns if weights.get(name)]
        self._weights = [weights[name] for name in self._names]
        self._columns = [columns[name] for name in self._names]
        self._shown = shown
        self._order: NDArray[np.intp] | None = None
        self._ranks: NDArray[np.intp] | None = None

    def of(self, row: int) -> tuple[Signal, ...]:
        """Every signal that counted for or against a row, strongest first."""
        if not self._names:
            return ()
        if self._order is None or self._ranks is None:
            table = np.array(self._columns)
            shown = table[:, : self._shown]
            ordered = np.sort(table, axis=1)
            places = [line.searchsorted(values, "right") for line, values in zip(ordered, shown, strict=True)]
            self._ranks = 1 + table.shape[1] - np.array(places)
            self._order = np.argsort(-np.abs(shown * np.array(self._weights)[:, None]), axis=0, kind="stable")
        ranks = self._ranks[:, row].tolist()
        values = [float(column[row]) for column in self._columns]
        return tuple(
            Signal(self._names[at], round(values[at], 3), self._weights[at], ranks[at])
            for at in self._order[:, row].tolist()
            if values[at]
        )


NO_REASONS: Final = Reasons({}, {}, 0)


class Hit(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A recalled memory and why. `text` is the tier that was packed; `score` is comparable within one reply only,
    `relevance` everywhere."""

    memory: Memory
    text: str
    tier: Tier
    score: float
    trust: Trust
    relevance: float = 1.0
    """How likely it answers the cue, from 0 to 1; means the same in every reply."""
    lane: Lane = "recalled"
    provenance: str = ""
    caveat: str = ""
    quoted: str = ""
    """Who said it, when it is no fact and no instruction of the reader's: it is shown as that subject's word."""
    replaced: bool = False
    """Whether a part of it no longer holds, which its caveat then says."""
    own: bool = False
    """Whether it is the owner's own word: said by them to an agent, or kept by hand as a statement."""
    speaker: str = ""
    before: str = ""
    """What was said right before it in a conversation of people, who do not repeat what they were asked."""
    reasons: Reasons = NO_REASONS
    row: int = 0
    """Where it stands in the ranking behind `reasons`."""
    zone: str = UTC_NAME
    """Where its days are told."""

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Every signal that counted, strongest first."""
        return self.reasons.of(self.row)

    @property
    def kref(self) -> str:
        return str(self.memory.kref)

    @property
    def said(self) -> str:
        """The text as a model may read it."""
        return f'{self.quoted} said: "{self.text}"' if self.quoted else self.text


class Sibling(msgspec.Struct, frozen=True, gc=False):
    """A candidate beside the hits, for a client that chooses itself."""

    kref: str
    text: str
    cosine: float


class Quality(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """How the answer was found."""

    mode: Mode
    intent: str
    weights: str
    """Which table of weights was used."""
    candidates: int
    tokens: int
    latency_ms: float
    dropped: tuple[tuple[str, str], ...] = ()
    """Branches that did not run, and why."""
    left_out: int = 0
    """Hits that the budget had no room for."""
    gist: str = ""
    """What the hits are about, where the budget had room for none of them."""
    replaced: tuple[tuple[str, str], ...] = ()
    """What matched but no longer holds and was left out, and what replaced it, by address."""
    cached: bool = False
    relevance: float = 0.0
    """Of the hits, on average."""
    ndcg: float = 0.0
    """How near the order of the hits comes to that of their relevance, from 0 to 1."""


class Reply(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The hits, best first, and the quality figures."""

    hits: tuple[Hit, ...]
    quality: Quality
    known: bool = True
    """Whether anything here is relevant enough to be an answer."""
    siblings: tuple[Sibling, ...] = ()
    """Candidates beside the hits with a cosine over 0.3, nearest first; only where the client reranks."""


def ndcg(relevances: Sequence[float]) -> float:
    """Normalised discounted cumulative gain: what the order is worth beside the best one; 0 where nothing is."""
    best = _gain(sorted(relevances, reverse=True))
    return round(_gain(relevances) / best, 4) if best else 0.0


def _gain(relevances: Sequence[float]) -> float:
    return sum(relevance / math.log2(rank + 2) for rank, relevance in enumerate(relevances))


WATCHED = 100
"""Recalls whose figures are looked back on."""
IN_A_ROW = 10
"""Recalls in a row that must have found little before anybody is told."""
LITTLE = 0.3
POOR = 0.4
CONTEXTS_KEPT = 200


class GivenContext(msgspec.Struct, frozen=True):
    """What a model was given: when, for whom, for which message, and the whole answer."""

    at_us: int
    subject: str
    message: str
    answer: object


class GivenContexts:
    """The last contexts of this process, for a person who wants to see what models saw. They are in memory alone and go
    with the process, or when something is erased. Threads share it."""

    def __init__(self) -> None:
        self._lately: deque[GivenContext] = deque(maxlen=CONTEXTS_KEPT)
        kept_in(self)

    def add(self, one: GivenContext) -> None:
        """Keeps one; the oldest beyond so many goes."""
        self._lately.append(one)

    def newest(self) -> tuple[GivenContext, ...]:
        """Those that are kept, newest first."""
        return tuple(reversed(self._lately.copy()))

    def forget(self) -> None:
        """Lets go of all of them."""
        self._lately.clear()


class RecallWatch:
    """How well the last recalls of this process went. Threads share it: a line more or less changes nothing."""

    def __init__(self) -> None:
        self._lately: deque[tuple[float, float]] = deque(maxlen=WATCHED)
        self.given = GivenContexts()

    def note(self, reply: Reply) -> str:
        """Takes in a reply; says what is wrong when ten in a row found hardly anything relevant, else nothing."""
        best = max((hit.relevance for hit in reply.hits), default=0.0)
        self._lately.append((best, reply.quality.ndcg))
        last = [found for found, _ in list(self._lately)[-IN_A_ROW:]]
        if len(last) < IN_A_ROW or max(last) >= LITTLE:
            return ""
        return f"the last {IN_A_ROW} recalls found little: the best hit had a relevance of {max(last):.2f}"

    def findings(self) -> tuple[Literal["good", "warning"], str]:
        """Level and words for the doctor: how relevant the best hits were lately, and how well they were ordered."""
        lately = list(self._lately)
        if len(lately) < IN_A_ROW:
            return "good", f"{len(lately)} recalls in this process: too few to judge by"
        relevance, order = (sum(figures) / len(lately) for figures in zip(*lately, strict=True))
        told = f"best hits of the last {len(lately)} recalls: relevance {relevance:.2f}, order {order:.2f} on average"
        return ("warning" if min(relevance, order) < POOR else "good"), told


Count = Callable[[str], int]
LABELS = 3
"""Labels shown of a place when there is no room for its memories."""
OVERHEAD_TOKENS = 6
"""Separators and the reference that goes with each hit."""


class Packed(msgspec.Struct, frozen=True, gc=False):
    """What fits, what it costs, and how many did not."""

    hits: tuple[Hit, ...]
    tokens: int
    left_out: int
    gist: str = ""
    """What the hits are about, where there was room for none of them."""


def tiers(memory: Memory) -> list[tuple[Tier, str]]:
    """The forms a memory can take, longest first, as far as it has them. The words of an order are never picked out: in
    another order they say something else."""
    content = memory.revision.content
    forms: list[tuple[Tier, str]] = [("full", content.text)]
    label = "" if memory.kind in ACTING else content.label
    for tier, text in (("summary", content.summary), ("key fact", content.key_fact), ("label", label)):
        if text and len(text) < len(forms[-1][1]):
            forms.append((tier, text))  # type: ignore[arg-type]
    return forms


def pack(hits: Sequence[Hit], budget_tokens: int | None, count: Count) -> Packed:
    """The hits in their order, each in the fullest form that still fits."""
    if budget_tokens is None:
        tokens = sum(count(hit.text) + OVERHEAD_TOKENS for hit in hits)
        return Packed(tuple(hits), tokens, 0)
    packed: list[Hit] = []
    spent = 0
    for hit in hits:
        for tier, text in tiers(hit.memory):
            cost = count(text) + OVERHEAD_TOKENS
            if spent + cost <= budget_tokens:
                packed.append(hit if tier == hit.tier and text == hit.text else replace(hit, tier=tier, text=text))
                spent += cost
                break
    if hits and not packed:
        gist = next((text for text in abstractions(hits) if count(text) <= budget_tokens), "")
        return Packed((), count(gist) if gist else 0, len(hits), gist)
    return Packed(tuple(packed), spent, len(hits) - len(packed))


def abstractions(hits: Sequence[Hit]) -> list[str]:
    """What the hits are about, from close to coarse: by place with a label each, by domain, as one number."""
    places: dict[str, list[str]] = {}
    domains: dict[str, int] = {}
    for hit in hits:
        path = hit.memory.place.path
        places.setdefault(path, []).append(hit.memory.revision.content.label)
        domain = path.partition(".")[0]
        domains[domain] = domains.get(domain, 0) + 1
    clusters = "; ".join(
        f"{path}: {len(labels)}" + (f" ({named})" if (named := ", ".join(filter(None, labels[:LABELS]))) else "")
        for path, labels in places.items()
    )
    by_domain = ", ".join(f"{count} in {domain}" for domain, count in domains.items())
    return [f"Memories that match: {clusters}", f"Memories that match: {by_domain}", f"{len(hits)} memories match"]


LENGTH = 1_200
"""Characters of a passage: some paragraphs."""


def in_part(hit: Hit, terms: Sequence[str]) -> Hit:
    """A hit that shows a passage where its document is long; any other as it is."""
    if hit.memory.kind != "document" or len(hit.text) <= SECTIONED:
        return hit
    return replace(hit, text=passage(hit.text, terms), tier="passage")


def passage(text: str, terms: Sequence[str]) -> str:
    """The stretch of a text that has most of these terms, the earliest where several do."""
    wanted = frozenset(terms) - STOP_WORDS
    half = LENGTH // 2
    best, most = 0, -1
    for start in range(0, max(1, len(text) - half), half):
        found = len(wanted.intersection(parsed(text[start : start + LENGTH]).terms)) if wanted else 0
        if found > most:
            best, most = start, found
    end = best + LENGTH
    if best and (line := text.find("\n", best, end - half)) >= 0:
        best = line + 1
    if end < len(text) and (line := text.rfind("\n", best + half, end)) >= 0:
        end = line
    return text[best:end].strip()
