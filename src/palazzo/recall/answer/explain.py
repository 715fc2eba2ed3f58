"""Turning ranked rows into hits that explain themselves: signals, trust, provenance in one line, a caveat if due.

Owns the wording. Invariant: everything shown comes from the store's reads for this reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import lru_cache

import numpy as np
from msgspec.structs import replace

from palazzo.model import belief as staleness
from palazzo.model.belief import CONFIRM_BELOW, FLAGGED_ABOVE, Trust
from palazzo.model.kinds import EXCHANGE, GIVEN, HAPPENED
from palazzo.model.memory import ACTING, TIERED, Memory, by_another
from palazzo.model.zone import UTC_NAME, local
from palazzo.recall.answer.reply import Hit, Lane, Reasons, Sibling
from palazzo.recall.rank.present import Replaced
from palazzo.recall.rank.rank import Ranked
from palazzo.store.api import Doubt, FirstSource, Reading, ToldTurn
from palazzo.text.meaning.instructions import tells_to_always

SIBLING_COSINE = 0.3
SIBLINGS = 20
NEXT = "; "
"""Between the notes of a caveat."""
DOUBTFUL = 0.45
"""Confidence below which a model is told that nobody confirmed it: what somebody supposed, or heard from others."""
ANSWERS_TOO = 0.2
"""Share of the older one's relevance below which the newer of two in conflict is no answer to the question."""
AS_WELL = 0.9
"""Share of an older hit's relevance from which on a newer one in conflict with it stands alone."""
MAY_HAVE_CHANGED = 'may have changed: a newer memory says "{}"'
QUOTED = 80
"""Characters of what replaced a hit that its caveat shows."""
EARLIER = 4
"""Earlier contents shown behind a hit when the past is asked about."""
DAY_US = 86_400_000_000
_EPOCH = date(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
USES = 5.0
"""Sessions of use that count as fully useful."""


def day(at_us: int, zone: str = UTC_NAME) -> str:
    """The date of a moment on a calendar there."""
    offset = local(at_us, zone).utcoffset() if zone != UTC_NAME else None
    return _date((at_us + (offset // _MICROSECOND if offset else 0)) // DAY_US)


@lru_cache(maxsize=4096)
def _date(days: int) -> str:
    return (_EPOCH + timedelta(days)).isoformat()


def caveat(memory: Memory, now_us: int, doubt: Doubt | None = None, zone: str = UTC_NAME) -> str:
    """What a reader should know before relying on it, with days as they are there; `doubt` is its last audit if that
    flagged it."""
    content = memory.revision.content
    notes = []
    if content.valid_to_us is not None and content.valid_to_us <= now_us and memory.kind not in HAPPENED:
        notes.append(f"held until {day(content.valid_to_us, zone)}")
    if doubt is not None:
        notes.append(staleness.caveat(doubt.axes, doubt.evidence, doubt.newer))
    elif memory.staleness > FLAGGED_ABOVE or memory.state == "stale":
        notes.append("may have changed: nobody spoke of it for long")
    if content.confidence < CONFIRM_BELOW:
        notes.append(_unconfirmed(content.confidence))
    if memory.deprecated:
        notes.append("deprecated")
    return NEXT.join(notes)


def _unconfirmed(confidence: float) -> str:
    return f"unconfirmed (confidence {confidence:.1f})"


def warning(hit: Hit) -> str:
    """What of a caveat changes what a model should do: that nobody confirmed a fact does so only for a doubtful one."""
    confidence = hit.memory.revision.content.confidence
    usual = _unconfirmed(confidence)
    notes = [note for note in hit.caveat.split(NEXT) if note != usual]
    return NEXT.join(filter(None, [*notes, "unconfirmed" if usual in hit.caveat and confidence < DOUBTFUL else ""]))


def signed(reading: Reading, hits: Sequence[Hit]) -> list[Hit]:
    """Hits that name who wrote them where that is neither who asks nor the owner; others' instructions are quoted."""
    asker = reading.view.subject
    authors = {hit.memory.revision.key: by_another(hit.memory, asker) for hit in hits}
    strange = [hit.memory.revision.key for hit in hits if authors[hit.memory.revision.key] and _acts(hit.memory)]
    approved = reading.authors.approved(strange) if strange else frozenset()
    return [_signed(hit, authors[hit.memory.revision.key], approved) for hit in hits]


def _acts(memory: Memory) -> bool:
    """Whether it says what is to be done: by its kind, or by its words whatever kind its writer gave it."""
    return memory.kind in ACTING or tells_to_always(memory.text)


def _signed(hit: Hit, author: str, approved: frozenset[int]) -> Hit:
    if not author:
        return hit
    key, acts = hit.memory.revision.key, _acts(hit.memory)
    note = f"told by {author}"
    if acts:
        note += ", approved by the owner" if key in approved else ", not approved by the owner"
    quoted = author if acts and key not in approved else hit.quoted
    return replace(hit, caveat=NEXT.join(filter(None, (hit.caveat, note))), quoted=quoted)


def doubts_about(reading: Reading, found: Iterable[Memory]) -> dict[int, Doubt]:
    """The audits behind the flagged ones among these memories; nothing is read when none is flagged."""
    flagged = [memory.revision.key for memory in found if memory.staleness > FLAGGED_ABOVE]
    return reading.reviews.doubts(flagged) if flagged else {}


def trust_in(memory: Memory, relevance: float, standing: float) -> Trust:
    """The four parts of trust; `standing` is the accuracy of the weakest thing it rests on."""
    return Trust(
        relevance=relevance, accuracy=min(memory.revision.content.confidence, standing),
        freshness=1.0 - memory.staleness, utility=0.5 + 0.5 * min(memory.sessions / USES, 1.0),
    )  # fmt: skip


def weighed(hit: Hit, relevance: float) -> Hit:
    """A hit with its relevance, which is a part of its trust."""
    figure = round(relevance, 4)
    return replace(hit, relevance=figure, trust=replace(hit.trust, relevance=figure))


def provenance_line(memory: Memory, told: ToldTurn | None, source: FirstSource | None, zone: str = UTC_NAME) -> str:
    """Where it comes from, in one line, with days as they are there."""
    at_us = source.at_us if source is not None else memory.revision.content.valid_from_us or memory.created_us
    when = day(at_us, zone)
    if told is not None:
        place = ", ".join(filter(None, (told.thread and f"in {told.thread}", told.session, when)))
        return f"said by {_who(told)}{' ' if told.thread else ', '}{place}"
    if source is not None:
        return f"{source.stage} from {source.kind} {source.label}".rstrip() + f", {when}"
    author = memory.revision.content.author
    return f"kept by {author}, {when}" if author else f"kept {when}"


def own_word(memory: Memory, told: ToldTurn | None, source: FirstSource | None) -> bool:
    """Whether the owner said it themselves, and did not hand over what others wrote."""
    given = memory.kind in GIVEN and memory.kind != EXCHANGE
    if by_another(memory, "") or memory.title or given or len(memory.text) > TIERED:
        return False
    if told is not None:
        return told.role == "user" and not told.speaker
    return source is not None and source.stage == "remember"


def own_words(reading: Reading, found: Sequence[Memory]) -> frozenset[int]:
    """The keys of those memories that are the owner's own word."""
    keys = [memory.revision.key for memory in found]
    turn_of = {key: turns[0] for key, turns in reading.edges.origins(keys).items()} if keys else {}
    turn_of |= {memory.revision.key: memory.revision.key for memory in found if memory.kind == EXCHANGE}
    turns = reading.turns.told(list(set(turn_of.values()))) if turn_of else {}
    sources = reading.provenance.first_sources([key for key in keys if key not in turn_of])
    return frozenset(
        key for key, memory in zip(keys, found, strict=True)
        if own_word(memory, turns.get(turn_of.get(key, -1)), sources.get(key))
    )  # fmt: skip


def as_recalled(reading: Reading, hits: Sequence[Hit]) -> list[Hit]:
    """Hits with the line that a recall gives them: who said it, or what it came from."""
    keys = [hit.memory.revision.key for hit in hits]
    turn_of = {key: turns[0] for key, turns in reading.edges.origins(keys).items()} if keys else {}
    turns = reading.turns.told(list({*keys, *turn_of.values()}))
    sources = reading.provenance.first_sources(keys)
    return [
        replace(hit, provenance=provenance_line(hit.memory, told, sources.get(key), hit.zone))
        for key, hit in zip(keys, hits, strict=True)
        for told in [turns.get(key) or turns.get(turn_of.get(key, -1))]
    ]


def _who(told: ToldTurn) -> str:
    """Who said it: by name where there is one, and an agent always as that."""
    if told.role == "assistant":
        named = told.speaker and told.speaker.casefold() != "assistant"
        return f"the assistant {told.speaker}" if named else "the assistant"
    return told.speaker or ("the user" if told.role == "user" else f"a {told.role}")


def hits_from(
    reading: Reading, ranked: Ranked, limit: int, now_us: int, lanes: Mapping[int, Lane], zone: str = UTC_NAME
) -> list[Hit]:
    """The first `limit` rows as hits, with their contents loaded in one read each; their days are those there."""
    keys = ranked.keys[:limit].tolist()
    ahead = [ranked.before[key] for key in keys if key in ranked.before]
    newer = [one.by for key, one in ranked.replaced.items() if key in set(keys)]
    known, sources = reading.memories.with_sources(list(dict.fromkeys((*keys, *ahead, *newer))))
    loaded = {key: known[key] for key in keys if key in known}
    origins = dict(ranked.origins)
    if unknown := [key for key in keys if key not in origins]:
        origins |= {key: turns[0] for key, turns in reading.edges.origins(unknown).items()}
    turns = reading.turns.told(list({*keys, *(origins[key] for key in keys if key in origins)}))
    told = {key: turns[key] for key in keys if key in turns}
    doubts = doubts_about(reading, loaded.values())
    trusted = dict(ranked.trusted)
    if unread := [key for key in keys if key not in trusted]:
        trusted |= reading.trusts.figures(unread)
    top = float(ranked.scores.max()) if len(ranked.scores) else 1.0
    low = float(ranked.scores.min()) if len(ranked.scores) else 0.0
    since = _since(ranked, loaded, known)
    reasons = Reasons(ranked.signals, ranked.weights, len(keys))
    before = {
        key: known[ranked.before[key]].text for key, one in told.items()
        if one.speaker and ranked.before.get(key) in known
    }  # fmt: skip
    found = []
    for row, (key, score) in enumerate(zip(keys, ranked.scores[:limit].tolist(), strict=True)):
        memory = loaded.get(key)
        if memory is None:
            continue
        note = caveat(memory, now_us, doubts.get(key), zone)
        source = None if key in told else sources.get(key)
        found.append(
            Hit(
                memory=memory, text=memory.text, tier="full", score=round(score, 4), reasons=reasons, row=row,
                trust=trust_in(memory, (score - low) / (top - low) if top > low else 1.0, trusted[key]),
                lane=lanes.get(key, "recalled"), zone=zone,
                provenance=provenance_line(
                    memory, told.get(key) or turns.get(origins.get(key, -1)), source, zone
                ),
                caveat=NEXT.join(filter(None, (since[key], note))) if key in since else note,
                replaced=key in since and ranked.replaced[key].sure,
                speaker=told[key].speaker if key in told else "", before=before.get(key, ""),
                quoted=_who(told[key]) if key in told and told[key].role == "assistant" else "",
                own=own_word(memory, told.get(key) or turns.get(origins.get(key, -1)), source),
            )
        )  # fmt: skip
    return signed(reading, found)


def _since(ranked: Ranked, loaded: Mapping[int, Memory], known: Mapping[int, Memory]) -> dict[int, str]:
    """What replaced those hits that no longer hold, in words."""
    shown = {key: one.by for key, one in ranked.replaced.items() if key in loaded}
    found = {}
    for key, by in shown.items():
        if by in known:
            one, newer = ranked.replaced[key], known[by].text[:QUOTED]
            told = f"replaced since{' in part' if one.part else ''}: {newer}"
            found[key] = told if one.sure else MAY_HAVE_CHANGED.format(newer)
    return found


def newer_first(hits: Sequence[Hit], replaced: Mapping[int, Replaced], anew: Mapping[int, Replaced]) -> list[Hit]:
    """Of two hits in open conflict the newer one first, which says what it may stand for; where it answers about as
    well, it stands alone: one line for one matter. What a newer one answers `anew` gets the caveat that it may have
    changed, where it has none."""
    at = {hit.memory.revision.key: hit for hit in hits}
    for key, one in anew.items():
        if not at[key].caveat:
            at[key] = replace(at[key], caveat=MAY_HAVE_CHANGED.format(at[one.by].text[:QUOTED]))
            replaced = {key: one} | dict(replaced)
    unsure = {
        key: one.by for key, one in replaced.items()
        if not one.sure and {key, one.by} <= at.keys() and at[one.by].relevance >= ANSWERS_TOO * at[key].relevance
    }  # fmt: skip
    if not unsure:
        return list(hits)
    alone = {
        key for key, by in unsure.items()
        if replaced[key].likely and at[by].relevance >= AS_WELL * at[key].relevance
    }  # fmt: skip
    instead = {by: at[key] for key, by in unsure.items()}
    found: dict[int, Hit] = {}
    for key in at:
        for shown in (unsure.get(key, key), key):
            if shown not in alone and shown not in found:
                note = (_was(instead[shown]) if shown in instead else "", at[shown].caveat)
                found[shown] = replace(at[shown], caveat=NEXT.join(filter(None, note)))
    return list(found.values())


def _was(older: Hit) -> str:
    since = older.memory.revision.content.valid_from_us or older.memory.revision.created_us
    return f'perhaps instead of "{older.text[:QUOTED]}" ({day(since, older.zone)})'


def siblings(reading: Reading, ranked: Ranked, limit: int) -> tuple[Sibling, ...]:
    """Candidates behind the first `limit` that are near the cue in meaning, nearest first."""
    rest = np.arange(limit, len(ranked.keys))
    near = rest[np.nan_to_num(ranked.cosine[rest], nan=-1.0) > SIBLING_COSINE]
    near = near[np.argsort(-ranked.cosine[near], kind="stable")][:SIBLINGS]
    loaded = reading.memories.by_keys(ranked.keys[near].tolist())
    return tuple(
        Sibling(str(loaded[key].kref), loaded[key].text, round(float(cosine), 3))
        for key, cosine in zip(ranked.keys[near].tolist(), ranked.cosine[near].tolist(), strict=True)
        if key in loaded
    )


def left_out(reading: Reading, ranked: Ranked) -> tuple[tuple[str, str], ...]:
    """What was left out because it no longer holds, and what replaced it, by address."""
    gone = {key: one.by for key, one in ranked.replaced.items() if one.whole}
    if not gone:
        return ()
    known = reading.memories.by_keys([*gone, *gone.values()])
    return tuple(
        (str(known[key].kref), str(known[by].kref)) for key, by in gone.items() if key in known and by in known
    )


def with_earlier(reading: Reading, hits: Sequence[Hit], limit: int) -> list[Hit]:
    """Each hit followed by what it said before, or what it superseded: for a cue about the past."""
    found = reading.memories.earlier([hit.memory.revision.key for hit in hits])
    if not found:
        return list(hits)
    sources = reading.through_time().provenance.first_sources([old.revision.key for _, old in found])
    merged: list[Hit] = []
    for hit in hits:
        merged.append(hit)
        before = [old for key, old in found if key == hit.memory.revision.key and old.text != hit.memory.text]
        for old in before[:EARLIER]:
            merged.append(
                replace(
                    hit, memory=old, text=old.text, lane="earlier", quoted="",
                    trust=trust_in(old, hit.trust.relevance, old.revision.content.confidence),
                    provenance=provenance_line(old, None, sources.get(old.revision.key), hit.zone),
                    caveat=f"no longer holds, replaced since: {hit.memory.text[:QUOTED]}",
                )
            )  # fmt: skip
    fresh = iter(signed(reading, [hit for hit in merged[:limit] if hit.lane == "earlier"]))
    return [next(fresh) if hit.lane == "earlier" else hit for hit in merged[:limit]]
