"""No module needs itself: following imports at the top of modules never leads back to the start."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

FOR_TYPES_ONLY = (
    "palazzo.store.sqlite.",
    "palazzo.store.sql.",
    "palazzo.store.postgres.",
)
"""Packages whose modules still name each other's types in a circle; none does so at run time. It only shrinks."""


def at_the_top(tree: ast.Module, *, types: bool) -> Iterator[ast.stmt]:
    """The statements that run when the module is imported, with those that only a type checker reads if asked for."""
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        statement = waiting.pop()
        yield statement
        if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING" and not types:
            waiting += statement.orelse
        elif isinstance(statement, ast.If | ast.Try | ast.With):
            waiting += [part for part in ast.iter_child_nodes(statement) if isinstance(part, ast.stmt)]


def imports(package: Mapping[str, ast.Module], *, types: bool = False) -> dict[str, set[str]]:
    """For each module those it imports at its top."""
    found: dict[str, set[str]] = {module: set() for module in package}
    for module, tree in package.items():
        for statement in at_the_top(tree, types=types):
            names: list[str] = []
            if isinstance(statement, ast.Import):
                names = [alias.name for alias in statement.names]
            elif isinstance(statement, ast.ImportFrom) and statement.module:
                whole = [f"{statement.module}.{alias.name}" for alias in statement.names]
                names = [name if name in package else statement.module for name in whole]
            found[module] |= {name for name in names if name in package and name != module}
    return found


def cycles(graph: Mapping[str, set[str]]) -> set[frozenset[str]]:
    """The largest groups of modules of which each leads to each (Tarjan), those of one module left out."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: set[frozenset[str]] = set()

    def visit(module: str) -> None:
        number[module] = lowest[module] = len(number)
        stack.append(module)
        for other in graph[module]:
            if other not in number:
                visit(other)
                lowest[module] = min(lowest[module], lowest[other])
            elif other in stack:
                lowest[module] = min(lowest[module], number[other])
        if lowest[module] == number[module]:
            group = stack[stack.index(module) :]
            del stack[stack.index(module) :]
            if len(group) > 1:
                found.add(frozenset(group))

    for module in graph:
        if module not in number:
            visit(module)
    return found


def test_a_cycle_is_found_however_long_it_is() -> None:
    ring = {"tide": {"moon"}, "moon": {"night"}, "night": {"tide", "lamp"}, "lamp": set(), "boat": {"tide"}}
    assert cycles(ring) == {frozenset({"tide", "moon", "night"})}
    assert cycles({"tide": {"moon"}, "moon": set()}) == set()


def test_an_import_counts_at_the_top_and_for_types_where_asked_and_never_inside_a_function() -> None:
    code = "if TYPE_CHECKING:\n from palazzo.a import X\nfrom palazzo import b\ndef f():\n from palazzo.c import Y\n"
    known = {name: ast.parse("") for name in ("palazzo", "palazzo.a", "palazzo.b", "palazzo.c")}
    seen = {**known, "palazzo.d": ast.parse(code)}
    assert imports(seen, types=True)["palazzo.d"] == {"palazzo.a", "palazzo.b"}
    assert imports(seen)["palazzo.d"] == {"palazzo.b"}


def test_no_imports_lead_back_to_where_they_start(package: dict[str, ast.Module]) -> None:
    found = [sorted(group) for group in cycles(imports(package))]
    assert not found, f"move what both need below them: {found}"


def test_no_types_lead_back_either(package: dict[str, ast.Module]) -> None:
    found = cycles(imports(package, types=True))
    new = [sorted(group) for group in found if not all(module.startswith(FOR_TYPES_ONLY) for module in group)]
    assert not new, f"move what both need below them: {new}"
    idle = [name for name in FOR_TYPES_ONLY if not any(m.startswith(name) for group in found for m in group)]
    assert not idle, f"remove from FOR_TYPES_ONLY: {idle}"
