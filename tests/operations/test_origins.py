"""What memories came of: happenings told afterwards, with what is known of them, and an account in the words said."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from palazzo.engine import Engine
from palazzo.errors import Conflict, InvalidInput, NotFound, NotPermitted, Refused
from palazzo.testing.clock import FixedClock

SAID = "The banner shall be monochrome with one warm accent."


def kept(ask: Any, text: str = SAID, name: str = "banner", **given: Any) -> UUID:
    made = ask("remember", text=text, place="work.site", kind="decision", name=name, verbatim=True, **given)
    assert isinstance(made.id, UUID)
    return made.id


def test_a_memory_tells_the_file_the_command_and_the_app_around_it(ask: Any, clock: FixedClock, tmp_path: Path) -> None:
    page = tmp_path / "explore.html"
    page.write_text("<h1>Explore</h1>")
    made, now = kept(ask), clock.now()
    app = ask("origin_add", of=made, kind="app_activation", label="the editor", metadata={"window": "explore"})
    file = ask("origin_add", of=app.id, kind="file", label=str(page), at=now, metadata={"line": 12})
    ran = ask(
        "origin_add", of=app.id, kind="command", label="git diff HEAD~1", link="triggered_by",
        at=now - timedelta(minutes=2), metadata={"exit_code": 0},
    )  # fmt: skip
    why = ask("why", memory=made)
    told = {origin.id: origin for origin in why.origins}
    assert {told[one.id].depth for one in (file, ran)} == {1}
    assert (told[file.id].metadata, told[file.id].sha256) == ({"line": 12}, sha256(b"<h1>Explore</h1>").hexdigest())
    assert (told[ran.id].link, told[ran.id].metadata) == ("triggered_by", {"exit_code": 0})
    assert "the editor was in front" in why.text
    assert "right after the command `git diff HEAD~1` was run" in why.text
    assert f"the file {page} was open" in why.text
    assert {clause.about for clause in why.clauses} >= {str(app.id), str(file.id), str(ran.id)}


@pytest.mark.parametrize(
    ("kind", "label", "words"),
    [
        ("web", "https://example.org/colours", "it stood at https://example.org/colours"),
        ("tool", "lookup", "the tool lookup returned it"),
        ("message", "letters", "Ada wrote in letters"),
        ("capture", "the clipboard", "the clipboard captured it"),
    ],
)
def test_each_sort_of_origin_is_told_in_words(ask: Any, kind: str, label: str, words: str) -> None:
    made = kept(ask)
    ask("origin_add", of=made, kind=kind, label=label, author="Ada")
    assert words in ask("why", memory=made).text


def test_why_tells_who_said_it_and_in_which_words(ask: Any) -> None:
    turn = {"content": "My sister Lena lives in Lisbon and keeps two cats.", "role": "user", "speaker": "Mara"}
    found = ask("observe", turns=[turn], thread="evening")
    accounts = [ask("why", memory=memory).text for memory in found.memories]
    assert all("Mara said" in text and "operator said" not in text for text in accounts), accounts
    assert any('Mara said: "My sister Lena lives in Lisbon"' in text for text in accounts)
    assert any(f'Mara said: "{turn["content"]}"' in text for text in accounts)
    noted = kept(ask, "The kiln is warm.", "kiln", speaker="Tomas")
    assert 'Tomas wrote it: "The kiln is warm."' in ask("why", memory=noted).text


def test_origins_run_backwards_in_time_and_are_linked_once_they_are_there(ask: Any, clock: FixedClock) -> None:
    first, second = kept(ask), kept(ask, "The footer is grey.", "footer")
    talk = ask("origin_add", of=first, kind="conversation", label="standup", link="mentioned_in")
    ask("origin_link", source=second, target=talk.id, kind="mentioned_in")
    assert talk.id in {origin.id for origin in ask("why", memory=second).origins}
    with pytest.raises(Conflict):
        ask("origin_add", of=talk.id, kind="command", label="make", at=clock.now() + timedelta(hours=1))
    with pytest.raises(InvalidInput):
        ask("origin_link", source=second, target="the talk")
    with pytest.raises(NotFound):
        ask("origin_link", source=second, target="00000000-0000-7000-8000-000000000000")
    with pytest.raises(InvalidInput):
        ask("origin_add", of=first, kind="web", label="https://example.org", sha256="abc")


def test_what_an_agent_tells_of_origins_is_shown_and_makes_nothing_more_trusted(ask: Any) -> None:
    ask("grant", subject="agent:primary", level="write", place="**")
    made = kept(ask)
    before = ask("outcome", memory=made, went="well").own
    own = ask("origin_add", "agent:primary", of=made, kind="web", label="https://example.org/1")
    for number in range(2, 6):
        ask("origin_add", "agent:primary", of=made, kind="message", label=f"https://example.org/{number}")
    assert len(ask("why", memory=made).origins) == 6
    assert ask("outcome", memory=made, went="badly").own < before
    ask("outcome", memory=made, went="well")
    with pytest.raises(NotPermitted):
        ask("origin_add", "agent:primary", of=made, kind="message", label="x", author="Ada")
    told = ask("origin_add", of=made, kind="tool", label="lookup")
    with pytest.raises(NotPermitted):
        ask("origin_add", "agent:primary", of=told.id, kind="command", label="make")
    assert ask("origin_add", "agent:primary", of=own.id, kind="command", label="curl", at=own.at)


def test_nobody_reaches_an_origin_of_what_they_do_not_see(ask: Any) -> None:
    ask("grant", subject="agent:primary", level="write", place="life.**")
    told = ask("origin_add", of=kept(ask), kind="file", label="plans.txt", metadata={"page": 3})
    other = ask("remember", text="The garden is large.", place="life.home", verbatim=True).id
    with pytest.raises(NotFound):
        ask("origin_link", "agent:primary", source=other, target=told.id)


def test_a_secret_is_not_kept_with_an_origin(ask: Any) -> None:
    with pytest.raises(Refused):
        ask("origin_add", of=kept(ask), kind="command", label="login", metadata={"password": "hunter2-Correct9"})


def test_what_only_stood_behind_a_burned_memory_goes_with_it(ask: Any, engine: Engine) -> None:
    made, other = kept(ask), kept(ask, "The footer is grey.", "footer")
    near = ask("origin_add", of=made, kind="file", label="zephyrine.txt", metadata={"note": "quillfeather"})
    ask("origin_add", of=near.id, kind="command", label="open velvetine", at=near.at)
    shared = ask("origin_add", of=made, kind="tool", label="lookup")
    ask("origin_link", source=other, target=shared.id, kind="mentioned_in")
    assert ask("burn", memories=[str(made)], yes=True).memories == 1
    with engine.store.database.read() as connection:  # type: ignore[attr-defined]
        left = str(list(connection.execute("SELECT label, metadata FROM provenance_node")))
    assert not any(word in left for word in ("zephyrine", "quillfeather", "velvetine"))
    assert "lookup" in left
    assert ask("verify").clean
