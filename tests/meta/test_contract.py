"""The store has a contract: the rooms above know its protocols and values and nothing of an engine."""

from __future__ import annotations

import ast
import inspect
import typing
from pathlib import Path

import pytest
from tests.meta.test_rooms import imported, room_of

from palazzo.store import api
from palazzo.store.sql.keeping import InOneRead
from palazzo.store.sql.nouns import PalaceReading
from palazzo.store.sql.reading import Delegated, NounOf
from palazzo.store.sqlite.palace import SqliteStore

COMPOSERS = ("palazzo.bootstrap", "palazzo.testing.palace")
"""Where an engine is chosen: the composition root, and what makes palaces for tests."""
HIDDEN = frozenset({"connection", "cursor", "database", "text_cache", "vector_cache", "text_parts", "memory_where"})
"""What an engine is made of; no room above asks a store or a reading for it."""


def test_nothing_above_the_store_imports_another_name_of_it(package: dict[str, ast.Module]) -> None:
    faults = [
        f"{module}:{line} imports {target}"
        for module, tree in package.items()
        if room_of(module) not in ("store", "store.api") and not module.startswith(COMPOSERS)
        for line, target in imported(tree, module)
        if room_of(target) == "store"
    ]
    assert not faults, "\n".join(faults)


def test_nothing_above_the_store_asks_for_what_an_engine_is_made_of(package: dict[str, ast.Module]) -> None:
    faults = [
        f"{module}:{node.lineno} .{node.attr}"
        for module, tree in package.items()
        if room_of(module) not in ("store", "store.api") and not module.startswith(COMPOSERS)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr in HIDDEN
        and isinstance(node.value, ast.Attribute | ast.Name)
        and ast.unparse(node.value).rpartition(".")[2].lstrip("_") in ("store", "reading")
    ]
    assert not faults, "\n".join(faults)


def test_the_contract_knows_no_engine(package: dict[str, ast.Module]) -> None:
    faults = [
        f"{module}:{line} imports {target}"
        for module, tree in package.items()
        if room_of(module) == "store.api"
        for line, target in imported(tree, module)
        if target.split(".")[0] in ("apsw", "sqlite3", "psycopg") or room_of(target) == "store"
    ]
    assert not faults, "\n".join(faults)


def nouns(protocol: type) -> dict[str, type]:
    """The nouns of a protocol: its properties whose values are protocols themselves."""
    found = {}
    for name, value in inspect.getmembers(protocol, lambda member: isinstance(member, property)):
        kind = typing.get_type_hints(value.fget).get("return")
        if isinstance(kind, type) and getattr(kind, "_is_protocol", False):
            found[name] = kind
    return found


def methods(protocol: type) -> set[str]:
    return {name for name, value in vars(protocol).items() if inspect.isfunction(value) and not name.startswith("_")}


def face(engine: type, noun: str) -> type:
    """The class that an engine has for a noun."""
    held = inspect.getattr_static(engine, noun)
    return held.noun if isinstance(held, NounOf) else typing.get_type_hints(held.fget)["return"]


def parameters(owner: type, method: str) -> list[tuple[str, object]]:
    """What a method takes, by name, with what it takes where nothing is given; without whoever it belongs to."""
    held = inspect.getattr_static(owner, method)
    signature = inspect.signature(held.function if isinstance(held, Delegated | InOneRead) else held)
    return [(one.name, one.default) for one in signature.parameters.values()][1:]


@pytest.mark.parametrize(("protocol", "engine"), [(api.Reading, PalaceReading), (api.Store, SqliteStore)])
def test_every_noun_of_the_contract_has_its_methods_and_their_parameters_on_the_engine(
    protocol: type, engine: type
) -> None:
    found = nouns(protocol)
    assert found
    for name, kind in found.items():
        for method in methods(kind):
            assert parameters(kind, method) == parameters(face(engine, name), method), f"{name}.{method}"


def test_every_method_of_the_contract_says_what_it_does() -> None:
    kinds = [api.Reading, api.Writing, api.Store, *nouns(api.Reading).values(), *nouns(api.Store).values()]
    silent = [f"{kind.__name__}.{name}" for kind in kinds for name in methods(kind) if not getattr(kind, name).__doc__]
    assert not silent


def test_the_contract_suite_knows_the_contract_alone(root: Path) -> None:
    pages = sorted((root / "tests/contract").glob("*.py"))
    assert pages
    faults = [
        f"{page.name}:{line} imports {target}"
        for page in pages
        for line, target in imported(ast.parse(page.read_text("utf-8")), page.stem)
        if room_of(target) == "store" or target.split(".")[0] in ("apsw", "sqlite3")
    ]
    assert not faults, "\n".join(faults)
