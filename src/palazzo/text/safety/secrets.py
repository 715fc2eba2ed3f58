"""What must never reach the store: credentials, card numbers, bank details, national identity numbers.

Composes the finders of this room behind cheap tests, so that an ordinary sentence costs a few microseconds. A finding
names the place and the class of a secret, never its value; `redact` puts the class in its place. Personal data that may
be kept (addresses, telephone numbers) belongs to `personal`.

Owns the schemes of national identity, social insurance and tax numbers: how a number is written, whether its own check
holds, and which words must stand near it. A scheme whose shape and check are rare enough in ordinary text needs no
word; one that any order number could satisfy (nine digits, one check digit in ten) counts only beside its name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from itertools import pairwise
from typing import Final, Generic, TypeVar

import msgspec

from palazzo.text.safety.credentials import find_credentials, looks_generated
from palazzo.text.safety.payment_numbers import (
    day_and_month,
    find_bank_details,
    find_card_codes,
    find_cards,
    luhn,
    mod_11_10,
    verhoeff,
    weighted,
)
from palazzo.text.safety.told_secrets import find_told_secrets
from palazzo.text.words.lexicon import EVERY_LANGUAGE, page
from palazzo.text.words.marks import WordGroups
from palazzo.text.words.remembered import kept_in

_NEARBY = 60  # characters before the number in which its name must stand; 20 after

_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_HETU_CHARACTERS = "0123456789ABCDEFHJKLMNPRSTUVWXY"
_NINO_BAD_PREFIXES = frozenset({"BG", "GB", "NK", "KN", "TN", "NT", "ZZ"})
_FISCAL_ODD = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (
            *(1, 0, 5, 7, 9, 13, 15, 17, 19, 21),
            *(1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
        ),
        strict=True,
    )
)


def us_ssn(digits: str) -> bool:
    """Whether nine digits can be a US social security number: no reserved area, group or serial."""
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    return area not in ("000", "666") and area < "900" and group != "00" and serial != "0000"


def _us_itin(digits: str) -> bool:
    return digits[0] == "9" and (50 <= int(digits[3:5]) <= 65 or 70 <= int(digits[3:5]) <= 99)


def _uk_nino(compact: str) -> bool:
    return compact[:2].upper() not in _NINO_BAD_PREFIXES


def _uk_nhs(digits: str) -> bool:
    return (11 - weighted(digits, range(10, 1, -1)) % 11) % 11 == int(digits[9]) and bool(digits.strip("0"))


def _fr_nir(compact: str) -> bool:
    body = compact[:13].upper().replace("2A", "19").replace("2B", "18")
    return body.isdecimal() and 97 - int(body) % 97 == int(compact[13:])


def _es_dni(compact: str) -> bool:
    number = compact[:-1].upper().replace("X", "0").replace("Y", "1").replace("Z", "2")
    return _DNI_LETTERS[int(number) % 23] == compact[-1].upper()


def _it_codice_fiscale(compact: str) -> bool:
    compact = compact.upper()
    total = sum(_FISCAL_ODD[character] for character in compact[0:15:2])
    for character in compact[1:15:2]:
        total += int(character) if character.isdecimal() else ord(character) - ord("A")
    return chr(ord("A") + total % 26) == compact[15]


def _nl_bsn(digits: str) -> bool:
    return bool(digits.strip("0")) and weighted(digits, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def _be_national(digits: str) -> bool:
    check = int(digits[9:])
    return check in (97 - int(digits[:9]) % 97, 97 - int("2" + digits[:9]) % 97)


def _se_personnummer(digits: str) -> bool:
    short = digits[-10:]
    day = int(short[4:6])
    return day_and_month(str(day - 60 if day > 60 else day), short[2:4]) and luhn(short)


def _no_fodselsnummer(digits: str) -> bool:
    if not day_and_month(digits[:2], digits[2:4]):
        return False
    first = weighted(digits, (3, 7, 6, 1, 8, 9, 4, 5, 2, 1)) % 11
    return first == 0 and weighted(digits, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0


def _dk_cpr(digits: str) -> bool:
    return day_and_month(digits[:2], digits[2:4])


def _fi_hetu(compact: str) -> bool:
    number = compact[:6] + compact[7:10]
    return day_and_month(compact[:2], compact[2:4]) and _HETU_CHARACTERS[int(number) % 31] == compact[10]


def _pl_pesel(digits: str) -> bool:
    month = int(digits[2:4]) % 20
    return day_and_month(digits[4:6], str(month)) and (weighted(digits, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0)


def _ch_ahv(digits: str) -> bool:
    return weighted(digits, (1, 3) * 6 + (1,)) % 10 == 0


def _br_cpf(digits: str) -> bool:
    if len(set(digits)) == 1:
        return False
    first = weighted(digits[:9], range(10, 1, -1)) * 10 % 11 % 10
    second = weighted(digits[:10], range(11, 1, -1)) * 10 % 11 % 10
    return digits[9:] == f"{first}{second}"


def _cn_resident(compact: str) -> bool:
    if not day_and_month(compact[12:14], compact[10:12]):
        return False
    total = weighted(compact[:17], (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2))
    return "10X98765432"[total % 11] == compact[17].upper()


def _jp_my_number(digits: str) -> bool:
    total = weighted(digits[:11], (6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return (0 if total <= 1 else 11 - total) == int(digits[11]) and bool(digits.strip("0"))


def _kr_rrn(digits: str) -> bool:
    return day_and_month(digits[4:6], digits[2:4])


def _sg_nric(compact: str) -> bool:
    compact = compact.upper()
    total = weighted(compact[1:8], (2, 7, 6, 5, 4, 3, 2)) + {"T": 4, "G": 4, "M": 3}.get(compact[0], 0)
    letters = {"S": "JZIHGFEDCBA", "T": "JZIHGFEDCBA", "M": "KLJNPQRTUWX"}.get(compact[0], "XWUTRQPNMLK")
    remainder = 10 - total % 11 if compact[0] == "M" else total % 11
    return letters[remainder] == compact[8]


def _au_tfn(digits: str) -> bool:
    return bool(digits.strip("0")) and weighted(digits, (1, 4, 3, 7, 5, 8, 6, 9, 10)) % 11 == 0


def _za_id(digits: str) -> bool:
    return day_and_month(digits[4:6], digits[2:4]) and luhn(digits)


def _tr_kimlik(digits: str) -> bool:
    odd, even = sum(map(int, digits[0:9:2])), sum(map(int, digits[1:8:2]))
    tenth = (odd * 7 - even) % 10
    return tenth == int(digits[9]) and (odd + even + tenth) % 10 == int(digits[10])


def _always(_compact: str) -> bool:
    return True


_CHECKS: Final[Mapping[str, Callable[[str], bool]]] = {
    "us_ssn": us_ssn, "us_itin": _us_itin, "uk_nino": _uk_nino, "uk_nhs": _uk_nhs, "ca_sin": luhn, "fr_nir": _fr_nir,
    "es_dni": _es_dni, "it_codice_fiscale": _it_codice_fiscale, "de_tax_id": mod_11_10, "nl_bsn": _nl_bsn,
    "be_national": _be_national, "se_personnummer": _se_personnummer, "no_fodselsnummer": _no_fodselsnummer,
    "dk_cpr": _dk_cpr, "fi_hetu": _fi_hetu, "pl_pesel": _pl_pesel, "ch_ahv": _ch_ahv, "br_cpf": _br_cpf,
    "cn_resident": _cn_resident, "in_aadhaar": verhoeff, "jp_my_number": _jp_my_number, "kr_rrn": _kr_rrn,
    "sg_nric": _sg_nric, "au_tfn": _au_tfn, "mx_curp": _always, "za_id": _za_id, "tr_kimlik": _tr_kimlik,
}  # fmt: skip

_SEPARATORS = str.maketrans("", "", " .-")
_KEEPS_SEPARATOR = frozenset({"fi_hetu"})


@cache
def _schemes() -> tuple[tuple[str, re.Pattern[str], re.Pattern[str] | None], ...]:
    """Of each country's number its name, its shape with no letter or digit on either side, and the words it needs."""
    return tuple(
        (
            row["name"],
            re.compile(rf"(?<![\w.-])(?:{row['shape']})(?![\w-]|\.\d)", re.ASCII),
            re.compile(row["words"], re.IGNORECASE) if "words" in row else None,
        )
        for row in _SHAPES.rows("national")
    )


def find_national_ids(text: str) -> Iterator[tuple[int, int]]:
    """The spans of identity numbers whose shape, check and neighbouring words all agree."""
    for name, shape, words in _schemes():
        for match in shape.finditer(text):
            value = match.group()
            compact = value if name in _KEEPS_SEPARATOR else value.translate(_SEPARATORS).replace("+", "")
            if _CHECKS[name](compact) and (words is None or _stands_near(words, text, match)):
                yield match.start(), match.end()


def _stands_near(words: re.Pattern[str], text: str, match: re.Match[str]) -> bool:
    start = max(0, match.start() - _NEARBY)
    return words.search(text[start : match.start()]) is not None or (
        words.search(text[match.end() : match.end() + 20]) is not None
    )


_SHAPES = page("secrets", EVERY_LANGUAGE)


@cache
def _shapes() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Reason and marks of every row."""
    return tuple((row["reason"], tuple(row["marks"].split())) for row in _SHAPES.rows("shapes"))


@cache
def _every_mark() -> tuple[str, ...]:
    return tuple(dict.fromkeys(mark for _, marks in _shapes() for mark in marks))


@cache
def _shape_pattern(index: int) -> re.Pattern[str]:
    """The pattern of one row, compiled on first need; it may not start in the middle of a longer word."""
    return re.compile(rf"(?<![A-Za-z0-9]){_SHAPES.rows('shapes')[index]['pattern']}", re.ASCII)


def find_vendor_credentials(text: str) -> Iterator[tuple[int, int, str]]:
    """The spans and reasons of everything in `text` that has a vendor's published shape.

    A shape is looked at when one of its marks stands in the text, so a sentence without any costs a few substring
    tests. Where a prefix is also the start of ordinary names the part called `body` must look generated.
    """
    if not any(map(text.__contains__, _every_mark())):
        return
    for index, (reason, marks) in enumerate(_shapes()):
        if any(map(text.__contains__, marks)):
            for match in _shape_pattern(index).finditer(text):
                if "body" in match.re.groupindex and not looks_generated(match["body"]):
                    continue
                yield match.start(), match.end(), reason


# The shortest vendor credential is longer than this; ordinary words are not.
_LONG_WORD = 16
_MOST_CLEAN: Final = 8192

# Six digits at most two characters apart: the shortest number the finders below accept.
_DIGITS = re.compile(r"[0-9](?:[^0-9]{0,2}[0-9]){5}")
_CARD_CODE_MARKS = WordGroups(("cvv", "cvc", "cvn", "security code", "verification"))

# Full-width letters and digits, typographic dashes and spaces, one character for one, so spans stay true.
_FOLD = {0xFF01 + offset: 0x21 + offset for offset in range(94)} | dict.fromkeys(range(0x2010, 0x2016), ord("-"))
_FOLD |= {0x2212: ord("-"), 0x00A0: ord(" "), 0x2007: ord(" "), 0x2009: ord(" "), 0x202F: ord(" "), 0x3000: ord(" ")}


class Secret(msgspec.Struct, frozen=True):
    """Where a secret stands and which class it has; the value itself is not kept."""

    start: int
    end: int
    reason: str


F = TypeVar("F")


class Clean(Generic[F]):
    """Digests of texts in which nothing was found, since what is told is looked at again as it is written; no text is
    kept, and of one with a finding nothing at all."""

    def __init__(self) -> None:
        self._digests: set[bytes] = set()
        kept_in(self)

    def forget(self) -> None:
        """Lets go of the digests."""
        self._digests = set()

    def look(self, text: str, find: Callable[[str], tuple[F, ...]]) -> tuple[F, ...]:
        """What is found in a text; nothing at once in one in which nothing was."""
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if digest in self._digests:
            return ()
        found = find(text)
        if not found:
            if len(self._digests) >= _MOST_CLEAN:
                self._digests = set()
            self._digests.add(digest)
        return found


def find_secrets(text: str) -> tuple[Secret, ...]:
    """Every secret in the text, in order of place, overlapping readings joined into one."""
    return _clean.look(text, _secrets_in)


def _secrets_in(text: str) -> tuple[Secret, ...]:
    plain = text if text.isascii() else text.translate(_FOLD)
    found: list[tuple[int, int, str]] = []
    longest = max(map(len, plain.split()), default=0)
    if longest >= _LONG_WORD:
        found.extend(find_vendor_credentials(plain))
    lowered = same_length_lower(plain)
    found.extend(find_credentials(plain, lowered, longest))
    found.extend(find_told_secrets(plain, lowered))
    if _CARD_CODE_MARKS.within(lowered):
        found.extend(find_card_codes(plain))
    if _DIGITS.search(plain):
        found.extend((start, end, "card_number") for start, end in find_cards(plain))
        found.extend(find_bank_details(plain))
        found.extend((start, end, "national_id") for start, end in find_national_ids(plain))
    return _joined(found) if found else ()


_clean: Final = Clean[Secret]()


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


@cache
def _joints() -> re.Pattern[str]:
    return re.compile(rf"[,;\n]\s|\s(?:{'|'.join(sorted(_SHAPES.words('and')))})\s", re.IGNORECASE)


def clause_stretches(sentence: str) -> list[tuple[int, int]]:
    """The stretches of a sentence between its commas and joining words, in whatever language; together all of it."""
    cuts = [0, *(match.start() for match in _joints().finditer(sentence)), len(sentence)]
    return [(first, last) for first, last in pairwise(cuts) if last > first]


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
