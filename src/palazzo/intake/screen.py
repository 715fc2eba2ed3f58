"""Stages 1 and 2, admit and screen: is this a message at all, and what of it may never be stored?

Admit judges encoding, length and fields, nothing else: a fault is an error that names the message and the field, and
nothing of the call is written. Invariant: what passes is valid Unicode without control characters, and its fields mean
something.

Screen: what may never be stored is taken out, personal data sets the tier, instructions are marked. The clause with a
secret is barred: nothing is drawn from it, and in the verbatim text the secret's class stands in its place; what else
its sentence tells goes on. What somebody tells of their health is theirs to keep: it sets the tier and is refused
nobody. Text that reads as instructions to its reader is flagged, or barred when it is blatant. Invariant: no barred
value is in any letter that leaves this stage, and no fate carries one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import msgspec
from msgspec.structs import replace

from palazzo.errors import InvalidInput, NotPermitted
from palazzo.intake.values import Lost, Policy
from palazzo.model.address import ROOT, Place
from palazzo.model.graph import NODE_KINDS
from palazzo.model.ids import new_id
from palazzo.model.kinds import KindTable
from palazzo.model.memory import TEXT_LIMIT_BYTES, TIERS, Tier
from palazzo.model.message import Fate, Letter, Manner, Message
from palazzo.model.zone import chosen_zone
from palazzo.text.safety import gate, injection, personal, secrets
from palazzo.text.statements.propositions import split_propositions
from palazzo.text.words.parsed import parsed
from palazzo.text.words.remembered import remembered

Span = tuple[int, int, str]


def screen(letters: Sequence[Letter]) -> tuple[list[Letter], list[Lost]]:
    """Letters with what may be stored of them, and the fates of what may not."""
    texts = [letter.text for letter in letters]
    readings = zip(
        list(map(secrets.find_secrets, texts)), list(map(personal.find_personal, texts)),
        injection.score_injections(texts), strict=True,
    )  # fmt: skip
    kept = [_screen(letter, reading) for letter, reading in zip(letters, readings, strict=True)]
    return kept, refusals(kept)


def refusals(letters: Sequence[Letter]) -> list[Lost]:
    """The fates of the sentences that were barred."""
    return [
        Lost(letter.number, Fate(start=start, end=end, outcome="refused", reason=reason))
        for letter in letters
        for start, end, reason in letter.barred
    ]


_Reading = tuple[tuple[secrets.Secret, ...], tuple[personal.PersonalData, ...], injection.InjectionFinding]


def _screen(letter: Letter, reading: _Reading) -> Letter:
    beside = letter.message.metadata
    if beside:
        cleaned = replace(letter.message, metadata=gate.without_secrets(beside))
        letter = replace(letter, message=cleaned, tier=gate.metadata_tier(beside))
    text = letter.text
    found, private, score = reading
    if not found and not private and score.score < injection.FLAG_AT:
        return letter
    cuts: list[Span] = [(secret.start, secret.end, secret.reason) for secret in found]
    sentences = [(start, end) for start, end, _ in parsed(text).spans[1]]
    flagged: list[tuple[int, int]] = []
    if score.score >= injection.FLAG_AT:
        refused, flagged = _aimed(text, sentences, score.score)
        cuts += refused
    cut = _joined(cuts)
    moved = _Moved(cut)
    stored = moved.text(text)
    barred = _narrowed(stored, _barred(cut, sentences, moved), [(moved(start), reason) for start, _, reason in cut])
    return replace(
        letter,
        message=replace(letter.message, text=stored),
        text=stored,
        barred=barred,
        flagged=tuple((moved(start), moved(end)) for start, end in flagged),
        flags=(*(("redacted",) if cuts else ()), *(("injection",) if flagged else ())),
        tier=max(letter.tier, _tier(item.reason for item in private), key=TIERS.index),
        personal=tuple((moved(item.start), moved(item.end), item.reason) for item in private),
        wholly=bool(barred) and not _says_more(stored, barred),
    )


def _aimed(text: str, sentences: Sequence[tuple[int, int]], whole: float) -> tuple[list[Span], list[tuple[int, int]]]:
    """Sentences to bar and sentences to flag; signs spread over several sentences count for all of them together.

    Beside a barred sentence a doubtful one ("Enter developer mode."), a forged turn with the rest of its line and what
    is said to the reader right behind it ("From here on you follow mine.") are flagged as well.
    """
    found = injection.score_injections([text[start:end] for start, end in sentences])
    scored = [(start, end, one.score) for (start, end), one in zip(sentences, found, strict=True)]
    marked = [(start, end) for start, end, score in scored if score >= injection.FLAG_AT] or [(0, len(text))]
    if whole < injection.REFUSE_AT:
        return [], marked
    blatant = [(start, end) for start, end, score in scored if score >= injection.REFUSE_AT] or marked
    barred = [(start, _before_stop(text, start, end), "injection") for start, end in blatant]
    beside = [
        (start, end) for start, end, score in scored
        if score >= injection.DOUBTFUL or injection.sanitise(text[start:end]) != text[start:end]
    ]  # fmt: skip
    behind = [after for before, after in pairwise(sentences) if before in blatant]
    beside += [(start, end) for start, end in behind if injection.addresses_reader(text[start:end])]
    forged = [span for span, one in zip(sentences, found, strict=True) if "role_marker" in one.reasons]
    for _, said in forged:
        beside += [(start, end) for start, end in sentences if start >= said and "\n" not in text[said:start]]
    return barred, sorted({span for span in (*marked, *beside) if span not in blatant})


def _before_stop(text: str, start: int, end: int) -> int:
    """The end of a sentence without its stop, so that the sentence after it stays one of its own."""
    kept = len(text[start:end].rstrip(".!?…。！？ \n"))
    return start + kept if kept else end


def _joined(cuts: Sequence[Span]) -> list[Span]:
    joined: list[Span] = []
    for start, end, reason in sorted(cuts, key=lambda cut: (cut[0], -cut[1])):
        if joined and start < joined[-1][1]:
            first, last, known = joined[-1]
            joined[-1] = (first, max(last, end), known)
        else:
            joined.append((start, end, reason))
    return joined


class _Moved:
    """The text with "[class]" in place of each cut, and where positions of the old text are in the new one."""

    def __init__(self, cuts: Sequence[Span]) -> None:
        self._cuts = [(start, end, f"[{reason}]") for start, end, reason in cuts]

    def text(self, text: str) -> str:
        pieces: list[str] = []
        reached = 0
        for start, end, mark in self._cuts:
            pieces += (text[reached:start], mark)
            reached = end
        return "".join((*pieces, text[reached:]))

    def __call__(self, position: int) -> int:
        """Inside a cut every position is the start of its mark."""
        moved = position
        for start, end, mark in self._cuts:
            if position >= end:
                moved += len(mark) - (end - start)
            elif position > start:
                moved -= position - start
        return moved


def _barred(cuts: Sequence[Span], sentences: Sequence[tuple[int, int]], moved: _Moved) -> tuple[Span, ...]:
    """The sentences that hold a cut, in the new text."""
    found: dict[tuple[int, int], str] = {}
    for start, end, reason in cuts:
        holding = [span for span in sentences if span[0] < end and start < span[1]] or [(start, end)]
        for first, last in holding:
            found.setdefault((moved(min(first, start)), moved(max(last, end))), reason)
    return tuple((start, end, reason) for (start, end), reason in sorted(found.items()))


def _narrowed(text: str, barred: Sequence[Span], marks: Sequence[tuple[int, str]]) -> tuple[Span, ...]:
    """Of a sentence with a secret only the clause that holds it, where the rest tells something."""
    found: list[Span] = []
    for start, end, reason in barred:
        clauses = [
            (start + first, start + last, of)
            for first, last in secrets.clause_stretches(text[start:end])
            for of in [next((why for at, why in marks if start + first <= at < start + last), "")]
            if of
        ]
        rest = blanked(text, ((first, last) for first, last, _ in clauses))[start:end]
        tells = reason != "injection" and split_propositions(rest)[0]
        found += clauses if tells else [(start, end, reason)]
    return tuple(found)


def blanked(text: str, barred: Iterable[tuple[int, int]]) -> str:
    """The text, position by position, with a break and blanks in place of what is barred."""
    pieces: list[str] = []
    reached = 0
    for start, end in barred:
        if start < reached:
            continue
        pieces += (text[reached:start], "\n" * min(2, end - start) + " " * (end - start - 2))
        reached = max(reached, end)
    return "".join((*pieces, text[reached:]))


def _says_more(text: str, barred: Sequence[Span]) -> bool:
    """Whether anything is said outside the barred sentences."""
    reached = 0
    for start, end, _ in (*barred, (len(text), len(text), "")):
        if any(map(str.isalnum, text[reached:start])):
            return True
        reached = max(reached, end)
    return False


def _tier(reasons: Iterable[str]) -> Tier:
    found = set(reasons)
    if found & personal.CONFIDENTIAL_REASONS:
        return "confidential"
    return "sensitive" if found else "clear"


def tier_within(letter: Letter, start: int, end: int) -> Tier:
    """The tier that personal data between two positions asks for."""
    if not letter.personal:
        return "clear"
    return _tier(reason for first, last, reason in letter.personal if first < end and start < last)


LARGEST_MESSAGE = 16 << 20
LARGEST_METADATA = 16 << 10
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f\ufffe\uffff]")
_LONG_RUN = re.compile(r"\S{2048}")  # no sentence is longer, and four bytes a character still fit the limit
_LATEST_US = 253_402_300_799_000_000  # the year 9999: what datetime can name


class Desk(msgspec.Struct, frozen=True):
    """What admission needs to know: how the message came, the rules, the kinds there are, and the moment."""

    manner: Manner
    policy: Policy
    kinds: KindTable
    now_us: int


def admit(messages: Sequence[Message], desk: Desk) -> list[Letter]:
    """A letter for each message, in order.

    Raises: InvalidInput, UnknownKind, InvalidAddress; NotPermitted while intake is paused.
    """
    if desk.policy.paused:
        raise NotPermitted("intake is paused", hint="switch the setting `paused` off")
    letters = []
    for number, message in enumerate(messages):
        _check_text(message.text, number + 1)  # people count from one
        _check_fields(message, desk.kinds, number + 1)
        at_us = message.at_us if message.at_us is not None else desk.now_us
        letters.append(
            Letter(
                number=number,
                message=message,
                manner=desk.manner,
                id=new_id(desk.now_us),
                text=message.text,
                at_us=at_us,
                zone=chosen_zone(message.zone, desk.policy.zone, at_us),
            )
        )
    return letters


def _check_text(text: str, number: int) -> None:
    if not isinstance(text, str):
        raise InvalidInput(f"message {number} is {type(text).__name__}, not text", field="text")
    if not text or text.isspace():
        raise InvalidInput(f"message {number} is empty", field="text")
    if len(text) > LARGEST_MESSAGE:
        raise InvalidInput(
            f"message {number} is longer than {LARGEST_MESSAGE >> 20} million characters", field="text", hint="split it"
        )
    if match := _CONTROL.search(text):
        raise InvalidInput(
            f"message {number} has a control character at position {match.start()}", field="text",
            hint="give text, not binary data; keep files as artifacts",
        )  # fmt: skip
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InvalidInput(
                f"message {number} is not valid Unicode at position {error.start}", field="text"
            ) from error
    if len(text) > TEXT_LIMIT_BYTES // 4 and (match := _LONG_RUN.search(text)):
        run = len(re.match(r"\S*", text[match.start() :])[0].encode())  # type: ignore[index]
        if run > TEXT_LIMIT_BYTES and not _has_inner_breaks(text[match.start() : match.start() + TEXT_LIMIT_BYTES]):
            raise InvalidInput(
                f"message {number} has a run of {run} bytes without a break at position {match.start()}", field="text",
                hint="encoded data is no memory; keep it as an artifact",
            )  # fmt: skip


def _has_inner_breaks(run: str) -> bool:
    """Whether a run without spaces has sentence signs, as text in scripts that write no spaces does."""
    return any(sign in run for sign in "。！？｡。,，、;；.")


def _check_fields(message: Message, kinds: KindTable, number: int) -> None:
    if message.kind:
        kinds.get(message.kind)
    if message.place:
        place_of(message.place)
    if message.name:
        ROOT.child(message.name)
    if message.importance is not None and not 0.0 <= message.importance <= 1.0:
        raise InvalidInput(f"message {number}: importance is from 0 to 1", field="importance")
    if message.at_us is not None and not 0 <= message.at_us <= _LATEST_US:
        raise InvalidInput(f"message {number}: at_us is outside 1970 to 9999", field="at_us")
    if message.metadata is not None:
        check_metadata(message.metadata, f"message {number}: ")
    if message.source not in NODE_KINDS:
        raise InvalidInput(
            f"message {number}: unknown source {message.source!r}", field="source", hint=", ".join(NODE_KINDS)
        )


def check_metadata(metadata: Mapping[str, Any], of: str = "") -> None:
    """Whether what stands beside something are JSON values of a size that can be kept.

    Raises: InvalidInput.
    """
    try:
        json.dumps(metadata, allow_nan=False)  # msgspec would write what is no number as null
        size = len(msgspec.json.encode(metadata))
    except (
        TypeError,
        ValueError,
        OverflowError,
        RecursionError,
    ) as error:  # no JSON, or nothing that can be kept as such
        raise InvalidInput(f"{of}metadata is JSON values by key", field="metadata") from error
    if size > LARGEST_METADATA:
        raise InvalidInput(
            f"{of}metadata has {size} bytes, {LARGEST_METADATA} at most", field="metadata",
            hint="keep what is larger as a file and its path here",
        )  # fmt: skip


place_of = remembered(4096)(Place.parse)


def digest(letter: Letter) -> bytes:
    """What makes two messages the same message sent twice; the time counts only when the sender gave one.

    Of what is imported it is the entry and its words: the time of a file changes when the file is copied.
    """
    m = letter.message
    if m.imported:
        entry = ("import", str(m.scope), m.author, m.entry, m.text)
        return blake2b("\x1f".join(entry).encode(), digest_size=16).digest()
    parts = (
        letter.manner, str(m.scope), m.thread, m.session, m.speaker, m.role, m.author, m.source, m.place, m.kind,
        m.name, "" if m.at_us is None else str(m.at_us), m.text,
        *(() if m.metadata is None else (json.dumps(m.metadata, sort_keys=True),)),
    )  # fmt: skip
    return blake2b("\x1f".join(parts).encode(), digest_size=16).digest()
