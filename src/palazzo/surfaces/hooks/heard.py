"""What a client's hook says, in one form: Claude Code, Codex, Gemini CLI and OpenCode each have their own.

Owns the names of their events and fields, and to which project a folder belongs. Loads nothing that Python has not
loaded by itself (no typing, no pathlib, no hashlib): a client waits for it at every turn. Invariants: what a client
does not say is empty, never an error; two folders of one name are two projects, and every folder of a repository is
one.
"""

from __future__ import annotations

import os
from _blake2 import blake2b  # what hashlib gives out, without the library of ciphers that it loads first

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    Given = dict[str, Any]
else:
    Given = dict

EVENTS: Final = {
    "session-start": "SessionStart", "user-prompt-submit": "UserPromptSubmit", "pre-compact": "PreCompact",
    "stop": "Stop", "session-end": "SessionEnd",
}  # fmt: skip
"""Our events, and what Claude Code calls them."""
CLIENTS: Final[dict[str, dict[str, str]]] = {
    "claude-code": EVENTS,
    "codex": EVENTS,
    "gemini": {
        **EVENTS, "user-prompt-submit": "BeforeAgent", "pre-compact": "PreCompress", "stop": "AfterAgent",
    },
    "opencode": {
        "session-start": "session.created", "user-prompt-submit": "chat.message",
        "pre-compact": "experimental.session.compacting", "stop": "session.idle", "session-end": "session.deleted",
    },
}  # fmt: skip
"""What each client calls our events."""
CONTEXT_CHARS: Final = 10_000
"""Clients show what is longer as a preview, or not at all."""
STATES: Final = {
    "pending": "open", "in_progress": "open", "blocked": "open", "completed": "done", "cancelled": "cancelled",
    "deleted": "cancelled",
}  # fmt: skip
"""What clients say of an entry of their lists, and what that is here."""
SOURCES: Final = frozenset({"startup", "resume", "clear", "compact"})


class HookEvent:
    """One event, in our words."""

    __slots__ = (
        "client", "cwd", "event", "project", "prompt", "reason", "session", "source", "todos", "transcript", "turns",
    )  # fmt: skip

    def __init__(self, event: str, client: str, given: Given) -> None:
        self.event, self.client = event, client
        self.session = _text(given, "session_id", "sessionID", "thread-id", "conversation_id")
        self.cwd = _text(given, "cwd", "directory", "workspace")
        self.project = project_of(self.cwd)
        source = _text(given, "source", "trigger")
        self.source = source if source in SOURCES else "startup"
        self.prompt = _text(given, "prompt")
        self.transcript = _text(given, "transcript_path")
        self.reason = _text(given, "reason", "trigger")
        self.turns = _turns(given)
        """Turns that the event itself carries, where a client has no transcript to read."""
        self.todos = todos_in(given)
        """The client's own list of work, where the event itself carries it."""

    @property
    def scope(self) -> Given:
        """Whose memory it is: that of the project, and above it what belongs to everybody."""
        return {"project": self.project} if self.project else {}

    @property
    def thread(self) -> str:
        """The work that goes on in a project, whichever client is at it."""
        return self.project or "work"


def _text(given: Given, *names: str) -> str:
    return next((value for name in names if isinstance(value := given.get(name), str) and value), "")


def _turns(given: Given) -> tuple[Given, ...]:
    """What was said, where the event says so: a list of messages, or a prompt and its answer."""
    listed = given.get("messages")
    if isinstance(listed, list):
        return tuple(
            {"role": one["role"], "content": one["content"]}
            for one in listed
            if isinstance(one, dict) and one.get("role") in ("user", "assistant")
            and isinstance(one.get("content"), str) and one["content"].strip()
        )  # fmt: skip
    answer = _text(given, "prompt_response", "last_assistant_message", "last-assistant-message")
    asked = _text(given, "prompt")
    said = given.get("input-messages")
    if isinstance(said, list):
        asked = "\n\n".join(one for one in said if isinstance(one, str))
    if not answer:
        return ()
    told = [{"role": "user", "content": asked}] if asked.strip() else []
    return (*told, {"role": "assistant", "content": answer})


def todos_in(given: Given) -> list[Given]:
    """A client's own list of work as it wrote it: `todos`, or the `plan` of Codex; empty where there is none."""
    listed = given.get("todos") or given.get("plan")
    return [
        {"text": text, "state": STATES[one["status"]]}
        for one in (listed if isinstance(listed, list) else ())
        if isinstance(one, dict) and str(one.get("status")) in STATES
        and (text := _text(one, "content", "description", "step").strip())
    ]  # fmt: skip


def project_of(cwd: str) -> str:
    """The project of a folder: the repository it lies in, else itself; its name with a mark of its path."""
    if not cwd:
        return ""
    root = folder = os.path.normpath(cwd)
    while not os.path.exists(os.path.join(root, ".git")):
        above = os.path.dirname(root)
        if above == root:
            root = folder
            break
        root = above
    mark = blake2b(root.encode(errors="surrogateescape"), digest_size=3).hexdigest()
    name = "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in os.path.basename(root)) or "root"
    return f"{name}-{mark}"


def answered(one: HookEvent, text: str) -> Given:
    """What a client expects back: a text for the model, cut to what it takes."""
    if not text.strip():
        return {}
    told = text if len(text) <= CONTEXT_CHARS else text[: CONTEXT_CHARS - 2] + "…\n"
    return {"hookSpecificOutput": {"hookEventName": CLIENTS[one.client][one.event], "additionalContext": told}}
