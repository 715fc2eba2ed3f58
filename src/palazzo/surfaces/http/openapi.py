"""The OpenAPI 3.1 document of the HTTP surface, made from the registry.

Owns the frame; parameters, results and words come from the declarations. Invariant: what the document shows of an
operation is what `converted` takes and what its result type encodes to.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import msgspec

from palazzo import __version__
from palazzo.operations.arguments import schema
from palazzo.operations.declared import Operation
from palazzo.operations.registry import OPERATIONS
from palazzo.surfaces.http.messages import Problem
from palazzo.surfaces.wire import FORMS

_REF: Final = "#/components/schemas/{name}"
_ABOUT: Final = (
    "The memory of an AI agent. Every operation is a POST of its parameters as one JSON object. Errors are"
    " application/problem+json with a stable `code` and a `hint`. Send a bearer token; what it may do is decided by the"
    " grants of its subject. A request that writes may carry an Idempotency-Key: sent again, it is answered as before"
    " and nothing is done twice."
)


def _moved(part: Any) -> Any:
    """A schema whose own definitions live among the document's components."""
    if isinstance(part, dict):
        return {
            key: value.replace("#/$defs/", "#/components/schemas/") if key == "$ref" else _moved(value)
            for key, value in part.items()
            if key != "$defs"
        }
    return [_moved(inner) for inner in part] if isinstance(part, list) else part


def _ref(name: str) -> dict[str, str]:
    return {"$ref": _REF.format(name=name)}


def _problem(what: str) -> dict[str, Any]:
    return {"description": what, "content": {"application/problem+json": {"schema": _ref("Problem")}}}


_KEY: Final = {
    "name": "Idempotency-Key", "in": "header", "required": False,
    "description": "A key of your own: the same request sent again with it is done once.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
}  # fmt: skip
_REFUSALS: Final = {
    "400": "The body is not a JSON object.", "401": "No bearer token that holds.",
    "403": "The caller's capability does not reach.", "404": "Nothing there that the caller may see.",
    "408": "The body did not come in time.",
    "409": "The write would break a law, or the same request still runs.", "413": "Too large.",
    "415": "Not JSON.", "421": "Another host's name.",
    "422": "A parameter is at fault, or an idempotency key came again with another request.",
    "429": "Too often, or too much at once; see Retry-After.", "503": "Busy, or a part is missing; try again.",
}  # fmt: skip


def _result(operation: Operation) -> dict[str, Any]:
    """The result; for a caller whose level shows less, what is left of it."""
    own = _ref(operation.result.__name__)
    if operation.writes or operation.where == "palace":
        return own
    return {"anyOf": [own, *(_ref(form.__name__) for form in FORMS.values())]}


def _post(operation: Operation) -> dict[str, Any]:
    required = any(p.required for p in operation.parameters)
    return {
        "operationId": operation.name,
        "summary": operation.people,
        "tags": ["writes" if operation.writes else "reads"],
        "description": f"Needs {operation.level.name}." + (" The operator's alone." if operation.operator_only else ""),
        **({"parameters": [_KEY]} if operation.writes else {}),
        "requestBody": {
            "required": required,
            "content": {"application/json": {"schema": _moved(schema(operation))}},
        },
        "responses": {
            "200": {
                "description": (operation.result.__doc__ or "").partition("\n")[0],
                "content": {"application/json": {"schema": _result(operation)}},
            },
            **{status: _problem(what) for status, what in _REFUSALS.items()},
            "default": _problem("Any other failure."),
        },
    }


def _stream() -> dict[str, Any]:
    return {
        "operationId": "stream_events",
        "summary": "Follow the journal as server-sent events.",
        "tags": ["reads"],
        "parameters": [
            {
                "name": "after", "in": "query", "required": False, "schema": {"type": "integer", "minimum": 0},
                "description": "Go on after this event; from now on when left out.",
            },
            {
                "name": "Last-Event-ID", "in": "header", "required": False,
                "schema": {"type": "string", "pattern": "^[0-9]{1,15}$"},
                "description": "The same, as clients send it on their own when they reconnect.",
            },
        ],
        "responses": {
            "200": {"description": "A stream that stays open.", "content": {"text/event-stream": {"schema": {}}}},
            "default": _problem("Any failure."),
        },
    }  # fmt: skip


def _open(name: str, what: str, kind: str, shape: dict[str, Any]) -> dict[str, Any]:
    return {
        "get": {
            "operationId": name, "summary": what, "tags": ["care"],
            **({} if name == "metrics" else {"security": []}),
            "responses": {
                "200": {"description": what, "content": {kind: {"schema": shape}}},
                "default": _problem("Any failure."),
            },
        }
    }  # fmt: skip


def as_builtins() -> dict[str, Any]:
    """The document as plain values."""
    results = [operation.result for operation in OPERATIONS]
    _, parts = msgspec.json.schema_components([*results, *FORMS.values(), Problem], ref_template=_REF)
    for operation in OPERATIONS:
        parts.update({name: _moved(part) for name, part in schema(operation).get("$defs", {}).items()})
    paths: dict[str, Any] = {f"/v1/{operation.name}": {"post": _post(operation)} for operation in OPERATIONS}
    paths["/v1/events"]["get"] = _stream()
    health = {"type": "object", "properties": {"status": {"const": "ok"}, "version": {"type": "string"}}}
    paths["/health"] = _open("health", "Whether the daemon runs.", "application/json", health)
    paths["/metrics"] = _open("metrics", "Counters for Prometheus.", "text/plain", {"type": "string"})
    return {
        "openapi": "3.1.0",
        "info": {"title": "Palazzo", "version": __version__, "description": _ABOUT, "license": {"name": "Apache-2.0"}},
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {"schemas": parts, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


@cache
def document() -> bytes:
    """The document as JSON."""
    return msgspec.json.encode(as_builtins())
