"""Requests to a memory that are said in talk: forget that, delete my phone number, do not keep this.

Owns the reading of a sentence as such a request and what it is about; the ways of saying it are data, language by
language. Knows nothing of what is kept and carries nothing out. Invariants: "don't forget ..." is no request; an order
to erase or not to keep something counts only where that is the speaker's own or was said, so an order about the work
at hand is none.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal, NamedTuple

from palazzo.text.words.lexicon import Page, page

LANGUAGES: Final = ("en", "de", "fr", "es")
Aim = Literal["this", "words", "all"]
_JOINT: Final = re.compile(r"\s*[,;:–—]\s+|\s+-\s+")
_EDGES: Final = " .,;:!?…\"'“”«»()"


class ForgetRequest(NamedTuple):
    """What is to be forgotten: what was said just now, what some words name, or all there is.

    `ahead` says that the words after it are meant too ("off the record: ..."); `reached` is where the request ends in
    the sentence. `certain` is false where only what is found tells a request from an order about other things.
    """

    aim: Aim
    target: str
    own: bool
    reached: int
    ahead: bool = False
    certain: bool = True


class _Reader(NamedTuple):
    """The patterns of one language."""

    rows: tuple[tuple[str, re.Pattern[str]], ...]
    this: re.Pattern[str]
    said: re.Pattern[str]
    that: re.Pattern[str]
    mine: re.Pattern[str]
    all: re.Pattern[str]
    memory: re.Pattern[str]
    idle: re.Pattern[str]


@cache
def _marks() -> re.Pattern[str]:
    words = {re.escape(word) for language in LANGUAGES for word in page("requests", language).words("marks")}
    return re.compile(rf"\b(?:{'|'.join(sorted(words))})|off the record", re.IGNORECASE)


def _compiled(listed: Page, entry: str, form: str) -> re.Pattern[str]:
    return re.compile(form.format(listed.listing(entry)), re.IGNORECASE)


@cache
def _readers() -> tuple[_Reader, ...]:
    found = []
    for language in LANGUAGES:
        listed = page("requests", language)
        rows = tuple((row["act"], re.compile(row["pattern"], re.IGNORECASE)) for row in listed.rows("rows"))
        found.append(
            _Reader(
                rows, _compiled(listed, "this", r"(?:{})"), _compiled(listed, "said", r"(?:{})\s*"),
                _compiled(listed, "that", r"(?:{})"), _compiled(listed, "mine", r"(?:{})"),
                _compiled(listed, "all", r"(?:{})"), _compiled(listed, "memory", r"(?:^|[\s,]+)(?:{})[\s.,!?…]*$"),
                _compiled(listed, "idle", r"(?:{})"),
            )
        )  # fmt: skip
    return tuple(found)


def find_request(sentence: str) -> ForgetRequest | None:
    """The request to forget that a sentence is, or opens with; none where it is none."""
    if not _marks().search(sentence):
        return None
    plain = sentence.replace("’", "'")
    body = plain.rstrip(_EDGES)
    for reader in _readers():
        for act, pattern in reader.rows:
            match = pattern.match(body)
            if match is not None and (found := _read(act, match, reader)) is not None:
                return found
    return None


def _read(act: str, match: re.Match[str], reader: _Reader) -> ForgetRequest | None:
    told = match["target"]
    joint = _JOINT.search(told)
    head = told[: joint.start()] if joint else told
    reached = match.start("target") + joint.start() if joint else match.end()
    named = _trimmed(head, reader.memory)
    kept_in_memory = named != head.strip(_EDGES)
    if act == "unkept" and (not named or reader.this.fullmatch(named)):
        return ForgetRequest("this", "", True, reached, ahead=True)
    if not named or (reader.idle.fullmatch(named) and act == "forget"):
        return None
    if reader.this.fullmatch(named):
        return ForgetRequest("this", "", True, reached)
    if reader.all.fullmatch(named):
        return ForgetRequest("all", "", True, reached)
    said = reader.said.match(named) or reader.that.match(named)
    target = named[said.end() :].strip(_EDGES) if said else named
    owner = reader.mine.match(target)
    own = owner is not None
    target = target[owner.end() :].strip(_EDGES) if owner else target
    if not target:
        return ForgetRequest("this", "", True, reached)
    if act != "forget" and not (said or own or kept_in_memory):
        return None
    return ForgetRequest("words", target, own, reached, certain=bool(said) or act == "forget")


def _trimmed(text: str, tail: re.Pattern[str]) -> str:
    """What is named, without the words that only say where it is kept or are polite."""
    named = text.strip(_EDGES)
    while (match := tail.search(named)) is not None and match.start() < len(named):
        named = named[: match.start()].strip(_EDGES)
    return named
