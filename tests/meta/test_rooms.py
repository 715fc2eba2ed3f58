"""The rooms of DESIGN: a module imports only from rooms with a lower number, wherever the import stands.

An import inside a function or under TYPE_CHECKING counts like any other.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

import pytest

ROOMS = {
    "errors": 0, "settings": 0, "model": 0, "kernel": 0,
    "ports": 1, "text": 1,
    "files": 1, "store.api": 1.5,  # the contract stands below the engines, and above what reads texts
    "store": 2, "adapters": 2, "spaces": 2, "archive": 2,
    "intake": 3, "recall": 3, "belief": 3, "mind": 3, "guard": 3, "persona": 3, "capture": 3,
    "porting": 3,
    "engine": 4, "operations": 4,
    "asynchronous": 5,
    "bootstrap": 6,
    "surfaces": 7, "integrations": 7, "__main__": 7,
}  # fmt: skip
STRANGERS = frozenset({2, 3})
"""Numbers whose rooms may not import each other; in the others a neighbour is no step up."""
TESTING_REACH = 4
TEXT_AND_MODEL_MAY_NOT = frozenset({
    "apsw", "asyncio", "ctypes", "glob", "http", "io", "locale", "logging", "pathlib", "platform", "random",
    "secrets", "shutil", "socket", "sqlite3", "ssl", "subprocess", "sys", "tempfile", "time", "urllib",
})  # fmt: skip


def imported(tree: ast.AST, module: str, *, is_package: bool = False) -> Iterator[tuple[int, str]]:
    """Line and dotted name of everything a module imports, relative imports resolved."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                up = module.split(".")[: len(module.split(".")) - node.level + is_package]
                base = ".".join([*up, base] if base else up)
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"


def room_of(name: str) -> str:
    """The room a dotted name of the package lies in; empty for the package itself. The contract is one of its own."""
    second = name.split(".")[1] if name.startswith("palazzo.") else ""
    if f"{name}.".startswith("palazzo.store.api."):
        return "store.api"
    return second if second in ROOMS or second == "testing" else ""


def step_up(module: str, target: str) -> str:
    """What is wrong with one import between modules of the package; empty when nothing is."""
    here, there = room_of(module), room_of(target)
    if here == there or not there:
        return ""
    if here == "testing":
        return "" if ROOMS[there] <= TESTING_REACH else f"testing reaches up to {there}"
    if there == "testing":
        return f"{here or 'the package'} imports testing"
    if not here:
        return f"the package itself imports {there}"
    if ROOMS[there] > ROOMS[here]:
        return f"{here} ({ROOMS[here]}) reaches up to {there} ({ROOMS[there]})"
    if ROOMS[there] == ROOMS[here] and ROOMS[here] in STRANGERS:
        return f"{here} and {there} are both number {ROOMS[here]} and do not know each other"
    return ""


def test_every_module_lies_in_a_room(package: dict[str, ast.Module]) -> None:
    strays = [module for module in package if module != "palazzo" and not room_of(module)]
    assert not strays, f"give these a room in DESIGN and in ROOMS: {strays}"


def test_modules_import_only_from_lower_rooms(package: dict[str, ast.Module]) -> None:
    faults = [
        f"{module}:{line} imports {target}: {fault}"
        for module, tree in package.items()
        for line, target in imported(tree, module, is_package=any(m.startswith(module + ".") for m in package))
        if target.split(".")[0] == "palazzo" and (fault := step_up(module, target))
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("module", "target", "allowed"),
    [
        ("palazzo.model.scope", "palazzo.errors.InvalidInput", True),
        ("palazzo.model.scope", "palazzo.text.tokens", False),
        ("palazzo.text.words.tokens", "palazzo.store.api.Store", False),
        ("palazzo.archive", "palazzo.store.api.Erased", True),
        ("palazzo.store.sql.graph.edges", "palazzo.store.sql.reading", True),
        ("palazzo.store.sql.graph.edges", "palazzo.adapters.system_clock", False),
        ("palazzo.intake.screen", "palazzo.belief.revise", False),
        ("palazzo.intake.screen", "palazzo.engine", False),
        ("palazzo.engine", "palazzo.store.sqlite.palace", True),
        ("palazzo.testing.palace", "palazzo.engine", True),
        ("palazzo.testing.palace", "palazzo.bootstrap", False),
        ("palazzo.store.sql.graph.edges", "palazzo.testing.clock", False),
        ("palazzo.surfaces.cli.commands", "palazzo.__version__", True),
        ("palazzo", "palazzo.engine.Engine", False),
    ],
)
def test_the_rule_tells_a_step_up_from_a_step_down(module: str, target: str, *, allowed: bool) -> None:
    assert (step_up(module, target) == "") is allowed


def test_imports_are_found_wherever_they_stand() -> None:
    code = "import a.b\ndef f():\n from palazzo.store import text\n from . import near\n from ..text.x import y\n"
    assert [name for _, name in imported(ast.parse(code), "palazzo.store.edges")] == [
        "a.b", "palazzo.store.text", "palazzo.store.near", "palazzo.text.x.y",
    ]  # fmt: skip


def test_only_the_store_knows_the_database(package: dict[str, ast.Module]) -> None:
    faults = [
        f"{module}:{line}"
        for module, tree in package.items()
        for line, target in imported(tree, module)
        if target.split(".")[0] in ("apsw", "sqlite3", "psycopg") and room_of(module) not in ("store", "files")
    ]
    assert not faults, faults


def test_text_and_model_touch_nothing_outside(package: dict[str, ast.Module]) -> None:
    faults = [
        f"{module}:{line} imports {target}"
        for module, tree in package.items()
        if room_of(module) in ("text", "model")
        for line, target in imported(tree, module)
        if target.split(".")[0] in TEXT_AND_MODEL_MAY_NOT
    ]
    assert not faults, "\n".join(faults)
    assert {"time", "socket", "pathlib"} <= sys.stdlib_module_names & TEXT_AND_MODEL_MAY_NOT
