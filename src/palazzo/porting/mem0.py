"""mem0: what `get_all` returns (a list, or an object with `results` and `relations`), and its `history.db`.

Of a history only the newest text of each memory is taken, and none that was deleted. The first of user, agent and run
that a memory names is its scope, as in mem0's own searches; the others stay beside it as metadata. Whoever imports into
a scope of their own chooses that instead. The vectors of its stores are
not read: Qdrant's local files are pickles, which run code when they are opened.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from palazzo.files import sqlite_files
from palazzo.model.graph import MentionDraft, RelationDraft
from palazzo.porting.files import (
    Entry,
    Items,
    Limits,
    Unread,
    clamped,
    document,
    from_iso,
    from_seconds,
    parsed,
    shown,
    size_of,
    text_of,
)

_LEVELS = {"user_id": "user", "agent_id": "agent", "run_id": "channel"}


def read(path: Path, now_us: int, limits: Limits = Limits()) -> Items:
    """The memories of an export.

    Raises: InvalidInput.
    """
    size_of(path, limits)
    if sqlite_files.is_sqlite(path):
        yield from _history(path, now_us, limits)
        return
    found = parsed(document(path, limits), path.name, limits)
    listed: Any = found
    relations: list[Any] = []
    if isinstance(found, dict):
        listed = next((found[k] for k in ("results", "memories", "data") if isinstance(found.get(k), list)), [])
        relations = found["relations"] if isinstance(found.get("relations"), list) else []
    for number, one in enumerate(listed if isinstance(listed, list) else []):
        yield _memory(one, number, now_us, limits)
    for number, one in enumerate(relations):
        yield _relation(one, number)


def _memory(one: Any, number: int, now_us: int, limits: Limits) -> Entry | Unread:
    if not isinstance(one, dict):
        return Unread(f"memory {number}", "no memory", "")
    payload = one.get("payload")
    payload = payload if isinstance(payload, dict) else {}  # a point of a vector store, as Qdrant's API gives it
    entry_id = shown(one.get("id") or f"memory-{number}", 80)
    text = text_of(one.get("memory") or one.get("text") or payload.get("data"))
    if not text:
        return Unread(entry_id, "a memory without text", "")
    if len(text.encode()) > limits.entry_bytes:
        return Unread(entry_id, "longer than an entry may be", "split it")
    told = next(
        (
            us
            for field in ("updated_at", "created_at")
            for value in (one.get(field), payload.get(field))
            if (us := from_iso(value) or from_seconds(value)) is not None
        ),
        None,
    )
    beside = one.get("metadata")
    kept = dict(beside) if isinstance(beside, dict) else {}
    ids = {key: found for key in _LEVELS if (found := shown(one.get(key) or payload.get(key) or "", 120))}
    owner = next(iter(ids), "")
    kept |= {key: value for key, value in ids.items() if key != owner}
    return Entry(
        id=entry_id, text=text, at_us=clamped(told, now_us), verbatim=True, metadata=kept or None,
        owner=((_LEVELS[owner], ids[owner]),) if owner else (),
    )  # fmt: skip


def _relation(one: Any, number: int) -> Entry | Unread:
    where = f"relation {number}"
    if not isinstance(one, dict):
        return Unread(where, "no relation", "")
    ends = [shown(one.get(a) or one.get(b) or "", 120) for a, b in (("source", "from"), ("target", "destination"))]
    verb = shown(one.get("relationship") or one.get("relation") or "", 80).replace("_", " ").lower()
    if not all(ends) or not verb:
        return Unread(where, "a relation wants source, relationship and target", "")
    return Entry(
        id=f"{ends[0]} {verb} {ends[1]}", text=f"{ends[0]} {verb} {ends[1]}.".replace("_", " "), verbatim=True,
        mentions=tuple(MentionDraft(end, "other", end) for end in ends),
        relations=(RelationDraft(ends[0], verb, ends[1], 0.5),),
    )  # fmt: skip


def _history(path: Path, now_us: int, limits: Limits) -> Items:
    for memory_id, text, at in sqlite_files.mem0_history(path):
        entry_id = shown(memory_id, 80)
        said = text_of(text)
        if not said:
            yield Unread(entry_id, "a memory without text", "")
        elif len(said.encode()) > limits.entry_bytes:
            yield Unread(entry_id, "longer than an entry may be", "split it")
        else:
            yield Entry(id=entry_id, text=said, at_us=clamped(from_iso(at), now_us), verbatim=True)
