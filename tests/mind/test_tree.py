"""What is known, as a tree: clusters, domains and one paragraph, for one reader, and how sure each domain is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.mind.tree import FEWEST, LARGEST, TreeNode, Trees, _whole
from palazzo.model.capability import View
from palazzo.testing.clock import FixedClock

MATTERS = {
    "boat": "The boat has a {} of dark oak from the yard in the harbour.",
    "oven": "The oven bakes bread with {} flour at high heat for an hour.",
    "choir": "The choir sings a song about {} in the old church on Sundays.",
}
WORDS = (
    "mast", "keel", "deck", "cabin", "rudder", "anchor", "sail", "hull", "rope", "plank", "oar", "locker",
    "wheel", "porthole", "bench", "ladder",
)  # fmt: skip


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", clock=clock, upkeep=False, durable=False) as made:
        made.remember_many([text.format(word) for text in MATTERS.values() for word in WORDS])
        yield made


def test_memories_that_belong_together_are_one_domain_with_words_of_its_own(memory: Memory) -> None:
    found = memory.overview(level=2)
    assert found.summary.startswith(f"{sum(one.memories for one in found.parts)} memories in")
    clusters = memory.overview(level=1, limit=200).parts
    assert all(one.memories <= LARGEST for one in clusters)
    assert sum(one.memories >= FEWEST for one in clusters) >= 3
    for part in clusters:
        texts = [one.text for one in memory.unfold(part.node)]
        assert len({next(m for m in MATTERS if m in text) for text in texts}) == 1, texts


def test_the_whole_is_one_paragraph_of_at_most_two_hundred_tokens(memory: Memory) -> None:
    (whole,) = memory.overview(level=3).parts
    assert whole.tokens <= 200
    assert whole.children


def test_the_paragraph_names_every_domain_with_fewer_words_the_more_there_are() -> None:
    def whole(count: int) -> str:
        labels = [f"matter{n}, thing{n}, place{n}, person{n}" for n in range(count)]
        made = _whole([
            TreeNode(id=f"d-{n}", level=2, label=label, summary="", keys=(n,)) for n, label in enumerate(labels)
        ])  # fmt: skip
        assert made is not None
        assert made.tokens <= 200
        return made.summary

    assert "person4" in whole(5)
    assert all(f"matter{n}" in whole(40) for n in range(40))
    assert "person4" not in whole(40)
    assert whole(500).endswith("...")


def test_the_same_memories_give_the_same_tree_and_a_new_one_joins_the_nearest(memory: Memory) -> None:
    trees, again = Trees(memory.engine.store), Trees(memory.engine.store)
    assert trees.of(View()) == again.of(View())
    memory.remember("The boat has a tiller of dark oak from the yard in the harbour.")
    joined = trees.of(View())
    home = next(one for one in joined.clusters if "tiller" in " ".join(_texts(memory, one.keys)))
    assert all("boat" in text for text in _texts(memory, home.keys))


def _texts(memory: Memory, keys: tuple[int, ...]) -> list[str]:
    with memory.engine.store.reading(View()) as reading:
        return [one.text for one in reading.memories.by_keys(list(keys)).values()]


def test_nobody_elses_words_stand_in_a_readers_tree(memory: Memory) -> None:
    memory.remember("The secret recipe of Ada has saffron in it.", user_id="ada")
    assert not [one for one in memory.overview(level=1, limit=200).parts if "saffron" in one.summary + one.label]
    own = memory.overview(level=1, limit=200, user_id="ada").parts
    assert any("saffron" in one.summary or one.memories for one in own)


def test_what_is_told_is_known_and_what_is_not_is_unknown(memory: Memory) -> None:
    known, unknown = (
        memory.knows("which wood is the mast of the boat made of?"),
        memory.knows("purple elephants of Jupiter"),
    )
    assert known.verdict == "know"
    assert "boat" in known.domain.casefold()
    assert (unknown.verdict, unknown.domain) == ("unknown", "")
    assert "nothing" in unknown.line.casefold()


def test_a_domain_that_got_no_memory_for_long_is_less_sure(memory: Memory, clock: FixedClock) -> None:
    before = memory.knows("which wood is the mast of the boat made of?")
    clock.advance(days=300)
    after = memory.knows("which wood is the mast of the boat made of?")
    assert after.confidence < before.confidence


def test_an_erased_memory_is_in_no_part(memory: Memory) -> None:
    memory.overview(level=1)
    gone = next(one for one in memory.list(limit=200) if "keel" in one.text and "boat" in one.text)
    memory.purge(str(gone.id))
    assert not [one for one in memory.overview(level=1, limit=200).parts if "boat has a keel of" in one.summary]
