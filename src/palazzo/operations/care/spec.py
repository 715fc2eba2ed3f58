"""Operations about the palace as a whole: parameters, results and declarations.

Owns no behaviour. Invariant: a result tells names and numbers, never content.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from palazzo.model.capability import Level
from palazzo.operations.declared import Arguments, Operation, Scoped, operators, told
from palazzo.operations.shared import Listing, NoParameters

FROM_NOW = "now"


class VectorSpace(msgspec.Struct, frozen=True, kw_only=True):
    """A vector space: the model behind it, and how many memories still lack a vector in it."""

    name: str
    model: str
    dimensions: int
    state: str
    missing: int


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """How much of everything there is."""

    palace: str
    memories: int
    revisions: int
    places: int
    edges: int
    entities: int
    events: int
    spaces: tuple[VectorSpace, ...]
    index_tails_due: int
    bytes: int


class ShownFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at: good, warning or bad, and what to do."""

    check: str
    level: str
    detail: str
    advice: str = ""


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the palace is well, and every finding."""

    well: bool
    findings: tuple[ShownFinding, ...]


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """Whether everything agrees with everything, and what does not."""

    clean: bool
    problems: tuple[str, ...]


class BackupParameters(Arguments):
    target: str = told("The new file to write.")


class BackedUp(msgspec.Struct, frozen=True, kw_only=True):
    """The copy that was made; `key_file` is the note beside it that an encrypted one needs, empty for a plain one."""

    backup: str
    bytes: int
    key_file: str = ""


class EventsParameters(Scoped):
    after: str = told("Only events after this: seq or last as it came, 0 for the first on, now for none yet.", "0")
    limit: int = told("How many at most.", 100, low=1, high=1000)


class Happening(msgspec.Struct, frozen=True, kw_only=True):
    """One event of the journal: when, what happened, who did it, and to which memory. Never content.

    `seq` is its number for the operator, for others a word of their own that stands for it.
    """

    seq: str
    at: datetime
    kind: str
    subject: str
    memory: UUID | None
    revision: int | None


class EventList(Listing[Happening], frozen=True, kw_only=True):
    """Events, oldest first. `last` is where to go on, also when nothing was shown."""

    events: tuple[Happening, ...]
    last: str


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """How the palace is: good, warning or bad, and what should be known, in words. Memories by layer and by state;
    times of the last recalls of this process. For anyone but the operator, the level alone.
    """

    level: str
    words: tuple[str, ...] = ()
    layers: dict[str, int] = {}
    states: dict[str, int] = {}
    edges: int = 0
    missing_vectors: int = 0
    pending: int = 0
    index_tails_due: int = 0
    due_to_fade: int = 0
    recalls: int = 0
    recall_ms_mean: float = 0.0
    recall_ms_p99: float = 0.0
    resident_mb: float = 0.0
    pressure: str = ""
    budget_mb: float = 0.0
    log_mb: float = 0.0
    free_gb: float = 0.0
    backed_up_at: datetime | None = None


class ShownJob(msgspec.Struct, frozen=True, kw_only=True):
    """A job as it stands. `state`: never (it never ran), running, done, cancelled, failed, or lost when its process
    ended without a word. `held_until` is when another may take it; `due_at` when it runs by itself, in a daemon.
    """

    job: str
    about: str
    state: str
    every_s: int
    due_at: datetime | None = None
    began_at: datetime | None = None
    ended_at: datetime | None = None
    held_until: datetime | None = None
    started_by: str = ""
    step: str = ""
    done: int = 0
    total: int = 0
    cancelled: bool = False
    counts: dict[str, int] = {}
    notes: tuple[str, ...] = ()
    error: str = ""
    more: bool = False
    dry_run: bool = False
    undo: bool = False


class JobList(Listing[ShownJob], frozen=True, kw_only=True):
    """The jobs of the palace, in the order they run; counts and notes are of the last run that ended."""

    jobs: tuple[ShownJob, ...]


class ShownSetting(msgspec.Struct, frozen=True, kw_only=True):
    """A setting: its value (not a secret one's), the default, where it comes from (default, file, environment, given,
    or a plan that was applied, which is stronger), whether a change holds at once or from the next start on, and what
    it is for.
    """

    name: str
    value: str
    default: str
    source: str
    at_once: bool
    help: str


class SettingList(Listing[ShownSetting], frozen=True, kw_only=True):
    """The settings in force; `trouble` says why the file of settings is not used, if so."""

    settings: tuple[ShownSetting, ...]
    trouble: str = ""


class SettingParameters(Arguments):
    name: str = told("The setting, as `settings` names it.")
    value: str = told("Its value; an empty one goes back to the default.", blank=True)


class RunParameters(Arguments):
    job: str = told("The job, as `jobs` names it; `due` runs every job whose turn has come.")
    limit: int = told("How many memories to deal with, at most.", 1000, low=1, high=100_000)
    dry_run: bool = told("Only say what it would do.", False)


class MovedState(msgspec.Struct, frozen=True, kw_only=True):
    """A memory that a job moved, or would move, from one state to another."""

    memory: UUID
    address: str
    before: str
    after: str


class ShownRun(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a run: done, cancelled, failed, busy (another process is at it) or tried (a dry run)."""

    job: str
    state: str
    counts: dict[str, int] = {}
    notes: tuple[str, ...] = ()
    moves: tuple[MovedState, ...] = ()
    error: str = ""
    more: bool = False


class RunList(Listing[ShownRun], frozen=True, kw_only=True):
    """What became of each run."""

    runs: tuple[ShownRun, ...]


class CancelParameters(Arguments):
    job: str = told("The job, as `jobs` names it.")


class Cancelled(msgspec.Struct, frozen=True, kw_only=True):
    """Whether somebody was at the job and was asked to stop."""

    job: str
    asked: bool


class UndoParameters(Arguments):
    job: str = told("The job whose doing is taken back, as `jobs` names it, or the id of a dream's report.")
    since: datetime | None = told("Take back what it did since this moment; its last run when left out.", None)


class ShownSpace(msgspec.Struct, frozen=True, kw_only=True):
    """A vector space: `active` answers, `filling` takes over when it is complete, `kept` is one to go back to,
    `retired` is on its way out. `missing` counts the revisions without a vector in it."""

    name: str
    model: str
    dimensions: int
    metric: str
    state: str
    vectors: int
    missing: int
    made_at: datetime


class SpaceList(Listing[ShownSpace], frozen=True, kw_only=True):
    """The vector spaces of the palace, oldest first, and the one the settings name. `trouble` says why this process
    could not fill it by itself."""

    configured: str
    trouble: str = ""
    spaces: tuple[ShownSpace, ...]


class SpaceRetireParameters(Arguments):
    name: str = told("The space to let go.")


OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        "status", NoParameters, Status, Level.metadata, "palace", toolset="core",
        people="Say how much of everything there is.",
        models="See how much is remembered and whether the indexes are up to date.",
    ),
    Operation(
        "doctor", NoParameters, Diagnosis, Level.metadata, "palace", toolset="full",
        people="Look at the whole palace and say what to do.",
        models="Check the health of the palace and see what the user should do.",
    ),
    Operation(
        "health", NoParameters, Health, Level.metadata, "palace", toolset="full",
        people="Say in words how the palace is: jobs, backups, search, speed, memory and disk.",
        models="See how the palace is, in words.",
    ),
    Operation(
        "verify", NoParameters, Verified, Level.metadata, "palace",
        people="Compare every index, tag and chain with the truth and name the differences.",
    ),
    operators(
        "backup", BackupParameters, BackedUp,
        people="Copy the palace file to a new file while it is in use; an encrypted one stays encrypted.",
    ),
    Operation(
        "events", EventsParameters, EventList, Level.metadata, "reach",
        people="Show what happened to memories, oldest first: the journal, without content.",
    ),
    operators(
        "settings", NoParameters, SettingList,
        people="Show every setting: its value, where that comes from, and what it is for.",
    ),
    operators(
        "setting_put", SettingParameters, ShownSetting, writes=True, idempotent=True,
        people="Change a setting of this palace; most hold at once, in every process that has it open.",
    ),
    Operation(
        "jobs", NoParameters, JobList, Level.metadata, "palace", toolset="full",
        people="Show what is done while nobody asks: each job, how far it is and what came of its last run.",
        models="See which background jobs there are, whether one runs, and what the last runs did.",
    ),
    Operation(
        "run", RunParameters, RunList, Level.forget, "palace", writes=True, toolset="full",
        people="Run a job now, or only say what it would do.",
        models="Try a background job: with dry_run it says what it would do. Only the user runs one in earnest.",
    ),
    Operation(
        "cancel", CancelParameters, Cancelled, Level.forget, "palace", writes=True, idempotent=True, toolset="full",
        people="Ask a job that runs to stop after the step in hand.",
        models="Stop a background job that runs. What it has done stays; it goes on there the next time.",
    ),
    operators(
        "undo", UndoParameters, ShownRun, writes=True,
        people="Take back what a job or a dream did: recall finds what it found before.",
    ),
    Operation(
        "spaces", NoParameters, SpaceList, Level.metadata, "palace", toolset="full",
        people="List the vector spaces: which answers, which fills, which are kept to go back to.",
        models="See which embedding model answers and whether another is on its way.",
    ),
    operators(
        "space_retire", SpaceRetireParameters, SpaceList, writes=True, destructive=True,
        people="Let a kept vector space go for good, with its vectors.",
    ),
)  # fmt: skip
