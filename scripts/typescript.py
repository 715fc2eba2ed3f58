"""The TypeScript client, made from the OpenAPI document: a method for each operation, with its types; no dependencies.

Owns how a schema is written in TypeScript. The two files are generated pages: `make docs` writes them, a test compares them.
"""

from __future__ import annotations

import json
from typing import Any

from palazzo.surfaces.http.app import as_builtins

_SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
_HEAD = "// Made from the OpenAPI document by `make docs`; do not edit.\n"
_RUNTIME = """\
/** A refusal or failure, with the code every surface uses and what to do about it. */
export class PalazzoError extends Error {
  constructor(status, problem) {
    super(problem.detail || problem.title || `HTTP ${status}`);
    this.name = "PalazzoError";
    this.status = status;
    this.code = problem.code || "";
    this.hint = problem.hint || "";
    this.field = problem.field || "";
  }
}

/** A palace behind `palazzo serve`. */
export class Palazzo {
  constructor({ token, url = "http://127.0.0.1:7777", fetch: given = globalThis.fetch, scope = {} } = {}) {
    this.url = url.replace(/\\/+$/, "");
    this.scope = scope;
    this._token = token;
    this._fetch = given;
  }

  _headers(more = {}) {
    return { ...(this._token ? { Authorization: `Bearer ${this._token}` } : {}), ...more };
  }

  /** Calls an operation by its name. `idempotencyKey` makes a write that is sent again be done once. */
  async call(name, args = {}, { idempotencyKey, signal } = {}) {
    const headers = { "Content-Type": "application/json" };
    if (idempotencyKey) headers["Idempotency-Key"] = idempotencyKey;
    const own = Object.fromEntries(Object.entries(this.scope).filter(([key]) => (SCOPED[name] || []).includes(key)));
    const body = JSON.stringify({ ...own, ...args });
    const reply = await this._fetch(`${this.url}/v1/${name}`, { method: "POST", headers: this._headers(headers), body, signal });
    const told = await reply.json();
    if (!reply.ok) throw new PalazzoError(reply.status, told);
    return told;
  }

  /** What happens in the palace from now on, or after an event that was seen. */
  async *follow({ after, signal } = {}) {
    const asked = after === undefined ? "" : `?after=${after}`;
    const reply = await this._fetch(`${this.url}/v1/events${asked}`, { headers: this._headers(), signal });
    if (!reply.ok) throw new PalazzoError(reply.status, await reply.json());
    let rest = "";
    for await (const piece of reply.body.pipeThrough(new TextDecoderStream())) {
      const parts = (rest + piece).split(/\\r?\\n\\r?\\n/);
      rest = parts.pop();
      for (const part of parts) {
        const data = part.split(/\\r?\\n/).filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trim());
        if (data.length) yield JSON.parse(data.join("\\n"));
      }
    }
  }
"""


def _type(shape: dict[str, Any], depth: int = 0) -> str:
    """A schema as a type."""
    if "$ref" in shape:
        return str(shape["$ref"]).rsplit("/", 1)[1].replace("_", "")
    if "const" in shape or "enum" in shape:
        return " | ".join(json.dumps(value) for value in shape.get("enum", [shape.get("const")]))
    for joined in ("anyOf", "oneOf"):
        if joined in shape:
            return " | ".join(dict.fromkeys(_type(part, depth) for part in shape[joined]))
    kind = shape.get("type")
    if isinstance(kind, list):
        return " | ".join(_type({**shape, "type": one}, depth) for one in kind)
    if kind == "array":
        items = shape.get("items")
        inner = _type(items, depth) if isinstance(items, dict) and items else "unknown"
        return f"({inner})[]" if " " in inner else f"{inner}[]"
    if kind == "object" and shape.get("properties"):
        return _fields(shape, depth)
    if kind == "object":
        beside = shape.get("additionalProperties")
        return f"Record<string, {_type(beside, depth) if isinstance(beside, dict) and beside else 'unknown'}>"
    return _SCALARS.get(str(kind), "unknown")


def _fields(shape: dict[str, Any], depth: int, *, given: bool = False) -> str:
    required = set(shape.get("required", ()))
    indent = "  " * (depth + 1)
    lines = []
    for name, field in shape.get("properties", {}).items():
        if told := field.get("description", ""):
            lines.append(f"{indent}/** {told.replace('*/', '* /')} */")
        # A result always has its fields; what may be left out is what a caller gives.
        mark = "?" if given and name not in required else ""
        lines.append(f"{indent}{json.dumps(name) if not name.isidentifier() else name}{mark}: {_type(field, depth + 1)};")
    return "{\n" + "\n".join(lines) + "\n" + "  " * depth + "}"


def _called(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _operations() -> list[tuple[str, dict[str, Any]]]:
    paths = as_builtins()["paths"]
    return [(path.removeprefix("/v1/"), methods["post"]) for path, methods in paths.items() if "post" in methods]


def _asked(operation: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = operation["requestBody"]["content"]["application/json"]["schema"]
    return found


def _answer(shape: dict[str, Any]) -> dict[str, Any]:
    """The result itself, not what a caller of a lower level is shown of it."""
    parts = [part for part in shape.get("anyOf", [shape]) if _type(part) not in ("Exists", "Outline")]
    return {"anyOf": parts} if len(parts) > 1 else parts[0]


def types_page() -> str:
    """index.d.ts"""
    parts = as_builtins()["components"]["schemas"]
    lines = [_HEAD]
    for name, shape in sorted(parts.items()):
        if "anyOf" in shape or "oneOf" in shape or not shape.get("properties"):
            lines.append(f"export type {name.replace('_', '')} = {_type(shape)};\n")
        else:
            made = _fields(shape, 0, given=name.startswith("Given"))
            lines.append(f"export interface {name.replace('_', '')} {made}\n")
    lines.append(
        "export interface CallOptions {\n  idempotencyKey?: string;\n  signal?: AbortSignal;\n}\n\n"
        "export interface PalazzoOptions {\n  /** A token of `palazzo token create`. */\n  token?: string;\n"
        "  /** Where the daemon answers; http://127.0.0.1:7777 when left out. */\n  url?: string;\n"
        "  fetch?: typeof globalThis.fetch;\n  /** Scope keys for every call that takes them, such as user_id. */\n"
        "  scope?: Record<string, string>;\n}\n\n"
        "export class PalazzoError extends Error {\n  status: number;\n  code: string;\n  hint: string;\n  field: string;\n}\n"
    )
    lines.append("export class Palazzo {\n  constructor(options?: PalazzoOptions);")
    lines.append("  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<unknown>;")
    lines.append("  follow(options?: { after?: number; signal?: AbortSignal }): AsyncGenerator<Record<string, unknown>>;")
    for name, operation in _operations():
        shape = _asked(operation)
        given = _fields(shape, 1, given=True) if shape.get("properties") else "Record<string, never>"
        answer = _answer(operation["responses"]["200"]["content"]["application/json"]["schema"])
        mark = "" if shape.get("required") else "?"
        lines.append(f"  /** {operation.get('summary', name).replace('*/', '* /')} */")
        lines.append(f"  {_called(name)}(args{mark}: {given}, options?: CallOptions): Promise<{_type(answer, 1)}>;")
    return "\n".join([*lines, "}"]) + "\n"


def program_page() -> str:
    """index.js"""
    scope = ("project", "squad", "agent_id", "channel", "run_id", "user_id")
    scoped = {
        name: [key for key in scope if key in _asked(operation).get("properties", {})] for name, operation in _operations()
    }
    methods = [
        f"  {_called(name)}(args, options) {{\n    return this.call({json.dumps(name)}, args, options);\n  }}\n"
        for name, _ in _operations()
    ]
    taken = json.dumps({name: keys for name, keys in scoped.items() if keys})
    return "\n".join([_HEAD, f"const SCOPED = {taken};\n", _RUNTIME, *methods]) + "}\n"
