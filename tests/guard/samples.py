"""Arguments for any operation, made from its declared types: what a caller could send."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal, get_args, get_origin

from palazzo.operations.declared import Operation, Parameter

NOBODY = "00000000-0000-7000-8000-000000000000"
KNOWN: dict[str, Any] = {
    "memory": NOBODY, "source": NOBODY, "target": NOBODY, "other": NOBODY, "place": "work", "subject": "agent:x",
    "text": "The lake is deep.", "cue": "lake", "message": "lake", "question": "which lake?", "topic": "lake",
    "notes": ["The lake is deep."], "turns": ["The lake is deep."], "level": "read_public",
    "events": [{"kind": "command", "source": "shell", "reference": "make"}],
}  # fmt: skip


def sample(operation: Operation, **known: Any) -> dict[str, Any]:
    """A value for everything that must be given, those known by name first."""
    return {p.name: known.get(p.name, _value(p)) for p in operation.parameters if p.required}


def _value(parameter: Parameter) -> Any:
    if get_origin(parameter.type) is Literal:
        return get_args(parameter.type)[0]
    if parameter.name in KNOWN:
        return KNOWN[parameter.name]
    return _of_type(parameter.type)


def _of_type(hint: Any) -> Any:
    if get_origin(hint) is tuple:
        return [_of_type(get_args(hint)[0])]
    if get_origin(hint) is Literal:
        return get_args(hint)[0]
    inner = [part for part in get_args(hint) if part is not type(None)]
    if inner:
        return _of_type(inner[0])
    return {bool: False, int: 1, float: 0.5, datetime: datetime(2025, 6, 1, tzinfo=UTC)}.get(hint, NOBODY)
