"""What people are told of a text that was taken in: in a sentence each, what was kept, where, and what it replaced.

Owns the wording. Looks each memory up after it was written, so that a program that wants JSON does not pay for it.
Invariant: what was refused, dropped or known already is told, and nothing is told twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from palazzo.errors import NotFound
from palazzo.operations.declared import SCOPE_KEYS
from palazzo.operations.intake.spec import Kept, ShownFate
from palazzo.surfaces.cli.sheet import Sheet, line, short

MOST: Final = 12
"""So many memories are named; of a book the rest is counted."""
_NEW: Final = frozenset({"stored", "flagged", "conflict"})
_CHANGED: Final = frozenset({"superseded", "merged"})


class ToldKept(msgspec.Struct, frozen=True):
    """The same as sentences."""

    lines: tuple[str, ...]


def looked_up(kept: Any, call: Callable[[str, dict[str, Any]], Any], given: dict[str, Any]) -> Any:
    """What became of a text, with the places of the memories and what they replaced; any other result as it is."""
    if not isinstance(kept, Kept):
        return kept
    scope = {key: given[key] for key in SCOPE_KEYS if key in given}
    fates = [fate for account in kept.accounts for fate in account.fates]
    said: dict[str, None] = {}
    for fate in fates[: MOST + 1]:
        said[_sentence(fate, call, scope)] = None
    told = [one for one in said if one]
    if len(fates) > MOST:
        told = [*told[:MOST], f"and {len(fates) - MOST} more parts; {len(kept.memories)} memories hold all of it"]
    return ToldKept((*(told or ["There was nothing in it to keep."]), *_missing(kept)))


def kept(console: Sheet, found: Kept) -> None:
    """The same without looking anything up."""
    line(console, f"{len(found.memories)} memories: {', '.join(map(short, found.memories[:MOST]))}".rstrip(": "))
    for one in _missing(found):
        line(console, one)


def told(console: Sheet, found: ToldKept) -> None:
    """Prints the sentences."""
    for one in found.lines:
        line(console, one)


def _missing(kept: Kept) -> list[str]:
    return [f"missing: {part}" for part in kept.degraded]


def _sentence(fate: ShownFate, call: Callable[[str, dict[str, Any]], Any], scope: dict[str, Any]) -> str:
    if fate.memory is None:
        return "" if fate.outcome in ("kept", "stored") else f"Not kept ({fate.outcome}): {fate.reason}."
    try:
        found = call("get", {"memory": str(fate.memory), **scope})
    except NotFound:  # what the same text said later took it back
        return ""
    where = f"{short(fate.memory)} in {found.place or 'the palace'}, as {found.kind}"
    if fate.outcome in _CHANGED and found.revision > 1:
        before = call("history", {"memory": str(fate.memory), **scope}).revisions[-2].text
        word = "It adds to" if fate.outcome == "merged" else "It replaces"
        return f"Kept {where}. {word} {before!s} (palazzo history {short(fate.memory)})"
    if fate.outcome == "skipped":
        return f"Known already: {where}."
    if fate.outcome == "conflict":
        return f"Kept {where}. It disagrees with {short(fate.other)}: palazzo inbox shows both."
    if fate.outcome == "flagged":
        return f"Kept {where}, flagged: {fate.reason}."
    return f"Kept {where}." if fate.outcome in _NEW else ""
