"""The toolset `memory-server`: the MCP memory server's nine tools over a palace, described and answered as that server
does.

Owns descriptions, schemas, the form of answers and the translation: an entity, each of its observations and each
relation is a memory of its own in the place `graph`, with what the tools need in its metadata, so recall finds them
like anything else and two writers lose nothing. Invariants: an answer is what that server would have said of the same
graph; a client written for that server needs no change but the command that starts it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import Any, Final
from uuid import UUID

import anyio.to_thread
import mcp_types as types
import msgspec
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from palazzo import __version__
from palazzo.errors import NotFound, PalazzoError
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


NAME: Final = "memory-server"
RESOURCE: Final = "memory://knowledge-graph"
Context = ServerRequestContext[Any, Any]
Run = Callable[[Context, str, dict[str, Any]], Any]
Answer = tuple[Any, Any]
"""What is told as text, and as structure."""


class GivenEntity(msgspec.Struct):
    """An entity as the tools take it."""

    name: str
    entityType: str  # noqa: N815 - the protocol's spelling
    observations: list[str]


class GivenRelation(msgspec.Struct, rename={"start": "from"}):
    """A relation as the tools take it."""

    start: str
    to: str
    relationType: str  # noqa: N815


class Added(msgspec.Struct):
    """Observations to add to an entity."""

    entityName: str  # noqa: N815
    contents: list[str]


class Deleted(msgspec.Struct):
    """Observations to delete from an entity."""

    entityName: str  # noqa: N815
    observations: list[str]


def _listed(name: str, key: str) -> Callable[[KnowledgeGraph, Any], Answer]:
    def answer(graph: KnowledgeGraph, given: Any) -> Answer:
        found = getattr(graph, name)(given)
        return found, {key: found}

    return answer


def _done(name: str, what: str) -> Callable[[KnowledgeGraph, Any], Answer]:
    def answer(graph: KnowledgeGraph, given: Any) -> Answer:
        getattr(graph, name)(given)
        told = f"{what} deleted successfully"
        return told, {"success": True, "message": told}

    return answer


def _shown(name: str) -> Callable[[KnowledgeGraph, Any], Answer]:
    def answer(graph: KnowledgeGraph, given: Any) -> Answer:
        found = graph.read_graph() if name == "read_graph" else getattr(graph, name)(given)
        return found, found

    return answer


class _Tool(msgspec.Struct, frozen=True):
    """One tool: its words, the one argument it takes and that argument's type, and how it answers."""

    title: str
    description: str
    argument: str
    kind: Any
    answer: Callable[[KnowledgeGraph, Any], Answer]
    reads: bool = False
    deletes: bool = False


TOOLS: Final[dict[str, _Tool]] = {
    "create_entities": _Tool(
        "Create Entities", "Create multiple new entities in the knowledge graph", "entities", list[GivenEntity],
        _listed("create_entities", "entities"),
    ),
    "create_relations": _Tool(
        "Create Relations", "Create multiple new relations between entities in the knowledge graph. Relations should be"
        " in active voice", "relations", list[GivenRelation], _listed("create_relations", "relations"),
    ),
    "add_observations": _Tool(
        "Add Observations", "Add new observations to existing entities in the knowledge graph", "observations",
        list[Added], _listed("add_observations", "results"),
    ),
    "delete_entities": _Tool(
        "Delete Entities", "Delete multiple entities and their associated relations from the knowledge graph",
        "entityNames", list[str], _done("delete_entities", "Entities"), deletes=True,
    ),
    "delete_observations": _Tool(
        "Delete Observations", "Delete specific observations from entities in the knowledge graph", "deletions",
        list[Deleted], _done("delete_observations", "Observations"), deletes=True,
    ),
    "delete_relations": _Tool(
        "Delete Relations", "Delete multiple relations from the knowledge graph", "relations", list[GivenRelation],
        _done("delete_relations", "Relations"), deletes=True,
    ),
    "read_graph": _Tool(
        "Read Graph", "Read the entire knowledge graph", "", None, _shown("read_graph"), reads=True
    ),
    "search_nodes": _Tool(
        "Search Nodes", "Search for nodes in the knowledge graph based on a query", "query", str,
        _shown("search_nodes"), reads=True,
    ),
    "open_nodes": _Tool(
        "Open Nodes", "Open specific nodes in the knowledge graph by their names", "names", list[str],
        _shown("open_nodes"), reads=True,
    ),
}  # fmt: skip


def _schema(tool: _Tool) -> dict[str, Any]:
    if not tool.argument:
        return {"type": "object", "properties": {}}
    (kind,), parts = msgspec.json.schema_components([tool.kind], ref_template="#/$defs/{name}")
    made = {"type": "object", "properties": {tool.argument: kind}, "required": [tool.argument]}
    return {**made, "$defs": parts} if parts else made


def listed() -> list[types.Tool]:
    """The tools as the protocol describes them."""
    return [
        types.Tool(
            name=name, title=tool.title, description=tool.description, input_schema=_schema(tool),
            annotations=types.ToolAnnotations(
                read_only_hint=tool.reads, destructive_hint=tool.deletes, idempotent_hint=tool.reads or tool.deletes,
                open_world_hint=False,
            ),
        )
        for name, tool in TOOLS.items()
    ]  # fmt: skip


def _result(text: str, structure: Any = None, *, is_error: bool = False) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content=structure, is_error=is_error
    )


def call_tool(graph: KnowledgeGraph, name: str, arguments: dict[str, Any]) -> types.CallToolResult:
    """The answer of one tool; a refusal is an answer too."""
    tool = TOOLS.get(name)
    if tool is None:
        return _result(f"MCP error -32602: Tool {name} not found", is_error=True)
    given: Any = None
    try:
        if tool.argument:
            wanted = msgspec.defstruct("Arguments", [("given", tool.kind)], rename={"given": tool.argument})
            given = msgspec.to_builtins(msgspec.convert(arguments, wanted).given)  # type: ignore[attr-defined]
        told, structure = tool.answer(graph, given)
    except msgspec.ValidationError as error:
        wrong = f"MCP error -32602: Input validation error: Invalid arguments for tool {name}: {error}"
        return _result(wrong, is_error=True)
    except PalazzoError as error:
        return _result(error.message, is_error=True)
    return _result(told if isinstance(told, str) else _text(told), structure)


def _text(told: Any) -> str:
    return json.dumps(told, indent=2, ensure_ascii=False)


def server(run: Run) -> Server[Any]:
    """The SDK's server with the nine tools and the graph as a resource; `run` calls an operation as the client."""

    async def tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed())

    async def called(context: Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        graph = KnowledgeGraph(partial(run, context))
        return await anyio.to_thread.run_sync(call_tool, graph, asked.name, asked.arguments or {})

    async def resources(_: Context, __: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        whole = types.Resource(
            name="knowledge-graph", title="Knowledge Graph", uri=RESOURCE, mime_type="application/json",
            description="The full knowledge graph with all entities and relations",
        )  # fmt: skip
        return types.ListResourcesResult(resources=[whole])

    async def read(context: Context, asked: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        graph = await anyio.to_thread.run_sync(KnowledgeGraph(partial(run, context)).read_graph)
        held = types.TextResourceContents(uri=asked.uri, mime_type="application/json", text=_text(graph))
        return types.ReadResourceResult(contents=[held])

    return Server(
        "palazzo", version=__version__, on_list_tools=tools, on_call_tool=called, on_list_resources=resources,
        on_read_resource=read,
    )  # fmt: skip
