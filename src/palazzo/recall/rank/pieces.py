"""The parts of a text in which an answer is looked for, and the forms they are read in.

Owns how a text is cut for a cue: whole sentences of a long one, what is strung together in a short one, without its
owner or with names that stand elsewhere in it. Knows no vectors and judges nothing. Invariant: any text is safe.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from palazzo.text.meaning.answering import reading
from palazzo.text.words.parsed import once, parsed

_OWNER: Final = re.compile(
    r"\b(?!(?:What|Who|Where|When|How|Which|That|It|There|Here|Let|He|She)['’]s)"
    r"(?:[A-Z][\w-]+|(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir|[Tt]he user's) (?:\w+ )?\w+)['’]s\s"
)
_OF_OWNER: Final = re.compile(
    r"(?<=\w) (?:(?:of|von|de|di) "
    r"(?:my|our|his|her|their|the user's|mi|mis|mon|ma|mes|su|sus|notre|nos|mein\w*|unser\w*)"
    r"|meine[rs]|unsere[rs]|seine[rs]|ihre[rs]) [^\W\d]+"
)
_BEFORE_OWNER: Final = (" of ", " von ", " de ", " di ", " meine", " unsere", " seine", " ihre")
"""How whatever the second begins with is written."""
_BETWEEN: Final = re.compile(r"[-_./\\]+")
PIECE_WORDS: Final = 40
"""A longer text is read in pieces of about so many words, and is as relevant as its best piece."""
_MOST_PIECES: Final = 12
SHORT: Final = 6 * PIECE_WORDS
"""Characters of a text that is read whole."""


def pieces(text: str, cue: str) -> list[str]:
    """A text, or those parts of a long one that have most of the cue: whole sentences, about as long as a statement."""
    if len(text) < SHORT:
        return [text]
    made: list[str] = []
    size = 0
    for sentence in parsed(text).sentences:
        words = sentence.text.count(" ") + 1
        if not made or size + words > PIECE_WORDS:
            made.append(sentence.text)
            size = words
        else:
            made[-1] += " " + sentence.text
            size += words
    if len(made) > _MOST_PIECES:
        wanted = set(parsed(cue).content_terms)
        made.sort(key=lambda piece: -len(wanted.intersection(parsed(piece).content_terms)))
    return made[:_MOST_PIECES] or [text[: 2 * SHORT]]


def without_owner(cue: str, text: str) -> Iterator[str]:
    """Parts of a text with "the" where it says whose something is, for a cue that asks for it whosever it is: one
    without "my" and "your" in which everybody who is named is named in the text, too."""
    if not _whosever(cue) or not _has_owner(text):
        return
    for piece in pieces(text, cue):
        if all(name in parsed(piece).terms for name in reading(cue).names):
            yield _OF_OWNER.sub("", _OWNER.sub("the ", piece))


def _has_owner(text: str) -> bool:
    """Whether a text says whose something is; mostly a look at its letters tells that it does not."""
    if ("'s" in text or "’s" in text) and _OWNER.search(text):
        return True
    return any(map(text.__contains__, _BEFORE_OWNER)) and _OF_OWNER.search(text) is not None


@once
def _whosever(cue: str) -> bool:
    asked = reading(cue)
    return not asked.own and not asked.members and not _OWNER.search(cue) and not _OF_OWNER.search(cue)


def with_names(cue: str, text: str) -> Iterator[tuple[str, str]]:
    """Parts of a long text, with those names of a cue that stand elsewhere in it."""
    named = [word for word in reading(cue).words if word.name and word.term in parsed(text).terms]
    for piece in pieces(text, cue) if named else ():
        if missing := [word.text for word in named if word.term not in reading(piece).terms]:
            yield piece, " ".join(missing)


def words_of(title: str) -> str:
    """A title as words: "config/prod.yaml" is of prod and of a config."""
    return " ".join(_BETWEEN.sub(" ", title).split())
