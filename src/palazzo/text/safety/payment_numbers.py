"""Card numbers and bank details in prose.

Owns: which runs of digits are a payment card (issuer prefix, length, Luhn), an IBAN (mod 97), or an account or
routing number named as such. A number that fails its own check is never reported, so order numbers and
timestamps pass. Owns the check digits of published number schemes too: each takes the compact form, and a wrong length
is an ordinary `False`. Knows nothing of what becomes of a finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

# Registered IBAN lengths (ISO 13616 registry).
IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BI": 27, "BR": 29,
    "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28, "EE": 20, "EG": 29,
    "ES": 24, "FI": 18, "FK": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28,
    "HN": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20,
    "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19,
    "MN": 20, "MR": 27, "MT": 31, "MU": 30, "NI": 28, "NL": 18, "NO": 15, "OM": 23, "PK": 24, "PL": 28, "PS": 29,
    "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33, "SA": 24, "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24,
    "SM": 27, "SO": 23, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
    "YE": 30,
}  # fmt: skip

_LUHN_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)

_VERHOEFF_PRODUCT = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
    (1, 2, 3, 4, 0, 6, 7, 8, 9, 5),
    (2, 3, 4, 0, 1, 7, 8, 9, 5, 6),
    (3, 4, 0, 1, 2, 8, 9, 5, 6, 7),
    (4, 0, 1, 2, 3, 9, 5, 6, 7, 8),
    (5, 9, 8, 7, 6, 0, 4, 3, 2, 1),
    (6, 5, 9, 8, 7, 1, 0, 4, 3, 2),
    (7, 6, 5, 9, 8, 2, 1, 0, 4, 3),
    (8, 7, 6, 5, 9, 3, 2, 1, 0, 4),
    (9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
)
_VERHOEFF_SHIFT = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
    (1, 5, 7, 6, 2, 8, 3, 0, 9, 4),
    (5, 8, 0, 3, 7, 9, 6, 1, 4, 2),
    (8, 9, 1, 6, 0, 4, 3, 5, 2, 7),
    (9, 4, 5, 3, 1, 2, 6, 8, 7, 0),
    (4, 2, 8, 6, 5, 7, 3, 9, 0, 1),
    (2, 7, 9, 3, 8, 0, 6, 4, 1, 5),
    (7, 0, 4, 6, 9, 1, 3, 2, 5, 8),
)


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
    if not (compact.isascii() and compact.isalnum()) or IBAN_LENGTHS.get(compact[:2]) != len(compact):
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
_CARD_GROUPINGS = frozenset(
    {
        (4, 4, 4, 4),
        (4, 4, 4, 4, 3),
        (4, 4, 4, 3),
        (4, 4, 4, 2),
        (4, 4, 4, 1),
        (4, 6, 5),
        (4, 6, 4),
        (4, 5, 6),
        (6, 13),
        (8, 8),
        (4, 4, 5),
        (4, 4, 4),
        (4, 12),
        (6, 10),
    }
)


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    sources = {
        "digit_groups": r"(?<![A-Za-z0-9_.])\d{4,19}(?!\d)(?:[ .\-/_]\d{1,13}(?!\d))*",
        "group": r"\d+",
        "card_word": r"\b(?:cards?|cc|visa|master ?card|maestro|amex|american express|discover|diners|jcb|union ?pay"
        r"|credit|debit|karte|kreditkarte|carte|tarjeta|carta|cartão|pan)\b|カード|信用卡|银行卡|карт",
        "iban": r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}",
        "account": r"\b(?:account|acct|a/c|konto|kontonummer|cuenta|compte|conto|口座)\b\.?"
        r"(?:[ -]?(?:number|num|no|nummer|número|番号|#)\b\.?)?[ :#=]{0,4}(?:is |was |ist |es |est )?[ :#]{0,3}"
        r"(\d[\d -]{4,20}\d)(?![\w-])",
        "bank_word": r"\b(?:bank|checking|savings|routing|sort code|iban|swift|bic|wire transfer|direct deposit"
        r"|beneficiary|blz|payee)\b|銀行|банк|银行",
        "routing": r"\b(?:routing|aba|rtn|transit)\b\D{0,24}?(\d{9})(?!\d)",
        "sort_code": r"\bsort[ -]?code\b\D{0,16}?(\d\d[ -]?\d\d[ -]?\d\d)(?!\d)",
        "card_code": r"\b(?:cvv2?|cvc2?|cvn|card(?:['’]s)? (?:verification|security) (?:value|code|"
        r"number))\b\D{0,24}?(\d{3,4})(?!\d)",
    }
    return {name: re.compile(source, re.IGNORECASE) for name, source in sources.items()}


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
    patterns = _patterns()
    for run in patterns["digit_groups"].finditer(text):
        groups = [(match.start(), match.end()) for match in patterns["group"].finditer(text, *run.span())]
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
    return _patterns()["card_word"].search(text, max(0, start - _CARD_WORD_REACH), start) is not None


def find_bank_details(text: str) -> Iterator[tuple[int, int, str]]:
    """The spans of IBANs, named account, routing and sort-code numbers."""
    patterns = _patterns()
    match = patterns["iban"].search(text)
    while match is not None:
        # The candidate may run on into following words, so the next search starts where this number ends.
        length = _iban_length(match.group())
        if length:
            yield match.start(), match.start() + length, "bank_account"
        match = patterns["iban"].search(text, match.start() + (length or 2))
    if patterns["bank_word"].search(text):
        for match in patterns["account"].finditer(text):
            yield match.start(1), match.end(1), "bank_account"
        for match in patterns["routing"].finditer(text):
            if aba_routing(match.group(1)):
                yield match.start(1), match.end(1), "bank_account"
        for match in patterns["sort_code"].finditer(text):
            yield match.start(1), match.end(1), "bank_account"


def find_card_codes(text: str) -> Iterator[tuple[int, int, str]]:
    """The spans of card security codes (CVV, CVC) named as such."""
    for match in _patterns()["card_code"].finditer(text):
        yield match.start(1), match.end(1), "card_code"


def _iban_length(candidate: str) -> int:
    """The length of the IBAN at the start of `candidate`, spaces included; 0 when there is none."""
    wanted = IBAN_LENGTHS.get(candidate[:2].upper(), 0)
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
