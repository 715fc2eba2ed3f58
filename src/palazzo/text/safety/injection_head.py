"""A small learned head: how much a passage is worded as instructions to the machine that reads it.

Owns the features (hashed words, parts of words and pairs of neighbours; concepts out of a lexicon in many languages and
pairs of them; the shape of the passage), the reading of the weights and the sum. Refuses to know how the weights were
learned: `training/injection` makes the file, with these same features. A passage is one sentence, of a
long one a piece; docs/injection-head.md says what was measured. Invariants: no text leaves this module, the words it
remembers are forgotten with the others, and without a file of weights there is no head.
"""

from __future__ import annotations

import math
import pkgutil
import re
import struct
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from typing import Final
from zlib import crc32

import msgspec

from palazzo.text.words.lexicon import EVERY_LANGUAGE, page
from palazzo.text.words.marks import WordGroups
from palazzo.text.words.remembered import remembered
from palazzo.text.words.tokens import plain_runs

HASHED: Final = 1 << 15
"""Places in the table of hashed features."""

WEIGHTS: Final = f"data/{EVERY_LANGUAGE}/injection_head.bin"
_PACKAGE: Final = "palazzo.text"
_HEADER: Final = struct.Struct("<4sIIffff")
_MAGIC: Final = b"INJ1"

_HAN: Final = "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff"
_STOP: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？।])|\n+")
# In plain letters: what every stop has comes first, so that the rest is tried nowhere else.
_PLAIN_STOP: Final = re.compile(r"\s(?:(?<=[.!?]\s)\s*|(?<=\n)\n*)")
_LONGEST: Final = 48  # words or runs of characters in a passage; a longer sentence is read in pieces that overlap
_LONGEST_TERM: Final = 8  # characters of a term in a script without spaces
_LONGEST_PHRASE: Final = 4  # words

_SHAPES: Final = tuple(
    (name, tuple(signs), re.compile(source))
    for name, signs, source in (
        ("link", ("://", "www.", "hxxp"), r"https?://|www\.|hxxp"),
        ("mail", "@", r"[\w.+-]@[\w-]+\.\w"),
        ("question", "?？", r"[?？]\s*$"),
        ("quoted", "\"“”„«»「『‘'", r"[\"“”„«»「『‘]|(?<!\w)'"),
        ("shout", "!", r"!"),
        ("code", "{}=;|(-/<", r"[{}=;|]|\w\(|--\w|\w/\w+/|</?\w"),
        ("colon", ":：", r"[:：]"),
        ("remark", "#/<", r"^\s*(?:#|//|/\*|<!--)"),
        ("digits", ("",), r"\d{3}"),
        (
            "commit", ":",
            r"^\s*(?:fix|feat|docs|chore|refactor|test|perf|ci|build|revert|security|todo|fixme)\b.{0,20}?:",
        ),
    )
)  # fmt: skip
"""Shapes of a passage, each with the signs without one of which there is none: most passages have few of them."""
_LENGTHS: Final = (4, 8, 14, 24)
_NOTHING: Final[AbstractSet[str]] = frozenset()


class Lexicon(msgspec.Struct, frozen=True):
    """Concepts by exact word, by beginning of a word, by phrase, and by term of a script without spaces."""

    names: tuple[str, ...]
    exact: dict[str, int]
    beginnings: dict[str, int]
    phrases: dict[str, int]
    openings: dict[str, frozenset[str]]
    """By the first word of phrases, the second words of them."""
    terms: dict[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """The weights: one of each hashed feature, one of each dense feature, and how a sum becomes a score."""

    hashed: memoryview
    step: float
    dense: tuple[float, ...]
    bias: float
    flag_at: float
    refuse_at: float


@cache
def _token() -> re.Pattern[str]:
    return re.compile(rf"[{_HAN}]+|[^\W_{_HAN}]+")


@cache
def _han() -> re.Pattern[str]:
    return re.compile(rf"[{_HAN}]")


def _tokens(text: str) -> list[str]:
    return plain_runs(text) if text.isascii() else _token().findall(text)


def _unspaced(token: str) -> bool:
    return not token.isascii() and _han().match(token) is not None


@cache
def lexicon() -> Lexicon:
    """The lexicon of this package."""
    names: list[str] = []
    exact: dict[str, int] = {}
    beginnings: dict[str, int] = {}
    phrases: dict[str, int] = {}
    terms: dict[str, int] = {}
    for name, words in page("injection", EVERY_LANGUAGE).listings("concepts").items():
        bit = 1 << len(names)
        names.append(name)
        for entry in words.split(","):
            word = " ".join(map(folded, _tokens(entry.lower())))
            if not word.isascii() and _han().search(word):
                table, word = terms, word.replace(" ", "")
            elif " " in word:
                table = phrases
            else:
                table = beginnings if "*" in entry else exact
            if word:
                table[word] = table.get(word, 0) | bit
    begun = [phrase.split(" ", 2)[:2] for phrase in phrases]
    openings = {first: frozenset(two for one, two in begun if one == first) for first in {one for one, _ in begun}}
    return Lexicon(tuple(names), exact, beginnings, phrases, openings, terms)


@cache
def shapes() -> tuple[str, ...]:
    """Names of the dense features, in their order: concepts, first concepts, pairs of concepts, shape, length."""
    names = lexicon().names
    pairs = [f"{one}+{two}" for at, one in enumerate(names) for two in names[at + 1 :]]
    return (
        *names, *(f"^{name}" for name in names), *pairs,
        *(name for name, *_ in _SHAPES), *(f"length>{most}" for most in _LENGTHS),
    )  # fmt: skip


def sentences(lowered: str) -> list[str]:
    """The sentences of a text, each weighed by itself."""
    return [one for one in (_PLAIN_STOP if lowered.isascii() else _STOP).split(lowered) if one.strip()]


def pieces(passage: str) -> Iterator[list[str]]:
    """The words of a passage; of a long one, pieces that overlap by half."""
    tokens = _tokens(passage)
    if len(tokens) <= _LONGEST:
        if tokens:
            yield tokens
        return
    for start in range(0, len(tokens) - _LONGEST // 2, _LONGEST // 2):
        yield tokens[start : start + _LONGEST]


def passages(lowered: str) -> list[str]:
    """The sentences of a text; of a long one, its pieces."""
    return [passage for passage, _ in _cut(lowered)]


def _cut(lowered: str) -> Iterator[tuple[str, list[str]]]:
    """The passages of a text with their words."""
    for sentence in sentences(lowered):
        parts = list(pieces(sentence))
        for part in parts:
            yield (sentence if len(parts) == 1 else " ".join(part)), part


def shape_features(passage: str) -> list[int]:
    """Places of a passage's shape among the dense features: read once, however many pieces it is weighed in."""
    return [at for at, shape in _tried(_shape_marks().within(passage)) if shape.search(passage)]


@cache
def _shape_marks() -> WordGroups:
    return WordGroups(*(signs for _, signs, _ in _SHAPES))


@cache
def _tried(marked: int) -> tuple[tuple[int, re.Pattern[str]], ...]:
    """The shapes that a passage with these marks may have, with their places."""
    first = _before_shapes()
    return tuple((first + at, shape) for at, (_, _, shape) in enumerate(_SHAPES) if marked >> at & 1)


@cache
def _before_shapes() -> int:
    """How many dense features are of concepts."""
    count = len(lexicon().names)
    return 2 * count + count * (count - 1) // 2


def _dense_places(mask: int, first: int, longer: int) -> list[int]:
    """Places of concepts, first concepts, pairs of concepts, and of the lengths that a piece exceeds."""
    count = len(lexicon().names)
    bits = _bits(mask)
    found = [*bits, *(count + bit for bit in _bits(first))]
    for at, one in enumerate(bits):
        base = 2 * count + one * count - one * (one + 1) // 2 - one - 1
        found += [base + two for two in bits[at + 1 :]]
    lengths = _before_shapes() + len(_SHAPES)
    return found + list(range(lengths, lengths + longer))


def weighed(of: Head, passage: str) -> float:
    """How a sentence in lower case is worded; of a long one, its worst piece."""
    shape = _shaped(of, passage)
    return max((shape + _weighed(of, tokens) for tokens in pieces(passage)), default=-99.0)


def weighed_passages(of: Head, lowered: str) -> list[tuple[float, str]]:
    """How each passage of a text in lower case is worded."""
    return [(_shaped(of, passage) + _weighed(of, tokens), passage) for passage, tokens in _cut(lowered)]


def _shaped(of: Head, passage: str) -> float:
    return sum([of.dense[place] for place in shape_features(passage)])


def _weighed(of: Head, tokens: list[str]) -> float:
    """The sum over one piece, word by word: what a word adds by itself is remembered, and so is what the concepts of a
    piece do together."""
    total = mask = first = before = 0
    last = len(tokens) - 1
    size, places, table = len(tokens), last, of.hashed
    for at, token in enumerate(tokens):
        weight, count, found, opens, width, opening, closing = _of_head(of, token)
        total += weight
        places += count
        size += width
        if opens and at < last and folded(tokens[at + 1]) in opens:
            found |= _concepts_at(tokens, at)
        mask |= found
        if at:
            total += table[crc32(opening, before) % HASHED]
        else:
            first = found
        before = closing
    longer = bisect_left(_LENGTHS, size)
    return of.bias + of.step * total / math.sqrt(max(places, 1)) + _dense_weight(of, mask, first, longer)


@cache
def head() -> Head | None:
    """The head of this package; nothing where its file is missing."""
    try:
        return unpacked(pkgutil.get_data(_PACKAGE, WEIGHTS) or b"")
    except FileNotFoundError:
        return None


def unpacked(raw: bytes) -> Head | None:
    """The weights in a file; nothing where it is cut, or was made for other features than these."""
    if len(raw) < _HEADER.size:
        return None
    magic, hashed, dense, step, bias, flag_at, refuse_at = _HEADER.unpack_from(raw)
    whole = _HEADER.size + hashed + 4 * dense
    if magic != _MAGIC or hashed != HASHED or dense != len(shapes()) or len(raw) != whole:
        return None
    table = memoryview(raw)[_HEADER.size : _HEADER.size + hashed].cast("b")
    return Head(table, step, struct.unpack_from(f"<{dense}f", raw, _HEADER.size + hashed), bias, flag_at, refuse_at)


@remembered(16_384)
def _of_head(of: Head, token: str) -> tuple[int, int, int, AbstractSet[str], int, bytes, int]:
    """What a word adds: the sum of its own features and their number, its concepts and how phrases go on from it,
    its width, and both halves of the places it has with its neighbours: the letters behind one, the checksum before."""
    places = _of_word(token)
    return (
        sum(of.hashed[place] for place in places), len(places), *_concept_of_word(token), _width(token),
        _encoded(token[:12]), crc32(_encoded(f"{token[-12:]} ")),
    )  # fmt: skip


@remembered(16_384)
def _dense_weight(of: Head, mask: int, first: int, longer: int) -> float:
    return sum([of.dense[place] for place in _dense_places(mask, first, longer)])


def _width(token: str) -> int:
    """How many words more than one a run of characters without spaces counts for."""
    return max(0, len(token) // 2 - 1) if _unspaced(token) else 0


def _encoded(feature: str) -> bytes:
    return feature.encode("utf-8", "replace")


def _place(feature: str) -> int:
    return crc32(_encoded(feature)) % HASHED


def _of_word(token: str) -> list[int]:
    if _unspaced(token):
        return [_place(token[at : at + n]) for n in (2, 3) for at in range(len(token) - n + 1)] or [_place(token)]
    word = f"<{folded(token)[:24]}>"
    if word.isascii():  # its letters are its bytes
        raw = word.encode()
        return [crc32(raw) % HASHED, *(crc32(raw[at : at + n]) % HASHED for n in (4, 5) for at in range(len(raw) - n))]
    return [_place(word), *(_place(word[at : at + n]) for n in (4, 5) for at in range(len(word) - n))]


def folded(word: str) -> str:
    """A Latin word without its accents."""
    if word.isascii() or not "\u00c0" <= max(word) < "\u0370":
        return word
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


def _concepts_at(tokens: list[str], at: int) -> int:
    """The concepts of one word of a passage and of the phrases that begin with it, a bit for each."""
    found, opens = _concept_of_word(tokens[at])
    if opens and at + 1 < len(tokens) and folded(tokens[at + 1]) in opens:
        phrases, phrase = lexicon().phrases, tokens[at]
        for other in tokens[at + 1 : at + _LONGEST_PHRASE]:
            phrase = f"{phrase} {other}"
            found |= phrases.get(folded(phrase), 0)
    return found


@remembered(16_384)
def _concept_of_word(token: str) -> tuple[int, AbstractSet[str]]:
    """The concepts of a word by itself, and the words that follow it in phrases."""
    known = lexicon()
    if _unspaced(token):
        found = 0
        for at in range(len(token)):
            for end in range(at + 1, min(len(token), at + _LONGEST_TERM) + 1):
                found |= known.terms.get(token[at:end], 0)
        return found, _NOTHING
    word = folded(token)
    found = known.exact.get(word, 0)
    for end in range(2, len(word) + 1):
        found |= known.beginnings.get(word[:end], 0)
    return found, known.openings.get(word, _NOTHING)


def concept_of_word(word: str) -> int:
    """The concepts of a word by itself, a bit for each."""
    return _concept_of_word(word)[0]


@remembered(16_384)
def _bits(mask: int) -> tuple[int, ...]:
    return tuple(at for at in range(mask.bit_length()) if mask >> at & 1)
