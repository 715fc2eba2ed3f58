"""A text that is read once: its words, terms, sentences and language, and what was read out of it.

Owns the one cache of texts of this room. Each part of a text is worked out when it is first asked for and kept with it,
so that the stages a message goes through share one reading; readers of other packages keep their answers here too
(`once`). Knows nothing of what they read. Invariants: a part is worked out once for as long as its text is kept, and
never changed; the cache is bounded, and `forget_texts` empties it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, Final, Generic, ParamSpec, TypeVar

from palazzo.text.words import grammar, language, sentences, tokens
from palazzo.text.words.language import glossary
from palazzo.text.words.remembered import remembered

P = ParamSpec("P")
T = TypeVar("T")
_SHORT: Final = 1000  # characters; most statements and turns
_MOST: Final = 8192  # texts; a conversation meets the same statements again and again
_MOST_LONG: Final = 32


_NOTHING: Final[frozenset[str]] = frozenset()


class _Part(Generic[T]):
    """A part of a text that stands in the place of this once it is worked out; two threads may both do it, alike."""

    def __init__(self, work: Callable[[Any], T]) -> None:
        self._work = work
        self._name = work.__name__
        self.__doc__ = work.__doc__

    def __get__(self, text: Any, _owner: type) -> T:
        found = text.__dict__[self._name] = self._work(text)
        return found


class Parsed:
    """One text and what is known of it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.answers: dict[object, Any] = {}
        """What readers found in it, by the reader and what else it was told."""

    @_Part
    def terms(self) -> tuple[str, ...]:
        """Its index terms in order, repeats kept."""
        return tuple(tokens.terms(self.text))

    @_Part
    def content_terms(self) -> tuple[str, ...]:
        """Its index terms without function words."""
        return tuple(term for term in self.terms if term not in tokens.STOP_WORDS)

    @_Part
    def language(self) -> str:
        """The language whose words it is read with."""
        return language.reading_language(self.text)

    @_Part
    def tokens(self) -> grammar.Tokens:
        """Its words and signs with offsets and grammatical classes."""
        return grammar.tokenize(self.text)

    @_Part
    def said(self) -> grammar.Tokens:
        """The same, with the small words and verbs of its language said in English."""
        return grammar.said_in_english(self.tokens, self.language)

    @_Part
    def glossed(self) -> bool:
        """Whether its words are said in English by a glossary of its language."""
        return glossary("grammar", self.language) is not None

    @_Part
    def gloss(self) -> str:
        """The text with the words that a glossary lists said in English, for judgement alone; English is as it is, but
        for what is written in haste."""
        if not self.glossed:
            return grammar.spelled_out(self.text)
        said = grammar.asked_in_english(self.said)
        made = ""
        for word, low, bit in zip(said.words, said.lower, said.bits, strict=True):
            glossed = word if low == word.lower() else "I" if low == "i" else low
            made += glossed if bit & grammar.PUNCT and word not in "([" else f" {glossed}"
        made = made.strip()
        return made[:1].upper() + made[1:]

    @_Part
    def unread(self) -> frozenset[str]:
        """Its words that no glossary lists, in lower case; none of a text in English, which needs none."""
        if not self.glossed:
            return _NOTHING
        return frozenset(
            word.lower() for word, low in zip(self.said.words, self.said.lower, strict=True) if low == word.lower()
        )

    @_Part
    def spans(self) -> tuple[str, tuple[tuple[int, int, sentences.SentenceKind], ...]]:
        """It without markup, letter for letter, and where each sentence stands and what it is; statements, exclamations
        and fragments are not told apart."""
        mask, found = sentences.sentence_spans(self.text, exact=False)
        return mask, tuple(found)

    @_Part
    def sentences(self) -> tuple[sentences.Sentence, ...]:
        """Its sentences."""
        return sentences.split_sentences(self.text)


_short = remembered(_MOST)(Parsed)
_long = remembered(_MOST_LONG)(Parsed)


def parsed(text: str) -> Parsed:
    """The reading of a text: the one that is kept, else a new one."""
    return _short(text) if len(text) <= _SHORT else _long(text)


def once(reader: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
    """A decorator for a reader of whole texts: its answer is kept with the text, for the same further arguments."""

    @wraps(reader)
    def read(text: str, /, *arguments: P.args, **named: P.kwargs) -> T:
        answers = (_short(text) if len(text) <= _SHORT else _long(text)).answers
        key = (reader, *arguments) if arguments else reader
        try:
            found: T = answers[key]
        except KeyError:
            found = answers[key] = reader(text, *arguments, **named)
        return found

    return read


def known_once(reader: Callable[[str], T], text: str, found: Callable[[], T | None]) -> None:
    """Keeps what `found` gives as the answer of a reader made by `once`, unless it has one or `found` gives none."""
    answers, key = parsed(text).answers, vars(reader)["__wrapped__"]
    if key not in answers and (made := found()) is not None:
        answers[key] = made
