"""Tables behind the slot finder: attribute names and their synonyms, verbs that state or change a slot, cue words.

Data only. Which attributes hold one value at a time, which words mean the same attribute, which phrases say that
something changed or that the speaker does not vouch for it.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from mnemon.text.words.lexicon import page

_PAGE: Final = page("slots")


def _pairs(entry: str) -> frozenset[tuple[str, str]]:
    """Phrases of two words."""
    return frozenset((first, second) for first, second in map(str.split, _PAGE.in_order(entry)))


# Attributes of which a thing or a person has several at once, so a second value does not replace the first.
MANY_VALUED: Final = _PAGE.words("many_valued")

# Words that are the whole of a noun phrase in front of a value ("deadline of April 5").
ATTRIBUTE_NOUNS: Final = _PAGE.words("attribute_nouns")

# Nouns that a number after them tells apart: "version 2.4", "floor 3". The noun is the attribute, the number its value.
NUMBERED: Final = _PAGE.words("numbered")

# verb (any form, by base) -> slot of the subject; value follows one of the prepositions
PLACE_VERBS: Final = dict.fromkeys(_PAGE.words("place_verbs"), "city")
CHANGE_VERBS: Final = _PAGE.words("change_verbs")
TOOL_VERBS: Final = _PAGE.words("tool_verbs")
LIKING_VERBS: Final = dict.fromkeys(_PAGE.words("liking"), 1) | dict.fromkeys(_PAGE.words("disliking"), -1)
OWNING_VERBS: Final = _PAGE.words("owning_verbs")
RATE_VERBS: Final = _PAGE.words("rate_verbs")

DIETS: Final = _PAGE.words("diets")
RELATIONSHIPS: Final = _PAGE.words("relationships")
STATUSES: Final = _PAGE.words("statuses")
ROLE_ENDINGS: Final = ("er", "or", "ist", "ian", "eer", "ant", "man", "woman", "ess", "ee", "ic")
ROLES: Final = _PAGE.words("roles")
NO_ROLES: Final = _PAGE.words("no_roles")

CHANGE_CUES: Final = _PAGE.words("change_cues")
CHANGE_PHRASES: Final = _pairs("change_phrases")
# The speaker does not vouch for it at all, or says it must not count.
DISOWNED: Final = _PAGE.words("disowned")
DISOWNING_PHRASES: Final = _pairs("disowning_phrases")
# Words that weaken only what comes after them.
UNSURE: Final = _PAGE.words("unsure")
UNSURE_PHRASES: Final = _pairs("unsure_phrases")
# What follows, up to the next comma, is meant to be and is not yet.
INTENDING: Final = _PAGE.words("intending")
INTENDING_PHRASES: Final = _pairs("intending_more") | {(verb, "to") for verb in _PAGE.words("intending_phrases")}


@cache
def canonical_attributes() -> dict[str, str]:
    """Attribute phrase to canonical name."""
    return {
        " ".join(phrase.split()): name
        for name, listing in _PAGE.listings("attributes").items()
        for phrase in listing.split(",")
    }


TELLING_VERBS: Final = frozenset((*LIKING_VERBS, *TOOL_VERBS, *OWNING_VERBS, *RATE_VERBS, *CHANGE_VERBS)) | _PAGE.words(
    "telling_verbs"
)
"""Verbs that can state a slot; any other need not be looked at."""
