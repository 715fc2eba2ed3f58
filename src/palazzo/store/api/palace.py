"""One palace, open: commits of changes, readings of it, and what belongs to the palace rather than to a memory.

What is palace-wide here (rules, tokens, the audit chain, jobs, spaces, erasures) is read without a View because it
shows
no memory's content; who may ask for it is decided above. Every call that writes is one durable transaction. Raises,
beside what a method names: StorageError, and ReadOnly where a palace that is only read is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal, Protocol
from uuid import UUID

from palazzo.model.capability import Grant, OperatorPlan, Packet, PacketKind, Token, View
from palazzo.model.change import Change, Event, Receipt
from palazzo.model.kinds import KindTable
from palazzo.model.message import Intake
from palazzo.model.raw_event import RawEvent
from palazzo.model.scope import GLOBAL, Scope
from palazzo.model.slip import Slip, SlipKind
from palazzo.ports import Clock, FieldCipher
from palazzo.store.api.keeping import (
    AuditFilter,
    AuditHead,
    AuditLine,
    Carried,
    Damaged,
    Erasing,
    Fading,
    Finding,
    GuardRules,
    JobHold,
    JobRow,
    JobState,
    KeyedRequest,
    QueueStep,
    Stretches,
)
from palazzo.store.api.reading import Reading
from palazzo.store.api.values import KeptMessage, Look, Presence, Space, Use

Progress = Callable[[int, int], None]
Steps = Callable[[str, int, int], None]
"""Progress of named steps."""
Feature = Literal["encryption", "padding", "compaction", "traces", "backup"]
"""What only some engines can do: encrypt the whole file, hide its size, write it anew, search its bytes, copy it."""


class Guarding(Protocol):
    """Who may do what: grants, tokens, plans of operators, rules."""

    def version(self) -> int:
        """A number that differs from the last one after every change of who may do what."""

    def rules(self, subject: str) -> GuardRules:
        """What holds for a subject and for everybody, read in one moment."""

    def grants_of(self, subject: str) -> tuple[Grant, ...]:
        """The grants of a subject."""

    def subjects(self) -> tuple[str, ...]:
        """Everybody somebody decided about: who has grants or tokens, by name."""

    def lock_of(self, subject: str) -> bool | None:
        """Whether an operator lifted this subject's hard lock (True) or locked it (False); None: nobody decided."""

    def policies(self) -> dict[str, str]:
        """The rules of the palace by name."""

    def plan(self, plan_id: UUID) -> OperatorPlan:
        """One plan by its id.

        Raises: NotFound.
        """

    def plans(self) -> tuple[OperatorPlan, ...]:
        """Every plan, newest first."""

    def packet(self, packet_id: UUID) -> Packet:
        """One packet of the spine by its id.

        Raises: NotFound.
        """

    def packets(self, kind: PacketKind, subject: str = "", limit: int = 200) -> tuple[Packet, ...]:
        """The packets of a kind, of one subject if it is named, the last changed first."""

    def token_with(self, digest: bytes) -> Token | None:
        """The token whose text has this hash."""

    def tokens(self) -> tuple[Token, ...]:
        """Every token, oldest first, revoked ones too."""


class AuditChain(Protocol):
    """The hash-chained audit of the palace."""

    def append(self, lines: Sequence[AuditLine]) -> None:
        """Adds lines to the chain."""

    def key(self) -> bytes | None:
        """The key of the hashes of questions; None while there is none."""

    def make_key(self) -> bytes:
        """The key, made on first use."""

    def lines(
        self, limit: int = 200, wanted: AuditFilter = AuditFilter(), below: int | None = None
    ) -> tuple[tuple[int, AuditLine], ...]:
        """The newest lines that are wanted with their numbers, newest first, from below a number on."""

    def verify(self) -> list[str]:
        """Re-derives the chain and names the first line that does not fit; empty when all do."""

    def head(self) -> AuditHead:
        """The newest line: its number, hash and time; zeros for an empty chain."""

    def hash_of(self, line: int) -> bytes | None:
        """The hash of a line; None when there is none of that number."""

    def renewals(self, after: int) -> tuple[int, ...]:
        """Lines after one that say the chain was made anew."""

    def anchor_seed(self) -> bytes | None:
        """What the key of anchors is made from; None while there is none."""

    def make_anchor_seed(self) -> bytes:
        """The seed, made on first use."""


class KeyedRequests(Protocol):
    """Requests that carry a key of their own: run once, however often they are sent."""

    def claim(self, request: KeyedRequest, now_us: int) -> str | None:
        """The answer this request got before; None when it has none, and is now the caller's to run.

        Raises: KeyReused, Conflict while it runs elsewhere.
        """

    def answer(self, request: KeyedRequest, result: str, now_us: int) -> None:
        """Keeps the answer to a claimed request for a day; where there is a key it is sealed, for it may quote."""

    def release(self, request: KeyedRequest) -> None:
        """Gives up a claim: the request failed and wrote nothing, so it may be sent again."""


class Slips(Protocol):
    """What is kept about the work itself: threads, sessions, handoffs, receipts."""

    def get(self, kind: SlipKind, name: str, scope: Scope = GLOBAL) -> Slip | None:
        """The slip of this kind, scope and name."""

    def newest(
        self, kind: SlipKind, scope: Scope | None = GLOBAL, *, state: str = "", subject: str = "", limit: int = 200
    ) -> tuple[Slip, ...]:
        """The slips of a kind in one scope, or in all of them for None, the last changed first."""


class RawEvents(Protocol):
    """What was done on the machine, for the palace's own passes, which act below all views."""

    def after(self, number: int, limit: int) -> tuple[RawEvent, ...]:
        """Events from a number on, in order."""

    def tally(self) -> tuple[tuple[str, int, int], ...]:
        """How many events of each source there are, and when the newest was."""

    def kept(self) -> bool:
        """Whether there is any."""


class Journal(Protocol):
    """The journal for the palace's own passes, which act below all views."""

    def last_seq(self) -> int:
        """The number of the newest event; 0 in an empty palace."""

    def cursor(self, name: str) -> int:
        """Where a reader of the journal stands; 0 when it has never read."""

    def tail(self, seq: int, limit: int = 1000) -> tuple[Event, ...]:
        """Events newer than `seq`, oldest first."""

    def await_news(self, wait_s: float) -> bool:
        """Waits until somebody may have written, at most so long; False at once where the engine tells nobody."""

    def move_cursor(self, name: str, seq: int, now_us: int) -> None:
        """Moves a reader's cursor forward; never back."""


class AuditQueue(Protocol):
    """Memories that wait to be looked at again."""

    def due(self, now_us: int, limit: int) -> dict[Scope, tuple[UUID, ...]]:
        """Memories whose turn has come, longest overdue first, by scope."""

    def take(self, step: QueueStep, turn: Callable[[str, int, int], int]) -> int:
        """Queues what was written, lets what it may contradict be looked at now, and moves the reader's cursor
        along."""


class JobTable(Protocol):
    """Background work: one holder at a time, how far it is, and what came of the last run."""

    def begin(self, hold: JobHold, subject: str, at_us: int) -> bool:
        """Takes a job; False while another holder has it. A dead holder's time runs out."""

    def held(self, hold: JobHold) -> AbstractContextManager[None]:
        """Until the block ends, what this thread writes is written only while this holder has the job.

        Raises: Conflict, by the write that comes too late.
        """

    def go_on(self, hold: JobHold, step: str, done: int, total: int) -> bool:
        """Keeps the job and notes how far it is; False when it was cancelled or another has it."""

    def end(self, hold: JobHold, state: JobState, report: str, at_us: int) -> None:
        """Gives the job back with its report, if this holder still has it."""

    def cancel(self, name: str, now_us: int) -> bool:
        """Asks whoever has the job to stop; False when nobody has it."""

    def every(self) -> tuple[JobRow, ...]:
        """Every job that ever ran, by name."""


class Lives(Protocol):
    """How memories fade, below all views."""

    def due(self, now_us: int, forgotten_us: int, limit: int) -> tuple[Fading, ...]:
        """Memories whose next transition is due, longest due first; of forgotten ones those forgotten before."""

    def moved_by(self, subject: str, since_us: int) -> tuple[Event, ...]:
        """The changes of state a subject made since a moment, oldest first."""

    def count_due(self, now_us: int) -> int:
        """How many memories wait to be moved on."""

    def tally(self) -> tuple[tuple[str, str, int], ...]:
        """How many memories there are of each kind, in each state."""

    def first_us(self) -> int | None:
        """When the first thing was written; None in an empty palace."""

    def last_us(self) -> int | None:
        """When the last thing was written; None in an empty palace."""

    def fading(self, memory_id: UUID) -> Fading | None:
        """How one memory fades, and the state it is in; None for one that is gone."""


class VectorSpaces(Protocol):
    """Named spaces of vectors, and what has none in them yet."""

    def every(self) -> tuple[Space, ...]:
        """All spaces, retired ones too."""

    def missing(self, name: str, limit: int, after: int = 0) -> list[tuple[int, str]]:
        """Key and text of revisions without a vector in a space, in the order of their keys."""

    def count_missing(self, name: str) -> int:
        """How many revisions have no vector in a space."""


class Accounts(Protocol):
    """Messages that were taken in, whoever told them."""

    def repeated(self, digests: Sequence[bytes], since_us: int, *, unchanged: bool = False) -> Mapping[bytes, Intake]:
        """The newest account of each of these messages taken in since a moment."""

    def taken_in(self) -> list[tuple[UUID, int]]:
        """The id of every message that was taken in, with the moment of its call."""

    def backlog(self) -> int:
        """How many messages were kept and are still to be understood."""

    def waiting(self, limit: int) -> list[KeptMessage]:
        """The oldest of these, in order."""


class Care(Protocol):
    """Looking after the palace as a whole."""

    def verify(self, progress: Steps | None = None) -> list[str]:
        """Compares everything derived with what it was derived from and names the differences; empty when all agree."""

    def doctor(self) -> list[Finding]:
        """Looks at the whole palace and says, for each part, whether it is well and what to do if not."""

    def rebuild(self, progress: Steps | None = None) -> None:
        """Makes the text and vector indexes again from the revisions and their vectors."""

    def upkeep(self) -> int:
        """Does what waits to be done (merging, building lists, moving the log) and says in how many steps."""

    def set_aside(self) -> bool:
        """Looks for damaged rows and sets them aside; True when there are some that were not before."""

    def damaged(self) -> tuple[Damaged, ...]:
        """The fields that are set aside."""

    def when_set_aside(self, act: Callable[[], None]) -> None:
        """Has something done whenever other rows are set aside: whoever keeps what was read lets go of it."""

    def overview(self) -> dict[str, Any]:
        """How much of everything there is."""

    def totals(self) -> dict[str, int]:
        """How much a copy of the whole palace holds."""

    def backup(self, target: Path, progress: Progress | None = None, before: Callable[[], None] | None = None) -> None:
        """Copies the palace as of one moment; the copy appears under its name only when it is complete and synced.

        `before` is called just before it appears, for what has to stand beside it.
        """

    def copies(self) -> tuple[str, ...]:
        """The names of the copies the palace keeps of itself, by name."""

    def drop_copies(self, names: Sequence[str]) -> None:
        """Removes copies the palace keeps of itself, with the notes of their keys."""

    def copied(self, path: Path) -> AbstractContextManager[Reading]:
        """All of another palace's backup, for reading; its grants, tokens and keys are never looked at.

        Raises: InvalidInput when it is none.
        """


class Erasures(Protocol):
    """Erasures on record: what one is to take is written down before it begins and struck off when it is complete."""

    def alone(self, *, wait: bool = True) -> AbstractContextManager[bool]:
        """Lets one erasure run at a time, whichever process it is in; without waiting, whether this is the one."""

    def record(self, intent: Erasing, view: View, chosen: Callable[[Reading], Iterable[UUID]]) -> None:
        """Puts an erasure on record with the memories that are chosen, in one transaction."""

    def unfinished(self) -> tuple[Erasing, ...]:
        """The erasures that are not complete, oldest first."""

    def owed(self) -> bool:
        """Whether memories were purged whose words may still stand in the archive."""

    def taken(self, number: int) -> tuple[UUID, ...]:
        """Every memory of an erasure, purged or not."""

    def waiting(self, number: int, limit: int) -> tuple[tuple[UUID, ...], list[bytes]]:
        """Memories an erasure has still to purge, and pieces of their texts to look for afterwards."""

    def stretches(self) -> dict[UUID, Stretches | None]:
        """What purged memories were made from, by happening; None for one that no memory comes from any more."""

    def settle(self, nodes: Iterable[UUID]) -> None:
        """Strikes off where purged memories came from: the archive has nothing of it any more."""

    def end(self, number: int) -> None:
        """Strikes off an erasure that is complete; what it left in logs is noted until `empty_log`."""

    def forget_names(self, intent: Erasing) -> dict[str, int]:
        """Takes a person, or what was captured, out of every table; returns how many rows of each were removed or
        renamed."""

    def wipe(self) -> dict[str, int]:
        """Takes out what no memory holds when everything is burnt; returns how many rows of each table."""

    def remains(self, intent: Erasing, mentioned: int) -> tuple[str, ...]:
        """What is kept after an erasure, and why."""

    def erase_from_backups(self, memories: tuple[UUID, ...], intent: Erasing) -> tuple[tuple[str, str], ...]:
        """Erases the same from every backup beside the palace; says of each what was done."""

    def empty_log(self) -> bool:
        """Empties what the engine keeps of earlier writes; False while a reader holds an older moment."""

    def traces(self, pieces: Sequence[bytes]) -> tuple[int, tuple[str, ...]]:
        """How many pieces were looked for in the raw files, and the files that still hold one; needs `traces`."""


class CommitLog(Protocol):
    """Where every commit is written down beside the palace."""

    def begin(self, changes: Sequence[Change], subject: str, now_us: int) -> CommitNoted:
        """Writes a commit down before it is made."""


class CommitNoted(Protocol):
    """A commit on its way to the disk."""

    def made(self) -> tuple[str, ...]:
        """Returns when it is on the disk; says what went wrong, if something did."""

    def failed(self) -> None:
        """Notes that it was not made."""


class Writing(Protocol):
    """What is written: changes of memories, and the palace's own bookkeeping beside them."""

    def commit(self, changes: Sequence[Change], *, subject: str = "operator") -> Receipt:
        """Applies changes in one durable transaction with their journal events and audit line.

        Raises: Conflict, NotFound, InvalidInput, StorageError; then nothing of the batch is there.
        """

    def keep_mind(self, view: View, held: Sequence[Presence], at_us: int, forgotten_us: int, wait_s: float) -> None:
        """Keeps what a reader has in mind instead of what it had before, if no writer is in the way for that long.

        Raises: StorageError.
        """

    def keep_uses(self, uses: Sequence[Use], looks: Sequence[Look], wait_s: float) -> None:
        """Counts that memories were read, and keeps what was found in their texts, if no writer is in the way for that
        long; a day counts once.

        Raises: StorageError.
        """

    @property
    def audit(self) -> AuditChain: ...
    @property
    def requests(self) -> KeyedRequests: ...
    @property
    def jobs(self) -> JobTable: ...
    @property
    def queue(self) -> AuditQueue: ...
    @property
    def lives(self) -> Lives: ...
    @property
    def erasures(self) -> Erasures: ...


class Store(Writing, Protocol):
    """One palace, open. Threads share it; processes each open their own."""

    clock: Clock

    @property
    def id(self) -> UUID:
        """The palace's own id."""

    @property
    def kinds(self) -> KindTable:
        """The kinds of memory this palace knows."""

    @property
    def features(self) -> frozenset[Feature]:
        """What this engine can do for this palace beyond the contract."""

    @property
    def read_only(self) -> bool:
        """Whether the palace is only read."""

    @property
    def cipher(self) -> FieldCipher | None:
        """What seals texts of sensitive and confidential memories; None when the palace has no key."""

    @property
    def requires_sealing(self) -> bool:
        """Whether guarded texts are refused where there is no key to seal them."""

    @property
    def commits(self) -> int:
        """How many batches this thread has committed."""

    @property
    def in_background(self) -> bool:
        """Whether work may go on beside the caller, in threads of the palace's own."""

    @property
    def label(self) -> str:
        """Where the palace is, for people."""

    def reading(self, view: View) -> AbstractContextManager[Reading]:
        """One moment of the palace as one reader may see it."""

    @property
    def accounts(self) -> Accounts: ...
    @property
    def guarding(self) -> Guarding: ...
    @property
    def journal(self) -> Journal: ...
    @property
    def slips(self) -> Slips: ...
    @property
    def raw_events(self) -> RawEvents: ...
    @property
    def spaces(self) -> VectorSpaces: ...
    @property
    def care(self) -> Care: ...
    @property
    def carried(self) -> Carried: ...

    def close(self) -> None:
        """Stops background work and closes everything. Safe to call twice."""
