"""Stage 3, split: the verbatim turn, and the propositions in it that read alone.

Observed: the turn is always kept; propositions are drawn from what people say, not from what the assistant or a tool
answers (their long answers repeat the user's words and would bury them). Remembered: every proposition, and the
verbatim text beside them unless one memory says it all. Invariant: every word of a letter is in a draft or has a fate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta

from palazzo.intake.screen import blanked
from palazzo.intake.values import Draft, Lost
from palazzo.model.memory import TEXT_LIMIT_BYTES
from palazzo.model.message import Fate, Letter
from palazzo.text.dates.find import resolve_inline
from palazzo.text.statements.propositions import Dropped, Proposition, in_third_person, split_turns
from palazzo.text.words.sentences import sentence_spans

_SILENT_ROLES = frozenset({"assistant", "system", "tool"})
_SMALL_TALK = frozenset({"greeting", "acknowledgement", "filler", "too_short"})
_COURTESIES = frozenset({"greeting", "acknowledgement"})
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BREAK = re.compile(r"\s+")
_Found = tuple[Sequence[Proposition], Sequence[Dropped]]


def moment(at_us: int) -> datetime:
    """The moment as an aware datetime."""
    return _EPOCH + timedelta(microseconds=at_us)


def split(letters: Sequence[Letter]) -> tuple[list[Draft], list[Lost]]:
    """Drafts in order, each letter's verbatim ones first, and the fates of what no memory is made of."""
    drafts: list[Draft] = []
    lost: list[Lost] = []
    stored = [letter for letter in letters if not letter.wholly]
    read = iter(split_turns([_turn(letter) for letter in stored if _is_read(letter)]))
    for letter in stored:
        found = next(read) if _is_read(letter) else None
        if letter.unkept:
            continue
        made, gone = _observed(letter, found) if letter.manner == "observe" else _remembered(letter, found)
        drafts += made
        lost += gone
    return drafts, lost


def _is_read(letter: Letter) -> bool:
    """Whether propositions are drawn from a letter."""
    message = letter.message
    if message.verbatim:
        return False
    return message.role not in _SILENT_ROLES if letter.manner == "observe" else not message.name


def _observed(letter: Letter, found: _Found | None) -> tuple[list[Draft], list[Lost]]:
    turns = whole(letter)
    if found is None:
        return turns, [Lost(letter.number, Fate(start=0, end=len(letter.text), outcome="stored", reason="verbatim"))]
    kept, dropped = found
    return [*turns, *(_draft(letter, p) for p in kept)], [_lost(letter, d) for d in dropped]


def _remembered(letter: Letter, found: _Found | None) -> tuple[list[Draft], list[Lost]]:
    message, text = letter.message, without(letter.text, letter.unread) if letter.unread else letter.text
    if found is None:
        return _single(letter, text), []
    kept, dropped = found
    gone = [_lost(letter, d) for d in dropped]
    small = all(d.reason in _SMALL_TALK for d in dropped)
    if not kept:
        if all(d.reason in _COURTESIES for d in dropped):
            return [], gone
        return (whole(letter), gone) if letter.barred else (_single(letter, text), [])  # somebody asked to keep it
    if len(kept) == 1 and small and not letter.barred and not message.speaker:
        (only,) = kept
        if resolve_inline(only.text, moment(letter.at_us)) == only.text and len(text.encode()) <= TEXT_LIMIT_BYTES:
            single = Draft(
                letter=letter, text=text.strip(), statement=only.text, start=only.start, end=only.end,
                sentence=only.source, subject=only.subject,
            )  # fmt: skip
            return [single], gone
    return [*whole(letter), *(_draft(letter, p) for p in kept)], gone


def _turn(letter: Letter) -> tuple[str, str, str]:
    """What is read of a letter: nothing is drawn from what is barred in it, or asked of the memory itself."""
    text = letter.text
    if letter.barred or letter.unread:
        closed = sorted({*((start, end) for start, end, _ in letter.barred), *letter.unread})
        text = blanked(text, closed)
    return text, letter.message.speaker or "the user", letter.message.addressee or "the assistant"


def _draft(letter: Letter, found: Proposition) -> Draft:
    return Draft(
        letter=letter, text=found.text, statement=found.text, start=found.start, end=found.end, sentence=found.source,
        subject=found.subject,
    )  # fmt: skip


def _lost(letter: Letter, dropped: Dropped) -> Lost:
    return Lost(letter.number, Fate(start=dropped.start, end=dropped.end, outcome="dropped", reason=dropped.reason))


def _single(letter: Letter, text: str) -> list[Draft]:
    """The text as it is; parts of it when it is too long for one memory. Who says "I" in it is read as the speaker."""
    speaker, addressee = letter.message.speaker, letter.message.addressee
    found = []
    for number, (start, end) in enumerate(parts(text)):
        said = text[start:end]
        told = in_third_person(said, speaker, addressee or "the assistant") if speaker else said
        found.append(Draft(letter=letter, text=said, statement=told, start=start, end=end, part=number))
    return found


def whole(letter: Letter) -> list[Draft]:
    """The letter word for word, in parts that fit; without what it asks of the memory itself."""
    if letter.unread:
        said = without(letter.text, letter.unread)
        return (
            [Draft(letter=letter, text=said, statement="", start=0, end=len(letter.text), whole=True)] if said else []
        )
    return [
        Draft(
            letter=letter, text=letter.text[start:end], statement="", start=start, end=end, part=number, whole=True
        )
        for number, (start, end) in enumerate(parts(letter.text))
    ]  # fmt: skip


def without(text: str, unread: Iterable[tuple[int, int]]) -> str:
    """The text without some stretches and the signs that joined them to the rest."""
    pieces: list[str] = []
    reached = 0
    for start, end in unread:
        pieces.append(text[reached:start].rstrip(" ,;:"))
        reached = max(reached, end)
    pieces.append(text[reached:].lstrip(" ,;:.!?-–—"))
    return " ".join(piece for piece in pieces if piece).strip()


def parts(text: str) -> Iterator[tuple[int, int]]:
    """Spans of at most 8 KiB that cover the text, cut at sentences, else at blanks, else between characters."""
    if len(text) * 4 <= TEXT_LIMIT_BYTES or len(text.encode()) <= TEXT_LIMIT_BYTES:
        yield 0, len(text)
        return
    cuts = sorted({end for _, end, _ in sentence_spans(text, exact=False)[1]})
    start = at = 0
    while start < len(text):
        limit = start + len(text[start : start + TEXT_LIMIT_BYTES].encode()[:TEXT_LIMIT_BYTES].decode(errors="ignore"))
        if limit >= len(text):
            yield start, len(text)
            return
        while at < len(cuts) and cuts[at] <= limit:
            at += 1
        end = cuts[at - 1] if at and cuts[at - 1] > start else _last_blank(text, start, limit)
        yield start, end
        start = end


def _last_blank(text: str, start: int, limit: int) -> int:
    blanks = [match.end() for match in _BREAK.finditer(text, start, limit)]
    return blanks[-1] if blanks else limit
