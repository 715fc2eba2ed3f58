"""What was read from the words of memories narrows recall and lists, and one memory shows all of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from palazzo import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", embedder="none") as made:
        yield made


def texts(found: object) -> set[str]:
    return {one.text for one in found}  # type: ignore[attr-defined]


def test_only_what_names_a_person_or_a_technology_is_listed_and_recalled(memory: Memory) -> None:
    ours, theirs = "Ottilie works on the billing service with Kubernetes.", "Severin works on the billing service."
    memory.remember(ours)
    memory.remember(theirs)
    assert texts(memory.list(mentions=["ottilie"])) == {ours}
    assert texts(memory.list(mentions=["Kubernetes", "Ottilie"])) == {ours}
    assert texts(memory.list(mentions=["Kubernetes", "Severin"])) == set()
    assert texts(memory.list(mentions=["Nobody Known"])) == set()
    assert [hit.text for hit in memory.recall("Who works on the billing service?", mentions=["Severin"])] == [theirs]


def test_a_filter_by_name_follows_what_was_joined(memory: Memory) -> None:
    memory.remember("Madame Vestergaard sails on Sundays.")
    memory.remember("Ottilie works at Brackwater.")
    memory.merge_entities("Ottilie", "Madame Vestergaard")
    assert len(memory.list(mentions=["Ottilie"])) == 2


def test_paths_and_addresses_of_pages_are_found_as_they_are_written(memory: Memory) -> None:
    path = memory.remember("The limits are set in config/limits.toml of the gateway.", kind="fact")
    page = memory.remember("The design is described at https://heron.example/design for everybody.", kind="fact")
    assert [one.id for one in memory.list(mentions=["config/limits.toml"])] == [path.id]
    assert [one.id for one in memory.list(mentions=["https://heron.example/design"])] == [page.id]
    assert memory.get(str(path.id)).paths == ("config/limits.toml",)
    assert memory.get(str(page.id)).urls == ("https://heron.example/design",)


def test_a_layer_is_a_filter(memory: Memory) -> None:
    memory.remember("Severin lives in Ghent.", kind="residence")
    memory.remember("The gateway fell over on Tuesday.", kind="event")
    memory.remember("To deploy, first tag, then push.", kind="procedure")
    kinds = {
        layer: {one.kind for one in memory.list(layers=[layer])} for layer in ("semantic", "episodic", "procedural")
    }
    assert kinds == {"semantic": {"residence"}, "episodic": {"event"}, "procedural": {"procedure"}}
    assert len(memory.list(layers=["semantic"], kinds=["event"])) == 0
    hits = memory.recall("What happened to the gateway on Tuesday?", layers=["episodic"])
    assert {hit.memory.kind for hit in hits} == {"event"}


def test_how_something_was_told_is_a_filter(memory: Memory) -> None:
    good, bad = "I absolutely love the new harbour office!", "I hate the terrible coffee there, it is awful."
    plain = "The office has four floors."
    for text in (good, bad, plain):
        memory.remember(text)
    assert texts(memory.list(sentiment="positive")) == {good}
    assert plain in texts(memory.list(sentiment="neutral"))
    assert all(memory.get(str(one.id)).sentiment < 0 for one in memory.list(sentiment="negative"))
    assert len(memory.list(sentiment="negative")) > 0


def test_a_list_is_narrowed_to_the_time_memories_are_about(memory: Memory) -> None:
    said = datetime(2026, 1, 1, tzinfo=UTC)
    memory.remember("The harbour office opened on 5 March 2026.", kind="event", at=said)
    memory.remember("The old office closed on 5 June 2026.", kind="event", at=said)
    found = memory.list(after=datetime(2026, 4, 1, tzinfo=UTC), before=datetime(2026, 7, 1, tzinfo=UTC))
    assert [one.text for one in found] == ["The old office closed on 5 June 2026."]
    whole = memory.get(str(found[0].id))
    assert [at.date().isoformat() for at in whole.dates] == ["2026-06-05"]


def test_one_memory_shows_all_that_was_read_from_it(memory: Memory) -> None:
    kept = memory.remember("Because the lock rusted, Anna missed the ferry to Ghent.", kind="event")
    whole = memory.get(str(kept.id))
    assert whole.people == ("Anna",)
    assert whole.locations == ("Ghent",)
    assert (whole.layer, whole.language) == ("episodic", "en")
    assert any("rusted" in event for event in whole.events)


def test_the_situations_a_memory_was_foreseen_for_are_shown(memory: Memory) -> None:
    kept = memory.remember("I am allergic to walnuts.")
    assert memory.get(str(kept.id)).prospects


@pytest.mark.parametrize(
    "text",
    [
        "The harbour flooded, so the ferry was cancelled.", "Because the harbour flooded, the ferry was cancelled.",
        "The ferry was cancelled due to the harbour that flooded.",
        "After the harbour flooded, the ferry was cancelled.",
        "The harbour flooded; therefore the ferry was cancelled.",
        "The harbour that flooded led to the ferry being cancelled.",
    ],
)  # fmt: skip
def test_what_led_to_what_is_read_in_many_wordings(memory: Memory, text: str) -> None:
    kept = memory.remember(text, kind="event")
    (event,) = memory.get(str(kept.id)).events
    cause, _, effect = event.partition(" -> ")
    assert ("flooded" in cause, "cancelled" in effect) == (True, True)
