"""The quick constructor makes the same values as the one a dataclass writes."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, field, fields, replace

import pytest

from palazzo.model.quick import quick


@quick
@dataclass(frozen=True, slots=True)
class Pair:
    first: int
    second: int = 2


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    name: str
    rows: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("a name is needed")


def test_fields_defaults_and_factories_are_filled() -> None:
    assert (Pair(1).first, Pair(1).second, Pair(1, second=5).second) == (1, 2, 5)
    assert Listed(name="a").rows == []
    assert Listed(name="a").rows is not Listed(name="a").rows


def test_a_value_is_of_its_class_and_frozen() -> None:
    value = Pair(1)
    assert type(value) is Pair
    with pytest.raises(FrozenInstanceError):
        value.first = 3  # type: ignore[misc]


def test_equality_hash_copies_and_fields_are_those_of_a_dataclass() -> None:
    assert Pair(1) == Pair(1, 2)
    assert hash(Pair(1)) == hash(Pair(1, 2))
    assert replace(Pair(1), second=9) == Pair(1, 9)
    assert [one.name for one in fields(Pair)] == ["first", "second"]
    assert repr(Pair(1)) == "Pair(first=1, second=2)"


def test_checks_after_filling_still_run() -> None:
    with pytest.raises(ValueError, match="name"):
        Listed(name="")


def test_missing_and_unknown_arguments_are_refused() -> None:
    with pytest.raises(TypeError):
        Pair()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Listed("a")  # type: ignore[misc]
