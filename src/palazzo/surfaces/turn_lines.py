"""Turns of a conversation as JSON lines, read into messages.

Owns the format of `palazzo observe`. A line that cannot be read is an error that names it; nothing of its batch is
taken in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec

from palazzo.errors import InvalidInput
from palazzo.model.message import Message, Role
from palazzo.model.scope import Scope

_TEXTS = ("speaker", "addressee", "thread", "session", "author", "label")
_ROLES: tuple[str, ...] = Role.__args__  # type: ignore[attr-defined]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read_turns(lines: Iterable[str], batch: int) -> Iterator[list[Message]]:
    """Messages in batches; empty lines are skipped.

    Raises: InvalidInput.
    """
    turns: list[Message] = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            turns.append(_turn(line, number))
        if len(turns) == batch:
            yield turns
            turns = []
    if turns:
        yield turns


def _turn(line: str, number: int) -> Message:
    try:
        given: dict[str, Any] = msgspec.json.decode(line, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise InvalidInput(f"line {number} is no JSON object", field="line") from error
    if "content" in given and "text" not in given:
        given["text"] = given.pop("content")  # as chat programs and the registry name it
    unknown = set(given) - {*_TEXTS, "text", "role", "at", "scope"}
    if unknown:
        raise InvalidInput(f"line {number}: unknown field {sorted(unknown)[0]!r}", field="line")
    texts = {name: given[name] for name in (*_TEXTS, "text") if name in given}
    faulty = [name for name, value in texts.items() if not isinstance(value, str)]
    if "text" not in given or faulty:
        raise InvalidInput(f"line {number}: {faulty[0] if faulty else 'text'} must be text", field="line")
    role = given.get("role", "user")
    if role not in _ROLES:
        raise InvalidInput(f"line {number}: role is one of {', '.join(_ROLES)}", field="role")
    return Message(
        **texts, role=role, at_us=_moment(given.get("at"), number), scope=Scope.parse(given.get("scope", ""))
    )


def _moment(value: Any, number: int) -> int | None:
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"line {number}: at is an RFC 3339 time", field="at") from error
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return round((aware - _EPOCH).total_seconds() * 1_000_000)
