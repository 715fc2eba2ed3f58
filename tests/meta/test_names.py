"""Names say what a thing is for, every module says what it owns, and the public names change only on purpose."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from types import ModuleType

import pytest

import palazzo

EMPTY_WORDS = frozenset({"util", "utils", "helper", "helpers", "manager", "managers", "handler", "handlers", "base"})
VERSION_TIER = re.compile(r"v\d+")
PUBLIC = {
    "AsyncMemory", "Memory", "__version__", "copy_palace", "Conflict", "InvalidInput", "NotFound", "NotPermitted",
    "PalaceBusy", "PalaceMissing", "PalazzoError", "PartUnavailable", "RateLimited", "Refused", "StorageError",
    "WrongKey", "Kept", "ContextBlock", "History", "MemoryPage", "Recalled", "RecalledMemory", "StoredMemory",
}  # fmt: skip
"""What `import palazzo` promises. Add a name here in the change that adds it to `palazzo.__all__`."""
SAID_TWICE = {
    "AsyncMemory": "the library's own name, and the one that mem0's callers import",
    "Memory": "what is remembered; the library's own name for a palace, and the one that mem0's callers import",
}
"""Class names that mean several things because people outside write them. It only shrinks."""


def words(name: str) -> list[str]:
    """The words of a snake_case or CamelCase name, in lower case."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)]


def says_nothing(name: str) -> bool:
    """Whether a name leans on a word that fits anything."""
    return any(word in EMPTY_WORDS or VERSION_TIER.fullmatch(word) for word in words(name))


@pytest.mark.parametrize("name", ["text_utils", "BaseStore", "StoreBase", "HTTPHandler", "memory_v2", "Helpers"])
def test_empty_names_are_recognised(name: str) -> None:
    assert says_nothing(name)


@pytest.mark.parametrize("name", ["database", "Database", "verbs", "baseline", "handled", "entity_cues"])
def test_meaningful_names_pass(name: str) -> None:
    assert not says_nothing(name)


def test_no_module_has_an_empty_name(sources: dict[str, str]) -> None:
    faults = [path for path in sources if any(says_nothing(part.removesuffix(".py")) for part in path.split("/"))]
    assert not faults, faults


def test_no_class_has_an_empty_name(trees: dict[str, ast.Module]) -> None:
    faults = [
        f"{path}:{node.lineno} {node.name}"
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and says_nothing(node.name)
    ]
    assert not faults, faults


def homes(package: dict[str, ast.Module]) -> dict[str, list[str]]:
    """For each public class name the modules that define it at their top."""
    found: dict[str, list[str]] = defaultdict(list)
    for module, tree in package.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(module)
    return found


def test_a_class_name_that_is_defined_twice_is_seen() -> None:
    code = ast.parse("class Tide:\n class Ebb: pass\nclass _Moon: pass\n")
    assert homes({"a": code, "b": code}) == {"Tide": ["a", "b"]}


def test_a_class_name_means_one_thing(package: dict[str, ast.Module]) -> None:
    doubled = {name: where for name, where in homes(package).items() if len(where) > 1}
    faults = [f"{name}: {', '.join(doubled[name])}" for name in sorted(doubled.keys() - SAID_TWICE)]
    assert not faults, "\n".join(faults)
    assert not SAID_TWICE.keys() - doubled, "these mean one thing: take them off the list"


def test_every_module_says_what_it_owns(trees: dict[str, ast.Module]) -> None:
    faults = [path for path, tree in trees.items() if not (ast.get_docstring(tree) or "").strip()]
    assert not faults, faults


def test_the_public_names_are_pinned() -> None:
    bound = {n for n, value in vars(palazzo).items() if n[0] != "_" and not isinstance(value, ModuleType)}
    assert bound - {"annotations"} <= PUBLIC
    assert set(getattr(palazzo, "__all__", PUBLIC)) == PUBLIC
    assert all(hasattr(palazzo, name) for name in PUBLIC)


def test_the_options_of_memory_are_the_scope_keys_and_every_setting() -> None:
    from palazzo.operations.declared import SCOPE_KEYS
    from palazzo.settings import SETTINGS
    from palazzo.surfaces.library import Options

    promised = {*SCOPE_KEYS, *(setting.name for setting in SETTINGS)} - {"palace"}
    assert set(Options.__annotations__) == promised, "write the new setting into Options of palazzo.surfaces.library"
