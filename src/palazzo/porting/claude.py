"""Claude's data export: a zip with `conversations.json`, `projects.json` and `users.json`, or one of these files.

A message has content blocks (text, tool calls, tool results, thinking) and, in older exports, only `text`; the text of
attached files comes as `extracted_content`. A project has instructions and documents: they are kept as notes, for an
imported instruction is data. `memories.json`, where there is one, holds what was remembered between conversations.
Invariant: every message with text becomes an entry once, or is named with the reason why not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from palazzo.model.message import Role
from palazzo.porting.files import (
    Entry,
    Items,
    Limits,
    Unread,
    archive,
    clamped,
    document,
    from_iso,
    parsed,
    shown,
    text_of,
)

MEMBER = re.compile(r"(?:^|/)(conversations|projects|memories)(?:-\d+)?\.json$|(?:^|/)(projects)/[^/]+\.json$")
_ROLES: Final[dict[str, Role]] = {"human": "user", "user": "user", "assistant": "assistant", "system": "system"}


def read(path: Path, now_us: int, limits: Limits = Limits()) -> Items:
    """The turns of every conversation, and the notes of every project.

    Raises: InvalidInput.
    """
    if path.suffix.lower() == ".zip":
        with archive(path, limits) as opened:
            for name in sorted(name for name in opened.names if MEMBER.search(name)):
                yield from items(parsed(opened.read(name), name, limits), now_us, limits)
    else:
        yield from items(parsed(document(path, limits), path.name, limits), now_us, limits)


def items(found: Any, now_us: int, limits: Limits) -> Items:
    """What a document of the export holds; conversations, projects and memories are told apart by their fields."""
    for number, one in enumerate(found if isinstance(found, list) else [found]):
        if not isinstance(one, dict):
            yield Unread(f"entry {number}", "neither a conversation nor a project", "export it again")
        elif isinstance(one.get("chat_messages"), list):
            made = _conversation(one, number, now_us)
            yield from _bounded(made, limits)
        elif "docs" in one or "prompt_template" in one:
            yield from _bounded(_project(one, number, now_us), limits)
        elif "conversations_memory" in one or "project_memories" in one:
            yield from _bounded(_memories(one, now_us), limits)
        elif "email_address" not in one:  # users.json has nothing to remember
            yield Unread(f"entry {number}", "neither a conversation nor a project", "export it again")


def _bounded(made: Iterator[Entry | Unread], limits: Limits) -> Items:
    for item in made:
        if isinstance(item, Entry) and len(item.text.encode()) > limits.entry_bytes:
            yield Unread(item.id, "longer than an entry may be", "keep it as a file")
        else:
            yield item


def _conversation(one: dict[str, Any], number: int, now_us: int) -> Items:
    own = shown(one.get("uuid") or f"conversation-{number}", 80)
    thread = f"import claude {shown(one.get('name') or '', 80)} {own[:8]}".replace("  ", " ")
    last = from_iso(one.get("created_at"))
    for position, message in enumerate(one["chat_messages"]):
        if not isinstance(message, dict):
            yield Unread(f"{own}/{position}", "no message", "export it again")
            continue
        entry_id = f"{own}/{shown(message.get('uuid') or position, 80)}"
        role = _ROLES.get(str(message.get("sender")), "other")
        last = from_iso(message.get("created_at")) or last
        at_us = clamped(last, now_us)
        text = said(message)
        if text:
            yield Entry(id=entry_id, text=text, at_us=at_us, manner="observe", role=role, thread=thread)
        attached = [a for a in message.get("attachments") or () if isinstance(a, dict)]
        for place, file in enumerate(attached):
            content = text_of(file.get("extracted_content"))
            name = shown(file.get("file_name") or f"attachment {place + 1}", 80)
            if content:
                yield Entry(
                    id=f"{entry_id}/attachment-{place}", text=f"{name}\n\n{content}", at_us=at_us, manner="observe",
                    role="other", speaker=name, thread=thread, verbatim=True,
                )  # fmt: skip
            else:
                yield Unread(f"{entry_id}/attachment-{place}", f"the file {name} has no text", "keep it as a file")
        if not text and not attached and role == "user":
            yield Unread(entry_id, "a message without text", "")


def said(message: dict[str, Any]) -> str:
    """The text of a message: of its text blocks, else of its one field."""
    blocks = message.get("content")
    if isinstance(blocks, list) and blocks:
        texts = [text_of(b.get("text")) for b in blocks if isinstance(b, dict) and b.get("type") in ("text", None)]
        text = "\n\n".join(filter(None, texts))
        if text:
            return text
        if any(isinstance(b, dict) and b.get("type") not in ("text", None) for b in blocks):
            return ""  # thoughts and calls of tools alone: older fields repeat them as "not supported"
    return text_of(message.get("text"))


def _project(one: dict[str, Any], number: int, now_us: int) -> Items:
    own = shown(one.get("uuid") or f"project-{number}", 80)
    title = shown(one.get("name") or "project", 80)
    at_us = clamped(from_iso(one.get("updated_at")) or from_iso(one.get("created_at")), now_us)
    for field, label in (("description", "Description"), ("prompt_template", "Instructions")):
        text = text_of(one.get(field))
        if text:
            yield Entry(
                id=f"{own}/{field}", text=f"{label} of the project {title}: {text}", at_us=at_us, kind="summary",
                verbatim=True,
            )  # fmt: skip
    for place, doc in enumerate(one.get("docs") or ()):
        content = text_of(doc.get("content")) if isinstance(doc, dict) else ""
        if content:
            name = shown(doc.get("filename") or f"document {place + 1}", 80)
            yield Entry(
                id=f"{own}/{shown(doc.get('uuid') or place, 80)}", text=f"{title}, {name}\n\n{content}",
                title=f"{title}/{name}", at_us=clamped(from_iso(doc.get("created_at")), now_us) or at_us, verbatim=True,
            )  # fmt: skip
        else:
            yield Unread(f"{own}/doc-{place}", "a document without text", "")


def _memories(one: dict[str, Any], now_us: int) -> Items:
    own = shown(one.get("account_uuid") or "memories", 80)
    found: dict[str, Any] = {"conversations": one.get("conversations_memory")}
    projects = one.get("project_memories")
    found.update(projects if isinstance(projects, dict) else {})
    for name, value in found.items():
        text = text_of(value)
        if text:
            yield Entry(id=f"{own}/memory/{shown(name, 80)}", text=text, at_us=now_us, kind="summary", verbatim=True)
