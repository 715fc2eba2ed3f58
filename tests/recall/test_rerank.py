"""Reordering by a model, by the client, exact token counts, and what is left when nothing fits."""

from __future__ import annotations

from tests.recall.conftest import Room
from tests.scripted_models import ScriptedReranker

from palazzo.recall.answer.reply import abstractions
from palazzo.recall.read.presets import ModelTable
from palazzo.recall.recall import Aids, Recall


def ferries(room: Room, count: int = 5) -> None:
    for number in range(count):
        room.keep(f"Ferry {number} crosses the sound at dawn.", name=f"ferry-{number}")


def with_aids(room: Room, aids: Aids) -> None:
    room.recall = Recall(room.store, room.clock, room.spaces, aids)


def test_a_model_that_reads_cue_and_text_orders_the_hits(room: Room) -> None:
    ferries(room)
    model = ScriptedReranker(lambda _, text: float(text.split()[1] == "3"))
    with_aids(room, Aids(reranker=model))
    reply = room.ask("Which ferry crosses the sound at dawn?", rerank="model")
    assert reply.hits[0].text.startswith("Ferry 3")
    assert len(reply.hits) == 5
    assert "model" not in dict(reply.quality.dropped)
    assert model.asked[0][0] == "Which ferry crosses the sound at dawn?"


def test_a_model_is_not_asked_unless_the_cue_says_so(room: Room) -> None:
    ferries(room)
    model = ScriptedReranker(lambda *_: 0.0)
    with_aids(room, Aids(reranker=model))
    room.ask("Which ferry crosses the sound at dawn?")
    assert model.asked == []


def test_a_model_that_fails_leaves_the_order_and_is_named(room: Room) -> None:
    ferries(room)
    before = room.texts("Which ferry crosses the sound at dawn?")
    with_aids(room, Aids(reranker=ScriptedReranker(None)))
    reply = room.ask("Which ferry crosses the sound at dawn?", rerank="model")
    assert [hit.text for hit in reply.hits] == before
    assert "away" in dict(reply.quality.dropped)["model"]


def test_a_client_that_chooses_itself_gets_the_candidates_beside_the_hits(room: Room) -> None:
    ferries(room)
    reply = room.ask("Which ferry crosses the sound at dawn?", rerank="client", limit=2)
    assert len(reply.hits) == 2
    assert len(reply.siblings) == 3
    assert all(one.cosine > 0.3 and one.kref.startswith("work/") for one in reply.siblings)
    assert not {one.text for one in reply.siblings} & {hit.text for hit in reply.hits}
    assert room.ask("Which ferry crosses the sound at dawn?", limit=2).siblings == ()


def test_a_vocabulary_counts_tokens_exactly(room: Room) -> None:
    ferries(room, 2)
    with_aids(room, Aids(count=lambda text: len(text.split())))
    reply = room.ask("Which ferry crosses the sound at dawn?")
    assert reply.quality.tokens == sum(len(hit.text.split()) + 6 for hit in reply.hits)
    table = ModelTable.of(counter=lambda text: len(text.split()))
    assert table.of_name("gpt-4o").count("one two three") == 3
    assert table.of_name("a model nobody knows").count("one two") == 2


def test_when_no_hit_fits_the_reply_says_what_they_are_about(room: Room) -> None:
    ferries(room)
    reply = room.ask("Which ferry crosses the sound at dawn?", budget_tokens=9)
    assert reply.hits == ()
    assert reply.quality.left_out == 5
    assert "5" in reply.quality.gist
    assert reply.quality.tokens <= 9
    assert room.ask("Which ferry crosses the sound at dawn?", budget_tokens=0).quality.gist == ""


def test_abstractions_go_from_close_to_coarse(room: Room) -> None:
    ferries(room, 3)
    lines = abstractions(room.ask("Which ferry crosses the sound at dawn?").hits)
    assert lines[0].startswith("Memories that match: work: 3")
    assert lines[1] == "Memories that match: 3 in work"
    assert lines[2] == "3 memories match"


def test_a_proper_noun_of_the_cue_keeps_the_memory_that_contains_it_however_far_its_meaning(room: Room) -> None:
    room.keep("Zubrowski.")
    for number in range(60):
        room.keep(f"The harbour master counts boats and buoys in the harbour, entry {number}.")
    assert "Zubrowski." in room.texts("Did the harbour master count boats and buoys with Zubrowski?", limit=100)
