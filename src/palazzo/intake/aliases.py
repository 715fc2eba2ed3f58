"""The end of stage 5: a name nobody has used before is checked for being another writing of a known one.

An exact or differently cased alias is found by the store when it writes; here are the names that have none. Two names
are one when they are of one kind, `other_spelling` allows it, and their vectors are closer than `ALIKE`. The vectors
alone would join Anna and Hanna Berg, the spelling alone two projects that differ in a letter; both must agree.
Names of one short word are left alone. Without an embedder nothing is joined. Invariant: no mention is dropped or
renamed, it only learns under which name its entity is known.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from palazzo.intake.embed import VectorSource
from palazzo.intake.values import Draft
from palazzo.model.graph import EntityKind, MentionDraft
from palazzo.model.scope import Scope
from palazzo.store.api import Reading
from palazzo.text.facts.aliases import first_letters, other_spelling

ALIKE = 0.85
SHORTEST = 5
"""A single word with fewer letters is too easily another one."""
COMPARED = frozenset({"person", "organization", "location", "technology", "project", "event", "concept"})


def recognise(drafts: Sequence[Draft], reading: Reading, scope: Scope, source: VectorSource) -> list[Draft]:
    """Drafts of one scope whose mentions say under which known name their entity is found."""
    wanted = dict.fromkeys(
        (mention.name, mention.kind) for draft in drafts for mention in draft.findings.mentions if _comparable(mention)
    )
    if not wanted:
        return list(drafts)
    new = set(reading.entities.without_alias(scope, dict.fromkeys(name for name, _ in wanted)))
    pairs = _pairs([(name, kind) for name, kind in wanted if name in new], reading, scope)
    known_as = _confirmed(pairs, source) if pairs else {}
    return [_told(draft, known_as) for draft in drafts] if known_as else list(drafts)


def _comparable(mention: MentionDraft) -> bool:
    return mention.kind in COMPARED and (" " in mention.name or len(mention.name) >= SHORTEST)


def _pairs(new: Sequence[tuple[str, EntityKind]], reading: Reading, scope: Scope) -> list[tuple[str, str, EntityKind]]:
    """New names with a known one, or an earlier one of the batch, that they may be a spelling of."""
    found: list[tuple[str, str, EntityKind]] = []
    met: list[tuple[str, EntityKind]] = []
    for name, kind in new:
        known = reading.entities.beginning_with(scope, first_letters(name), kind)
        for other in (*known, *(earlier for earlier, of in met if of == kind)):
            if other.casefold() != name.casefold() and other_spelling(name, other, person=kind == "person"):
                found.append((name, other, kind))
        met.append((name, kind))
    return found


def _confirmed(pairs: Sequence[tuple[str, str, EntityKind]], source: VectorSource) -> dict[tuple[str, EntityKind], str]:
    """The closest of the pairs that are close enough, in the first space there is."""
    names = list(dict.fromkeys(name for one, other, _ in pairs for name in (one, other)))
    rows = next(iter(source.embed(names).by_space.values()), None)
    if rows is None:
        return {}
    at = {name: number for number, name in enumerate(names)}
    best: dict[tuple[str, EntityKind], tuple[float, str]] = {}
    for name, other, kind in pairs:
        score = float(rows[at[name]] @ rows[at[other]])
        if score > ALIKE and score > best.get((name, kind), (0.0, ""))[0]:
            best[name, kind] = score, other
    return {key: other for key, (_, other) in best.items()}


def _told(draft: Draft, known_as: dict[tuple[str, EntityKind], str]) -> Draft:
    mentions = draft.findings.mentions
    if not any((mention.name, mention.kind) in known_as for mention in mentions):
        return draft
    told = tuple(replace(m, known_as=known_as.get((m.name, m.kind), "")) for m in mentions)
    return replace(draft, findings=replace(draft.findings, mentions=told))
