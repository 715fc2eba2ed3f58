"""Operations on snapshots of workspaces: parameters, results and declarations.

Owns no behaviour. Invariant: what a snapshot holds is captured here and given by nobody, so that nothing somebody
wrote is ever run by bringing one back.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

import msgspec

from palazzo.model.capability import Level
from palazzo.operations.declared import Operation, Scoped, told, tool
from palazzo.operations.shared import Listing

A_SNAPSHOT = "The id of the snapshot, or its first or last digits."
HERE = "The folder the work is in; that of the program that is asked when left out."
Step = Literal["territory", "applications", "terminals", "wallpaper", "music"]
Outcome = Literal["would", "done", "already", "left", "offered", "failed"]


class SnapshotSaveParameters(Scoped):
    place: str = told("Where it belongs, such as work.desk; the place of the memory when one is named.", "")
    memory: str = told("The memory it belongs to: id, address or name. It goes with the memory.", "")
    cwd: str = told(HERE, "")


class ShownSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """One snapshot: where it belongs, when it was taken, and what it is about in a few words."""

    id: UUID
    place: str
    territory: str
    captured_at: datetime
    bytes: int
    parts: tuple[str, ...]
    summary: str
    by: str
    memory: UUID | None = None
    left_out: tuple[str, ...] = ()
    """What could not be taken, and why; told when it is taken."""


class SnapshotListParameters(Scoped):
    place: str = told("Only at this place, or at those that a pattern names: work.**.", "")
    memory: str = told("Only those of this memory.", "")
    limit: int = told("How many at most, the newest first.", 50, low=1, high=1000)


class SnapshotList(Listing[ShownSnapshot], frozen=True, kw_only=True):
    """Snapshots, newest first."""

    snapshots: tuple[ShownSnapshot, ...]


class OneSnapshotParameters(Scoped):
    snapshot: str = told(A_SNAPSHOT)


class WholeSnapshot(ShownSnapshot, frozen=True, kw_only=True):
    """A snapshot with its state: references to what was open, by part."""

    state: dict[str, Any]


class SnapshotDiffParameters(Scoped):
    snapshot: str = told(A_SNAPSHOT)
    other: str = told("The snapshot it is compared with; how the workspace stands now when left out.", "")
    cwd: str = told(HERE, "")


class ShownDifference(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that differs: where it stands, what it was, what it is; empty: it was not, or is no longer, there."""

    where: str
    before: str
    after: str


class SnapshotDifferences(Listing[ShownDifference], frozen=True, kw_only=True):
    """What differs between a snapshot and another, or now."""

    differences: tuple[ShownDifference, ...]
    left_out: tuple[str, ...] = ()


class SnapshotRestoreParameters(Scoped):
    snapshot: str = told(A_SNAPSHOT)
    yes: bool = told("Do it; without this it is only said what would be done.", False)
    music: bool = told("Let the music go on where it was, too.", False)
    cwd: str = told(HERE, "")


class RestoredThing(msgspec.Struct, frozen=True, kw_only=True):
    """One thing of a workspace on its way back: in which of the five steps, what came of it, and what is to be said.

    `already`: it is there and stays as it is; `left`: it is yours to do, and how; `offered`: ask for it.
    """

    step: Step
    what: str
    outcome: Outcome
    told: tuple[str, ...] = ()


class SnapshotRestored(Listing[RestoredThing], frozen=True, kw_only=True):
    """What bringing a workspace back did, or would do, and how the governor let it go on."""

    snapshot: UUID
    dry_run: bool
    mode: str
    things: tuple[RestoredThing, ...]
    next: str = ""


class SharedSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A snapshot for somebody else: the home folder is ~, and what was struck out is named."""

    palazzo: str
    captured_at: datetime
    territory: str
    state: dict[str, Any]
    struck_out: tuple[str, ...] = ()


class DroppedSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A snapshot that is gone from the palace and its archive; `next` says what is left to do, if anything is."""

    id: UUID
    next: str = ""


OPERATIONS: Final[tuple[Operation, ...]] = (
    tool(
        "snapshot_save", SnapshotSaveParameters, ShownSnapshot, Level.write, writes=True,
        people="Keep how the workspace stands now, at a place or with a memory: references, never contents.",
        models="Keep how the user's workspace stands now (terminals, editors, branch), at a place or with a memory.",
    ),
    Operation(
        "snapshot_list", SnapshotListParameters, SnapshotList, Level.read_all, "palace", toolset="full",
        people="List snapshots of the workspace, newest first.",
        models="List snapshots of the user's workspace, newest first.",
    ),
    Operation(
        "snapshot_show", OneSnapshotParameters, WholeSnapshot, Level.read_all, "palace", toolset="full",
        people="Show what was open when a snapshot was taken.",
        models="See what the user had open when a snapshot was taken: files, terminals, branch.",
    ),
    Operation(
        "snapshot_diff", SnapshotDiffParameters, SnapshotDifferences, Level.read_all, "palace", toolset="full",
        people="Compare a snapshot with another, or with how the workspace stands now.",
        models="Compare a snapshot of the workspace with another, or with now.",
    ),
    tool(
        "snapshot_restore", SnapshotRestoreParameters, SnapshotRestored, Level.write, writes=True,
        people="Bring a workspace back in five steps; without --yes it is only said what would be done.",
        models="See what bringing a workspace back would do. Doing it needs the user's approval.",
    ),
    Operation(
        "snapshot_share", OneSnapshotParameters, SharedSnapshot, Level.read_all, "palace", toolset="full",
        people="Write a snapshot for somebody else, without what is private.",
        models="Get a snapshot in a form the user can hand to somebody else.",
    ),
    tool(
        "snapshot_drop", OneSnapshotParameters, DroppedSnapshot, Level.forget, writes=True, destructive=True,
        people="Erase a snapshot for good, from the archive too.",
        models="Erase a snapshot of the workspace for good.",
    ),
)  # fmt: skip
