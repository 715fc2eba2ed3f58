"""Whoever is told that nothing is known, or that an argument is wrong, is told what was probably meant."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palazzo import Memory
from palazzo.bootstrap import load_settings, open_engine
from palazzo.errors import InvalidInput
from palazzo.model.scope import Scope
from palazzo.operations.call import call
from palazzo.operations.caller import Caller

ASKED = "What is the cat called?"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "palace") as made:
        made.remember("The cat is called Pixel.", user_id="jana", place="life.pets")
        made.remember("The harbour office opens at eight.")
        yield made


def test_what_lies_under_another_scope_is_said_with_the_name_of_that_scope(memory: Memory) -> None:
    found = memory.recall(ASKED)
    assert (found.known, len(found)) == (False, 0)
    assert "user_id jana" in found.hint
    assert memory.recall(ASKED, user_id="jana").hint == ""
    assert memory.recall("Who painted the ceiling of the chapel?").hint == ""


@pytest.mark.parametrize(
    "caller",
    [
        Caller(subject="mcp:desk"), Caller(subject="agent:primary"),
        Caller(subject="operator", scope=Scope.of(user="ole"), chooses_scope=False),
    ],
)  # fmt: skip
def test_nobody_who_may_not_list_scopes_is_told_of_one(memory: Memory, tmp_path: Path, caller: Caller) -> None:
    memory.grant("mcp:desk", "read_all", place="**")
    memory.close()
    with open_engine(load_settings({"palace": str(tmp_path / "palace")})) as engine:
        found = call(engine, caller, "recall", {"cue": ASKED})
        assert (len(found), found.hint) == (0, "")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"kinds": ["preferrence"]}, "there is no kind 'preferrence', but preference"),
        ({"place": "life.pet"}, "nothing stands at life.pet, but life.pets"),
        ({"place": "life"}, "nothing stands at life: life.** is what is below it"),
        ({"as_of": "2020-01-01"}, "nothing was kept yet at that time"),
    ],
)
def test_a_kind_place_or_time_that_nothing_has_is_named(memory: Memory, given: dict[str, Any], told: str) -> None:
    found = memory.recall(ASKED, user_id="jana", **given)
    assert len(found) == 0
    assert found.hint.startswith(told)


def test_a_day_is_a_time_in_every_turn_and_text(memory: Memory) -> None:
    made = memory.observe([{"content": "I moved to Vigo.", "at": "2026-01-05"}])
    kept = memory.remember_many([{"text": "The roof was mended.", "at": "2026-01-06"}])
    days = {memory.get(str(one)).valid_from.date().isoformat() for one in (*made.memories, *kept.memories)}
    assert days == {"2026-01-05", "2026-01-06"}


def test_a_time_that_belongs_into_each_turn_is_sent_there(memory: Memory) -> None:
    with pytest.raises(TypeError, match="at is said in each of turns"):
        memory.observe(["I moved to Vigo."], at="2026-01-05")  # type: ignore[call-arg]
    with pytest.raises(InvalidInput) as refused:
        memory._call("observe", {"turns": ["I moved to Vigo."], "at": "2026-01-05"})
    assert refused.value.hint is not None
    assert "each of turns" in refused.value.hint
