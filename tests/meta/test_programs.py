"""Programs beside the package use names that exist, also those they import only when a call needs them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

OURS = ("palazzo", "bench", "scripts", "training")
FOLDERS = ("bench", "scripts", "training", "examples", "tests")


def imported(tree: ast.Module) -> Iterator[tuple[str, str, int]]:
    """Module, name and line of everything a file imports from this repository, wherever in the file it does."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").split(".")[0] in OURS:
            yield from ((node.module or "", alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "", node.lineno) for alias in node.names if alias.name.split(".")[0] in OURS)


def there(module: str, name: str) -> bool:
    """Whether a module has a name, or holds it as a module; one that needs a package not installed here is passed."""
    try:
        if find_spec(module) is None:
            return False
        found = import_module(module)
    except ModuleNotFoundError as missing:
        return (missing.name or "").split(".")[0] not in OURS
    return not name or hasattr(found, name) or find_spec(f"{module}.{name}") is not None


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_name_that_a_program_imports_exists(root: Path, folder: str) -> None:
    files = sorted((root / folder).rglob("*.py"))
    assert files, "no files found: the test would pass over nothing"
    asked = {
        (module, name): f"{path.relative_to(root)}:{line}"
        for path in files
        for module, name, line in imported(ast.parse(path.read_text("utf-8")))
    }
    missing = [
        f"{where}: {module} has no {name or 'such module'}"
        for (module, name), where in asked.items()
        if not there(module, name)
    ]
    assert missing == []
