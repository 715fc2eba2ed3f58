"""Anthropic's memory tool over a palace: answers as the package's own file tool gives them, history, no escape."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palazzo import Memory
from palazzo.surfaces.compat.anthropic_memory import MemoryTool, _pieces, sdk_tool

PLAN = "# Plan\n\n- ship on Tuesday\n- tell Mona\n"


def _command(name: str, path: str = "", **more: Any) -> dict[str, Any]:
    return {"command": name, **({"path": path} if path else {}), **more}


COMMANDS = [
    _command("view", "/memories"),
    _command("create", "/memories/plan.md", file_text=PLAN),
    _command("create", "/memories/plan.md", file_text="again"),
    _command("create", "/memories/people/mona.txt", file_text="Mona answers after nine."),
    _command("create", "/memories/people/deep/er/file.txt", file_text="deep\n"),
    _command("create", "/memories/empty.txt", file_text=""),
    _command("create", "/memories/.hidden", file_text="not listed\n"),
    _command("view", "/memories"),
    _command("view", "/memories/people"),
    _command("view", "/memories/plan.md"),
    _command("view", "/memories/empty.txt"),
    _command("view", "/memories/plan.md", view_range=[2, 3]),
    _command("view", "/memories/plan.md", view_range=[3, -1]),
    _command("view", "/memories/nothing.md"),
    _command("str_replace", "/memories/plan.md", old_str="Tuesday", new_str="Wednesday"),
    _command("str_replace", "/memories/plan.md", old_str="never there", new_str="x"),
    _command("str_replace", "/memories/plan.md", old_str="- ", new_str="* "),
    _command("str_replace", "/memories/people", old_str="a", new_str="b"),
    _command("str_replace", "/memories/plan.md", old_str="- tell Mona\n", new_str=""),
    _command("insert", "/memories/plan.md", insert_line=2, insert_text="- write the notes\n"),
    _command("insert", "/memories/plan.md", insert_line=0, insert_text="first"),
    _command("insert", "/memories/plan.md", insert_line=99, insert_text="x"),
    _command("insert", "/memories/nothing.md", insert_line=0, insert_text="x"),
    _command("view", "/memories/plan.md"),
    {"command": "rename", "old_path": "/memories/plan.md", "new_path": "/memories/old/plan.md"},
    {"command": "rename", "old_path": "/memories/plan.md", "new_path": "/memories/x.md"},
    {"command": "rename", "old_path": "/memories/empty.txt", "new_path": "/memories/old/plan.md"},
    {"command": "rename", "old_path": "/memories/people", "new_path": "/memories/folk"},
    {"command": "rename", "old_path": "/memories", "new_path": "/memories/x"},
    _command("create", "/memories/plan.md", file_text="A new plan.\n"),
    _command("view", "/memories/plan.md"),
    _command("view", "/memories"),
    _command("delete", "/memories/folk"),
    _command("delete", "/memories/folk"),
    _command("delete", "/memories"),
    _command("delete", "/memories/plan.md"),
    _command("create", "/memories/plan.md", file_text="A new plan.\n"),
    _command("view", "/memories/plan.md"),
    _command("view", "/elsewhere"),
    _command("view", "/memories/../../etc/passwd"),
    _command("delete", "/memories/../x"),
    _command("create", "/memories/a/../b.txt", file_text="inside"),
    _command("view", "/memories/b.txt"),
]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", embedder="none", upkeep=False) as made:
        yield made


def _plain(told: str) -> str:
    """A listing without the sizes of folders, which on a disk are those of its blocks."""
    return re.sub(r"^[\d.]+[BKMG]\t(/memories|.*/)$", r"-\t\1", re.sub(r"^[\d.]+[BKMG]\t(/memories(?:/people)?)$",
                  r"-\t\1", told, flags=re.MULTILINE), flags=re.MULTILINE)  # fmt: skip


def test_every_command_is_answered_as_by_the_packages_own_tool(memory: Memory, tmp_path: Path) -> None:
    tools = pytest.importorskip("anthropic.lib.tools", reason="pip install anthropic")
    from anthropic.lib.tools import _beta_builtin_memory_tool as builtin

    theirs, ours = builtin.BetaLocalFilesystemMemoryTool(str(tmp_path / "disk")), sdk_tool(memory)

    def told(tool: Any, command: dict[str, Any]) -> str:
        try:
            return _plain(str(tool.call(command)))
        except tools.ToolError as error:
            return f"refused: {error}"

    for command in COMMANDS:
        assert told(ours, command) == told(theirs, command), command
    assert ours.to_dict() == theirs.to_dict()
    assert ours.clear_all_memory() == theirs.clear_all_memory()
    assert told(ours, _command("view", "/memories")) == told(theirs, _command("view", "/memories"))


def test_a_refusal_is_an_answer_a_model_can_read(memory: Memory) -> None:
    tool = MemoryTool(memory)
    assert tool.call(_command("view", "/memories/x")) == (
        "Error: The path /memories/x does not exist. Please provide a valid path."
    )
    assert tool.call({"command": "dance"}) == "Error: Unknown command: dance"
    assert tool.call({"command": "create", "path": "/memories/x"}) == "Error: Missing required parameter: file_text"
    assert tool.call({"command": "view", "path": 7}) == "Error: Invalid parameter: path"


@pytest.mark.parametrize(
    "path",
    ["/memories/../x", "/memories/..%2f..%2fetc", "/memories/%2e%2e/x", "/memories/%252e%252e/x", "/etc/passwd",
     "/memoriesx/a", "/memories/a\\..\\..\\b", "memories/a", "/memories/\x00"],
)  # fmt: skip
def test_no_path_leaves_memories(memory: Memory, path: str) -> None:
    for name, more in (("view", {}), ("delete", {}), ("create", {"file_text": "x"})):
        assert re.match(
            r"Error: (Path .* would escape|Path must start)",
            MemoryTool(memory).call(_command(name, path, **more)),
            re.DOTALL,
        )
    assert len(memory.list()) == 0


def test_a_file_has_a_history_can_be_taken_back_and_is_recalled(memory: Memory) -> None:
    tool = MemoryTool(memory)
    tool.call(_command("create", "/memories/door.md", file_text="The door code is posted at the desk.\n"))
    tool.call(_command("str_replace", "/memories/door.md", old_str="desk", new_str="gate"))
    (piece,) = memory.list(place="memories")
    assert [one.text for one in memory.history(piece.id)] == [
        "The door code is posted at the desk.\n", "The door code is posted at the gate.\n",
    ]  # fmt: skip
    memory.tag(piece.id, "current", revision=1)
    assert "desk" in tool.call(_command("view", "/memories/door.md"))
    assert memory.recall("where is the door code posted?")[0].memory.id == piece.id


def test_a_secret_is_left_out_and_the_answer_says_so(memory: Memory) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    told = MemoryTool(memory).call(
        _command("create", "/memories/k.md", file_text=f"Notes about the mirror.\nThe token is {secret}\n")
    )
    assert told.startswith("File created successfully at: /memories/k.md Not stored: ")
    assert secret not in MemoryTool(memory).call(_command("view", "/memories/k.md"))


def test_a_long_file_shrinks_and_grows_without_losing_a_line(memory: Memory) -> None:
    tool = MemoryTool(memory)
    long = "".join(f"line {number} says something about harbours and ladders\n" for number in range(600))
    tool.call(_command("create", "/memories/long.md", file_text=long))
    assert len(memory.list(place="memories")) > 3
    tool.call(_command("insert", "/memories/long.md", insert_line=300, insert_text="in the middle"))
    shown = tool.call(_command("view", "/memories/long.md")).split("\n")[1:-1]
    assert [line.split("\t")[1] for line in shown] == [
        *long.split("\n")[:300],
        "in the middle",
        *long.split("\n")[300:-1],
    ]


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab\n é漢\t", max_size=200).map(lambda t: t * 80))
def test_pieces_are_the_text_and_each_fits(text: str) -> None:
    pieces = list(_pieces(text))
    assert "".join(pieces) == text
    assert all(len(piece.encode()) <= 6000 for piece in pieces)


def test_two_who_edit_a_file_at_once_both_find_their_edits_in_it(tmp_path: Path) -> None:
    counts = {"ferry": 8, "lantern": 8}
    with Memory(tmp_path / "palace", embedder="none", upkeep=False) as memory:
        MemoryTool(memory).run(_command("create", "/memories/plan.md", file_text="top\n"))

    def edit(word: str) -> None:
        with Memory(tmp_path / "palace", embedder="none", upkeep=False) as own:
            for number in range(counts[word]):
                MemoryTool(own).run(
                    _command("str_replace", "/memories/plan.md", old_str="top\n", new_str=f"top\n{word} {number}\n")
                )

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(edit, counts))
    with Memory(tmp_path / "palace", embedder="none", upkeep=False) as memory:
        shown = MemoryTool(memory).run(_command("view", "/memories/plan.md"))
    assert all(f"{word} {number}" in shown for word, most in counts.items() for number in range(most))


def test_a_file_made_again_after_it_was_deleted_is_edited_and_deleted_as_one(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace", embedder="none", upkeep=False) as memory:
        tool = MemoryTool(memory)
        for text in ("one\n", "two\n"):
            tool.run(_command("create", "/memories/a.md", file_text=text))
            tool.run(_command("insert", "/memories/a.md", insert_line=1, insert_text="more"))
            assert tool.run(_command("view", "/memories/a.md")).endswith(f"1\t{text}     2\tmore\n     3\t")
            tool.run(_command("delete", "/memories/a.md"))
            assert tool.paths() == ()
