"""Where the sentences of a text are, in any script, and what sort of sentence each one is.

Owns boundaries and sentence kinds; knows nothing about facts, people or memory. Offsets index the text as given;
`text` is that stretch with tags and entities resolved and blanks collapsed. Invariants: sentences are in order and
disjoint, every alphanumeric character outside tags lies in exactly one of them, no sentence is longer than
`LONGEST` characters, and the work is linear in the input.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from palazzo.text.words import grammar
from palazzo.text.words.lexicon import page
from palazzo.text.words.markup import Block, mask_markup, split_blocks

_PAGE: Final = page("sentences")

SentenceKind = Literal["statement", "question", "command", "exclamation", "fragment", "code", "quote"]

# A proposition may hold 8 KiB of UTF-8; 2,000 characters of any script stay under that.
LONGEST: Final = 2000

_EMOJI: Final = "\U0001f000-\U0001faff\u2600-\u27bf\u2b50\u2b55\ufe0f\u200d\u20e3"
_BOUNDARY = re.compile(
    r"[.!?…‼⁇⁈⁉؟۔।॥։።។။]+[\"'”’»)\]*_]*(?=\s|$)"
    r"|[。！？｡]+[\"'”’»」』）)\]]*"
    r"|[!?]+(?=[A-Z])"
    rf"|[{_EMOJI}]+(?=\s+[A-Z])"
)
_TRAILING = re.compile(rf"\s*(?:[{_EMOJI}]+|[:;=]-?[)(DPp](?!\w)|<3)+")
_QUOTED = re.compile(r"\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|«[^»\n]{1,300}»|`[^`\n]{1,300}`|「[^」\n]{1,300}」")
_QUOTE_SIGN = re.compile('["“«`「]')
_SPACE = re.compile(r"\s+")
_ITEM_MARK = re.compile(r"\s*(?:[-*+•‣▪◦●–—]\s+|\(?\d{1,3}[.)]\s+|\(?[a-z]\)\s+|#{1,6}\s+|>+\s*)")

# Abbreviations after which a sentence goes on (titles and the like), and those that may also end one.
_NEVER_LAST: Final = _PAGE.words("never_last")
_SOMETIMES_LAST: Final = _PAGE.words("sometimes_last")
_BEFORE_NUMBERS: Final = _PAGE.words("before_numbers")
_OPENERS: Final = _PAGE.words("openers")
_AUX_FIRST: Final = _PAGE.words("aux_first")
_ASKED: Final = _PAGE.words("asked")
_WH_FIRST: Final = _PAGE.words("wh_first")
_COMMAND_LEADS: Final = frozenset(("just", "also", "so", "and", "but", "now", "then"))
_ELIDED_I: Final = _PAGE.words("elided_i")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence; `start` and `end` index the text it was found in."""

    start: int
    end: int
    text: str
    kind: SentenceKind


def split_sentences(text: str) -> tuple[Sentence, ...]:
    """All sentences of `text` in order."""
    mask, spans = sentence_spans(text)
    return tuple(Sentence(start, end, plain_text(mask[start:end]), kind) for start, end, kind in spans)


def sentence_spans(text: str, *, exact: bool = True) -> tuple[str, list[tuple[int, int, SentenceKind]]]:
    """The masked text (equal length, tags blanked) and the span and kind of each sentence.

    With `exact` off, statements, exclamations and fragments are not told apart, which saves a look at every word.
    """
    mask, code = mask_markup(text)
    found: list[tuple[int, int, SentenceKind]] = []
    for block in split_blocks(mask, code):
        if block.kind == "code":
            found.extend((start, end, "code") for start, end in _capped(mask, block.start, block.end))
            continue
        for start, end in _cut_block(mask, block):
            pieces = _capped(mask, start, end) if end - start > LONGEST else ((start, end),)
            for piece_start, piece_end in pieces:
                kind: SentenceKind = (
                    "quote" if block.kind == "quote" else _kind(mask[piece_start:piece_end], block, exact=exact)
                )
                found.append((piece_start, piece_end, kind))
    return mask, found


def plain_text(piece: str) -> str:
    """A masked stretch as a reader would see it: entities resolved, list marks off, blanks collapsed."""
    mark = _ITEM_MARK.match(piece)
    if mark and mark.end() < len(piece):
        piece = piece[mark.end() :]
    if "&" in piece:
        piece = html.unescape(piece)
    if piece.isprintable() and "  " not in piece and piece.isascii():
        return piece.strip()
    return _SPACE.sub(" ", piece).strip()


def _cut_block(mask: str, block: Block) -> Iterator[tuple[int, int]]:
    """Sentence spans of one block, blanks at the edges left out."""
    at = block.start
    mark = _ITEM_MARK.match(mask, at, block.end)
    guard_from = mark.end() if mark else at
    has_quotes = _QUOTE_SIGN.search(mask, block.start, block.end) is not None
    quotes = [m.span() for m in _QUOTED.finditer(mask, block.start, block.end)] if has_quotes else []
    quote_at = 0
    for match in _BOUNDARY.finditer(mask, guard_from, block.end):
        end = match.end()
        if end <= at:
            continue
        while quote_at < len(quotes) and quotes[quote_at][1] < end:
            quote_at += 1
        if quote_at < len(quotes) and at < quotes[quote_at][0] < match.start() and end < quotes[quote_at][1]:
            continue
        if not _is_boundary(mask, match, at, block.end):
            continue
        trailing = _TRAILING.match(mask, end, block.end)
        if trailing:
            end = trailing.end()
        yield from _stripped(mask, at, end)
        at = end
    yield from _stripped(mask, at, block.end)


def _stripped(mask: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = mask[start:end]
    left = len(piece) - len(piece.lstrip())
    right = len(piece.rstrip())
    if left < right:
        yield start + left, start + right


def _is_boundary(mask: str, match: re.Match[str], sentence_start: int, block_end: int) -> bool:
    mark = match.group()
    if mark[0] != "." and mark[0] != "…":
        following = mask[match.end() : match.end() + 2].strip()[:1]
        closed_quote = len(mark) > 1 and mark[-1] in "\"'”’»)"
        return not (closed_quote and following.islower())
    rest = mask[match.end() : min(match.end() + 40, block_end)].lstrip()
    if not rest:
        return True
    if mark.startswith(("..", "…")):
        return not rest[0].islower()
    if len(mark) > 1 and mark[-1] in "\"'”’»)" and rest[0].islower():
        return False
    word_start = match.start()
    floor = max(sentence_start, word_start - 24)
    while word_start > floor and not mask[word_start - 1].isspace() and mask[word_start - 1] not in '(["“':
        word_start -= 1
    word = mask[word_start : match.start()]
    low = word.lower()
    if low in _NEVER_LAST or (low in _BEFORE_NUMBERS and rest[0].isdigit()):
        return False
    next_word = rest.split(None, 1)[0].rstrip(",.;:").lower()
    if low in _SOMETIMES_LAST or (len(low) > 2 and "." in low and all(len(p) == 1 for p in low.split("."))):
        return rest[0].isupper() and (next_word in _OPENERS or low == "etc")
    if len(word) == 1 and word.isalpha() and word != "I":
        return next_word in _OPENERS and word_start > sentence_start
    return not (word.isdigit() and word_start == sentence_start)


def _capped(mask: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The span itself, or pieces of at most `LONGEST` characters cut at blanks where there are any."""
    while end - start > LONGEST:
        cut = mask.rfind(" ", start + LONGEST // 2, start + LONGEST)
        if cut < 0:
            cut = start + LONGEST
        yield from _stripped(mask, start, cut)
        start = cut
    yield from _stripped(mask, start, end)


def _kind(piece: str, block: Block, *, exact: bool) -> SentenceKind:
    body = plain_text(piece)
    tail = body.rstrip("\"'”’»)*_ ")
    if tail.endswith(("?", "？", "؟", "⁇", "⁈")):
        return "question"
    if block.kind in ("heading", "row"):
        return "fragment"
    if body[:1] in '"“«「' and body[-1:] in '"”»」' and body.count(body[0]) <= 2:
        return "quote"
    head = [word.strip(",.!;:\"“'()*").lower().replace("’", "'") for word in body.split(None, 4)[:4]]
    first = head[0] if head else ""
    second = head[1] if len(head) > 1 else ""
    if first in _AUX_FIRST and second in _ASKED:
        return "question"
    if first in _WH_FIRST and second in _AUX_FIRST and not tail.endswith("!"):
        return "question"
    classes = grammar.word_classes()
    if first in _COMMAND_LEADS and len(head) > 2:
        first, second = head[1], head[2]
    if _is_command(first, second, classes):
        return "command"
    if not exact:
        return "statement"
    has_verb = _has_verb(body, classes)
    if tail.endswith(("!", "！")) and not has_verb:
        return "exclamation"
    return "statement" if has_verb else "fragment"


def _is_command(first: str, second: str, classes: dict[str, int]) -> bool:
    if first in ("please", "kindly"):
        return True
    if first in ("don't", "never", "always") and classes.get(second, 0) & grammar.BASE:
        return True
    bits = classes.get(first, 0)
    if not bits & grammar.BASE or first in _ELIDED_I or bits & (grammar.PAST | grammar.PREP | grammar.AUX):
        return False
    follow = classes.get(second, 0)
    if bits & grammar.NOUNISH:
        return bool(follow & (grammar.DET | grammar.POSS | grammar.PRON)) or second in ("it", "out", "me", "up")
    return not follow & (grammar.AUX | grammar.THIRD) or second in ("that", "this")


def _has_verb(body: str, classes: dict[str, int]) -> bool:
    finite = grammar.FINITE | grammar.BASE
    for word in body.lower().replace("’", "'").split(None, 60)[:60]:
        bits = classes.get(word.strip(',.!;:"“”()*'), -1)
        if bits >= 0:
            if bits & finite and not (bits & grammar.NOUNISH and not bits & (grammar.PAST | grammar.AUX)):
                return True
        elif word.endswith(("ed", "'s", "'re", "'ve", "'ll", "n't")) or not word.isascii():
            return True
    return any(classes.get(w.strip(",.!;:"), 0) & finite for w in body.lower().split(None, 8)[1:8])
