"""What was going on when something was said: the command just run, the file being worked on, the app in front.

Owns how far back counts. Knows nothing of memories: it gives happenings, and how they bear on what was said.
Invariants: nothing is newer than what was said; what belongs to somebody else's scope is not around it; nobody is
asked.
"""

from __future__ import annotations

from typing import Final, NamedTuple
from uuid import UUID, uuid5

from palazzo.model.capability import View
from palazzo.model.graph import LinkKind, NodeKind, ProvenanceNode
from palazzo.model.raw_event import RawEvent, RawKind, RawSelection
from palazzo.model.scope import Scope
from palazzo.store.api import Store
from palazzo.text.safety.personal import find_personal

MINUTE_US: Final = 60_000_000
_SPACE: Final = UUID("6d9f1c1e-4b8e-5a55-9d3c-6f0a3b1d7c21")
LOOKED_AT: Final = 20


class Bearing(NamedTuple):
    """Which events count, how far back, and how they bear on what was said."""

    kind: RawKind
    node: NodeKind
    link: LinkKind
    minutes: int


BEARINGS: Final = (
    Bearing("command", "command", "triggered_by", 10),
    Bearing("file", "file", "context_for", 15),
    Bearing("app_activation", "app_activation", "context_for", 30),
)
_OF_THEM: Final = ("cwd", "app", "change", "exit_code", "title")


def around(store: Store, scope: Scope, at_us: int, subject: str) -> tuple[tuple[LinkKind, ProvenanceNode], ...]:
    """The happenings around a moment, the newest of each sort, and how they bear on it."""
    if not store.raw_events.kept():
        return ()
    found: list[tuple[LinkKind, ProvenanceNode]] = []
    with store.reading(View(subject=subject, scope=scope)) as reading:
        for one in BEARINGS:
            wanted = RawSelection(kind=one.kind, after_us=at_us - one.minutes * MINUTE_US, before_us=at_us + 1)
            events = reading.raw_events.newest(wanted, LOOKED_AT)
            mine = [event for event in events if event.scope.get("user") == scope.get("user")]
            found += [(one.link, _node(event, one.node)) for event in mine[:1]]
    return tuple(found)


def _node(event: RawEvent, kind: NodeKind) -> ProvenanceNode:
    """The happening of an event: the same one for everything that was said after it."""
    told = {name: event.metadata[name] for name in _OF_THEM if event.metadata.get(name) not in (None, "")}
    if any(find_personal(str(value)) for value in told.values()):
        told = {}  # what is told of an origin stands in clear
    return ProvenanceNode(
        id=uuid5(_SPACE, f"{event.source}/{event.number}/{event.at_us}"), kind=kind, at_us=event.at_us,
        label=event.reference, author=event.source, metadata={"source": event.source, **told},
    )  # fmt: skip
