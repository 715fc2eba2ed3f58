"""The palace looked over: what a place means, what is where, what came when, which facts there are, where one went."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from palazzo import Memory
from palazzo.engine import Engine
from palazzo.guard.reduce import Exists
from palazzo.testing.clock import FixedClock


def kept(ask: Any, text: str, place: str, **given: Any) -> UUID:
    made = ask("remember", text=text, place=place, verbatim=True, **given)
    assert isinstance(made.id, UUID)
    return made.id


def furnish(ask: Any) -> None:
    kept(ask, "The kiln fires at nine hundred degrees.", "work.pottery", kind="fact")
    kept(ask, "Glaze number four is cobalt.", "work.pottery.glazes", kind="fact")
    kept(ask, "Clay comes on Tuesdays.", "work.orders", kind="task")
    kept(ask, "The choir meets in the chapel.", "life.music", kind="event")


def test_a_new_palace_has_the_usual_places_and_keeps_them_empty(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace", embedder="none", upkeep=False) as memory:
        top = {place.place: place.seal for place in memory.places()}
        assert set(top) == {"work", "life", "creative", "learning", "forest", "_system"}, "the vault is locked"
        assert set(top.values()) == {"open"}
        assert [place.place for place in memory.places(place="forest")] == [
            "forest.month", "forest.today", "forest.transients", "forest.week"
        ]  # fmt: skip
        assert memory.status().memories == 0
        with Memory(tmp_path / "palace", embedder="none", upkeep=False, subject="agent:guest") as guest:
            memory.grant("agent:guest", "read_public")
            assert len(guest.places()) == 0, "an empty place is told to the operator alone"
        assert memory.verify().clean


def test_a_place_alone_is_that_place_and_two_stars_are_all_of_it(ask: Any) -> None:
    furnish(ask)
    assert [m.place for m in ask("list", place="work.pottery")] == ["work.pottery"]
    assert {m.place for m in ask("list", place="work.pottery.**")} == {"work.pottery", "work.pottery.glazes"}
    assert {m.place for m in ask("list", place="work.*")} == {"work.pottery", "work.orders"}
    assert len(ask("list", place="work")) == 0
    cue = "what about glaze, clay and kiln?"
    (hit,) = ask("recall", cue=cue, place="work.pottery", min_relevance=0)
    assert hit.memory.place == "work.pottery"
    assert len(ask("recall", cue=cue, place="work.**", min_relevance=0)) == 3
    assert ask("burn", place="work").memories == 0
    assert ask("burn", place="work.**").memories == 3


def test_a_cue_that_is_an_address_is_walked_and_nothing_is_searched(ask: Any) -> None:
    furnish(ask)
    kept(ask, "work.pottery is where I spend my days.", "life.notes", kind="fact")
    found = ask("recall", cue="work.pottery")
    assert [hit.text for hit in found] == ["The kiln fires at nine hundred degrees."]
    assert (found.weights, found.intent) == ("place", "lookup")
    assert len(ask("recall", cue="work.**")) == 3
    assert ask("recall", cue="work.**#1999-01").known is False


def test_an_overview_tells_what_is_where_and_of_what_kind(ask: Any, clock: FixedClock) -> None:
    furnish(ask)
    clock.advance(days=10)
    late = kept(ask, "The choir sings on Sundays.", "life.music", kind="event")
    ask("tag", memory=late, tag="confirmed")
    ask("get", memory=late)
    ask("trail")
    seen = ask("overview")
    assert (seen.memories, seen.last_7_days) == (5, 1)
    assert [(p.name, p.count) for p in seen.places] == [("work", 3), ("life", 2)]
    assert {k.name: k.count for k in seen.kinds} == {"fact": 2, "event": 2, "task": 1}
    assert [(t.name, t.count) for t in seen.tags] == [("confirmed", 1)]
    assert (seen.newest[0].id, seen.looked_at) == (late, 5)
    assert seen.visits > 0
    assert all(topic.count >= 1 for topic in seen.topics)
    part = ask("overview", place="work.**")
    assert [(p.name, p.count) for p in part.places] == [("work.pottery", 2), ("work.orders", 1)]


def test_the_days_of_an_activity_add_up_and_so_do_its_places(ask: Any, clock: FixedClock) -> None:
    furnish(ask)
    clock.advance(days=3)
    kept(ask, "A second kiln was bought.", "work.pottery")
    found = ask("activity", days=5)
    assert [day.memories for day in found] == [0, 4, 0, 0, 1]
    assert found.total == sum(day.memories for day in found) == sum(place.count for place in found.places) == 5
    assert [(p.name, p.count) for p in found.places] == [("work", 4), ("life", 1)]
    assert [(p.name, p.count) for p in found[4].places] == [("work", 1)]
    assert ask("activity", days=3).total == 1
    assert ask("activity", days=5, place="life.**").total == 1


def test_a_day_begins_where_the_clock_on_the_wall_says(ask: Any, clock: FixedClock) -> None:
    furnish(ask)
    (utc,) = ask("activity", days=1, zone="UTC")
    hours = clock.now_us() // 3_600_000_000 % 24
    ahead = ask("activity", days=2, zone="+14:00")
    assert [day.memories for day in ahead] == [0, 4]
    assert isinstance(utc.day, date)
    assert ahead[1].day == utc.day if hours < 10 else ahead[1].day > utc.day


def test_facts_are_listed_by_place_by_words_and_by_attribute(ask: Any) -> None:
    ask("remember", text="I use Helix as my editor.", place="work.tools")
    ask("remember", text="I live in Porto.", place="life.places")
    every = ask("facts")
    assert {fact.value.casefold() for fact in every} >= {"helix", "porto"}
    (editor,) = [fact for fact in ask("facts", place="work.tools") if fact.value.casefold() == "helix"]
    assert ask("get", memory=editor.memory).place == "work.tools"
    assert {f.value.casefold() for f in ask("facts", about="PORTO")} == {"porto"}
    assert editor.value in {f.value for f in ask("facts", attribute=editor.attribute)}
    assert len(ask("facts", attribute="shoe_size")) == 0
    assert ask("facts", limit=1).more is True


def test_reads_and_writes_leave_breadcrumbs_with_the_memory_for_two_days(
    ask: Any, clock: FixedClock, engine: Engine
) -> None:
    made = kept(ask, "The kiln fires at nine hundred degrees.", "work.pottery", name="kiln", kind="fact")
    clock.advance(minutes=90)
    ask("recall", cue="how hot does the kiln fire?")
    found = ask("trail")
    assert [(v.memory, v.place, v.subject) for v in found] == [(made, "work.pottery", "operator")] * 2
    assert found[0].at > found[1].at
    assert found[0].address == "work.pottery/kiln.fact"
    clock.advance(hours=47)
    assert len(ask("trail")) == 1
    ask("update", memory=made, text="The kiln fires at a thousand degrees.")
    assert len(ask("trail", place="work.**", hours=1)) == 1
    clock.advance(hours=49)
    assert len(ask("trail")) == 0
    assert len(ask("trail", hours=24 * 30)) == 3
    day = found[1].at.date().isoformat()
    assert next(v.trail for v in ask("trail", hours=24 * 30, name=day)) == day
    ask("forget", memory=made)
    assert all(visit.memory is None for visit in ask("trail", hours=24 * 30)), "what is forgotten is told to nobody"


def test_nobody_but_the_operator_sees_where_others_went(ask: Any, clock: FixedClock) -> None:
    for name in ("agent:one", "agent:two"):
        ask("grant", subject=name, level="write", place="**")
    kept(ask, "The kiln fires at nine hundred degrees.", "work.pottery")
    ask("recall", "agent:one", cue="how hot does the kiln fire?")
    clock.advance(minutes=1)
    assert [v.subject for v in ask("trail", "agent:one")] == ["agent:one"]
    assert len(ask("trail", "agent:two")) == 0
    assert len(ask("trail", "agent:two", subject="agent:one")) == 0
    assert {v.subject for v in ask("trail")} == {"operator", "agent:one"}
    assert {v.subject for v in ask("trail", subject="agent:one")} == {"agent:one"}


def test_an_overview_for_an_anchor_is_only_whether_there_is_anything(ask: Any) -> None:
    furnish(ask)
    ask("grant", subject="agent:one", level="anchor", place="**")
    assert ask("overview", "agent:one") == Exists(exists=True)
    assert ask("activity", "agent:one") == Exists(exists=True)


@pytest.mark.parametrize("place", ["a b.**", "work..x", "work.***"])
def test_a_place_that_is_none_is_refused(ask: Any, place: str) -> None:
    from palazzo.errors import InvalidAddress

    for name in ("overview", "activity", "facts", "trail"):
        with pytest.raises(InvalidAddress):
            ask(name, place=place)


def test_a_palace_is_laid_out_the_same_way_and_what_comes_later_moves_nothing(ask: Any) -> None:
    furnish(ask)
    first = ask("layout")
    assert ask("layout") == first
    assert sum(place.count for place in first.places) == len(first.ids) == 4
    assert [first.kinds[number] for number in first.kind] == ["fact", "fact", "task", "event"]
    new = kept(ask, "Slip is thinned with rain water.", "work.pottery")
    after = ask("layout")
    assert (after.x[:4], after.y[:4]) == (first.x, first.y)
    ask("relate", source=new, target=first.ids[0], kind="supports")
    ((source, target, kind),) = ask("layout").links
    assert (after.ids[source], after.ids[target]) == (str(new), first.ids[0])
    assert ask("layout").link_kinds[kind] == "supports"
    assert ask("layout", limit=2).ids == after.ids[-2:]
    assert ask("layout", limit=2).more


def test_discs_of_a_map_never_overlap() -> None:
    from math import hypot

    from palazzo.operations.palace.run import laid_out

    discs, points = laid_out([f"place.n{(n * n) % 37}" for n in range(700)])
    assert len(points) == 700
    for n, one in enumerate(discs):
        assert all(hypot(one.x - two.x, one.y - two.y) > one.radius + two.radius for two in discs[:n])


def test_places_and_the_overview_are_told_as_they_were(ask: Any, clock: FixedClock) -> None:
    furnish(ask)
    then = clock.now()
    clock.advance(days=1)
    kept(ask, "The wheel was oiled.", "work.pottery")
    assert ask("overview").memories == 5
    assert ask("overview", as_of=then).memories == 4
    ask("tag", memory=str(ask("list", limit=1).memories[0].id), tag="checked")
    assert [len(ask("overview", as_of=when).tags) for when in (then, None)] == [0, 1]
    counts = {place.place: place.memories for place in ask("places", deep=True, as_of=then)}
    assert counts == {"life.music": 1, "work.orders": 1, "work.pottery": 1, "work.pottery.glazes": 1}
    assert {place.place: place.memories for place in ask("places", deep=True)}["work.pottery"] == 2
    assert len(ask("layout", as_of=then).ids) == 4
    was = ask("activity", as_of=then)
    assert (was.total, was.days[-1].day) == (4, then.date())
    visits = ask("overview", as_of=then).visits
    clock.advance(hours=1)
    ask("recall", cue="was the wheel oiled?")
    ask("trail")  # what was read is written down by now
    assert ask("overview", as_of=then).visits == visits


def test_an_overview_counts_what_waits_as_the_inbox_shows_it(ask: Any) -> None:
    assert ask("overview").waiting == 0
    for text in ("My name is Lea.", "My name is Leah."):
        ask("remember", text=text, place="life")
    ask("grant", subject="agent:scribe", level="write", place="work.**")
    rule = "Always sign letters as the bindery."
    ask("remember", "agent:scribe", text=rule, place="work.letters", kind="instruction")
    waits = ask("review")
    assert len(waits.disagreements) == len(waits.instructions) == 1
    assert ask("overview").waiting == 2


def test_a_map_shows_nobody_what_they_may_not_see(ask: Any) -> None:
    furnish(ask)
    ask("grant", subject="agent:guest", level="read_public", place="life.**")
    assert [place.name for place in ask("layout", "agent:guest").places] == ["life.music"]


def test_the_operator_sees_whose_memories_there_are_and_everybodys_grants(ask: Any) -> None:
    furnish(ask)
    kept(ask, "Anna sails on Sunday.", "life.boats", user_id="anna")
    assert {scope.name: scope.count for scope in ask("scopes")} == {"": 4, "user:anna": 1}
    ask("grant", subject="agent:guest", level="write", place="work.**")
    ask("grant", subject="mcp:desk", level="metadata", place="life.**")
    assert {(one.subject, one.level) for one in ask("grants")} >= {("agent:guest", "write"), ("mcp:desk", "metadata")}
