"""What other memories export: mem0 and the MCP memory server.

mem0: what `get_all` returns (a list, or an object with `results` and `relations`), and its `history.db`, of which only
the newest text of each memory is taken, and none that was deleted. The first of user, agent and run that a memory names
is its scope, as in mem0's own searches; the others stay beside it as metadata. Whoever imports into a scope of their
own chooses that instead. The vectors of its stores are not read: Qdrant's local files are pickles, which run code when
they are opened. The memory server's `memory.jsonl` has one JSON object a line: every observation becomes a statement
about its entity, every relation one about two; the entities and relations are kept as such beside the text. It carries
no times, so the import's moment stands, and a relation may name an entity that has no line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from palazzo.errors import InvalidInput
from palazzo.files import sqlite_files
from palazzo.model.graph import ENTITY_KINDS, EntityKind, MentionDraft, RelationDraft
from palazzo.porting.files import (
    Entry,
    Items,
    Limits,
    Unread,
    bounded,
    clamped,
    document,
    from_iso,
    from_seconds,
    parsed,
    shown,
    size_of,
    text_of,
)

_KINDS: Final[dict[str, EntityKind]] = {
    "human": "person", "user": "person", "people": "person", "company": "organization", "organisation": "organization",
    "team": "organization", "place": "location", "city": "location", "tool": "technology", "library": "technology",
    "language": "technology", "product": "service", "app": "service", "repository": "project",
}  # fmt: skip
_WORDS = re.compile(r"[\s_-]+")
_LEVELS: Final = {"user_id": "user", "agent_id": "agent", "run_id": "channel"}


def read_mem0(path: Path, now_us: int, limits: Limits = Limits()) -> Items:
    """The memories of an export of mem0.

    Raises: InvalidInput.
    """
    size_of(path, limits)
    if sqlite_files.is_sqlite(path):
        yield from bounded(_history(path, now_us), limits, "split it")
        return
    found = parsed(document(path, limits), path.name, limits)
    listed: Any = found
    relations: list[Any] = []
    if isinstance(found, dict):
        listed = next((found[k] for k in ("results", "memories", "data") if isinstance(found.get(k), list)), [])
        relations = found["relations"] if isinstance(found.get("relations"), list) else []
    memories = (_memory(one, number, now_us) for number, one in enumerate(listed if isinstance(listed, list) else []))
    yield from bounded(memories, limits, "split it")
    for number, one in enumerate(relations):
        yield _relation(one, number)


def _memory(one: Any, number: int, now_us: int) -> Entry | Unread:
    if not isinstance(one, dict):
        return Unread(f"memory {number}", "no memory", "")
    payload = one.get("payload")
    payload = payload if isinstance(payload, dict) else {}  # a point of a vector store, as Qdrant's API gives it
    entry_id = shown(one.get("id") or f"memory-{number}", 80)
    text = text_of(one.get("memory") or one.get("text") or payload.get("data"))
    if not text:
        return Unread(entry_id, "a memory without text", "")
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
    return _stated(ends, verb, {}) or Unread(where, "a relation wants source, relationship and target", "")


def _stated(ends: Sequence[str], verb: str, kinds: Mapping[str, EntityKind]) -> Entry | None:
    """A relation as a sentence; None where one of its three parts is missing."""
    if not all(ends) or not verb:
        return None
    return Entry(
        id=f"{ends[0]} {verb} {ends[1]}", text=f"{ends[0]} {verb} {ends[1]}.".replace("_", " "), verbatim=True,
        mentions=tuple(MentionDraft(end, kinds.get(end, "other"), end) for end in ends),
        relations=(RelationDraft(ends[0], verb, ends[1], 0.5),),
    )  # fmt: skip


def _history(path: Path, now_us: int) -> Items:
    for memory_id, text, at in sqlite_files.mem0_history(path):
        entry_id = shown(memory_id, 80)
        said = text_of(text)
        if not said:
            yield Unread(entry_id, "a memory without text", "")
        else:
            yield Entry(id=entry_id, text=said, at_us=clamped(from_iso(at), now_us), verbatim=True)


def read_memory_server(path: Path, now_us: int, limits: Limits = Limits()) -> Items:  # noqa: ARG001 - readers share one signature
    """A statement for each observation and relation of a memory server.

    Raises: InvalidInput.
    """
    kinds: dict[str, EntityKind] = {}
    for number, line in enumerate(document(path, limits).split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"line {number}"
        if len(line) > limits.entry_bytes:
            yield Unread(where, "longer than an entry may be", "split its observations")
            continue
        try:
            found = parsed(line, where, limits)
        except InvalidInput as error:
            yield Unread(where, error.message, "each line is one JSON object")
            continue
        if isinstance(found, dict) and found.get("type") == "entity":
            yield from _entity(found, where, kinds)
        elif isinstance(found, dict) and found.get("type") == "relation":
            yield _line(found, where, kinds)
        else:
            yield Unread(where, "neither an entity nor a relation", "")


def _entity(found: dict[str, Any], where: str, kinds: dict[str, EntityKind]) -> Items:
    name = shown(found.get("name") or "", 120)
    if not name:
        yield Unread(where, "an entity without a name", "")
        return
    kind = kinds[name] = entity_kind(found.get("entityType"))
    observations = found.get("observations")
    listed = observations if isinstance(observations, list) else []
    for number, observation in enumerate(listed):
        text = text_of(observation)
        if not text:
            yield Unread(f"{where}, observation {number + 1}", "no text", "")
            continue
        said = text if name.lower().replace("_", " ") in text.lower() else f"{name.replace('_', ' ')}: {text}"
        yield Entry(
            id=f"{name}/{_key(text)}", text=said, verbatim=True, mentions=(MentionDraft(name, kind, name),),
        )  # fmt: skip
    if not listed:
        yield Entry(
            id=f"{name}/", text=f"{name.replace('_', ' ')} is a {_words(found.get('entityType') or 'thing')}.",
            verbatim=True, mentions=(MentionDraft(name, kind, name),),
        )  # fmt: skip


def _line(found: dict[str, Any], where: str, kinds: dict[str, EntityKind]) -> Entry | Unread:
    ends = [shown(found.get(end) or "", 120) for end in ("from", "to")]
    verb = _words(found.get("relationType") or "")
    return _stated(ends, verb, kinds) or Unread(where, "a relation wants from, to and relationType", "")


def entity_kind(told: Any) -> EntityKind:
    """The entity's kind in our words; `other` when it has none of ours."""
    word = _WORDS.sub(" ", shown(told or "", 40)).strip().lower()
    known: dict[str, EntityKind] = {kind: kind for kind in ENTITY_KINDS}
    return known.get(word) or _KINDS.get(word, "other")


def _words(value: Any) -> str:
    return _WORDS.sub(" ", shown(value, 80)).strip().lower()


def _key(text: str) -> str:
    return blake2b(text.encode(), digest_size=6).hexdigest()
