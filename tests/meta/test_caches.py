"""Every cache that may hold texts is emptied through one owner, so that an erasure has one object to ask."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
from types import ModuleType
from typing import Any

from palazzo.text.words.remembered import forgotten

_PARTS = "parts of the code: types, operations, names of tables and patterns"
HOLDS_NO_TEXT = {
    "palazzo.recall.answer.explain._date": "days",
    "palazzo.guard.governor.decide": "states and flags of a memory, chosen from fixed words",
    "palazzo.store.sqlite.memory.memories.first_due": "kinds and figures",
    **dict.fromkeys(
        (
            "palazzo.operations.declared.parameters_of", "palazzo.operations.arguments._known",
            "palazzo.operations.arguments._required", "palazzo.operations.arguments._names_within",
            "palazzo.operations.arguments.schema", "palazzo.operations.call._function",
            "palazzo.text.meaning.intent._pattern", "palazzo.text.change.signs._sign",
            "palazzo.text.facts.sequences._pattern", "palazzo.text.facts.quantities._pattern",
            "palazzo.text.meaning.prospects._situations", "palazzo.text.meaning.prospects._content",
            "palazzo.text.safety.contacts._contact_pattern", "palazzo.text.safety.contacts._postal_pattern",
            "palazzo.text.safety.credential_phrases._pattern", "palazzo.text.safety.credential_values._compiled",
            "palazzo.text.safety.hidden_text.pattern", "palazzo.text.safety.injection._compiled",
            "palazzo.text.safety.injection._parts_of", "palazzo.text.safety.injection._ignoring_case",
            "palazzo.text.safety.personal._medical_pattern", "palazzo.text.safety.personal._pattern",
            "palazzo.text.safety.secrets._shape_pattern",
        ),
        _PARTS,
    ),
}  # fmt: skip
"""Functions that remember answers to arguments which are no text, and what these are."""
OBJECTS_WITHOUT_TEXT = {
    "palazzo.guard.rates.Rates": "times by subject",
    "palazzo.guard.grants.Grants": "what subjects may do",
    "palazzo.store.index.text.cache.TextCache": "registered by the store it belongs to",
    "palazzo.store.index.vector.cache.VectorCache": "registered by the store it belongs to",
}
"""Classes that keep what was used last and are not emptied with texts, and what they hold."""


def modules(package: dict[str, ast.Module]) -> list[ModuleType]:
    found = []
    for name in package:
        try:
            found.append(importlib.import_module(name))
        except ImportError:
            continue  # a part whose extra is not installed
    return found


def _asked_of_texts(function: Any) -> bool:
    """Whether a remembering function may be asked about texts.

    Without arguments it remembers one answer, made from the code; a page of words, or a language that has a folder of
    them, is data of ours.
    """
    parameters = inspect.signature(function).parameters
    ours = "language" in parameters or any(one.annotation == "Page" for one in parameters.values())
    return bool(parameters) and not ours


def test_a_function_that_remembers_texts_is_known_to_their_owner(package: dict[str, ast.Module]) -> None:
    found: dict[str, list[object]] = {}
    for module in modules(package):
        for value in vars(module).values():
            if isinstance(value, functools._lru_cache_wrapper) and str(value.__module__).startswith("palazzo"):
                known = found.setdefault(f"{value.__module__}.{value.__qualname__}", [])
                known += [] if any(value is other for other in known) else [value]
    assert len(found) > 20, "the check no longer sees any"
    strays = [
        name
        for name, values in found.items()
        for value in values
        if _asked_of_texts(value) and not forgotten(value) and name not in HOLDS_NO_TEXT
    ]
    assert strays == [], "make them with text/words/remembered.py, or say here what they hold"


def test_an_object_that_keeps_what_was_used_last_is_known_to_their_owner(package: dict[str, ast.Module]) -> None:
    strays = []
    for module, tree in package.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.ClassDef):
                continue
            calls = [ast.unparse(call.func) for call in ast.walk(node) if isinstance(call, ast.Call)]
            if (
                "OrderedDict" in calls
                and "kept_in" not in calls
                and f"{module}.{node.name}" not in OBJECTS_WITHOUT_TEXT
            ):
                strays.append(f"{module}.{node.name}")
    assert strays == [], "tell text/words/remembered.py of them, or say here what they hold"
