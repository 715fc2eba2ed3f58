"""How much work a recall may do, and for what: named sets of limits with their cost, and whose memory a purpose reads.

Owns the numbers only. The cost stated is CPU time at 100,000 memories that are no turns, measured
once on two busy cores. Invariants: a purpose only ever cuts the reader's own path, except that work handed over is read
as the one who will do it, and that an orchestrator also reads below what it leads; nothing of a channel or a user goes
along with a flow, a plan or a delegation.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, get_args

import msgspec
from msgspec.structs import replace

from palazzo.errors import InvalidInput
from palazzo.model.capability import View
from palazzo.model.scope import Scope


class Preset(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Limits of one recall. `read` is how many of the best candidates have their text read for the last signals."""

    name: str
    text: int
    vector: int
    knowledge: int
    """Hits per index among memories that are no turns of a conversation."""
    read: int
    links: bool
    """Whether entities and edges are followed."""
    deadline_s: float
    """A branch that is not done by then is dropped and named."""
    cost: str

    def for_hits(self, wanted: int) -> Preset:
        """The same with every limit high enough that so many hits can be found."""
        if wanted <= min(self.text, self.vector, self.knowledge, self.read):
            return self
        return replace(
            self, text=max(self.text, wanted), vector=max(self.vector, wanted),
            knowledge=max(self.knowledge, wanted), read=max(self.read, wanted),
        )  # fmt: skip


PRESETS: Final[Mapping[str, Preset]] = MappingProxyType({
    "fast": Preset(
        name="fast", text=50, vector=40, knowledge=30, read=40, links=False, deadline_s=0.25,
        cost="nine tenths of the CPU time of balanced",
    ),
    "balanced": Preset(
        name="balanced", text=100, vector=60, knowledge=40, read=60, links=False, deadline_s=2.0,
        cost="the measured default",
    ),
    "deep": Preset(
        name="deep", text=400, vector=300, knowledge=200, read=200, links=True, deadline_s=10.0,
        cost="twice the CPU time of balanced; follows entities and edges",
    ),
})  # fmt: skip


def preset(name: str) -> Preset:
    """The preset of this name.

    Raises: InvalidInput.
    """
    found = PRESETS.get(name)
    if found is None:
        raise InvalidInput(f"no preset {name!r}", field="preset", hint=", ".join(PRESETS))
    return found


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
