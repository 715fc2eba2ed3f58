"""Operations that keep what came of work, and those of a bounded restart: parameters, results and declarations.

Owns no behaviour. Invariant: what a run leaves behind says which run it was.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal
from uuid import UUID

import msgspec

from palazzo.model.capability import Level
from palazzo.operations.declared import Operation, Scoped, arguments, told, tool


class Captured(msgspec.Struct, frozen=True, kw_only=True):
    """The memories that hold what was captured, in which scope, and why something was left out."""

    memories: tuple[UUID, ...]
    scope: str
    skipped: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()


@arguments
class CaptureTaskParameters(Scoped):
    task: str = told("The task, by its name.")
    result: str = told("What came of it.")
    run: str = told("Which run of it; its session is task:RUN.", "")
    tools: int = told("How many tools were used.", 0, low=0, high=100_000)
    recurring: bool = told("Whether it runs again and again: then only findings are kept.", False)


@arguments
class CaptureFlowNodeParameters(Scoped):
    flow: str = told("The flow, by its name; its memory is the project flow:NAME.")
    node: str = told("The node.")
    output: str = told("What it gave.")


@arguments
class CaptureFlowParameters(Scoped):
    flow: str = told("The flow, by its name.")
    nodes: tuple[str, ...] = told("Its nodes, in the order in which they ran.")
    failed: str = told("The node that failed, if one did.", "")


@arguments
class CaptureRoundParameters(Scoped):
    facts: str = told("What the round found out.")
    tool_results: tuple[str, ...] = told("What tools gave.", ())


@arguments
class GivenFinding:
    """One finding of a research."""

    text: str = told("What was found.")
    url: str = told("Where.", "")
    confidence: float = told("How sure it is, from 0 to 1.", 0.5, low=0, high=1)
    supports: int = told(
        "The number of an earlier finding, from 1, that it speaks for; 0 for none.", 0, low=0, high=1000
    )


@arguments
class CaptureResearchParameters(Scoped):
    query: str = told("What was looked for.")
    findings: tuple[GivenFinding, ...] = told("What was found: objects with text, url, confidence and supports.")


@arguments
class StoreExecutionParameters(Scoped):
    goal: str = told("What was to be done.")
    steps: tuple[str, ...] = told("What was done, step by step.")
    outcome: str = told("What came of it.")


@arguments
class CaptureSkillParameters(Scoped):
    skill: str = told("The skill, by its id; its memory is the channel skill:ID.")
    text: str = told("What it learnt.")


@arguments
class RestartBeginParameters(Scoped):
    session: str = told("The key of the session that is about to be restarted.")
    continuation: str = told("The one message with which it goes on.")
    budget: int = told("How many calls going on may cost.", 3, low=1, high=100)


@arguments
class RestartStepParameters(Scoped):
    session: str = told("The key of the session that was restarted.")
    step: Literal["reach", "identify", "continue"] = told(
        "reach: is it there (two calls); identify: is it the one (one call); continue: go on (the budget)."
    )
    found: str = told("The key that answered, for identify.", "")
    failure: str = told("What failed, in a word; the same twice stops the restart.", "")


@arguments
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
