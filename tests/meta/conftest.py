"""The repository as data: source texts, syntax trees and pages, read once for all meta-tests."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def sources() -> dict[str, str]:
    """Text of every Python file under src/palazzo and bench, by path from the root with forward slashes."""
    found = [path for folder in ("src/palazzo", "bench") for path in sorted((ROOT / folder).rglob("*.py"))]
    assert found, "no sources found: the tests would pass over nothing"
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in found}


@pytest.fixture(scope="session")
def trees(sources: dict[str, str]) -> dict[str, ast.Module]:
    return {path: ast.parse(text, filename=path) for path, text in sources.items()}


@pytest.fixture(scope="session")
def package(trees: dict[str, ast.Module]) -> dict[str, ast.Module]:
    """Only src/palazzo, by dotted module name; a package goes by its own name."""
    prefix = "src/"
    return {
        path.removeprefix(prefix).removesuffix(".py").removesuffix("/__init__").replace("/", "."): tree
        for path, tree in trees.items()
        if path.startswith(prefix)
    }


@pytest.fixture(scope="session")
def pages() -> dict[str, str]:
    """Text of every page of documentation, by path from the root."""
    tops = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    return {
        path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
        for path in (*tops, *sorted((ROOT / "docs").rglob("*.md")))
    }
