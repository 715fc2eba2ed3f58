"""The methods of the Python faces: made from the registry, spelt out in the stub, one as the other."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from scripts import stubs

from palazzo.operations.methods import AsyncMethods, Methods, names


def test_the_stub_is_as_the_registry_says() -> None:
    assert stubs.STUB.read_text("utf-8") == stubs.stub(), "run `python -m scripts.stubs`"


@pytest.mark.parametrize("face", [Methods, AsyncMethods])
def test_every_operation_and_alias_is_a_method_with_its_parameters_and_words(face: type) -> None:
    for name, operation in names():
        method = getattr(face, name)
        shape = inspect.signature(method)
        assert [p for p in shape.parameters if p != "self"] == [p.name for p in operation.parameters]
        assert shape.return_annotation is operation.result
        assert operation.people[1:] in method.__doc__
        assert method.__name__ == name


def test_no_face_has_an_operation_of_its_own() -> None:
    made = {name for name, _ in names()}
    for face in (Methods, AsyncMethods):
        assert {name for name in vars(face) if not name.startswith("_")} == made


class Echo(Methods):
    def _call(self, name: str, arguments: dict[str, Any]) -> Any:
        return name, arguments


def test_what_must_be_given_goes_by_position_or_name_and_the_rest_by_name_only() -> None:
    echo: Any = Echo()
    assert echo.recall("tea", limit=3) == ("recall", {"cue": "tea", "limit": 3})
    assert echo.recall(cue="tea") == ("recall", {"cue": "tea"})
    assert echo.search("tea") == ("recall", {"cue": "tea"})
    assert echo.relate("a", "b") == ("relate", {"source": "a", "target": "b"})
    for wrong in ((lambda: echo.recall("tea", 3)), echo.recall, (lambda: echo.recall("tea", limt=3))):
        with pytest.raises(TypeError):
            wrong()
