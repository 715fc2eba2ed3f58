"""Operations that carry memories in and out as files: parameters, results and declarations.

Owns no behaviour. Invariant: every entry that could not be taken is counted, and the first are listed with the reason.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from palazzo.model.capability import Level
from palazzo.operations.declared import Operation, Scoped, operators, told

ExportFormat = Literal["auto", "bundle", "markdown", "palace", "encrypted"]
ImportFormat = Literal[
    "auto", "bundle", "markdown", "palace", "encrypted", "chatgpt", "claude", "mem0", "mcp-memory", "notes", "chromium",
    "firefox", "icalendar", "shell-history", "atuin", "activitywatch",
]  # fmt: skip


class ExportParameters(Scoped):
    to: str = told("The new file to write, or the new folder for markdown.")
    format: ExportFormat = told("What to write; by the file's ending when left out.", "auto")
    place: str = told("Only from this place; work.* is directly below it, work.** all of it.", "")
    user: str = told("Only what belongs to this user, in whatever project or channel: all they have a right to.", "")
    passphrase: str = told("The passphrase of an encrypted archive.", "")


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """What was written, and where."""

    to: str
    format: str
    memories: int
    revisions: int
    edges: int
    bytes: int
    damaged: tuple[str, ...] = ()
    """Stored fields that are damaged: their rows are not in the export."""


class ImportParameters(Scoped):
    file: str = told("The file or folder to read.")
    format: ImportFormat = told("What it is; found out from its content when left out.", "auto")
    place: str = told("Where what it tells goes: imports, or a place below it; by the format when left out.", "")
    dry_run: bool = told("Read and count only; nothing is written.", False)
    reader: str = told("Read it with the importer of this name that a plugin brings.", "")
    passphrase: str = told("The passphrase of an encrypted archive.", "")


class RefusedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of a file that was not taken in: which one, why, and what to do about it."""

    entry: str
    reason: str
    hint: str = ""


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a file. `entries` is the sum of new, known and refused; `refusals` lists the first of the latter.

    `readable` of the entries can be read now that all is written, `memories` is how many were made and are there;
    `redacted` of the new ones lost a sentence to the screen; `links` are edges between the memories made.
    """

    file: str
    format: str
    dry_run: bool
    entries: int
    new: int
    known: int
    refused: int
    redacted: int = 0
    readable: int = 0
    memories: int = 0
    links: int = 0
    refusals: tuple[RefusedEntry, ...] = ()
    degraded: tuple[str, ...] = ()


OPERATIONS: Final[tuple[Operation, ...]] = (
    operators(
        "export", ExportParameters, Exported,
        people="Write memories to a new file: a bundle, a folder of Markdown, an encrypted archive or a copy.",
    ),
    operators(
        "import", ImportParameters, Imported, Level.write, writes=True, idempotent=True,
        people="Take in a file of another program or another palace, in quarantine, and say what became of it.",
    ),
)  # fmt: skip
