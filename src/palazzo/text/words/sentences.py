"""Where the sentences of a text are, in any script, what sort of sentence each one is, and where code, markup and
layout are.

Owns the mask (a copy of equal length in which HTML tags are blanks), the cut into blocks (paragraphs, list items,
headings, quoted lines, table rows, code), boundaries and sentence kinds; knows nothing about facts, people or memory.
Offsets index the text as given; `text` is that stretch with tags and entities resolved and blanks collapsed.
Invariants: `len(mask) == len(text)`; blocks and sentences are in order and disjoint, every alphanumeric character
outside tags lies in exactly one of each, no sentence is longer than `LONGEST` characters, and the work is linear in the
input whatever it holds.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Final, Literal

import msgspec

from palazzo.text.words import grammar
from palazzo.text.words.lexicon import page

BlockKind = Literal["paragraph", "item", "heading", "quote", "row", "code"]


def _tags(listing: str) -> frozenset[str]:
    return frozenset(listing.split())


_BLOCK_TAGS: Final = _tags(
    "p div br li ul ol h1 h2 h3 h4 h5 h6 tr td th table tbody thead section article header footer main nav"
    " blockquote hr pre dl dt dd form body html head title aside figure option"
)
_INLINE_TAGS: Final = _tags(
    "a b i u s em strong span code kbd samp var sub sup small big mark del ins q cite abbr img font label"
    " input button script style video audio source iframe svg path meta link time wbr tt center details summary"
)
_TAG = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]{0,15})\b[^<>]{0,1000}>|<!--|<!DOCTYPE[^<>]{0,200}>", re.IGNORECASE)
_RAW_OPENER = re.compile(r"<(script|style|pre)\b[^<>]{0,300}>", re.IGNORECASE)
_LINE = re.compile(r"[^\r\n\u2028\u2029\v\f]+")
_ITEM = re.compile(r"\s*(?:[-*+•‣▪◦●–—]\s+|\(?\d{1,3}[.)]\s+|\(?[a-z]\)\s+(?=\S))")
_HEADING = re.compile(r"\s*(?:#{1,6}\s|\*\*[^*\n]{1,80}\*\*:?\s*$)")
_ROW = re.compile(r"\s*\|.*\|\s*$|[\s|:\-=+_*~]{3,}$")
_ENDS_SENTENCE: Final = tuple('.!?…:;。！？؟।"”')
_WRAPPED_LINE: Final = 60  # a line shorter than this was ended on purpose, not by a wrapping editor


class Block(msgspec.Struct, frozen=True, gc=False):
    """A run of text that belongs together; offsets index the original text."""

    start: int
    end: int
    kind: BlockKind


def mask_markup(text: str) -> tuple[str, list[tuple[int, int]]]:
    """A copy of equal length with HTML tags blanked, and the spans that hold code."""
    code = _fenced(text)
    if "<" not in text:
        return text, code
    code = _merge([*code, *_raw_elements(text)])
    pieces: list[str] = []
    last = 0
    comment_possible = True
    for match in _TAG.finditer(text):
        start, end = match.span()
        if start < last:
            continue
        name = match.group(1)
        if name is None and match.group() == "<!--":
            closing = text.find("-->", end) if comment_possible else -1
            if closing < 0:
                comment_possible = False
                continue
            end = closing + 3
        elif name is not None:
            name = name.lower()
            if name not in _BLOCK_TAGS and name not in _INLINE_TAGS:
                continue
        blank = " " * (end - start)
        if name in _BLOCK_TAGS:
            blank = "\n" + blank[1:]
        pieces.append(text[last:start])
        pieces.append(blank)
        last = end
    pieces.append(text[last:])
    return "".join(pieces), code


def _fenced(text: str) -> list[tuple[int, int]]:
    """Spans between triple backquotes that run over a line end; an unclosed fence at a line start runs to the end."""
    spans: list[tuple[int, int]] = []
    at = text.find("```")
    while at >= 0:
        closing = text.find("```", at + 3)
        if closing < 0:
            if not text[text.rfind("\n", 0, at) + 1 : at].strip() and "\n" in text[at:]:
                spans.append((at, len(text)))
            break
        if "\n" in text[at:closing]:
            spans.append((at, closing + 3))
        at = text.find("```", closing + 3)
    return spans


def _raw_elements(text: str) -> list[tuple[int, int]]:
    """Spans of script, style and pre elements; an element that is never closed is left alone."""
    spans: list[tuple[int, int]] = []
    lowered = text.lower() if text.isascii() else "".join(c.lower() if c.isascii() else c for c in text)
    never_closed: set[str] = set()
    reached = 0
    for match in _RAW_OPENER.finditer(text):
        name = match.group(1).lower()
        if match.start() < reached or name in never_closed:
            continue
        closing = lowered.find(f"</{name}", match.end())
        if closing < 0:
            never_closed.add(name)
            continue
        close_end = lowered.find(">", closing)
        reached = len(text) if close_end < 0 else close_end + 1
        spans.append((match.start(), reached))
    return spans


def _merge(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def split_blocks(mask: str, code: list[tuple[int, int]]) -> Iterator[Block]:
    """Blocks of a masked text in order."""
    at = 0
    for start, end in code:
        yield from _prose_blocks(mask, at, start)
        yield Block(start, end, "code")
        at = end
    yield from _prose_blocks(mask, at, len(mask))


def _prose_blocks(mask: str, start: int, end: int) -> Iterator[Block]:
    if start >= end:
        return
    if mask.find("\n", start, end) < 0 and not _ITEM.match(mask, start):
        yield Block(start, end, "quote" if mask.startswith(">", start) else "paragraph")
        return
    open_start = -1
    open_end = -1
    open_kind: BlockKind = "paragraph"
    previous_stop = start
    for match in _LINE.finditer(mask, start, end):
        line = match.group()
        stripped = line.strip()
        blank_between = mask.count("\n", previous_stop, match.start()) > 1
        previous_stop = match.end()
        if not stripped:
            if open_start >= 0:
                yield Block(open_start, open_end, open_kind)
                open_start = -1
            continue
        kind = _line_kind(line, stripped)
        joins = (
            open_start >= 0
            and not blank_between
            and (
                kind == open_kind == "quote"
                or (kind == "paragraph" and _continues(mask, open_start, open_end, stripped))
            )
        )
        if joins:
            open_end = match.end()
            continue
        if open_start >= 0:
            yield Block(open_start, open_end, open_kind)
        open_start, open_end, open_kind = match.start(), match.end(), kind
        if kind in ("heading", "row"):
            yield Block(open_start, open_end, kind)
            open_start = -1
    if open_start >= 0:
        yield Block(open_start, open_end, open_kind)


def _line_kind(line: str, stripped: str) -> BlockKind:
    first = stripped[0]
    if first == ">":
        return "quote"
    if first in "#*" and _HEADING.match(line):
        return "heading"
    if first in "|-=+_*~:" and _ROW.match(line):
        return "row"
    if _ITEM.match(line):
        return "item"
    return "paragraph"


def _continues(mask: str, start: int, end: int, next_line: str) -> bool:
    """Whether a line goes on with the paragraph before it rather than starting something new."""
    last_break = max(mask.rfind("\n", start, end), start)
    line = mask[last_break:end].strip()
    if not line or line.endswith(_ENDS_SENTENCE):
        return False
    return next_line[0].islower() or len(line) >= _WRAPPED_LINE


_PAGE: Final = page("sentences")

_VERB_ENDINGS: Final = ("ize", "ify")
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
_DAY_AND_MONTH = re.compile(r"\d{1,2}\.\d{1,2}")
_BEFORE_NUMBERS: Final = _PAGE.words("before_numbers")
_BEFORE_ORDINALS: Final = _PAGE.words("before_ordinals")
_AFTER_ORDINALS: Final = _PAGE.words("after_ordinals")
_OPENERS: Final = _PAGE.words("openers")
_AUX_FIRST: Final = _PAGE.words("aux_first")
_ASKED: Final = _PAGE.words("asked")
_THINGS, _HAVING = _PAGE.words("things"), _PAGE.words("having")
_WH_FIRST: Final = _PAGE.words("wh_first")
_COMMAND_LEADS: Final = frozenset(("just", "also", "so", "and", "but", "now", "then", "ok", "okay", "great", "perfect"))
_AGREED: Final = re.compile(rf",?\s*(?<![\w'])(?:{_PAGE.listing('tags')})\s*\?+$", re.IGNORECASE)
_ELIDED_I: Final = _PAGE.words("elided_i")


class Sentence(msgspec.Struct, frozen=True):
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
    if word.isdigit() and len(word) <= 2 and (next_word in _AFTER_ORDINALS or rest[0].islower()):  # "am 3. März"
        before = mask[max(sentence_start, word_start - 12) : word_start].split()
        return not before or before[-1].lower() not in _BEFORE_ORDINALS
    if rest[0].islower() and _DAY_AND_MONTH.fullmatch(word):  # "am 3.5. fahren wir"
        return False
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


def without_tag(text: str) -> str:
    """A text without the word behind it that only asks for agreement: "no smileys, okay?" asks nothing."""
    return _AGREED.sub("", text) if text.endswith("?") else text


def _kind(piece: str, block: Block, *, exact: bool) -> SentenceKind:
    body = without_tag(plain_text(piece))
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
    if first in _AUX_FIRST and second in _ASKED and not (first in _HAVING and second in _THINGS):
        return "question"
    if first in _WH_FIRST and second in _AUX_FIRST and not tail.endswith("!"):
        return "question"
    classes = grammar.word_classes()
    while head[0:1] and head[0] in _COMMAND_LEADS and len(head) > 2:  # "ok and add a greeting"
        head = head[1:]
        first, second = head[0], head[1]
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
    if not bits:
        made = first.endswith(_VERB_ENDINGS) or (first[:2] == "re" and classes.get(first[2:], 0) & grammar.BASE)
        return second == "it" or bool(made and classes.get(second, 0) & (grammar.DET | grammar.POSS | grammar.PRON))
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
