"""The gatherers: each asks one index for what may answer, and returns keys with raw scores, best first.

Owns how a plan becomes searches. A branch that has not begun by the deadline does not begin, one that has stops soon
after; either is dropped and named. A cue that names a known thing by one of its names also looks for the others, which
the store knows, and a verb for its irregular forms: owns which words of a cue may be a name, how many other names are
taken, and that their words never count as much as what the cue says itself. Invariants: every key comes from a read of
the store through the Reading, so nothing a reader may not see is ever a candidate; nobody waits for an embedder that is
elsewhere longer than there is time; a cue without another name is searched exactly as it is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from dataclasses import dataclass, field
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from palazzo.errors import PartUnavailable
from palazzo.recall.read.cue import OtherName, Plan, asked_of, without_names
from palazzo.recall.read.presets import Preset
from palazzo.store.api import (
    NARROW_ROWS,
    PASSED,
    Field,
    Filter,
    Reading,
    Spread,
    Store,
    TextSearch,
    VectorSearch,
    distinct,
)
from palazzo.text.facts.entities import find_entities
from palazzo.text.facts.relations import USER, KinAsked, words_alike
from palazzo.text.meaning.answering import SLIP_LETTERS
from palazzo.text.meaning.slips import slips_of
from palazzo.text.words.grammar import other_forms
from palazzo.text.words.tokens import STOP_WORDS, terms, word_terms

Floats = NDArray[np.float32]
MOST = 3
"""Other names of one thing that are looked for."""
LONGEST = 3
"""Words of a name."""
READ_WORDS = 32
"""Words of a cue in which names are looked for: longer ones tell more than they ask for."""
SLIPS = 2
"""Words of a cue that the palace has nowhere and that are looked for in other spellings."""
SHARE = np.float32(0.7)
"""What a word of another name counts, of what it would count if the cue had it."""
_AROUND = ".,;:!?…\"'()[]{}<>*_~|`«»“”‘’"


def may_name(words: str) -> tuple[str, ...]:
    """The runs of words of a cue that may name something, in the form names are looked up by."""
    return tuple(dict.fromkeys(_runs(words)))


def names_of_kin(reading: Reading, kin: KinAsked) -> tuple[str, ...]:
    """How those are called whom a cue names by what they are to somebody: "my cat" is who a memory calls a cat."""
    words = "|".join(map(re.escape, sorted({kin.kin, *words_alike(kin.kin)})))
    said = re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    return tuple(
        dict.fromkeys(name for name, text in reading.entities.tied(kin.owner, kin.predicate) if said.search(text))
    )


def with_other_names(reading: Reading, plan: Plan, known: Mapping[str, Sequence[str]], speakers: Sequence[str]) -> Plan:
    """The plan with the other names of what its cue names; `speakers` are those who speak in what this reader sees."""
    rows = {term: row for row, term in enumerate(plan.terms)}
    plan = replace(plan, other_names=(*_verb_forms(plan, rows), *_spelled_otherwise(reading, plan, rows)))
    if not known:
        return plan
    runs = {run: tuple(rows[term] for term in terms(run) if term in rows) for run in known}
    known = {run: names for run, names in known.items() if runs[run]}
    found: dict[tuple[tuple[int, ...], tuple[str, ...]], None] = {}
    for run, names in known.items():
        literal = {plan.terms[row] for row in runs[run]}
        others = dict.fromkeys(tuple(dict.fromkeys(terms(name))) for name in names)
        for words in [words for words in others if not literal.issuperset(words)][:MOST]:
            found[runs[run], words] = None
    plan = replace(
        plan, other_names=(*plan.other_names, *(OtherName(at, words) for at, words in found)),
        renamed=tuple(_renamed(plan.words, known))[:MOST],
    )  # fmt: skip
    return _naming_speakers(plan, known, {name.casefold() for name in speakers}, runs)


def _renamed(words: str, known: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for run, names in known.items():
        said = re.compile(rf"(?<!\w){re.escape(run)}(?!\w)", re.IGNORECASE)
        for name in names:
            told = said.sub(lambda _, name=name: name, words)  # type: ignore[misc]
            if told != words:
                yield told


def as_asker(words: str, known: Mapping[str, Sequence[str]]) -> str:
    """The words of a cue, with a name that is the asker's own said as "I" and "my"."""
    for run, names in known.items():
        if USER in names:
            words = asked_of(words, run)
    return words


def _verb_forms(plan: Plan, rows: Mapping[str, int]) -> Iterator[OtherName]:
    """Forms of irregular verbs, which share no stem with the one in the cue."""
    for word in dict.fromkeys(plan.words.casefold().split(maxsplit=READ_WORDS)[:READ_WORDS]):
        bare = _bare(word)
        forms = other_forms(bare)
        row = rows.get(word_terms(bare)[0]) if forms else None
        if row is None or not plan.content[row]:
            continue
        for form in forms:
            (term, *_) = word_terms(form)
            if term not in rows:
                yield OtherName((row,), (term,))


def _spelled_otherwise(reading: Reading, plan: Plan, rows: Mapping[str, int]) -> Iterator[OtherName]:
    """Words of the palace that are a slip of the pen away from one of the cue's that it has nowhere."""
    said = {
        word_terms(bare)[0]: bare for bare in map(_bare, plan.words.casefold().split()[:READ_WORDS]) if bare.isalpha()
    }
    asked = {
        term: said[term] for term, row in rows.items() if plan.content[row] and len(said.get(term, "")) >= SLIP_LETTERS
    }
    strange = set(asked) - reading.search.holding(plan.terms) if asked else set()
    for term in [term for term in asked if term in strange][:SLIPS]:
        near = set(slips_of(asked[term], term)) - {term}
        yield from (OtherName((rows[term],), (other,)) for other in sorted(reading.search.holding(tuple(near)))[:MOST])


def _naming_speakers(
    plan: Plan, known: Mapping[str, Sequence[str]], speakers: set[str], runs: Mapping[str, tuple[int, ...]]
) -> Plan:
    """A speaker who is named by another name is named all the same: as one who speaks, not by what the words mean."""
    named = {run: name.casefold() for run, names in known.items() for name in names if name.casefold() in speakers}
    named = {run: name for run, name in named.items() if name not in plan.speakers}
    if not named:
        return plan
    rows = {row for run in named for row in runs[run]}
    return replace(
        plan, speakers=tuple(dict.fromkeys((*plan.speakers, *named.values()))),
        meaning=without_names(plan.meaning, list(named)) or plan.meaning,
        content=tuple(carries and row not in rows for row, carries in enumerate(plan.content)),
    )  # fmt: skip


def _runs(words: str) -> Iterator[str]:
    """Runs of words that may be a name, in the form names are looked up by."""
    said = [_bare(word) for word in words.casefold().split(maxsplit=READ_WORDS)[:READ_WORDS]]
    for start, first in enumerate(said):
        if not first or first in STOP_WORDS:
            continue
        yield first
        for end in range(start + 2, min(start + LONGEST, len(said)) + 1):
            last = said[end - 1]
            if not last:
                break
            if last not in STOP_WORDS:
                yield " ".join(said[start:end])


def _bare(word: str) -> str:
    bare = word.strip(_AROUND)
    return bare[:-2] if bare.endswith(("'s", "’s")) else bare


def asked_terms(plan: Plan) -> tuple[str, ...]:
    """The words of the cue, then those of other names that it does not have."""
    if not plan.other_names:
        return plan.terms
    return tuple(dict.fromkeys((*plan.terms, *(term for name in plan.other_names for term in name.terms))))


def shares(plan: Plan) -> dict[str, float]:
    """What the words count that only other names have."""
    return dict.fromkeys(asked_terms(plan)[len(plan.terms) :], float(SHARE))


def folded(scores: Floats, plan: Plan) -> Floats:
    """Scores of the cue's own words from those of all that were asked for (terms by rows).

    Another name that is there with all its words counts as its average word would, for each word it stands for.
    """
    if not plan.other_names:
        return scores
    at = {term: row for row, term in enumerate(asked_terms(plan))}
    own = scores[: len(plan.terms)].copy()
    for name in plan.other_names:
        earned = scores[[at[term] for term in name.terms]]
        instead = np.where((earned > 0).all(axis=0), SHARE * earned.mean(axis=0), np.float32(0))
        rows = list(name.rows)
        better = instead * np.float32(len(rows)) > own[rows].sum(axis=0)
        own[np.array(rows)[:, None], np.flatnonzero(better)] = instead[better]
    return own


Keys = NDArray[np.int64]
Scores = NDArray[np.float32]

HOP = 0.6
PRUNE = 0.1
SEEDS = 5
ALIASES = 3
LATE = PASSED


class BranchFound(msgspec.Struct, frozen=True, gc=False):
    """What one branch found."""

    keys: Keys
    scores: Scores

    @classmethod
    def nothing(cls) -> BranchFound:
        return cls(np.empty(0, np.int64), np.empty(0, np.float32))


@dataclass(slots=True)
class Gathered:
    """What all branches found, by name, and which were dropped and why."""

    found: dict[str, BranchFound] = field(default_factory=dict)
    dropped: dict[str, str] = field(default_factory=dict)
    space: str = ""
    vector: NDArray[np.float32] | None = None
    scored: dict[int, float] = field(default_factory=dict)
    """Every exact similarity to the vector found on the way, by key."""

    def keys(self) -> Keys:
        """Every key, ascending, each once."""
        parts = [found.keys for found in self.found.values()]
        return distinct(*parts) if parts else np.empty(0, np.int64)


class GatherSources(msgspec.Struct, frozen=True, kw_only=True):
    """Where to gather: the store, this moment of it, the limits, and how much time is left."""

    store: Store
    reading: Reading
    preset: Preset
    late: Callable[[], bool]
    kept: Callable[[Hashable, Callable[[], Sequence[int]]], Sequence[int]] = lambda _name, ask: ask()
    """Keys that are the same for every cue of this reader until something is written, by what they are: asked once."""


def gather(
    sources: GatherSources, plan: Plan, query: Callable[[str], tuple[str, NDArray[np.float32] | None, str]]
) -> Gathered:
    """Runs the branches the plan asks for; `query` embeds the cue."""
    gathered = Gathered()

    def branch(name: str, work: Callable[[], BranchFound]) -> None:
        if sources.late():
            gathered.dropped[name] = LATE
            return
        try:
            with sources.reading.until(sources.late):
                found = work()
        except PartUnavailable as error:
            gathered.dropped[name] = str(error)
            return
        if len(found.keys):
            gathered.found[name] = found

    preset = sources.preset
    branch("text", lambda: by_text(sources, plan, "turn", preset.text))
    branch("text of knowledge", lambda: by_text(sources, plan, "text", preset.knowledge))
    branch("prospects", lambda: by_text(sources, plan, "prospects", preset.knowledge // 2))
    branch("meaning", lambda: embed(plan, gathered, query))
    if gathered.vector is not None:
        further = 3 if plan.traits.statement else 1
        branch("vector", lambda: by_vector(sources, plan, gathered, "turn", preset.vector * further))
        branch("vector of knowledge", lambda: by_vector(sources, plan, gathered, "text", preset.knowledge * further))
    if plan.ranges_us:
        branch("time", lambda: by_time(sources, plan))
    if sources.preset.links or plan.traits.intent == "causal":
        branch("entity", lambda: by_entity(sources, plan))
        branch("graph", lambda: by_graph(sources, gathered, 3 if plan.traits.intent == "causal" else 2))
    return gathered


def by_text(sources: GatherSources, plan: Plan, field_name: Field, limit: int) -> BranchFound:
    """BM25 over one field."""
    wanted = TextSearch(
        terms=asked_terms(plan),
        field=field_name,
        limit=limit,
        filter=plan.cue.filter,
        weights=shares(plan),
        late=sources.late,
    )
    hits = sources.reading.search.text(wanted)
    return BranchFound(hits.keys, hits.scores)


def embed(
    plan: Plan, gathered: Gathered, query: Callable[[str], tuple[str, NDArray[np.float32] | None, str]]
) -> BranchFound:
    """The cue's vector, kept with what was gathered; finds nothing itself."""
    space, vector, why = query(plan.meaning)
    if vector is None or not np.any(vector):
        gathered.dropped["vector"] = why or "the cue has no vector"
    else:
        gathered.space, gathered.vector = space, vector
    return BranchFound.nothing()


def by_vector(sources: GatherSources, plan: Plan, gathered: Gathered, field_name: Field, limit: int) -> BranchFound:
    """Nearest neighbours of the cue's meaning; a statement looks further, for nothing else finds what it touches."""
    if gathered.vector is None:
        return BranchFound.nothing()
    wanted = VectorSearch(
        vector=gathered.vector, space=gathered.space, field=field_name, limit=limit, filter=plan.cue.filter,
        scored=gathered.scored, late=sources.late,
    )  # fmt: skip
    hits = sources.reading.search.vector(wanted)
    return BranchFound(hits.keys, hits.scores)


def by_time(sources: GatherSources, plan: Plan) -> BranchFound:
    """Memories whose event time lies in a range the cue names. Uses revision_time."""
    keys: list[Keys] = []
    for begin, end in plan.ranges_us:
        wanted = Filter(
            glob=plan.cue.filter.glob, kinds=plan.cue.filter.kinds, author=plan.cue.filter.author,
            valid_after_us=begin, valid_before_us=end,
        )  # fmt: skip
        keys.append(sources.reading.search.keys_where(wanted, sources.preset.text // 2))
    found = np.unique(np.concatenate(keys))
    return BranchFound(found, np.ones(len(found), np.float32))


def by_entity(sources: GatherSources, plan: Plan) -> BranchFound:
    """Memories that mention a thing the cue names, under any of its aliases."""
    keys: list[int] = []
    for mention in find_entities(plan.words)[:ALIASES]:
        for entity in sources.reading.entities.named(mention.name, 1):
            keys += sources.reading.entities.mentioning(entity.id, sources.preset.vector // 4)
    found = np.array(list(dict.fromkeys(keys)), np.int64)
    if not plan.cue.filter.empty and len(found):
        allowed = sources.reading.search.keys_where(plan.cue.filter, NARROW_ROWS)
        found = found[np.isin(found, allowed)]
    return BranchFound(found, np.ones(len(found), np.float32))


def by_graph(sources: GatherSources, gathered: Gathered, hops: int) -> BranchFound:
    """Spreading activation: from the best hits along edges, 0.6 a hop, the strongest path counts, not the sum."""
    seeds: dict[int, float] = {}
    for found in gathered.found.values():
        top = float(found.scores[0]) if len(found.scores) else 0.0
        for key, score in zip(found.keys[:SEEDS].tolist(), found.scores[:SEEDS].tolist(), strict=True):
            seeds[key] = max(seeds.get(key, 0.0), score / top if top > 0 else 0.0)
    if not seeds:
        return BranchFound.nothing()
    reached = sources.reading.edges.spread(seeds, Spread(hops=hops, decay=HOP, prune=PRUNE))
    ranked = sorted(reached.items(), key=lambda item: -item[1])[: sources.preset.vector]
    return BranchFound(np.array([key for key, _ in ranked], np.int64), np.array([s for _, s in ranked], np.float32))


Asked = tuple[str, NDArray[np.float32] | None, str]
Query = Callable[[str], Asked]
AT_ONCE: Final = 4
"""Questions to an endpoint that may wait side by side; more wait for one of them."""
TOO_LATE: Final = "the embedder did not answer in time"


class Soon:
    """Asks an embedder in the background."""

    def __init__(self) -> None:
        self._threads: tuple[int, ThreadPoolExecutor] | None = None
        """With the process they belong to: a forked child has none of them."""

    def ask(self, query: Query, cue: str, left_s: Callable[[], float]) -> Query:
        """Starts asking; what comes back gives the vector of that cue, or says that it came too late."""
        if self._threads is None or self._threads[0] != os.getpid():
            self._threads = os.getpid(), ThreadPoolExecutor(AT_ONCE, thread_name_prefix="palazzo-embed")
        waiting: Future[Asked] = self._threads[1].submit(query, cue)

        def answer(asked: str) -> Asked:
            if asked != cue:
                return query(asked)
            try:
                return waiting.result(timeout=max(0.0, left_s()))
            except Late:
                waiting.cancel()
                return "", None, TOO_LATE

        return answer
