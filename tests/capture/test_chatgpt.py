"""ChatGPT exports: the tree and its branches, kinds of content, the zip, and files that are at fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.capture import made

from palazzo.errors import InvalidInput
from palazzo.porting import conversations
from palazzo.porting.files import Entry, Limits, Unread

NOW = 1_800_000_000_000_000


def written(folder: Path, *conversations: dict[str, Any]) -> Path:
    path = folder / "conversations.json"
    path.write_text(json.dumps(list(conversations)))
    return path


def talk(*nodes: dict[str, Any], current: str) -> dict[str, Any]:
    return made.chatgpt_conversation([made.chatgpt_node("root", None, "", None), *nodes], current)


def entries(path: Path) -> list[Entry]:
    return [item for item in conversations.read_chatgpt(path, NOW) if isinstance(item, Entry)]


def test_turns_come_in_the_order_they_were_said_with_their_roles_and_times(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        talk(
            made.chatgpt_node("a", "root", "user", "I moved to Porto."),
            made.chatgpt_node("b", "a", "assistant", "How is it?", made.SECONDS + 5),
            current="b",
        ),
    )
    first, second = entries(path)
    assert (first.role, first.text, first.at_us) == ("user", "I moved to Porto.", 1_700_000_000_000_000)
    assert (second.role, second.at_us) == ("assistant", 1_700_000_005_000_000)
    assert first.thread == second.thread
    assert first.manner == "observe"
    assert first.id.endswith("/a")


def test_other_branches_follow_the_one_that_was_shown(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        talk(
            made.chatgpt_node("old", "root", "user", "First wording", made.SECONDS),
            made.chatgpt_node("new", "root", "user", "Second wording", made.SECONDS + 9),
            made.chatgpt_node("answer", "new", "assistant", "Answer", made.SECONDS + 10),
            current="answer",
        ),
    )
    assert [entry.text for entry in entries(path)] == ["Second wording", "Answer", "First wording"]


def test_a_tree_whose_parents_form_a_circle_ends(tmp_path: Path) -> None:
    one = talk(made.chatgpt_node("a", "root", "user", "Hello there"), current="a")
    one["mapping"]["root"]["parent"] = "a"
    assert [entry.text for entry in entries(written(tmp_path, one))] == ["Hello there"]


def test_pictures_are_named_transcriptions_kept_and_inner_content_left_out(tmp_path: Path) -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-1", "size_bytes": 10}
    spoken = {"content_type": "audio_transcription", "text": "Book the train", "direction": "in", "decoding_id": None}
    path = written(
        tmp_path,
        talk(
            made.chatgpt_node(
                "a", "root", "user", {"content_type": "multimodal_text", "parts": [picture, "My cat Bo"]}
            ),
            made.chatgpt_node("b", "a", "user", {"content_type": "multimodal_text", "parts": [picture]}),
            made.chatgpt_node("c", "b", "user", {"content_type": "multimodal_text", "parts": [spoken]}),
            made.chatgpt_node("d", "c", "assistant", {"content_type": "thoughts", "thoughts": [{"content": "hm"}]}),
            made.chatgpt_node(
                "e", "d", "assistant", {"content_type": "code", "language": "python", "text": "search()"}
            ),
            made.chatgpt_node("f", "e", "tool", {"content_type": "execution_output", "text": "42 results"}),
            made.chatgpt_node("g", "f", "system", "You are helpful."),
            current="g",
        ),
    )
    found = list(conversations.read_chatgpt(path, NOW))
    assert [i.text for i in found if isinstance(i, Entry)] == ["My cat Bo", "Book the train", "42 results"]
    (unread,) = [i for i in found if isinstance(i, Unread)]
    assert "image" in unread.reason
    assert unread.hint


def test_the_zip_gives_what_the_file_gives(tmp_path: Path) -> None:
    one = talk(made.chatgpt_node("a", "root", "user", "I moved to Porto."), current="a")
    zipped = made.chatgpt_zip(tmp_path / "export.zip", [one])
    assert entries(zipped) == entries(written(tmp_path, one))


def test_one_broken_conversation_leaves_the_others(tmp_path: Path) -> None:
    good = talk(made.chatgpt_node("a", "root", "user", "Good one"), current="a")
    bad: Any = {"title": "no mapping"}
    found = list(conversations.read_chatgpt(written(tmp_path, bad, good), NOW))
    assert isinstance(found[0], Unread)
    assert isinstance(found[1], Entry)


@pytest.mark.parametrize("when", [1e300, -5.0, float("nan"), "soon", None, True, 10**400, 99_999_999_999.0])
def test_times_that_cannot_be_are_brought_inside_what_can(tmp_path: Path, when: Any) -> None:
    one = talk(made.chatgpt_node("a", "root", "user", "When?", when), current="a")
    (entry,) = entries(written(tmp_path, one))
    assert entry.at_us is not None
    assert 0 <= entry.at_us <= NOW


def test_nuls_and_lone_surrogates_are_taken_out(tmp_path: Path) -> None:
    one = talk(made.chatgpt_node("a", "root", "user", "tea\x00 and \ud800 cake\x1b[31m"), current="a")
    (entry,) = entries(written(tmp_path, one))
    assert entry.text == "tea and  cake[31m"


def test_nesting_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text("[" * 100_000 + "]" * 100_000)
    with pytest.raises(InvalidInput, match="nested"):
        list(conversations.read_chatgpt(path, NOW))


def test_an_entry_over_the_limit_is_named(tmp_path: Path) -> None:
    one = talk(made.chatgpt_node("a", "root", "user", "word " * 300), current="a")
    (found,) = conversations.read_chatgpt(written(tmp_path, one), NOW, Limits(entry_bytes=1000))
    assert isinstance(found, Unread)
