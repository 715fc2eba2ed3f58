"""The passage that matters of a document too long to be shown.

Owns the choice: the lines that have most of the cue's words, and those around them. Knows nothing of the store.
Invariant: what is shown is a stretch of the document, word for word.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from palazzo.model.memory import SECTIONED
from palazzo.recall.answer.reply import Hit
from palazzo.text.words.parsed import parsed
from palazzo.text.words.tokens import STOP_WORDS

LENGTH = 1_200
"""Characters of a passage: some paragraphs."""


def in_part(hit: Hit, terms: Sequence[str]) -> Hit:
    """A hit that shows a passage where its document is long; any other as it is."""
    if hit.memory.kind != "document" or len(hit.text) <= SECTIONED:
        return hit
    return replace(hit, text=passage(hit.text, terms), tier="passage")


def passage(text: str, terms: Sequence[str]) -> str:
    """The stretch of a text that has most of these terms, the earliest where several do."""
    wanted = frozenset(terms) - STOP_WORDS
    half = LENGTH // 2
    best, most = 0, -1
    for start in range(0, max(1, len(text) - half), half):
        found = len(wanted.intersection(parsed(text[start : start + LENGTH]).terms)) if wanted else 0
        if found > most:
            best, most = start, found
    end = best + LENGTH
    if best and (line := text.find("\n", best, end - half)) >= 0:
        best = line + 1
    if end < len(text) and (line := text.rfind("\n", best + half, end)) >= 0:
        end = line
    return text[best:end].strip()
