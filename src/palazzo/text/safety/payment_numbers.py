"""Card numbers and bank details in prose.

Owns: which runs of digits are a payment card (issuer prefix, length, Luhn), an IBAN (mod 97), or an account or
routing number named as such. A number that fails its own check is never reported, so order numbers and
timestamps pass. Owns the check digits of published number schemes too: each takes the compact form, and a wrong length
is an ordinary `False`. Knows nothing of what becomes of a finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from palazzo.text.words.lexicon import EVERY_LANGUAGE, Patterns, page

_PAGE: Final = page("secrets", EVERY_LANGUAGE)
_PATTERNS: Final = Patterns("secrets", "payments", flags=re.IGNORECASE)
_IBAN_LENGTHS: Final = {one[:2]: int(one[2:]) for one in _PAGE.words("iban_lengths")}
_LUHN_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)

# Verhoeff's check is a product in the dihedral group of the pentagon, after a permutation for each place.
_VERHOEFF_PRODUCT = tuple(
    tuple((a + b if a < 5 else a - b) % 5 + 5 * ((a < 5) != (b < 5)) for b in range(10)) for a in range(10)
)
_VERHOEFF_SHIFT = [tuple(range(10)), (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)]
while len(_VERHOEFF_SHIFT) < 8:
    _VERHOEFF_SHIFT.append(tuple(_VERHOEFF_SHIFT[-1][n] for n in _VERHOEFF_SHIFT[1]))


def luhn(digits: str) -> bool:
    """Whether the last digit is the Luhn (mod 10) check of the rest; a string of zeros is not a number."""
    if not digits.isdecimal() or not digits.strip("0"):
        return False
    total = 0
    for index, character in enumerate(reversed(digits)):
        value = int(character)
        total += _LUHN_DOUBLED[value] if index % 2 else value
    return total % 10 == 0


def verhoeff(digits: str) -> bool:
    """Whether the last digit is the Verhoeff check of the rest (Aadhaar)."""
    if not digits.isdecimal():
        return False
    check = 0
    for index, character in enumerate(reversed(digits)):
        check = _VERHOEFF_PRODUCT[check][_VERHOEFF_SHIFT[index % 8][int(character)]]
    return check == 0


def weighted(digits: str, weights: Sequence[int]) -> int:
    """The sum of each digit times its weight; the shorter of the two ends it."""
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def iban(compact: str) -> bool:
    """Whether the text is an IBAN: a registered country, its length, and ISO 7064 mod 97 = 1."""
    compact = compact.upper()
    if not (compact.isascii() and compact.isalnum()) or _IBAN_LENGTHS.get(compact[:2]) != len(compact):
        return False
    if not compact[2:4].isdecimal():
        return False
    rearranged = compact[4:] + compact[:4]
    return int("".join(str(int(character, 36)) for character in rearranged)) % 97 == 1


def aba_routing(digits: str) -> bool:
    """Whether nine digits are a US bank routing number (Federal Reserve prefix and the 3-7-1 check)."""
    if len(digits) != 9 or not digits.isdecimal():
        return False
    prefix = int(digits[:2])
    if not (prefix <= 12 or 21 <= prefix <= 32 or 61 <= prefix <= 72 or prefix == 80):
        return False
    return bool(digits.strip("0")) and weighted(digits, (3, 7, 1) * 3) % 10 == 0


def mod_11_10(digits: str) -> bool:
    """Whether ISO 7064 mod 11,10 holds (German tax number, Croatian OIB)."""
    if not digits.isdecimal():
        return False
    product = 10
    for character in digits[:-1]:
        total = (int(character) + product) % 10 or 10
        product = total * 2 % 11
    return (11 - product) % 10 == int(digits[-1])


def day_and_month(day: str, month: str) -> bool:
    """Whether two numerals can be a day and a month; February is not held to its own length."""
    return 1 <= int(day) <= 31 and 1 <= int(month) <= 12


_CARD_WORD_REACH = 48

# Groups as they are printed on cards and typed by people; one group is a number typed without breaks.
_CARD_GROUPINGS = frozenset(tuple(map(int, one.split("-"))) for one in _PAGE.words("card_groupings"))


def card_issuer(digits: str) -> str:
    """The card network by issuer prefix and length, or an empty string."""
    size, two, four, six = len(digits), int(digits[:2]), int(digits[:4]), int(digits[:6])
    if digits[0] == "4" and size in (13, 16, 19):
        return "visa"
    if size == 16 and (51 <= two <= 55 or 2221 <= four <= 2720):
        return "mastercard"
    if size == 15 and two in (34, 37):
        return "amex"
    if size == 14 and (300 <= int(digits[:3]) <= 305 or two in (36, 38, 39)):
        return "diners"
    if size in (16, 19) and (four == 6011 or 644 <= int(digits[:3]) <= 649 or two == 65 or 622126 <= six <= 622925):
        return "discover"
    if (size in (16, 19) and 3528 <= four <= 3589) or (size == 15 and four in (2131, 1800)):
        return "jcb"
    if 16 <= size <= 19 and two == 62:
        return "unionpay"
    if size == 16 and 2200 <= four <= 2204:
        return "mir"
    if 12 <= size <= 19 and (two == 50 or 56 <= two <= 69):
        return "maestro"
    return ""


def find_cards(text: str) -> Iterator[tuple[int, int]]:
    """The spans of Luhn-valid card numbers."""
    for run in _PATTERNS["digit_groups"].finditer(text):
        groups = [(match.start(), match.end()) for match in _PATTERNS["group"].finditer(text, *run.span())]
        position = 0
        while position < len(groups):
            taken = _card_at(text, groups, position)
            if taken:
                yield groups[position][0], groups[position + taken - 1][1]
            position += taken or 1


def _card_at(text: str, groups: list[tuple[int, int]], first: int) -> int:
    """How many groups from `first` form a card number; the longest reading wins."""
    for count in (5, 4, 3, 2, 1):
        chosen = groups[first : first + count]
        if len(chosen) < count:
            continue
        sizes = tuple(end - start for start, end in chosen)
        if count > 1 and (sizes not in _CARD_GROUPINGS or not _one_separator(text, chosen)):
            continue
        digits = "".join(text[start:end] for start, end in chosen)
        if 12 <= len(digits) <= 19 and _is_card(text, digits, chosen[0][0]):
            return count
    return 0


def _one_separator(text: str, groups: list[tuple[int, int]]) -> bool:
    return len({text[left[1] : right[0]] for left, right in pairwise(groups)}) == 1


def _is_card(text: str, digits: str, start: int) -> bool:
    if not digits.isascii() or not luhn(digits) or len(set(digits)) < 2:
        return False
    issuer = card_issuer(digits)
    # Twelve- and thirteen-digit numbers and unknown issuers pass Luhn one time in ten: barcodes and order
    # numbers do. They count only when the sentence speaks of a card.
    if issuer and issuer != "maestro" and len(digits) > 13:
        return True
    return _PATTERNS["card_word"].search(text, max(0, start - _CARD_WORD_REACH), start) is not None


def find_bank_details(text: str) -> Iterator[tuple[int, int, str]]:
    """The spans of IBANs, named account, routing and sort-code numbers."""
    match = _PATTERNS["iban"].search(text)
    while match is not None:
        # The candidate may run on into following words, so the next search starts where this number ends.
        length = _iban_length(match.group())
        if length:
            yield match.start(), match.start() + length, "bank_account"
        match = _PATTERNS["iban"].search(text, match.start() + (length or 2))
    if _PATTERNS["bank_word"].search(text):
        for match in _PATTERNS["account"].finditer(text):
            yield match.start(1), match.end(1), "bank_account"
        for match in _PATTERNS["routing"].finditer(text):
            if aba_routing(match.group(1)):
                yield match.start(1), match.end(1), "bank_account"
        for match in _PATTERNS["sort_code"].finditer(text):
            yield match.start(1), match.end(1), "bank_account"


def find_card_codes(text: str) -> Iterator[tuple[int, int, str]]:
    """The spans of card security codes (CVV, CVC) named as such."""
    for match in _PATTERNS["card_code"].finditer(text):
        yield match.start(1), match.end(1), "card_code"


def _iban_length(candidate: str) -> int:
    """The length of the IBAN at the start of `candidate`, spaces included; 0 when there is none."""
    wanted = _IBAN_LENGTHS.get(candidate[:2].upper(), 0)
    if not wanted:
        return 0
    seen = 0
    for index, character in enumerate(candidate):
        seen += character not in " -"
        if seen == wanted:
            following = candidate[index + 1 : index + 2]
            compact = candidate[: index + 1].replace(" ", "").replace("-", "")
            return index + 1 if not following.isalnum() and iban(compact) else 0
    return 0
