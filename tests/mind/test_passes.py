"""Replay, inference, habits and assessment: what each finds, what it leaves alone, and that all of it is taken back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from palazzo import Memory
from palazzo.mind.bus import FROM
from palazzo.mind.consolidate import MADE_BY
from palazzo.mind.dream import AT_ONCE, SEEN_ALL, DreamWanted
from palazzo.mind.jobs import JobTurn
from palazzo.mind.replay import BUDGET, turn_of
from palazzo.model.change import Attachments
from palazzo.model.graph import MentionDraft, RelationDraft
from palazzo.model.memory import Detail
from palazzo.model.retention import DAY_US, retention
from palazzo.operations.mind.spec import Dreamt
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import place_memory

RUNS = (
    "Deployed the shop: first I ran the tests, then I built the image, finally I pushed the image to the registry.",
    "Deployed the blog: first I ran all tests, then I built its image, finally I pushed the image to the registry.",
    "Deployed the API: first I ran the tests, then I built the image, finally I pushed it to the registry; it failed.",
)

PEOPLE = (
    ("Marco Bianchi", "Fiat"), ("Berta Klein", "Bosch"), ("Clara Weiss", "Siemens"), ("Dieter Vogt", "Lufthansa"),
)  # fmt: skip


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", clock=clock, upkeep=False, durable=False) as made:
        yield made


def dreamt(memory: Memory, name: str, **more: object) -> Dreamt:
    memory.setting_put("dream_passes", f"{name}=on")
    return memory.dream(only=(name,), **more)  # type: ignore[arg-type]


def texts(memory: Memory, ids: tuple[object, ...]) -> list[str]:
    return [memory.get(str(one)).text for one in ids]


def told(memory: Memory, one: str, predicate: str, other: str) -> str:
    """A memory that states a relation, as intake would have read it."""
    said = place_memory(
        f"{one} {predicate.replace('_', ' ')} {other}.",
        attachments=Attachments(
            mentions=(MentionDraft(one, "person", one), MentionDraft(other, "organization", other)),
            relations=(RelationDraft(one, predicate, other),),
        ),
    )  # fmt: skip
    memory.engine.store.commit([said])
    return str(said.memory_id)


def test_who_manages_a_manager_manages_whom_he_manages(memory: Memory) -> None:
    for one, other in (("Marco", "Anna Rossi"), ("Anna Rossi", "Luis"), ("Luis", "Petra Klein")):
        told(memory, one, "manages", other)
    made = dreamt(memory, "infer")
    said = {text.split(",")[0] for step in made.steps for text in texts(memory, step.made)}
    assert said == {"Marco manages Luis", "Anna Rossi manages Petra Klein", "Marco manages Petra Klein"}
    assert not dreamt(memory, "infer").steps, "nothing is concluded twice"
    assert memory.prune("infer").removed == 3
    assert not [one for one in memory.list() if one.kind == "reflection"]


def test_a_circle_is_never_concluded_around(memory: Memory) -> None:
    circle = ("Marco", "Anna Rossi", "Luis", "Petra Klein")
    for one, other in zip(circle, (*circle[1:], circle[0]), strict=True):
        told(memory, one, "manages", other)
    made = [texts(memory, step.made)[0] for step in dreamt(memory, "infer").steps]
    assert made
    for said in made:
        ends = said.split(",")[0].rstrip(".").split(" manages ")
        assert ends[0] != ends[1]


def test_a_conclusion_goes_with_what_it_rests_on(memory: Memory) -> None:
    first = told(memory, "Marco", "manages", "Anna Rossi")
    told(memory, "Anna Rossi", "manages", "Luis")
    (step,) = dreamt(memory, "infer").steps
    memory.purge(first)
    assert step.made[0] not in {one.id for one in memory.list()}


def test_links_of_one_kind_that_lead_on_are_concluded_and_taken_back(memory: Memory) -> None:
    ids = [
        str(memory.remember(text).id)
        for text in ("The gate needs the motor.", "A motor wants current.", "Current comes from the mill.")
    ]
    memory.relate(ids[0], ids[1], kind="depends_on")
    memory.relate(ids[1], ids[2], kind="depends_on")
    made = dreamt(memory, "infer")
    kinds = [step.link.kind for step in memory.walk(ids[0], direction="out", depth=1) if step.link]
    assert sorted(kinds) == ["depends_on", "inferred_from"]
    memory.undo(str(made.id))
    assert [step.link.kind for step in memory.walk(ids[0], direction="out", depth=1) if step.link] == ["depends_on"]


def test_the_same_steps_done_three_times_become_a_procedure_with_its_counts(memory: Memory, clock: FixedClock) -> None:
    for text in RUNS:
        memory.remember(text, kind="event", verbatim=True)
        clock.advance(days=1)
    memory.remember("First I fed the cat, then I locked the door, finally I left.", kind="event", verbatim=True)
    (step,) = [one for one in dreamt(memory, "habits").steps if one.does == "learn"]
    made = memory.get(str(step.made[0]))
    assert made.kind == "procedure"
    assert "1. " in made.text
    assert made.text.count("\n") == 3
    assert (made.metadata["runs"], made.metadata["succeeded"], made.metadata["failed"]) == (3, 2, 1)
    assert len(memory.unfold(str(made.id))) == 3


def test_what_is_usually_known_of_a_kind_of_thing_becomes_a_schema(memory: Memory) -> None:
    for one, other in PEOPLE:
        told(memory, one, "works_at", other)
    steps = [one for one in dreamt(memory, "habits").steps if one.does == "induce"]
    assert any("works at" in text for one in steps for text in texts(memory, one.made))
    assert not [one for one in dreamt(memory, "habits").steps if one.does == "induce"]


def test_what_is_alike_is_linked_once_and_what_is_used_is_kept_from_fading(memory: Memory, clock: FixedClock) -> None:
    for text in ("The harbour office closes at noon on Saturdays.", "On Saturdays the harbour office shuts at midday."):
        memory.remember(text, verbatim=True)
    used = memory.remember("The gym costs forty euros.", pinned=False, kind="context", importance=0.3).id
    for _ in range(4):
        clock.advance(days=2)
        memory.get(str(used))
        memory.engine.uses.flush()
    clock.advance(days=12)
    made = dreamt(memory, "replay")
    assert {step.does for step in made.steps if step.state == "made"} >= {"strengthen"}
    clock.advance(days=60)
    memory.run("sweep")
    assert memory.get(str(used)).state == "active"
    assert not [step for step in dreamt(memory, "replay").steps if step.does == "link"]


def test_what_was_replayed_fades_at_least_a_quarter_slower_over_sixty_days(memory: Memory, clock: FixedClock) -> None:
    used = [
        memory.remember(text, pinned=False, kind="context", importance=0.3).id
        for text in ("The gym costs forty euros.", "The mill wheel turns slowly.", "Ivo keeps eleven hens.")
    ]
    for _ in range(4):
        clock.advance(days=2)
        for one in used:
            memory.get(str(one))
        memory.engine.uses.flush()
    clock.advance(days=12)

    def lost(of: UUID, days: int) -> float:
        """What is gone of it so many days from now."""
        one = memory.engine.store.lives.fading(of)
        assert one is not None
        age_us = clock.now_us() - one.accessed_us + days * DAY_US
        wear = one.wear
        return 1 - retention(
            kind=wear.kind, durability=wear.durability, age_us=age_us, sessions=wear.sessions, arousal=wear.arousal
        )

    before = {one: lost(one, 60) for one in used}
    replayed = {one for step in dreamt(memory, "replay").steps if step.does == "strengthen" for one in step.memories}
    assert {*used} <= replayed
    assert min(before.values()) > 0
    assert all(lost(one, 60) <= 0.75 * before[one] for one in used)


def test_two_values_that_compete_are_put_before_a_person(memory: Memory) -> None:
    texts = ("The ledger service listens on port 7001.", "The ledger service listens on port 7190.")
    memory.engine.store.commit([place_memory(text) for text in texts])
    memory.run("backfill")
    assert [one.does for one in dreamt(memory, "replay").steps] == ["contradict"]
    assert memory.inbox()


def test_what_happened_twice_competes_with_nothing_however_alike_it_is_worded(memory: Memory) -> None:
    happened = [
        "On 4 May at 7:20 I watered the ferns.", "On 9 May at 18:45 I watered the ferns.",
        "Jana painted the fence on Monday.", "Jana painted the fence on Saturday.",
        "Lost a glove in round 3.", "Lost a glove in round 8.",
    ]  # fmt: skip
    values = ("The ferry to Moen is run by Alba Lines.", "The ferry to Moen is run by Nordfahrt.")
    memory.engine.store.commit([place_memory(text) for text in (*happened, *values)])
    told = [memory.remember(f"We had {what} at the harbour on Sunday.", kind="event") for what in ("soup", "bread")]
    memory.run("backfill")
    made = dreamt(memory, "replay")
    flagged = [step for step in made.steps if step.does == "contradict"]
    assert [{memory.get(str(one)).text for one in step.memories} for step in flagged] == [set(values)]
    assert all(one.id not in step.memories for one in told for step in flagged)


def test_what_is_merely_near_is_no_rival_unless_each_takes_the_other_back(memory: Memory) -> None:
    texts = (
        "Carla's friends and teachers are Carla's rocks, they motivate Carla.",
        "Playing the cello lets Carla express herself and connect with others.",
        "It has made Carla appreciate how lucky Carla is to have Carla's family.",
    )
    memory.engine.store.commit([place_memory(text) for text in texts])
    memory.run("backfill")
    assert not [one for one in dreamt(memory, "replay").steps if one.does == "contradict"]


def test_each_memory_gets_its_links_though_many_compete_and_few_of_those_are_put_before_a_person(
    memory: Memory,
) -> None:
    people = ("Ada", "Bruno", "Chidi", "Dana", "Emre", "Farah", "Goran", "Hana", "Ivo", "Jana")
    said = [f"The harbour project is led by {name}." for name in people]
    said += [f"{name} likes to walk along the harbour on {day}." for name in people[:4] for day in ("Mondays", "foot")]
    memory.engine.store.commit([place_memory(text) for text in said])
    memory.run("backfill")
    found = Counter(one.does for one in dreamt(memory, "replay", limit=500).steps)
    assert 0 < found["contradict"] <= BUDGET // 3
    assert found["link"] >= 5


def test_what_another_agent_told_is_gone_over_first(tmp_path: Path, clock: FixedClock) -> None:
    copied = place_memory(
        "What bo told.", detail=Detail(metadata={MADE_BY: FROM, FROM: {"by": "agent:bo", "clock": {}}})
    )
    own = [place_memory(f"Crate {number} holds lamps.") for number in range(5)]
    with Memory(tmp_path / "palace", clock=clock, upkeep=False, durable=False) as memory:
        memory.engine.store.commit([*own, copied])
        with memory.engine.store.reading(SEEN_ALL) as reading:
            found = [reading.memories.get(one.memory_id) for one in (*own, copied)]
    assert min(found, key=turn_of).id == copied.memory_id


def test_every_pass_looks_after_every_few_memories_whether_somebody_waits(memory: Memory) -> None:
    count = 4 * AT_ONCE
    memory.engine.store.commit([place_memory(f"Crate {number} holds {number + 3} lamps.") for number in range(count)])
    memory.run("backfill", limit=1_000)
    for one in memory.engine.dreaming.passes:
        looks: list[str] = []
        turn = JobTurn(lambda *_: True, 100, pause=lambda looks=looks: looks.append(""))  # type: ignore[misc]
        memory.engine.dreaming.run(turn, DreamWanted(passes=(one.name,), completed="atlas"))
        assert len(looks) >= count // AT_ONCE, one.name


def test_a_young_palace_gives_nothing_up(memory: Memory) -> None:
    for number in range(12):
        memory.remember(f"Crate {number} holds {number + 3} lamps.")
    assert not dreamt(memory, "assess").steps


def test_what_faded_unused_is_given_up_at_most_by_half_and_comes_back_with_undo(
    memory: Memory, clock: FixedClock
) -> None:
    ids = [
        memory.remember(f"Crate {n} holds {n + 3} lamps.", pinned=False, kind="context", importance=0.2).id
        for n in range(8)
    ]
    kept = memory.remember("The lamps are insured with Nordstern.").id
    memory.tag(str(ids[0]), "published")
    clock.advance(days=60)
    made = dreamt(memory, "assess", ratio=0.3)
    states = [step.state for step in made.steps]
    assert (states.count("made"), states.count("held back")) == (2, 5)
    assert all(ids[0] not in step.memories and kept not in step.memories for step in made.steps)
    assert "held back" in made.markdown
    memory.undo(str(made.id))
    assert {one.id for one in memory.list(limit=100)} >= {*ids, kept}


def test_every_pass_proposes_before_it_changes_anything_that_recall_finds(memory: Memory) -> None:
    for text in (*RUNS, "Marco manages Anna Rossi.", "Anna Rossi manages Luis."):
        memory.remember(text)
    before = [(one.text, one.score) for one in memory.recall("who manages Luis?")]
    memory.dream()
    assert [(one.text, one.score) for one in memory.recall("who manages Luis?")] == before
