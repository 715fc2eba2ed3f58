"""Who a connection is, and what a subject may do at one moment: its grants in force, the vault places its session has
open, the rules; and what a change of grants changes, for every place that the grants name.

Owns the answer to "which level here?", the globs that go into a View, what the palace says about a subject (grants,
lock, first sight) behind a cache per subject, and the defaults of subjects nobody decided about. Which of several
grants decides is model/capability.py's. Invariants: a place in a vault gives nothing to a session that has not unlocked
it, whatever the level; what a change is told to do is what will be decided, and where the level at some place changes,
a line covers that place; an entry of the cache is used only while the palace's guard version is the one it was read at,
so a grant or revoke by any process holds from the next call on; a default that ends, ends counted from the first sight
that the palace remembers.

Owns bearer tokens, made by the operator, shown once and kept as a hash, and the way from a peer's user number at a Unix
socket to a subject. Knows nothing of HTTP or sockets. Invariants: the palace never holds the text of a token; 256
random bits need no slow hash, so one lookup by SHA-256 decides, and takes as long for a wrong text as for a right one;
only the user who owns the palace file is the operator there, for that user can open the file anyway, and root is not,
whatever it could do by other means.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from uuid import UUID, uuid4

import msgspec
from msgspec.structs import replace

from palazzo.errors import InvalidInput, NotFound, NotPermitted
from palazzo.guard.rules import Rules
from palazzo.model.address import MAX_DEPTH, ROOT, Place, PlaceGlob
from palazzo.model.capability import (
    DEFAULT,
    EVERYWHERE,
    HARD_LOCKED,
    OPERATOR,
    VAULT,
    AddToken,
    Grant,
    Level,
    MeetSubject,
    RevokeToken,
    Token,
    default_grants,
    is_hard_locked,
    level_at,
    reach_of,
)
from palazzo.model.fork_lock import ForkLock
from palazzo.model.ids import new_id
from palazzo.model.scope import GLOBAL, Scope
from palazzo.store.api import Store, SubjectGrants
from palazzo.text.words.remembered import remembered

_ALL = PlaceGlob(ROOT, "subtree")


def in_force(grants: tuple[Grant, ...], now_us: int) -> tuple[Grant, ...]:
    """The grants that give or deny something now."""
    return tuple(grant for grant in grants if grant.in_force(now_us))


class Access(msgspec.Struct, frozen=True):
    """What one caller may do now. `grants` and `rules` are in force; `vaults` are the paths of vault places."""

    subject: str
    grants: tuple[Grant, ...]
    now_us: int
    vaults: frozenset[str] = frozenset()
    vault_open: bool = False
    rules: Rules = Rules()

    @property
    def is_operator(self) -> bool:
        return self.subject == OPERATOR

    @property
    def trusted(self) -> bool:
        """Whether every grant that gives something reaches read_all: where it sees anything it sees all there is."""
        levels = [grant.level for grant in self.grants if grant.level > Level.none]
        return bool(levels) and min(levels) >= Level.read_all

    @property
    def sees_all(self) -> bool:
        """Whether nothing outside vaults is kept from it: it is trusted, and that everywhere."""
        return self.trusted and _ALL in self.globs(Level.read_all)

    def level(self, place: Place) -> Level:
        """The level at a place."""
        if not self.in_vault(place):
            return level_at(self.grants, place, self.grants)
        found = level_at(self._vault_grants(), place, self.grants) if self.vault_open else Level.none
        return found if found >= Level.read_all else Level.none

    def in_vault(self, place: Place) -> bool:
        """Whether a place is in a vault: the vault itself, or below a place that was made one."""
        if VAULT.contains(place):
            return True
        return any(Place(place.segments[:n]).path in self.vaults for n in range(len(place.segments) + 1))

    def _vault_grants(self) -> tuple[Grant, ...]:
        """Grants that name a vault place: a grant for everywhere is a grant for everywhere else."""
        if self.is_operator:
            return self.grants
        return tuple(g for g in self.grants if self.in_vault(g.glob.place) and g.level >= Level.read_all)

    def globs(self, level: Level) -> tuple[PlaceGlob, ...]:
        """The places outside vaults where the level is reached."""
        return reach_of(self.grants, level, self.grants)

    def unlocked(self, level: Level) -> tuple[PlaceGlob, ...]:
        """The vault places where the level is reached in this session."""
        return reach_of(self._vault_grants(), level, self.grants) if self.vault_open else ()

    def highest(self, wanted: Level) -> Level:
        """The highest level up to this one that is reached anywhere."""
        levels = sorted((level for level in Level if Level.none < level <= wanted), reverse=True)
        return next((level for level in levels if self.globs(level)), Level.none)

    def require(self, level: Level, place: Place, what: str) -> None:
        """Raises: NotPermitted unless the level is reached at the place."""
        if self.level(place) >= level:
            return
        where = f"in {place.path}" if place.segments else "everywhere"
        if self.in_vault(place):
            raise NotPermitted(
                f"{self.subject} may not {what} {where}: the vault is locked here",
                hint="the operator gives it a passphrase (`palazzo vault protect`), opens it for one command"
                " (`palazzo --vault ...`) or for a session (`palazzo vault unlock`)",
            )
        reached = ", ".join(str(glob) for glob in self.globs(level)) or "nowhere"
        raise NotPermitted(
            f"{self.subject} may not {what} {where}: it needs {level.name}",
            hint=f"it has {level.name}: {reached}; {self._given_by(level)}",
        )

    def require_somewhere(self, level: Level, what: str) -> None:
        """Raises: NotPermitted unless the level is reached at some place."""
        if not self.globs(level):
            hint = self._given_by(level)
            raise NotPermitted(f"{self.subject} may not {what}: it needs {level.name} somewhere", hint=hint)

    def _given_by(self, level: Level) -> str:
        return f"the operator gives it with `palazzo grant {self.subject} {level.name}`"


class Effect(msgspec.Struct, frozen=True):
    """The level at some places before and after."""

    glob: PlaceGlob
    before: Level
    after: Level


def effects(before: Access, after: Access) -> tuple[Effect, ...]:
    """What became allowed or is allowed no more, widest places first."""
    was, now = replace(before, vault_open=True), replace(after, vault_open=True)
    told: list[Effect] = []
    for place in _named(was, now):
        levels = [(glob, was.level(point), now.level(point)) for glob, point in _points(place)]
        whole = PlaceGlob(place, "subtree")
        if len({(one, two) for _, one, two in levels}) == 1:
            levels = [(whole, *levels[0][1:])]
        told += [
            Effect(glob, one, two)
            for glob, one, two in levels
            if one != two and not _said(told, glob, one, two)
        ]  # fmt: skip
    return tuple(told)


def _named(*sides: Access) -> list[Place]:
    """The places that grants or vaults name, those above first."""
    found: set[Place] = {ROOT}
    for side in sides:
        found |= {grant.glob.place for grant in side.grants}
        found |= {Place.parse(path) for path in side.vaults}
    return sorted(found, key=lambda place: (place.depth, place.path))


def _points(place: Place) -> Iterator[tuple[PlaceGlob, Place]]:
    """A place, one right below it that nothing names, and one below that: every glob treats the rest like these."""
    other = f"x{uuid4().hex}"
    yield PlaceGlob(place), place
    if place.depth < MAX_DEPTH:
        yield PlaceGlob(place, "children"), Place((*place.segments, other))
    if place.depth < MAX_DEPTH - 1:
        yield PlaceGlob(place, "subtree"), Place((*place.segments, other, other))


def _said(told: Iterable[Effect], glob: PlaceGlob, before: Level, after: Level) -> bool:
    """Whether the nearest line above says the same already."""
    above = [effect for effect in told if effect.glob.reach == "subtree" and effect.glob.covers(glob)]
    nearest = max(above, key=lambda effect: effect.glob.place.depth, default=None)
    return nearest is not None and (nearest.before, nearest.after) == (before, after)


REMEMBERED = 4096
"""Subjects whose entries are kept."""


class KnownSubject(msgspec.Struct, frozen=True):
    """What was read about a subject, and the guard version it was read at."""

    version: int
    grants: tuple[Grant, ...]


class Palace(msgspec.Struct, frozen=True):
    """What was read about the palace as a whole, at the same version."""

    version: int
    policies: dict[str, str]
    vaults: frozenset[str]


ORCHESTRATOR = "orchestrator"
"""The kind of subject that may read below the squad or project of its scope."""


@remembered(REMEMBERED)
def kind_of(subject: str) -> str:
    """The kind of a subject: `mcp` of mcp:desk; a kit with a locked kind in its name is of that kind."""
    kind, _, name = subject.partition(":")
    words = re.sub(r"[^a-z]+", "-", name.casefold()).strip("-")
    locked = next((lock for lock in sorted(HARD_LOCKED) if f"-{lock}-" in f"-{words}-"), None)
    return f"kit:{locked}" if kind.casefold() == "kit" and locked else kind


class Grants:
    """The cache over one palace. Threads share it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: OrderedDict[tuple[str, Level | None], KnownSubject] = OrderedDict()
        self._palace: Palace | None = None
        self._lock = ForkLock()

    def of(self, subject: str, default: Level | None) -> tuple[KnownSubject, Palace]:
        """What holds for a subject; `default` is what its connection gives it while nobody decided."""
        key = (subject, default)
        known, palace = self._known.get(key), self._palace
        if (
            known is not None and palace is not None and known.version == palace.version
            and known.version == self._store.guarding.version()
        ):  # fmt: skip
            return known, palace
        rules = self._store.guarding.rules(subject)
        if palace is None or palace.version != rules.version:
            palace = self._palace = Palace(rules.version, rules.policies, frozenset(rules.vaults) | {VAULT.path})
        known = self._decided(subject, default, rules.version, rules.granted)
        if known is None:
            self._store.commit([MeetSubject(subject)], subject=subject)
            return self.of(subject, default)
        with self._lock:
            self._known[key] = known
            self._known.move_to_end(key)
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return known, palace

    def _decided(self, subject: str, default: Level | None, version: int, stood: SubjectGrants) -> KnownSubject | None:
        """None when the subject has to be met first: its default ends, and nobody knows from when."""
        kind, found = kind_of(subject), stood.grants
        sounds = is_hard_locked(kind) or any(is_hard_locked(grant.subject_kind) for grant in found)
        if stood.lifted is False or (stood.lifted is None and sounds):
            return KnownSubject(version, ())
        if subject == OPERATOR:
            found = default_grants(subject, kind, 0)
        elif not found and default is not None:
            found = tuple(_given(subject, kind, default, glob) for glob in EVERYWHERE)
        elif not found:
            found = default_grants(subject, kind, stood.first_us or 0)
            if stood.first_us is None and any(grant.expires_us is not None for grant in found):
                if not self._store.read_only:
                    return None
                found = tuple(grant for grant in found if grant.expires_us is None)
        return KnownSubject(version, found)


def _given(subject: str, kind: str, level: Level, glob: PlaceGlob) -> Grant:
    return Grant(
        subject=subject, subject_kind=kind, level=level, glob=glob, start_us=0, expires_us=None, granted_by=DEFAULT
    )


PREFIX = "palazzo_"
ONCE = f"{PREFIX}once_"
"""How the text of a token begins that signs in once and carries no call by itself."""
ONCE_DAYS = 10 / 1440
DAY_US = 86_400_000_000


def create_token(
    store: Store, subject: str, *, label: str = "", scope: Scope = GLOBAL, days: float | None = None,
    by: str = "operator",
) -> tuple[str, Token]:  # fmt: skip
    """A new token of a subject: its text, which is told here and never again, and what the palace keeps of it.

    Raises: InvalidInput.
    """
    return _added(store, PREFIX, _begun(store, subject, label, scope, days), by)


def create_link(store: Store, subject: str, *, label: str = "", scope: Scope = GLOBAL, by: str) -> tuple[str, Token]:
    """The same for one sign-in: it is spent by signing in with it, and holds for ten minutes at most.

    Raises: InvalidInput.
    """
    return _added(store, ONCE, _begun(store, subject, label, scope, ONCE_DAYS), by)


def token_of(store: Store, text: str) -> Token | None:
    """The token with this text if it holds now, else None: its subject is who calls, its scope in whose memory."""
    return None if text.startswith(ONCE) else _held(store, text)


def spend_token(store: Store, text: str) -> Token:
    """The token for one sign-in with this text, which holds no longer afterwards; of two who spend it, one gets it.

    Raises: NotFound.
    """
    found = _held(store, text) if text.startswith(ONCE) else None
    if found is None:
        raise NotFound("no link that still holds", hint="`palazzo open` makes another")
    store.commit([RevokeToken(found.id)], subject=found.subject)
    return found


def _begun(store: Store, subject: str, label: str, scope: Scope, days: float | None) -> Token:
    """A token from now on.

    Raises: InvalidInput.
    """
    if not subject or not subject.isprintable() or len(subject) > 200:
        raise InvalidInput("a token is of a subject, such as mcp:desk", field="subject")
    now_us = store.clock.now_us()
    expires_us = None if days is None else now_us + round(days * DAY_US)
    if expires_us is not None and expires_us <= now_us:
        raise InvalidInput("a token expires after it is made", field="days")
    return Token(id=new_id(now_us), subject=subject, label=label, scope=scope, created_us=now_us, expires_us=expires_us)


def _added(store: Store, prefix: str, token: Token, by: str) -> tuple[str, Token]:
    text = prefix + secrets.token_urlsafe(32)
    store.commit([AddToken(token, digest_of(text))], subject=by)
    return text, token


def _held(store: Store, text: str) -> Token | None:
    return token_with(store, digest_of(text))


def token_with(store: Store, digest: bytes) -> Token | None:
    """The token whose text has this hash if it holds now, else None."""
    found = store.guarding.token_with(digest)
    return found if found is not None and found.holds(store.clock.now_us()) else None


def every_token(store: Store) -> tuple[Token, ...]:
    """All tokens, oldest first, without their texts."""
    return store.guarding.tokens()


def revoke_token(store: Store, token_id: UUID, *, by: str = "operator") -> None:
    """Ends a token at once, for every process.

    Raises: NotFound.
    """
    store.commit([RevokeToken(token_id)], subject=by)


def digest_of(text: str) -> bytes:
    """What a palace keeps of the text of a token."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def subject_of_peer(uid: int, owner_uid: int, names: Mapping[int, str] | None = None) -> str:
    """The subject a peer with this user number is: a name given to it, the operator, or `local:UID` without a grant.

    Raises: InvalidInput for a negative number, which some systems give for "unknown".
    """
    if uid < 0:
        raise InvalidInput("the peer has no user number", field="uid")
    if names and uid in names:
        return names[uid]
    return "operator" if uid == owner_uid else f"local:{uid}"
