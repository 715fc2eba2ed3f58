"""What an operation is: its name, parameters, result, the capability it needs, and its words for people and for models.

Owns the declaration only; how an operation runs is in its noun's `run`. Loads nothing heavy, for the command line
reads the declarations before it knows whether it needs the palace. Invariant: whatever a surface shows of an operation,
it derives from here.
"""

from __future__ import annotations

import dataclasses
from dataclasses import KW_ONLY, dataclass, field
from functools import cache
from typing import Any, Literal, dataclass_transform, get_type_hints

from palazzo.model.capability import Level

REQUIRED: Any = dataclasses.MISSING

Where = Literal["place", "memory", "reach", "palace"]
"""Where the level is needed: at the place a parameter names, at the place of the memory a parameter names, anywhere at
all (the view then shows what is within reach), or over the whole palace."""
Toolset = Literal["core", "palace", "graph", "temporal", "full", ""]
"""The set of model tools the operation is in: core is in every other, full has all; empty: no model may call it."""


def told(
    help: str, default: Any = REQUIRED, *, low: float | None = None, high: float | None = None, blank: bool = False  # noqa: A002
) -> Any:  # fmt: skip
    """A parameter's field: what it is for, its default (none: it must be given), its range, whether it may be blank."""
    notes = {"help": help, "low": low, "high": high, "blank": blank}
    return field(metadata=notes) if default is REQUIRED else field(default=default, metadata=notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter as every surface shows it."""

    name: str
    type: Any
    help: str
    default: Any = REQUIRED
    low: float | None = None
    high: float | None = None
    of_scope: bool = False
    blank: bool = False

    @property
    def required(self) -> bool:
        return self.default is REQUIRED

    @property
    def says_something(self) -> bool:
        """Whether it is a text that must be given and be more than white space."""
        return self.required and self.type is str and not self.blank


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
class Arguments:
    """What an operation takes: a dataclass, frozen and given by name.

    Its methods are these for every such class: writing them anew for each of some hundred and eighty, as `dataclass`
    does, takes a tenth of the time of a short command.
    """

    def __init_subclass__(cls) -> None:
        cls.__doc__ = cls.__doc__ or cls.__name__  # else `dataclass` works out a signature to tell
        dataclass(init=False, repr=False, eq=False, kw_only=True)(cls)

    def __init__(self, **given: Any) -> None:
        for name, one in self._fields().items():
            value = given.pop(name, one.default)
            if value is REQUIRED:
                raise TypeError(f"{type(self).__name__} wants {name}")
            object.__setattr__(self, name, value)
        if given:
            raise TypeError(f"{type(self).__name__} has no {', '.join(given)}")

    @classmethod
    def _fields(cls) -> dict[str, dataclasses.Field[Any]]:
        found: dict[str, dataclasses.Field[Any]] = cls.__dataclass_fields__  # type: ignore[attr-defined]
        return found

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self._fields())

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields(), self._values(), strict=True))
        return f"{type(self).__qualname__}({shown})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Arguments) and type(self) is type(other) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __setattr__(self, name: str, _: object) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot change {name}")

    def __delattr__(self, name: str) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot change {name}")


class Scoped(Arguments):
    """Whose memory it is: the keys of the scope, widest first. None means: as the caller's own."""

    project: str | None = told("The project it belongs to.", None)
    squad: str | None = told("The squad inside the project.", None)
    agent_id: str | None = told("The agent it belongs to.", None)
    channel: str | None = told("The channel or conversation it stays in.", None)
    run_id: str | None = told("The run it stays in: another name for the channel.", None)
    user_id: str | None = told("The user it belongs to.", None)


SCOPE_KEYS: tuple[str, ...] = tuple(f.name for f in dataclasses.fields(Scoped))


@cache
def parameters_of(kind: type) -> tuple[Parameter, ...]:
    """The parameters a dataclass of arguments declares: what must be given first, the scope keys last."""
    hints = get_type_hints(kind)
    found = [
        Parameter(
            name=f.name, type=hints[f.name], help=f.metadata["help"], default=f.default, low=f.metadata["low"],
            high=f.metadata["high"], of_scope=f.name in SCOPE_KEYS, blank=f.metadata["blank"],
        )
        for f in dataclasses.fields(kind)
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda p: (p.of_scope, not p.required)))


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing a palace can be asked to do."""

    name: str
    arguments: type
    result: Any
    level: Level
    where: Where
    _: KW_ONLY
    writes: bool = False
    destructive: bool = False
    """Whether something that was there can no longer be read afterwards."""
    undone_by: str = ""
    """The operation that brings it back; commands of what is destroyed and has none ask before they do it."""
    idempotent: bool = False
    """Whether a second identical call changes nothing more."""
    operator_only: bool = False
    toolset: Toolset = ""
    people: str
    models: str = ""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return parameters_of(self.arguments)

    @property
    def for_good(self) -> bool:
        """Whether nothing brings back what it takes away."""
        return self.destructive and not self.undone_by

    @property
    def scoped(self) -> bool:
        return issubclass(self.arguments, Scoped)


def operators(
    name: str, takes: type, result: Any, level: Level = Level.forget, *, people: str, **more: Any
) -> Operation:
    """An operation of the operator alone, over the whole palace."""
    return Operation(name, takes, result, level, "palace", operator_only=True, people=people, **more)


def tool(name: str, takes: type, result: Any, level: Level, *, people: str, models: str, **more: Any) -> Operation:
    """An operation over what is within reach, which a model may call that is given all of them."""
    return Operation(name, takes, result, level, "reach", toolset="full", people=people, models=models, **more)
