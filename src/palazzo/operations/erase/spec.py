"""Operations that make memories go, for now or for good: parameters, results and declarations.

Owns no behaviour. Invariant: nothing is erased unless `yes` is said.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal

import msgspec

from palazzo.model.capability import Level
from palazzo.operations.declared import Arguments, Operation, operators, told
from palazzo.operations.shared import ChangedMemory, OneMemoryParameters, ReasonedMemoryParameters

SAY_YES = "nothing was erased yet: say yes to do it (--yes on the command line)"
NOTHING = "nothing that is kept is meant by this, so nothing was erased"
SURE = "Do it. Without this it only counts what would go."


class BurnParameters(Arguments):
    """Arguments of `burn`. What is given must hold together."""

    memories: tuple[str, ...] = told("A memory to erase, by its id or its address.", ())
    place: str = told("Erase what stands at this place; work.old.** is all of it, and #2026-04 a time.", "")
    after: datetime | None = told("Erase what was stored since this moment.", None)
    before: datetime | None = told("Erase what was stored before this moment.", None)
    source: str = told("Erase what came from here: a conversation's thread, a file, the id of a message.", "")
    subject: str = told("Erase what this subject wrote.", "")
    everything: bool = told("Erase every memory.", False)
    unreadable: bool = told("Also remove damaged lines of the archive: they may hold what is erased.", False)
    yes: bool = told(SURE, False)


class ErasureReport(msgspec.Struct, frozen=True, kw_only=True):
    """What an erasure did. `done` says that nothing is left to do; else `next` says what is to be done.

    `rows` are further rows removed or renamed, by table; `looked_for` counts pieces of text that were searched for in
    the raw files afterwards; `remains` says what stays on purpose, and why; `unreadable` names damaged lines of the
    archive, of which nobody can say what they hold.
    """

    done: bool
    memories: int
    archive_lines: int = 0
    unreadable: tuple[str, ...] = ()
    backups: tuple[str, ...] = ()
    rows: dict[str, int] = {}
    log: Literal["emptied", "pending"] = "emptied"
    looked_for: int = 0
    left: tuple[str, ...] = ()
    mentioned_elsewhere: int = 0
    pseudonym: str = ""
    remains: tuple[str, ...] = ()
    would: tuple[str, ...] = ()
    """What it would do, line by line, where `yes` was not said."""
    next: str = ""


class ForgetUserParameters(Arguments):
    user: str = told("The user, as in the scope of their memories.")
    mentions: bool = told("Also erase memories of others that mention them.", False)
    unreadable: bool = told("Also remove damaged lines of the archive: they may hold what is erased.", False)
    yes: bool = told(SURE, False)


OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        "forget", ReasonedMemoryParameters, ChangedMemory, Level.forget, "memory", writes=True, destructive=True,
        undone_by="restore", idempotent=True, toolset="core",
        people="Forget a memory: it is found no more, and can be restored.",
        models="Forget one memory when the user asks for it. It can be restored.",
    ),
    Operation(
        "restore", OneMemoryParameters, ChangedMemory, Level.forget, "memory", writes=True, idempotent=True,
        toolset="full",
        people="Bring back a memory that was forgotten.",
        models="Bring back one memory that was forgotten.",
    ),
    Operation(
        "purge", OneMemoryParameters, ChangedMemory, Level.forget, "memory", writes=True, destructive=True,
        idempotent=False, operator_only=True,
        people="Remove a memory physically with everything that hangs on it. This cannot be undone.",
    ),
    Operation(
        "burn", BurnParameters, ErasureReport, Level.forget, "reach", writes=True, destructive=True, idempotent=True,
        people="Erase memories for good, by id, place, time, source or subject, down to the bytes in the files.",
    ),
    operators(
        "forget_user", ForgetUserParameters, ErasureReport, writes=True, destructive=True, idempotent=True,
        people="Erase a person: their memories, what they said, and their name in every table, archive and log.",
    ),
)  # fmt: skip
