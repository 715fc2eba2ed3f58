"""Every cache that may hold texts is emptied through one owner, so that an erasure has one object to ask."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from palazzo.text.words.remembered import forgotten

_PARTS = "parts of the code: types, operations, names of tables and patterns"
HOLDS_NO_TEXT = {
    "palazzo.model.zone.zone_named": "names of time zones",
    "palazzo.text.safety.injection_head._tried": "which marks a passage has, as bits",
    "palazzo.recall.answer.explain._date": "days",
    "palazzo.text.statements.replies._pattern": "entries of a page of words",
    "palazzo.guard.spine.decide": "states and flags of a memory, chosen from fixed words",
    "palazzo.store.sql.memory.memories.first_due": "kinds and figures",
    **dict.fromkeys(
        (
            "palazzo.operations.declared.parameters_of", "palazzo.operations.arguments._known",
            "palazzo.operations.arguments._required", "palazzo.operations.arguments._names_within",
            "palazzo.operations.arguments.schema", "palazzo.operations.registry.function_of",
            "palazzo.text.meaning.asked._pattern", "palazzo.text.meaning.answering._shape",
            "palazzo.text.meaning.outright._shown", "palazzo.text.reader.encoder.installed",
            "palazzo.recall.rank.relevance._table", "palazzo.text.change.implied._sign",
            "palazzo.text.meaning.message._words", "palazzo.text.meaning.message._small_words",
            "palazzo.text.facts.relations._pattern", "palazzo.text.facts.quantities._pattern",
            "palazzo.text.meaning.topics._situations", "palazzo.text.meaning.topics._content",
            "palazzo.text.safety.injection._compiled", "palazzo.text.safety.injection._parts_of",
            "palazzo.text.safety.secrets._shape_pattern", "palazzo.text.safety.told_secrets._marks",
            "palazzo.text.change.orders._words", "palazzo.capture.counting._alternatives",
            "palazzo.text.change.orders._pattern",
        ),
        _PARTS,
    ),
}  # fmt: skip
"""Functions that remember answers to arguments which are no text, and what these are."""
OBJECTS_WITHOUT_TEXT = {
    "PostgresConnection": "rows on their way into a table, gone when their transaction ends",
    "Trips": "statements, whose values are bound",
    "PostgresDatabase": "sessions, and translators of statements",
    "Translator": "statements, whose values are bound",
    "_Statement": "the words of one statement, for as long as it is translated",
    "BusServer": "calls that run, each gone when it is answered",
    "Watchers": "threads by the name of their adapter",
    "RawIntake": "why adapters see nothing, in words of our own",
    "Carrier": "what a shell told, in a process of its own, until it is sent",
    "_Joined": "row numbers, for as long as one pass plans",
    "HotRows": "numbers, and names of speakers and sessions: a palace lets go of all of it with its columns",
    "_Codes": "kinds, roles and names of speakers, a part of HotRows",
    "_Openings": "first words of texts, a part of HotRows, until its columns are whole",
    "HeldAnswers": "small rows of the indexes and numbers of scopes",
    "Uses": "ids of memories",
    "Rooms": "how long recalls took",
    "_Ground": "what was tried to make a palace whole, in our own words",
    "Budget": "what was said of the pairs of one call, for as long as the call takes",
    "Grants": "what subjects may do",
    "RecallWatch": "two figures of each of the last recalls",
    "FormulaReader": "the pieces of one formula, for as long as it is read",
    "_Low": "the sections of one context, for as long as it is made",
    "Assembly": "how long providers took",
    "_Measure": "how long one provider took",
    "PlanDesk": "the plans of one thread, for as long as its turns are read",
    "Steps": "which of them are steps of which, by number",
    "Metrics": "counts by operation",
    "Tallies": "counts of places, kinds and tags; the palace that has it tells their owner",
    "Names": "a few names one client gave itself, which stand in the audit trail",
    "KindTable": "names of kinds",
    "Spaces": "embedders by name",
    "Aside": "what to do after a call",
    "SealedFields": "rotations by dimension",
    "Lazy": "locks",
    "HttpJson": "idle connections",
    "SocketServer": "open connections",
    "CueTable": "cues of a page of words",
    "Glossary": "phrases of a page of words",
    "Patterns": "patterns of a page",
    "_Signs": "words of a page",
    "IndexCache": "registered by the store it belongs to",
    "TextCache": "registered by the store it belongs to",
    "VectorCache": "registered by the store it belongs to",
    "SegmentPart": "kept in the text cache alone",
    "TailPart": "kept in the text cache alone",
    "Anticipated": "emptied by the dialogue it belongs to",
    "SensoryBuffer": "emptied by the dialogue it belongs to",
    "WorkingMemory": "emptied by the dialogue it belongs to",
    "Parsed": "kept by remembering functions alone",
    "_WordTable": "let go with the known words it belongs to",
    **dict.fromkeys(
        (
            "Edits",
            "_Writer",
            "Known",
            "Restoring",
            "Scorer",
            "_Scan",
            "_Finder",
            "_File",
            "Stage",
            "ZipArchive",
            "_Lines",
        ),
        "lives as long as one call",
    ),
}
"""Classes that put something away and are not emptied with texts, and what they hold; names of classes are unique."""
MODULES_WITHOUT_TEXT = {
    "forks._open": "open files", "forks._abandoned": "files a fork left", "fork_lock._held": "locks",
    "fork_lock._locks": "locks", "held_locks._seen": "times by file", "reduce._PARTS": _PARTS,
    "reduce._PARTS_WITH": _PARTS, "memories._WELL_TYPED": _PARTS, "spine._scores": "scores under keyed hashes",
    "remembered._empty": "functions", "remembered._keepers": "caches, weakly",
    "language._stemmers": "stemmers by language", "tables._moments": "small rows of the indexes, by connection",
}  # fmt: skip
"""What modules put away while they run, and what it is."""
_PUTTING = frozenset({"append", "add", "update", "setdefault", "extend", "insert", "appendleft"})
_CONTAINERS = frozenset({"dict", "list", "set", "OrderedDict", "defaultdict", "deque", "WeakKeyDictionary"})


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


def _begins_empty(value: ast.expr | None) -> bool:
    """Whether this makes a container that something is put into later."""
    if isinstance(value, ast.Call):
        return ast.unparse(value.func).split(".")[-1] in _CONTAINERS
    return (isinstance(value, ast.Dict) and not value.keys) or (isinstance(value, ast.List) and not value.elts)


def _puts_away(made: ast.ClassDef) -> bool:
    """Whether objects of a class begin with an empty container of their own, or are one."""
    beginnings = [f for f in made.body if isinstance(f, ast.FunctionDef) and f.name == "__init__"]
    return any(ast.unparse(above).split("[")[0] in _CONTAINERS for above in made.bases) or any(
        isinstance(node, ast.Assign | ast.AnnAssign)
        and isinstance(node.targets[0] if isinstance(node, ast.Assign) else node.target, ast.Attribute)
        and _begins_empty(node.value)
        for beginning in beginnings
        for node in ast.walk(beginning)
    )


def _put_away(tree: ast.Module) -> set[str]:
    """Names of a module into which its functions put something."""
    named = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    own = {one.id for node in named for one in ast.walk(node) if isinstance(one, ast.Name) and _stored(one)}
    found: set[str] = set()
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            inner = {one.arg for one in ast.walk(function) if isinstance(one, ast.arg)}
            inner |= {one.id for one in ast.walk(function) if isinstance(one, ast.Name) and _stored(one)}
            found |= {name for node in ast.walk(function) for name in _put_into(node)} & own - inner
    return found


def _stored(node: ast.Name | ast.Subscript) -> bool:
    return isinstance(node.ctx, ast.Store)


def _put_into(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and _stored(node):
        yield node.value.id
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _PUTTING:
        yield from [node.func.value.id] if isinstance(node.func.value, ast.Name) else []


def test_an_object_that_keeps_what_was_used_last_is_known_to_their_owner(package: dict[str, ast.Module]) -> None:
    strays, seen = [], 0
    for module, tree in package.items():
        emptied = "emptied_by(" in ast.unparse(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and _puts_away(node) and ".testing" not in module:
                seen += 1
                calls = [ast.unparse(call.func) for call in ast.walk(node) if isinstance(call, ast.Call)]
                if "kept_in" not in calls and node.name not in OBJECTS_WITHOUT_TEXT and not (node.bases and emptied):
                    strays.append(f"{module}.{node.name}")
    assert seen > 20, "the check no longer sees any"
    assert strays == [], "tell text/words/remembered.py of them, or say here what they hold"


def test_what_a_module_keeps_while_it_runs_is_told_with_what_it_holds(package: dict[str, ast.Module]) -> None:
    found = {f"{module.split('.')[-1]}.{name}" for module, tree in package.items() for name in _put_away(tree)}
    assert found - MODULES_WITHOUT_TEXT.keys() == set(), "make it with text/words/remembered.py, or say what it holds"
    assert found >= MODULES_WITHOUT_TEXT.keys(), "these are gone: the list only says what is there"


def test_the_check_sees_plain_dicts() -> None:
    code = (
        "kept = {}\ndef ask(text):\n    kept[text] = 1\nclass Ear:\n    def __init__(self):\n        self.heard = {}\n"
    )
    tree = ast.parse(code)
    assert _put_away(tree) == {"kept"}
    assert [_puts_away(node) for node in tree.body if isinstance(node, ast.ClassDef)] == [True]
