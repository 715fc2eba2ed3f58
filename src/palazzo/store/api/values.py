"""The values the store speaks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeVar
from uuid import UUID

import msgspec
import numpy as np
from numpy.typing import NDArray

from palazzo.model.address import Place, PlaceGlob
from palazzo.model.belief import Axes, Claimed, ClaimStatus
from palazzo.model.graph import EDGE_KINDS, Edge, EdgeKind, ProvenanceNode
from palazzo.model.memory import Atom, Memory, Tier
from palazzo.model.message import Role
from palazzo.model.scope import GLOBAL, Scope

Field = Literal["text", "prospects", "turn", "hidden", "hidden_turn", "digest"]


Late = Callable[[], bool]
"""Whether it is too late."""


PASSED: Final = "the deadline had passed"


def never() -> bool:
    """For a search that may take as long as it takes."""
    return False


Plain = str | int | float | bool


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """What to search in, beyond what the view shows. Empty means everywhere."""

    glob: PlaceGlob | None = None
    kinds: tuple[str, ...] = ()
    author: str = ""
    valid_after_us: int | None = None
    valid_before_us: int | None = None
    metadata: tuple[tuple[str, Plain], ...] = ()
    """Values the metadata must have, by key."""
    mentions: tuple[str, ...] = ()
    """Names of entities all of which must be mentioned, each under any of its names."""
    valence: tuple[float, float] | None = None
    """How it must have felt: from, and to."""

    @property
    def empty(self) -> bool:
        return self == _EVERYTHING


_EVERYTHING = Filter()


class Hits(msgspec.Struct, frozen=True):
    """Revision keys and their scores, best first."""

    keys: NDArray[np.int64]
    scores: NDArray[np.float32]


NARROW_ROWS = 20_000
"""A filter that keeps at most this many revisions is evaluated first and scored exactly (FINDINGS: 1-10 ms at 1M)."""


class TextSearch(msgspec.Struct, frozen=True, kw_only=True):
    """Terms to look for in one field."""

    terms: tuple[str, ...]
    field: Field = "text"
    limit: int = 50
    filter: Filter = _EVERYTHING
    weights: Mapping[str, float] | None = None
    """What single terms count; the others count 1."""
    late: Late = never


class VectorSearch(msgspec.Struct, frozen=True, kw_only=True):
    """A vector to look near, in a named space (empty: the active one). Exact scores are noted in `scored`, by key."""

    vector: NDArray[np.float32]
    space: str = ""
    field: Field = "text"
    limit: int = 50
    filter: Filter = _EVERYTHING
    scored: dict[int, float] | None = None
    late: Late = never


Metric = Literal["cosine", "dot", "l2"]


SpaceState = Literal["active", "filling", "retired"]


class Space(msgspec.Struct, frozen=True, kw_only=True):
    """A named space of vectors; `vectors` is how many it holds."""

    id: int
    name: str
    model: str
    dimensions: int
    metric: Metric
    state: SpaceState
    created_us: int
    vectors: int


Direction = Literal["out", "in", "both"]


MAX_DEPTH = 20


class EdgeStep(msgspec.Struct, frozen=True):
    """A memory reached by a walk, how many edges away, and the edge that led to it: none to the start of a path."""

    memory_id: UUID
    depth: int
    edge: Edge | None = None


class EdgeWalk(msgspec.Struct, frozen=True, kw_only=True):
    """Which edges to follow and how far."""

    direction: Direction = "out"
    kinds: tuple[EdgeKind, ...] = EDGE_KINDS
    depth: int = 2
    limit: int = 1000


class Spread(msgspec.Struct, frozen=True):
    """How activation runs: hops, what is left after each, and below what it stops."""

    hops: int = 2
    decay: float = 0.6
    prune: float = 0.1


class Drawn(msgspec.Struct, frozen=True):
    """What was drawn from a revision (by key), whether its memory still says so, and what holds instead, if anything.

    What was taken back, ended or forgotten without anything in its place has no `now`.
    """

    key: int
    before: str
    holds: bool
    now: str = ""
    now_key: int = 0


class Ancestor(msgspec.Struct, frozen=True):
    """A happening behind a memory: the node, how it was reached, and the one it was reached from (None: directly)."""

    node: ProvenanceNode
    kind: str
    depth: int
    via: UUID | None


class FirstSource(msgspec.Struct, frozen=True):
    """The first happening a revision was made from, and the stage that made it."""

    kind: str
    label: str
    at_us: int
    stage: str


AtomSlot = tuple[str, str]


MAX_ATOMS = 5_000


class AtomRow(msgspec.Struct, frozen=True):
    """An atom with where it stands: the memory, its kind, the revision by key and number, the position."""

    memory_id: UUID
    kind: str
    key: int
    number: int
    position: int
    atom: Atom
    confidence: float


class DisplacedRow(msgspec.Struct, frozen=True):
    """A belief given up, and the one it was given up for, both by their stands and words."""

    row: AtomRow
    by_key: int
    by_position: int


class Broken(msgspec.Struct, frozen=True):
    """A memory whose rows make no sense: its number in the file, and what was found."""

    number: int
    reason: str


class KnownText(msgspec.Struct, frozen=True, gc=False):
    """As much of a memory as a comparison of texts needs."""

    key: int
    memory_id: UUID
    number: int
    text: str
    key_fact: str | None
    kind: str
    scope: Scope
    place: Place
    valid_from_us: int


class StoredClaim(msgspec.Struct, frozen=True, kw_only=True):
    """A claim as recorded; `memory_id` is the memory it became when it was verified."""

    id: UUID
    text: str
    kind: str
    status: ClaimStatus
    recheck_days: float
    created_us: int
    updated_us: int
    author: str
    memory_id: UUID | None
    sources: tuple[Claimed, ...]
    scope: Scope = GLOBAL
    tier: Tier = "clear"


class ClaimReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """What was decided about a claim, by whom, on which text and state of its source."""

    id: UUID
    claim_id: UUID
    at_us: int
    subject: str
    status: ClaimStatus
    source_state: str
    text_hash: bytes


class Bounds(msgspec.Struct, frozen=True):
    """Where what a claim becomes must stand: the narrowest scope, strongest seal and strictest tier of its sources."""

    scope: Scope
    tier: Tier
    place: Place | None
    """The sealed or vault place it must not leave, if there is one."""


class Doubt(msgspec.Struct, frozen=True):
    """The last unanswered audit of a memory, and the words of the newer memory it names, if the reader sees that."""

    axes: Axes
    evidence: dict[str, object]
    newer: str = ""


class Freshness(msgspec.Struct, frozen=True):
    """How often a memory was found fresh and stale, when to look again (None: never looked), and when a person answered
    last."""

    fresh: int = 0
    stale: int = 0
    next_us: int | None = None
    answered_us: int | None = None


SlotSource = Literal["recall", "sensory", "explicit", "inference", "schema", "anticipated"]
"""How something came into mind: it was recalled, just said, held on purpose by a person or by an agent, is a pattern of
what goes on, or was recalled for a turn that may come."""


class Presence(NamedTuple):
    """A memory that is in mind, by its id."""

    memory_id: UUID
    activation: float
    touched_us: int
    source: SlotSource = "recall"


class Use(NamedTuple):
    """A memory that was read, by its id, when, and by whom."""

    memory_id: UUID
    at_us: int
    subject: str = "operator"


class Look(NamedTuple):
    """What was found in the text of a revision, by its key, and what stood there then."""

    key: int
    content_hash: bytes
    found: bytes


class LeftInMind(msgspec.Struct, frozen=True):
    """What a reader left in mind: those of the memories that it still sees, as they are now, and when it was kept."""

    held: tuple[tuple[Memory, Presence], ...]
    at_us: int


class Marks(NamedTuple):
    """What ranking needs of memories before their contents are loaded, as columns: hundreds of rows per recall."""

    keys: tuple[int, ...]
    texts: tuple[str, ...]
    importance: tuple[float, ...]
    confidence: tuple[float, ...]
    valid_from_us: tuple[int, ...]
    valid_to_us: tuple[int | None, ...]
    valence: tuple[float, ...]
    intensity: tuple[float, ...]


class Noted(NamedTuple):
    """What is known of texts without reading them, as columns: how long each is, how far it only asks, how important
    its memory is, and when what it says ends (of what happened never)."""

    keys: NDArray[np.int64]
    characters: NDArray[np.int32]
    asks: NDArray[np.float32]
    importance: NDArray[np.float64]
    ends: NDArray[np.int64]


NEVER: Final = int(np.iinfo(np.int64).max)
"""The end of what has none."""


class PlaceInfo(msgspec.Struct, frozen=True):
    """A place as a reader may know it: how many visible memories stand in it."""

    place: Place
    seal: str
    memories: int
    newest_us: int | None


class MapPoint(msgspec.Struct, frozen=True, gc=False):
    """A memory as a point of a map: its number in this moment, its id, the path of its place and its kind."""

    key: int
    id: UUID
    place: str
    kind: str


class Breadcrumb(msgspec.Struct, frozen=True):
    """A visit: when, where, by whom, on which trail, and the memory that was read or written there, if it was one."""

    at_us: int
    place: Place
    subject: str
    memory_id: UUID | None
    trail: str = ""


class TrailPart(msgspec.Struct, frozen=True, kw_only=True):
    """Which visits are wanted: since when and until when, of which trail, where, by whom; an empty field wants all."""

    since_us: int
    until_us: int | None = None
    trail: str = ""
    glob: PlaceGlob | None = None
    subject: str = ""
    limit: int = 200


Seat = Literal["free", "taken", "strange"]
"""A position of a conversation: free, taken by another import's turn, or in a conversation that was held here."""


class Taken(msgspec.Struct, frozen=True):
    """A memory that is there already: what it says now, and whether an import brought it."""

    text: str
    imported: bool


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """What to take; everything given must hold together. `place` has its times in its slice, if it has one.

    `source` is the id or label of what it came from (a thread takes its sessions along), `subject` who wrote it.
    """

    memories: tuple[UUID, ...] = ()
    place: PlaceGlob | None = None
    after_us: int | None = None
    before_us: int | None = None
    source: str = ""
    subject: str = ""
    everything: bool = False

    @property
    def empty(self) -> bool:
        return self == _NOTHING


_NOTHING = Selection()


class ToldTurn(msgspec.Struct, frozen=True):
    """Where something was said, and by whom."""

    thread: str
    session: str
    speaker: str
    role: Role


class KeptMessage(NamedTuple):
    """A message that is still to be understood: the id of its account, what reading it needs beside its text, and the
    key of the revision that holds that."""

    intake_id: UUID
    told: str
    key: int


class Window(NamedTuple):
    """Turns as columns, in the order of session and position: hundreds are read per recall."""

    keys: NDArray[np.int64]
    sessions: NDArray[np.int64]
    positions: NDArray[np.int64]
    speakers: Sequence[str]
    roles: Sequence[Role]


Number = TypeVar("Number", np.int64, np.uint32)


def distinct(*keys: NDArray[Number]) -> NDArray[Number]:
    """Every key of these, ascending, each once: a third of what numpy's own takes for a few hundred."""
    merged = np.concatenate(keys)
    merged.sort()
    if len(merged) < 2:
        return merged
    first = np.empty(len(merged), np.bool_)
    first[0] = True
    np.not_equal(merged[1:], merged[:-1], out=first[1:])
    return merged[first]


def among(keys: NDArray[Number], wanted: NDArray[Number]) -> NDArray[np.bool_]:
    """Which of these keys are among some others: numpy's own sorts both, and loads masked arrays to do so."""
    held = distinct(wanted)
    if not len(held):
        return np.zeros(len(keys), np.bool_)
    found: NDArray[np.bool_] = held[np.minimum(held.searchsorted(keys), len(held) - 1)] == keys
    return found
