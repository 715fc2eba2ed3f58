"""What is in mind between two turns: how it comes there, that it changes what is found, and that it can be let go."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palazzo.engine import Engine
from palazzo.errors import NotPermitted
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.spaces import Spaces
from palazzo.store.sql.port import StoreOptions
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.models import HashEmbedder


class Palace:
    """A palace that can be left and opened again, as another process would."""

    def __init__(self, folder: Path, clock: FixedClock) -> None:
        self._folder, self.clock = folder, clock
        self.engine = self._opened()

    def _opened(self) -> Engine:
        make = SqliteStore.open if (self._folder / "palace.db").exists() else SqliteStore.create
        store = make(self._folder, self.clock, StoreOptions(upkeep=False))
        return Engine(store, self.clock, Spaces(store, HashEmbedder(256), "test", lambda _: None))

    def again(self) -> None:
        self.engine.close()
        self.engine = self._opened()

    def __call__(self, name: str, subject: str = "operator", /, **arguments: Any) -> Any:
        return call(self.engine, Caller(subject=subject), name, arguments)


@pytest.fixture
def palace(tmp_path: Path, clock: FixedClock) -> Iterator[Palace]:
    made = Palace(tmp_path / "palace", clock)
    yield made
    made.engine.close()


HERON = "Heron deploys with a blue-green switch from the harbour runner."
IBIS = "Ibis deploys with a rolling restart from the hill runner."


def kept(palace: Palace) -> None:
    for text in (HERON, IBIS, "Heron has a billing page in teal.", "Ibis has a login page in amber."):
        palace("remember", text=text, kind="fact")


def deploying(block: Any) -> str:
    """The first way of deploying that a context tells of."""
    return next(str(hit.text) for hit in block.hits if "deploys" in hit.text)


def sources(palace: Palace) -> dict[str, str]:
    return {slot.text: slot.source for slot in palace("mind")}


@pytest.mark.parametrize(("project", "first"), [("Heron", HERON), ("Ibis", IBIS)])
def test_where_the_talk_is_heading_changes_what_a_vague_turn_finds(palace: Palace, project: str, first: str) -> None:
    kept(palace)
    palace("context", message=f"Which page does {project} have?")
    block = palace("context", message="ok, now deploy it")
    assert deploying(block) == first


@pytest.mark.parametrize(("project", "first"), [("Heron", HERON), ("Ibis", IBIS)])
def test_where_the_talk_was_heading_is_kept_with_the_mind(palace: Palace, project: str, first: str) -> None:
    kept(palace)
    palace("context", message=f"Which page does {project} have?")
    palace.again()
    assert deploying(palace("context", message="ok, now deploy it")) == first


def test_what_was_recalled_ahead_answers_a_turn_near_enough_at_once(palace: Palace, clock: FixedClock) -> None:
    kept(palace)
    palace("anticipate", message="How does Heron deploy?")
    assert HERON in sources(palace)
    assert sources(palace)[HERON] == "anticipated"
    near = palace("context", message="And how does Heron deploy?")
    assert (near.cached, HERON in near.text) == (True, True)
    far = palace("context", message="Which colour is the login page of Ibis?")
    assert not far.cached
    palace("anticipate", message="How does Ibis deploy?")
    clock.advance(seconds=61)
    assert not palace("context", message="How does Ibis deploy?").cached


def test_what_was_recalled_ahead_is_in_mind_in_another_process_too(palace: Palace) -> None:
    kept(palace)
    without = palace("context", message="Let us go on with the release notes.").text
    assert "harbour runner" not in without
    palace("mind_clear")
    palace("anticipate", message="How does Heron deploy?")
    palace.again()
    assert "harbour runner" in palace("context", message="Let us go on with the release notes.").text


def test_what_was_just_said_is_taken_into_mind_after_thirty_seconds(palace: Palace, clock: FixedClock) -> None:
    palace("context", message="Hi! Please make the header of the landing page teal, would be great.")
    palace("context", message="And what about lunch?")
    assert "sensory" not in sources(palace).values()
    clock.advance(seconds=31)
    block = palace("context", message="Now the footer, please.")
    (slot,) = (slot for slot in palace("mind") if slot.source == "sensory")
    assert "header" in slot.text
    assert len(slot.text) < len("Hi! Please make the header of the landing page teal, would be great.")
    assert "header" in block.text
    assert not any("lunch" in text for text in sources(palace))
    palace.again()
    assert "sensory" not in sources(palace).values()


def test_what_one_conversation_said_is_not_in_mind_in_another(palace: Palace, clock: FixedClock) -> None:
    palace("context", message="Please make the header of the landing page teal.", thread="one")
    clock.advance(seconds=40)
    assert "header" not in palace("context", message="Now the footer, please.", thread="two").text
    assert "header" in palace("context", message="Now the footer, please.", thread="one").text


def test_a_secret_that_was_said_is_not_taken_into_mind(palace: Palace, clock: FixedClock) -> None:
    palace("context", message="The password of the router is Tr0ub4dor&3xyz, note it.")
    clock.advance(seconds=31)
    palace("context", message="Now the footer, please.")
    assert not any("Tr0ub4dor" in text for text in sources(palace))


def test_slots_say_how_they_came_into_mind_and_are_let_go_one_by_one_or_all(palace: Palace, clock: FixedClock) -> None:
    kept(palace)
    held = palace("remember", text="The lighthouse keeper is called Bram.", kind="fact").id
    palace("context", message="Which page does Heron have?")
    clock.advance(seconds=1)
    palace("mind_hold", memory=held)
    assert sources(palace)["The lighthouse keeper is called Bram."] == "explicit"
    assert sources(palace)["Heron has a billing page in teal."] == "recall"
    palace.again()
    assert sources(palace)["The lighthouse keeper is called Bram."] == "explicit"
    assert palace("mind_clear", memory=held).slots == 1
    assert "The lighthouse keeper is called Bram." not in sources(palace)
    assert "Heron has a billing page in teal." in sources(palace)
    assert palace("mind_clear").slots >= 1
    assert sources(palace) == {}
    palace.again()
    assert sources(palace) == {}


def test_an_agent_that_holds_a_memory_infers_and_sees_its_own_mind_alone(palace: Palace) -> None:
    kept(palace)
    palace("grant", subject="agent:dock", level="write")
    (memory,) = (one.id for one in palace("list") if one.text == HERON)
    palace("mind_hold", "agent:dock", memory=str(memory))
    assert [slot.source for slot in palace("mind", "agent:dock")] == ["inference"]
    assert len(palace("mind")) == 0


def test_what_models_were_given_is_kept_for_a_person_until_something_is_erased(ask: Any) -> None:
    kept = ask("remember", text="The kiln fires at nine hundred degrees.", place="work")
    ask("grant", subject="agent:guest", level="read_all", place="**")
    given = ask("context", "agent:guest", message="How hot does the kiln fire?")
    (seen,) = ask("contexts")
    assert (seen.subject, seen.message, seen.block) == ("agent:guest", "How hot does the kiln fire?", given)
    assert len(ask("contexts", subject="agent:other")) == 0
    with pytest.raises(NotPermitted):
        ask("contexts", "agent:guest")
    ask("burn", memories=[str(kept.id)], yes=True)
    assert len(ask("contexts")) == 0
