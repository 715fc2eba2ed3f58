"""Metadata: JSON kept beside a memory, returned with it, and a filter inside recall and list."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palazzo import Memory
from palazzo.errors import InvalidInput

_PLAIN = st.text(max_size=12).filter(lambda t: "\x00" not in t) | st.integers(-(10**9), 10**9) | st.booleans()


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with Memory(tmp_path_factory.mktemp("shelf"), embedder="none", upkeep=False) as memory:
        for number, (colour, pages) in enumerate((("red", 120), ("blue", 120), ("red", 300))):
            memory.remember(
                f"Volume {number} of the field guide stands on the shelf.", verbatim=True,
                metadata={"colour": colour, "pages": pages, "read": number == 0, "nested": {"box": [1, 2]}},
            )  # fmt: skip
        memory.remember("The field guide has an index.", verbatim=True)
        yield memory


def test_metadata_comes_back_with_get_list_and_recall(shelf: Memory) -> None:
    listed = shelf.list(metadata={"pages": 300})
    assert [m.metadata["colour"] for m in listed] == ["red"]
    assert listed[0].metadata["nested"] == {"box": [1, 2]}
    assert shelf.get(listed[0].id).metadata == listed[0].metadata
    assert shelf.recall("field guide volume", metadata={"pages": 300})[0].memory.metadata == listed[0].metadata


def test_recall_and_list_find_only_what_has_every_value(shelf: Memory) -> None:
    assert len(shelf.list(metadata={"colour": "red"})) == 2
    assert len(shelf.list(metadata={"colour": "red", "pages": 120})) == 1
    assert len(shelf.recall("field guide", metadata={"colour": "blue"})) == 1
    assert len(shelf.recall("field guide", metadata={"colour": "green"})) == 0


def test_true_is_not_one_and_a_number_is_not_its_text(shelf: Memory) -> None:
    assert len(shelf.list(metadata={"read": True})) == 1
    assert len(shelf.list(metadata={"read": 1})) == 0
    assert len(shelf.list(metadata={"pages": "120"})) == 0
    assert len(shelf.list(metadata={"pages": 120.0})) == 2


def test_a_filter_by_a_list_is_refused_with_the_field(shelf: Memory) -> None:
    with pytest.raises(InvalidInput) as refused:
        shelf.list(metadata={"nested": [1]})
    assert refused.value.field == "metadata.nested"


def test_an_update_keeps_metadata_unless_it_brings_its_own(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory:
        kept = memory.remember("The boiler is serviced in May.", verbatim=True, metadata={"room": "cellar"}).id
        memory.update(kept, "The boiler is serviced in June.")
        assert memory.get(kept).metadata == {"room": "cellar"}
        memory.update(kept, "The boiler is serviced in July.", metadata={"room": "attic"})
        assert memory.get(kept).metadata == {"room": "attic"}
        memory.update(kept, "The boiler is serviced in August.", metadata={})
        assert memory.get(kept).metadata == {}


def test_the_same_words_with_other_metadata_are_a_revision_and_nothing_is_lost(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory:
        first = memory.remember("Parcels go to the side door.", verbatim=True, metadata={"from": "note"})
        second = memory.remember("Parcels go to the side door.", verbatim=True, metadata={"from": "call"})
        assert second.id == first.id
        assert memory.get(first.id).metadata == {"from": "call"}
        assert len(memory.history(first.id)) == 2


def test_a_secret_in_metadata_is_not_stored(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with Memory(tmp_path, embedder="none") as memory:
        memory.remember("The mirror is updated at night.", verbatim=True, metadata={"notes": [f"token {secret}"]})
        (found,) = memory.list()
        assert secret not in str(found.metadata)
    assert all(secret.encode() not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_burning_a_memory_takes_its_metadata_out_of_every_file(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory:
        kept = memory.remember("The shed key hangs inside.", verbatim=True, metadata={"where": "zebracrossing"}).id
        memory.burn(memories=[str(kept)], yes=True)
    assert all(b"zebracrossing" not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800", {1, 2}, b"x"])
def test_what_cannot_be_kept_as_json_is_refused_not_lost(tmp_path: Path, value: Any) -> None:
    with Memory(tmp_path, embedder="none") as memory:
        with pytest.raises(InvalidInput):
            memory.remember("A text.", metadata={"value": value})
        with pytest.raises(InvalidInput):
            memory.list(metadata={"value": value})
        assert len(memory.list()) == 0


def test_metadata_of_a_mem0_export_comes_along(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(
        '{"results": [{"id": "1", "memory": "Lena keeps bees.", "metadata": {"topic": "garden"}}]}'
    )
    with Memory(tmp_path / "palace", embedder="none") as memory:
        memory.import_(str(tmp_path / "m.json"))
        assert [one.text for one in memory.list(metadata={"topic": "garden"})] == ["Lena keeps bees."]


def test_metadata_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory, pytest.raises(InvalidInput) as refused:
        memory.remember("A text.", metadata={"blob": "x" * 20_000})
    assert refused.value.field == "metadata"


def test_metadata_of_a_sealed_memory_is_found_and_not_readable_in_the_file(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none", passphrase="four plain words here") as memory:
        memory.remember("Reach Ada at ada@example.org.", verbatim=True, metadata={"circle": "bookclub"})
        assert len(memory.list(metadata={"circle": "bookclub"})) == 1


@settings(max_examples=25, deadline=None)
@given(st.dictionaries(st.text(max_size=8).filter(lambda t: "\x00" not in t), _PLAIN, max_size=4))
def test_whatever_json_is_kept_comes_back_and_is_found_by_each_of_its_values(
    tmp_path_factory: pytest.TempPathFactory, metadata: dict[str, Any]
) -> None:
    with Memory(tmp_path_factory.mktemp("law"), embedder="none", durable=False, upkeep=False) as memory:
        kept = memory.remember("A line about nothing in particular.", verbatim=True, metadata=metadata).id
        assert kept is not None
        assert memory.get(kept).metadata == metadata
        for key, value in metadata.items():
            assert [m.id for m in memory.list(metadata={key: value})] == [kept]


def test_a_number_no_machine_word_holds_comes_back_and_is_no_filter(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory:
        kept = memory.remember("A text.", verbatim=True, metadata={"value": 10**30})
        assert memory.get(kept.id).metadata == {"value": 10**30}
        with pytest.raises(InvalidInput):
            memory.list(metadata={"value": 10**30})
