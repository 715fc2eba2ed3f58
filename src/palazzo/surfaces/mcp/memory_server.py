"""The toolset `memory-server`: the nine tools of the MCP memory server, described and answered as that server does.

Owns descriptions, schemas and the form of answers; what they do is in memory_server. Invariant: a client written for
that server needs no change but the command that starts it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import anyio.to_thread
import mcp_types as types
import msgspec
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from palazzo import __version__
from palazzo.errors import PalazzoError
from palazzo.surfaces.compat.memory_server import KnowledgeGraph

NAME: Final = "memory-server"
RESOURCE: Final = "memory://knowledge-graph"
Context = ServerRequestContext[Any, Any]
Run = Callable[[Context, str, dict[str, Any]], Any]
Answer = tuple[Any, Any]
"""What is told as text, and as structure."""


class Entity(msgspec.Struct):
    """An entity as the tools take it."""

    name: str
    entityType: str  # noqa: N815 - the protocol's spelling
    observations: list[str]


class Relation(msgspec.Struct, rename={"start": "from"}):
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
        "Create Entities", "Create multiple new entities in the knowledge graph", "entities", list[Entity],
        _listed("create_entities", "entities"),
    ),
    "create_relations": _Tool(
        "Create Relations", "Create multiple new relations between entities in the knowledge graph. Relations should be"
        " in active voice", "relations", list[Relation], _listed("create_relations", "relations"),
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
        "Delete Relations", "Delete multiple relations from the knowledge graph", "relations", list[Relation],
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
