"""Frames of change: "X changed from A to B", "moved to B", "grew to 14 members", "his taste evolved to include B".

Owns what a verb of change says: whose attribute took which value in the place of which. Knows nothing of the verbs that
state what is so. Invariant: a change without a place to go ("to B", "reached B") yields nothing but an evolved taste.
"""

from __future__ import annotations

from collections.abc import Iterator

from palazzo.text.facts.quantities import PLAIN_UNITS, quantity_at, stem
from palazzo.text.facts.slots.phrases import (
    ATTRIBUTE_NOUNS,
    FoundSlot,
    Phrase,
    person_of,
    phrase_before,
    read_phrase,
    read_value,
    subject_text,
)
from palazzo.text.facts.slots.verbs import clause_subject, measured, numbered, object_of, subject_before
from palazzo.text.words.grammar import (
    ADV,
    AUX,
    BASE,
    DET,
    GERUND,
    NAME,
    NOUNISH,
    NUM,
    POSS,
    PREP,
    PUNCT,
    Tokens,
    base_of,
    third_person,
)  # fmt: skip


def changing(tokens: Tokens, at: int, floor: int, base: str) -> Iterator[FoundSlot]:
    """ "X changed (Y) from A to B", "X moved to B", "X reached B"."""
    lower, bits = tokens.lower, tokens.bits
    total = len(lower)
    came_from = goes_to = -1
    if bits[at] & GERUND and at + 1 < total and not bits[at + 1] & (DET | POSS | ADV | PREP | NAME):
        return
    if at >= floor + 2 and bits[at - 2] & NAME and lower[at].endswith("s") and _does(lower[at - 1]):
        return  # "Ada reviews changes to the rota": somebody does something with changes
    for here in range(at + 1, min(total - 1, at + 22)):
        low = lower[here]
        if low in ".;!?" or (bits[here] & AUX and here > at + 1 and quantity_at(tokens, here) is None):
            break
        if low == "from" and came_from < 0 and goes_to < 0:
            came_from = here
        elif low in ("to", "into") and goes_to < 0 and not _infinitive(tokens, here):
            goes_to = here
            break
    if base in ("reach", "hit") and goes_to < 0 and bits[at + 1 if at + 1 < total else at] & NUM:
        goes_to = at
    moved_up = at + 1 < total and lower[at + 1] in ("up", "down", "back")
    if goes_to < 0 or (base in ("go", "come", "turn", "bring", "push") and came_from < 0 and not moved_up):
        yield from _evolving(tokens, at, floor, base)
        return
    value, first, last = read_value(tokens, goes_to + 1)
    if not value:
        return
    old = read_value(tokens, came_from + 1, stop_at_to=True)[0] if came_from >= 0 else None
    object_end = min(k for k in (came_from, goes_to) if k >= 0)
    if object_end - at > 1 and not all(
        bits[k] & (ADV | PUNCT) or lower[k] in ("back", "up", "down") for k in range(at + 1, object_end)
    ):
        phrase = read_phrase(tokens, at + 1, object_end)
        spoken = subject_before(tokens, at, floor)
    else:
        start, end = phrase_before(tokens, at, floor)
        phrase = read_phrase(tokens, start, end) if end > start else None
        spoken = subject_text(tokens, start, end) if end > start else clause_subject(tokens, at, floor)
        if phrase is None or person_of(spoken):
            yield from _person_changing(tokens, base, spoken, (value, first, last), old)
            return
    if phrase is None:
        return
    yield from _changed_phrase(tokens, phrase, spoken, (value, first, last), old)


def _does(word: str) -> bool:
    """Whether a word is what somebody does, in the present."""
    return third_person(base_of(word)) == word


def _changed_phrase(
    tokens: Tokens, phrase: Phrase, spoken: str, value: tuple[str, int, int], old: str | None
) -> Iterator[FoundSlot]:
    """A named attribute that took another value."""
    text, first, last = value
    owner, attribute, thing = phrase.owner, phrase.attribute, phrase.thing
    when = measured(tokens, first)
    if tokens.bits[first] & NAME and not old and not thing and when != "time" and _moves(tokens, first):
        yield FoundSlot(spoken or attribute, "city", text, first, last, 0.8, changed=True)
        return
    if not owner and "'s" in spoken:
        owner = spoken.partition("'s")[0]
        owner = "the user" if owner.lower() == "the user" else owner
    if owner in ("his", "her", "their", "its") and person_of(spoken):
        owner = spoken
    whole = f"{owner}'s {attribute}" if owner else f"{attribute} of {thing}" if thing else attribute
    counted = quantity_at(tokens, first)
    counts = counted is not None and counted.unit and counted.unit not in PLAIN_UNITS and " per " not in counted.unit
    if counted is not None and counts and stem(attribute.split()[-1]) not in ATTRIBUTE_NOUNS:
        noun = tokens.lower[counted.last - 1]
        yield FoundSlot(
            whole, f"number of {noun}", tokens.words[first], first, counted.last, 0.8, changed=True,
            old_value=old and old.split()[0],
        )  # fmt: skip
        return
    if numbered(tokens, first):
        yield FoundSlot(
            whole, tokens.lower[first], tokens.lower[first + 1], first, first + 2, 0.85, changed=True,
            old_value=old and old.split()[-1],
        )  # fmt: skip
        return
    if when == "time" and thing and attribute in ("start", "beginning", "end"):
        bound = "end time" if attribute == "end" else "start time"
        yield FoundSlot(thing, bound, text, first, last, 0.85, changed=True, old_value=old)
        return
    if "renamed" in tokens.lower:
        yield FoundSlot(f"{attribute} {thing}".strip(), "name", text, first, last, 0.85, changed=True, old_value=old)
        return
    if when == "time" and not attribute.endswith(("deadline", "date", "time")):
        about = attribute if owner in ("", "the user") else f"{owner}'s {attribute}"
        about = f"{about} with {thing}" if thing else about
        ended = any(word in ("extended", "extend", "extends", "prolonged") for word in tokens.lower)
        yield FoundSlot(about, "end time" if ended else "time", text, first, last, 0.85, changed=True, old_value=old)
        return
    subject = owner or (spoken if person_of(spoken) and not thing else thing)
    predicate = f"{attribute} for {thing}" if owner and thing else attribute
    yield FoundSlot(subject, predicate, text, first, last, 0.9 if old else 0.8, changed=True, old_value=old)


def _moves(tokens: Tokens, value_at: int) -> bool:
    """Whether the verb right before "to" is one of changing place."""
    return any(
        word in ("moved", "relocated", "moves", "moving") for word in tokens.lower[max(0, value_at - 4) : value_at]
    )


def _person_changing(
    tokens: Tokens, base: str, subject: str, value: tuple[str, int, int], old: str | None
) -> Iterator[FoundSlot]:
    """A person moved, switched or was promoted."""
    text, first, last = value
    if base == "move" and tokens.bits[first] & NAME and measured(tokens, first) != "time":
        yield FoundSlot(subject, "city", text, first, last, 0.85, changed=True, old_value=old)
    elif base == "promote":
        yield FoundSlot(subject, "role", text, first, last, 0.9, changed=True, old_value=old)
    elif base in ("switch", "migrate", "transition", "convert", "change", "upgrade", "move", "go"):
        purpose = ""
        if last < len(tokens.lower) and tokens.lower[last] == "for":
            purpose = read_value(tokens, last + 1)[0].lower()
        predicate = f"tool for {purpose}" if purpose else "tool"
        yield FoundSlot(
            subject, predicate, text, first, last, 0.75, changed=True, old_value=old, functional=bool(purpose or old)
        )


def _infinitive(tokens: Tokens, at: int) -> bool:
    """Whether "to" at `at` opens an infinitive rather than a destination."""
    bit = tokens.bits[at + 1]
    return (
        bit & (BASE | AUX) != 0
        and not bit & (NAME | NUM | DET)
        and (not bit & NOUNISH or _object_follows(tokens, at + 2))
    )


def _object_follows(tokens: Tokens, at: int) -> bool:
    return at < len(tokens.lower) and tokens.bits[at] & (DET | POSS) != 0


def _evolving(tokens: Tokens, at: int, floor: int, base: str) -> Iterator[FoundSlot]:
    """ "his taste in films has evolved to include westerns", "reconsidered his view of X"."""
    lower = tokens.lower
    if base not in ("evolve", "expand", "change", "shift", "grow", "extend"):
        return
    for here in range(at + 1, min(len(lower) - 2, at + 6)):
        if lower[here] == "to" and lower[here + 1] in ("include", "embrace", "enjoy"):
            value, first, last = read_value(tokens, here + 2)
            start, end = phrase_before(tokens, at, floor)
            phrase = read_phrase(tokens, start, end) if end > start else None
            owner = phrase.owner if phrase and phrase.owner else "the user"
            if value:
                yield FoundSlot(owner, f"likes {object_of(value)}", "like", first, last, 0.8, changed=True)
            return
