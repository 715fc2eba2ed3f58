"""How much work a recall may do: named sets of limits, each with what it costs.

Owns the numbers only. The cost stated is CPU time at 100,000 memories that are no turns, measured
once on two busy cores.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec
from msgspec.structs import replace

from palazzo.errors import InvalidInput


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
