"""A question without what people wrap it in, and a message without its questions: "could you remind me where I parked?"
asks where I parked.

Owns the frames; they are data. What is asked is left in its own words, but for a thing that is asked for by its name,
which becomes a question, and for "what was my size again?", which asks for the present. Knows nothing of memories.
Invariants: any text is safe; a text that is in no frame is returned as it is; the time is linear in its length.
"""

from __future__ import annotations

import re
from typing import Final

from palazzo.text.words.lexicon import ENGLISH, Patterns
from palazzo.text.words.parsed import once, parsed

_LONGEST: Final = 240
"""Characters; nobody wraps up a question that is longer."""
_OPENS: Final = Patterns("plainly", "opens", flags=re.IGNORECASE)
_LEADS: Final = Patterns("plainly", "leads", flags=re.IGNORECASE)
_CLOSES: Final = Patterns("plainly", "closes", flags=re.IGNORECASE)
_NAMES: Final = Patterns("plainly", "names", flags=re.IGNORECASE)
_SLIPPED: Final = Patterns("plainly", "slipped", flags=re.IGNORECASE)
_THING: Final = Patterns("plainly", "thing", flags=re.IGNORECASE)
_EVERYTHING: Final = Patterns("plainly", "everything", flags=re.IGNORECASE)
_SOMEBODY: Final = Patterns("plainly", "somebody")
_AGAIN: Final = re.compile(r"\bagain\b", re.IGNORECASE)
_BEING: Final = frozenset({"is", "are", "was", "were"})
_PRESENT: Final = {"was": "is", "were": "are"}


@once
def asked_plainly(text: str) -> str:
    """What a question asks, without its frame."""
    if len(text) > _LONGEST:
        return text
    said = " ".join(text.replace("’", "'").split())
    for named in map(_NAMES.__getitem__, _NAMES.names()):
        if found := named.match(said):
            return f"What is {found['thing'].strip()}?"
    for language in _OPENS.names():
        if (opened := _OPENS[language].sub("", said, count=1)) != said:
            return _whole(_without_end(opened, language))
    for language in _CLOSES.names():
        bare = _LEADS[language].sub("", said, count=1) if language in _LEADS.names() else said
        closed = _without_end(bare, language)
        if closed != said and ("?" in said or "？" in said or _SLIPPED[ENGLISH].match(said)):
            return _whole(closed)
    return text


def asks_everything(question: str) -> bool:
    """Whether all that is known of something is asked for: nothing particular can be missing from what speaks of it."""
    return any(_EVERYTHING[language].match(question) for language in _EVERYTHING.names())


@once
def thing_named(question: str) -> str:
    """The word for somebody or something of the speaker's whose name a question asks for; empty where it asks none."""
    if len(question) > _LONGEST:
        return ""
    found = _THING[ENGLISH].search(parsed(question).gloss.replace("’", "'"))
    words = next((said for said in found.groups() if said), "").split() if found is not None else []
    while words and words[-1].casefold() in _BEING:  # "how my children are named", as a glossary says it
        words.pop()
    return words[-1].casefold() if words else ""


@once
def somebody_named(question: str) -> str:
    """The name of the one of whom a question asks something; empty where it names none."""
    found = _SOMEBODY[ENGLISH].search(parsed(question).gloss.replace("’", "'")) if len(question) <= _LONGEST else None
    return next((said for said in found.groups() if said), "") if found is not None else ""


@once
def told_plainly(text: str) -> str:
    """What a message tells, without what it asks; the whole of one that only asks."""
    if "?" not in text:
        return text
    return " ".join(one.text for one in parsed(text).sentences if not one.text.endswith("?")) or text


def _without_end(said: str, language: str) -> str:
    closed = _CLOSES[language].sub("", said)
    if closed != said and language in _SLIPPED.names() and _AGAIN.search(said):
        closed = _SLIPPED[language].sub(lambda found: f"{found[1]} {_PRESENT[found[2].lower()]} ", closed)
    return closed


def _whole(said: str) -> str:
    """A question as it is written: with a capital and its mark."""
    said = said.rstrip(" .!,;")
    return said[:1].upper() + said[1:] + ("" if said.endswith(("?", "？")) else "?")
