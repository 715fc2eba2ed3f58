"""Which writing system a character belongs to, as ranges usable inside regular expression classes.

Owns the code point ranges that tokens, language and entities share, and the folding of spelling variants
(typographic quotes, Latin diacritics, vowel points). Knows nothing about words or meaning.
Invariant: `fold` never lengthens its input by more than a constant factor and is safe on lone surrogates.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3040-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
THAI = "\u0e01-\u0e3a\u0e40-\u0e4e"
# Lao, Myanmar and Khmer also write without spaces between words.
UNSPACED_OTHER = "\u0e81-\u0ece\u1000-\u103f\u1050-\u108f\u1780-\u17d3"
UNSPACED = HAN + KANA + HANGUL + THAI + UNSPACED_OTHER
EMOJI = (
    "\u203c\u2049\u231a-\u231b\u2328\u23cf\u23e9-\u23f3\u23f8-\u23fa\u2600-\u26ff\u2702-\u27b0\u2b50\u2b55"
    "\U0001f004\U0001f0cf\U0001f18e\U0001f191-\U0001f19a\U0001f300-\U0001f3fa\U0001f400-\U0001faff"
)
FLAG_LETTERS = "\U0001f1e6-\U0001f1ff"

# Letters that no decomposition reaches; casefold has already turned ß into ss.
_LATIN_LETTERS = {
    "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ħ": "h", "ŋ": "n",
    "ŧ": "t", "ƒ": "f", "ĸ": "k",
}  # fmt: skip
_TYPOGRAPHY = {
    "’": "'", "‘": "'", "‛": "'", "ʼ": "'", "`": "'", "´": "'", "＇": "'", "“": '"', "”": '"', "„": '"',
    "–": "-", "—": "-", "‐": "-", "‑": "-", "−": "-", "\u00ad": "", "\u200b": "", "\u2060": "",
    "\ufeff": "", "\u200e": "", "\u200f": "", "\u0640": "",
}  # fmt: skip
TYPOGRAPHY_TABLE = str.maketrans(_TYPOGRAPHY)
_LATIN_TABLE = str.maketrans(_LATIN_LETTERS | {"ё": "е"})


@cache
def marks() -> str:
    """Every combining mark of the basic plane, as the inside of a character class; computed on first use."""
    found = [i for i in range(0x300, 0x3100) if unicodedata.category(chr(i)) in ("Mn", "Mc")]
    found += [i for i in range(0xA600, 0xAC00) if unicodedata.category(chr(i)) in ("Mn", "Mc")]
    ranges: list[list[int]] = []
    for point in found:
        if ranges and ranges[-1][1] == point - 1:
            ranges[-1][1] = point
        else:
            ranges.append([point, point])
    return "".join(f"{chr(a)}-{chr(b)}" if a != b else chr(a) for a, b in ranges)


@cache
def _optional_marks() -> re.Pattern[str]:
    # Cyrillic й and ї keep their marks: there they make another letter, not another spelling.
    return re.compile("(?<![\u0400-\u04ff])[\u0300-\u036f]+|[\u0591-\u05bd\u05bf\u05c1\u05c2\u064b-\u0652\u0670]+")


def fold(text: str) -> str:
    """Bring spelling variants together: NFKC, casefold, plain quotes, Latin letters without marks."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text.translate(TYPOGRAPHY_TABLE)).casefold()
    if text.isascii():
        return text
    text = _optional_marks().sub("", unicodedata.normalize("NFD", text))
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate(_LATIN_TABLE)
    return text
