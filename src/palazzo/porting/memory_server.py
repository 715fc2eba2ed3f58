"""The MCP memory server's `memory.jsonl`: one JSON object a line, an entity with observations or a relation.

Every observation becomes a statement about its entity, every relation one about two; the entities and relations are
kept as such beside the text. The file carries no times, so the import's moment stands. Lines may also hold `data`
inside (older versions), and a relation may name an entity that has none.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from palazzo.errors import InvalidInput
from palazzo.model.graph import ENTITY_KINDS, EntityKind, MentionDraft, RelationDraft
from palazzo.porting.files import Entry, Items, Limits, Unread, document, parsed, shown, text_of

_KINDS: Final[dict[str, EntityKind]] = {
    "human": "person", "user": "person", "people": "person", "company": "organization", "organisation": "organization",
    "team": "organization", "place": "location", "city": "location", "tool": "technology", "library": "technology",
    "language": "technology", "product": "service", "app": "service", "repository": "project",
}  # fmt: skip
_WORDS = re.compile(r"[\s_-]+")


def read(path: Path, now_us: int, limits: Limits = Limits()) -> Items:  # noqa: ARG001 - readers share one signature
    """A statement for each observation and relation.

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
            yield _relation(found, where, kinds)
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


def _relation(found: dict[str, Any], where: str, kinds: dict[str, EntityKind]) -> Entry | Unread:
    ends = [shown(found.get(end) or "", 120) for end in ("from", "to")]
    verb = _words(found.get("relationType") or "")
    if not all(ends) or not verb:
        return Unread(where, "a relation wants from, to and relationType", "")
    text = f"{ends[0].replace('_', ' ')} {verb} {ends[1].replace('_', ' ')}."
    return Entry(
        id=f"{ends[0]} {verb} {ends[1]}", text=text, verbatim=True,
        mentions=tuple(MentionDraft(end, kinds.get(end, "other"), end) for end in ends),
        relations=(RelationDraft(ends[0], verb, ends[1], 0.5),),
    )  # fmt: skip


def entity_kind(told: Any) -> EntityKind:
    """The entity's kind in our words; `other` when it has none of ours."""
    word = _WORDS.sub(" ", shown(told or "", 40)).strip().lower()
    known: dict[str, EntityKind] = {kind: kind for kind in ENTITY_KINDS}
    return known.get(word) or _KINDS.get(word, "other")


def _words(value: Any) -> str:
    return _WORDS.sub(" ", shown(value, 80)).strip().lower()


def _key(text: str) -> str:
    return blake2b(text.encode(), digest_size=6).hexdigest()
