"""Ways to reach or locate a person: mail and postal addresses, telephone numbers, network addresses, coordinates.

Owns their written forms, those of postal addresses for the larger European languages, English-speaking countries, Japan
and China. A street name alone is a place, not an address: a number stands with it. A telephone number is accepted by
its own shape (international prefix, national grouping) or because the words around it say so; dates, versions, amounts
and identifiers are not numbers to call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from palazzo.text.words.lexicon import page

_CONTACT = {
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
def _contact_pattern(name: str) -> re.Pattern[str]:
    return re.compile(_CONTACT[name])


def find_mail_addresses(text: str) -> Iterator[tuple[int, int]]:
    """The spans of e-mail addresses, international domains and address literals included."""
    position = text.find("@")
    while position >= 0:
        before = _contact_pattern("mail_before").search(text, max(0, position - 64), position)
        after = _contact_pattern("mail_after").match(text, position + 1) if before is not None else None
        if before is not None and after is not None:
            yield before.start(), after.end()
        position = text.find("@", position + 1)


def find_phone_numbers(text: str) -> Iterator[tuple[int, int]]:
    """The spans of telephone numbers."""
    for match in _contact_pattern("phone").finditer(text):
        value = match.group()
        digits = sum(map(str.isdecimal, value.partition("x")[0]))
        if 7 <= digits <= 15 and not _contact_pattern("not_phone").match(value) and _is_dialled(text, match):
            yield match.span()


def _is_dialled(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - 40) : match.start()]
    lowered = before.lower()
    if _contact_pattern("phone_before").search(lowered) is not None:
        return True
    if _contact_pattern("identifier_before").search(lowered) is not None:
        return False
    value = match.group()
    if _contact_pattern("thousands").match(value) is not None:
        return False
    if _contact_pattern("phone_shape").fullmatch(value) is not None:
        return True
    return _contact_pattern("phone_after").match(text[match.end() : match.end() + 14].lower()) is not None


def find_network_addresses(text: str) -> Iterator[tuple[int, int]]:
    """The spans of IPv4, IPv6 and hardware addresses that can belong to somebody."""
    if text.count(".") >= 3:
        for match in _contact_pattern("ipv4").finditer(text):
            before = text[max(0, match.start() - 9) : match.start()]
            if not match.group().startswith(_IMPERSONAL) and "ersion" not in before:
                yield match.span()
    if text.count(":") >= 2 or text.count("-") >= 5:
        for match in _contact_pattern("ipv6").finditer(text):
            value = match.group()
            # Scope operators (`a::b`) and clock times look alike; an address has digits and more groups.
            if value.count(":") == 7 or ("::" in value and len(value) > 5 and any(map(str.isdecimal, value))):
                yield match.span()
        for match in _contact_pattern("mac").finditer(text):
            yield match.span()


def find_coordinates(text: str) -> Iterator[tuple[int, int]]:
    """The spans of latitude and longitude given to at least four decimals (about ten metres)."""
    for match in _contact_pattern("coordinates").finditer(text):
        yield match.span()


_PAGE: Final = page("addresses")

_NAME = r"[A-ZÀ-ÞĀ-ŽΑ-ΩА-Я][\w'’.-]{0,30}"
_ENGLISH_TYPES = (
    r"Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Terrace|Way|Circle|"
    r"Cir|"
    r"Highway|Hwy|Parkway|Pkwy|Trail|Close|Crescent|Mews|Grove|Gardens|Walk|Quay|Alley|Loop|Plaza"
)
_ATTACHED_ENDINGS = (
    r"straße|strasse|str\.|gasse|weg|platz|allee|ufer|damm|gade|gata|gatan|vägen|veien|vegen|vej|katu|kuja|polku|"
    r"straat|"
    r"laan|plein|gracht|kade|singel|utca|stræti|vegur|gränd|torget|stien|puiestee|tänav|tie"
)
_LEADING_TYPES = (
    r"[Rr]ue|[Aa]venue|[Bb]oulevard|[Cc]hemin|[Ii]mpasse|Via|Viale|[Pp]iazza|[Cc]orso|[Vv]icolo|[Cc]alle|"
    r"[Aa]venida|[Pp]aseo|[Rr]ua|[Tt]ravessa|[Pp]raça|[Aa]lameda|[Uu]l\.|[Uu]lica|[Aa]leja|[Uu]litsa|ул\.|улица|"
    r"проспект|пр\.|[Jj]alan|[Jj]l\.|[Ss]tr\.|[Ss]trada"
)
_UNIT = r"(?:Apt|Apartment|Suite|Ste|Flat|Unit|Floor|apt|suite|unit|flat)\.?\s?#?\s?\d{1,5}[A-Za-z]?"

_POSTAL = {
    "english": rf"(?<![\w.])\d{{1,6}}[A-Za-z]?,?(?: (?:N|S|E|W|NE|NW|SE|SW)\.?)?(?: {_NAME}| \d{{1,3}}(?:st|nd|rd|"
    rf"th)){{1,4}}"
    rf" (?:{_ENGLISH_TYPES})\b\.?(?:[ ,\n]{{1,4}}{_UNIT})?",
    "attached": rf"(?<!\w)[A-ZÄÖÜÅÆØÉ][\w-]{{2,30}}(?:{_ATTACHED_ENDINGS})\s\d{{1,5}}\s?[a-zA-Z]?(?![\w])",
    "split": rf"(?<!\w)(?:{_NAME} ){{1,3}}(?:u\.|út|tér|utca|str|Straße|Strasse|Platz|Weg|Allee|gatan|väg|vej|"
    rf"kapu)\.? \d{{1,5}}",
    "leading": rf"(?<!\w)(?:\d{{1,5}}(?: bis| ter)?,? )?(?:{_LEADING_TYPES})(?: (?:de|la|le|les|du|des|del|della|"
    rf"di|da|do|dos|el)\b"
    rf"|,? {_NAME}){{1,5}}(?:,? (?:n[º°.] ?)?\d{{1,5}}\b)?",
    "box": r"\b[Pp]\.? ?[Oo]\.? ?[Bb]ox \d{1,6}\b|\b(?:PSC|Unit|psc|unit) \d{3,5},? [Bb]ox \d{3,5}\b|"
    r"\b[Pp]ostfach \d{3,6}\b",
    "unit": rf"\d[^\n]{{2,60}}?[^\w]{{1,6}}(?P<unit>{_UNIT})",
    "told": r"(?i:\b(?:address(?:es)?(?: (?:is|to|with|of [^\n:]{1,40} is))?|(?:lives?|living|lived|reside[sd]?|"
    r"residing) (?:at|in|on)|"
    r"(?:located|meet (?:me|you)|moved|deliver(?:ed)?|shipp?(?:ed)?|sent|send it|return|taxi) (?:at|to)|"
    r"drops you off at|"
    r"(?:office|restaurant|station|shop|house|home) is (?:at|on)|adresse(?: ist| est)?|dirección(?: es)?|"
    r"wohn\w* in|住所は?))"
    rf"[\s:.,>\"']{{0,12}}(?P<place>\d{{1,6}}[A-Za-z]?,? {_NAME}[^\n]{{0,60}}|"
    rf"{_NAME}(?: {_NAME}){{0,3}} \d{{1,5}}\b)",
    "lettered_code": r"\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b|\b[ABCEGHJ-NPRSTVXY]\d[A-Z] ?\d[A-Z]\d\b",
    "state_code": r"(?<=, )[A-Z]{2},? \d{5}(?:-\d{4})?\b|\b(?:APO|FPO|DPO) A[AEP] \d{5}\b",
    "named_code": r"(?i:\b(?:zip|postal|post)[ -]?codes?\b|\bzip\b|\bplz\b|\bcep\b)(?: is|'s| ist|:| to)?[ :]{0,3}"
    r"(?:\d[\d -]{1,9}\d(?: [A-Z]{2})?|[A-Z]\w{1,3} \w{3})\b",
    "east_asian": r"〒 ?\d{3}[-‐−]\d{4}|(?:東京都|北海道|京都府|大阪府|"
    r"[\u4e00-\u9fff]{2,3}県)[^\s、。,]{2,30}?[\d０-９一二三四五六七八九十]+(?:丁目|番|号|[-－‐−]\d)|"
    r"[\u4e00-\u9fff]{2,8}(?:省|市|区|區)[\u4e00-\u9fff\d]{1,24}(?:路|街|道|巷)[\u4e00-\u9fff]{0,4}\d{1,5}(?:号|號)",
}  # fmt: skip

_LETTER_DIGIT = re.compile(r"[A-Z][0-9]")
_FIVE_DIGITS = re.compile(r"[0-9]{5}")

# A form is tried when one of these words (lower case, punctuation stripped) is in the text; forms without fixed
# words have their own test in `_worth_trying`.
_WORDS = {
    "english": frozenset(_ENGLISH_TYPES.lower().split("|")),
    "split": _PAGE.words("words_split"),
    "leading": _PAGE.words("words_leading"),
    "box": _PAGE.words("words_box"),
    "unit": _PAGE.words("words_unit"),
    "told": _PAGE.words("words_told"),
    "named_code": _PAGE.words("words_named_code"),
}  # fmt: skip
_ATTACHED_WORD_ENDINGS = tuple(_ATTACHED_ENDINGS.replace("\\.", "").split("|"))
_PUNCTUATION = ".,;:!?()[]\"'>#"


@cache
def _postal_pattern(name: str) -> re.Pattern[str]:
    return re.compile(_POSTAL[name])


def find_addresses(text: str, lowered: str) -> Iterator[tuple[int, int]]:
    """The spans of postal addresses; the text is expected to hold a digit."""
    present = {word.strip(_PUNCTUATION) for word in lowered.split()}
    for name in _POSTAL:
        if not _worth_trying(name, text, present):
            continue
        for match in _postal_pattern(name).finditer(text):
            if name == "leading" and not any(map(str.isdecimal, match.group())):
                continue
            yield match.span({"unit": "unit", "told": "place"}.get(name, 0))


def _worth_trying(name: str, text: str, present: set[str]) -> bool:
    known = _WORDS.get(name)
    if known is not None:
        return not known.isdisjoint(present) or (name == "told" and "住所" in text)
    if name == "attached":
        return any(word.endswith(_ATTACHED_WORD_ENDINGS) for word in present)
    if name == "lettered_code":
        return _LETTER_DIGIT.search(text) is not None
    if name == "state_code":
        return _FIVE_DIGITS.search(text) is not None
    return not text.isascii()
