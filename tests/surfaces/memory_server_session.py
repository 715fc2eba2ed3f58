"""A session with the MCP memory server, recorded from the real one (scripts/record_memory_server.py)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

FIXTURE = Path(__file__).resolve().parents[1] / "fixtures/memory-server-session.json"


def _entity(name: str, kind: str, *observations: str) -> dict[str, Any]:
    return {"name": name, "entityType": kind, "observations": list(observations)}


def _relation(start: str, verb: str, end: str) -> dict[str, Any]:
    return {"from": start, "to": end, "relationType": verb}


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("read_graph", {}),
    ("create_entities", {"entities": [
        _entity("Noor_Haddad", "person", "Repairs clocks in Tunis", "Speaks French", "speaks french"),
        _entity("Workshop", "organization"),
        _entity("灯台", "place", "霧の日に鐘が鳴る", "Lives at the edge of the map 🗺"),
    ]}),
    ("create_entities", {"entities": [
        _entity("Noor_Haddad", "robot", "Never stored: the name is taken"),
        _entity("Old Tower", "place", "Struck at noon"),
    ]}),
    ("create_relations", {"relations": [
        _relation("Noor_Haddad", "works_at", "Workshop"), _relation("Workshop", "stands in", "Nowhere Yet"),
    ]}),
    ("create_relations", {"relations": [
        _relation("Noor_Haddad", "works_at", "Workshop"), _relation("Old Tower", "is kept by", "Noor_Haddad"),
    ]}),
    ("add_observations", {"observations": [
        {"entityName": "Noor_Haddad", "contents": ["Speaks French", "Lives in Tunis"]},
        {"entityName": "Workshop", "contents": ["Opens at nine", "Opens at ten"]},
    ]}),
    ("add_observations", {"observations": [
        {"entityName": "Workshop", "contents": ["Lost with the error"]}, {"entityName": "Nobody", "contents": ["x"]},
    ]}),
    ("add_observations", {"observations": [{"entityName": "Noor_Haddad", "contents": ["Lives in Sfax"]}]}),
    ("read_graph", {}),
    ("search_nodes", {"query": "TUNIS"}),
    ("search_nodes", {"query": "place"}),
    ("search_nodes", {"query": "no such words"}),
    ("open_nodes", {"names": ["Workshop", "Nobody"]}),
    ("open_nodes", {"names": []}),
    ("delete_observations", {"deletions": [
        {"entityName": "Workshop", "observations": ["Opens at nine", "never said"]},
        {"entityName": "Nobody", "observations": ["x"]},
    ]}),
    ("delete_relations", {"relations": [_relation("Noor_Haddad", "works_at", "Workshop"), _relation("a", "b", "c")]}),
    ("read_graph", {}),
    ("add_observations", {"observations": [{"entityName": "Workshop", "contents": ["Opens at nine"]}]}),
    ("delete_entities", {"entityNames": ["Noor_Haddad", "Nobody"]}),
    ("delete_entities", {"entityNames": ["Noor_Haddad"]}),
    ("read_graph", {}),
    ("create_entities", {"entities": [_entity("Noor_Haddad", "person", "Repairs clocks in Tunis")]}),
    ("create_entities", {"entities": [{"name": "No type"}]}),
    ("create_relations", {"relations": "not a list"}),
    ("search_nodes", {}),
    ("no_such_tool", {}),
    ("read_graph", {}),
]  # fmt: skip


def told(result: Any) -> dict[str, Any]:
    """What a client sees of an answer."""
    (content,) = result.content
    return {"is_error": bool(result.is_error), "structure": result.structured_content, "text": content.text}
