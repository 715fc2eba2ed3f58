"""Nothing grows until it cannot be read. What is over a limit is listed in allowlist.toml, which only shrinks."""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

LIMITS = {
    "file_lines": 500, "function_lines": 80, "public_methods": 15, "parameters": 6,
    "folder_modules": 24, "folder_lines": 5000,
}  # fmt: skip
"""A folder counts like a file: a module that is split into two of one prefix is as much to read as before."""

WHOLE = {"modules": 520, "lines": 109_010}
"""The whole package. Raise a number only with a reason; lower it when there is less."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(node: ast.AST, prefix: str = "", *, in_class: bool = False) -> Iterator[tuple[str, Function, bool]]:
    """Every function with its qualified name and whether it is a method."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield prefix + child.name, child, in_class
            yield from functions(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.ClassDef):
            yield from functions(child, f"{prefix}{child.name}.", in_class=True)
        else:
            yield from functions(child, prefix, in_class=in_class)


def is_property(function: Function) -> bool:
    """Whether it reads as an attribute: the nouns of a store are such."""
    return any(isinstance(d, ast.Name) and d.id in ("property", "cached_property") for d in function.decorator_list)


def parameters(function: Function, *, method: bool) -> int:
    """How many values a caller may name; self, cls, *args and **kwargs do not count."""
    static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list)
    given = function.args
    return len(given.posonlyargs) + len(given.args) + len(given.kwonlyargs) - (method and not static)


def measure(path: str, text: str, tree: ast.Module) -> Iterator[tuple[str, str, int]]:
    """(limit, what, size) for everything in a file that has a limit."""
    yield "file_lines", path, len(text.splitlines())
    for name, function, method in functions(tree):
        assert function.end_lineno is not None
        yield "function_lines", f"{path}:{name}", function.end_lineno - function.lineno + 1
        yield "parameters", f"{path}:{name}", parameters(function, method=method)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            public = {
                n.name
                for n in node.body
                if isinstance(n, Function) and not n.name.startswith("_") and not is_property(n)
            }
            yield "public_methods", f"{path}:{node.name}", len(public)


def folders(sources: Mapping[str, str]) -> Iterator[tuple[str, str, int]]:
    """(limit, folder, size) for every folder of modules; what lies in folders below it counts there."""
    modules: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    for path, text in sources.items():
        folder, _, name = path.rpartition("/")
        modules[folder] += name != "__init__.py"
        lines[folder] += len(text.splitlines())
    for folder in modules:
        yield "folder_modules", folder, modules[folder]
        yield "folder_lines", folder, lines[folder]


@pytest.fixture(scope="session")
def allowlist(root: Path) -> dict[str, dict[str, int]]:
    """For each limit what is over it, and the size it has and may not exceed."""
    return tomllib.loads((root / "tests/meta/allowlist.toml").read_text("utf-8"))


@pytest.fixture(scope="session")
def sizes(sources: dict[str, str], trees: dict[str, ast.Module]) -> dict[tuple[str, str], int]:
    package = {path: text for path, text in sources.items() if path.startswith("src/")}  # beside it lie programs
    found = {(limit, folder): size for limit, folder, size in folders(package)}
    for path, text in sources.items():
        for limit, what, size in measure(path, text, trees[path]):
            found[limit, what] = max(size, found.get((limit, what), 0))
    return found


@pytest.mark.parametrize("limit", LIMITS)
def test_nothing_is_over_its_limit(
    limit: str, sizes: dict[tuple[str, str], int], allowlist: dict[str, dict[str, int]]
) -> None:
    listed = allowlist.get(limit, {})
    faults = [
        f"{what}: {size} {limit}, at most {max(LIMITS[limit], listed.get(what, 0))}"
        for (kind, what), size in sizes.items()
        if kind == limit and size > max(LIMITS[limit], listed.get(what, 0))
    ]
    assert not faults, "\n".join(faults)


def test_the_allowlist_only_shrinks(sizes: dict[tuple[str, str], int], allowlist: dict[str, dict[str, int]]) -> None:
    idle = [
        f"[{limit}] {what}: now {sizes.get((limit, what), 0)}, so remove the entry"
        for limit, entries in allowlist.items()
        for what in entries
        if sizes.get((limit, what), 0) <= LIMITS[limit]
    ]
    assert not idle, "\n".join(idle)


def test_the_house_as_a_whole_does_not_grow_by_accident(sources: dict[str, str]) -> None:
    package = [text for path, text in sources.items() if path.startswith("src/")]
    found = {"modules": len(package), "lines": sum(len(text.splitlines()) for text in package)}
    assert all(found[what] <= most for what, most in WHOLE.items()), f"{found}, at most {WHOLE}"


def test_the_measure_sees_methods_nested_functions_and_keywords() -> None:
    code = (
        "class A:\n def f(self, a, *, b):\n  def g(x, /, *rest): pass\n"
        " @staticmethod\n def h(a): pass\n def _i(self): pass\n"
    )
    found = {(kind, what): size for kind, what, size in measure("x.py", code, ast.parse(code))}
    assert found["parameters", "x.py:A.f"] == 2
    assert found["parameters", "x.py:A.f.g"] == 1
    assert found["parameters", "x.py:A.h"] == 1
    assert found["function_lines", "x.py:A.f"] == 2
    assert found["public_methods", "x.py:A"] == 2
    assert found["file_lines", "x.py"] == 6


def test_the_measure_sees_how_much_lies_in_a_folder() -> None:
    tree = {"a/__init__.py": "1\n", "a/tide_low.py": "1\n2\n", "a/tide_high.py": "1\n", "a/b/ebb.py": "1\n"}
    assert set(folders(tree)) == {
        ("folder_modules", "a", 2), ("folder_lines", "a", 4), ("folder_modules", "a/b", 1), ("folder_lines", "a/b", 1),
    }  # fmt: skip
