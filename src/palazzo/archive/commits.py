"""Commits as lines of the archive: every change as it was written, so that a palace can be made again equal.

Owns the form of a change in a line and what an erasure leaves of it. What is derived (vectors and their spaces), what
only guards a write (expectations) and what capture counted is not written down. Invariants: a line that is read back
gives the changes that were committed; of a memory that was purged no line keeps a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, get_args
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.model import belief as b
from palazzo.model import change as c
from palazzo.model.change import Attachments, Change
from palazzo.model.raw_event import COUNTER, RawSelection
from palazzo.store.api.keeping import name_pattern

COMMITS: Final = ".changes"
"""How the names of the files end that hold commits."""
_LEFT_OUT: Final = (b.ExpectHeld, c.StoreVectors, c.AddSpace, c.ActivateSpace, c.RetireSpace)
_TYPES: Final = {kind.__name__: kind for kind in get_args(Change)}
_PURGE: Final = c.PurgeMemory.__name__
_LINK: Final = c.AddEdge.__name__
_COUNTS: Final = b.AddSignals.__name__
_AROUND: Final = c.LinkProvenance.__name__


class ArchivedCommit(msgspec.Struct, frozen=True, kw_only=True):
    """One commit: its changes in order, whose it was, and when."""

    id: UUID
    subject: str
    made_us: int
    changes: tuple[Change, ...]


def line_of(commit: ArchivedCommit) -> dict[str, Any]:
    """A commit as a line; empty when nothing of it is written down."""
    out = (*_LEFT_OUT, b.AddSignals) if commit.subject == COUNTER else _LEFT_OUT
    told = [(type(one).__name__, _bare(one)) for one in commit.changes if not isinstance(one, out)]
    if not told:
        return {}
    return {"v": 1, "commit": commit.id.hex, "subject": commit.subject, "made_us": commit.made_us, "changes": told}


def _bare(change: Change) -> Change:
    """A change without vectors, which are made again from the texts."""
    if isinstance(change, c.PlaceMemory | c.AddRevision):
        attached = change.attachments
        return replace(change, attachments=_unseen(attached)) if attached.vectors else change
    if isinstance(change, c.CompleteMemory):
        return replace(change, content=replace(change.content, text=""))  # the words stand where it was kept
    if isinstance(change, c.RestoreMemory):
        made = tuple(replace(one, attachments=_unseen(one.attachments)) for one in change.revisions)
        return replace(change, revisions=made)
    return change


def _unseen(attached: Attachments) -> Attachments:
    return replace(attached, vectors={})


def plain(value: Any) -> Any:
    """How a value that JSON does not know is written: a mapping by its keys, a vector as its figures."""
    return dict(value) if isinstance(value, Mapping) else value.tolist()


def commit_of(line: Mapping[str, Any]) -> ArchivedCommit | None:
    """The commit of a line; None when it is none."""
    if not whole(line):
        return None
    try:
        changes = tuple(msgspec.convert(told, type=_TYPES[name], str_keys=True) for name, told in line["changes"])
    except (msgspec.ValidationError, KeyError, ValueError, TypeError):
        return None
    return ArchivedCommit(
        id=UUID(line["commit"]), subject=line["subject"], made_us=line["made_us"], changes=changes
    )  # fmt: skip


def whole(line: Mapping[str, Any]) -> bool:
    """Whether a line has the parts that every commit has."""
    changes = line.get("changes")
    return (
        isinstance(changes, list) and all(isinstance(one, list) and len(one) == 2 for one in changes)
        and isinstance(line.get("commit"), str) and isinstance(line.get("subject"), str)
        and isinstance(line.get("made_us"), int)
    )  # fmt: skip


def purged_in(line: Mapping[str, Any]) -> Iterable[str]:
    """The memories a commit purged, by id."""
    return (told["memory_id"] for name, told in line["changes"] if name == _PURGE)


def seen_in(line: Mapping[str, Any], captured: RawSelection) -> Iterable[str]:
    """The happenings around memories that came of what was captured so, by id."""
    for name, told in line["changes"]:
        for node in told.get("nodes", ()) if name == _AROUND else ():
            adapter = (node.get("metadata") or {}).get("source", "")
            if adapter and captured.takes(node["kind"], adapter, node.get("label", ""), node["at_us"]):
                yield node["id"]


def left_of(
    line: dict[str, Any], gone: frozenset[str], people: frozenset[str], names: re.Pattern[str] | None
) -> dict[str, Any] | None:
    """What is left of a line without the memories that are gone, and without these people; itself when all of it is.

    A person's own changes go; where others name them, the name is struck out.
    """
    if line["subject"].casefold() in people:
        return None
    struck = _struck_by(names) if names is not None else None
    about = [one for one in (names, name_pattern(people)) if one is not None]
    kept: list[Any] = []
    for name, said in line["changes"]:
        if name == _COUNTS and line["subject"] == COUNTER:
            continue  # of a release that wrote them down
        told = _untold(said, about) if name == _LINK else said
        if people and _says(told, people):
            continue
        made = _without(told, gone)
        if made is not _GONE:
            kept.append([name, struck(made) if struck is not None else made])
    if kept == line["changes"]:
        return line
    return {**line, "changes": kept} if kept else None


_GONE: Final = object()


def _untold(link: dict[str, Any], about: Sequence[re.Pattern[str]]) -> dict[str, Any]:
    """A link without what was told of it, where that names somebody of the patterns."""
    named = "metadata" in link and any(one.search(str(link["metadata"])) for one in about)
    return {name: value for name, value in link.items() if name != "metadata"} if named else link


def _without(value: Any, gone: frozenset[str]) -> Any:
    """A value without what names one of these ids: what stands in a list goes alone, anything else with its owner."""
    if isinstance(value, str):
        return _GONE if value in gone else value
    if isinstance(value, list):
        return [made for one in value if (made := _without(one, gone)) is not _GONE]
    if isinstance(value, dict):
        made = {name: _without(one, gone) for name, one in value.items()}
        return _GONE if _GONE in made.values() else made
    return value


def _says(value: Any, people: frozenset[str]) -> bool:
    if isinstance(value, str):
        return value.casefold() in people
    if isinstance(value, list):
        return any(_says(one, people) for one in value)
    return isinstance(value, dict) and any(_says(one, people) for one in value.values())


def _struck_by(names: re.Pattern[str]) -> Callable[[Any], Any]:
    def struck(value: Any) -> Any:
        if isinstance(value, str):
            return names.sub(lambda found: "█" * len(found[0]), value)
        if isinstance(value, list):
            return [struck(one) for one in value]
        if isinstance(value, dict):
            return {name: struck(one) for name, one in value.items()}
        return value

    return struck


def in_order(commits: Sequence[ArchivedCommit]) -> list[ArchivedCommit]:
    """Commits by the moment they were made; those of one moment as they stand."""
    return sorted(commits, key=lambda commit: commit.made_us)
