"""Dreams: what passes find is done, proposed or only told; every run is checked, reported and taken back whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import msgspec
import pytest
from bench.wordings import WORDINGS

from palazzo import Memory
from palazzo.errors import Conflict, InvalidInput, NotFound
from palazzo.mind.dream import PROPOSALS, Dreaming, DreamReport, DreamStep, DreamTurn, PassMode
from palazzo.mind.jobs import JobTurn
from palazzo.mind.probes import Prober
from palazzo.model.capability import AddPacket, Packet
from palazzo.model.change import Change, SetState
from palazzo.model.ids import new_id
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import place_memory

SPACES = (
    "Indentation should be two spaces.", "Please indent with 2 spaces.", "I always use two spaces for indentation.",
    "The user prefers 2-space indentation.",
)  # fmt: skip
REST = ("My favourite colour is purple.", "I live in Turin.", "The mill has nine windows.")
CUES = ("how many spaces do I indent with?", "where do I live?", "favourite colour", "windows of the mill")


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", clock=clock, upkeep=False, durable=False) as made:
        for text in (*SPACES, *REST):
            made.remember(text)
        yield made


def found(memory: Memory) -> list[list[tuple[str, float, float]]]:
    """What recall gives for every cue, with all its figures."""
    return [[(one.text, one.score, one.relevance) for one in memory.recall(cue)] for cue in CUES]


def gather(memory: Memory, **more: object) -> object:
    memory.setting_put("dream_passes", "consolidate=on, gaps=off")
    return memory.dream(only=("consolidate",), **more)  # type: ignore[arg-type]


def test_wordings_of_one_thing_become_one_memory_with_all_of_them_behind_it(memory: Memory) -> None:
    made = gather(memory)
    (step,) = made.steps  # type: ignore[attr-defined]
    assert (step.does, step.state) == ("gather", "made")
    assert len(step.memories) >= 3
    hits = [one.memory.id for one in memory.recall(CUES[0]) if one.text in SPACES]
    assert step.made[0] in hits
    assert not set(step.memories) & set(hits)
    archived = {one.id for one in memory.list(state="archived")}
    assert archived == set(step.memories)


def test_fifty_wordings_of_one_wish_become_one_memory_linked_to_all_of_them(tmp_path: Path, clock: FixedClock) -> None:
    with Memory(tmp_path / "other", clock=clock, upkeep=False, durable=False) as memory:
        memory.engine.store.commit([place_memory(text) for text in (*WORDINGS, *REST)])
        memory.run("backfill", limit=100)
        step = max(gather(memory).steps, key=lambda one: len(one.memories))  # type: ignore[attr-defined]
        assert len(step.memories) >= 40  # all fifty with the weights there are: bench.promised tells how many
        assert {one.id for one in memory.unfold(str(step.made[0]), limit=100)} == {*step.memories}
        hits = {one.memory.id for one in memory.recall(CUES[0], limit=20)}
        assert step.made[0] in hits
        assert not hits & {*step.memories}


def test_of_fifty_wordings_recall_shows_exactly_one(tmp_path: Path, clock: FixedClock) -> None:
    with Memory(tmp_path / "other", clock=clock, upkeep=False, durable=False) as memory:
        said = [place_memory(text) for text in WORDINGS]
        memory.engine.store.commit([*said, place_memory("I live in Turin.")])
        memory.run("backfill", limit=100)
        (step,) = gather(memory).steps  # type: ignore[attr-defined]
        fifty = {one.memory_id for one in said} | {step.made[0]}
        assert len(fifty) == 51
        shown = [one.memory.id for one in memory.recall(CUES[0], limit=50)]
        assert [one for one in shown if one in fifty] == [step.made[0]]


def test_a_report_names_every_memory_by_its_address_on_a_line_of_its_own(memory: Memory) -> None:
    made = gather(memory)
    (step,) = made.steps  # type: ignore[attr-defined]
    address = {one.id: one.address for one in (*memory.list(), *memory.list(state="archived"))}
    lines = [line for line in made.markdown.splitlines() if line.startswith("  - ")]  # type: ignore[attr-defined]
    assert [line.split("`")[1] for line in lines] == [address[one] for one in (*step.memories, *step.made)]


def test_two_values_of_one_thing_are_never_gathered(memory: Memory) -> None:
    drinks = {
        memory.remember(f"{whose} favourite drink is {drink}.", verbatim=True).id
        for whose, drink in (("My", "tea"), ("My", "mate"), ("My", "cocoa"), ("Bo's", "tea"))
    }
    made = memory.dream(dry_run=True, only=("consolidate",))
    assert not [step for step in made.steps if drinks & set(step.memories)]


def test_things_that_each_have_a_name_of_their_own_are_never_gathered(memory: Memory) -> None:
    asked = {
        memory.remember(f"I would like an example of how to use the {one} extension.", verbatim=True).id
        for one in ("Flask-Login", "Flask-Table", "Flask-Saml")
    }
    made = memory.dream(dry_run=True, only=("consolidate",))
    assert not [step for step in made.steps if asked & set(step.memories)]


def test_what_stands_for_the_owners_words_is_their_word_binds_as_they_did_and_says_most(memory: Memory) -> None:
    for text in (
        "I want measurements in metric units.", "Always use metric units with me.", "Please stick to metric units.",
        "Give me everything in metric units.",
    ):  # fmt: skip
        memory.remember(text)
    before = memory.context("which units do I want?").text
    steps = gather(memory).steps  # type: ignore[attr-defined]
    (made,) = [one for one in (memory.get(str(step.made[0])) for step in steps) if "metric" in one.text]
    assert made.kind == "instruction"
    after = memory.context("which units do I want?").text
    assert "Not orders" not in after, "it is the owner's own word still"
    assert len(after) < 2 / 3 * len(before), "and it is said once"


def test_a_dry_run_tells_what_it_would_do_and_writes_nothing(memory: Memory) -> None:
    before = memory.events(limit=1000).last
    told = memory.dream(dry_run=True)
    assert told.state == "tried"
    assert SPACES[0] in told.markdown
    assert "nothing is changed" in told.markdown
    assert memory.events(limit=1000).last == before
    assert not memory.dreams()


def test_what_may_harm_recall_is_proposed_and_carried_out_when_somebody_says_so(memory: Memory) -> None:
    before = found(memory)
    memory.dream()
    assert found(memory) == before
    (proposed,) = [one for one in memory.dreams() if one.state == "proposed"]
    memory.dream()
    assert len([one for one in memory.dreams() if one.state == "proposed"]) == 1, "proposed once"
    done = memory.dream_apply(str(proposed.id))
    assert [step.state for step in done.steps] == ["made"]
    assert done.probes > 0
    with pytest.raises(Conflict):
        memory.dream_apply(str(proposed.id))


def test_undo_gives_back_the_very_recall_there_was(memory: Memory) -> None:
    before = found(memory)
    made = gather(memory)
    assert found(memory) != before
    memory.undo(str(made.id))  # type: ignore[attr-defined]
    assert found(memory) == before
    assert memory.verify().clean
    with pytest.raises(Conflict):
        memory.undo(str(made.id))  # type: ignore[attr-defined]


def test_the_last_dream_is_taken_back_by_the_name_of_the_job_too(memory: Memory) -> None:
    before = found(memory)
    gather(memory)
    memory.undo("dream")
    assert found(memory) == before


def test_a_further_wording_joins_what_stands_for_the_others(memory: Memory, clock: FixedClock) -> None:
    first = gather(memory).steps[0]  # type: ignore[attr-defined]
    clock.advance(days=1)
    memory.remember("Two spaces is how indentation should be done.")
    (step,) = gather(memory).steps  # type: ignore[attr-defined]
    assert step.made == first.made
    assert step.memories[0] == first.made[0]


def test_a_wording_that_binds_more_than_what_stands_for_the_others_is_not_put_away_behind_it(memory: Memory) -> None:
    for text in (
        "On trains I like a window seat.",
        "I prefer window seats on trains.",
        "On trains I prefer the window.",
    ):
        memory.remember(text)
    seats = [step.made[0] for step in gather(memory).steps if "train" in memory.get(str(step.made[0])).text]  # type: ignore[attr-defined]
    assert [memory.get(str(one)).kind for one in seats] == ["preference"]
    order = memory.remember("Give me the window seat when I go by train.").id
    gather(memory)
    assert memory.get(str(order)).kind == "instruction"


def test_what_somebody_vouched_for_is_left_alone(memory: Memory) -> None:
    kept = next(one for one in memory.list() if one.text == SPACES[0])
    memory.tag(str(kept.id), "published")
    (step,) = gather(memory).steps  # type: ignore[attr-defined]
    assert kept.id not in step.memories
    assert memory.get(str(kept.id)).state == "active"


def test_what_another_scope_holds_is_not_gathered_with_it(tmp_path: Path, clock: FixedClock) -> None:
    with Memory(tmp_path / "other", clock=clock, upkeep=False, durable=False) as memory:
        for number, text in enumerate(SPACES):
            memory.remember(text, project=f"p{number}")
        assert not memory.dream(dry_run=True, only=("consolidate",)).steps


def test_a_setting_that_names_no_pass_is_told(memory: Memory) -> None:
    memory.setting_put("dream_passes", "levitate=on")
    with pytest.raises(InvalidInput):
        memory.dream(dry_run=True)


class Forgets:
    """A pass that puts everything away: what a dream must survive."""

    name = "forgets"
    about = "Put everything away."
    mode: PassMode = "on"
    touches = True

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def plan(self, turn: DreamTurn) -> list[DreamStep]:
        del turn
        return [
            DreamStep(of=self.name, does="put away", about=(one.id,), why="to see") for one in self._memory.list()
        ]  # fmt: skip

    def changes(self, step: DreamStep) -> list[Change]:
        return [SetState(step.about[0], "archived", "to see")]


def test_a_run_that_makes_recall_worse_takes_itself_back_and_says_so(memory: Memory) -> None:
    engine, before = memory.engine, found(memory)
    prober = Prober(engine.store, lambda cue, _scope, _rest: [one.memory.id for one in memory.recall(cue)])
    dreaming = Dreaming(engine.store, (Forgets(memory),), prober, lambda: ("", 1.0), lambda gone: len(gone))
    made = dreaming.run(JobTurn(lambda *_: True, 100))
    assert made.state == "rolled_back"
    assert made.checked is not None
    assert made.checked.before > made.checked.after
    assert "taken back" in " ".join(made.notes)
    assert found(memory) == before


def test_what_other_jobs_wrote_is_no_dream_that_was_cut_off_and_stays_when_a_dream_is_taken_back(
    memory: Memory,
) -> None:
    memory.setting_put("dream_passes", "consolidate=on")
    memory.engine.store.commit([place_memory("The sweep wrote this.")], subject="mind:sweep")
    made = memory.dream()
    assert "cut off" not in made.markdown
    assert "gather" in [step.does for step in made.steps]
    memory.undo(str(made.id))
    assert "The sweep wrote this." in [one.text for one in memory.list()]


def test_after_a_dream_that_was_cut_off_the_next_one_does_what_it_had_left(memory: Memory) -> None:
    memory.setting_put("dream_passes", "consolidate=on")
    memory.engine.store.commit([place_memory("A habit was learnt.")], subject="mind:habits")
    made = memory.dream()
    assert "cut off" in made.markdown
    assert "gather" in [step.does for step in made.steps]
    assert "cut off" not in memory.dream().markdown


def test_small_events_of_every_day_do_not_take_the_place_of_what_is_said_again(
    tmp_path: Path, clock: FixedClock
) -> None:  # fmt: skip
    days = [f"On day {day} at {day % 12 + 7}:{day % 49 + 10} I read in the library." for day in range(300)]
    with Memory(tmp_path / "other", clock=clock, upkeep=False, durable=False) as memory:
        memory.engine.store.commit([place_memory(text) for text in (*days, *SPACES)])
        memory.run("backfill", limit=1_000)
        (step,) = gather(memory).steps  # type: ignore[attr-defined]
        assert {one.text for one in memory.unfold(str(step.made[0]), limit=100)} == set(SPACES)


def test_what_stands_for_others_is_found_by_what_asked_for_any_of_them(tmp_path: Path, clock: FixedClock) -> None:
    told = {
        "where do I live?": ("I live in Bergen.", "Bergen is my home.", "My flat is in Bergen."),
        "what do I read?": ("I read crime novels.", "Crime novels are what I read.", "My favourites are crime novels."),
        "what do I drive?": ("I drive an old van.", "My car is an old van.", "I get around in an old van."),
    }
    with Memory(tmp_path / "other", clock=clock, upkeep=False, durable=False) as memory:
        for day in range(60):
            memory.remember(f"On day {day} at {day % 12 + 7}:{day % 49 + 10} I walked to the quay.")
        for wordings in told.values():
            for text in wordings:
                memory.remember(text)
        memory.run("backfill", limit=1_000)
        steps = gather(memory).steps  # type: ignore[attr-defined]
        assert len(steps) == len(told)
        for question, wordings in told.items():
            (hit, *_) = memory.recall(question)
            assert hit.text in wordings
            assert hit.memory.id in {step.made[0] for step in steps}


def test_reports_that_nobody_will_ask_for_are_let_go(memory: Memory) -> None:
    store = memory.engine.store
    for _ in range(PROPOSALS + 5):
        one = DreamReport(id=new_id(store.clock.now_us()), at_us=0, state="proposed")
        told = msgspec.json.encode(one).decode()
        store.commit([AddPacket(Packet(id=one.id, kind="dream", subject="dream", state="proposed", told=told))])
    made = gather(memory)
    waiting = [one.id for one in memory.engine.dreaming.reports(200) if one.state == "proposed"]
    assert len(waiting) == PROPOSALS
    assert memory.engine.dreaming.report(made.id).state == "made"  # type: ignore[attr-defined]


def test_what_stands_behind_a_gathered_memory_is_still_found_by_its_id_for_the_operator(memory: Memory) -> None:
    (step,) = gather(memory).steps  # type: ignore[attr-defined]
    for one in step.memories:
        with pytest.raises(NotFound):
            memory.get(str(one))
        assert memory.get(str(one), include_deprecated=True).state == "archived"
        assert memory.history(str(one))


class Hides:
    """A pass that puts one memory away behind nothing."""

    name, about, touches = "hides", "Hide one memory.", True
    mode: PassMode = "on"

    def __init__(self, hidden: UUID) -> None:
        self._hidden = hidden

    def plan(self, _turn: DreamTurn) -> list[DreamStep]:
        return [DreamStep(of=self.name, does="gather", about=(self._hidden,), hides=(self._hidden,), why="a test")]

    def changes(self, _step: DreamStep) -> list[Change]:
        return [SetState(self._hidden, "archived", "a test")]


@pytest.mark.parametrize(
    ("kept", "state"),
    [("pinned", "rolled_back"), ("approved", "rolled_back"), ("published", "rolled_back"), ("someday", "made")],
)
def test_a_run_that_hides_what_somebody_vouched_for_is_taken_back_however_few_answers_it_costs(
    memory: Memory, kept: str, state: str
) -> None:
    for number in range(40):
        memory.remember(f"Shelf {number} of the pantry holds {number + 2} jars.", pinned=False, verbatim=True)
    one = memory.remember("The cistern key hangs by the loom.", pinned=kept == "pinned", verbatim=True).id
    assert one is not None
    if kept != "pinned":
        memory.tag(str(one), kept)
    prober = Prober(memory.engine.store, lambda cue, _scope, _rest: [hit.memory.id for hit in memory.recall(cue)])
    lenient = Dreaming(memory.engine.store, (Hides(one),), prober, lambda: ("", 50.0), lambda gone: len(gone))
    assert lenient.run(JobTurn(lambda *_: True, 100)).state == state
    assert memory.get(str(one), include_deprecated=True).state == ("archived" if state == "made" else "active")
