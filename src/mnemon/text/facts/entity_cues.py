"""Words that say what kind of thing a capitalised name beside them is.

Owns the cue lists of entity finding: endings ("... University"), words before ("in", "met"), words after
("said", "project"), and capitalised words that name nothing. Knows no names itself (see gazetteer).
Invariant: all entries are lower case, and a cue never decides against an alias the caller knows.
"""

from __future__ import annotations

from typing import Final

from mnemon.text.words.lexicon import page

_PAGE: Final = page("entities")

# The last word of a name, by kind.
ENDINGS: Final = _PAGE.labelled("endings")
STARTS: Final = _PAGE.labelled("starts")
HONORIFICS: Final = _PAGE.words("honorifics")
KIN: Final = _PAGE.words("kin")
PERSON_BEFORE: Final = KIN | _PAGE.words("person_before")
PERSON_AFTER: Final = _PAGE.words("person_after")
LOCATION_BEFORE: Final = _PAGE.words("location_before")
MOTION: Final = _PAGE.words("motion")
SPEECH: Final = _PAGE.words("speech")
WORK: Final = _PAGE.words("work")
COMPANY: Final = _PAGE.words("company")
ORGANIZATION_BEFORE: Final = _PAGE.words("organization_before")
TECHNOLOGY_BEFORE: Final = _PAGE.words("technology_before")
PROJECT_NEAR: Final = _PAGE.words("project_near")
CONCEPTS: Final = _PAGE.words("concepts")
ROLES: Final = _PAGE.words("roles")
# Capitalised only because a sentence starts, or for emphasis.
PLAIN: Final = _PAGE.words("plain")
CALENDAR: Final = _PAGE.words("calendar")
# Written in capitals without being a name.
LOUD: Final = _PAGE.words("loud")
