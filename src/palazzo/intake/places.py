"""Where a memory goes when nobody says: a table from kind and topic to place, else where its like already lives.

| kind | place |
|---|---|
| exchange | conversations.<thread> |
| instruction, preference | life.preferences |
| identity | life.people, with a health topic life.health |
| relationship | life.people |
| residence | life.places |
| employment | work.people when about somebody else, else work |
| task | work.desk with a work topic, else life.goals |
| decision | work.reference, with an everyday topic life.goals |
| procedure, error | work.reference |
| event, activity | by topic, else life.events |
| fact | by topic, else where the most similar memory lives, else forest.today |
| reflection | life.reflections |
| context, transient | forest.today |
| any other | work.reference |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from palazzo.intake.admit import place_of
from palazzo.intake.drafts import TURN_KIND, Draft
from palazzo.model.address import Place, slug

LAST_RESORT: Final = "forest.today"
NO_THREAD: Final = "notes"

_BY_KIND: Final[dict[str, str]] = {
    "instruction": "life.preferences", "preference": "life.preferences", "relationship": "life.people",
    "identity": "life.people", "residence": "life.places", "employment": "work", "task": "life.goals",
    "decision": "work.reference", "procedure": "work.reference", "error": "work.reference", "event": "life.events",
    "activity": "life.events", "reflection": "life.reflections", "context": LAST_RESORT, "transient": LAST_RESORT,
    "summary": "work.reference", "claim": "work.reference", "rule": "work.reference", "schema": "work.reference",
    "bundle": "work.reference", "asset": "work.reference",
}  # fmt: skip
_BY_TOPIC: Final[dict[str, str]] = {
    "health": "life.health", "fitness": "life.health", "travel": "life.places", "food": "life.preferences",
    "family": "life.people", "relationships": "life.people", "finance": "life.finance", "software": "work.reference",
    "work": "work.desk", "education": "learning.courses", "home": "life.places", "pets": "life.people",
    "sports": "life.events", "music": "creative.music", "film": "creative.art", "books": "learning.books",
    "art": "creative.art", "games": "life.preferences", "science": "learning.papers", "vehicles": "life.places",
    "shopping": "life.finance", "events": "life.events",
}  # fmt: skip
_WORK: Final = frozenset({"work", "software"})
_TOPICAL: Final = frozenset({"fact", "event", "activity"})


def suggest(draft: Draft, similar: str = "") -> Place:
    """The place of a draft; `similar` is where the most similar known memory lives."""
    message = draft.letter.message
    if message.place and not draft.whole:
        return place_of(message.place)
    if draft.whole:
        return conversation(message.thread)
    return place_of(_path(draft.kind, draft.findings.topics, draft.subject, similar))


def conversation(thread: str) -> Place:
    """Where the turns of a thread are kept."""
    return place_of(f"conversations.{slug(thread, 60)}" if thread else f"conversations.{NO_THREAD}")


def _path(kind: str, topics: Sequence[str], subject: str, similar: str) -> str:
    first = topics[0] if topics else ""
    if kind == "employment":
        return "work" if subject.startswith("the user") or not subject else "work.people"
    if kind == "task":
        return "work.desk" if _WORK & set(topics) else "life.goals"
    if kind == "identity" and "health" in topics:
        return "life.health"
    if kind == "decision" and topics and not _WORK & set(topics):
        return "life.goals"
    if kind in _TOPICAL and first in _BY_TOPIC:
        return _BY_TOPIC[first]
    if kind in _BY_KIND:
        return _BY_KIND[kind]
    return similar or (LAST_RESORT if kind in ("fact", TURN_KIND) else "work.reference")
