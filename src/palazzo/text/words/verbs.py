"""English verb forms as data, and the two inflections the text room needs: third person and form lookup.

Owns the list of common verbs and the irregular forms; knows nothing about sentences. A word outside the list is not
"no verb": callers decide what an unknown word is. Invariant: `forms_of` answers from one table built on first use,
so importing this module costs nothing.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from palazzo.text.words.lexicon import page

_PAGE: Final = page("verbs")

BASE: Final = 1
THIRD: Final = 2
PAST: Final = 4
PARTICIPLE: Final = 8
GERUND: Final = 16
NOUNISH: Final = 32  # the same letters are also a common noun or adjective, so the word alone proves nothing

_REGULAR: Final = _PAGE.words("regular")

_IRREGULAR: Final = _PAGE.in_order("irregular")

# Base forms that stand for nouns or adjectives at least as often as for verbs.
_NOUNISH_BASES: Final = _PAGE.words("nounish_bases")

_DOUBLED: Final = _PAGE.words("doubled")
_VOWELS: Final = "aeiou"


def third_person(base: str) -> str:
    """The present-tense form that goes with he, she and it: work, works; try, tries; have, has."""
    if base == "be":
        return "is"
    if base == "have":
        return "has"
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    if base.endswith("y") and len(base) > 1 and base[-2] not in _VOWELS:
        return base[:-1] + "ies"
    return base + "s"


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in _VOWELS:
        return base[:-1] + "ied"
    if base in _DOUBLED:
        return base + base[-1] + "ed"
    return base + "ed"


def _gerund(base: str) -> str:
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")) and base != "be":
        return base[:-1] + "ing"
    if base in _DOUBLED:
        return base + base[-1] + "ing"
    return base + "ing"


@cache
def verb_table() -> dict[str, tuple[str, int]]:
    """Every known form, mapped to its base and its form bits."""
    table: dict[str, tuple[str, int]] = {}

    def put(word: str, base: str, bits: int) -> None:
        known = table.get(word)
        if known is None:
            table[word] = (base, bits)
        elif known[0] == base or bits & BASE:
            table[word] = (base if bits & BASE else known[0], known[1] | bits)
        else:
            table[word] = (known[0], known[1] | bits)

    for base in _REGULAR:
        extra = NOUNISH if base in _NOUNISH_BASES else 0
        put(base, base, BASE | extra)
        put(third_person(base), base, THIRD | extra)
        put(_past(base), base, PAST | PARTICIPLE)
        put(_gerund(base), base, GERUND)
    for row in _IRREGULAR:
        base, past, participle = row.split()
        extra = NOUNISH if base in _NOUNISH_BASES else 0
        put(base, base, BASE | extra)
        put(third_person(base), base, THIRD | extra)
        put(past, base, PAST | (NOUNISH if past in _NOUNISH_BASES else 0))
        put(participle, base, PARTICIPLE)
        put(_gerund(base), base, GERUND)
    return table


def forms_of(word: str) -> int:
    """Form bits of a lower-case word, or 0 when it is not a verb this module knows."""
    found = verb_table().get(word)
    return found[1] if found else 0


def base_of(word: str) -> str:
    """Base form of a known verb form; the word itself when unknown."""
    found = verb_table().get(word)
    return found[0] if found else word
