"""Stage 3, split: the verbatim turn, and the propositions in it that read alone.

Observed: the turn is always kept; propositions are drawn from what people say, not from what the assistant or a tool
answers (their long answers repeat the user's words and would bury them). Remembered: every proposition, and the
verbatim text beside them unless one memory says it all. A text that is given whole (by name, word for word, or too
long for one memory) is a document: itself, its sections where it is long, and a bounded number of statements.
Invariant: every word of a letter is in a draft or has a fate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from palazzo.intake.screen import blanked
from palazzo.intake.values import DOCUMENT_KIND, Draft, DraftRole, Lost
from palazzo.model.memory import SECTIONED, TEXT_LIMIT_BYTES
from palazzo.model.message import Fate, Letter
from palazzo.text.meaning.instructions import is_passing, material_in, tells_plainly
from palazzo.text.statements.phrased import lists_in
from palazzo.text.statements.propositions import Dropped, Proposition, in_third_person, split_turns
from palazzo.text.words.parsed import parsed

_SILENT_ROLES = frozenset({"assistant", "system", "tool"})
_SMALL_TALK = frozenset({"greeting", "acknowledgement", "filler", "too_short"})
_COURTESIES = frozenset({"greeting", "acknowledgement"})
_BREAK = re.compile(r"\s+")
_Found = tuple[Sequence[Proposition], Sequence[Dropped]]
SECTION = 1_600
"""Characters a section has at most; one passage of a few paragraphs."""
PLAIN = 90
"""Characters of a message that may be a fact though its words alone say nothing."""
_CALLED = frozenset("!?")
DRAWN = 200
"""Statements drawn from one long text at most, spread over it: what else it says is found by its sections."""
_HEADING = re.compile(r"^(?:#{1,6}[ \t]+\S|\S[^\n]{0,80}\n(?:={3,}|-{3,})[ \t]*$)", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_LINE = re.compile(r"\n")
_STOP = re.compile(r"[.!?…][\"'”’)]*\s+|[。！？｡]")


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
    if letter.manner == "observe":
        return message.role not in _SILENT_ROLES
    return not message.name or message.kind in ("", DOCUMENT_KIND)


def is_long(text: str) -> bool:
    """Whether a text is too long for one memory that is no document."""
    return len(text) * 4 > TEXT_LIMIT_BYTES and len(text.encode()) > TEXT_LIMIT_BYTES


def _observed(letter: Letter, found: _Found | None) -> tuple[list[Draft], list[Lost]]:
    turns = whole(letter)
    if found is None:
        return turns, [Lost(letter.number, Fate(start=0, end=len(letter.text), outcome="stored", reason="verbatim"))]
    kept, dropped = found
    given = [
        Lost(letter.number, Fate(start=start, end=end, outcome="stored", reason="verbatim"))
        for start, end in _material(letter)
    ]
    if not kept and not given and (plain := _told_plainly(letter, dropped)) is not None:
        kept, dropped = [plain], ()
    chosen, left = _bounded(letter, kept)
    made = [*_put_right(letter), *_listed(letter), *(_draft(letter, p) for p in chosen)]
    return [*turns, *made], [*(_lost(letter, d) for d in dropped), *left, *given]


def _material(letter: Letter) -> tuple[tuple[int, int], ...]:
    """What a message to the assistant only gives it to work with, or plays."""
    return material_in(letter.text) if letter.manner == "observe" and not letter.message.speaker else ()


def _lists(letter: Letter) -> list[tuple[int, int, str]]:
    """The lists with a heading in a message to the assistant, each as one statement."""
    message = letter.message
    told = letter.manner == "observe" and not message.speaker and not _material(letter)
    if not told or letter.barred or letter.unread or "\n" not in letter.text:
        return []
    return lists_in(letter.text) if len(letter.text) <= SECTIONED else []


def _listed(letter: Letter) -> list[Draft]:
    return [
        Draft(
            letter=letter, text=said, statement=in_third_person(said, "the user", "the assistant"), start=start,
            end=end, sentence=said, corrects=True,
        )
        for start, end, said in _lists(letter)
    ]  # fmt: skip


def _told_plainly(letter: Letter, dropped: Sequence[Dropped]) -> Proposition | None:
    """A short message that reads as a fact where its words alone say nothing: "We only support Chrome".

    Only of one who speaks to the assistant: what people call out to each other reads like it.
    """
    text = letter.text.strip()
    if len(text) > PLAIN or letter.message.speaker or letter.barred or letter.unread or not dropped:
        return None
    if not _CALLED.isdisjoint(text) or any(one.reason not in _SMALL_TALK for one in dropped):
        return None
    left = [one.reason for one in dropped]
    said = in_third_person(text, "the user", "the assistant")
    if left[1:] == ["too_short"] or not tells_plainly(text) or is_passing(said):  # "ugh, mondays"
        return None
    return Proposition(text=said, said=text, start=0, end=len(letter.text), source=text, subject="", negated=False)


def _remembered(letter: Letter, found: _Found | None) -> tuple[list[Draft], list[Lost]]:
    message, text = letter.message, without(letter.text, letter.unread) if letter.unread else letter.text
    given = message.kind in ("", DOCUMENT_KIND)
    if found is None:
        return (_document(letter), []) if given or is_long(text) else (_single(letter, text), [])
    kept, dropped = found
    gone = [_lost(letter, d) for d in dropped]
    small = all(d.reason in _SMALL_TALK for d in dropped)
    called = message.name and not _says_one_thing(letter, kept, small=small)
    if called or message.kind == DOCUMENT_KIND or is_long(text):
        chosen, left = _bounded(letter, kept)
        return [*_document(letter), *(_draft(letter, p, "drawn") for p in chosen)], [*gone, *left]
    if message.name:
        return _single(letter, text), gone
    if right := _put_right(letter):
        return [*whole(letter), *right, *(_draft(letter, p) for p in kept)], gone
    if not kept:
        if all(d.reason in _COURTESIES for d in dropped):
            return [], gone
        return (whole(letter), gone) if letter.barred else (_single(letter, text), [])  # somebody asked to keep it
    if len(kept) == 1 and small and not letter.barred and not message.speaker:
        (only,) = kept
        if len(text.encode()) <= TEXT_LIMIT_BYTES:
            single = Draft(
                letter=letter, text=text.strip(), statement=only.text, start=only.start, end=only.end,
                sentence=only.source, subject=only.subject,
            )  # fmt: skip
            return [single], gone
    return [*whole(letter), *(_draft(letter, p) for p in kept)], gone


def _says_one_thing(letter: Letter, kept: Sequence[Proposition], *, small: bool) -> bool:
    """Whether a text is one statement in one line: then it is that statement, whatever it is called."""
    return len(kept) == 1 and small and not letter.barred and "\n" not in letter.text.strip()


def _bounded(letter: Letter, kept: Sequence[Proposition]) -> tuple[Sequence[Proposition], list[Lost]]:
    """As many propositions as are drawn from one text, spread over it, and the fates of the rest, which stand in it."""
    if len(kept) <= DRAWN:
        return kept, []
    step = len(kept) / DRAWN
    numbers = {int(number * step) for number in range(DRAWN)}
    left = [
        Lost(letter.number, Fate(start=p.start, end=p.end, outcome="stored", reason="verbatim"))
        for number, p in enumerate(kept)
        if number not in numbers
    ]
    return [p for number, p in enumerate(kept) if number in numbers], left


def _document(letter: Letter) -> list[Draft]:
    """The text as it was given, and its sections where it is long."""
    text = letter.text
    head = Draft(letter=letter, text=text, statement=text, start=0, end=len(text), role="document")
    about = letter.message.mentions[0].name if letter.message.mentions else letter.message.title
    known = [
        Draft(letter=letter, text=fact, statement=fact, start=0, end=0, subject=about, role="drawn")
        for fact in letter.message.facts
    ]
    if len(text) <= SECTIONED:
        return [head, *known]
    return [head, *known, *(
        Draft(letter=letter, text=text[start:end], statement=text[start:end], start=start, end=end, part=number,
              role="section")
        for number, (start, end) in enumerate(_trimmed(text), start=1)
    )]  # fmt: skip


def _trimmed(text: str) -> Iterator[tuple[int, int]]:
    """The sections of a text without the blanks around them."""
    for start, end in sections(text):
        piece = text[start:end]
        if kept := piece.strip():
            begin = start + piece.index(kept[0])
            yield begin, begin + len(kept)


def sections(text: str) -> Iterator[tuple[int, int]]:
    """Spans that cover a text, each at most `SECTION` characters: chapters that fit together, and a longer one cut at
    paragraphs, lines, sentences, blanks."""
    starts = sorted({0, *(match.start() for match in _HEADING.finditer(text))})
    begin = 0
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        if start > begin and end - begin > SECTION:
            yield begin, start
            begin = start
        while end - begin > SECTION:
            cut = _cut(text, begin, begin + SECTION)
            yield begin, cut
            begin = cut
    if begin < len(text):
        yield begin, len(text)


def _cut(text: str, start: int, limit: int) -> int:
    """The last good place to cut before a limit."""
    for mark in (_PARAGRAPH, _LINE, _STOP, _BREAK):
        ends = [match.end() for match in mark.finditer(text, start + SECTION // 2, limit)]
        if ends:
            return ends[-1]
    return limit


def _turn(letter: Letter) -> tuple[str, str, str, str]:
    """What is read of a letter: nothing is drawn from what is barred in it, or asked of the memory itself."""
    text = letter.text
    lists, material = _lists(letter), _material(letter)
    if letter.barred or letter.unread or letter.instead or letter.answer is not None or lists or material:
        read = (
            *letter.barred,
            *letter.instead,
            *(() if letter.answer is None else (letter.answer,)),
            *lists,
            *material,
        )
        closed = sorted({*((one[0], one[1]) for one in read), *letter.unread})
        text = blanked(text, closed)
    return text, letter.message.speaker or "the user", letter.message.addressee or "the assistant", letter.before


def _draft(letter: Letter, found: Proposition, role: DraftRole = "statement") -> Draft:
    """A statement, in its speaker's own words; in talk of people with names, who says "I" is called by theirs."""
    text = found.text if letter.message.speaker else found.said
    return Draft(
        letter=letter, text=text, statement=found.text, start=found.start, end=found.end, sentence=found.source,
        subject=found.subject, role=role,
    )  # fmt: skip


def _put_right(letter: Letter) -> list[Draft]:
    """What is read in place of a correction, whose first statement takes the place of what was wrong, and of an answer
    that leans on its question; and what a change makes of the statement that it changes."""
    made: list[Draft] = []
    for start, end, text, one in letter.carried:
        (found,) = split_turns([(text, *_turn(letter)[1:])])
        now = [replace(_draft(letter, p), start=start, end=end, sentence=text, corrects=True) for p in found[0]]
        made += [replace(now[0], text=text, replaces=(one,))] if len(now) == 1 else []
    if letter.answer is not None:
        start, end, text = letter.answer
        (found,) = split_turns([(text, *_turn(letter)[1:])])
        made += [replace(_draft(letter, p), start=start, end=end, sentence=text) for p in found[0]]
    for start, end, text, replaces in letter.instead:
        if text:
            (found,) = split_turns([(text, *_turn(letter)[1:])])
            drafts = [replace(_draft(letter, p), start=start, end=end, sentence=text, corrects=True) for p in found[0]]
            made += [replace(one, replaces=replaces) if number == 0 else one for number, one in enumerate(drafts)]
    return made


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
        said, last = without(letter.text, letter.unread), len(letter.text)
        return [
            Draft(
                letter=letter, text=said[start:end], statement="", start=min(start, last), end=last, part=number,
                whole=True,
            )
            for number, (start, end) in enumerate(parts(said) if said else ())
        ]  # fmt: skip
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
    if not is_long(text):
        yield 0, len(text)
        return
    cuts = sorted({end for _, end, _ in parsed(text).spans[1]})
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
