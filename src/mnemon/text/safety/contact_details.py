"""Ways to reach or locate a person: mail addresses, telephone numbers, network addresses, coordinates.

Owns their written forms. A telephone number is accepted by its own shape (international prefix, national
grouping) or because the words around it say so; dates, versions, amounts and identifiers are not numbers to call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

_SOURCES = {
    "mail_before": r"[A-Za-z0-9\u00c0-\u024f._%+'-]{1,64}\Z",
    "mail_after": r"(?:[\w-]{1,63}\.){1,8}(?:[A-Za-z]{2,24}(?![A-Za-z0-9])|xn--[a-z0-9-]{2,40}|[^\W\d_a-zA-Z]{2,8})|"
    r"\d{1,3}(?:\.\d{1,3}){3}(?![\d.])",
    "phone": r"(?<![A-Za-z0-9_@#$€£¥.=/])(?<!\d,)(?:\+|\(|(?<=\()\+)?\d[\d().\-/ ]{5,24}\d(?:\s?(?:x|ext\.?|"
    r"#)\s?\d{1,6})?(?![A-Za-z0-9_]|\.\d|,\d{3})",
    "phone_shape": r"(?:\+|00)[1-9][\d ().-]{6,18}.*|(?:1[ .-])?\(?\d{3}\)?[ .-]?\d{3}[.-]\d{4}.*|"
    r"\(\d{2,5}\) ?\d{2,4}[ .-]\d{2,6}.*|"
    r"\d{3} \d{3} \d{4}.*|0\d{1,4}(?:[ .-]\d{2,4}){2,5}",
    "phone_before": r"(?:\b(?:phone|telephone|tel|mobile|cell|cellphone|fax|desk|whatsapp|sms|handy|telefon|"
    r"teléfono|téléphone|"
    r"móvil|portable|call|calls|calling|dial|ring|text|texting|reach|answering|messages? to|registered|contact|"
    r"hotline|office|"
    r"my number|(?:his|her|their|new) number)\b|電話|携帯|电话|手机|телефон|☎|📞)[^\d+(]{0,28}\Z",
    "phone_after": r"[ ,-]{0,3}(?:office|fax|mobile|cell|home|work|desk|\(?(?:mobile|cell|home|work|office)\)?)\b",
    "not_phone": r"(?:19|20)\d\d[-/. ]\d{1,2}[-/. ]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d\d)?\d\d$|(?:19|"
    r"20)\d\d ?[-/] ?(?:19|20)\d\d$|"
    r"\d{1,3}(?:\.\d{1,3}){3}$|\d+\.\d+$|\d{3}-\d{2}-\d{4}$",
    "thousands": r"\d{1,3}(?:[ .]\d{3}){2,}$",
    "identifier_before": r"(?i:order|invoice|card|cc|account|ticket|case|isbn|issn|serial|model|id|ssn|security|"
    r"iban|version|reference|ref|"
    r"tracking|license|licence|passport|zip|code|bill|part|sku|no\.|nr\.|timestamp|credit|debit)[^\d+(]{0,20}\Z",
    "ipv4": r"(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w]|\.\d)",
    "ipv6": r"(?<![\w:.])(?:[0-9A-Fa-f]{1,4}:){2,7}(?::?[0-9A-Fa-f]{1,4}){0,6}(?![\w:])|"
    r"(?<![\w:.])[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,5}::(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,5})?(?![\w:])",
    "mac": r"(?<![\w:-])(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}(?![\w:-])",
    "coordinates": r"(?<![\w.])-?\d{1,2}\.\d{4,8}°?[NS]?,\s?-?\d{1,3}\.\d{4,8}°?(?:[EW]\b)?(?!\d)",
}  # fmt: skip

# Addresses of this machine, of nobody, of masks and of documentation say nothing about a person.
_IMPERSONAL = ("127.", "0.", "255.", "224.", "239.")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(_SOURCES[name])


def find_mail_addresses(text: str) -> Iterator[tuple[int, int]]:
    """The spans of e-mail addresses, international domains and address literals included."""
    position = text.find("@")
    while position >= 0:
        before = _pattern("mail_before").search(text, max(0, position - 64), position)
        after = _pattern("mail_after").match(text, position + 1) if before is not None else None
        if before is not None and after is not None:
            yield before.start(), after.end()
        position = text.find("@", position + 1)


def find_phone_numbers(text: str) -> Iterator[tuple[int, int]]:
    """The spans of telephone numbers."""
    for match in _pattern("phone").finditer(text):
        value = match.group()
        digits = sum(map(str.isdecimal, value.partition("x")[0]))
        if 7 <= digits <= 15 and not _pattern("not_phone").match(value) and _is_dialled(text, match):
            yield match.span()


def _is_dialled(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - 40) : match.start()]
    lowered = before.lower()
    if _pattern("phone_before").search(lowered) is not None:
        return True
    if _pattern("identifier_before").search(lowered) is not None:
        return False
    value = match.group()
    if _pattern("thousands").match(value) is not None:
        return False
    if _pattern("phone_shape").fullmatch(value) is not None:
        return True
    return _pattern("phone_after").match(text[match.end() : match.end() + 14].lower()) is not None


def find_network_addresses(text: str) -> Iterator[tuple[int, int]]:
    """The spans of IPv4, IPv6 and hardware addresses that can belong to somebody."""
    if text.count(".") >= 3:
        for match in _pattern("ipv4").finditer(text):
            before = text[max(0, match.start() - 9) : match.start()]
            if not match.group().startswith(_IMPERSONAL) and "ersion" not in before:
                yield match.span()
    if text.count(":") >= 2 or text.count("-") >= 5:
        for match in _pattern("ipv6").finditer(text):
            value = match.group()
            # Scope operators (`a::b`) and clock times look alike; an address has digits and more groups.
            if value.count(":") == 7 or ("::" in value and len(value) > 5 and any(map(str.isdecimal, value))):
                yield match.span()
        for match in _pattern("mac").finditer(text):
            yield match.span()


def find_coordinates(text: str) -> Iterator[tuple[int, int]]:
    """The spans of latitude and longitude given to at least four decimals (about ten metres)."""
    for match in _pattern("coordinates").finditer(text):
        yield match.span()
