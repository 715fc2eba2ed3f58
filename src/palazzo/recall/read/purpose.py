"""What a context is for: a turn, a task, a step of a flow, an orchestrator's plan, or work handed to another agent.

Owns whose memory each purpose reads; the call is the same for all of them. Invariants: a purpose only ever cuts the
reader's own path, except that work handed over is read as the one who will do it, and that an orchestrator also reads
below what it leads; nothing of a channel or a user goes along with a flow, a plan or a delegation.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, get_args

from msgspec.structs import replace

from palazzo.errors import InvalidInput
from palazzo.model.scope import Scope
from palazzo.model.view import View

Purpose = Literal["turn", "task", "flow", "orchestrator", "delegation"]
PURPOSES: Final[tuple[Purpose, ...]] = get_args(Purpose)

READS: Final[Mapping[Purpose, str]] = MappingProxyType({
    "turn": "the path of whoever asks",
    "task": "the path of whoever asks, with standing instructions and preferences at hand",
    "flow": "the project and squad, which all steps of a flow share",
    "orchestrator": "the squad or project it leads and the agents below, never a channel or a user",
    "delegation": "the project, the squad and the agent that will do the work",
})  # fmt: skip


def is_work(purpose: Purpose) -> bool:
    """Whether something is to be done, so that standing instructions and preferences apply whatever the wording."""
    return purpose != "turn"


def view_for(purpose: Purpose, view: View, delegate: str = "") -> View:
    """What is read for a purpose; `delegate` is the agent that work is handed to.

    Raises: InvalidInput for a purpose that does not exist, and for a delegation to nobody.
    """
    if purpose not in PURPOSES:
        raise InvalidInput(f"no purpose {purpose!r}", field="purpose", hint=", ".join(PURPOSES))
    if (purpose == "delegation") != bool(delegate):
        raise InvalidInput("a delegation, and nothing else, names the agent that will do the work", field="delegate")
    if purpose in ("turn", "task"):
        return view
    shared = Scope(tuple(one for one in view.scope.levels if one[0] in ("project", "squad")))
    seen = Scope((*shared.levels, ("agent", delegate))) if purpose == "delegation" else shared
    return replace(view, scope=seen, orchestrator=purpose == "orchestrator")
