"""ChatGPT's data export: `conversations.json`, alone or in its zip (newer exports: `conversations-000.json` and so on).

A conversation is a tree: every edit and every regenerated answer is a branch. The branch that was shown last (from
`current_node` up to the root) is read first, then the turns of the other branches, in their order. Hidden system
messages, tool calls' code and model thoughts are no turns of anybody; images and audio are named, not read.
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
    clamped,
    clean,
    document,
    from_seconds,
    parsed,
    shown,
    text_of,
)

MEMBER = re.compile(r"(?:^|/)conversations(?:-\d+)?\.json$")
_ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "assistant", "tool": "tool", "system": "system"}
_UNSAID: Final = frozenset({
    "thoughts", "reasoning_recap", "user_editable_context", "model_editable_context", "system_error", "code",
})  # fmt: skip
"""Content nobody said to anybody: settings, inner monologue, calls of tools."""
_MEDIA: Final = {
    "image_asset_pointer": "image", "audio_asset_pointer": "audio", "real_time_user_audio_video_asset_pointer": "video",
    "video_container_asset_pointer": "video",
}  # fmt: skip


def read(path: Path, now_us: int, limits: Limits = Limits()) -> Items:
    """The turns of every conversation.

    Raises: InvalidInput.
    """
    if path.suffix.lower() == ".zip":
        with archive(path, limits) as opened:
            for name in sorted(name for name in opened.names if MEMBER.search(name)):
                yield from conversations(parsed(opened.read(name), name, limits), now_us, limits)
    else:
        yield from conversations(parsed(document(path, limits), path.name, limits), now_us, limits)


def conversations(found: Any, now_us: int, limits: Limits) -> Items:
    """The turns of a list of conversations, or of one."""
    listed = found if isinstance(found, list) else [found]
    for number, one in enumerate(listed):
        mapping = one.get("mapping") if isinstance(one, dict) else None
        if not isinstance(mapping, dict):
            yield Unread(f"conversation {number}", "no conversation: it has no messages", "export it again")
            continue
        yield from _conversation(one, mapping, number, (now_us, limits))


def _conversation(one: dict[str, Any], mapping: dict[str, Any], number: int, rules: tuple[int, Limits]) -> Items:
    now_us, limits = rules
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
        text, reason = said(message.get("content"))
        if hidden or role == "system" or (not text and not reason):
            continue
        if not text:
            yield Unread(entry_id, reason, "the export names the file, it does not describe it")
            continue
        if len(text.encode()) > limits.entry_bytes:
            yield Unread(entry_id, "longer than an entry may be", "keep it as a file")
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


def said(content: Any) -> tuple[str, str]:
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
