"""Operations of continuity: threads, sessions, handoffs, checkpoints and the compaction bridge. Parameters, results and
declarations.

Owns no behaviour. Invariant: what is handed on is a recommendation of its time, and no authority for an action.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal

import msgspec

from palazzo.model.capability import Level
from palazzo.operations.declared import Arguments, Operation, Scoped, told, tool
from palazzo.operations.shared import GivenTurn, Listing, NewestParameters, ScopeParameters

Mode = Literal["", "chat", "booth", "code", "robot"]
Source = Literal["startup", "resume", "clear", "compact"]
Framing = Literal["first_person", "neutral"]
Gate = Literal["file", "process", "config", "runtime"]
A_THREAD = "The thread: the name of the work that goes on over several sessions."
A_SESSION = "The session: one sitting at the thread."


class ThreadOpenParameters(Scoped):
    thread: str = told(A_THREAD)
    title: str = told("What people call it.", "")
    mode: Mode = told("chat and booth share what is said; code and robot each keep to themselves.", "")


class ThreadParameters(Scoped):
    thread: str = told(A_THREAD)


class ShownThread(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of work that survives sessions. `channel` is where its mode keeps what is said."""

    thread: str
    title: str
    state: str
    scope: str
    mode: str
    channel: str
    compactions: int
    sessions: int
    handoff: str
    began_at: datetime
    changed_at: datetime


class ThreadList(Listing[ShownThread], frozen=True, kw_only=True):
    """Threads, the last changed first."""

    threads: tuple[ShownThread, ...]


class SessionStartParameters(Scoped):
    thread: str = told(A_THREAD)
    session: str = told("The session's id; one is made when it is left out.", "")
    client: str = told("The client it runs in.", "")
    source: Source = told("How it began: startup, resume, clear or compact.", "startup")
    mode: Mode = told("The mode of the thread, where it is new.", "")
    max_chars: int = told("How long the warm start may be.", 10_000, low=500, high=100_000)
    framing: Framing = told("How headings speak: first_person or neutral.", "first_person")


class StartedSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session that has begun. `previous` says how the one before ended: ended, unfinished or none. `warm_start` is
    what a model should read; empty where the client has the conversation itself."""

    session: str
    thread: str
    mode: str
    channel: str
    previous: str
    handoff: str
    warm_start: str
    anew: bool = False
    """Whether the thread was compacted so often that it starts from the bridge alone."""


class SessionEndParameters(Scoped):
    session: str = told(A_SESSION)
    how: str = told("How it ended, in a word.", "ended")


class SessionsParameters(Scoped):
    thread: str = told(A_THREAD)
    limit: int = told("How many at most, the last changed first.", 20, low=1, high=500)


class ShownSession(msgspec.Struct, frozen=True, kw_only=True):
    """One sitting: running, ended, or unfinished where it never said that it ended."""

    session: str
    thread: str
    title: str
    state: str
    mode: str
    client: str
    source: str
    how: str
    exchanges: int
    began_at: datetime
    ended_at: datetime | None = None


class SessionList(Listing[ShownSession], frozen=True, kw_only=True):
    """Sessions of a thread, the last changed first."""

    sessions: tuple[ShownSession, ...]


class HandoffWriteParameters(Scoped):
    thread: str = told(A_THREAD)
    session: str = told(A_SESSION, "")
    note: str = told("What the next session should know beside what was said.", "")
    reason: str = told("Why it is written, in a word.", "asked")


class HandoffReadParameters(Scoped):
    thread: str = told(A_THREAD)
    session: str = told("The session that takes it: it is leased to that one, and its first turn consumes it.", "")
    max_chars: int = told("How long its text may be.", 10_000, low=500, high=100_000)
    framing: Framing = told("How headings speak: first_person or neutral.", "first_person")


class HandoffConsumeParameters(Scoped):
    thread: str = told(A_THREAD)
    session: str = told(A_SESSION)


class ShownHandoff(msgspec.Struct, frozen=True, kw_only=True):
    """What is handed on: written, offered to a session until a time, consumed by its first turn, or none. `file` is
    where a person finds it; empty in a palace with a key, where no word of it lies in clear."""

    thread: str
    state: str
    reason: str = ""
    session: str = ""
    offered_to: str = ""
    consumed_by: str = ""
    until: datetime | None = None
    compactions: int = 0
    text: str = ""
    file: str = ""


class GivenRun(Arguments):
    """A command that was run."""

    command: str = told("The command.")
    exit_code: int | None = told("How it ended; left out when nobody knows.", None)


class GivenTodo(Arguments):
    """One entry of an agent's own list of work."""

    text: str = told("What is to be done; may be left out where a known key names it.", "")
    state: Literal["open", "done", "cancelled"] = told("Where it stands.", "open")
    key: str = told("What the list calls it, where entries are told one by one and not the whole list.", "")
    at: datetime | None = told("When the list said so; now when left out.", None)


class CheckpointParameters(Scoped):
    thread: str = told(A_THREAD)
    session: str = told(A_SESSION, "")
    cwd: str = told("The folder the work is in.", "")
    branch: str = told("The branch it is on.", "")
    ran: tuple[GivenRun, ...] = told("Commands that were run since the last checkpoint.", ())
    files: tuple[str, ...] = told("Files that were worked on.", ())
    todos: tuple[GivenTodo, ...] = told("The agent's own list of work: what is on it stands as it says.", ())
    note: str = told("What else the next session should know.", "")
    exchanges: int = told("How many exchanges there were since the last one.", 0, low=0, high=10_000)


class ShownCheckpoint(msgspec.Struct, frozen=True, kw_only=True):
    """Where the work is, beside what was said."""

    thread: str
    session: str
    cwd: str
    branch: str
    ran: tuple[str, ...]
    files: tuple[str, ...]
    at: datetime


class WarmStartParameters(Scoped):
    thread: str = told(A_THREAD)
    max_chars: int = told("How long it may be.", 10_000, low=500, high=100_000)
    framing: Framing = told("How headings speak: first_person or neutral.", "first_person")


class WarmStart(msgspec.Struct, frozen=True, kw_only=True):
    """What a model should read when it takes a thread up again, and how many turns that was read from."""

    thread: str
    text: str
    turns: int


class CompactedParameters(Scoped):
    thread: str = told(A_THREAD)
    session: str = told(A_SESSION, "")
    summary: str = told("What the client keeps instead of the messages; its statements are kept as memories.", "")
    removed_turns: int = told("How many messages go.", 0, low=0, high=1_000_000)


class TurnStartParameters(Scoped):
    thread: str = told(A_THREAD)
    message: str = told("What the user asks.")
    session: str = told(A_SESSION, "")
    budget_tokens: int = told("How many tokens the block may have.", 1500, low=128, high=100_000)


class StartedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """What a model should read before it answers; `handoff` is where the thread's handoff stands now."""

    text: str
    memories: int
    handoff: str
    degraded: tuple[str, ...] = ()


class TurnEndParameters(Scoped):
    thread: str = told(A_THREAD)
    turns: tuple[GivenTurn, ...] = told("What was said since the last time, in order.")
    session: str = told(A_SESSION, "")
    cwd: str = told("The folder the work is in.", "")
    branch: str = told("The branch it is on.", "")
    ran: tuple[GivenRun, ...] = told("Commands that were run.", ())
    files: tuple[str, ...] = told("Files that were worked on.", ())


class EndedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """How many turns were taken in, and where the thread's handoff stands."""

    turns: int
    memories: int
    handoff: str
    degraded: tuple[str, ...] = ()


class ShownItem(msgspec.Struct, frozen=True, kw_only=True):
    """Work that was spoken of, in the words in which it was said, and what moved it there: open, done, cancelled, or
    unsure where something was said that may have ended it. The remark says what: put off, handed over, perhaps done.
    What was last said of it and moved it nowhere, as far as that can be read, stands in `spoken`."""

    text: str
    state: str
    by: str
    moved_by: str = ""
    reason: str = ""
    remark: str = ""
    spoken: str = ""


class ShownDecision(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was decided, or found wanting."""

    text: str
    by: str
    reason: str = ""


class ShownBridge(msgspec.Struct, frozen=True, kw_only=True):
    """Where the work of a thread stands, read from what was said, without a model. What plainly ended something that
    it does not name stands in `loose`, the newest first."""

    thread: str
    turns: int
    compactions: int
    items: tuple[ShownItem, ...]
    decisions: tuple[ShownDecision, ...]
    rejected: tuple[ShownDecision, ...]
    words: tuple[str, ...]
    asked_last: str
    loose: tuple[str, ...] = ()
    cwd: str = ""
    branch: str = ""
    ran: tuple[str, ...] = ()
    kept: int = 0
    """Statements of the summary that were kept."""
    degraded: tuple[str, ...] = ()
    scope: str = ""
    """Whose it is, where the only thread of that name was found elsewhere."""


class ShownProvider(msgspec.Struct, frozen=True, kw_only=True):
    """Who adds lines to contexts, or what else a client waits for, and how long that took lately in this process."""

    name: str
    priority: int
    section: str
    budget_ms: int
    calls: int
    p50_ms: float
    p95_ms: float
    max_ms: float
    late: int
    failed: int


class ProviderList(Listing[ShownProvider], frozen=True, kw_only=True):
    """Those who add to a context, in their order, and what is done before and after a turn."""

    providers: tuple[ShownProvider, ...]


class ProofCheckParameters(Scoped):
    text: str = told("The answer.")
    checked: tuple[Gate, ...] = told("What was looked at in this turn: file, process, config, runtime.", ())


class ShownClaimMade(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence that says how something is now, and whether that was looked at."""

    sentence: str
    gate: str
    verified: bool


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """An answer in which what was not looked at is marked, and the claims in it."""

    text: str
    claims: tuple[ShownClaimMade, ...]


OPERATIONS: Final[tuple[Operation, ...]] = (
    tool(
        "thread_open", ThreadOpenParameters, ShownThread, Level.write, writes=True, idempotent=True,
        people="Begin a piece of work that goes on over sessions, or open it again.",
        models="Begin a thread: work that goes on over sessions, or take a closed one up again.",
    ),
    tool(
        "thread_list", NewestParameters, ThreadList, Level.read_public,
        people="List the pieces of work that go on over sessions.",
        models="See which threads there are and where their handoffs stand.",
    ),
    tool(
        "thread_close", ThreadParameters, ShownThread, Level.write, writes=True, idempotent=True,
        people="Close a thread; what was said in it stays.",
        models="Close a thread whose work is over.",
    ),
    tool(
        "session_start", SessionStartParameters, StartedSession, Level.write, writes=True,
        people="Begin a session: how the one before ended, and what to read first.",
        models="Begin a session of a thread and get what stands open in it.",
    ),
    tool(
        "session_end", SessionEndParameters, ShownSession, Level.write, writes=True, idempotent=True,
        people="End a session and hand its work on.",
        models="End a session; its work is handed on to the next.",
    ),
    tool(
        "sessions", SessionsParameters, SessionList, Level.read_public,
        people="List the sessions of a thread.",
        models="See the sessions of a thread and how each ended.",
    ),
    tool(
        "handoff_write", HandoffWriteParameters, ShownHandoff, Level.write, writes=True,
        people="Write the handoff of a thread.",
        models="Hand the work of a thread on, with a note for the next session.",
    ),
    tool(
        "handoff_read", HandoffReadParameters, ShownHandoff, Level.write, writes=True,
        people="Read the handoff of a thread; with a session it is leased to that one.",
        models="Read what the session before handed on. It is a recommendation, and no permission.",
    ),
    tool(
        "handoff_consume", HandoffConsumeParameters, ShownHandoff, Level.write, writes=True, idempotent=True,
        people="Say that a session has made its first turn: the handoff offered to it has arrived.",
        models="Say that you have taken in the handoff you were offered.",
    ),
    tool(
        "checkpoint", CheckpointParameters, ShownCheckpoint, Level.write, writes=True,
        people="Note where the work is: folder, branch, commands with their exit codes, files, the agent's own list.",
        models="Note where the work is beside what was said: folder, branch, commands and how they ended, your list.",
    ),
    tool(
        "turn_start", TurnStartParameters, StartedTurn, Level.write, writes=True,
        people="Begin a turn: the handoff has arrived, and what is known for the message is told.",
        models="Begin a turn of a thread: get what is known for the user's message.",
    ),
    tool(
        "turn_end", TurnEndParameters, EndedTurn, Level.write, writes=True, idempotent=True,
        people="End a turn: what was said is taken in and where the work is noted, so that it can be handed on.",
        models="End a turn of a thread: hand over what was said and what was run.",
    ),
    Operation(
        "warm_start", WarmStartParameters, WarmStart, Level.read_public, "reach", toolset="palace",
        people="Show what to read when a thread is taken up again.",
        models="Read where the work of a thread stands: open, done and given-up plans, decisions, names.",
    ),
    tool(
        "bridge", ThreadParameters, ShownBridge, Level.read_public,
        people="Show where the work of a thread stands: plans with their states, decisions, names.",
        models="See the plans of a thread with their states, what was decided and what was rejected.",
    ),
    tool(
        "providers", ScopeParameters, ProviderList, Level.metadata,
        people="List who adds lines to contexts, by priority, and how long each takes.",
        models="See who adds lines to what you read.",
    ),
    tool(
        "hook_report", ScopeParameters, ProviderList, Level.metadata,
        people="Show how long clients waited before and after turns, against 150 and 250 ms.",
        models="See how long was waited for you before and after turns.",
    ),
    tool(
        "proof_check", ProofCheckParameters, Proof, Level.read_public,
        people="Mark what an answer says about files, processes, settings or builds that nobody looked at.",
        models="Before you answer, see which of your sentences say how something is now and were not checked.",
    ),
    tool(
        "compacted", CompactedParameters, ShownBridge, Level.write, writes=True,
        people="Say that a conversation is being compacted: the work is handed on and its summary kept.",
        models="Say that your conversation is being compacted, with its summary; get where the work stands.",
    ),
)  # fmt: skip
