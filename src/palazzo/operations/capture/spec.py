"""Operations about what is captured on the machine, those that keep what came of an agent's work, and those of a
bounded restart: parameters, results and declarations.

Owns no behaviour. Invariants: what switches capture on, and what it may see, is the operator's to say; what a run
leaves behind says which run it was.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

import msgspec

from palazzo.model.capability import Level
from palazzo.model.raw_event import RawKind
from palazzo.operations.declared import Arguments, Operation, Scoped, operators, told, tool
from palazzo.operations.shared import Listing, NoParameters

Listed = Literal["app", "path", "command"]


class AdapterParameters(Arguments):
    adapter: str = told("shell, git, files, window, music, or one that a plugin brings.")
    folders: tuple[str, ...] = told("Folders that files and git look at, beside those they look at already.", ())


class PrivateParameters(Arguments):
    what: Listed = told("app, path or command.")
    pattern: str = told("Which: a name, a folder with all below it, or a pattern with * in it.")
    remove: bool = told("Take it off the list again.", False)


class AllowParameters(Arguments):
    only: bool = told("Whether nothing but what is on the list of allowed is captured.", True)


class GivenEvent(Arguments):
    """One thing that was done."""

    kind: RawKind = told("command, commit, file, app_activation or music.")
    source: str = told("The adapter that saw it.")
    reference: str = told("The command, path, app or title.")
    at: datetime | None = told("When; now when left out.", None)
    metadata: dict[str, Any] | None = told(
        "What else is known: cwd, exit_code, seconds, app, title; one with an id is kept once.", None
    )


class CaptureEventsParameters(Arguments):
    events: tuple[GivenEvent, ...] = told("What was done: objects with kind, source, reference, at and metadata.")


class CaptureGitParameters(Arguments):
    repository: str = told("The folder of the repository.")
    limit: int = told("How many of its newest commits at most.", 200, low=1, high=10_000)


class RawEventsParameters(Arguments):
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


class Captured(msgspec.Struct, frozen=True, kw_only=True):
    """The memories that hold what was captured, in which scope, and why something was left out."""

    memories: tuple[UUID, ...]
    scope: str
    skipped: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()


class CaptureTaskParameters(Scoped):
    task: str = told("The task, by its name.")
    result: str = told("What came of it.")
    run: str = told("Which run of it; its session is task:RUN.", "")
    tools: int = told("How many tools were used.", 0, low=0, high=100_000)
    recurring: bool = told("Whether it runs again and again: then only findings are kept.", False)


class CaptureFlowNodeParameters(Scoped):
    flow: str = told("The flow, by its name; its memory is the project flow:NAME.")
    node: str = told("The node.")
    output: str = told("What it gave.")


class CaptureFlowParameters(Scoped):
    flow: str = told("The flow, by its name.")
    nodes: tuple[str, ...] = told("Its nodes, in the order in which they ran.")
    failed: str = told("The node that failed, if one did.", "")


class CaptureRoundParameters(Scoped):
    facts: str = told("What the round found out.")
    tool_results: tuple[str, ...] = told("What tools gave.", ())


class GivenFinding(Arguments):
    """One finding of a research."""

    text: str = told("What was found.")
    url: str = told("Where.", "")
    confidence: float = told("How sure it is, from 0 to 1.", 0.5, low=0, high=1)
    supports: int = told(
        "The number of an earlier finding, from 1, that it speaks for; 0 for none.", 0, low=0, high=1000
    )


class CaptureResearchParameters(Scoped):
    query: str = told("What was looked for.")
    findings: tuple[GivenFinding, ...] = told("What was found: objects with text, url, confidence and supports.")


class StoreExecutionParameters(Scoped):
    goal: str = told("What was to be done.")
    steps: tuple[str, ...] = told("What was done, step by step.")
    outcome: str = told("What came of it.")


class CaptureSkillParameters(Scoped):
    skill: str = told("The skill, by its id; its memory is the channel skill:ID.")
    text: str = told("What it learnt.")


class RestartBeginParameters(Scoped):
    session: str = told("The key of the session that is about to be restarted.")
    continuation: str = told("The one message with which it goes on.")
    budget: int = told("How many calls going on may cost.", 3, low=1, high=100)


class RestartStepParameters(Scoped):
    session: str = told("The key of the session that was restarted.")
    step: Literal["reach", "identify", "continue"] = told(
        "reach: is it there (two calls); identify: is it the one (one call); continue: go on (the budget)."
    )
    found: str = told("The key that answered, for identify.", "")
    failure: str = told("What failed, in a word; the same twice stops the restart.", "")


class RestartStateParameters(Scoped):
    session: str = told("The key of the session.")


class ShownRestart(msgspec.Struct, frozen=True, kw_only=True):
    """Where a restart stands: reaching, identifying, continuing, done or stopped; what it has spent; and, once it is
    known to be the one, the message it goes on with."""

    session: str
    state: str
    reached: int
    identified: int
    continued: int
    budget: int
    continuation: str
    why: str
    at: datetime


def _captures(name: str, takes: type, people: str, models: str) -> Operation:
    return tool(name, takes, Captured, Level.write, writes=True, people=people, models=models)


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
    _captures(
        "capture_task", CaptureTaskParameters, "Keep what came of a task.",
        "Keep what came of a task, so that later ones find it.",
    ),
    _captures(
        "capture_flow_node", CaptureFlowNodeParameters, "Keep what a node of a flow gave, in the memory of the flow.",
        "Keep what a node of a flow gave, for the next run of the flow.",
    ),
    _captures(
        "capture_flow", CaptureFlowParameters, "Keep how a flow ran, as a procedure.",
        "Keep how a flow ran: its nodes in order, and which failed.",
    ),
    _captures(
        "capture_round", CaptureRoundParameters, "Keep what a round of an orchestrator found out.",
        "Keep what a round found out, for the workers of the next.",
    ),
    _captures(
        "capture_research", CaptureResearchParameters, "Keep the findings of a research, each with its source.",
        "Keep findings with their sources and how sure they are.",
    ),
    _captures(
        "store_execution", StoreExecutionParameters, "Keep how something was done, step by step.",
        "Keep how you did something, step by step, and what came of it.",
    ),
    _captures(
        "capture_skill", CaptureSkillParameters, "Keep what a skill learnt, for itself alone.",
        "Keep what a skill learnt; other skills do not read it.",
    ),
    tool(
        "restart_begin", RestartBeginParameters, ShownRestart, Level.write, writes=True,
        people="Declare a restart: the session, the message it goes on with, and what that may cost.",
        models="Declare a restart before it happens: who you are, how you go on, and what that may cost.",
    ),
    tool(
        "restart_step", RestartStepParameters, ShownRestart, Level.write, writes=True,
        people="Take the next step of a restart; one too many, a wrong key or the same failure twice stops it.",
        models="Take the next step of a restart. When it is stopped, hand back to the user.",
    ),
    tool(
        "restart_state", RestartStateParameters, ShownRestart, Level.read_public,
        people="Show where a restart stands.",
        models="See where a restart stands.",
    ),
)  # fmt: skip
