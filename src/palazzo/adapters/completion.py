"""Gets a fitting JSON value out of a language model: asks, checks, and asks once more with the fault named.

Owns the conversation, the part of JSON Schema that replies are checked by, and the loan of a model for one call. Knows
nothing of servers: the caller gives it a function that sends messages. Keywords: type, properties, required,
additionalProperties, items, enum, const, anyOf, $ref into $defs, minimum, maximum, exclusiveMinimum, exclusiveMaximum,
minLength, maxLength, minItems, maxItems, pattern, and the annotations title, description, default, examples.
Invariants: what is returned fits the schema, and a schema with any other keyword is refused rather than half checked; a
fault is described by its place in the value and what was expected there, so errors stay free of content; a loan belongs
to the thread or task that made it, and outside one there is no model, which is no failure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from palazzo.errors import InvalidInput, PartUnavailable
from palazzo.ports import Completer, CompletionReply, CompletionRequest, JsonValue

Message: TypeAlias = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RawReply:
    """What a server answered, before it is parsed."""

    text: str = field(repr=False)
    model: str
    cut_off: bool = False
    declined: bool = False
    prompt_tokens: int | None = None
    reply_tokens: int | None = None

    @classmethod
    def of(
        cls,
        content: object,
        *,
        model: str,
        cut_off: bool,
        declined: bool = False,
        tokens: tuple[object, object],
    ) -> RawReply:
        """A reply from what a server sent, which may be anything: no text is the empty one, no count is None."""
        asked, answered = tokens
        return cls(
            text=content if isinstance(content, str) else "",
            model=model,
            cut_off=cut_off,
            declined=declined,
            prompt_tokens=asked if isinstance(asked, int) else None,
            reply_tokens=answered if isinstance(answered, int) else None,
        )


def ask(
    request: CompletionRequest, send: Callable[[list[Message]], RawReply], *, part: str, attempts: int = 2
) -> CompletionReply:
    """Put the request to `send` until the reply fits, `attempts` times at most.

    Raises: PartUnavailable if no reply fits, InvalidInput if the schema is outside the supported subset, and
    whatever `send` raises.
    """
    check_schema(request.schema)
    messages = [{"role": "system", "content": request.instructions}] if request.instructions else []
    messages.append({"role": "user", "content": request.prompt})
    prompt_tokens: list[int | None] = []
    reply_tokens: list[int | None] = []
    fault = ""
    for number in range(1, attempts + 1):
        raw = send(messages)
        prompt_tokens.append(raw.prompt_tokens)
        reply_tokens.append(raw.reply_tokens)
        if raw.declined:
            raise PartUnavailable(f"the model {raw.model} declined to answer {request.purpose}", part=part)
        value, fault = _parse(raw.text, request.schema)
        if not fault:
            return CompletionReply(
                value=value,
                model=raw.model,
                attempts=number,
                prompt_tokens=_total(prompt_tokens),
                reply_tokens=_total(reply_tokens),
            )
        if raw.cut_off:
            raise PartUnavailable(
                f"the reply to {request.purpose} was cut off at {request.max_tokens} tokens",
                part=part,
                hint="ask for less at once, or allow longer replies",
            )
        messages = [*messages, {"role": "assistant", "content": raw.text}, _correction(fault)]
    raise PartUnavailable(
        f"no fitting reply to {request.purpose} in {attempts} attempts: {fault}",
        part=part,
        hint="use a model that can be held to a JSON schema",
    )


def _parse(text: str, schema: Mapping[str, object]) -> tuple[JsonValue, str]:
    """The value and no fault, or None and the fault."""
    try:
        value = json.loads(_unfenced(text))
    except ValueError:
        return None, "the reply is not JSON"
    except RecursionError:
        return None, "the reply is nested too deeply"
    return cast("JsonValue", value), find_fault(value, schema) or ""


def _unfenced(text: str) -> str:
    """The reply without the Markdown fence that models put around JSON when nothing holds them to it."""
    stripped = text.strip()
    if stripped.startswith("```") and stripped.endswith("```") and "\n" in stripped:
        return stripped[stripped.index("\n") + 1 : -3]
    return stripped


def _correction(fault: str) -> Message:
    return {
        "role": "user",
        "content": f"That reply does not fit the schema ({fault}). Reply again with the JSON value only.",
    }


def _total(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


_ANNOTATIONS = frozenset({"title", "description", "default", "examples", "$schema", "$id", "$defs"})
_LIMITS: Mapping[str, tuple[str, Callable[[float, float], bool]]] = {
    "minimum": ("at least {}", lambda value, limit: value >= limit),
    "maximum": ("at most {}", lambda value, limit: value <= limit),
    "exclusiveMinimum": ("more than {}", lambda value, limit: value > limit),
    "exclusiveMaximum": ("less than {}", lambda value, limit: value < limit),
}
_SIZES: Mapping[str, tuple[type, str, bool]] = {
    "minLength": (str, "{} characters or more", True),
    "maxLength": (str, "{} characters or fewer", False),
    "minItems": (list, "{} items or more", True),
    "maxItems": (list, "{} items or fewer", False),
}
_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "boolean": (bool,), "null": (type(None),),
    "integer": (int, float), "number": (int, float),
}  # fmt: skip
_KNOWN = (
    frozenset({"type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf"})
    | {"$ref", "pattern"}
    | _LIMITS.keys()
    | _SIZES.keys()
    | _ANNOTATIONS
)
_DEEPEST = 64


def find_fault(value: object, schema: Mapping[str, object]) -> str | None:
    """Where and why `value` does not fit `schema`, such as "$.items[2].kind: expected string"; None if it
    fits.

    Raises: InvalidInput if the schema itself is not understood.
    """
    check_schema(schema)
    return _Check(schema).fault(value, schema, "$", 0)


def check_schema(schema: Mapping[str, object]) -> None:
    """Check that every part of the schema is understood.

    Raises: InvalidInput.
    """
    _check_part(schema, schema)


def is_strict(schema: Mapping[str, object]) -> bool:
    """Whether every object is closed and requires all its properties, as strict decoding demands."""
    if "object" in _type_names(schema) or "properties" in schema:
        names = set(cast("Mapping[str, object]", schema.get("properties", {})))
        if schema.get("additionalProperties") is not False or set(_list(schema, "required")) != names:
            return False
    return all(is_strict(part) for part in _parts(schema) if isinstance(part, Mapping))


class _Check:
    def __init__(self, root: Mapping[str, object]) -> None:
        self._root = root

    def fault(self, value: object, schema: object, path: str, depth: int) -> str | None:
        """The first fault found, outermost first."""
        if depth > _DEEPEST:
            return f"{path}: nested too deeply"
        rules = cast("Mapping[str, object]", schema)
        if "$ref" in rules:
            return self.fault(value, _resolve(self._root, rules["$ref"]), path, depth + 1)
        return (
            _type_fault(value, rules, path)
            or _choice_fault(value, rules, path)
            or _size_fault(value, rules, path)
            or self._any_fault(value, rules, path, depth)
            or self._object_fault(value, rules, path, depth)
            or self._array_fault(value, rules, path, depth)
        )

    def _any_fault(self, value: object, rules: Mapping[str, object], path: str, depth: int) -> str | None:
        choices = _list(rules, "anyOf")
        if not choices:
            return None
        faults = [self.fault(value, choice, path, depth + 1) for choice in choices]
        return None if None in faults else f"{path}: fits none of {len(choices)} alternatives"

    def _object_fault(self, value: object, rules: Mapping[str, object], path: str, depth: int) -> str | None:
        if not isinstance(value, dict):
            return None
        properties = cast("Mapping[str, object]", rules.get("properties", {}))
        for name in _list(rules, "required"):
            if name not in value:
                return f"{path}.{name}: missing"
        other = rules.get("additionalProperties", True)
        for name, part in value.items():
            if name in properties:
                found = self.fault(part, properties[name], f"{path}.{name}", depth + 1)
            elif other is False:
                found = f"{path}: has a property that is not in the schema"
            else:
                # The property's name is the reply's own, so it is not repeated.
                found = None if other is True else self.fault(part, other, f"{path}.*", depth + 1)
            if found is not None:
                return found
        return None

    def _array_fault(self, value: object, rules: Mapping[str, object], path: str, depth: int) -> str | None:
        if not isinstance(value, list) or "items" not in rules:
            return None
        faults = (self.fault(part, rules["items"], f"{path}[{number}]", depth + 1) for number, part in enumerate(value))
        return next((found for found in faults if found is not None), None)


def _check_part(schema: object, root: Mapping[str, object]) -> None:
    if not isinstance(schema, Mapping):
        raise InvalidInput("a schema must be an object", field="schema")
    unknown = sorted(str(key) for key in schema if key not in _KNOWN)
    if unknown:
        raise InvalidInput(f"the schema uses {unknown[0]}, which is not checked here", field="schema")
    for name in _type_names(schema):
        if name not in _TYPES:
            raise InvalidInput(f"the schema names an unknown type {name!r}", field="schema")
    for key in (*_LIMITS, *_SIZES):
        if not isinstance(schema.get(key, 0), (int, float)):
            raise InvalidInput(f"{key} in a schema must be a number", field="schema")
    try:
        re.compile(str(schema.get("pattern", "")))
    except re.error:
        raise InvalidInput("a pattern in the schema is not a regular expression", field="schema") from None
    if "$ref" in schema:
        _resolve(root, schema["$ref"])
    for key in ("required", "enum"):
        _list(schema, key)
    for part in _parts(schema):
        _check_part(part, root)


def _parts(schema: Mapping[str, object]) -> list[object]:
    """The schemas directly inside a schema."""
    parts = list(_list(schema, "anyOf"))
    for key in ("properties", "$defs"):
        named = schema.get(key, {})
        if not isinstance(named, Mapping):
            raise InvalidInput(f"{key} in a schema must be an object", field="schema")
        parts.extend(named.values())
    if "items" in schema:
        parts.append(schema["items"])
    if not isinstance(schema.get("additionalProperties", True), bool):
        parts.append(schema["additionalProperties"])
    return parts


def _resolve(root: Mapping[str, object], reference: object) -> object:
    definitions = root.get("$defs")
    name = str(reference).removeprefix("#/$defs/")
    if not isinstance(definitions, Mapping) or name not in definitions:
        raise InvalidInput(f"the schema refers to {reference!r}, which it does not define", field="schema")
    return definitions[name]


def _type_names(rules: Mapping[str, object]) -> list[str]:
    wanted = rules.get("type", ())
    return [str(name) for name in wanted] if isinstance(wanted, (list, tuple)) else [str(wanted)]


def _list(rules: Mapping[str, object], key: str) -> Sequence[object]:
    value = rules.get(key, ())
    if not isinstance(value, (list, tuple)):
        raise InvalidInput(f"{key} in a schema must be a list", field="schema")
    return value


def _type_fault(value: object, rules: Mapping[str, object], path: str) -> str | None:
    names = _type_names(rules)
    if not names or any(_is_of_type(value, name) for name in names):
        return None
    return f"{path}: expected {' or '.join(names)}"


def _is_of_type(value: object, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[name])


def _choice_fault(value: object, rules: Mapping[str, object], path: str) -> str | None:
    if "const" in rules and not _same(value, rules["const"]):
        return f"{path}: is not the constant the schema asks for"
    choices = _list(rules, "enum")
    if choices and not any(_same(value, choice) for choice in choices):
        return f"{path}: is none of the {len(choices)} allowed values"
    return None


def _same(value: object, other: object) -> bool:
    # In Python True equals 1, in JSON it does not; 1 and 1.0 are the same number in both.
    if isinstance(value, bool) or isinstance(other, bool):
        return value is other
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(_same, value, other))
    if isinstance(value, dict) and isinstance(other, dict):
        return value.keys() == other.keys() and all(_same(part, other[name]) for name, part in value.items())
    return value == other


def _size_fault(value: object, rules: Mapping[str, object], path: str) -> str | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        for key, (words, holds) in _LIMITS.items():
            if key in rules and not holds(value, float(str(rules[key]))):
                return f"{path}: must be {words.format(rules[key])}"
    for key, (kind, words, lower) in _SIZES.items():
        if key in rules and isinstance(value, kind):
            size, limit = len(cast("list[object] | str", value)), int(str(rules[key]))
            if size < limit if lower else size > limit:
                return f"{path}: must have {words.format(limit)}"
    if "pattern" in rules and isinstance(value, str) and re.search(str(rules["pattern"]), value) is None:
        return f"{path}: does not match the pattern"
    return None


_LENT: ContextVar[Completer | None] = ContextVar("palazzo_lent_completer", default=None)


def lent_completer() -> Completer | None:
    """The model lent to this call, if there is one."""
    return _LENT.get()


@contextmanager
def lend(completer: Completer | None) -> Iterator[None]:
    """Lends a model to what runs inside the block."""
    token = _LENT.set(completer)
    try:
        yield
    finally:
        _LENT.reset(token)
