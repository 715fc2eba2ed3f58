"""The MCP memory server's nine tools over a palace: entities with observations, and relations between them.

Owns the translation: an entity, each of its observations and each relation is a memory of its own in the place `graph`,
with what the tools need in its metadata, so recall finds them like anything else and two writers lose nothing. Knows
no transport. Invariant: an answer is what that server would have said of the same graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final
from uuid import UUID

from palazzo.errors import NotFound
from palazzo.model.address import slug
from palazzo.operations.recall.spec import MemoryPage
from palazzo.operations.shared import StoredMemory

PLACE: Final = "graph"
_SORT: Final = "graph"
_PAGE: Final = 1000
Ask = Callable[[str, dict[str, Any]], Any]
"""Calls an operation of the registry."""
Part = dict[str, Any]


class EntityMissing(NotFound):
    """An observation is to be added to an entity that is not there; worded as the server words it."""


@dataclass(slots=True)
class _Graph:
    """The graph as it is stored, in the order in which it was told; which memories hold each part of it."""

    entities: dict[str, Part] = field(default_factory=dict)
    relations: dict[tuple[str, str, str], Part] = field(default_factory=dict)
    held: dict[tuple[str, ...], list[UUID]] = field(default_factory=dict)

    def told(self, entities: Iterable[Part], names: frozenset[str] | None = None) -> Part:
        relations = [
            relation for relation in self.relations.values()
            if names is None or relation["from"] in names or relation["to"] in names
        ]  # fmt: skip
        return {"entities": list(entities), "relations": relations}


class KnowledgeGraph:
    """The graph of one palace. Every method is one tool."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def create_entities(self, entities: Sequence[Part]) -> list[Part]:
        """Adds entities whose names are new, and returns those."""
        graph = self._graph()
        fresh = {one["name"]: one for one in reversed(entities) if one["name"] not in graph.entities}
        made = [
            {"name": name, "entityType": one["entityType"], "observations": list(dict.fromkeys(one["observations"]))}
            for name, one in reversed(fresh.items())
        ]
        notes = []
        for one in made:
            notes.append(_entity(one))
            notes += [_observation(one["name"], said) for said in one["observations"]]
        self._keep(notes)
        return made

    def create_relations(self, relations: Sequence[Part]) -> list[Part]:
        """Adds relations that are new, and returns those; the entities they name need not exist."""
        graph = self._graph()
        fresh = {_ends(one): _relation_part(one) for one in relations if _ends(one) not in graph.relations}
        self._keep([_relation(one) for one in fresh.values()])
        return list(fresh.values())

    def add_observations(self, observations: Sequence[Part]) -> list[Part]:
        """Adds what is new about entities, and returns that.

        Raises: EntityMissing: then nothing is added.
        """
        graph = self._graph()
        told: list[Part] = []
        for one in observations:
            name = one["entityName"]
            if name not in graph.entities:
                raise EntityMissing(f"Entity with name {name} not found")
            known = graph.entities[name]["observations"]
            added = [said for said in dict.fromkeys(one["contents"]) if said not in known]
            known += added
            told.append({"entityName": name, "addedObservations": added})
        self._keep([_observation(one["entityName"], said) for one in told for said in one["addedObservations"]])
        return told

    def delete_entities(self, names: Sequence[str]) -> None:
        """Forgets entities, what was observed of them, and their relations."""
        graph, gone = self._graph(), frozenset(names)
        wanted = [key for key in graph.held if gone & ({key[1], key[3]} if key[0] == "relation" else {key[1]})]
        self._forget(graph, wanted)

    def delete_observations(self, deletions: Sequence[Part]) -> None:
        """Forgets single observations; what is not there is passed over."""
        wanted = [("observation", one["entityName"], said) for one in deletions for said in one["observations"]]
        self._forget(self._graph(), wanted)

    def delete_relations(self, relations: Sequence[Part]) -> None:
        """Forgets relations; what is not there is passed over."""
        self._forget(self._graph(), [("relation", *_ends(one)) for one in relations])

    def read_graph(self) -> Part:
        """The whole graph."""
        graph = self._graph()
        return graph.told(graph.entities.values())

    def search_nodes(self, query: str) -> Part:
        """Entities whose name, type or observations contain the words as they are, and their relations."""
        graph, wanted = self._graph(), query.lower()
        found = [
            one for one in graph.entities.values()
            if any(wanted in text.lower() for text in (one["name"], one["entityType"], *one["observations"]))
        ]  # fmt: skip
        return graph.told(found, frozenset(one["name"] for one in found))

    def open_nodes(self, names: Sequence[str]) -> Part:
        """Entities by their names, and their relations."""
        graph = self._graph()
        found = [one for one in graph.entities.values() if one["name"] in names]
        return graph.told(found, frozenset(one["name"] for one in found))

    def _graph(self) -> _Graph:
        """The graph as the palace holds it now, oldest first. Parts of one long text count once."""
        graph = _Graph()
        for memory in reversed(self._memories()):
            beside = memory.metadata
            key: tuple[str, ...] = (beside[_SORT], *beside["key"])
            graph.held.setdefault(key, []).append(memory.id)
            if key[0] == "entity":
                part = {"name": key[1], "entityType": beside["type"], "observations": []}
                graph.entities.setdefault(key[1], part)
            elif key[0] == "relation":
                graph.relations[key[1], key[2], key[3]] = dict(
                    zip(("from", "to", "relationType"), (key[1], key[3], key[2]), strict=True)
                )
        for key in graph.held:
            if key[0] == "observation" and key[1] in graph.entities:
                graph.entities[key[1]]["observations"].append(key[2])
        return graph

    def _memories(self) -> list[StoredMemory]:
        found: list[StoredMemory] = []
        cursor = ""
        while True:
            page: MemoryPage = self._ask("list", {"place": PLACE, "limit": _PAGE, "cursor": cursor})
            found += [memory for memory in page if memory.place == PLACE and _SORT in memory.metadata]
            cursor = page.next_cursor
            if not cursor:
                return found

    def _keep(self, notes: Sequence[Part]) -> None:
        if notes:
            self._ask("remember_many", {"notes": list(notes)})

    def _forget(self, graph: _Graph, keys: Iterable[tuple[str, ...]]) -> None:
        for key in keys:
            for memory in graph.held.pop(key, ()):
                self._ask("forget", {"memory": str(memory), "reason": "deleted from the graph"})


def _ends(relation: Part) -> tuple[str, str, str]:
    return relation["from"], relation["relationType"], relation["to"]


def _relation_part(relation: Part) -> Part:
    return {name: relation[name] for name in ("from", "to", "relationType")}


def _note(sort: str, text: str, *key: str, **more: Any) -> Part:
    """A note whose name is the same whoever writes it, so that two writers of one thing make one memory."""
    digest = blake2b("\x1f".join((sort, *key)).encode(), digest_size=6).hexdigest()
    return {
        "text": text, "place": PLACE, "kind": "fact", "name": f"{slug(key[0], 40)}-{digest}", "verbatim": True,
        "conflict": "keep_both", "metadata": {_SORT: sort, "key": list(key), **more},
    }  # fmt: skip


def _entity(entity: Part) -> Part:
    name, sort = entity["name"], entity["entityType"]
    return _note("entity", f"{_words(name)} ({_words(sort) or 'entity'}).", name, type=sort)


def _observation(name: str, said: str) -> Part:
    named = _words(name).lower() in said.lower()
    return _note("observation", said if named and said.strip() else f"{_words(name)}: {said}", name, said)


def _relation(relation: Part) -> Part:
    start, verb, end = _ends(relation)
    return _note("relation", f"{_words(start)} {_words(verb)} {_words(end)}.", start, verb, end)


def _words(name: str) -> str:
    return name.replace("_", " ").strip() or "?"
