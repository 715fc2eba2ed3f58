"""Whether a text states something about health that belongs in a medical record.

Owns a lexicon of diagnoses, medicines and procedures in two degrees. A plain term (metformin, leukaemia,
colonoscopy) counts by itself. A loaded term, one that everyday talk also uses (depression, stroke, cancer,
surgery), counts only in a clinical sentence: diagnosed, prescribed, treated for, "my", "has". Colds, sprains,
allergies and moods are left alone on purpose: they are what people tell a memory to keep.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from mnemon.text.words.lexicon import page

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
_SOURCES = {
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
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(_SOURCES[name])


def find_medical(lowered: str) -> Iterator[tuple[int, int]]:
    """The spans of medical statements in a lower-case text."""
    present = set(_pattern("word").findall(lowered))
    for word in present & _LONE_WORDS:
        start = lowered.find(word)
        yield start, start + len(word)
    if present & _LOADED_WORDS:
        for match in _pattern("loaded").finditer(lowered):
            yield match.span()
    if any(mark in lowered for mark in _CLINICAL_MARKS):
        for match in _pattern("frame").finditer(lowered):
            yield match.span()
    if not lowered.isascii():
        for match in _pattern("foreign").finditer(lowered):
            yield match.span()
