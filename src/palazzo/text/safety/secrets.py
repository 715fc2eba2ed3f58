"""What must never reach the store: credentials, card numbers, bank details, national identity numbers.

Composes the finders of this room behind cheap tests, so that an ordinary sentence costs a few microseconds.
A finding names the place and the class of a secret, never its value; `redact` puts the class in its place.
Personal data that may be kept (addresses, telephone numbers) belongs to `personal`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from palazzo.text.safety.credentials import find_credentials, looks_generated
from palazzo.text.safety.national_ids import find_national_ids
from palazzo.text.safety.payment_numbers import find_bank_details, find_card_codes, find_cards
from palazzo.text.words.lexicon import EVERY_LANGUAGE, page

_SHAPES = page("secrets", EVERY_LANGUAGE)


@cache
def _shapes() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Reason and marks of every row."""
    return tuple((row["reason"], tuple(row["marks"].split())) for row in _SHAPES.rows("shapes"))


@cache
def _shape_pattern(index: int) -> re.Pattern[str]:
    """The pattern of one row, compiled on first need; it may not start in the middle of a longer word."""
    return re.compile(rf"(?<![A-Za-z0-9]){_SHAPES.rows('shapes')[index]['pattern']}", re.ASCII)


def find_vendor_credentials(text: str) -> Iterator[tuple[int, int, str]]:
    """The spans and reasons of everything in `text` that has a vendor's published shape.

    A shape is looked at when one of its marks stands in the text, so a sentence without any costs a few substring
    tests. Where a prefix is also the start of ordinary names the part called `body` must look generated.
    """
    for index, (reason, marks) in enumerate(_shapes()):
        if any(mark in text for mark in marks):
            for match in _shape_pattern(index).finditer(text):
                if "body" in match.re.groupindex and not looks_generated(match["body"]):
                    continue
                yield match.start(), match.end(), reason


# The shortest vendor credential is longer than this; ordinary words are not.
_LONG_WORD = 16

# Six digits at most two characters apart: the shortest number the finders below accept.
_DIGITS = re.compile(r"[0-9](?:[^0-9]{0,2}[0-9]){5}")
_CARD_CODE_MARKS = ("cvv", "cvc", "cvn", "security code", "verification")

# Full-width letters and digits, typographic dashes and spaces, one character for one, so spans stay true.
_FOLD = {0xFF01 + offset: 0x21 + offset for offset in range(94)} | dict.fromkeys(range(0x2010, 0x2016), ord("-"))
_FOLD |= {0x2212: ord("-"), 0x00A0: ord(" "), 0x2007: ord(" "), 0x2009: ord(" "), 0x202F: ord(" "), 0x3000: ord(" ")}


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a secret stands and which class it has; the value itself is not kept."""

    start: int
    end: int
    reason: str


def find_secrets(text: str) -> tuple[Secret, ...]:
    """Every secret in the text, in order of place, overlapping readings joined into one."""
    plain = text if text.isascii() else text.translate(_FOLD)
    found: list[tuple[int, int, str]] = []
    longest = max(map(len, plain.split()), default=0)
    if longest >= _LONG_WORD:
        found.extend(find_vendor_credentials(plain))
    lowered = same_length_lower(plain)
    found.extend(find_credentials(plain, lowered, longest))
    if any(mark in lowered for mark in _CARD_CODE_MARKS):
        found.extend(find_card_codes(plain))
    if _DIGITS.search(plain):
        found.extend((start, end, "card_number") for start, end in find_cards(plain))
        found.extend(find_bank_details(plain))
        found.extend((start, end, "national_id") for start, end in find_national_ids(plain))
    return _joined(found) if found else ()


def redact(text: str, found: Sequence[Secret]) -> str:
    """The text with "[reason]" in place of each finding."""
    pieces: list[str] = []
    position = 0
    for secret in _joined((secret.start, secret.end, secret.reason) for secret in found):
        pieces.append(text[position : secret.start])
        pieces.append(f"[{secret.reason}]")
        position = secret.end
    pieces.append(text[position:])
    return "".join(pieces)


def same_length_lower(text: str) -> str:
    """Lower case of the same length; the few letters that grow in lower case stay as they are."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)


def _joined(found: Iterable[tuple[int, int, str]]) -> tuple[Secret, ...]:
    """Overlapping findings become one that covers both and carries the reason of the longer."""
    joined: list[Secret] = []
    longest = 0
    for start, end, reason in sorted(found, key=lambda item: (item[0], -item[1])):
        if joined and start < joined[-1].end:
            previous = joined[-1]
            kept = reason if end - start > longest else previous.reason
            longest = max(longest, end - start)
            joined[-1] = Secret(previous.start, max(end, previous.end), kept)
        else:
            joined.append(Secret(start, end, reason))
            longest = end - start
    return tuple(joined)
