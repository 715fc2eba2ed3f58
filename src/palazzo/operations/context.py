"""What a running operation knows: the engine, who calls, what they may do, and in whose scope.

Owns the resolution of a memory named by id or address, with the capability check at its place. Invariant: a memory the
caller may not see is not found, and one it may see but not change is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from msgspec.structs import replace

from palazzo.belief import products
from palazzo.engine import Engine
from palazzo.errors import Conflict, InvalidAddress, InvalidInput, NotFound, NotPermitted, PalazzoError, Refused
from palazzo.guard.access import ORCHESTRATOR, Access, kind_of
from palazzo.guard.reduce import Words
from palazzo.model.address import Kref, Place, PlaceGlob, name_for, slug
from palazzo.model.belief import VERIFIED_TAG
from palazzo.model.capability import Level, View
from palazzo.model.change import Change
from palazzo.model.memory import OWNER, STANDING_TAG, Artifact, Memory, State, Tier
from palazzo.model.scope import Scope
from palazzo.operations.caller import Caller
from palazzo.operations.declared import Operation
from palazzo.operations.shared import Life, ShownArtifact, microseconds
from palazzo.store.api import Reading
from palazzo.text.safety import gate

Progress = Callable[[str, int, int], None]
"""Told while long work runs: what is counted, how far it is, and of how many, 0 where nobody knows."""
LIVES: dict[Life, tuple[State, ...]] = {
    "live": ("active", "stale"), "archived": ("archived",), "forgotten": ("deleted",),
    "all": ("active", "stale", "archived", "deleted"),
}  # fmt: skip


ANY_PALACE = "palace"
SHORT_ID = re.compile(r"[0-9a-f]{6,31}")
"""In a full address: whichever palace is asked."""
_STEPS = re.compile(r"[/\\>]")
_GLOB_SIGNS = re.compile(r"[*#]")


def place_called(text: str) -> Place:
    """The place a caller names: in the form of addresses, or in any words with / between the steps ("Projects/Atlas").

    Raises: InvalidAddress.
    """
    try:
        return Place.parse(text)
    except InvalidAddress:
        steps = [step.strip() for step in (_STEPS.split(text) if _STEPS.search(text) else text.split("."))]
        if _GLOB_SIGNS.search(text) or not all(steps):
            raise
        return Place(tuple(map(name_called, steps)))


def name_called(text: str) -> str:
    """A name in an address, or a step of a place, that is called so: its words, with a mark where more than their case
    is lost."""
    plain = "-".join(text.casefold().split())
    return plain if slug(plain) == plain else name_for(text)


def places_called(text: str) -> PlaceGlob | None:
    """The places a caller names as a filter: a place alone is that place; None for an empty text.

    Raises: InvalidAddress.
    """
    if not text:
        return None
    return PlaceGlob.parse(text) if _GLOB_SIGNS.search(text) else PlaceGlob(place_called(text), "self")


@dataclass(frozen=True, slots=True)
class CallContext:
    """One call on its way through an operation."""

    engine: Engine
    operation: Operation
    caller: Caller
    access: Access
    scope: Scope
    level: Level
    """The level it runs at: below the operation's own, the answer is reduced to it."""

    @property
    def subject(self) -> str:
        return self.caller.subject

    @property
    def orchestrates(self) -> bool:
        """Whether the caller also sees below what it leads: to read there, never to change."""
        return kind_of(self.subject) == ORCHESTRATOR and not self.operation.writes

    @property
    def writable(self) -> tuple[PlaceGlob, ...]:
        """Where the caller may write: what it stores supersedes nothing elsewhere."""
        return self.access.globs(Level.write)

    def positions(self, what: str) -> Words:
        """How places in a list or in the journal are told to this caller."""
        return self.engine.guard.positions.of(self.subject, what, plain=self.access.is_operator)

    def view(
        self, as_of: datetime | None = None, life: Life = "live", *, deprecated: bool = False, tag: str = ""
    ) -> View:
        """What the caller sees, now, at another time or as a tag points, as far as the level it runs at reaches.

        Raises: NotPermitted when anyone but the operator asks for what is no longer believed.
        """
        if deprecated and not self.access.is_operator:
            raise NotPermitted("what is no longer believed is the operator's to read")
        return View(
            tag=tag or "current", include_deprecated=deprecated,
            subject=self.subject, scope=self.scope, orchestrator=self.orchestrates,
            reach=self.access.globs(min(self.level, Level.read_public)),
            sealed_reach=self.access.globs(Level.read_all), unlocked=self.access.unlocked(Level.read_all),
            as_of_us=microseconds(as_of), states=LIVES[life],
        )  # fmt: skip

    def unsealed(self, tier: Tier) -> tuple[str, ...]:
        """What a result says of a text of this tier: nothing, or that it is kept in clear."""
        return gate.unsealed((tier,), keyed=self.engine.store.cipher is not None, required=False)

    def require_at(self, place: Place) -> None:
        """Raises: NotPermitted unless the operation may be done at the place; Refused for a vault in clear."""
        if self.access.is_operator and self.access.in_vault(place):
            self.require_key()  # before anybody looks for a passphrase that would not help
        self.access.require(self.operation.level, place, self.operation.name)
        if self.access.in_vault(place):
            self.require_key()

    def require_key(self) -> None:
        """Raises: Refused where there is no key to seal a vault with."""
        if self.engine.store.cipher is None:
            raise Refused(
                "a palace without a key would keep its vault in clear", reason="unencrypted",
                hint="`palazzo encrypt --fields` gives it a key",
            )  # fmt: skip

    def commit(self, change: Change) -> None:
        """Writes one change in the caller's name."""
        self.engine.store.commit([change], subject=self.subject)

    @property
    def writing_view(self) -> View:
        """What the caller may change: a belief that stands elsewhere is neither given up nor revised by it."""
        return View(subject=self.subject, scope=self.scope, reach=self.writable)

    def memory(
        self, named: str, as_of: datetime | None = None, life: Life = "live", *, deprecated: bool = False,
        level: Level | None = None,
    ) -> Memory:  # fmt: skip
        """The memory of this id, address or name, if the caller may do with it what the operation does, or what `level`
        says.

        Raises: NotFound, NotPermitted, Conflict when several have this name, InvalidInput when it is none of them.
        """
        view = replace(self.view(as_of, life), include_deprecated=deprecated)
        with self.engine.store.reading(view) as reading:
            try:
                found = _found(reading, named, self.engine.palace_name)
            except NotFound as error:
                raise self._out_of_sight(named, error) or error from None
        self.access.require(self.level if level is None else level, found.place, self.operation.name)
        return found

    def _out_of_sight(self, named: str, error: NotFound) -> NotFound | None:
        """To the operator, why a memory that is there was not found, and what brings it back."""
        if not self.access.is_operator or error.hint:
            return None
        with self.engine.store.reading(replace(self.view(life="all"), include_deprecated=True)) as reading:
            try:
                found = _found(reading, named, self.engine.palace_name)
            except (NotFound, Conflict):
                return None
        if found.deprecated:
            hint = "it is believed no longer: include_deprecated shows it, `palazzo undeprecate` brings it back"
        elif found.state == "deleted":
            hint = "it was forgotten: `palazzo restore` brings it back"
        else:
            hint = f"it is {found.state}: `palazzo restore` brings it back"
        return NotFound(error.message, hint=hint)


def artifact_shown(context: CallContext, artifact: Artifact) -> ShownArtifact:
    """An artifact as callers see it; only for the operator is the file looked at."""
    return ShownArtifact(
        name=artifact.name, uri=artifact.uri, media_type=artifact.media_type, size=artifact.size,
        sha256=artifact.sha256, state=products.check(artifact) if context.access.is_operator else "",
    )  # fmt: skip


def free_tags(subject: str, *names: str) -> tuple[str, ...]:
    """The tags a caller asks for, each once, if they may be set by hand.

    Raises: NotPermitted, InvalidInput for a blank one.
    """
    if not all(name.strip() for name in names):
        raise InvalidInput("a tag has a name", field="tags", hint="leave out what is blank, or name the tag")
    folded = {name.strip().casefold() for name in names}
    if VERIFIED_TAG in folded:
        raise NotPermitted(
            f"the tag {VERIFIED_TAG} is set by a person's decision on a claim alone", hint="propose a claim instead"
        )
    if STANDING_TAG in folded and subject != OWNER:
        raise NotPermitted(
            f"the tag {STANDING_TAG} is the operator's: what has it instructs everybody",
            hint=f"the operator approves it with `palazzo tag MEMORY {STANDING_TAG}`",
        )
    return tuple(dict.fromkeys(names))


def address_in(named: str) -> Kref | None:
    """The address a caller names a memory by; None where it is named otherwise."""
    if "/" not in named:
        return None
    try:
        return Kref.parse(named)
    except InvalidAddress:
        return None


def names_revision(named: str) -> bool:
    """Whether a memory is named at one of its revisions: by number, tag or time."""
    kref = address_in(named)
    return kref is not None and (kref.revision, kref.tag, kref.at) != (None, None, None)


def _at(reading: Reading, named: str, palace: str) -> Memory:
    """The memory at an address; one that names a palace names this one.

    Raises: NotFound, InvalidAddress.
    """
    kref = Kref.parse(named)
    if kref.palace not in ("", ANY_PALACE, palace):
        raise NotFound(f"this palace is called {palace}, not {kref.palace}", hint=f"kref://{palace}/... names this one")
    return reading.memories.at_address(kref)


def _found(reading: Reading, named: str, palace: str) -> Memory:
    """The memory that is meant: by its id, else by its address, else by what it is called."""
    try:
        return reading.memories.get(UUID(named))
    except ValueError:
        pass
    refused: PalazzoError = InvalidInput(
        "no memory has that name: one is named by its id, its address or its name",
        field="memory",
        hint="`palazzo list` shows ids; an address is place/name.kind; include_deprecated shows what was deprecated",
    )
    if "/" in named:
        try:
            return _at(reading, named, palace)
        except (NotFound, InvalidAddress) as error:
            refused = error
    digits = named.replace("-", "").casefold()
    if SHORT_ID.fullmatch(digits):
        meant = reading.known.shortened(digits)
        if len(meant) > 1:
            told = ", ".join(f"{str(memory.id)[-8:]} {memory.kref.short}" for memory in meant)
            raise Conflict(f"{len(meant)} memories have an id with {named}", hint=told)
        if meant:
            return meant[0]
    called = (reading.known.titled(named) or reading.known.titled(name_called(named))) if named.strip() else ()
    if len(called) > 1:
        raise Conflict(
            f"{len(called)} memories are called {named}", hint=", ".join(memory.kref.short for memory in called[:5])
        )
    if not called:
        raise refused
    return called[0]
