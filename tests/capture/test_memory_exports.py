"""mem0's exports and history, and the MCP memory server's file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.capture import made

from palazzo.errors import InvalidInput
from palazzo.porting import memories
from palazzo.porting.files import Entry, Unread

NOW = 1_800_000_000_000_000


@pytest.mark.parametrize("shape", ["list", "results", "memories"])
def test_every_shape_of_get_all_is_read(tmp_path: Path, shape: str) -> None:
    path = tmp_path / "all.json"
    path.write_text(json.dumps([made.MEM0_MEMORY] if shape == "list" else {shape: [made.MEM0_MEMORY]}))
    (found,) = memories.read_mem0(path, NOW)
    assert isinstance(found, Entry)
    assert (found.text, found.id) == ("Plays the cello on weekends", made.MEM0_MEMORY["id"])
    assert found.at_us == 1_721_550_636_275_141


def test_relations_of_a_graph_become_statements_with_their_entities(tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    path.write_text(
        json.dumps({"results": [], "relations": [{"source": "alex", "relationship": "plays_in", "target": "quartet"}]})
    )
    (found,) = memories.read_mem0(path, NOW)
    assert isinstance(found, Entry)
    assert found.text == "alex plays in quartet."
    assert found.relations[0].predicate == "plays in"


def test_a_history_gives_the_newest_text_of_what_was_not_deleted(tmp_path: Path) -> None:
    rows = [
        ("1", "m1", None, "Likes tea", "ADD", "2024-01-01T00:00:00+00:00", None, 0, None, "user"),
        ("2", "m1", "Likes tea", "Likes green tea", "UPDATE", "2024-01-01T00:00:00+00:00", "2024-02-01T00:00:00+00:00",
         0, None, "user"),
        ("3", "m2", None, "Has a cat", "ADD", "2024-01-01T00:00:00+00:00", None, 0, None, "user"),
        ("4", "m2", "Has a cat", None, "DELETE", "2024-01-03T00:00:00+00:00", None, 1, None, "user"),
    ]  # fmt: skip
    (found,) = memories.read_mem0(made.mem0_history(tmp_path / "history.db", rows), NOW)
    assert isinstance(found, Entry)
    assert (found.text, found.at_us) == ("Likes green tea", 1_706_745_600_000_000)


def test_observations_and_relations_become_statements(tmp_path: Path) -> None:
    path = made.memory_lines(
        tmp_path / "memory.jsonl",
        [
            {"type": "entity", "name": "Mira_Sand", "entityType": "person",
             "observations": ["Speaks Dutch", "Mira Sand sails"]},
            {"type": "entity", "name": "Boatyard", "entityType": "company", "observations": []},
            {"type": "relation", "from": "Mira_Sand", "to": "Boatyard", "relationType": "works_at"},
        ],
    )  # fmt: skip
    found = [item for item in memories.read_memory_server(path, NOW) if isinstance(item, Entry)]
    assert [item.text for item in found] == [
        "Mira Sand: Speaks Dutch", "Mira Sand sails", "Boatyard is a company.", "Mira Sand works at Boatyard.",
    ]  # fmt: skip
    assert found[0].mentions[0].kind == "person"
    assert found[3].mentions[1].kind == "organization"
    assert (found[3].relations[0].subject, found[3].relations[0].predicate) == ("Mira_Sand", "works at")


def test_a_broken_line_is_named_by_its_number(tmp_path: Path) -> None:
    path = made.memory_lines(
        tmp_path / "memory.jsonl",
        [
            "{broken",
            {"type": "entity", "name": "A b", "entityType": "x", "observations": ["Is tall"]},
            "[1]",
            '{"type":"relation"}',
        ],
    )
    found = list(memories.read_memory_server(path, NOW))
    assert [item.id for item in found if isinstance(item, Unread)] == ["line 1", "line 3", "line 4"]
    assert sum(isinstance(item, Entry) for item in found) == 1


def test_a_history_with_a_view_in_place_of_its_table_is_refused(tmp_path: Path) -> None:
    import sqlite3

    path = tmp_path / "history.db"
    connection = sqlite3.connect(path)
    connection.execute(
        "CREATE VIEW history AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT * FROM c"
    )
    connection.commit()
    connection.close()
    with pytest.raises(InvalidInput):
        list(memories.read_mem0(path, NOW))
