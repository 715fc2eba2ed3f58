"""Where code, markup and layout are in a text, found without changing any offset.

Owns the mask (a copy of the text of equal length in which HTML tags are blanks) and the cut into blocks: paragraphs,
list items, headings, quoted lines, table rows, code. Knows nothing of sentences. Invariants: `len(mask) == len(text)`,
blocks are in order and disjoint, every alphanumeric character of the mask lies in exactly one block, and the work is
linear in the length of the text whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal

import msgspec

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
