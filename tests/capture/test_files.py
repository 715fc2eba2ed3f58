"""Archives made to harm, and which format a file is."""

from __future__ import annotations

import json
import stat
import zipfile
from pathlib import Path

import pytest
from tests.capture import made

from palazzo.errors import InvalidInput
from palazzo.porting.detect import detect
from palazzo.porting.files import Limits, archive


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, data in members.items():
            opened.writestr(name, data)
    return path


@pytest.mark.parametrize(
    "name", ["../conversations.json", "a/../../b", "/etc/cron.d/x", "C:\\x", "..\\x", "\\\\host\\x"]
)
def test_a_name_that_leads_out_refuses_the_archive(tmp_path: Path, name: str) -> None:
    path = zipped(tmp_path / "a.zip", {name: b"[]"})
    with pytest.raises(InvalidInput, match="refused"), archive(path, Limits()):
        pass
    assert [p.name for p in tmp_path.iterdir()] == ["a.zip"]


def test_a_symbolic_link_refuses_the_archive(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as opened:
        info = zipfile.ZipInfo("conversations.json")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        opened.writestr(info, "/etc/passwd")
    with pytest.raises(InvalidInput, match="symbolic"), archive(path, Limits()):
        pass


def test_a_bomb_is_refused_by_what_it_unpacks_to_not_by_what_it_claims(tmp_path: Path) -> None:
    path = zipped(tmp_path / "bomb.zip", {"conversations.json": b"0" * (64 << 20)})
    with archive(path, Limits()) as opened, pytest.raises(InvalidInput, match="times its size"):
        opened.read("conversations.json")


def test_too_much_in_all_and_too_many_members_are_refused(tmp_path: Path) -> None:
    noise = bytes(range(256)) * 4096
    path = zipped(tmp_path / "a.zip", {f"{n}.json": noise for n in range(5)})
    limits = Limits(total_bytes=3 << 20)
    with archive(path, limits) as opened, pytest.raises(InvalidInput, match="more than is read"):
        [opened.read(name) for name in opened.names]
    with pytest.raises(InvalidInput, match="members"), archive(path, Limits(members=4)):
        pass


def test_a_damaged_member_is_an_error_with_a_code(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"conversations.json": bytes(range(256)) * 100})
    data = bytearray(path.read_bytes())
    data[60:90] = b"\xff" * 30
    path.write_bytes(bytes(data))
    with archive(path, Limits()) as opened, pytest.raises(InvalidInput, match="damaged"):
        opened.read("conversations.json")


def test_every_format_is_known_by_its_content(tmp_path: Path) -> None:
    one = made.chatgpt_conversation([made.chatgpt_node("a", None, "user", "Hi")], "a")
    (tmp_path / "chat.json").write_text(json.dumps([one]))
    (tmp_path / "claude.json").write_text(json.dumps([made.claude_conversation([])]))
    (tmp_path / "mem0.json").write_text(json.dumps({"results": [made.MEM0_MEMORY]}))
    made.memory_lines(
        tmp_path / "memory.jsonl", [{"type": "entity", "name": "A", "entityType": "x", "observations": []}]
    )
    (tmp_path / "cal.ics").write_text(made.CALENDAR)
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault/note.md").write_text("Words.")
    known = {
        "chat.json": "chatgpt", "claude.json": "claude", "mem0.json": "mem0", "memory.jsonl": "mcp-memory",
        "cal.ics": "icalendar", "vault": "notes", "vault/note.md": "notes",
        made.chatgpt_zip(tmp_path / "c.zip", [one]).name: "chatgpt",
        made.claude_zip(tmp_path / "d.zip", []).name: "claude",
        made.chromium(tmp_path / "History", []).name: "chromium",
        made.firefox(tmp_path / "places.sqlite", []).name: "firefox",
        made.mem0_history(tmp_path / "history.db", []).name: "mem0",
    }  # fmt: skip
    assert {name: detect(tmp_path / name) for name in known} == known


@pytest.mark.parametrize(
    "content", [b"", b"plain words", b"{}", b"[1, 2]", b"PK\x03\x04 no archive", b"\x80\x04pickle"]
)
def test_what_nobody_knows_is_an_error_that_lists_the_formats(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "thing.bin"
    path.write_bytes(content)
    with pytest.raises(InvalidInput) as caught:
        detect(path)
    assert caught.value.code == "invalid_input"
