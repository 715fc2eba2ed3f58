"""Shapes and checks of national identity, social insurance and tax numbers.

Owns one table of schemes: how a number is written, whether its own check holds, and which words must stand near
it. A scheme whose shape and check are rare enough in ordinary text needs no word; one that any order number
could satisfy (nine digits, one check digit in ten) counts only beside its name. Knows nothing of storage.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from palazzo.text.safety.payment_numbers import day_and_month, luhn, mod_11_10, verhoeff, weighted

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


@dataclass(frozen=True, slots=True)
class NationalScheme:
    """One country's number: its shape, its check on the compact form, and the words it needs beside it."""

    name: str
    shape: str
    check: Callable[[str], bool]
    words: str = ""


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


# Shapes carry no anchors; `_compiled` adds "no letter or digit on either side".
SCHEMES = (
    NationalScheme("us_ssn", r"\d{3}-\d{2}-\d{4}", us_ssn),
    NationalScheme(
        "us_ssn", r"\d{3}[ .]?\d{2}[ .]?\d{4}", us_ssn, r"\bssns?\b|social[ -]?security|\bsoc(?:ial)? sec\b"
    ),
    NationalScheme("us_itin", r"9\d{2}[ -]?\d{2}[ -]?\d{4}", _us_itin, r"\bitin\b|\bssn\b|tax(?:payer)? id"),
    NationalScheme("uk_nino", r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] \d\d \d\d \d\d [A-D]", _uk_nino),
    NationalScheme(
        "uk_nino",
        r"(?i:[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ -]?\d\d[ -]?\d\d[ -]?\d\d[ -]?[A-D])",
        _uk_nino,
        r"national insurance|\bnino\b|\bni (?:number|no)\b",
    ),
    NationalScheme("uk_nhs", r"\d{3}[ -]?\d{3}[ -]?\d{4}", _uk_nhs, r"\bnhs\b"),
    NationalScheme("ca_sin", r"\d{3}[ -]?\d{3}[ -]?\d{3}", luhn, r"\bsin\b|social insurance"),
    NationalScheme("fr_nir", r"[12] ?\d\d ?(?:0[1-9]|1[0-2]|[2-9]\d) ?\d[\dAB] ?\d{3} ?\d{3} ?\d\d", _fr_nir),
    NationalScheme("es_dni", r"(?:\d{8}|[XYZ]\d{7})-?[A-HJ-NP-TV-Z]", _es_dni),
    NationalScheme("it_codice_fiscale", r"(?i:[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z])", _it_codice_fiscale),
    NationalScheme("de_tax_id", r"[1-9]\d(?: ?\d{3}){3}", mod_11_10, r"steuer|\bidnr\b|tax id"),
    NationalScheme("nl_bsn", r"\d{9}", _nl_bsn, r"\bbsn\b|burgerservice"),
    NationalScheme("be_national", r"\d\d\.\d\d\.\d\d-\d{3}\.\d\d", _be_national),
    NationalScheme("se_personnummer", r"(?:19|20)?\d{6}[-+]\d{4}", _se_personnummer),
    NationalScheme("no_fodselsnummer", r"\d{6} ?\d{5}", _no_fodselsnummer),
    NationalScheme("dk_cpr", r"\d{6}-?\d{4}", _dk_cpr, r"\bcpr\b|personnummer"),
    NationalScheme("fi_hetu", r"\d{6}[-+A]\d{3}[0-9A-FHJ-NPR-Y]", _fi_hetu),
    NationalScheme("pl_pesel", r"\d{11}", _pl_pesel, r"\bpesel\b"),
    NationalScheme("ch_ahv", r"756[. ]?\d{4}[. ]?\d{4}[. ]?\d\d", _ch_ahv),
    NationalScheme("br_cpf", r"\d{3}\.\d{3}\.\d{3}-\d\d", _br_cpf),
    NationalScheme("br_cpf", r"\d{11}", _br_cpf, r"\bcpf\b"),
    NationalScheme("cn_resident", r"[1-9]\d{5}(?:18|19|20)\d{9}[\dXx]", _cn_resident),
    NationalScheme("in_aadhaar", r"[2-9]\d{3}[ -]?\d{4}[ -]?\d{4}", verhoeff, r"aadha+r|\buidai\b"),
    NationalScheme("jp_my_number", r"\d{4}[ -]?\d{4}[ -]?\d{4}", _jp_my_number, r"my ?number|マイナンバー|個人番号"),
    NationalScheme("kr_rrn", r"\d{6}-[1-8]\d{6}", _kr_rrn),
    NationalScheme("sg_nric", r"[STFGM]\d{7}[A-Z]", _sg_nric),
    NationalScheme("au_tfn", r"\d{3} ?\d{3} ?\d{3}", _au_tfn, r"\btfn\b|tax file"),
    NationalScheme("mx_curp", r"[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z\d]\d", _always),
    NationalScheme("za_id", r"\d{13}", _za_id, r"\bid (?:number|no)\b|south african id|identity number"),
    NationalScheme("tr_kimlik", r"[1-9]\d{10}", _tr_kimlik, r"kimlik|\btckn\b"),
)

_SEPARATORS = str.maketrans("", "", " .-")
_KEEPS_SEPARATOR = frozenset({"fi_hetu"})


@cache
def _compiled() -> tuple[tuple[NationalScheme, re.Pattern[str], re.Pattern[str] | None], ...]:
    return tuple(
        (
            scheme,
            re.compile(rf"(?<![\w.-])(?:{scheme.shape})(?![\w-]|\.\d)", re.ASCII),
            re.compile(scheme.words, re.IGNORECASE) if scheme.words else None,
        )
        for scheme in SCHEMES
    )


def find_national_ids(text: str) -> Iterator[tuple[int, int]]:
    """The spans of identity numbers whose shape, check and neighbouring words all agree."""
    for scheme, shape, words in _compiled():
        for match in shape.finditer(text):
            value = match.group()
            compact = value if scheme.name in _KEEPS_SEPARATOR else value.translate(_SEPARATORS).replace("+", "")
            if scheme.check(compact) and (words is None or _stands_near(words, text, match)):
                yield match.start(), match.end()


def _stands_near(words: re.Pattern[str], text: str, match: re.Match[str]) -> bool:
    start = max(0, match.start() - _NEARBY)
    return words.search(text[start : match.start()]) is not None or (
        words.search(text[match.end() : match.end() + 20]) is not None
    )
