"""Writes src/palazzo/operations/methods.pyi from the registry: `python -m scripts.stubs`, with --check only compares.

The methods of `Memory` and `AsyncMemory` are made at run time; this spells them out for editors and type checkers.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin
from uuid import UUID

from palazzo.model.graph import EdgeKind
from palazzo.operations.declared import Operation, Parameter
from palazzo.operations.methods import docstring, method_name, names

STUB = Path(__file__).resolve().parents[1] / "src/palazzo/operations/methods.pyi"

_HEAD = '''\
"""Made by `python -m scripts.stubs` from the registry; change the registry, not this file."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from inspect import Signature
from typing import Any, Literal
from uuid import UUID

from palazzo.model.graph import EdgeKind
{results}

def signature(operation: Operation) -> Signature: ...
def docstring(operation: Operation, alias: str = ...) -> str: ...
def method_name(operation: Operation) -> str: ...
def names() -> Iterator[tuple[str, Operation]]: ...
'''


def written(hint: Any) -> str:
    """A type as it is written in the stub: sequences are taken where tuples are kept, mappings where objects are."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint == EdgeKind:
        return "EdgeKind"
    if origin is Literal:
        return f"Literal[{', '.join(repr(choice).replace(chr(39), chr(34)) for choice in inner)}]"
    if origin in (Union, UnionType):
        parts = [written(part) for part in inner if part is not NoneType]
        return " | ".join([*parts, *(["None"] if NoneType in inner else [])])
    if origin is dict:
        return f"Mapping[{written(inner[0])}, {written(inner[1])}]"
    if origin is tuple:
        return f"Sequence[{written(inner[0])}]"
    if hasattr(hint, "__dataclass_fields__"):
        return f"{hint.__name__} | Mapping[str, Any]"
    return str(hint.__name__)


def _parameter(parameter: Parameter) -> str:
    # An id is a UUID in every result, and may be handed back as it came.
    ids = parameter.type is str and parameter.name in ("memory", "other", "source", "target", "claim")
    hint = f"str | {UUID.__name__}" if ids else written(parameter.type)
    if parameter.required:
        return f"{parameter.name}: {hint}"
    default = repr(parameter.default).replace("'", '"')
    return f"{parameter.name}: {hint} = {default}"


def _method(name: str, operation: Operation, prefix: str) -> Iterator[str]:
    required = [_parameter(p) for p in operation.parameters if p.required]
    optional = [_parameter(p) for p in operation.parameters if not p.required]
    given = ["self", *required, *(["*", *optional] if optional else [])]
    head = f"    {prefix}def {name}("
    result = operation.result.__name__
    line = f"{head}{', '.join(given)}) -> {result}:"
    if len(line) <= 120:
        yield line
    else:
        yield head
        yield from (f"        {part}," for part in given)
        yield f"    ) -> {result}:"
    lines = docstring(operation, "" if name == method_name(operation) else name).split("\n")
    if len(lines) == 1:
        yield f'        """{lines[0]}"""'
    else:
        yield f'        """{lines[0]}'
        yield from (f"        {text}" if text else "" for text in lines[1:])
        yield '        """'


def _parts(operation: Operation) -> Iterator[type]:
    """The declared values that the operation's parameters are made of."""
    hints: list[Any] = [parameter.type for parameter in operation.parameters]
    while hints:
        hint = hints.pop()
        hints += get_args(hint)
        if hasattr(hint, "__dataclass_fields__"):
            yield hint


def _joined(kinds: set[str]) -> str:
    return ",\n    ".join(sorted(kinds, key=str.casefold))


def stub() -> str:
    """The text of the stub."""
    results: dict[str, set[str]] = {}
    shown = {Operation, *(part for _, operation in names() for part in (operation.result, *_parts(operation)))}
    for kind in shown:
        results.setdefault(kind.__module__, set()).add(kind.__name__)
    imports = "\n".join(
        f"from {module} import (\n    {_joined(kinds)},\n)" for module, kinds in sorted(results.items())
    )
    lines = [_HEAD.format(results=imports).rstrip()]
    for title, prefix, about in (
        ("Methods", "", "Every operation as a method that returns its result."),
        ("AsyncMethods", "async ", "Every operation as a method to be awaited."),
    ):
        lines += ["", f"class {title}:", f'    """{about}"""', ""]
        lines.append(f"    {prefix}def _call(self, name: str, arguments: dict[str, Any]) -> Any: ...")
        for name, operation in names():
            lines += [*_method(name, operation, prefix)]
    return "\n".join(lines) + "\n"


def run(arguments: list[str]) -> int:
    """Writes or checks; returns the exit code."""
    stale = not STUB.exists() or STUB.read_text("utf-8") != stub()
    if stale and "--check" not in arguments:
        STUB.write_text(stub(), "utf-8")
        sys.stdout.write(f"{STUB.name} written\n")
    return int(stale and "--check" in arguments)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
