"""Turns of a conversation as JSON lines: as `palazzo observe` is given them, and as agent clients write transcripts.

Owns both formats. A line of `observe` that cannot be read is an error that names it, and nothing of its batch is taken
in. A transcript has one object a line, with `message` (role and content) or role and content themselves; text blocks
are turns, tool traffic, thinking and side conversations are not; it is read from where reading stopped. Invariant: of a
transcript, a line that is not finished yet is left for the next time, and one that cannot be read is counted, never
fatal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from palazzo.errors import InvalidInput
from palazzo.model.message import Role
from palazzo.model.scope import Scope
from palazzo.surfaces.hooks.heard import STATES, todos_in

_TEXTS = ("content", "speaker", "addressee", "thread", "session")
_ROLES: tuple[str, ...] = Role.__args__  # type: ignore[attr-defined]
_KEY_OF_LEVEL = {"agent": "agent_id", "user": "user_id"}


def read_turns(lines: Iterable[str], batch: int) -> Iterator[dict[str, Any]]:
    """Arguments of `observe`, one for each run of turns of one talk, sitting and scope; empty lines are skipped.

    Raises: InvalidInput.
    """
    call: dict[str, Any] = {}
    turns: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        turn, about = _given(line, number)
        if turns and (about != call or len(turns) == batch):
            yield {"turns": turns, **call}
            turns = []
        call = about
        turns.append(turn)
    if turns:
        yield {"turns": turns, **call}


def _given(line: str, number: int) -> tuple[dict[str, Any], dict[str, str]]:
    """One turn, and what is said of the conversation it belongs to."""
    try:
        given: dict[str, Any] = msgspec.json.decode(line, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise InvalidInput(f"line {number} is no JSON object", field="line") from error
    if "text" in given:
        given["content"] = given.pop("text")
    unknown = set(given) - {*_TEXTS, "role", "at", "scope"}
    if unknown:
        raise InvalidInput(f"line {number}: unknown field {sorted(unknown)[0]!r}", field="line")
    faulty = [name for name in (*_TEXTS, "scope") if not isinstance(given.get(name, ""), str)]
    if "content" not in given or faulty:
        wrong = f"{faulty[0]} must be text" if faulty else "a turn has content"
        raise InvalidInput(
            f"line {number}: {wrong}", field="line", hint='such as {"role": "user", "content": "We sail on Sunday."}'
        )
    if given.get("role", "user") not in _ROLES:
        raise InvalidInput(f"line {number}: role is one of {', '.join(_ROLES)}", field="role")
    if given.get("at") is not None:
        given["at"] = _given_moment(given["at"], number)
    about = {name: given.pop(name) for name in ("thread", "session") if name in given}
    levels = Scope.parse(given.pop("scope", "")).levels
    return given, about | {_KEY_OF_LEVEL.get(level, level): value for level, value in levels}


def _given_moment(value: Any, number: int) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"line {number}: at is an RFC 3339 time", field="at") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


LONGEST_LINE: Final = 8 << 20
_SAID: Final = ("text", "input_text", "output_text")
_EXIT: Final = re.compile(r"[Ee]xit code:? (\d{1,3})")
_NUMBER: Final = re.compile(r"\bTask #(\d{1,6})\b")
_LISTING: Final = frozenset({"TodoWrite", "todowrite", "update_plan", "write_todos"})
"""Tools that write a list of work as a whole."""
_TAGGED: Final = re.compile(r"<([a-z_-]+)>.*</\1>\s*\Z", re.DOTALL)


class TranscriptStep(msgspec.Struct, frozen=True):
    """One line that was read: where the next one begins, and the turn in it, if there is one; None if unreadable.

    `calls` are the commands, files and tasks of tools that begin in it, by the id of the call; `ended` are calls that
    end in it, with whether they failed and the number of the task they made; `lists` are the lists of work in it.
    """

    end: int
    turn: dict[str, Any] | None
    readable: bool = True
    calls: tuple[tuple[str, str, str], ...] = ()
    ended: tuple[tuple[str, int | None, str], ...] = ()
    lists: tuple[list[dict[str, Any]], ...] = ()


def steps(path: Path, start: int) -> Iterator[TranscriptStep]:
    """The lines from a position on; from the beginning when the file has become shorter than that.

    Raises: OSError.
    """
    from palazzo.files import raw_files

    with raw_files.reading(path) as file:
        if start > path.stat().st_size:
            start = 0
        file.seek(start)
        end = start
        while line := file.readline(LONGEST_LINE):
            end += len(line)
            if not line.endswith(b"\n"):
                if len(line) < LONGEST_LINE:
                    return  # still being written
                while (rest := file.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                    end += len(rest)
                end += len(rest)
                yield TranscriptStep(end, None, readable=False)
                continue
            yield _step(line, end)


def _step(line: bytes, end: int) -> TranscriptStep:
    try:
        found = json.loads(line)
    except ValueError:
        return TranscriptStep(end, None, readable=not line.strip())
    if not isinstance(found, dict):
        return TranscriptStep(end, None)
    lists = () if found.get("isSidechain") else tuple(_lists(found))
    return TranscriptStep(end, _turn(found), calls=tuple(_calls(found)), ended=tuple(_ended(found)), lists=lists)


def last_list(path: Path) -> list[dict[str, Any]]:
    """The last list of work in a talk that a client keeps as one JSON file, as of now; none where it cannot be read.

    Raises: OSError.
    """
    from palazzo.files import raw_files

    said = _object(raw_files.content(path).decode(errors="replace")).get("messages")
    lists = [one for line in said if isinstance(line, dict) for one in _lists(line)] if isinstance(said, list) else []
    return [{**todo, "at": None} for todo in lists[-1]] if lists else []


def _lists(found: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """The lists of work that tools write in a line: of Claude Code, of Codex, and of Gemini CLI."""
    payload = found.get("payload")
    calls = [(block.get("name"), block.get("input")) for block in _blocks(found) if block.get("type") == "tool_use"]
    if isinstance(payload, dict) and payload.get("type") == "function_call":
        calls.append((payload.get("name"), payload.get("arguments")))
    for one in made if isinstance(made := found.get("toolCalls"), list) else ():
        calls += [(one.get("name"), one.get("args"))] if isinstance(one, dict) else []
    at = _moment(found.get("timestamp"))
    for name, told in calls:
        given = _object(told)
        todos = todos_in(given) if name in _LISTING else []
        if name == "TaskUpdate" and str(given.get("status")) in STATES:
            text = str(given.get("subject") or "")
            todos = [{"key": str(given.get("taskId")), "text": text, "state": STATES[given["status"]]}]
        if todos:
            yield [{**todo, "at": at} for todo in todos]


def _object(told: Any) -> dict[str, Any]:
    if isinstance(told, str):
        try:
            told = json.loads(told)
        except ValueError:
            return {}
    return told if isinstance(told, dict) else {}


def _blocks(found: dict[str, Any]) -> list[dict[str, Any]]:
    message = found.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _calls(found: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Id, sort (command, file or task) and words of the tools a line calls."""
    for block in _blocks(found):
        given = block.get("input")
        if block.get("type") == "tool_use" and isinstance(given, dict):
            if block.get("name") == "TaskCreate":
                yield str(block.get("id")), "task", str(given.get("subject") or "")
            for sort, names in (("command", ("command",)), ("file", ("file_path", "notebook_path"))):
                told = next((given[name] for name in names if isinstance(given.get(name), str)), "")
                if told:
                    yield str(block.get("id")), sort, told


def _ended(found: dict[str, Any]) -> Iterator[tuple[str, int | None, str]]:
    """Id and exit code of the tool calls that end in a line, 1 for one that failed and does not say how; and the number
    of a task."""
    for block in _blocks(found):
        if block.get("type") == "tool_result":
            said = str(block.get("content"))[:400]
            told, number = _EXIT.search(said), _NUMBER.search(said)
            failed = bool(block.get("is_error"))
            code = int(told[1]) if told else 1 if failed else 0
            yield str(block.get("tool_use_id")), code, number[1] if number and not failed else ""


def _turn(found: dict[str, Any]) -> dict[str, Any] | None:
    if found.get("type") == "response_item" and isinstance(found.get("payload"), dict):
        said = found["payload"]  # a rollout of Codex has each message inside a line of its own
        found = {"message": said, "timestamp": found.get("timestamp")} if said.get("type") == "message" else {}
    if found.get("isMeta") or found.get("isSidechain") or found.get("type") not in ("user", "assistant", None):
        return None
    message = found["message"] if isinstance(found.get("message"), dict) else found
    text, role = _text(message.get("content")), message.get("role")
    if role not in ("user", "assistant") or not text:
        return None
    if role == "user" and text.startswith("<") and _TAGGED.match(text):
        return None  # what a client told the model about itself, and no person said
    at = _moment(found.get("timestamp"))
    return {"content": text, "role": role, **({"at": at} if at else {})}


def _text(content: Any) -> str:
    blocks = [content] if isinstance(content, str) else content if isinstance(content, list) else []
    said = [
        block if isinstance(block, str) else block.get("text", "")
        for block in blocks
        if isinstance(block, str)
        or (isinstance(block, dict) and block.get("type") in ("text", "input_text", "output_text"))
    ]
    whole = "\n\n".join(part for part in said if isinstance(part, str)).strip()
    return "".join(sign for sign in whole if sign >= " " or sign in "\n\t").encode(errors="ignore").decode()


def _moment(value: Any) -> datetime | None:
    try:
        found = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    return found if found.tzinfo and found.year >= 1970 else None
