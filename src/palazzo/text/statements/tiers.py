"""Four sizes of one text: full, summary, key fact and tag, made by selection alone.

Owns the limits and the choosing: sentences by how much they tell, a clause that still stands alone, the most
telling words. Never writes a word of its own. Knows nothing about budgets or models.
Invariant: no tier costs more tokens than the one above it, and a text short enough is its own summary and key
fact (the same string, so that nothing is stored twice).
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

import msgspec

from palazzo.text.meaning.topics import keywords
from palazzo.text.words.lexicon import page
from palazzo.text.words.parsed import parsed
from palazzo.text.words.sentences import Sentence, split_sentences
from palazzo.text.words.tokens import STOP_WORDS, estimate_tokens, word_terms

_PAGE: Final = page("phrasing")

SUMMARY_TOKENS: Final = 60
KEY_FACT_TOKENS: Final = 20
TAG_WORDS: Final = 5
_MAX_READ: Final = 8_000
_MAX_SENTENCES: Final = 120
_CHARS_PER_TOKEN: Final = 4
_MIN_CLAUSE_WORDS: Final = 4
_CLAUSE_END = re.compile(
    r"[,;:]\s|\s[-–—(]\s?|\s(?=(?:because|which|while|although|though|since|when|where|after|before|but|and|who|unless"
    r"|if|so|as|instead)\s)"
)
_SUBORDINATE: Final = _PAGE.words("subordinate")
_BREAK = re.compile(r"(?<=[.!?…])\s+|\n+|(?<=[。！？])")
_ELLIPSIS: Final = "…"


class Tiers(msgspec.Struct, frozen=True):
    """One text in four sizes; the tag is made when it is asked for."""

    full: str
    summary: str
    key_fact: str

    @property
    def tag(self) -> str:
        """At most five telling words in the order of the text; its first words where none tells."""
        return _tag(self.full, keywords(self.full))


def make_tiers(text: str) -> Tiers:
    """The four sizes of a text."""
    full = text.strip()
    size = _size(full)
    if size <= KEY_FACT_TOKENS:
        return Tiers(full, full, full)
    if size <= SUMMARY_TOKENS:
        return Tiers(full, full, _key_fact(_most_telling(full)))
    sentences = _ranked(full)
    return Tiers(full, _summed_up(full, sentences), _key_fact(sentences[0].text if sentences else full))


def summarise(text: str) -> str:
    """The summary of a text alone, as `make_tiers` gives it."""
    full = text.strip()
    return full if _size(full) <= SUMMARY_TOKENS else _summed_up(full, _ranked(full))


def _size(text: str) -> int:
    """Tokens of a text, looked at only as far as the limits reach."""
    return estimate_tokens(text[: SUMMARY_TOKENS * 20])


def _fits(text: str, limit: int) -> bool:
    """Whether a text stays within a number of tokens; words alone rule most of the long ones out cheaply."""
    return text.count(" ") < limit and len(text) <= limit * 20 and estimate_tokens(text) <= limit


def _most_telling(text: str) -> str:
    """The sentence of a short text with most keywords; the first of equals, and no question if there is another."""
    pieces = _BREAK.split(text)
    if len(pieces) == 1:
        return text
    wanted = [word.lower() for word in keywords(text)]

    def weight(piece: str) -> float:
        lower = piece.lower()
        return sum(word in lower for word in wanted) - 4 * lower.endswith("?") - 0.02 * lower.count(" ")

    return max(pieces, key=weight)


def _ranked(text: str) -> list[Sentence]:
    """Sentences by what they tell: keywords, numbers, an early place; questions and code last."""
    found = [one for one in split_sentences(text[:_MAX_READ])[:_MAX_SENTENCES] if one.text]
    wanted = {term for word in keywords(text) for term in word_terms(word) if term not in STOP_WORDS}

    def weight(at: int, sentence: Sentence) -> float:
        own = set(parsed(sentence.text).content_terms)
        value = len(own & wanted) / (len(own) + 3) * 3 + 0.3 * len(own & wanted) + 0.5 / (at + 1)
        if any(map(str.isdecimal, sentence.text)):
            value += 0.2
        if sentence.kind in ("question", "code", "quote") or len(own) < 2:
            value -= 2.0
        return value

    order = {id(one): weight(at, one) for at, one in enumerate(found)}
    return sorted(found, key=lambda one: -order[id(one)])


def _summed_up(text: str, sentences: list[Sentence]) -> str:
    """The best sentences that fit together, in the order in which they were said; else the opening of the best."""
    chosen: list[Sentence] = []
    left = SUMMARY_TOKENS
    for sentence in sentences:
        cost = estimate_tokens(sentence.text) + 1
        if cost <= left:
            chosen.append(sentence)
            left -= cost
        if left < 6:
            break
    if not chosen:
        return _clip(sentences[0].text if sentences else text, SUMMARY_TOKENS)
    return " ".join(one.text for one in sorted(chosen, key=lambda one: one.start))


def _key_fact(sentence: str) -> str:
    """The sentence, or its longest opening of whole clauses, or its first words, within the limit."""
    if _fits(sentence, KEY_FACT_TOKENS):
        return sentence
    body = _without_opening(sentence)
    window = body[: KEY_FACT_TOKENS * 8]
    ends = [0, *(match.start() for match in _CLAUSE_END.finditer(window))]
    for before, end in reversed(list(pairwise(ends))):
        # A last piece of two or three words is the torn-off beginning of a clause.
        if end > KEY_FACT_TOKENS * 6 or body.count(" ", before + 1, end) < _MIN_CLAUSE_WORDS - 1:
            continue
        clause = body[:end].rstrip(" ,;:-–—(")
        if _fits(clause, KEY_FACT_TOKENS):
            return clause
    return _clip(body, KEY_FACT_TOKENS)


def _without_opening(sentence: str) -> str:
    """The main clause of a sentence that opens with a subordinate one."""
    first, _, _ = sentence.partition(" ")
    comma = sentence.find(", ", 0, 120)
    if comma > 0 and first.lower() in _SUBORDINATE and sentence.count(" ", comma) >= _MIN_CLAUSE_WORDS:
        rest = sentence[comma + 2 :]
        return rest[0].upper() + rest[1:]
    return sentence


def _clip(text: str, limit: int) -> str:
    """The first words of a text within a number of tokens, with a mark that more followed."""
    end = min(len(text), limit * _CHARS_PER_TOKEN * 2)
    while end > 1 and estimate_tokens(text[:end]) >= limit:
        end = end * 7 // 8
    cut = text[:end]
    space = cut.rfind(" ")
    if space > end // 2 and text[end : end + 1] != " ":
        cut = cut[:space]
    return cut.rstrip(" ,;:-–—(") + _ELLIPSIS


def _tag(text: str, telling: tuple[str, ...]) -> str:
    lower = text[:_MAX_READ].lower()
    chosen = sorted(telling[:TAG_WORDS], key=lambda word: lower.find(word.lower()))
    if not chosen:
        chosen = text[:200].split()[:TAG_WORDS]
    tag = " ".join(chosen)
    return tag if len(tag) <= 80 else tag[:79].rstrip() + _ELLIPSIS
