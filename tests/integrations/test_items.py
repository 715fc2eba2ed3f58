"""Exact values by namespace and key in a palace."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palazzo import Memory
from palazzo.errors import InvalidInput
from palazzo.integrations.items import KeptItems, Put, SecretLeftOut
from palazzo.integrations.transcript import SpokenItem, Transcript
from palazzo.testing.clock import FixedClock


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", embedder="none", clock=FixedClock()) as opened:
        yield opened


def put(items: KeptItems, namespace: tuple[str, ...], key: str, value: Any, **given: Any) -> None:
    items.put([Put(namespace=namespace, key=key, value=value, **given)])


def test_a_value_put_again_after_another_is_what_holds(memory: Memory) -> None:
    items = KeptItems(memory)
    for value in ({"lamp": "on"}, {"lamp": "off"}, {"lamp": "on"}):
        put(items, ("house",), "hall", value)
        found = items.get(("house",), "hall")
        assert found is not None
        assert found.value == value


def test_equal_values_of_two_keys_are_two_values(memory: Memory) -> None:
    items = KeptItems(memory)
    put(items, ("house",), "hall", {"lamp": "on"}, text="lamp on")
    put(items, ("house",), "attic", {"lamp": "on"}, text="lamp on")
    assert {item.key for item in items.under(("house",))} == {"hall", "attic"}


def test_a_value_larger_than_a_memory_comes_back_whole_and_leaves_nothing_behind(memory: Memory) -> None:
    items = KeptItems(memory)
    long = {"pages": ["Zürich \n\n  " * 400, " " * 7000, "x" * 30_000], "n": 7}
    put(items, ("library",), "atlas", long, text="an atlas of rivers")
    found = items.get(("library",), "atlas")
    assert found is not None
    assert found.value == long
    assert [item.key for item in items.under(("library",))] == ["atlas"]
    items.delete(("library",), "atlas")
    assert items.get(("library",), "atlas") is None
    assert not len(memory.list(place="store.**"))


def test_a_deleted_key_can_be_put_again(memory: Memory) -> None:
    items = KeptItems(memory)
    put(items, ("house",), "hall", {"lamp": 1})
    items.delete(("house",), "hall")
    put(items, ("house",), "hall", {"lamp": 2})
    found = items.get(("house",), "hall")
    assert found is not None
    assert found.value == {"lamp": 2}


def test_labels_that_look_alike_or_lie_deep_stay_apart(memory: Memory) -> None:
    items = KeptItems(memory)
    apart = [("Ada",), ("ada",), ("a-da",), ("a da",), ("ada\n",), ("ädä",), tuple("abcdefgh"), tuple("abcdefgi")]
    for number, namespace in enumerate(apart):
        put(items, namespace, "k", {"n": number})
    for number, namespace in enumerate(apart):
        assert [item.value for item in items.under(namespace)] == [{"n": number}]
    assert sorted(apart) == items.namespaces()


@settings(max_examples=15)
@given(data=st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abcdefgh .$", max_size=8), inner, max_size=4),
    max_leaves=12,
))  # fmt: skip
def test_any_json_comes_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    with Memory(tmp_path_factory.mktemp("any") / "palace", embedder="none") as memory:
        items = KeptItems(memory)
        put(items, ("any",), "thing", {"data": data})
        found = items.get(("any",), "thing")
        assert found is not None
        assert found.value == {"data": data}


def test_what_is_not_json_is_refused_and_nothing_is_written(memory: Memory) -> None:
    items = KeptItems(memory)
    with pytest.raises(InvalidInput):
        items.put([Put(namespace=("a",), key="fine", value=1), Put(namespace=("a",), key="odd", value={"x": object()})])
    assert items.get(("a",), "fine") is None


def test_a_secret_is_not_kept_and_the_caller_is_warned(memory: Memory) -> None:
    items = KeptItems(memory)
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    with pytest.warns(SecretLeftOut, match="login"):
        put(items, ("accounts",), "login", {"token": secret})
    found = items.get(("accounts",), "login")
    assert found is not None
    assert secret not in str(found.value)


def test_a_value_ends_with_its_time_and_reading_begins_the_time_anew(tmp_path: Path) -> None:
    clock = FixedClock()
    with Memory(tmp_path / "palace", embedder="none", clock=clock) as memory:
        items = KeptItems(memory)
        put(items, ("tea",), "cup", {"hot": True}, ttl_s=600)
        clock.advance(seconds=500)
        assert items.get(("tea",), "cup", refresh=True) is not None
        clock.advance(seconds=500)
        assert items.get(("tea",), "cup") is not None
        assert items.sweep() == 0
        clock.advance(seconds=101)
        assert items.get(("tea",), "cup") is None
        assert list(items.under(())) == []
        assert items.namespaces() == []
        assert items.sweep() == 1
        assert not len(memory.list(place="store.**"))


def test_items_of_two_that_write_one_transcript_at_once_are_all_kept(memory: Memory) -> None:
    def says(name: str) -> None:
        transcript = Transcript(memory, "talk", lambda _: None)
        for number in range(10):
            transcript.add([{"who": name, "n": number}])

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(says, ["ada", "ben"]))
    found = Transcript(memory, "talk", lambda _: None).items()
    for name in ("ada", "ben"):
        assert [one["n"] for one in found if one["who"] == name] == list(range(10))


def test_what_is_said_in_a_session_is_known_in_another_and_stays_when_it_is_cleared(memory: Memory) -> None:
    transcript = Transcript(memory, "monday", lambda item: SpokenItem("user", item["says"]), user_id="ada")
    transcript.add([{"says": "My sister Clara plays the cello."}])
    transcript.clear()
    assert transcript.items() == []
    assert "cello" in memory.recall("what does Clara play?", user_id="ada")[0].text
    assert not len(memory.recall("what does Clara play?", user_id="ben"))
