"""Check digits of published number schemes: cards, bank accounts, national identity numbers.

Each function takes the compact form (digits, sometimes letters, no separators) and answers whether the check
holds. Nothing here looks for numbers in prose; it only says whether a candidate can be one. A wrong length is
an ordinary `False`, never an error.
"""

from __future__ import annotations

from collections.abc import Sequence

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
