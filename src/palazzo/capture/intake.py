"""What comes in from the machine: every event past the gate, kept or refused, and the pass that takes in what waited.

Owns the order: the gate decides, the screen takes secrets out, what is kept and what was decided is written in one
transaction. Of a repository it reads with git itself hash, time, subject and the names of the files of a commit, never
their content. Invariants: while the gate is closed nothing is looked at, nor is a repository that is private; nothing
newer than now is kept; a commit that was told before is not told again; what waited in the spool is asked about again,
by the rules of the moment at which it is taken in.
"""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from palazzo.capture import spool
from palazzo.capture.counting import Counting, Told, language_of
from palazzo.capture.gate import Gate, GateKeeper
from palazzo.errors import InvalidInput, PalazzoError, PartUnavailable
from palazzo.model.ids import new_id
from palazzo.model.raw_event import COUNTER, AddRawEvents, RawEvent, RefusedEvent
from palazzo.model.retention import DAY_US
from palazzo.model.scope import GLOBAL, Scope
from palazzo.model.slip import PutSlip, Slip
from palazzo.model.zone import microseconds, moment
from palazzo.store.api import Store
from palazzo.text.safety.secrets import find_secrets

LONGEST: Final = 4_000
"""Letters of a command, path or title that are kept."""
BATCH: Final = 200


class CaptureOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of events: how many were kept, and why others were not."""

    kept: int = 0
    refused: tuple[str, ...] = ()


class Spooled(msgspec.Struct, frozen=True):
    """A command as a shell left it in the spool."""

    reference: str
    at: datetime
    metadata: dict[str, Any] = {}


class RawIntake:
    """Capture of one palace."""

    def __init__(self, store: Store, runtime: Path | None, told: Told) -> None:
        self._store = store
        self._told = told
        self.keeper = GateKeeper(store, runtime)
        self.said: dict[str, str] = {}
        """Why an adapter that is on sees nothing, told once."""

    def gate(self) -> Gate:
        """The gate as it is now."""
        return self.keeper.gate()

    def add(self, events: Sequence[RawEvent], subject: str = COUNTER) -> CaptureOutcome:
        """Keeps what the gate lets through; every event has a line in the audit trail.

        Raises: StorageError.
        """
        gate, now_us = self.gate(), self._store.clock.now_us()
        kept: list[RawEvent] = []
        refused: list[RefusedEvent] = []
        for event in events:
            why = gate.refuses(event) or _unfit(event)
            if why:
                at_us = min(event.at_us, now_us)
                refused.append(RefusedEvent(kind=event.kind, source=event.source, reason=why, at_us=at_us))
            else:
                kept.append(_bounded(event, now_us))
        if kept or refused:
            self._store.commit([AddRawEvents(tuple(kept), tuple(refused))], subject=subject)
        return CaptureOutcome(kept=len(kept), refused=tuple(one.reason for one in refused))

    def look(self, limit: int) -> tuple[dict[str, int], bool]:
        """Takes in what waits in the spool and what watched repositories have new, then counts; whether more waits."""
        gate = self.keeper.publish()
        taken = self.take_spooled(gate)
        if gate.is_open("git"):
            for folder in gate.rules.folders:
                taken += self._repository(gate, Path(folder))
        counted, flagged, more = Counting(self._store, self._told).run(limit)
        return {"taken": taken, "counted": counted, "flagged": flagged}, more

    def take_spooled(self, gate: Gate | None = None) -> int:
        """Takes in what waits in the spool, and says how much was kept; while the gate is closed it is thrown away."""
        gate = gate or self.gate()
        if self.keeper.runtime is None:
            return 0
        if not gate.is_open("shell"):
            spool.drop(self.keeper.runtime)
            return 0
        events = [event for told in spool.take(self.keeper.runtime) if (event := _event(told)) is not None]
        return sum(self.add(events[at : at + BATCH]).kept for at in range(0, len(events), BATCH))

    def _repository(self, gate: Gate, folder: Path) -> int:
        """What a watched folder has new, if it is a repository."""
        if gate.bars_path(str(folder)) or not (folder / ".git").exists():
            return 0
        try:
            return self.scan(folder).kept
        except PalazzoError as error:
            self.said.setdefault("git", error.message)
            return 0

    def scan(self, repository: Path, limit: int = BATCH, subject: str = COUNTER) -> CaptureOutcome:
        """Takes in the commits of a repository that were not taken in before; a private one is not looked at.

        Raises: InvalidInput when it is none, PartUnavailable without git.
        """
        gate, name = self.gate(), str(repository)
        if not gate.is_open("git") or gate.bars_path(name):
            return CaptureOutcome(refused=("paused" if gate.paused else "private or off",))
        known, version = self._seen()
        since_us = self._store.clock.now_us() - 30 * DAY_US
        events = list(commits(repository, since_us=since_us, after=known.get(name, ""), limit=limit))
        if not events:
            return CaptureOutcome()
        told = self.add(events, subject)
        known[name] = str(events[-1].metadata["commit"])
        now_us = self._store.clock.now_us()
        slip = Slip(
            id=new_id(now_us), kind="capture", name="repositories", subject=subject, state="seen",
            told=msgspec.json.encode(known).decode(),
        )  # fmt: skip
        self._store.commit([PutSlip(slip, expected=version)], subject=subject)
        return told

    def _seen(self) -> tuple[dict[str, str], int]:
        slip = self._store.slips.get("capture", "repositories")
        return (msgspec.json.decode(slip.told, type=dict[str, str]), slip.version) if slip else ({}, 0)


def _unfit(event: RawEvent) -> str:
    """A command that is nothing but a secret, or holds one, is not kept in part: what is left of it says too much."""
    found = find_secrets(event.reference)
    return f"secret: {found[0].reason}" if found else ""


def _bounded(event: RawEvent, now_us: int) -> RawEvent:
    changed: dict[str, Any] = {}
    if len(event.reference) > LONGEST:
        changed["reference"] = event.reference[:LONGEST] + "…"
    if event.at_us > now_us:
        changed["at_us"] = now_us
    return msgspec.structs.replace(event, **changed) if changed else event


def _event(told: dict[str, Any]) -> RawEvent | None:
    """An event as a shell left it; None for what is none."""
    try:
        given = msgspec.convert(told, Spooled)
    except msgspec.ValidationError:
        return None
    return RawEvent(
        kind="command", source="shell", reference=given.reference, at_us=microseconds(given.at),
        metadata=given.metadata,
    )  # fmt: skip


SOURCE: Final = "git"
PATIENCE_S: Final = 20
_FORMAT: Final = "%x1e%H%x1f%at%x1f%s"


def commits(
    repository: Path, *, since_us: int, after: str = "", limit: int = 200, scope: Scope = GLOBAL
) -> Iterator[RawEvent]:
    """The newest commits of a repository, oldest first; with `after` those that follow this one.

    Raises: InvalidInput when there is no repository, PartUnavailable without git.
    """
    program = shutil.which("git")
    if program is None:
        raise PartUnavailable("git is not installed", part="git", hint="install git, or leave this adapter off")
    asked = [
        program, "-C", str(repository), "log", "--no-merges", f"--max-count={limit}", f"--format={_FORMAT}",
        "--name-only", "--no-renames", f"--since={moment(since_us).isoformat()}",
    ]  # fmt: skip
    wanted = [f"{after}..HEAD"] if after else []
    done = _run([*asked, *wanted])
    if done.returncode and after:
        done = _run(asked)  # history was written anew: that commit is gone
    if done.returncode:
        raise InvalidInput(f"{repository} is no git repository with commits", field="repository")
    for part in reversed(done.stdout.split("\x1e")[1:]):
        head, _, names = part.partition("\n")
        commit, at, subject = head.split("\x1f", 2)
        files = [name for name in names.splitlines() if name.strip()]
        languages = Counter(filter(None, map(language_of, files)))
        yield RawEvent(
            kind="commit", source=SOURCE, reference=subject, at_us=int(at) * 1_000_000, scope=scope,
            metadata={
                "repository": str(repository), "commit": commit, "files": len(files), "languages": dict(languages),
            },
        )  # fmt: skip


def _run(words: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(  # noqa: S603 - git, by its full path, with words of our own
            words, capture_output=True, text=True, errors="replace", timeout=PATIENCE_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise PartUnavailable("git did not answer in time", part="git", hint="try again") from error
