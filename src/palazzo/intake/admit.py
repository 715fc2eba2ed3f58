"""Stage 1, admit: is this a message at all? Encoding, length, fields. Nothing is judged here.

A fault is an error that names the message and the field, and nothing of the call is written. Invariant: what passes is
valid Unicode without control characters, and its fields mean something.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from palazzo.errors import InvalidInput, NotPermitted
from palazzo.intake.values import Policy
from palazzo.model.address import ROOT, Place
from palazzo.model.graph import NODE_KINDS
from palazzo.model.ids import new_id
from palazzo.model.kinds import KindTable
from palazzo.model.memory import TEXT_LIMIT_BYTES
from palazzo.model.message import Letter, Manner, Message
from palazzo.text.words.remembered import remembered

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
        _check_text(message.text, number)
        _check_fields(message, desk.kinds, number)
        at_us = message.at_us if message.at_us is not None else desk.now_us
        letters.append(
            Letter(
                number=number,
                message=message,
                manner=desk.manner,
                id=new_id(desk.now_us),
                text=message.text,
                at_us=at_us,
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
        _check_metadata(message.metadata, number)
    if message.source not in NODE_KINDS:
        raise InvalidInput(
            f"message {number}: unknown source {message.source!r}", field="source", hint=", ".join(NODE_KINDS)
        )


def _check_metadata(metadata: Mapping[str, Any], number: int) -> None:
    try:
        json.dumps(metadata, allow_nan=False)  # msgspec would write what is no number as null
        size = len(msgspec.json.encode(metadata))
    except (
        TypeError,
        ValueError,
        OverflowError,
        RecursionError,
    ) as error:  # no JSON, or nothing that can be kept as such
        raise InvalidInput(f"message {number}: metadata is JSON values by key", field="metadata") from error
    if size > LARGEST_METADATA:
        raise InvalidInput(
            f"message {number}: metadata has {size} bytes, {LARGEST_METADATA} at most", field="metadata",
            hint="keep what is larger as a file and its path here",
        )  # fmt: skip


place_of = remembered(4096)(Place.parse)
