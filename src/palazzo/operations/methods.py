"""Methods made from the registry: a class gets one for each operation, with its signature, docstring and aliases.

Owns the way from a Python call to a name and its arguments; what answers it is the class's own `_call`. The signatures
are written out in methods.pyi, which `python -m scripts.stubs` makes from the same registry, so that editors and type
checkers see them. Invariant: what must be given may be given by position, everything else only by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import Parameter, Signature
from keyword import iskeyword
from typing import Any

from palazzo.operations.arguments import belongs_within
from palazzo.operations.declared import REQUIRED, Operation
from palazzo.operations.registry import ALIASES, BY_NAME, OPERATIONS


def signature(operation: Operation) -> Signature:
    """How the operation is called from Python."""
    made = [Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)]
    for parameter in operation.parameters:
        made.append(
            Parameter(
                parameter.name,
                Parameter.POSITIONAL_OR_KEYWORD if parameter.required else Parameter.KEYWORD_ONLY,
                default=Parameter.empty if parameter.default is REQUIRED else parameter.default,
                annotation=parameter.type,
            )
        )
    return Signature(made, return_annotation=operation.result)


def docstring(operation: Operation, alias: str = "") -> str:
    """What an editor shows: the words for people, then every parameter but the scope keys."""
    head = (
        f"The same as `{operation.name}`: {operation.people[0].lower()}{operation.people[1:]}"
        if alias
        else operation.people
    )
    own = [p for p in operation.parameters if not p.of_scope]
    lines = [head]
    if own and not alias:
        lines += ["", *(f"{p.name}: {p.help}" for p in own)]
    if operation.scoped and not alias:
        lines += ["", "The scope keys (project, squad, agent_id, channel or run_id, user_id) say whose memory it is."]
    return "\n".join(lines)


def _method(operation: Operation, name: str, qualified: str) -> Callable[..., Any]:
    shape = signature(operation)
    required = tuple(parameter.name for parameter in operation.parameters if parameter.required)
    known = frozenset(parameter.name for parameter in operation.parameters)

    def method(self: Any, *args: Any, **given: Any) -> Any:
        if len(args) == len(required) and known.issuperset(given) and given.keys().isdisjoint(required):
            return self._call(operation.name, dict(zip(required, args, strict=True)) | given)
        try:
            bound = shape.bind(self, *args, **given).arguments
        except TypeError as error:
            told = [hint for stray in given if stray not in known and (hint := belongs_within(operation, stray))]
            raise TypeError("; ".join((str(error), *told))) from None
        bound.pop("self")
        return self._call(operation.name, bound)

    method.__name__, method.__qualname__ = name, f"{qualified}.{name}"
    method.__doc__ = docstring(operation, "" if name == method_name(operation) else name)
    method.__signature__ = shape  # type: ignore[attr-defined]
    return method


class _OnFirstUse:
    """Stands where a method will be, until somebody looks at it: signatures and docstrings of all of them take longer
    than many a call."""

    def __init__(self, home: type, name: str, operation: Operation) -> None:
        self._home, self._name, self._operation = home, name, operation

    def __get__(self, instance: object, owner: type) -> Any:
        setattr(self._home, self._name, _method(self._operation, self._name, self._home.__name__))
        return getattr(owner if instance is None else instance, self._name)


def method_name(operation: Operation) -> str:
    """The operation's name as a method; a word that Python keeps for itself gets an underscore."""
    return f"{operation.name}_" if iskeyword(operation.name) else operation.name


def names() -> Iterator[tuple[str, Operation]]:
    """Every name a class of methods has, aliases last."""
    yield from ((method_name(operation), operation) for operation in OPERATIONS)
    yield from ((alias, BY_NAME[name]) for alias, name in ALIASES.items())


class Methods:
    """Every operation as a method that returns its result."""

    def _call(self, name: str, arguments: dict[str, Any]) -> Any:
        raise NotImplementedError


class AsyncMethods:
    """Every operation as a method to be awaited."""

    def _call(self, name: str, arguments: dict[str, Any]) -> Any:
        raise NotImplementedError


for _class in (Methods, AsyncMethods):
    for _name, _operation in names():
        setattr(_class, _name, _OnFirstUse(_class, _name, _operation))
