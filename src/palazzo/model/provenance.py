"""How a memory came to be: nodes for what happened, edges for how it bears on other happenings, links from
revisions to the span of a node they were made from.

Invariant: a node points only at nodes that are not newer than itself.
"""

from __future__ import annotations

from typing import Literal
from uuid import UUID

import msgspec

NodeKind = Literal[
    "conversation", "file", "command", "app_activation", "message", "capture", "tool", "import", "inference", "dream"
]  # fmt: skip
NODE_KINDS: tuple[NodeKind, ...] = NodeKind.__args__  # type: ignore[attr-defined]
LinkKind = Literal["caused_by", "context_for", "triggered_by", "mentioned_in"]
LINK_KINDS: tuple[LinkKind, ...] = LinkKind.__args__  # type: ignore[attr-defined]
PROVENANCE_DEPTH = 5


class ProvenanceNode(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Something that happened. `label` is a short name for people: a file path, a command, a conversation id."""

    id: UUID
    kind: NodeKind
    at_us: int
    label: str = ""
    author: str = ""


class ProvenanceEdge(msgspec.Struct, frozen=True, gc=False):
    kind: LinkKind
    source: UUID
    target: UUID


class Source(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Where a revision came from: the node, the character span of its text, and the stage that made it."""

    node: ProvenanceNode
    kind: LinkKind = "mentioned_in"
    start: int | None = None
    end: int | None = None
    stage: str = "remember"
