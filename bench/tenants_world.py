"""A palace of five hundred owners in which everything that has a name or a text carries a word of its owner's own.

Owns what is written and the plain list of it. A word stands in the text, its shorter forms, the entity, the statement,
the metadata, the topics, the speaker, the thread, the tag, the source and, for some owners, in the place itself. The
rule of who may know what is evaluated here in plain Python and shares no code with the guard.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from bench.common import Corpus, batches
from palazzo.adapters.system_clock import SystemClock
from palazzo.engine import Engine
from palazzo.guard.gate import Guard
from palazzo.guard.rules import Rules
from palazzo.model.address import Place, PlaceGlob
from palazzo.model.belief import AddClaim, Claimed
from palazzo.model.capability import Grant, Level
from palazzo.model.change import AddEdge, AddGrant, AddSpace, Attachments, Change, PlaceMemory, RecordIntake
from palazzo.model.graph import MentionDraft, Node, ProvenanceNode, Source
from palazzo.model.ids import new_id
from palazzo.model.memory import Atom, Detail, RevisionDraft
from palazzo.model.message import Fate, Turn
from palazzo.model.scope import GLOBAL, Scope
from palazzo.operations.caller import Caller
from palazzo.spaces import Spaces
from palazzo.store.sql.port import OpenOptions, StoreOptions
from palazzo.store.sqlite.palace import SqliteStore

DIMENSIONS = 64
SPACE = "bench"
DAY_US = 86_400_000_000
MARCH_US = 1_709_424_000_000_000
"""3 March 2024, the day of what has a day."""
LOOSE = Rules(reads_per_minute=1_000_000, reads_per_session=1_000_000_000, writes_per_minute=1_000_000)
PLACES = tuple(f"{top}.p{n}" for top in ("work", "life", "learning") for n in range(10))


class Meaning:
    """Embeds by looking up: a text's first word names the vector that was stored with it."""

    name = SPACE
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self._vectors: dict[str, np.ndarray[Any, np.dtype[np.float32]]] = {}

    def learn(self, word: str, vector: np.ndarray[Any, np.dtype[np.float32]]) -> None:
        self._vectors[word] = vector

    def embed_query(self, text: str) -> np.ndarray[Any, np.dtype[np.float32]]:
        known = self._vectors.get(text.split(" ", 1)[0])
        return np.full(DIMENSIONS, DIMENSIONS**-0.5, np.float32) if known is None else known

    def embed(self, texts: list[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
        return np.asarray([self.embed_query(text) for text in texts])


@dataclass(frozen=True, slots=True)
class Owned:
    """A memory as the plain rule knows it."""

    id: UUID
    word: str
    place: str
    scope: Scope
    name: str
    number: int


@dataclass(frozen=True, slots=True)
class OwnedClaim:
    """A claim, and the memory it was drawn from."""

    id: UUID
    word: str
    scope: Scope
    of: Owned


@dataclass(slots=True)
class World:
    """The palace and the plain lists of what is in it."""

    engine: Engine
    memories: list[Owned]
    claims: list[OwnedClaim]
    links: list[tuple[str, Owned, Owned]]
    ids: frozenset[str] = frozenset()
    by_scope: dict[Scope, list[Owned]] = field(default_factory=dict)


def scopes() -> list[Scope]:
    """Five hundred owners at every level."""
    rng, found = random.Random(5), [GLOBAL]
    for project in range(20):
        found.append(Scope.of(project=f"p{project}"))
        found += [Scope.of(project=f"p{project}", squad=f"s{n}") for n in range(3)]
        found += [Scope.of(project=f"p{project}", user=f"u{rng.randrange(200)}") for _ in range(12)]
        found += [Scope.of(project=f"p{project}", channel=f"c{n}") for n in range(3)]
    found += [Scope.of(user=f"u{n}") for n in range(120)]
    return list(dict.fromkeys(found))


def _word(number: int, rng: random.Random) -> str:
    return f"zq{number:06x}{rng.getrandbits(24):06x}"


def owned(count: int) -> list[Owned]:
    """Who owns what: every tenth memory stands at a place that is named after its owner alone."""
    rng, owners = random.Random(11), scopes()
    own_places = {scope: f"{rng.choice(PLACES)}.{_word(1 << 20 | n, rng)}" for n, scope in enumerate(owners)}
    found = []
    for number in range(count):
        scope = rng.choice(owners)
        place = own_places[scope] if number % 10 == 0 else rng.choice(PLACES)
        found.append(Owned(new_id(MARCH_US + number), _word(number, rng), place, scope, f"n{number}", number))
    return found


def _memory(one: Owned, text: str, vector: np.ndarray[Any, np.dtype[np.float32]], node: UUID) -> PlaceMemory:
    word, marked = one.word, one.number % 4 == 0
    return PlaceMemory(
        memory_id=one.id, place=Place.parse(one.place), name=one.name, kind="fact", scope=one.scope,
        tags=(word,) if one.number % 8 == 0 else (),
        content=RevisionDraft(
            text=f"{word} {text}", summary=f"{word} in short", key_fact=f"{word} shorter", label=f"{word} shortest",
            author="bench", valid_from_us=MARCH_US if marked else None,
            atoms=(Atom("user", "lake", word, functional=True),) if marked else (),
            detail=Detail(topics=(word,), keywords=(word,), speaker=word, metadata={"owner": word}),
        ),
        attachments=Attachments(
            vectors={SPACE: vector}, mentions=(MentionDraft(word.capitalize(), "person"),) if marked else (),
            turn=Turn(thread=word, session="one", speaker=word) if one.number % 3 == 0 else None,
            sources=(Source(node=ProvenanceNode(id=node, kind="message", at_us=MARCH_US, label=word, author=word)),),
        ),
    )  # fmt: skip


def _bare(one: Owned, text: str, vector: np.ndarray[Any, np.dtype[np.float32]]) -> PlaceMemory:
    return PlaceMemory(
        memory_id=one.id, place=Place.parse(one.place), name=one.name, kind="fact", scope=one.scope,
        content=RevisionDraft(text=f"{one.word} {text}", author="bench"),
        attachments=Attachments(vectors={SPACE: vector}),
    )  # fmt: skip


def engine_of(store: SqliteStore, clock: SystemClock, meaning: Meaning) -> Engine:
    """An engine over a palace of these memories, with rates that no run here reaches."""
    spaces = Spaces(store, meaning, SPACE, lambda _: None)  # type: ignore[arg-type]
    return Engine(store, clock, spaces, guard=Guard(store, clock, LOOSE))


def build(
    folder: Path,
    chosen: Sequence[Owned],
    meaning: Meaning,
    *,
    key: bytes | None = None,
    bare: bool = False,
    part_of: World | None = None,
) -> World:
    """A palace of these memories, with links, disagreements, claims and accounts among those of one owner.

    With `bare` there is nothing but texts and vectors; as `part_of` another world it has the links and claims of that
    one as far as they are among these.
    """
    corpus, clock = Corpus(dimensions=DIMENSIONS), SystemClock()
    store = SqliteStore.create(folder, clock, StoreOptions(file=OpenOptions(key=key, durable=False), upkeep=False))
    store.commit([AddSpace(SPACE, SPACE, DIMENSIONS)])
    world, at = World(engine_of(store, clock, meaning), list(chosen), [], []), 0
    for size in batches(len(chosen), 1000):
        changes: list[Change] = []
        for one, text, vector in zip(chosen[at : at + size], corpus.texts(size), corpus.vectors(size), strict=True):
            meaning.learn(one.word, vector)
            node = new_id(MARCH_US + one.number)
            changes.append(_bare(one, text, vector) if bare else _memory(one, text, vector, node))
            if one.number % 16 == 0 and not bare:
                fates = (Fate(start=0, end=9, outcome="stored", memory_id=one.id),)
                changes.append(
                    RecordIntake(intake_id=node, at_us=MARCH_US, digest=node.bytes, fates=fates, scope=one.scope)
                )
        store.commit(changes)
        at += size
    if not bare:
        _link(world, part_of)
    store.upkeep.run()
    world.ids = frozenset({str(one.id) for one in world.memories} | {str(claim.id) for claim in world.claims})
    for one in world.memories:
        world.by_scope.setdefault(one.scope, []).append(one)
    return world


def _link(world: World, part_of: World | None) -> None:
    """Links between neighbours of one owner, some of them disagreements, and a claim for each of the owners."""
    if part_of is None:
        of_owner: dict[Scope, list[Owned]] = {}
        for one in world.memories[::5]:
            of_owner.setdefault(one.scope, []).append(one)
        kinds = ("related_to", "contradicts", "depends_on")
        for scope, its in of_owner.items():
            world.links += [(kinds[n % 3], one, two) for n, (one, two) in enumerate(pairwise(its))]
            number = its[0].number
            world.claims.append(OwnedClaim(new_id(MARCH_US + number), f"zq{number | 1 << 21:06x}c1a100", scope, its[0]))
    else:
        here = {one.id for one in world.memories}
        world.links += [link for link in part_of.links if link[1].id in here and link[2].id in here]
        world.claims += [claim for claim in part_of.claims if claim.of.id in here]
    changes: list[Change] = [AddEdge(kind, Node(one.id), Node(two.id)) for kind, one, two in world.links]  # type: ignore[arg-type]
    for claim in world.claims:
        handle = Claimed(kind="exchange", reference=str(claim.of.id), excerpt=claim.of.word)
        changes.append(
            AddClaim(
                claim_id=claim.id, text=f"{claim.word} holds", kind="fact", sources=(handle,), recheck_days=90.0,
                scope=claim.scope,
            )
        )  # fmt: skip
    world.engine.store.commit(changes)


# --- the plain rule ---------------------------------------------------------------------------------------------------
def covered(globs: Iterable[str], place: str) -> bool:
    """The plain rule of globs."""
    return any(g == "**" or place == g[:-3] or place.startswith(g[:-2]) for g in globs)


def known_to(world: World, caller: Caller, globs: Sequence[str]) -> list[Owned]:
    """The memories a reader may know of."""
    above = [caller.scope.levels[:length] for length in range(len(caller.scope.levels) + 1)]
    return [one for levels in above for one in world.by_scope.get(Scope(levels), ()) if covered(globs, one.place)]


def readers(engine: Engine, count: int, rng: random.Random) -> Iterator[tuple[Caller, list[str]]]:
    """Random readers: a scope, and places they may read or write in."""
    owners = scopes()
    for number in range(count):
        globs = rng.choice([["**"], ["work.**"], ["life.**", "learning.p3.**"], [f"{rng.choice(PLACES)}.**"]])
        subject, level = f"agent:reader-{number}", rng.choice([Level.read_public, Level.write, Level.forget])
        engine.store.commit([
            AddGrant(Grant(
                subject=subject, subject_kind="agent", level=level, glob=PlaceGlob.parse(glob), start_us=0,
                expires_us=None, granted_by="operator",
            ))
            for glob in globs
        ])  # fmt: skip
        yield Caller(subject=subject, scope=rng.choice(owners), chooses_scope=False), globs
