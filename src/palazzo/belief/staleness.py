"""Staleness: does a memory still hold? Three axes, one figure, a posterior, and when to look again.

Owns the axes and their combination (spec 04), the binomial test of a text that asserts how often something is done, the
audit of one memory, the caveat shown beside it and the weekly review; the words for frequencies are the text room's.
Decides nothing about belief: an audit only marks. Invariants: every audit is kept with its evidence, as ids, figures
and reasons, never content; nothing but a person's answer moves the posterior; behaviour counts only in the direction
that makes the assertion untrue, and only when it is material: with enough events every small drift is significant, and
a habit that moved from 80 to 75 in a hundred is still that habit.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from datetime import date
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.belief.conflicts import require_person
from palazzo.belief.held import is_functional
from palazzo.belief.logic import literal_of
from palazzo.errors import NotFound
from palazzo.model.address import PlaceGlob
from palazzo.model.belief import FLAGGED_ABOVE, IMPLIED, Axes, RecordAudit, Resolution, ResolveAudit, caveat
from palazzo.model.capability import View
from palazzo.model.change import Change, Receipt, SetDeprecated
from palazzo.model.graph import IMPACT_KINDS
from palazzo.model.kinds import HAPPENED, Kind
from palazzo.model.memory import STATES, Memory
from palazzo.model.zone import microseconds, moment
from palazzo.store.api import Filter, Reading, Store, TextSearch
from palazzo.text.change.contradiction import SUPERSEDES, Contradiction, contradicts
from palazzo.text.dates.find import present_until
from palazzo.text.facts.quantities import Direction, names_the_new_last, stated_frequency
from palazzo.text.facts.slots.find import find_slots
from palazzo.text.words.lexicon import EVERY_LANGUAGE, page
from palazzo.text.words.parsed import parsed

WEIGHTS = Axes(semantic=0.4, temporal=0.2, behavioral=0.4)
DATED = Axes(semantic=0.4, temporal=0.4, behavioral=0.4)
"""For a memory that says itself until when it holds: then time alone is reason enough."""
STEEPNESS = 4.0
WINDOW_DAYS = 30
REVIEWED = 5
DAY_US = 86_400_000_000
MOST_CANDIDATES = 200
NEAREST = 20
SAME_SLOT = frozenset({"slot", "quantity"})
OTHER_VALUE = 0.75
"""The score of another value held in the same slot, in words that the text rules do not see through."""
IMPLIED_SCORE = 0.55
"""The score of what a memory may have changed with: just enough to be flagged."""
NEAR_FLOOR = 0.65
"""Away from an equal slot or shared entities only a plain clash of one value counts: words mislead more often there."""
_EPOCH_DAY = date(1970, 1, 1)
_PRIOR_VARIANCE = 1 / 12
_SHORTEST_DAYS, _LONGEST_DAYS, _ENDLESS_DAYS = 1.0, 365.0, 90.0


class Posterior(msgspec.Struct, frozen=True):
    """What is thought of a memory's freshness: Beta(1 + fresh, 1 + stale)."""

    fresh: int = 0
    stale: int = 0

    @property
    def mean(self) -> float:
        return (1 + self.fresh) / (2 + self.fresh + self.stale)

    @property
    def variance(self) -> float:
        a, b = 1 + self.fresh, 1 + self.stale
        return a * b / ((a + b) ** 2 * (a + b + 1))


class StalenessFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One audit: the axes, the figure, whether it is flagged, and why, in words."""

    memory: Memory
    axes: Axes
    severity: float
    flagged: bool
    caveat: str
    evidence: dict[str, object]


def temporal(age_days: float, lifespan_days: float | None) -> float:
    """sigmoid(4 (age - lifespan) / lifespan): one half at the lifespan; what never ends never ages."""
    if lifespan_days is None:
        return 0.0
    return 1.0 / (1.0 + math.exp(-STEEPNESS * (age_days - lifespan_days) / lifespan_days))


def combine(axes: Axes, weights: Axes = WEIGHTS) -> float:
    """The largest weighted axis, scaled so that the heaviest axis alone can reach 1."""
    heaviest = max(weights.semantic, weights.temporal, weights.behavioral)
    return max(
        weights.semantic * axes.semantic / heaviest,
        weights.temporal * axes.temporal / heaviest,
        weights.behavioral * axes.behavioral / heaviest,
    )


def on_scale(severity: float, threshold: float) -> float:
    """A figure as it is kept with a memory: on a scale where the flag lies at 0.7 whatever threshold a palace has, so
    that whoever reads it needs no setting."""
    if severity <= threshold:
        return FLAGGED_ABOVE * severity / threshold if threshold > 0 else 0.0
    return FLAGGED_ABOVE + (1.0 - FLAGGED_ABOVE) * (severity - threshold) / (1.0 - threshold)


def semantic(score: float) -> float:
    """A contradiction's score as a probability: what should be superseded lies above the flag, the hedged below."""
    if score >= SUPERSEDES:
        return min(0.72 + 0.56 * (score - SUPERSEDES), 1.0)
    return max(score, 0.0) * 1.3


def next_audit_us(now_us: int, kind: Kind, posterior: Posterior) -> int:
    """When to look again: a quarter of the lifespan, longer the surer the posterior, between a day and a year."""
    base = _ENDLESS_DAYS if kind.lifespan_days is None else kind.lifespan_days / 4
    days = base * _PRIOR_VARIANCE / posterior.variance
    return now_us + int(min(max(days, _SHORTEST_DAYS), _LONGEST_DAYS) * DAY_US)


def audit_after(now_us: int, kind: Kind, fresh: int, stale: int) -> int:
    """When to look at a memory that was found fresh and stale so often."""
    return next_audit_us(now_us, kind, Posterior(fresh, stale))


class Staleness:
    """Audits and answers for one reader of one palace."""

    def __init__(
        self, store: Store, view: View, *, subject: str = "operator", threshold: float = FLAGGED_ABOVE
    ) -> None:
        self._store = store
        self._view = view
        self._subject = subject
        self._threshold = threshold

    def look(self, memory_id: UUID) -> StalenessFinding:
        """The three axes of one memory now; nothing is written.

        Raises: NotFound.
        """
        with self._store.reading(self._view) as reading:
            return self._look(reading, memory_id)

    def audit(self, memory_ids: Sequence[UUID]) -> tuple[StalenessFinding, ...]:
        """Looks at these memories and keeps what was found; whose turn it is, the pass in mind/audits.py knows.

        Raises: NotFound.
        """
        now = self._store.clock.now_us()
        with self._store.reading(self._view) as reading:
            found = [self._look(reading, memory_id) for memory_id in memory_ids]
            changes: list[Change] = []
            for one in found:
                counts = reading.reviews.freshness_of(one.memory.id)
                changes.append(self._kept(one, Posterior(counts.fresh, counts.stale), now))
        if changes:
            self._store.commit(changes, subject=self._subject)
        return tuple(found)

    def _kept(self, found: StalenessFinding, posterior: Posterior, now_us: int) -> RecordAudit:
        next_us = next_audit_us(now_us, self._kind(found.memory), posterior)
        ends = _ends_us(found.memory, found.memory.revision.created_us)
        if ends is not None and now_us < ends:
            next_us = min(next_us, ends + DAY_US)
        return RecordAudit(
            memory_id=found.memory.id, axes=found.axes, severity=on_scale(found.severity, self._threshold),
            evidence=json.dumps(found.evidence), next_us=next_us,
        )  # fmt: skip

    def after_signals(self, dimensions: Sequence[str]) -> tuple[StalenessFinding, ...]:
        """Audits the memories that assert habits which signals of these dimensions speak against."""
        today = self._store.clock.now_us() // DAY_US
        with self._store.reading(self._view) as reading:
            seen = reading.reviews.signals(today - WINDOW_DAYS + 1, today)
            keys: dict[int, None] = {}
            for dimension in dimensions:
                words = parsed(dimension).terms
                if words:
                    hits = reading.search.text(TextSearch(terms=words, limit=NEAREST))
                    keys |= dict.fromkeys(hits.keys.tolist())
            refuted = [
                memory.id
                for memory in reading.memories.by_keys(list(keys)).values()
                if memory.staleness <= FLAGGED_ABOVE
                and (found := asserted(memory.text, seen)) is not None
                and found[0].dimension in dimensions
                and severity(*found) > self._threshold
            ]
        return self.audit(refuted)

    def resolve(self, memory_id: UUID, resolution: Resolution) -> Receipt:
        """A person's answer: refresh (a newer belief replaces it), confirm_stale (it goes), dismiss (it holds).

        reopen takes the last answer back, and what it did. What is flagged now and was not audited since the last
        answer is audited with this one; within a day the answer stands.

        Raises: NotPermitted for anyone but a person, NotFound, Conflict when the last audit is answered.
        """
        require_person(self._subject, "answer an audit")
        if resolution == "reopen":
            return self._reopen(memory_id)
        now = self._store.clock.now_us()
        with self._store.reading(self._view) as reading:
            memory = reading.memories.get(memory_id)
            counts = reading.reviews.freshness_of(memory_id)
            asked = memory.revision.key in reading.reviews.doubts([memory.revision.key])
            lately = counts.answered_us is not None and now - counts.answered_us < DAY_US
            found = None if asked or lately else self._look(reading, memory_id)
        good = int(resolution == "dismiss")
        posterior = Posterior(counts.fresh + good, counts.stale + 1 - good)
        changes: list[Change] = []
        if found is not None and found.flagged:
            changes.append(self._kept(found, posterior, now))
        changes.append(ResolveAudit(memory_id, resolution, next_audit_us(now, self._kind(memory), posterior)))
        if resolution == "confirm_stale":
            changes.append(SetDeprecated(memory_id, deprecated=True, reason="confirmed stale"))
        return self._store.commit(changes, subject=self._subject)

    def _reopen(self, memory_id: UUID) -> Receipt:
        with self._store.reading(replace(self._view, include_deprecated=True)) as reading:
            memory = reading.memories.get(memory_id)
        changes: list[Change] = [ResolveAudit(memory_id, "reopen", self._store.clock.now_us())]
        if memory.deprecated:
            changes.append(SetDeprecated(memory_id, deprecated=False, reason="the answer was taken back"))
        return self._store.commit(changes, subject=self._subject)

    def confidence(self, memory_id: UUID) -> float:
        """The mean of the posterior: the confidence to show."""
        with self._store.reading(self._view) as reading:
            counts = reading.reviews.freshness_of(memory_id)
        return Posterior(counts.fresh, counts.stale).mean

    def review(self, limit: int = REVIEWED) -> tuple[StalenessFinding, ...]:
        """The most severe flagged memories: the weekly review."""
        with self._store.reading(self._view) as reading:
            return tuple(self._look(reading, memory_id) for memory_id, _ in reading.memories.stalest(limit))

    def _kind(self, memory: Memory) -> Kind:
        return self._store.kinds.get(memory.kind)

    def _look(self, reading: Reading, memory_id: UUID) -> StalenessFinding:
        memory = reading.memories.get(memory_id)
        now = self._store.clock.now_us()
        evidence: dict[str, object] = {}
        content = memory.revision.content
        since = content.valid_from_us if content.valid_from_us is not None else memory.revision.created_us
        age = max(now - since, 0) / DAY_US
        evidence["age_days"] = round(age, 1)
        ends = _ends_us(memory, _said_us(reading, memory))
        if ends is None:
            aged = temporal(age, self._kind(memory).lifespan_days)
        else:
            told_us = min(since, memory.revision.created_us)
            evidence["until"] = _EPOCH_DAY.fromordinal(_EPOCH_DAY.toordinal() + ends // DAY_US).isoformat()
            aged = temporal((now - told_us) / DAY_US, max((ends - told_us) / DAY_US, 1.0))
        against = self._against(reading, memory)
        if against is None and (implied := self._implied(reading, memory)) is not None:
            against, evidence["follows"] = implied
        if against is not None:
            rival, score, reason = against
            evidence |= {"contradicted_by": str(rival.id), "score": score, "reason": reason}
        premise = self._premise(reading, memory) if against is None else None
        evidence |= premise or {}
        done = self._behaviour(reading, memory, now)
        if done is not None:
            habit, seen, _ = done
            evidence |= {
                "family": habit.family, "dimension": habit.dimension, "asserted": habit.frequency,
                "count": seen.count, "total": seen.total,
            }  # fmt: skip
        axes = Axes(
            semantic=semantic(against[1]) if against else IMPLIED if premise else 0.0, temporal=aged,
            behavioral=done[2] if done else 0.0,
        )  # fmt: skip
        severity = combine(axes, WEIGHTS if ends is None else DATED)
        told = (against[0].revision.content.key_fact or against[0].text) if against else ""
        return StalenessFinding(
            memory=memory, axes=axes, severity=severity, flagged=severity > self._threshold,
            caveat=caveat(axes, evidence, told) if severity > self._threshold else "",
            evidence=evidence,
        )  # fmt: skip

    def _against(self, reading: Reading, memory: Memory) -> tuple[Memory, float, str] | None:
        """The newer memory that contradicts this one most."""
        linked = set(reading.beliefs.rivals(memory, MOST_CANDIDATES))
        near = self._near(reading, memory) - linked
        found = reading.memories.by_keys(sorted(linked | near))
        displaced = self._other_value(reading, memory, sorted(linked))
        best: tuple[Memory, float, str] | None = None
        for key, other in found.items():
            clash = contradicts(memory.text, other.text)
            if key in displaced and (clash is None or clash.score < OTHER_VALUE):
                clash = Contradiction(OTHER_VALUE, "slot")
            if clash is None or (key in near and not (clash.reason in SAME_SLOT and clash.score >= NEAR_FLOOR)):
                continue
            if best is None or clash.score > best[1]:
                best = other, clash.score, clash.reason
        return best

    def _implied(self, reading: Reading, memory: Memory) -> tuple[tuple[Memory, float, str], str] | None:
        """The newer memory that this one may have changed with, while nobody has answered and that one holds."""
        doubt = reading.reviews.doubts([memory.revision.key]).get(memory.revision.key) if memory.staleness else None
        if doubt is None or "follows" not in doubt.evidence or not doubt.newer:
            return None
        newer = reading.memories.get(UUID(str(doubt.evidence["contradicted_by"])))
        return (newer, IMPLIED_SCORE, "follows"), str(doubt.evidence["follows"])

    def _premise(self, reading: Reading, memory: Memory) -> dict[str, object] | None:
        """The memory that this one rests on and that is no longer believed, or no longer says what it said when this
        one was marked; somebody who said that this one still holds has said so in spite of it."""
        wide = reading.through(replace(reading.view, include_deprecated=True, states=STATES))
        if not reading.reviews.freshness_of(memory.id).fresh:
            for edge in wide.edges.of(memory.id, "out", limit=MOST_CANDIDATES):
                if edge.kind in IMPACT_KINDS:
                    ground = wide.memories.get(edge.target.memory_id)
                    if ground.deprecated or ground.state == "deleted":
                        return {"rests_on": str(ground.id), "number": ground.revision.number}
        key = memory.revision.key
        doubt = reading.reviews.doubts([key]).get(key) if memory.staleness else None
        if doubt is None or "rests_on" not in doubt.evidence:
            return None
        marked = {name: doubt.evidence[name] for name in ("rests_on", "number")}
        try:
            ground = wide.memories.get(UUID(str(marked["rests_on"])))
        except NotFound:
            return marked
        back = not ground.deprecated and ground.revision.number <= int(str(marked["number"]))
        return None if back else marked

    def _other_value(self, reading: Reading, memory: Memory, keys: Sequence[int]) -> set[int]:
        """Those that hold another value of a slot which has one value, where somebody stated the slot himself.

        A slot that was read out of the words is left to the rules for words, which also see what the slot leaves out
        (a ticket owner of which account): on labelled conversations equal slots alone were wrong half of the time.
        """
        if find_slots(memory.text):
            return set()
        own = {
            literal_of(atom).statement.slot: literal_of(atom)
            for atom in memory.revision.content.atoms
            if is_functional(atom, memory.kind, self._store.kinds)
        }
        found: set[int] = set()
        for row in reading.beliefs.of_revisions(keys) if own else ():
            said = literal_of(row.atom)
            mine = own.get(said.statement.slot)
            if mine is not None and row.kind != "rule" and mine.positive:
                found |= {row.key} if said.positive == (said.statement != mine.statement) else set()
        return found

    def _near(self, reading: Reading, memory: Memory) -> set[int]:
        """Newer memories below the same place that are nearest in words: the same slot may be named in others."""
        content = memory.revision.content
        since = content.valid_from_us if content.valid_from_us is not None else memory.revision.created_us
        wanted = Filter(glob=PlaceGlob(memory.place, "subtree"), valid_after_us=since)
        words = tuple(dict.fromkeys(parsed(memory.text).content_terms))
        if not words:
            return set()
        hits = reading.search.text(TextSearch(terms=words, limit=NEAREST, filter=wanted))
        return set(hits.keys.tolist()) - {memory.revision.key}

    def _behaviour(self, reading: Reading, memory: Memory, now_us: int) -> tuple[Habit, Observed, float] | None:
        today = now_us // DAY_US
        found = asserted(memory.text, reading.reviews.signals(today - WINDOW_DAYS + 1, today))
        return (*found, severity(*found)) if found else None


def _said_us(reading: Reading, memory: Memory) -> int:
    """When a memory was said, which of an old message that was told later is before it was written down."""
    said = (one.node.at_us for one in reading.provenance.sources_of(memory.id) if one.kind == "mentioned_in")
    return min(max(said, default=memory.revision.created_us), memory.revision.created_us)


def _ends_us(memory: Memory, told_us: int) -> int | None:
    """Until when a memory says that it holds; None where it does not say, and for what has happened or was over."""
    content = memory.revision.content
    if memory.kind not in HAPPENED and content.valid_to_us is not None:
        return content.valid_to_us if content.valid_to_us > told_us else None
    if memory.kind in ("event", "error"):
        return None
    found = present_until(memory.text, moment(told_us))
    return None if found is None else microseconds(found)


LEAST_EVENTS = 20
"""Fewer events in the window say nothing about a habit."""
MATERIAL = 0.15
"""A share that moved by less is the same habit."""
LONGEST_SUM = 20_000
UNCOMPARED = frozenset({"tool_use", "app_focus", "keyword_freq"})
"""Families of things that do not stand for one another: a share among them says nothing of a preference."""


def _word(name: str) -> str:
    return rf"(?<![\w+#]){re.escape(name)}(?![\w+#])"


class Habit(msgspec.Struct, frozen=True):
    """A habit: which dimension of which family, how often, and which deviation would make it untrue."""

    family: str
    dimension: str
    frequency: float
    direction: Direction


class Observed(msgspec.Struct, frozen=True):
    """What was done in the window: events of the dimension, and of its whole family."""

    count: int
    total: int

    @property
    def share(self) -> float:
        return self.count / self.total if self.total else 0.0


def asserted(text: str, signals: Mapping[str, Mapping[str, int]]) -> tuple[Habit, Observed] | None:
    """The habit a text asserts among the dimensions that are measured; None when it asserts none of them.

    The last dimension named counts when the text says that it changed ("from Python to Rust").
    """
    exact = page("capture", EVERY_LANGUAGE).words("words_too")
    named = [
        (match.start(), family, dimension)
        for family, counts in signals.items()
        if family not in UNCOMPARED
        for dimension in counts
        if (match := re.search(_word(dimension), text, re.NOFLAG if dimension in exact else re.IGNORECASE))
    ]
    if not named:
        return None
    _, family, dimension = max(named) if names_the_new_last(text) else min(named)
    frequency, direction = stated_frequency(text)
    if frequency is None:
        return None
    counts = signals[family]
    return Habit(family, dimension, frequency, direction), Observed(counts[dimension], sum(counts.values()))


def severity(habit: Habit, seen: Observed) -> float:
    """1 - 2 min(P(K<=k), P(K>=k)), where the deviation speaks against the habit and is material; else 0."""
    if seen.total < LEAST_EVENTS or abs(seen.share - habit.frequency) < min(MATERIAL, habit.frequency or MATERIAL):
        return 0.0
    if habit.direction == "less" and seen.share > habit.frequency:
        return 0.0
    if habit.direction == "more" and seen.share < habit.frequency:
        return 0.0
    return two_sided(seen.count, seen.total, habit.frequency)


def two_sided(count: int, total: int, frequency: float) -> float:
    """The two-sided binomial severity of seeing `count` of `total` when `frequency` is asserted, 0 to 1."""
    if total <= 0:
        return 0.0
    lower, upper = _tails(count, total, min(max(frequency, 0.0), 1.0))
    return min(max(1.0 - 2.0 * min(lower, upper), 0.0), 1.0)


def _tails(count: int, total: int, frequency: float) -> tuple[float, float]:
    """P(K <= count) and P(K >= count)."""
    if frequency <= 0.0:
        return 1.0, 1.0 if count == 0 else 0.0
    if frequency >= 1.0:
        return (1.0 if count == total else 0.0), 1.0
    if total > LONGEST_SUM:
        return _normal_tails(count, total, frequency)
    lower = math.fsum(_mass(k, total, frequency) for k in range(count + 1))
    upper = math.fsum(_mass(k, total, frequency) for k in range(count, total + 1))
    return min(lower, 1.0), min(upper, 1.0)


def _mass(k: int, total: int, frequency: float) -> float:
    log = (
        math.lgamma(total + 1) - math.lgamma(k + 1) - math.lgamma(total - k + 1)
        + k * math.log(frequency) + (total - k) * math.log1p(-frequency)
    )  # fmt: skip
    return math.exp(log)


def _normal_tails(count: int, total: int, frequency: float) -> tuple[float, float]:
    """With continuity correction; beyond the longest sum the error is far below any threshold."""
    spread = math.sqrt(total * frequency * (1 - frequency))
    lower = 0.5 * math.erfc(-(count + 0.5 - total * frequency) / spread / math.sqrt(2))
    upper = 0.5 * math.erfc((count - 0.5 - total * frequency) / spread / math.sqrt(2))
    return lower, upper
