"""The protocols through which the house reaches outside things, and the values that cross them.

Owns the contracts only: what an implementation must accept, return and raise. Knows nothing of any
implementation, and imports nothing heavy (numpy is named for the type checker alone), so importing `palazzo`
stays cheap.

Rules for every port. A part that cannot do its work raises `PartUnavailable`, whose message names the part
and the cause and never carries text, vectors, replies or keys. Implementations may be called from several
threads at once and survive a fork: what they load before it keeps working in the child. Constructing one does
no I/O.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import msgspec

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float32]
    Vectors: TypeAlias = NDArray[np.float32]
    Rows: TypeAlias = NDArray[np.int64]

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
JsonSchema: TypeAlias = Mapping[str, object]


class Embedder(Protocol):
    """Turns text into vectors whose dot product is a cosine similarity.

    `embed` returns one row per text, in order, each of length 1 to float32 precision; no texts give an array
    of shape (0, dimensions). A blank text (empty or white space) gives a row of zeros: it is similar to
    nothing, and callers treat it as "no vector". A row depends on its own text alone, not on its neighbours
    in the call, up to float32 rounding.
    """

    @property
    def name(self) -> str:
        """The model and version, e.g. "wordllama-256"; equal names promise comparable vectors."""

    @property
    def dimensions(self) -> int:
        """Length of every vector. A remote embedder that was not told asks its server on first use."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts that are stored and searched.

        Raises: PartUnavailable.
        """

    def embed_query(self, text: str) -> Vector:
        """Embed a cue into the same space; models trained with a query prompt use it here.

        Raises: PartUnavailable.
        """


class Reranker(Protocol):
    """Scores texts against a query by reading both together."""

    @property
    def name(self) -> str:
        """The model and version."""

    def rerank(self, query: str, texts: Sequence[str]) -> Vector:
        """One score per text, in the order given, higher is better; scores compare within one call only.

        Raises: PartUnavailable.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionRequest:
    """One question to a language model, answered by a JSON value of a known shape.

    `purpose` names the task in lower-case letters and underscores; it is sent as the schema's name and is
    safe to log. `reply` is the type the value is to be of, as msgspec reads it: structs that forbid unknown fields.
    `max_tokens` bounds the reply.
    """

    purpose: str
    prompt: str = field(repr=False)
    reply: Any = field(repr=False)
    instructions: str = field(default="", repr=False)
    max_tokens: int = 1024

    @property
    def schema(self) -> JsonSchema:
        """The JSON Schema of the reply: an object at its root, what it is made of in $defs."""
        (root,), parts = msgspec.json.schema_components([self.reply], ref_template="#/$defs/{name}")
        named = parts.pop(str(root.get("$ref", "")).rpartition("/")[2], root)
        return {**named, "$defs": parts} if parts else named


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionReply:
    """A reply that has been checked against the request's schema.

    `attempts` counts the questions it took, one if the first reply fitted; token counts are None if the
    server says none.
    """

    value: JsonValue = field(repr=False)
    model: str
    attempts: int = 1
    prompt_tokens: int | None = None
    reply_tokens: int | None = None


class Completer(Protocol):
    """A language model that answers in JSON."""

    @property
    def name(self) -> str:
        """The model and where it runs, e.g. "ollama/llama3.2"; kept in the provenance of its conclusions."""

    def complete(self, request: CompletionRequest) -> CompletionReply:
        """Answer with a value that satisfies `request.schema`, or raise: an unfit reply is never returned.

        Raises: PartUnavailable (unreachable, refused, or still unfit after asking again), InvalidInput (a
        schema outside the supported subset).
        """


class Clock(Protocol):
    """The only source of the present moment."""

    def now_us(self) -> int:
        """Microseconds since 1970-01-01 UTC; may step back when the machine's clock is corrected."""


class FieldCipher(Protocol):
    """Seals the texts of memories that ask for it, and turns their vectors, under keys it was made with.

    A sealed text opens only for the owner (a row number) it was sealed for; what is sealed alike has owner 0.
    """

    def seal(self, text: str, owner: int) -> bytes:
        """The text sealed for its owner; sealing it again gives other bytes."""

    def seal_alike(self, text: str) -> bytes:
        """The text sealed so that equal texts give equal bytes."""

    def open(self, sealed: bytes, owner: int) -> str:
        """The text again.

        Raises: WrongKey.
        """

    def mark(self, digest: bytes) -> bytes:
        """A hash that nobody can make without the key, of the same length."""

    def turn(self, vectors: Vectors) -> Vectors:
        """Vectors, one row each, rotated so that only distances between turned ones are as before."""

    def turn_back(self, vectors: Vectors) -> Vectors:
        """What `turn` was given, to float32 precision."""


class ContextProvider(Protocol):
    """Adds lines of its own to the contexts models read: the day's appointments, an open ticket.

    What it gives is read once and never stored. It is asked for every context of a caller who may read everything, so
    it answers within some milliseconds.
    """

    @property
    def name(self) -> str:
        """What it is called in a reply that says it failed."""

    @property
    def section(self) -> str:
        """Where its lines go: identity, today, roster, schemas or skills; each has its share of the budget."""

    def provide(self, message: str) -> str:
        """Lines for the context of this message, the most important first; empty for none.

        Raises: PartUnavailable.
        """


class Working(Protocol):
    """What the processes that serve one palace share and may lose at any moment: windows that count calls, who is
    signed in, what is in mind, the last messages of a session. Warmth, and never the only copy of what must last.

    A key is words joined by colons, the first of which names the family; a bound on each family drops what was not used
    for longest. Nothing raises: a store that cannot be reached counts and keeps in this process until it can be.
    """

    @property
    def shared(self) -> bool:
        """Whether other processes see what is put here."""

    @property
    def trouble(self) -> str:
        """Why it cannot be reached, in a word; empty while it can."""

    def get(self, key: str) -> str | None:
        """What was put under a key, while it lasts."""

    def put(self, key: str, value: str, ttl_s: float) -> None:
        """Keeps a value for so long."""

    def drop(self, prefix: str) -> int:
        """Lets go of every key that begins so; how many there were."""

    def take(self, key: str, most: int, window_us: int, now_us: int) -> int:
        """Counts one call unless there were so many within the window; how many microseconds until there is room, 0
        for one that was counted."""

    def count(self, key: str, most: int, ttl_s: float) -> bool:
        """Counts one more unless there are so many already; whether it was counted."""

    def push(self, key: str, value: str, most: int, ttl_s: float) -> None:
        """Adds to the end of a list that keeps the newest `most`, and lasts so long from now."""

    def listed(self, key: str) -> tuple[str, ...]:
        """The list under a key, oldest first."""


RestoreState: TypeAlias = Literal["would", "done", "already", "left", "offered", "failed"]
RestoreSteps: TypeAlias = Literal["territory", "applications", "terminals", "wallpaper", "music"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreAction:
    """One thing that bringing a workspace back does: in which of the five steps, what, and how.

    Without `do` nothing is done, and `state` and `told` say why. What `do` returns is told, one line for each fault.
    """

    step: RestoreSteps
    what: str
    do: Callable[[], Sequence[str]] | None = None
    state: RestoreState = "would"
    told: tuple[str, ...] = ()


class WorkspaceAround(Protocol):
    """The machine around a snapshot, as its parts may use it."""

    @property
    def folder(self) -> Path:
        """The folder that is worked in."""

    @property
    def home(self) -> Path:
        """The folder of the user."""

    def is_private(self, application: str) -> bool:
        """Whether an application is one that nothing is read of."""

    def bars_path(self, path: str) -> bool:
        """Whether a file or folder is one that nothing is told of."""

    def ask(self, program: str, *words: str) -> str:
        """What a program prints.

        Raises: PartUnavailable when it is not there, is private, fails or takes too long.
        """

    def start(self, program: str, *words: str) -> str:
        """The same for what may leave something running: it does not inherit the secrets of this process."""


class SnapshotPart(Protocol):
    """One program whose state belongs to a snapshot of a workspace: references, never contents, in a few hundred bytes.

    It runs only where its name is in the setting `snapshot_parts`, and never while capture is paused.
    """

    @property
    def name(self) -> str:
        """Under which its state stands in a snapshot."""

    def capture(self, around: WorkspaceAround) -> JsonValue:
        """How the program stands; None when it does not run.

        Raises: PartUnavailable.
        """

    def restore(self, state: Any, around: WorkspaceAround) -> Iterable[RestoreAction]:
        """What bringing that back would do. Nothing is done before `do` of an action is called, which may raise
        PartUnavailable: that action failed, and the others go on."""


class Sight(Protocol):
    """What an adapter of capture is given: what it may look at now, and where it tells what it saw."""

    @property
    def folders(self) -> tuple[str, ...]:
        """Folders its owner wants looked at."""

    def wait(self, seconds: float) -> bool:
        """Waits so long at most; True when the adapter is to stop."""

    def is_open(self) -> bool:
        """Whether anything may be read now: asked before every look."""

    def bars_app(self, app: str, title: str = "") -> bool:
        """Whether a program is private."""

    def bars_path(self, path: str) -> bool:
        """Whether a file or folder is private."""

    def saw(self, kind: str, reference: str, metadata: Mapping[str, Any]) -> None:
        """Tells what was done; the gate is asked again before it is kept."""


class CaptureAdapter(Protocol):
    """Sees one sort of thing that is done on the machine, while its owner lets it."""

    @property
    def name(self) -> str:
        """What it is called: lower-case letters; its events and `burn --source` go by it."""

    @property
    def about(self) -> str:
        """What it reads, in one sentence."""

    def missing(self) -> str:
        """Why it can see nothing on this machine; empty where it can."""

    def watch(self, sight: Sight) -> None:
        """Looks until `sight.wait` says stop. Never reads before `is_open` and what bars a thing were asked.

        Raises: PartUnavailable when what it looks at goes away.
        """
