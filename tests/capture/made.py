"""Files as the programs that export them make them, small: the real layouts, schemas and field names."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

SECONDS = 1_700_000_000.0


def chatgpt_node(
    node_id: str, parent: str | None, role: str, content: Any, at: float | None = SECONDS
) -> dict[str, Any]:
    """A node of ChatGPT's message tree; without content a node that holds no message."""
    message = None
    if content is not None:
        shaped = content if isinstance(content, dict) else {"content_type": "text", "parts": [content]}
        message = {
            "id": node_id, "author": {"role": role, "name": None, "metadata": {}}, "create_time": at,
            "update_time": None, "content": shaped, "status": "finished_successfully", "end_turn": True, "weight": 1.0,
            "metadata": {}, "recipient": "all", "channel": None,
        }  # fmt: skip
    return {"id": node_id, "message": message, "parent": parent, "children": []}


def chatgpt_conversation(
    nodes: Sequence[dict[str, Any]],
    current: str,
    title: str = "Trip",
    own: str = "11111111-2222-3333-4444-555555555555",
) -> dict[str, Any]:
    """A conversation with its mapping; children follow from the parents."""
    mapping = {node["id"]: node for node in nodes}
    for node in nodes:
        if node["parent"]:
            mapping[node["parent"]]["children"].append(node["id"])
    return {
        "title": title, "create_time": SECONDS, "update_time": SECONDS + 60, "mapping": mapping,
        "moderation_results": [], "current_node": current, "plugin_ids": None, "conversation_id": own,
        "conversation_template_id": None,
        "gizmo_id": None, "is_archived": False, "safe_urls": [], "default_model_slug": "gpt-4o", "id": own,
    }  # fmt: skip


def chatgpt_zip(path: Path, conversations: Sequence[dict[str, Any]]) -> Path:
    """The archive ChatGPT mails: the conversations and what is beside them."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("chat.html", "<html></html>")
        made.writestr("conversations.json", json.dumps(list(conversations)))
        made.writestr("message_feedback.json", "[]")
        made.writestr("model_comparisons.json", "[]")
        made.writestr("shared_conversations.json", "[]")
        made.writestr("user.json", json.dumps({"id": "user-1", "email": "someone@example.com"}))
    return path


def claude_message(uuid: str, sender: str, text: str, **more: Any) -> dict[str, Any]:
    """A message of a Claude conversation."""
    return {
        "uuid": uuid, "text": text, "content": [{"type": "text", "text": text, "citations": []}], "sender": sender,
        "created_at": "2024-03-02T10:00:00.123456Z", "updated_at": "2024-03-02T10:00:00.123456Z", "attachments": [],
        "files": [], **more,
    }  # fmt: skip


def claude_conversation(messages: Sequence[Any], name: str = "Garden") -> dict[str, Any]:
    """A Claude conversation."""
    return {
        "uuid": "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee", "name": name, "summary": "",
        "created_at": "2024-03-02T09:59:00.000000Z", "updated_at": "2024-03-02T10:05:00.000000Z",
        "account": {"uuid": "99999999-0000-0000-0000-000000000000"}, "chat_messages": list(messages),
    }  # fmt: skip


CLAUDE_PROJECT = {
    "uuid": "12121212-0000-0000-0000-000000000000", "name": "Greenhouse", "description": "Plants under glass.",
    "is_private": True, "is_starter_project": False, "prompt_template": "Answer as a gardener.",
    "created_at": "2024-01-01T00:00:00.000000+00:00", "updated_at": "2024-01-02T00:00:00.000000+00:00",
    "creator": {"uuid": "99999999-0000-0000-0000-000000000000", "full_name": "Somebody"},
    "docs": [
        {
            "uuid": "34343434-0000-0000-0000-000000000000", "filename": "beds.txt",
            "content": "Bed one has tomatoes. Bed two has beans.", "created_at": "2024-01-01T00:00:00.000000+00:00",
        },
    ],
}  # fmt: skip


def claude_zip(path: Path, conversations: Sequence[Any], projects: Sequence[Any] = (CLAUDE_PROJECT,)) -> Path:
    """The archive Claude mails."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(
            "users.json", json.dumps([{"uuid": "9", "full_name": "Somebody", "email_address": "s@example.com"}])
        )
        made.writestr("projects.json", json.dumps(list(projects)))
        made.writestr("conversations.json", json.dumps(list(conversations)))
    return path


MEM0_MEMORY = {
    "id": "8f14e45f-0000-4000-8000-000000000001", "memory": "Plays the cello on weekends", "hash": "c0ffee",
    "metadata": {"category": "hobbies"}, "created_at": "2024-07-20T01:30:36.275141-07:00",
    "updated_at": "2024-07-21T01:30:36.275141-07:00", "user_id": "alex",
}  # fmt: skip


def mem0_history(path: Path, rows: Sequence[tuple[Any, ...]]) -> Path:
    """mem0's history.db: id, memory, old, new, event, created, updated, deleted, actor, role."""
    connection = sqlite3.connect(path)
    connection.execute(
        """CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT,
           created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT)"""
    )
    connection.executemany("INSERT INTO history VALUES (?,?,?,?,?,?,?,?,?,?)", rows)
    connection.commit()
    connection.close()
    return path


def memory_lines(path: Path, lines: Sequence[Mapping[str, Any] | str]) -> Path:
    """The memory server's file: one JSON object a line, no line end after the last."""
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), "utf-8")
    return path


CHROMIUM_EPOCH_US = 11_644_473_600_000_000


def chromium(path: Path, visits: Sequence[tuple[str, str, int, int]]) -> Path:
    """A Chromium History: url, title, time since 1970 in microseconds, transition."""
    connection = sqlite3.connect(path)
    connection.executescript(
        """CREATE TABLE meta(key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR);
           INSERT INTO meta VALUES ('version', '70'), ('last_compatible_version', '16');
           CREATE TABLE urls(id INTEGER PRIMARY KEY AUTOINCREMENT,url LONGVARCHAR,title LONGVARCHAR,
             visit_count INTEGER DEFAULT 0 NOT NULL,typed_count INTEGER DEFAULT 0 NOT NULL,
             last_visit_time INTEGER NOT NULL,hidden INTEGER DEFAULT 0 NOT NULL);
           CREATE TABLE visits(id INTEGER PRIMARY KEY AUTOINCREMENT,url INTEGER NOT NULL,visit_time INTEGER NOT NULL,
             from_visit INTEGER,external_referrer_url TEXT,transition INTEGER DEFAULT 0 NOT NULL,segment_id INTEGER,
             visit_duration INTEGER DEFAULT 0 NOT NULL,incremented_omnibox_typed_score BOOLEAN DEFAULT FALSE NOT NULL,
             opener_visit INTEGER,originator_cache_guid TEXT,originator_visit_id INTEGER,originator_from_visit INTEGER,
             originator_opener_visit INTEGER,is_known_to_sync BOOLEAN DEFAULT FALSE NOT NULL,
             consider_for_ntp_most_visited BOOLEAN DEFAULT FALSE NOT NULL,visited_link_id INTEGER DEFAULT 0 NOT NULL,
             app_id TEXT);
           CREATE TABLE visit_source(id INTEGER PRIMARY KEY,source INTEGER NOT NULL);
           CREATE TABLE keyword_search_terms(keyword_id INTEGER NOT NULL,url_id INTEGER NOT NULL,
             term LONGVARCHAR NOT NULL,normalized_term LONGVARCHAR NOT NULL);
           CREATE INDEX visits_url_index ON visits (url);"""
    )
    known: dict[str, int] = {}
    for url, title, at_us, transition in visits:
        at = at_us + CHROMIUM_EPOCH_US
        if url not in known:
            cursor = connection.execute(
                "INSERT INTO urls(url,title,visit_count,last_visit_time) VALUES (?,?,1,?)", (url, title, at)
            )
            known[url] = cursor.lastrowid or 0
        connection.execute("INSERT INTO visits(url,visit_time,transition) VALUES (?,?,?)", (known[url], at, transition))
    connection.commit()
    connection.close()
    return path


def firefox(path: Path, visits: Sequence[tuple[str, str | None, int, int]]) -> Path:
    """A Firefox places.sqlite: url, title, time since 1970 in microseconds, kind of visit."""
    connection = sqlite3.connect(path)
    connection.executescript(
        """CREATE TABLE moz_origins (id INTEGER PRIMARY KEY, prefix TEXT NOT NULL, host TEXT NOT NULL,
             frecency INTEGER NOT NULL, recalc_frecency INTEGER NOT NULL DEFAULT 0, UNIQUE (prefix, host));
           CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url LONGVARCHAR, title LONGVARCHAR, rev_host LONGVARCHAR,
             visit_count INTEGER DEFAULT 0, hidden INTEGER DEFAULT 0 NOT NULL, typed INTEGER DEFAULT 0 NOT NULL,
             frecency INTEGER DEFAULT -1 NOT NULL, last_visit_date INTEGER, guid TEXT,
             foreign_count INTEGER DEFAULT 0 NOT NULL, url_hash INTEGER DEFAULT 0 NOT NULL, description TEXT,
             preview_image_url TEXT, site_name TEXT, origin_id INTEGER REFERENCES moz_origins(id),
             recalc_frecency INTEGER NOT NULL DEFAULT 0, alt_frecency INTEGER,
             recalc_alt_frecency INTEGER NOT NULL DEFAULT 0);
           CREATE TABLE moz_historyvisits (id INTEGER PRIMARY KEY, from_visit INTEGER, place_id INTEGER,
             visit_date INTEGER, visit_type INTEGER, session INTEGER, source INTEGER DEFAULT 0 NOT NULL,
             triggeringPlaceId INTEGER);
           CREATE INDEX moz_historyvisits_placedateindex ON moz_historyvisits (place_id, visit_date);
           CREATE TABLE moz_bookmarks (id INTEGER PRIMARY KEY, type INTEGER, fk INTEGER DEFAULT NULL, parent INTEGER,
             position INTEGER, title LONGVARCHAR, keyword_id INTEGER, folder_type TEXT, dateAdded INTEGER,
             lastModified INTEGER, guid TEXT, syncStatus INTEGER NOT NULL DEFAULT 0,
             syncChangeCounter INTEGER NOT NULL DEFAULT 1);"""
    )
    for number, (url, title, at_us, kind) in enumerate(visits, start=1):
        connection.execute(
            "INSERT INTO moz_places(id,url,title,visit_count,last_visit_date) VALUES (?,?,?,1,?)",
            (number, url, title, at_us),
        )
        connection.execute(
            "INSERT INTO moz_historyvisits(place_id,visit_date,visit_type) VALUES (?,?,?)", (number, at_us, kind)
        )
    connection.commit()
    connection.close()
    return path


CALENDAR = "\r\n".join([
    "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Example//Calendar 1.0//EN", "CALSCALE:GREGORIAN",
    "BEGIN:VTIMEZONE", "TZID:Europe/Berlin", "BEGIN:STANDARD", "DTSTART:19701025T030000", "TZOFFSETFROM:+0200",
    "TZOFFSETTO:+0100", "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU", "END:STANDARD", "END:VTIMEZONE",
    "BEGIN:VEVENT", "UID:standup@example.com", "DTSTAMP:20240301T080000Z",
    "DTSTART;TZID=Europe/Berlin:20240304T093000", "DTEND;TZID=Europe/Berlin:20240304T094500",
    "RRULE:FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20241231T230000Z", "SUMMARY:Stand-up\\, team blue",
    "LOCATION:Room 4\\; second floor", "DESCRIPTION:What we did\\nWhat we will do and a line that is long enough to be",
    "  folded by the program", 'ORGANIZER;CN="Mira Sand":mailto:mira@example.com',
    "ATTENDEE;CN=Jon Vale;PARTSTAT=ACCEPTED:mailto:jon@example.com", "BEGIN:VALARM", "ACTION:DISPLAY",
    "DESCRIPTION:Reminder", "TRIGGER:-PT10M", "END:VALARM", "END:VEVENT",
    "BEGIN:VEVENT", "UID:fair@example.com", "DTSTAMP:20240301T080000Z", "DTSTART;VALUE=DATE:20240510",
    "DTEND;VALUE=DATE:20240513", "SUMMARY:Book fair", "END:VEVENT",
    "BEGIN:VEVENT", "UID:call@example.com", "DTSTAMP:20240301T080000Z", "DTSTART:20240305T150000Z", "DURATION:PT1H30M",
    "SUMMARY:Call", "STATUS:CANCELLED", "END:VEVENT", "END:VCALENDAR", "",
])  # fmt: skip
