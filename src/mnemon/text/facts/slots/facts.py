"""What a frame found, and the few judgements every frame shares: who is a person, what is a job.

Owns the intermediate value between the frames and `SlotFact`. Knows no frame.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from mnemon.text.facts.slots.tables import NO_ROLES, ROLE_ENDINGS, ROLES
from mnemon.text.words.grammar import NAME, SUBJ, Tokens

_PRONOUNS = {
    "i": "the user",
    "we": "the user",
    "he": "he",
    "she": "she",
    "they": "they",
    "it": "",
    "you": "the assistant",
}


@dataclass(frozen=True, slots=True)
class Found:
    """One slot as a frame read it; `first` and `last` are the tokens of the value."""

    subject: str
    predicate: str
    value: str
    first: int
    last: int
    confidence: float
    functional: bool = True
    negated: bool = False
    changed: bool = False
    old_value: str | None = None

    def at_verb(self, *, negated: bool) -> Found:
        """The same fact under a verb that may be negated."""
        return replace(self, negated=True) if negated else self


def subject_text(tokens: Tokens, first: int, last: int) -> str:
    """The subject in the range as it would be called: pronouns resolved to the user, clitics cut."""
    low = tokens.lower[last - 1]
    if tokens.bits[last - 1] & SUBJ and last - first == 1:
        return _PRONOUNS.get(low.partition("'")[0], "")
    text = tokens.text[tokens.starts[first] : tokens.ends[last - 1]]
    if tokens.lower[first] in ("my", "our"):
        text = "the user's" + text[len(tokens.words[first]) :]
    for ending in ("'s", "’s"):
        text = text.removesuffix(ending)
    lowered = text.lower()
    return "the user" if lowered in ("the user", "the user and others") else text


def person_of(subject: str) -> bool:
    """Whether the subject of a verb reads as one person."""
    if subject in ("the user", "he", "she", "the assistant"):
        return True
    words = subject.split()
    if any(word in ("with", "of", "for", "in", "at", "on", "about") for word in words):
        return False
    return 0 < len(words) <= 4 and words[-1][:1].isupper() and (words[0][:1].isupper() or words[0] == "the")


def is_role(tokens: Tokens, first: int, last: int) -> bool:
    """Whether the words name what a person does for a living."""
    for at in range(first, min(last, first + 6)):
        low = tokens.lower[at]
        if low in ("of", "at", "for", "in", "with", "who"):
            break
        if low in ROLES:
            return True
        if len(low) > 4 and low.endswith(ROLE_ENDINGS) and low not in NO_ROLES and not tokens.bits[at] & NAME:
            ends_phrase = at + 1 >= last or tokens.lower[at + 1] in ("of", "at", "for", "in", "and", "with", ",")
            if ends_phrase:
                return True
    return False
