"""Where a memory is kept when nobody says, and what its name says: what it is about, never what it says of it.

Owns the table from kinds and topics to places. Knows of what is held only whether a name is free. Invariants: a place
that was given is the place; one that is only guessed rests on more than one word, and where nothing tells one it is the
inbox; a name made here stays right when the value changes.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from palazzo.intake.known import Known
from palazzo.intake.screen import place_of, tier_within
from palazzo.intake.values import GIVEN_ROLES, Draft
from palazzo.model.address import Place, slug
from palazzo.text.facts.slots.phrases import is_liking
from palazzo.text.meaning.topics import clear_topic
from palazzo.text.words.remembered import remembered

slugged = remembered(1024)(slug)
LAST_RESORT: Final = "inbox"
"""Where things lie that nothing tells a place for: to be looked through, not a guess."""
DOCUMENTS: Final = "documents"
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
    """The place of a draft; `similar` is where the most similar known memory lives.

    | kind | place |
    |---|---|
    | exchange | conversations.<thread> |
    | instruction, preference | life.preferences |
    | identity | life.people, with a health topic life.health |
    | relationship | life.people |
    | residence | life.places |
    | employment | work.people when about somebody else, else work |
    | task | work.desk when clearly about work, else life.goals |
    | decision | work.reference, when clearly about something everyday life.goals |
    | procedure, error, summary, claim, rule, schema, bundle, asset | work.reference |
    | event, activity | by what it is clearly about, else life.events |
    | fact | by what it is clearly about, else where a very similar memory lives, else inbox |
    | reflection | life.reflections |
    | document, section | documents |
    | context, transient, any other | inbox |

    One word of a topic decides nothing.
    """
    message = draft.letter.message
    if message.place and not draft.whole:
        return place_of(message.place)
    if draft.whole:
        return conversation(message.thread)
    if draft.role in GIVEN_ROLES:
        return place_of(DOCUMENTS)
    return place_of(_path(draft, similar))


def conversation(thread: str) -> Place:
    """Where the turns of a thread are kept."""
    return place_of(f"conversations.{slug(thread, 60)}" if thread else f"conversations.{NO_THREAD}")


def _path(draft: Draft, similar: str) -> str:
    kind, topics, subject = draft.kind, draft.findings.topics, draft.subject
    about = clear_topic(draft.statement) if topics else ""
    if kind == "employment":
        return "work" if subject.startswith("the user") or not subject else "work.people"
    if kind == "task":
        return "work.desk" if about in _WORK else "life.goals"
    if kind == "identity" and "health" in topics:
        return "life.health"
    if kind == "decision" and about and about not in _WORK:
        return "life.goals"
    if kind in _TOPICAL and about in _BY_TOPIC:
        return _BY_TOPIC[about]
    return _BY_KIND.get(kind) or similar or LAST_RESORT


def about(draft: Draft) -> str:
    """Whom or what a memory is about and in which respect, which stays true when what it says does not."""
    if draft.role in GIVEN_ROLES:
        return slugged(next(filter(None, (line.strip("#*-= ") for line in draft.text[:400].split("\n"))), "")[:60], 40)
    respect = draft.findings.topics[0] if draft.findings.topics else draft.kind
    whom = draft.subject.removeprefix("the ") or draft.letter.message.speaker
    return f"{slugged(whom, 40)}-{respect}" if whom else respect


def bears_name(draft: Draft) -> bool:
    """Whether the name its sender gave is the draft's own, and not that of the document it was drawn from."""
    return bool(draft.letter.message.name) and draft.role in ("statement", "document")


def name_of(draft: Draft, memory_id: UUID, known: Known, place: Place, *, fresh: bool) -> str:
    """The name its sender gave, or one that says what it is about, so that it stays right when the value changes."""
    mark = memory_id.hex[-8:]
    message = draft.letter.message
    if bears_name(draft):
        stable = message.name
    elif message.name and draft.role == "section":
        return f"{message.name}-s{draft.part}-{mark}"
    elif tier_within(draft.letter, draft.start, draft.end) != "clear":
        return f"{draft.kind}-{memory_id.hex[-12:]}"  # an address is shown where the text is not
    else:
        slots = [atom for atom in draft.findings.atoms if atom.functional and not atom.negated]
        if not slots or is_liking(slots[0].predicate):
            return f"{about(draft)}-{mark}"
        stable = slug(f"{slots[0].subject.removeprefix('the ')} {slots[0].predicate}", 60)
    if not fresh and known.free_name(place, stable, draft.kind):
        return stable
    return f"{stable}-{mark}"


def turn_name(draft: Draft, memory_id: UUID) -> str:
    """The name of a verbatim turn: who said it, and a mark of its own."""
    message = draft.letter.message
    return f"{slugged(message.speaker or message.role, 20)}-{memory_id.hex[-12:]}"
