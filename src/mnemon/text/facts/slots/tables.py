"""Tables behind the slot finder: attribute names and their synonyms, verbs that state or change a slot, cue words.

Data only. Which attributes hold one value at a time, which words mean the same attribute, which phrases say that
something changed or that the speaker does not vouch for it.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from mnemon.text.words.lexicon import words

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
MANY_VALUED: Final = words(
    "hobby interest skill friend colleague coworker child kid son daughter pet dog cat sister brother sibling"
    " parent allergy feature requirement project task member team stakeholder advantage benefit plan idea"
    " reason example experience problem issue challenge part thing way support motivation dream story feedback"
    " insight dialogue discussion commitment openness anecdote emotion reflection one favorite favourite"
    " friends goal objective aim art thought"
)

# Words that are the whole of a noun phrase in front of a value ("deadline of April 5").
ATTRIBUTE_NOUNS: Final = words(
    "deadline budget quota limit price cost salary income version status rate target goal score coverage"
    " accuracy size number count total amount capacity duration length weight height age time date rating"
    " balance latency speed temperature percentage share fee rent wage bonus timeout port threshold interval"
    " schedule"
)

# Nouns that a number after them tells apart: "version 2.4", "floor 3". The noun is the attribute, the number its value.
NUMBERED: Final = words("version release level tier floor room gate platform port stage phase grade row seat track")

# verb (any form, by base) -> slot of the subject; value follows one of the prepositions
PLACE_VERBS: Final = {
    "live": "city", "reside": "city", "settle": "city", "relocate": "city", "move": "city",
}  # fmt: skip
CHANGE_VERBS: Final = words(
    "change update increase decrease grow rise drop fall improve reduce extend shorten raise lower move"
    " reschedule postpone push shift bump cut adjust revise switch upgrade downgrade migrate convert transition"
    " evolve expand set reset reach hit bring climb jump double replace rename promote advance delay transfer"
    " modify amend swap turn go come boost drop slash slip trim climb"
)
TOOL_VERBS: Final = words("use adopt choose pick employ deploy")
LIKING_VERBS: Final = {
    "like": 1, "love": 1, "enjoy": 1, "adore": 1, "prefer": 1, "appreciate": 1, "favor": 1, "favour": 1, "fancy": 1,
    "crave": 1, "embrace": 1, "dislike": -1, "hate": -1, "avoid": -1, "detest": -1, "loathe": -1, "despise": -1,
    "distrust": -1,
}  # fmt: skip
OWNING_VERBS: Final = words("have own possess keep contain include hold")
RATE_VERBS: Final = words("cost weigh last earn charge")

DIETS: Final = words("vegetarian vegan pescatarian omnivore keto paleo gluten-free kosher halal carnivore")
RELATIONSHIPS: Final = words("married single engaged divorced widowed separated")
STATUSES: Final = words(
    "done complete completed finished blocked pending open closed live broken fixed ready cancelled canceled"
    " delayed approved rejected active inactive paused running stopped resolved unresolved merged deployed"
    " released planned started stalled shipped archived enabled disabled online offline available unavailable"
    " sold expired draft"
)
ROLE_ENDINGS: Final = ("er", "or", "ist", "ian", "eer", "ant", "man", "woman", "ess", "ee", "ic")
ROLES: Final = words(
    "nurse chef ceo cto cfo coo student intern analyst architect lead head president vp clerk judge pilot"
    " coach freelancer founder cofounder co-founder consultant scientist athlete attorney assistant associate"
    " agent dean specialist technician veterinarian vet cook host guide guard spy soldier barista banker"
)
NO_ROLES: Final = words(
    "number letter computer laptop winter summer dinner weather paper offer order matter chapter reader"
    " believer member user winner other mother father brother sister daughter flower power tower corner bummer"
    " disaster reminder factor beginner eater lover owner supporter character sucker keeper killer blocker"
    " leader filter server router container parameter layer buffer pointer counter cover error color flavor"
    " favor mirror monitor instructor vector editor fan person want plant restaurant giant infant elephant"
    " tourist twist list mist fist"
)

CHANGE_CUES: Final = words(
    "now currently anymore instead updated update changed switched moved replaced actually nowadays lately"
    " recently rescheduled postponed correction newly new formerly previously evolved transitioned reconsidered"
    " upgraded migrated increased decreased grown reduced raised lowered extended shifted promoted became"
    " latest again"
)
CHANGE_PHRASES: Final = frozenset((
    ("no", "longer"), ("used", "to"), ("not", "anymore"), ("instead", "of"), ("from", "now"), ("as", "of"),
    ("switched", "to"), ("changed", "to"), ("moved", "to"), ("up", "to"), ("rather", "than"), ("any", "more"),
))  # fmt: skip
# The speaker does not vouch for it at all, or says it must not count.
DISOWNED: Final = words("unverified rumor rumour rumored rumoured unconfirmed unauthorized unofficial hypothetical")
DISOWNING_PHRASES: Final = frozenset((
    ("not", "override"), ("not", "authoritative"), ("not", "replace"), ("not", "supersede"),
    ("not", "official"), ("not", "confirmed"),
))  # fmt: skip
# Words that weaken only what comes after them.
UNSURE: Final = words("allegedly supposedly apparently tentatively maybe perhaps possibly might if whether")
UNSURE_PHRASES: Final = frozenset((
    ("i", "heard"), ("user", "heard"), ("what", "if"), ("not", "sure"), ("thinking", "of"), ("thinking", "about"),
    ("could", "be"), ("targeting", "a"), ("target", "of"), ("aiming", "for"), ("goal", "of"),
))  # fmt: skip
# What follows, up to the next comma, is meant to be and is not yet.
INTENDING: Final = words("should ought")
INTENDING_PHRASES: Final = frozenset((
    *((verb, "to") for verb in words("want wants hope hopes hoping plan plans planning intend intends wish wishes")),
    ("would", "like"), ("would", "love"), ("dreams", "of"), ("dream", "of"), ("dreaming", "of"),
))  # fmt: skip


@cache
def canonical_attributes() -> dict[str, str]:
    """Attribute phrase to canonical name."""
    return {phrase: name for name, phrases in _SYNONYMS.items() for phrase in phrases.split("|")}


TELLING_VERBS: Final = frozenset((*LIKING_VERBS, *TOOL_VERBS, *OWNING_VERBS, *RATE_VERBS, *CHANGE_VERBS)) | words(
    "live reside work join hire employ leave quit start become promote turn drive bear marry report"
)
"""Verbs that can state a slot; any other need not be looked at."""
