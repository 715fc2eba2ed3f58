"""Exported conversations: those of ChatGPT and of Claude, as a zip or as one of the files in it.

ChatGPT's is a tree: every edit and every regenerated answer is a branch. The branch that was shown last (from
`current_node` up to the root) is read first, then the turns of the other branches, in their order. Hidden system
messages, tool calls' code and model thoughts are no turns of anybody; images and audio are named, not read. Claude's
messages have content blocks and, in older exports, only `text`; the text of attached files comes as
`extracted_content`. Its projects have instructions and documents: they are kept as notes, for an imported instruction
is data. `memories.json`, where there is one, holds what was remembered between conversations.
Invariant: every message with text becomes an entry once, or is named with the reason why not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from palazzo.model.message import Role
from palazzo.porting.files import (
    Entry,
    Items,
    Limits,
    Unread,
    archive,
    bounded,
    clamped,
    clean,
    document,
    from_iso,
    from_seconds,
    parsed,
    shown,
    text_of,
)

_CHATGPT = re.compile(r"(?:^|/)conversations(?:-\d+)?\.json$")
_CLAUDE = re.compile(r"(?:^|/)(conversations|projects|memories)(?:-\d+)?\.json$|(?:^|/)(projects)/[^/]+\.json$")
_ROLES: Final[Mapping[str, Role]] = {
    "user": "user", "human": "user", "assistant": "assistant", "tool": "tool", "system": "system",
}  # fmt: skip
_UNSAID: Final = frozenset({
    "thoughts", "reasoning_recap", "user_editable_context", "model_editable_context", "system_error", "code",
})  # fmt: skip
"""Content nobody said to anybody: settings, inner monologue, calls of tools."""
_MEDIA: Final = {
    "image_asset_pointer": "image", "audio_asset_pointer": "audio", "real_time_user_audio_video_asset_pointer": "video",
    "video_container_asset_pointer": "video",
}  # fmt: skip


def is_member(name: str) -> bool:
    """Whether a file of this name in a zip may hold conversations."""
    return _CHATGPT.search(name) is not None or _CLAUDE.search(name) is not None


def _documents(path: Path, member: re.Pattern[str], limits: Limits) -> Iterator[Any]:
    """The JSON of an export: of the members of its zip that count, else of the file itself."""
    if path.suffix.lower() == ".zip":
        with archive(path, limits) as opened:
            for name in sorted(name for name in opened.names if member.search(name)):
                yield parsed(opened.read(name), name, limits)
    else:
        yield parsed(document(path, limits), path.name, limits)


def read_chatgpt(path: Path, now_us: int, limits: Limits = Limits()) -> Items:
    """The turns of every conversation of ChatGPT.

    Raises: InvalidInput.
    """
    for found in _documents(path, _CHATGPT, limits):
        yield from bounded(_trees(found, now_us), limits, "keep it as a file")


def _trees(found: Any, now_us: int) -> Items:
    """The turns of a list of conversations, or of one."""
    listed = found if isinstance(found, list) else [found]
    for number, one in enumerate(listed):
        mapping = one.get("mapping") if isinstance(one, dict) else None
        if not isinstance(mapping, dict):
            yield Unread(f"conversation {number}", "no conversation: it has no messages", "export it again")
            continue
        yield from _tree(one, mapping, number, now_us)


def _tree(one: dict[str, Any], mapping: dict[str, Any], number: int, now_us: int) -> Items:
    own = shown(one.get("conversation_id") or one.get("id") or f"conversation-{number}", 80)
    title = shown(one.get("title") or "", 80)
    began = from_seconds(one.get("create_time"))
    last = began
    for node_id in _order(mapping, one.get("current_node")):
        node = mapping[node_id]
        message = node.get("message") if isinstance(node, dict) else None
        if not isinstance(message, dict):
            continue
        author = message.get("author")
        role = _ROLES.get(str(author.get("role")) if isinstance(author, dict) else "", "other")
        meta = message.get("metadata")
        hidden = isinstance(meta, dict) and meta.get("is_visually_hidden_from_conversation") is True
        entry_id = f"{own}/{shown(message.get('id') or node_id, 80)}"
        text, reason = said_in_tree(message.get("content"))
        if hidden or role == "system" or (not text and not reason):
            continue
        if not text:
            yield Unread(entry_id, reason, "the export names the file, it does not describe it")
            continue
        last = from_seconds(message.get("create_time")) or last
        yield Entry(
            id=entry_id, text=text, at_us=clamped(last, now_us), manner="observe", role=role,
            thread=f"import chatgpt {title} {own[:8]}".replace("  ", " "),
        )  # fmt: skip


def _order(mapping: Mapping[str, Any], current: Any) -> Iterator[str]:
    """The shown branch from its root, then every other message, oldest first."""
    branch: list[str] = []
    seen: set[str] = set()
    here = current
    while isinstance(here, str) and here in mapping and here not in seen:
        seen.add(here)
        branch.append(here)
        node = mapping[here]
        here = node.get("parent") if isinstance(node, dict) else None
    yield from reversed(branch)
    rest = [key for key in mapping if key not in seen]
    yield from sorted(rest, key=lambda key: _when(mapping[key]))


def _when(node: Any) -> int:
    message = node.get("message") if isinstance(node, dict) else None
    return (from_seconds(message.get("create_time")) if isinstance(message, dict) else None) or 0


def said_in_tree(content: Any) -> tuple[str, str]:
    """What a message's content says, else why it says nothing that can be kept."""
    if not isinstance(content, dict) or content.get("content_type") in _UNSAID:
        return "", ""
    parts = content.get("parts")
    if not isinstance(parts, list):
        # Results of tools and quotes of pages carry their text in one field.
        return text_of(content.get("text") or content.get("result")), ""
    texts, media = [], []
    for part in parts:
        if isinstance(part, str):
            texts.append(clean(part))
        elif isinstance(part, dict):
            kind = str(part.get("content_type") or "")
            texts.append(text_of(part.get("text")))  # spoken turns: the transcription
            if kind in _MEDIA and not texts[-1]:
                media.append(_MEDIA[kind])
    text = "\n\n".join(filter(None, texts))
    if text:
        return text, ""
    return "", f"only {media[0]}, which has no text" if media else ""


def read_claude(path: Path, now_us: int, limits: Limits = Limits()) -> Items:
    """The turns of every conversation of Claude, and the notes of every project.

    Raises: InvalidInput.
    """
    for found in _documents(path, _CLAUDE, limits):
        yield from bounded(_items(found, now_us), limits, "keep it as a file")


def _items(found: Any, now_us: int) -> Items:
    """What a document of the export holds; conversations, projects and memories are told apart by their fields."""
    for number, one in enumerate(found if isinstance(found, list) else [found]):
        if not isinstance(one, dict):
            yield Unread(f"entry {number}", "neither a conversation nor a project", "export it again")
        elif isinstance(one.get("chat_messages"), list):
            yield from _conversation(one, number, now_us)
        elif "docs" in one or "prompt_template" in one:
            yield from _project(one, number, now_us)
        elif "conversations_memory" in one or "project_memories" in one:
            yield from _memories(one, now_us)
        elif "email_address" not in one:  # users.json has nothing to remember
            yield Unread(f"entry {number}", "neither a conversation nor a project", "export it again")


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
