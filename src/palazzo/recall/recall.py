"""Recall: the pipeline in order, behind a small cache. Read, gather, rank, keep the lanes, pack, explain.

Composes the modules of this room; knows the store, the clock and a function that embeds. Invariants: any cue is safe;
no part that is missing raises, the reply says what was done without it; an answer that is kept holds as long as the
journal stands where it stood, and an erasure empties what is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from time import perf_counter
from types import MappingProxyType
from typing import Final, Protocol, TypeVar
from uuid import UUID

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from palazzo.errors import NotFound, PartUnavailable
from palazzo.model.belief import Standing
from palazzo.model.capability import View
from palazzo.model.change import RecordCorrection
from palazzo.model.memory import Memory
from palazzo.model.zone import UTC_NAME, chosen_zone
from palazzo.ports import Clock, Completer, Reranker
from palazzo.recall.answer import explain
from palazzo.recall.answer.explain import weighed
from palazzo.recall.answer.kept import Answers
from palazzo.recall.answer.reply import Hit, Lane, Mode, Quality, Reply, in_part, ndcg, pack
from palazzo.recall.answer.standing import StandingFacts, limits_known, standing_of
from palazzo.recall.find import lanes
from palazzo.recall.find.gather import (
    LATE,
    Gathered,
    GatherSources,
    Query,
    Soon,
    as_asker,
    gather,
    may_name,
    names_of_kin,
    with_other_names,
)
from palazzo.recall.rank.known_words import KnownWords, WordVectors
from palazzo.recall.rank.order import LOOKED_AT, across_languages, answering_first, has_name, names_asked, ordered
from palazzo.recall.rank.present import answered_anew
from palazzo.recall.rank.rank import Ranked, by_model, checked_rerank, rank, vary
from palazzo.recall.rank.relevance import COMPANY, FLOOR, NAMED, UNNAMED, Answering, Compared, relevance
from palazzo.recall.rank.unheard import Holding, unheard
from palazzo.recall.rank.whose import anothers
from palazzo.recall.read.cue import Cue, Plan, read_cue
from palazzo.recall.read.presets import Model, ModelTable, preset
from palazzo.recall.talk.working import TurnVectors
from palazzo.store.api import Reading, Space, Store
from palazzo.text.facts.relations import kin_asked
from palazzo.text.meaning.answering import reading
from palazzo.text.meaning.asked import talked_about
from palazzo.text.meaning.message import asks_for_orders, passes_time, shares_a_word
from palazzo.text.safety.told_secrets import secret_asked, tells_of, was_taken_out
from palazzo.text.words.tokens import estimate_tokens

T = TypeVar("T")
HOUR_US = 3_600_000_000
LONGEST_TITLE = 8
MARKS = frozenset("*#")  # of an address: no word has them
"""Words of a cue that may be a title; who writes more asks or tells something."""
APPLYING: Final = ("instruction", "procedure")
"""Lanes of what applies to work, whatever words it has in common with the cue."""


class Meaning(Protocol):
    """What turns a cue into a vector: the space to ask, the vector, and why there is none, if so.

    `known` are the spaces of the palace where a reading is under way that knows them.
    """

    def query(self, cue: str, known: Sequence[Space] | None = None) -> tuple[str, NDArray[np.float32] | None, str]: ...


class Aids(msgspec.Struct, frozen=True, kw_only=True):
    """What recall may have beside the store: a model that reorders, and a vocabulary that counts tokens exactly."""

    reranker: Reranker | None = None
    count: Callable[[str], int] | None = None
    models: tuple[Model, ...] = ()
    """Language models beside the built-in table, or instead of its entries."""
    completer: Callable[[], Completer | None] = lambda: None
    """The language model at hand for a call, if there is one."""
    zone: str = UTC_NAME
    """Where the dates of a cue that tells no zone are read."""
    word_vectors: WordVectors | None = None
    """Vectors of single words, by which a hit's relevance is worked out; without them the words alone tell."""
    answering: Answering | None = None
    """A learned reader that says how likely a text answers a question."""
    floor: float = FLOOR
    """The relevance below which nothing is known."""
    remote: bool = False
    """Whether the embedder is elsewhere, so that its answer is waited for beside the searches and not for long."""


class Recall:
    """Recall over one palace. Threads share it."""

    def __init__(self, store: Store, clock: Clock, meaning: Meaning, aids: Aids = Aids()) -> None:
        self._store = store
        self._clock = clock
        self._meaning = meaning
        self._reranker = aids.reranker
        self._count = aids.count or estimate_tokens
        self.models = ModelTable.of(aids.models, counter=aids.count)
        self._remote = aids.remote
        self.zone = aids.zone
        self._floor = aids.floor
        self._words = KnownWords(aids.word_vectors)
        self._answering = aids.answering
        self._soon = Soon()
        self._answers: Answers[Reply] = Answers()
        self._speakers: Answers[tuple[str, ...]] = Answers(64)
        self._standing: Answers[StandingFacts] = Answers(64)
        self._limits: Answers[tuple[Memory, ...]] = Answers(64)
        self._called: Answers[Sequence[str]] = Answers(2048)
        self._keys: Answers[Sequence[int]] = Answers(64)
        store.care.when_set_aside(self.forget)
        self.turns = TurnVectors(meaning.query)
        """The vectors of what was said before; none of them is worth waiting for an embedder elsewhere."""

    @property
    def store(self) -> Store:
        """The palace it asks."""
        return self._store

    @property
    def floor(self) -> float:
        """The relevance below which nothing is known."""
        return self._floor

    @property
    def remote(self) -> bool:
        """Whether the embedder is elsewhere."""
        return self._remote

    def recall(
        self, cue: Cue, view: View, meaning: Meaning | None = None, rest: Callable[[], object] | None = None
    ) -> Reply:
        """The memories that matter for a cue, best first, with the reasons; `meaning` embeds it another way. A job
        gives a `rest`, which returns when nobody else waits: it is no time of the call.

        Raises: InvalidInput for a preset, mode, fusion or rerank that does not exist.
        """
        began = perf_counter()

        def rested() -> None:
            nonlocal began
            if rest is not None:
                since = perf_counter()
                rest()
                began += perf_counter() - since

        chosen = preset(cue.preset).for_hits(cue.limit)
        now_us = self._clock.now_us()
        cue = replace(cue, zone=chosen_zone(cue.zone, self.zone, now_us if cue.now_us is None else cue.now_us))
        with self._store.reading(view) as reading:
            position = reading.journal.last_seq()
            key = (cue, view, now_us // HOUR_US)
            held = self._answers.get(key, position) if meaning is None else None
            if held is not None:
                spent = round((perf_counter() - began) * 1000, 3)
                return replace(held, quality=replace(held.quality, cached=True, latency_ms=spent))
            reading.search.prepare()
            speakers = self._names(reading, view, position)
            plan = read_cue(cue, speakers, now_us)
            named = self._other_names(reading, view, position, plan.words)
            if plan.kref is None and (asked := as_asker(plan.words, named)) != plan.words:
                plan = read_cue(replace(cue, text=asked), speakers, now_us)
                named = self._other_names(reading, view, position, plan.words)
            if plan.kref is not None or plan.glob is not None:
                reply = self._at_address(reading, plan, began)
                if reply.hits or plan.words.startswith("kref:") or not MARKS.isdisjoint(plan.words):
                    return reply
            plan = with_other_names(reading, plan, named, speakers)
            rested()
            sources = GatherSources(
                store=self._store, reading=reading, preset=chosen,
                late=lambda: perf_counter() - began > chosen.deadline_s,
                kept=lambda name, ask: self._keys_of((view, name), position, ask),
            )  # fmt: skip
            embedded, spaces = (meaning or self._meaning).query, reading.search.spaces()
            query: Query = lambda words: embedded(words, spaces)  # noqa: E731 - one line beside what it closes over
            if self._remote:
                query = self._soon.ask(query, plan.meaning, lambda: chosen.deadline_s - (perf_counter() - began))
            gathered = gather(sources, plan, query)
            rested()
            found, ranked, notes = self._hits(sources, plan, gathered)
            called = _with_called(reading, plan, found)
            shown = [in_part(hit, plan.terms) for hit in called]
            candidates = ranked.candidates if ranked else 0
            rested()
            # of a day alone no text says that it answers, nor one that was told in the present what was before
            may_ask = chosen.reads and not plan.of_a_day and not plan.traits.about_former
            answering = self._answering if may_ask else None
            hits, known = self._known(plan, shown, candidates, reading.search.holding, answering)
            anew = answered_anew(plan, hits) if answering is not None else {}
            hits = explain.newer_first(hits, ranked.replaced if ranked is not None else {}, anew)[: cue.most]
            replaced = explain.left_out(reading, ranked) if ranked is not None else ()
        packed = pack(hits, cue.budget_tokens, self._count)
        figures = [hit.relevance for hit in packed.hits]
        dropped = (*gathered.dropped.items(), *notes)
        reply = Reply(
            hits=packed.hits, siblings=ranked.siblings if ranked else (), known=known,
            quality=Quality(
                mode=_mode(gathered), intent=plan.traits.intent, weights=ranked.table if ranked else "none",
                candidates=ranked.candidates if ranked else 0, tokens=packed.tokens,
                latency_ms=round((perf_counter() - began) * 1000, 3), dropped=dropped, left_out=packed.left_out,
                replaced=replaced, gist=packed.gist, relevance=average(figures), ndcg=ndcg(figures),
            ),
        )  # fmt: skip
        if not dropped and meaning is None:
            self._answers.put(key, position, reply)
        return reply

    def forget(self) -> None:
        """Lets go of the answers that are kept, and of the texts in them."""
        self._answers.forget()
        self._speakers.forget()
        self._standing.forget()
        self._limits.forget()
        self._called.forget()
        self._keys.forget()
        self.turns.forget()

    def last_turns(self, thread: str, view: View, limit: int) -> tuple[tuple[str, Hit], ...]:
        """The newest turns of a conversation this reader sees, oldest first, with who said each."""
        with self._store.reading(view) as reading:
            said = reading.turns.latest(thread, limit)
            found = reading.memories.by_keys([key for key, _ in said])
            hits = _hits_of(reading, list(found.values()), self._clock.now_us(), self.zone)
        of_key = {hit.memory.revision.key: hit for hit in hits}
        return tuple((speaker, of_key[key]) for key, speaker in said if key in of_key)

    def stands(self, reply: Reply, view: View) -> bool:
        """Whether every hit of an earlier reply is still what its memory says to this reader."""
        keys = {hit.memory.revision.key for hit in reply.hits}
        with self._store.reading(view) as reading:
            return len(reading.memories.by_keys(sorted(keys))) == len(keys)

    def hits_of(self, found: Sequence[Memory], view: View, *, recalled: bool = False) -> tuple[Hit, ...]:
        """Memories this reader was shown before, as hits with their caveats of now; with `recalled` in the words in
        which a recall would tell where they come from."""
        if not found:
            return ()
        with self._store.reading(view) as reading:
            hits = _hits_of(reading, found, self._clock.now_us(), self.zone)
            return tuple(explain.as_recalled(reading, hits)) if recalled else hits

    def standing(self, view: View) -> StandingFacts:
        """Who the user is and what standing instructions there are, as this reader sees them."""
        return self._of_the_hour(self._standing, view, standing_of)

    def limits(self, view: View) -> tuple[Memory, ...]:
        """What is known that somebody cannot have or do, as this reader sees it."""
        return self._of_the_hour(self._limits, view, limits_known)

    def _of_the_hour(self, kept: Answers[T], view: View, ask: Callable[[Reading, int], T]) -> T:
        """What a reader is told without a cue, kept until something is written or the hour is over."""
        now_us = self._clock.now_us()
        with self._store.reading(view) as reading:
            position, key = reading.journal.last_seq(), (view, now_us // HOUR_US)
            known = kept.get(key, position)
            if known is None:
                known = ask(reading, now_us)
                kept.put(key, position, known)
            return known

    def correct(self, cue: str, memory_id: UUID) -> RecordCorrection | None:
        """The change that leaves a memory out of contexts like this cue; None when the cue has no vector."""
        space, vector, _ = self._meaning.query(cue)
        return None if vector is None else RecordCorrection(memory_id, space, vector)

    def _keys_of(self, name: Hashable, position: int, ask: Callable[[], Sequence[int]]) -> Sequence[int]:
        known = self._keys.get(name, position)
        if known is None:
            known = ask()
            self._keys.put(name, position, known)
        return known

    def _other_names(self, reading: Reading, view: View, position: int, words: str) -> Mapping[str, Sequence[str]]:
        """What the words of a cue name, and the other names of it; asked once of each run of words."""
        runs = may_name(words)
        known = dict(zip(runs, self._called.get_many([(view, run) for run in runs], position), strict=True))
        if fresh := [run for run, names in known.items() if names is None]:
            told = reading.entities.other_names(fresh)
            known |= {run: told.get(run, ()) for run in fresh}
            self._called.put_many({(view, run): known[run] or () for run in fresh}, position)
        for kin in kin_asked(words):
            held = self._called.get((view, kin), position)
            if held is None:
                held = names_of_kin(reading, kin)
                self._called.put((view, kin), position, held)
            known[kin.said] = (*(known.get(kin.said) or ()), *held)
        return {run: names for run, names in known.items() if names}

    def _names(self, reading: Reading, view: View, position: int) -> tuple[str, ...]:
        known = self._speakers.get(view, position)
        if known is None:
            known = reading.turns.speakers()
            self._speakers.put(view, position, known)
        return known

    def _hits(
        self, sources: GatherSources, plan: Plan, gathered: Gathered
    ) -> tuple[list[Hit], Ranked | None, list[tuple[str, str]]]:
        ranked = rank(sources, plan, gathered)
        if ranked is None:
            return [], None, []
        limit = plan.cue.most
        ranked, notes = self._reranked(sources, plan, gathered, ranked, limit)
        further = explain.siblings(sources.reading, ranked, limit) if plan.cue.rerank == "client" else ()
        ways: list[int] = []
        lane: list[int] = []
        if sources.late():
            notes = [*notes, ("instructions", LATE)]
        else:
            ways = lanes.procedures(sources, plan, gathered, ranked, limit)
            ranked = lanes.interleave(ranked, ways, limit, "procedures")
            lane = lanes.standing(sources, plan, gathered, max(1, limit // lanes.EVERY))
            ranked = lanes.interleave(ranked, lane, limit, lanes.lane_for(plan))
        named: dict[int, Lane] = {**dict.fromkeys(ways, "procedure"), **dict.fromkeys(lane, "instruction")}
        looked = max(limit, LOOKED_AT)  # what is known does not depend on how much of it is wanted
        hits = explain.hits_from(sources.reading, ranked, looked, plan.now_us, named, plan.cue.zone or UTC_NAME)
        if plan.traits.about_past:
            hits = explain.with_earlier(sources.reading, hits, looked)
        return hits, replace(ranked, siblings=further), notes

    def _known(
        self, plan: Plan, found: Sequence[Hit], candidates: int, holding: Holding, answering: Answering | None
    ) -> tuple[list[Hit], bool]:
        """The hits with their relevance, those that are relevant enough, and whether any of them is an answer.

        Where work is asked for, instructions and ways to do it apply whatever they have in common with the cue.
        """
        if not found:
            return [], False
        own = reading(plan.words).own
        texts = [Compared(_compared(hit, own=own), hit.speaker, hit.before, hit.memory.title) for hit in found]
        asked = talked_about(plan.words) if plan.traits.about_agent or plan.traits.about_talk else ""
        told = relevance(self._words, asked or plan.words, texts, plan.cue.about, answering, plan.renamed)
        if (secret := secret_asked(plan.words)) is not None:  # none is kept: only where it is, or what for
            told = [figure if tells_of(secret, one.text) else 0.0 for figure, one in zip(told, texts, strict=True)]
        told = [0.0 if was_taken_out(plan.words, one.text) else odds for odds, one in zip(told, texts, strict=True)]
        best = texts[:LOOKED_AT]  # nor on how many more there are
        if anothers(self._words, plan.words, plan.speakers, best) or unheard(
            self._words, plan, candidates, holding, best
        ):  # nothing is told of whom or what it asks for
            told = [min(figure, UNNAMED) for figure in told]
        if names := names_asked(plan.words, plan.renamed):
            told = [max(figure, NAMED) if has_name(names, one.text) else figure
                    for figure, one in zip(told, texts, strict=True)]  # fmt: skip
        if asks_for_orders(plan.words):  # how somebody wants it is what their instructions say
            told = [max(figure, ordered(plan.words, hit)) for figure, hit in zip(told, found, strict=True)]
        if passes_time(plan.words):  # a greeting asks for nothing that does not have its words
            said = plan.words.split()
            told = [figure if shares_a_word(said, one.text) else 0.0 for figure, one in zip(told, texts, strict=True)]
        hits = [
            hit if hit.lane in ("place", "address") else weighed(hit, figure)
            for hit, figure in zip(found, told, strict=True)
        ]
        if not plan.cue.about:
            hits = answering_first(plan.words, across_languages(plan.words, hits), of_a_day=plan.of_a_day)
        floor = self._floor if plan.cue.min_relevance is None else plan.cue.min_relevance
        company = floor if plan.cue.min_relevance is not None else floor * COMPANY
        if plan.cue.min_relevance is None and not reading(plan.words).english:
            company = 0.0  # what is said in a language that no reader knows may answer without a word of the question
        applying = lanes.lane_for(plan) == "instructions and preferences"
        known = any(hit.relevance >= floor or (applying and hit.lane in APPLYING) for hit in hits)
        if not known:
            return [], False
        return [hit for hit in hits if hit.relevance >= company or hit.lane in APPLYING], True

    def _reranked(
        self, sources: GatherSources, plan: Plan, gathered: Gathered, ranked: Ranked, limit: int
    ) -> tuple[Ranked, list[tuple[str, str]]]:
        how = checked_rerank(plan.cue.rerank)
        best = min(len(ranked.keys), max(3 * limit, 30))
        if how in ("none", "client") or best < 2:
            return ranked, []
        keys = ranked.keys[:best]
        if how == "mmr":
            space = sources.reading.search.space(gathered.space)
            if space is None or gathered.vector is None:
                return ranked, [("mmr", "no vectors to compare hits by")]
            found, rows = sources.reading.search.vectors_of(space, keys)
            whole = np.zeros((best, space.dimensions), np.float32)
            at = {int(key): row for row, key in enumerate(keys.tolist())}
            whole[[at[int(key)] for key in found.tolist()]] = rows
            order = vary(ranked.scores[:best], whole, limit)
        else:
            if self._reranker is None:
                return ranked, [("model", "no reranker is configured")]
            marks = sources.reading.memories.marks_of(keys.tolist())
            loaded = dict(zip(marks.keys, marks.texts, strict=True))
            try:
                order = by_model(self._reranker, plan.words, [loaded[int(key)] for key in keys.tolist()])
            except PartUnavailable as error:
                return ranked, [("model", str(error))]
        rows = np.array([*order, *range(best, len(ranked.keys))], np.int64)
        return replace(
            ranked, keys=ranked.keys[rows], scores=ranked.scores[rows],
            signals={name: values[rows] for name, values in ranked.signals.items()}, cosine=ranked.cosine[rows],
        ), []  # fmt: skip

    def _at_address(self, reading: Reading, plan: Plan, began: float) -> Reply:
        """What stands at the address the cue is: a memory, else what is in its places. Nothing is ranked."""
        lane, found = _standing_at(reading, plan)
        standings = reading.trusts.standings([memory.revision.key for memory in found])
        hits = _hits_of(reading, found, plan.now_us, plan.cue.zone or UTC_NAME, standings)
        packed = pack([replace(hit, lane=lane) for hit in hits], plan.cue.budget_tokens, self._count)
        return Reply(
            hits=packed.hits,
            quality=Quality(
                mode="full", intent="lookup", weights=lane, candidates=len(hits), tokens=packed.tokens,
                latency_ms=round((perf_counter() - began) * 1000, 3), relevance=1.0 if hits else 0.0,
                left_out=packed.left_out, gist=packed.gist,
            ),
            known=bool(hits),
        )  # fmt: skip


def _standing_at(reading: Reading, plan: Plan) -> tuple[Lane, list[Memory]]:
    if plan.kref is not None:
        with suppress(NotFound):
            return "address", [reading.memories.at_address(plan.kref)]
    keys = reading.search.walk(plan.glob, plan.cue.filter, plan.cue.most).tolist() if plan.glob is not None else []
    loaded = reading.memories.by_keys(keys)
    return "place", [loaded[key] for key in keys if key in loaded]


def _hits_of(
    reading: Reading, found: Sequence[Memory], now_us: int, zone: str,
    standings: Mapping[int, Standing] = MappingProxyType({}),
) -> tuple[Hit, ...]:  # fmt: skip
    """Memories that were not searched for, as hits; without standings each has its own confidence as trust."""
    doubts, own = explain.doubts_about(reading, found), explain.own_words(reading, found)
    hits = [
        Hit(
            memory=memory, text=memory.text, tier="full", score=1.0, lane="address",
            trust=explain.trust_in(memory, 1.0, _standing(standings, memory)),
            provenance=explain.provenance_line(memory, None, None, zone), zone=zone,
            caveat=explain.caveat(memory, now_us, doubts.get(memory.revision.key), zone),
            own=memory.revision.key in own,
        )
        for memory in found
    ]  # fmt: skip
    return tuple(explain.signed(reading, hits))


def _with_called(reading: Reading, plan: Plan, found: Sequence[Hit]) -> list[Hit]:
    """The hits, and before them what is called by the very words of the cue."""
    words = plan.cue.text.strip()
    if not words or words.count(" ") >= LONGEST_TITLE or words.endswith("?") or not plan.cue.filter.empty:
        return list(found)
    if not (called := [memory for memory in reading.known.titled(words) if memory.title == words]):
        return list(found)
    ids = {memory.id for memory in called}
    first = _hits_of(reading, called, plan.now_us, plan.cue.zone)
    return [*first, *(hit for hit in found if hit.memory.id not in ids)][: plan.cue.most]


def _standing(known: Mapping[int, Standing], memory: Memory) -> float:
    """Trust in what stands at an address; an earlier revision, which no longer stands, has its confidence alone."""
    found = known.get(memory.revision.key)
    return found.trust if found else memory.revision.content.confidence


def average(figures: Sequence[float]) -> float:
    """The mean; 0 of nothing."""
    return round(sum(figures) / len(figures), 4) if figures else 0.0


def _mode(gathered: Gathered) -> Mode:
    if gathered.vector is None:
        return "text only" if gathered.dropped.keys() <= {"meaning", "vector"} else "degraded"
    return "degraded" if gathered.dropped else "full"


def _compared(hit: Hit, *, own: bool) -> str:
    """What of a hit is compared with a cue: its statement, but with who asks of themselves the words they said, and
    where these call them by the id their memories are kept under, that is who asks."""
    content = hit.memory.revision.content
    if not own:
        return content.stated if hit.text == content.text else hit.text
    user = hit.memory.scope.get("user")
    return re.sub(rf"(?<!\w){re.escape(user)}(?!\w)", "The user", hit.text, flags=re.IGNORECASE) if user else hit.text
