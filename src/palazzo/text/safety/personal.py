"""Personal data that may be kept, and the security tier it asks for.

Owns the classes of personal data and their mapping to tiers:

    clear         nothing of the below
    sensitive     a way to reach or find somebody: email, phone, address, ip_address, location, birth_date
    confidential  an identity document (passport, driver_licence) or anything medical

What is medical is decided by a lexicon in two degrees: a plain term (metformin, leukaemia) counts by itself, a loaded
one that everyday talk also uses (depression, stroke) only in a clinical sentence. Colds, sprains, allergies and moods
are left alone on purpose: they are what people tell a memory to keep.

Names, employers, ages and opinions are what a memory is for and change no tier. Secrets are refused, not tiered:
see `secrets`. A finding carries the place and the class, never the value; an outline says what sort of thing a text is
about in words of our own, so that two texts with the same kind, classes and topics have the same outline.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from palazzo.text.safety.contacts import (
    find_addresses,
    find_coordinates,
    find_mail_addresses,
    find_network_addresses,
    find_phone_numbers,
)
from palazzo.text.safety.secrets import same_length_lower
from palazzo.text.words.lexicon import page

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


@cache
def _diet_pattern() -> re.Pattern[str]:
    return re.compile(_PAGE.pattern("patterns", "diet"), re.IGNORECASE)


def speaks_of_diet(text: str, start: int, end: int) -> bool:
    """Whether a stretch of a text tells what somebody can or may not eat: told to be kept, medical or not."""
    return _diet_pattern().search(text, start, end) is not None


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


def outline(text: str, kind: str, topics: Sequence[str] = ()) -> str:
    """The kind, the classes of personal data and the topics of a text, as words to search by."""
    classes = dict.fromkeys(item.reason for item in find_personal(text))
    return " ".join((kind, *(_CLASSES.get(reason, reason) for reason in classes), *topics))
