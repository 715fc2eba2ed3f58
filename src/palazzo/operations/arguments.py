"""Arguments from outside: into the typed value an operation takes, and as the JSON Schema a client is shown.

Owns validation at the edge. An error names the field and what was wanted, never the value. Invariant: whatever passes
has the declared types, ranges, and times with a zone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any, get_args
from uuid import UUID

import msgspec

from palazzo.errors import InvalidInput
from palazzo.operations.declared import SCOPE_KEYS, Operation, Parameter, parameters_of

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_NAMED = (
    ("`array`", "a list"), ("`str`", "text"), ("`int`", "a whole number"), ("`float`", "a number"),
    ("`bool`", "true or false"), ("`object`", "an object"), ("`object | null`", "an object"), ("`null`", "nothing"),
)  # fmt: skip
"""Types as people call them."""
_PATH = re.compile(r" - at `\$\.?([^`]*)`$")


def converted(operation: Operation, given: Mapping[str, Any]) -> Any:
    """The arguments of an operation as its declared value.

    Raises: InvalidInput naming the field.
    """
    known = _known(operation.arguments)
    for name in given:
        if name not in known:
            raise InvalidInput(
                f"{operation.name} has no parameter {name!r}",
                field=str(name),
                hint=belongs_within(operation, name) or f"it has {', '.join(known) or 'none'}",
            )
    for parameter in _required(operation.arguments):
        if given.get(parameter.name) is None:
            raise InvalidInput(f"{operation.name} wants {parameter.name}", field=parameter.name, hint=parameter.help)
    for name, value in given.items():
        _refuse_strays(known[name], value)
    plain = {name: _dated(known[name], _without_ids(value)) for name, value in given.items()}
    try:
        made: Any = msgspec.convert(plain, operation.arguments, from_attributes=True)
    except msgspec.ValidationError as error:
        raise _explained(operation, str(error)) from error
    for name in given:  # what was not given has its default, which is within its range
        parameter, value = known[name], getattr(made, name)
        if parameter.says_something and not value.strip():
            raise InvalidInput(f"{parameter.name} is empty", field=parameter.name, hint=parameter.help)
        _check(parameter, value, parameter.name)
    return made


@cache
def _known(kind: type) -> dict[str, Parameter]:
    return {parameter.name: parameter for parameter in parameters_of(kind)}


@cache
def _required(kind: type) -> tuple[Parameter, ...]:
    return tuple(parameter for parameter in parameters_of(kind) if parameter.required)


def belongs_within(operation: Operation, name: str) -> str:
    """What to say of a parameter that an operation has not, but each of the things it takes; empty where none has."""
    holder = next((p.name for p in operation.parameters if name in _names_within(p.type)), "")
    return f"{name} is said in each of {holder}, an object: {{{name!r}: ...}}" if holder else ""


def _dated(parameter: Parameter, value: Any) -> Any:
    """A day that stands for a time is its first moment, in UTC, also within a list of objects."""
    if isinstance(value, list | tuple):
        within = {one.name: one for kind in _kinds_in(parameter.type) for one in _declared(kind)}
        return [
            {key: _dated(within[key], one) if key in within else one for key, one in item.items()}
            if within and isinstance(item, Mapping) else item
            for item in value
        ]  # fmt: skip
    is_day = isinstance(value, str) and _DAY.fullmatch(value) and datetime in _kinds_in(parameter.type)
    return f"{value}T00:00:00Z" if is_day else value


def _without_ids(value: Any) -> Any:
    """Ids as text, also inside lists: they are UUIDs in every result and may be handed back as they came."""
    if isinstance(value, list | tuple):
        return [_without_ids(item) for item in value]
    return str(value) if isinstance(value, UUID) else value


def _refuse_strays(parameter: Parameter, value: Any) -> None:
    """A misspelt key inside a list of objects is refused like any other, not passed over."""
    if not isinstance(value, list | tuple):
        return
    inner = _names_within(parameter.type)
    if not inner:
        return
    for number, item in enumerate(value):
        for name in item if isinstance(item, Mapping) else ():
            if name not in inner:
                field = f"{parameter.name}[{number}].{name}"
                raise InvalidInput(f"{field} means nothing", field=field, hint=f"known: {', '.join(sorted(inner))}")


@cache
def _names_within(hint: Any) -> frozenset[str]:
    return frozenset(parameter.name for kind in _kinds_in(hint) for parameter in _declared(kind))


def _kinds_in(hint: Any) -> tuple[type, ...]:
    """The types a hint is made of, however deep."""
    inner = get_args(hint)
    return tuple(kind for part in inner for kind in _kinds_in(part)) if inner else (hint,)


def _explained(operation: Operation, message: str) -> InvalidInput:
    place = _PATH.search(message)
    field = place[1] if place else ""
    wanted = message[: place.start()] if place else message
    # The value of a wrong choice is the caller's own and may be content; only what is allowed is told.
    parameter = next((p for p in operation.parameters if p.name == re.split(r"[.\[]", field)[0]), None)
    if "Invalid enum value" in wanted:
        wanted = f"not one of {', '.join(_choices(parameter, field)) or 'the choices'}"
    elif "RFC3339" in wanted:
        wanted = "wants a day or a time with its zone, such as 2026-03-01 or 2026-03-01T12:00:00Z"
    for written, meant in _NAMED:
        wanted = wanted.replace(written, meant)
    return InvalidInput(f"{field or operation.name}: {wanted}", field=field, hint=parameter.help if parameter else None)


def _choices(parameter: Parameter | None, field: str) -> tuple[str, ...]:
    """The words that may stand at a path, such as sources[0].kind."""
    found = parameter
    for name in re.findall(r"\.(\w+)", field):
        within = _kinds_in(found.type) if found else ()
        found = next((one for kind in within for one in _declared(kind) if one.name == name), None)
    words: tuple[Any, ...] = _kinds_in(found.type) if found else ()
    return tuple(word for word in words if isinstance(word, str))


def _check(parameter: Parameter, value: Any, field: str) -> None:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise InvalidInput(f"{field} needs a time zone", field=field, hint="such as 2026-03-01T12:00:00Z")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        below = parameter.low is not None and value < parameter.low
        if below or (parameter.high is not None and value > parameter.high):
            bounds = " to ".join(f"{bound:,}" for bound in (parameter.low, parameter.high) if bound is not None)
            raise InvalidInput(f"{field} is from {bounds}", field=field, hint=parameter.help)
    elif isinstance(value, tuple):
        for number, item in enumerate(value):
            for inner in _declared(type(item)):
                _check(inner, getattr(item, inner.name), f"{field}[{number}].{inner.name}")


def _declared(kind: type) -> tuple[Parameter, ...]:
    return parameters_of(kind) if hasattr(kind, "__dataclass_fields__") else ()


@cache
def schema(operation: Operation, *, scope_keys: bool = True) -> dict[str, Any]:
    """The JSON Schema of an operation's parameters; without the scope keys where the connection sets the scope."""
    (top,), parts = msgspec.json.schema_components([operation.arguments], ref_template="#/$defs/{name}")
    made = dict(parts.pop(top["$ref"].rsplit("/", 1)[1]))
    made.pop("title", None)
    made.pop("description", None)
    made["properties"] = {
        p.name: _described(p, made["properties"][p.name]) | ({"pattern": r"\S"} if p.says_something else {})
        for p in operation.parameters
        if scope_keys or p.name not in SCOPE_KEYS
    }
    made["required"] = [p.name for p in operation.parameters if p.required]
    made["additionalProperties"] = False
    if parts:
        kinds = {
            kind.__name__: kind for p in operation.parameters for kind in _kinds_in(p.type) if isinstance(kind, type)
        }
        made["$defs"] = {name: _part(kinds[name], dict(part)) for name, part in parts.items()}
    return made


def _part(kind: type, part: dict[str, Any]) -> dict[str, Any]:
    declared = {p.name: p for p in _declared(kind)}
    part["properties"] = {key: _described(declared[key], value) for key, value in part["properties"].items()}
    return part


def _described(parameter: Parameter, found: Mapping[str, Any]) -> dict[str, Any]:
    made = {**found, "description": parameter.help}
    if parameter.low is not None:
        made["minimum"] = parameter.low
    if parameter.high is not None:
        made["maximum"] = parameter.high
    return made


def as_plain(result: Any) -> Any:
    """A result as plain JSON values: ids as text, times in RFC 3339."""
    return msgspec.to_builtins(result)
