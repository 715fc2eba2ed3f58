"""Identity files: who an agent is, how it works, whom it works for, as pages a person writes.

Owns the folder `identity` in the palace's folder, the names and tags of its files, and how a change of one is planned,
applied and taken back. Whoever plans it, a person applies it; no other call writes there. Invariants: a file is there
whole or not at all; what is applied is what was shown, on the file that was shown; a rollback gives the same bytes
back, and a file that this could not be done with is not changed; a name outside the list is refused.
"""

from __future__ import annotations

import difflib
import re
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from palazzo.errors import Conflict, InvalidInput, VersionConflict
from palazzo.files import raw_files
from palazzo.model.ids import new_id
from palazzo.model.scope import GLOBAL
from palazzo.model.slip import PutSlip, Slip
from palazzo.persona.slips import ScopedSlips, told_of
from palazzo.store.api import Store
from palazzo.text.words.remembered import remembered

FOLDER: Final = "identity"
TAGS: Final = {
    "SOUL.md": "soul", "AGENTS.md": "operating_instructions", "ANCHOR.md": "who_the_user_is",
    "TOOLS.md": "environment_knowledge", "MEMORY.md": "corrections",
}  # fmt: skip
"""The files, and the tag each is read under."""
_FRAMES: Final = re.compile(rf"</?(?:{'|'.join(TAGS.values())}|memory|system)\b[^>]*>", re.IGNORECASE)
"""What would read as the end of a file, or as another."""
LONGEST: Final = 20_000
TEMPLATES: Final = {
    "SOUL.md": "# Soul\n\n## Principles\n\n- \n\n## Self-Experience\n\n",
    "AGENTS.md": "# How to work here\n\n## Meta-Awareness\n\n",
}


class IdentityTold(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a plan: the file, what it said and what it is to say, and why."""

    file: str
    before: str | None
    after: str
    reason: str = ""

    @property
    def diff(self) -> str:
        """Line by line what changes."""
        lines = difflib.unified_diff(
            (self.before or "").splitlines(), self.after.splitlines(), f"a/{self.file}", f"b/{self.file}", lineterm=""
        )
        return "\n".join(lines)


@remembered(16)
def _content(path: str, _changed_ns: int, _size: int) -> str:
    """What a file says, as long as its time and size are the same."""
    return raw_files.content(Path(path)).decode(errors="replace")


class Identity(ScopedSlips):
    """The identity files of one palace."""

    hint = "`palazzo identity plans` lists them"

    def __init__(self, folder: Path, store: Store, subject: str) -> None:
        super().__init__(store, GLOBAL, subject)
        self._folder = folder / FOLDER

    def read(self, file: str) -> str | None:
        """What a file says; None where there is none.

        Raises: InvalidInput for a name that is none of them.
        """
        path = self._path(file)
        try:
            found = path.stat()
        except FileNotFoundError:
            return None
        return _content(str(path), found.st_mtime_ns, found.st_size)

    def _exactly(self, file: str) -> str | None:
        """What a file says where that gives its bytes back; None where there is none.

        Raises: InvalidInput for a file whose bytes are no UTF-8.
        """
        if self.read(file) is None:
            return None
        try:
            return raw_files.content(self._path(file)).decode()
        except UnicodeDecodeError:
            raise InvalidInput(
                f"{file} is not in UTF-8, so a rollback could not give it back", field="file",
                hint="save it as UTF-8; until then it is read as far as that goes, and left as it is",
            ) from None  # fmt: skip

    def block(self, *, main: bool = True) -> str:
        """Every file under its tag, as a model reads them; corrections only in the main session."""
        if not self._folder.is_dir():
            return ""
        parts = []
        for file, tag in TAGS.items():
            text = self.read(file) if main or file != "MEMORY.md" else None
            if text and text.strip():
                parts.append(f"<{tag}>\n{_FRAMES.sub('', text.strip())}\n</{tag}>")
        return "\n".join(parts)

    def plan(self, file: str, text: str, reason: str = "") -> Slip:
        """Keeps a change of a file as a plan; nothing else happens.

        Raises: InvalidInput.
        """
        if len(text) > LONGEST:
            raise InvalidInput(f"an identity file has at most {LONGEST} characters", field="text")
        before = self._exactly(file)
        if before == text:
            raise InvalidInput("the file says this already", field="text")
        told = IdentityTold(file=file, before=before, after=text, reason=reason)
        made_id = new_id(self._store.clock.now_us())
        made = Slip(
            id=made_id, kind="identity", name=str(made_id), subject=self._subject, state="planned",
            told=msgspec.json.encode(told).decode(), scope=GLOBAL,
        )  # fmt: skip
        self._store.commit([PutSlip(made, 0)], subject=self._subject)
        return self.get(made.name)

    def apply(self, plan: str) -> Slip:
        """Writes what a plan says.

        Raises: NotFound, Conflict, VersionConflict when the file has changed since, OSError.
        """
        return self._move(plan, "planned", "applied")

    def rollback(self, plan: str) -> Slip:
        """Gives back what was there before.

        Raises: NotFound, Conflict, VersionConflict when the file has changed since, OSError.
        """
        return self._move(plan, "applied", "rolled_back")

    def _move(self, plan: str, was: str, state: str) -> Slip:
        known = self.get(plan)
        if known.state != was:
            raise Conflict(f"this plan is {known.state.replace('_', ' ')}", hint="make a new one")
        told = told_of(known, IdentityTold)
        here, there = (told.before, told.after) if state == "applied" else (told.after, told.before)
        if self._exactly(told.file) != here:
            raise VersionConflict(f"{told.file} has changed since", hint="plan again")
        self._store.commit([PutSlip(replace(known, state=state), known.version)], subject=self._subject)
        self._write(told.file, there)
        return self.get(plan)

    def _write(self, file: str, text: str | None) -> None:
        path = self._path(file)
        if text is None:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        raw_files.put(path, text.encode())

    def get(self, plan: str) -> Slip:
        """Raises: NotFound."""
        return self._known("identity", plan)

    def every(self, limit: int = 50) -> tuple[Slip, ...]:
        """The plans, the last changed first."""
        return self._newest("identity", limit)

    def _path(self, file: str) -> Path:
        if file not in TAGS:
            raise InvalidInput("no such identity file", field="file", hint=", ".join(TAGS))
        return self._folder / file


def digest_of(text: str | None) -> str:
    """By which a person sees that a file is what it was."""
    return "" if text is None else sha256(text.encode()).hexdigest()[:16]
