"""Personal data that may be kept, and the security tier it asks for.

Owns the classes of personal data and their mapping to tiers:

    clear         nothing of the below
    sensitive     a way to reach or find somebody: email, phone, address, ip_address, location, birth_date
    confidential  an identity document (passport, driver_licence) or anything medical

Ways to reach somebody are known by their written forms, those of postal addresses for the larger European languages,
English-speaking countries, Japan and China. A street name alone is a place: a number stands with an address. A
telephone number is accepted by its own shape or because the words around it say so; dates, versions, amounts and
identifiers are not numbers to call.

What is medical is decided by a lexicon in two degrees: a plain term (metformin, leukaemia) counts by itself, a loaded
one that everyday talk also uses (depression, stroke) only in a clinical sentence. Colds, sprains, allergies and moods
are left alone on purpose: they are what people tell a memory to keep.

Names, employers, ages and opinions are what a memory is for and change no tier. Secrets are refused, not tiered: see
`secrets`. A finding carries the place and the class, never the value; an outline says what sort of thing a text is
about in words of our own, so that two texts with the same kind, classes and topics have the same outline.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from palazzo.text.safety.secrets import same_length_lower
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


_ADDRESSES: Final = page("addresses")

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
    "split": _ADDRESSES.words("words_split"),
    "leading": _ADDRESSES.words("words_leading"),
    "box": _ADDRESSES.words("words_box"),
    "unit": _ADDRESSES.words("words_unit"),
    "told": _ADDRESSES.words("words_told"),
    "named_code": _ADDRESSES.words("words_named_code"),
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


_PAGE: Final = page("medical")

DIAGNOSES = _PAGE.words("diagnoses")

MEDICINES = _PAGE.words("medicines")

PROCEDURES = _PAGE.words("procedures")

LOADED = _PAGE.words("loaded")

CONDITIONS = _PAGE.words("conditions")

ORGAN_DISEASES = (
    r"(?:heart|kidney|liver|lung|brain|bowel|thyroid|prostate) (?:attack|disease|failure|condition|surgery|"
    r"transplant|"
    r"stones?|tumou?r|cancer|damage)"
)

_LONE_WORDS = DIAGNOSES | MEDICINES | PROCEDURES
_LOADED_WORDS = LOADED | CONDITIONS | _PAGE.words("loaded_words")

# Words without which no clinical sentence is written; looked for before any pattern runs.
_CLINICAL_MARKS = (
    "diagnos", "prescri", "patient", "dosage", " mg", "0mg", "5mg", "mcg", "blood pressure", "blood type", "blood "
    "sugar",
    "tested positive", "icd-", "medical record", "side effects of", "heart attack", "heart failure", "heart disease",
    "year old", "year-old", "suicid", "on medic", "on antib", "on ster", "on lith", "overdos", "pregnan",
)  # fmt: skip

_FRAME = (
    r"\b(?:diagnos\w+|prescri\w+|suffer\w*(?: from)?|treat(?:ed|ment|ments) (?:for|of)|recover\w* from|"
    r"have|has|had|having|got|takes?|took|needs?|needed|underwent|(?:due to|because of) (?:my|his|her)|surviv\w+|"
    r"battl\w+|fights?|fighting|died (?:of|from))"
    r"(?: (?:a|an|the|with|from|for|my|his|her|their|some|severe|chronic|mild|clinical|major|acute|advanced|early|"
    r"late|"
    r"type|stage|\d|i{1,3}|iv|two|breast|lung|skin|colon|brain|ovarian|prostate|pancreatic|cervical|thyroid|heart|"
    r"knee|"
    r"hip|back|spinal|open|emergency|post|postpartum|rheumatoid|panic|sleep)){0,4} "
)
_MEDICAL = {
    "word": r"[a-z][a-z0-9-]+",
    "loaded": rf"{_FRAME}(?:{'|'.join(sorted(LOADED, reverse=True))}|{ORGAN_DISEASES})\b"
    r"(?! (?:about|over|at the|class|research|awareness|charity|fundraiser|of))|"
    rf"\b(?:i'?m|i am|he'?s|she'?s|is|was|are|type [12]) (?:a |an |also |severely )?(?:{'|'.join(sorted(CONDITIONS))}|"
    rf"hiv[ -]positive)\b(?!-)",
    "frame": r"\bdiagnosed (?:\w+ )?(?:with|as having)\b|\btested positive for (?!us\b)|"
    r"\bprescri(?:bed|ption for) (?:me |him |her |them |a |an |some |my )?(?!glasses|lenses|by law|sunglasses)\w+|"
    r"\b\d{1,4}(?:\.\d)? ?(?:mg|mcg|µg)\b(?! ?(?:of )?(?:sodium|caffeine|vitamin|per (?:litre|liter)|/))|"
    r"\bblood (?:pressure|sugar|glucose) (?:is|was|of|reading|at|:)? ?\d|\bblood type (?:is |: ?)?(?:ab|a|b|o)\b|"
    r"\bicd-?1[01]\b|\bmedical record (?:number|no)\b|"
    r"\b(?:had|having|suffered|survived|after) (?:a |his |her |my )?(?:mild |massive )?heart attack\b(?! (?:when|"
    r"at|from) )|"
    r"\b(?:congestive heart failure|coronary heart disease)\b|"
    r"\b(?:patient|year[ -]old (?:male|female|man|woman))\b[^.\n]{0,60}?\b(?:history of|complain\w* of|"
    r"presents? with)\b|"
    r"\b(?:i'?m|i am|she'?s|she is|wife is|got) (?:\w+ (?:weeks|months) )?pregnant\b|\b(?:attempted|"
    r"commit\w*) suicide\b|"
    r"\bsuicidal\b|\boverdosed\b|\bon (?:medication|antibiotics|steroids|lithium|insulin)\b|diagnostiziert|"
    r"diagnosticad|"
    r"diagnosticat",
    "foreign": r"diagnostiqué|zdiagnozowan|диагноз|диабет|糖尿病|癌|がん患|"
    r"高血圧|高血压|うつ病|抑郁症|統合失調症|エイズ|白血病|치매|당뇨|chimiothérapie|quimioterapia|chemotherapie|krebserkrankung",
}  # fmt: skip


@cache
def _medical_pattern(name: str) -> re.Pattern[str]:
    return re.compile(_MEDICAL[name])


def find_medical(lowered: str) -> Iterator[tuple[int, int]]:
    """The spans of medical statements in a lower-case text."""
    present = set(_medical_pattern("word").findall(lowered))
    for word in present & _LONE_WORDS:
        start = lowered.find(word)
        yield start, start + len(word)
    if present & _LOADED_WORDS:
        for match in _medical_pattern("loaded").finditer(lowered):
            yield match.span()
    if any(mark in lowered for mark in _CLINICAL_MARKS):
        for match in _medical_pattern("frame").finditer(lowered):
            yield match.span()
    if not lowered.isascii():
        for match in _medical_pattern("foreign").finditer(lowered):
            yield match.span()


Tier = Literal["clear", "sensitive", "confidential"]

CONFIDENTIAL_REASONS = frozenset({"passport", "driver_licence", "medical"})

_NAMED_NUMBERS = frozenset({"birth_date", "passport", "driver_licence", "ip_address", "location"})

_DIGIT = re.compile(r"[0-9０-９]")
_SIX_DIGITS = re.compile(r"[0-9](?:[^0-9A-Za-z]{0,3}[0-9]){5}")

_MONTHS = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|juin|juil|août|déc|ene|abr|ago|dic|okt|"
    r"dez)[a-zäéû]*\.?"
)
_DATE = (
    rf"(?:\d{{1,4}}[-/.]\d{{1,2}}[-/.]\d{{1,4}}|{_MONTHS} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?|"
    rf"\d{{1,2}}(?:st|nd|rd|th|\.)? (?:of |de )?{_MONTHS}(?:,? (?:de )?\d{{4}})?|\d{{4}}年\d{{1,2}}月\d{{1,2}}日)"
)
_SOURCES = {
    "birth_date": r"(?:\bborn(?: on)?\b|\bbirth ?da(?:y|te)\b|\bdate of birth\b|\bd\.?o\.?b\b|\bb-?day\b|"
    r"\bgeboren am\b|\bgeburtsdatum\b|"
    rf"\bnée? le\b|\bnacid[oa] el\b|\bfecha de nacimiento\b|生年月日|誕生日|出生|родил\w+|"
    rf"дата рождения)[^\d\n]{{0,24}}?(?P<value>{_DATE})",
    "passport": r"\bpass(?:port|eport|aporte|nummer)\b(?: ?(?:number|no|num|nr|#)\b\.?)?[^\w\n]{0,4}(?:is |was |: ?)?"
    r"(?P<value>[a-z]{0,3}\d{6,9}[a-z]?\d{0,2})\b|p<[a-z]{3}[a-z<]{20,40}",
    "driver_licence": r"\b(?:driver'?’?s?|driving) ?licen[cs]e(?: ?(?:number|no|num|id|"
    r"#)\b\.?)?[^\w\n]{0,4}(?:is |was )?"
    r"(?P<value>[a-z]{0,3}\d[a-z0-9]{0,14}(?:[ -][a-z0-9]{2,8}){0,3})\b|"
    r"\bführerschein(?:nummer)?\W{1,4}(?:ist )?(?P<other>[a-z0-9]{11})\b",
}  # fmt: skip
_MARKS = {
    "birth_date": (
        "born", "birth", "dob", "d.o.b", "bday", "b-day", "gebor", "geburt", "nacid", "nacim", "née", "né ", "生",
        "родил", "рожд",
    ),
    "passport": ("passport", "passeport", "pasaporte", "passnummer", "p<"),
    "driver_licence": ("licen", "führerschein"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PersonalData:
    """Where personal data stands and which class it has; the value itself is not kept."""

    start: int
    end: int
    reason: str


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(_SOURCES[name])


def find_personal(text: str) -> tuple[PersonalData, ...]:
    """Every piece of personal data in the text, in order of place."""
    lowered = same_length_lower(text)
    found: list[tuple[int, int, str]] = []
    if "@" in text:
        found.extend((start, end, "email") for start, end in find_mail_addresses(text))
    if _DIGIT.search(text):
        found.extend(_numbered(text, lowered))
    elif "::" in text or ":" in text:
        found.extend((start, end, "ip_address") for start, end in find_network_addresses(text))
    found.extend((start, end, "medical") for start, end in find_medical(lowered))
    return tuple(_in_order(found)) if found else ()


def _numbered(text: str, lowered: str) -> list[tuple[int, int, str]]:
    """What cannot be written without a digit."""
    found: list[tuple[int, int, str]] = []
    for name, marks in _MARKS.items():
        if any(mark in lowered for mark in marks):
            for match in _pattern(name).finditer(lowered):
                start, end = match.span("value") if match["value"] else match.span()
                found.append((start, end, name))
    found.extend((start, end, "ip_address") for start, end in find_network_addresses(text))
    if _SIX_DIGITS.search(text):
        found.extend((start, end, "location") for start, end in find_coordinates(text))
        found.extend((start, end, "phone") for start, end in find_phone_numbers(text))
    found.extend((start, end, "address") for start, end in find_addresses(text, lowered))
    return found


def _in_order(found: list[tuple[int, int, str]]) -> Iterator[PersonalData]:
    """Sorted by place; readings of one class do not overlap, and a number with a name is not also a telephone."""
    reached: dict[str, int] = {}
    named_until = 0
    for start, end, reason in sorted(found, key=lambda item: (item[0], item[2] == "phone", -item[1])):
        if start < reached.get(reason, 0) or (reason == "phone" and start < named_until):
            continue
        reached[reason] = end
        if reason in _NAMED_NUMBERS:
            named_until = end
        yield PersonalData(start, end, reason)


def tier_of(text: str) -> Tier:
    """The security tier the text asks for; the table stands in the module's docstring."""
    reasons = {item.reason for item in find_personal(text)}
    if reasons & CONFIDENTIAL_REASONS:
        return "confidential"
    return "sensitive" if reasons else "clear"


def mentions_medical(text: str) -> bool:
    """Whether the text states a diagnosis, a medicine, a procedure or a finding about somebody's health."""
    return next(find_medical(text.lower()), None) is not None


_CLASSES: Final[dict[str, str]] = {
    "email": "email mail address contact", "phone": "phone telephone mobile number contact",
    "address": "home street postal address lives", "ip_address": "network ip address",
    "location": "location coordinates",
    "birth_date": "birthday birth date born", "passport": "passport document number",
    "driver_licence": "driver licence document number", "medical": "health medical",
}  # fmt: skip


def classes_of(text: str) -> str:
    """What the personal data of a text is called, as words."""
    return " ".join(_CLASSES.get(reason, reason) for reason in dict.fromkeys(i.reason for i in find_personal(text)))


def outline(text: str, kind: str, topics: Sequence[str] = ()) -> str:
    """The kind, the classes of personal data and the topics of a text, as words to search by."""
    return " ".join(filter(None, (kind, classes_of(text), *topics)))
