"""Tables behind the slot finder: attribute names and their synonyms, verbs that state or change a slot, cue words.

Data only. Which attributes hold one value at a time, which words mean the same attribute, which phrases say that
something changed or that the speaker does not vouch for it.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from mnemon.text.words.lexicon import page

_PAGE: Final = page("slots")

# canonical name: words that mean it
_SYNONYMS: Final = {
    "name": "name|full name|first name",
    "role": "role|job title|title|position|occupation|profession|job|job role|current role|job position",
    "employer": "employer|company|workplace|current employer|firm|place of work",
    "city": "city|home city|residence|current city|place of residence|location|home|current location",
    "age": "age",
    "birthday": "birthday|birth date|birthdate|date of birth|dob",
    "phone": "phone|phone number|cell|cell number|mobile|mobile number|telephone|telephone number",
    "email": "email|email address|e-mail|mail address",
    "address": "address|home address|street address",
    "income": "income|salary|pay|wage|monthly income|annual income|monthly salary|yearly salary|annual salary",
    "partner": "partner|spouse|wife|husband|girlfriend|boyfriend|fiancé|fiancée|fiance|fiancee",
    "relationship": "relationship status|marital status",
    "diet": "diet|dietary preference|eating habits",
    "deadline": "deadline|due date|cutoff|cut-off|target date|submission date",
    "status": "status|state|current status|condition",
    "budget": "budget|spending limit",
    "price": "price|cost|fee",
    "car": "car|vehicle",
    "target": "target",
    "language": "language|preferred language|native language",
    "version": "version",
    "time": "time|start time|schedule|date|meeting time|date and time",
    "owner": "owner|assignee|responsible person|person in charge",
    "manager": "manager|boss|supervisor|line manager",
}

# Attributes of which a thing or a person has several at once, so a second value does not replace the first.
MANY_VALUED: Final = _PAGE.words("many_valued")

# Words that are the whole of a noun phrase in front of a value ("deadline of April 5").
ATTRIBUTE_NOUNS: Final = _PAGE.words("attribute_nouns")

# Nouns that a number after them tells apart: "version 2.4", "floor 3". The noun is the attribute, the number its value.
NUMBERED: Final = _PAGE.words("numbered")

# verb (any form, by base) -> slot of the subject; value follows one of the prepositions
PLACE_VERBS: Final = {
    "live": "city", "reside": "city", "settle": "city", "relocate": "city", "move": "city",
}  # fmt: skip
CHANGE_VERBS: Final = _PAGE.words("change_verbs")
TOOL_VERBS: Final = _PAGE.words("tool_verbs")
LIKING_VERBS: Final = {
    "like": 1, "love": 1, "enjoy": 1, "adore": 1, "prefer": 1, "appreciate": 1, "favor": 1, "favour": 1, "fancy": 1,
    "crave": 1, "embrace": 1, "dislike": -1, "hate": -1, "avoid": -1, "detest": -1, "loathe": -1, "despise": -1,
    "distrust": -1,
}  # fmt: skip
OWNING_VERBS: Final = _PAGE.words("owning_verbs")
RATE_VERBS: Final = _PAGE.words("rate_verbs")

DIETS: Final = _PAGE.words("diets")
RELATIONSHIPS: Final = _PAGE.words("relationships")
STATUSES: Final = _PAGE.words("statuses")
ROLE_ENDINGS: Final = ("er", "or", "ist", "ian", "eer", "ant", "man", "woman", "ess", "ee", "ic")
ROLES: Final = _PAGE.words("roles")
NO_ROLES: Final = _PAGE.words("no_roles")

CHANGE_CUES: Final = _PAGE.words("change_cues")
CHANGE_PHRASES: Final = frozenset((
    ("no", "longer"), ("used", "to"), ("not", "anymore"), ("instead", "of"), ("from", "now"), ("as", "of"),
    ("switched", "to"), ("changed", "to"), ("moved", "to"), ("up", "to"), ("rather", "than"), ("any", "more"),
))  # fmt: skip
# The speaker does not vouch for it at all, or says it must not count.
DISOWNED: Final = _PAGE.words("disowned")
DISOWNING_PHRASES: Final = frozenset((
    ("not", "override"), ("not", "authoritative"), ("not", "replace"), ("not", "supersede"),
    ("not", "official"), ("not", "confirmed"),
))  # fmt: skip
# Words that weaken only what comes after them.
UNSURE: Final = _PAGE.words("unsure")
UNSURE_PHRASES: Final = frozenset((
    ("i", "heard"), ("user", "heard"), ("what", "if"), ("not", "sure"), ("thinking", "of"), ("thinking", "about"),
    ("could", "be"), ("targeting", "a"), ("target", "of"), ("aiming", "for"), ("goal", "of"),
))  # fmt: skip
# What follows, up to the next comma, is meant to be and is not yet.
INTENDING: Final = _PAGE.words("intending")
INTENDING_PHRASES: Final = frozenset((
    *((verb, "to") for verb in _PAGE.words("intending_phrases")),
    ("would", "like"), ("would", "love"), ("dreams", "of"), ("dream", "of"), ("dreaming", "of"),
))  # fmt: skip


@cache
def canonical_attributes() -> dict[str, str]:
    """Attribute phrase to canonical name."""
    return {phrase: name for name, phrases in _SYNONYMS.items() for phrase in phrases.split("|")}


TELLING_VERBS: Final = frozenset((*LIKING_VERBS, *TOOL_VERBS, *OWNING_VERBS, *RATE_VERBS, *CHANGE_VERBS)) | _PAGE.words(
    "telling_verbs"
)
"""Verbs that can state a slot; any other need not be looked at."""
