"""Claude exports: conversations, attachments, projects, and what is neither."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.capture import made

from palazzo.porting import conversations
from palazzo.porting.files import Entry, Unread

NOW = 1_800_000_000_000_000


def found_in(folder: Path, *messages: Any) -> list[Entry | Unread]:
    path = made.claude_zip(folder / "data.zip", [made.claude_conversation(messages)], [])
    return list(conversations.read_claude(path, NOW))


def test_turns_have_their_role_time_and_thread(tmp_path: Path) -> None:
    found = found_in(
        tmp_path, made.claude_message("m1", "human", "My dog is Rex."), made.claude_message("m2", "assistant", "Nice.")
    )
    first, second = (item for item in found if isinstance(item, Entry))
    assert (first.text, first.role, first.at_us) == ("My dog is Rex.", "user", 1_709_373_600_123_456)
    assert second.role == "assistant"
    assert first.thread == second.thread
    assert first.id == "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee/m1"


def test_blocks_that_nobody_said_are_left_out(tmp_path: Path) -> None:
    blocks = [
        {"type": "thinking", "thinking": "secret thoughts"},
        {"type": "tool_use", "name": "search", "input": {"q": "x"}},
        {"type": "tool_result", "content": [{"type": "text", "text": "raw"}]},
        {"type": "text", "text": "It rains."},
    ]
    only_tools = made.claude_message("m2", "assistant", "This block is not supported.", content=blocks[:3])
    found = found_in(tmp_path, made.claude_message("m1", "assistant", "old field", content=blocks), only_tools)
    assert [item.text for item in found if isinstance(item, Entry)] == ["It rains."]


def test_the_text_of_attachments_is_kept_and_files_without_text_are_named(tmp_path: Path) -> None:
    attachments = [
        {"file_name": "plan.txt", "file_size": 20, "file_type": "txt", "extracted_content": "Sow in March."},
        {"file_name": "photo.png", "file_size": 20, "file_type": "png", "extracted_content": ""},
    ]
    found = found_in(tmp_path, made.claude_message("m1", "human", "See the plan", attachments=attachments))
    assert [item.text for item in found if isinstance(item, Entry)] == ["See the plan", "plan.txt\n\nSow in March."]
    (unread,) = [item for item in found if isinstance(item, Unread)]
    assert "photo.png" in unread.reason


def test_projects_become_notes_and_users_nothing(tmp_path: Path) -> None:
    path = made.claude_zip(tmp_path / "data.zip", [])
    found = [item for item in conversations.read_claude(path, NOW) if isinstance(item, Entry)]
    assert [item.text for item in found] == [
        "Description of the project Greenhouse: Plants under glass.",
        "Instructions of the project Greenhouse: Answer as a gardener.",
        "Greenhouse, beds.txt\n\nBed one has tomatoes. Bed two has beans.",
    ]
    assert all(item.verbatim for item in found)
    assert [(item.kind, item.title) for item in found] == [
        ("summary", ""),
        ("summary", ""),
        ("", "Greenhouse/beds.txt"),
    ]


def test_what_is_no_message_is_named(tmp_path: Path) -> None:
    found = found_in(
        tmp_path, "text", made.claude_message("m2", "human", ""), made.claude_message("m3", "human", "Hi Bo")
    )
    assert [type(item) for item in found] == [Unread, Unread, Entry]
