"""Operations about what is captured on the machine: parameters, results and declarations.

Owns no behaviour. Not to be confused with `operations/capturing`, which keeps what came of an agent's work. Invariant:
what switches capture on, and what it may see, is the operator's to say.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, Literal

import msgspec

from palazzo.model.capability import Level
from palazzo.model.raw_event import RawKind
from palazzo.operations.declared import Operation, arguments, operators, told
from palazzo.operations.shared import Listing, NoParameters

Listed = Literal["app", "path", "command"]


@arguments
class AdapterParameters:
    adapter: str = told("shell, git, files, window, music, or one that a plugin brings.")
    folders: tuple[str, ...] = told("Folders that files and git look at, beside those they look at already.", ())


@arguments
class PrivateParameters:
    what: Listed = told("app, path or command.")
    pattern: str = told("Which: a name, a folder with all below it, or a pattern with * in it.")
    remove: bool = told("Take it off the list again.", False)


@arguments
class AllowParameters:
    only: bool = told("Whether nothing but what is on the list of allowed is captured.", True)


@arguments
class GivenEvent:
    """One thing that was done."""

    kind: RawKind = told("command, commit, file, app_activation or music.")
    source: str = told("The adapter that saw it.")
    reference: str = told("The command, path, app or title.")
    at: datetime | None = told("When; now when left out.", None)
    metadata: dict[str, Any] | None = told(
        "What else is known: cwd, exit_code, seconds, app, title; one with an id is kept once.", None
    )


@arguments
class CaptureEventsParameters:
    events: tuple[GivenEvent, ...] = told("What was done: objects with kind, source, reference, at and metadata.")


@arguments
class CaptureGitParameters:
    repository: str = told("The folder of the repository.")
    limit: int = told("How many of its newest commits at most.", 200, low=1, high=10_000)


@arguments
class RawEventsParameters:
    source: str = told("Only of this adapter, path or reference.", "")
    kind: RawKind | None = told("Only of this kind.", None)
    after: datetime | None = told("Only since then.", None)
    before: datetime | None = told("Only before then.", None)
    limit: int = told("How many at most, the newest first.", 50, low=1, high=1000)


class TakenEvents(msgspec.Struct, frozen=True, kw_only=True):
    """What became of events: how many were kept, and why others were not."""

    kept: int
    refused: tuple[str, ...] = ()


class ShownEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was done, as it was captured."""

    kind: str
    source: str
    reference: str
    at: datetime
    metadata: dict[str, Any]
    scope: str = ""


class RawEventList(Listing[ShownEvent], frozen=True, kw_only=True):
    """Raw events, newest first."""

    events: tuple[ShownEvent, ...]


class ShownAdapter(msgspec.Struct, frozen=True, kw_only=True):
    """An adapter: whether it is on, whether it can see anything here and why not, and what it saw."""

    name: str
    on: bool
    available: bool
    about: str
    why: str = ""
    events: int = 0
    last: datetime | None = None


class CaptureStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What may be captured and what was. `private` is what the operator added to what is private from the start."""

    paused: bool
    only_allowed: bool
    keeps_days: float
    adapters: tuple[ShownAdapter, ...]
    private: tuple[str, ...]
    private_from_the_start: tuple[str, ...]
    allowed: tuple[str, ...]
    folders: tuple[str, ...]
    runtime: str = ""


def _decides(name: str, takes: type, people: str) -> Operation:
    return operators(name, takes, CaptureStatus, people=people, writes=True, idempotent=True)


OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        "capture_status", NoParameters, CaptureStatus, Level.read_all, "palace", toolset="full",
        people="Show what may be captured on this machine: adapters, pause, private and allowed lists, last events.",
        models="See what is captured on the user's machine, and whether it is paused.",
    ),
    _decides("capture_enable", AdapterParameters, "Switch an adapter on; nothing is captured by one that is not."),
    _decides("capture_disable", AdapterParameters, "Switch an adapter off; what it saw stays until it is burnt."),
    _decides("capture_private", PrivateParameters, "Make an app, a path or a command private: nothing of it is read."),
    _decides("capture_allow", PrivateParameters, "Put an app or a path on the list of what alone may be captured."),
    _decides("capture_only", AllowParameters, "Capture nothing but what is allowed, or all but what is private."),
    operators(
        "capture_events", CaptureEventsParameters, TakenEvents, Level.write, writes=True,
        people="Hand over what was done on the machine; the gate decides about each, and the audit trail says how.",
    ),
    operators(
        "capture_git", CaptureGitParameters, TakenEvents, Level.write, writes=True,
        people="Take in the commits of a repository that are new, with the languages they touched.",
    ),
    Operation(
        "raw_events", RawEventsParameters, RawEventList, Level.read_all, "palace", toolset="full",
        people="List what was captured on this machine, newest first.",
        models="See the commands, commits, files and apps around a time, newest first.",
    ),
)  # fmt: skip
