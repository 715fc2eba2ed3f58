"""Memories as items: tags that come, move and go, what is believed no longer, links between revisions, bundles,
addresses that name a palace, a revision or a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from palazzo.engine import Engine
from palazzo.errors import CycleRefused, InvalidInput, NotFound, NotPermitted
from palazzo.testing.clock import FixedClock

ORCHARD = "The orchard at Ferndale has ninety pear trees."
MORE = "The orchard at Ferndale has a hundred and ten pear trees."


def kept(ask: Any, text: str = ORCHARD, name: str = "orchard", **given: Any) -> UUID:
    made = ask("remember", text=text, place="work.farm", kind="fact", name=name, verbatim=True, **given)
    assert isinstance(made.id, UUID)
    return made.id


def test_a_tag_is_taken_away_and_its_history_stays(ask: Any, clock: FixedClock) -> None:
    made = kept(ask)
    ask("tag", memory=made, tag="printed")
    clock.advance(days=2)
    ask("update", memory=made, text=MORE)
    ask("tag", memory=made, tag="printed")
    assert [(t.tag, t.memories) for t in ask("tags")] == [("printed", 1)]
    ask("untag", memory=made, tag="printed")
    assert len(ask("tags")) == 0
    (current, printed) = ask("tags", memory=made)
    assert (current.tag, current.revision, [m.revision for m in current.moves]) == ("current", 2, [1, 2])
    assert (printed.tag, printed.revision, printed.memories) == ("printed", None, 0)
    assert [(m.revision, m.until is None) for m in printed.moves] == [(1, False), (2, False)]
    with pytest.raises(NotFound):
        ask("untag", memory=made, tag="printed")
    with pytest.raises(InvalidInput):
        ask("untag", memory=made, tag="current")


def test_tags_in_use_are_counted_for_whom_they_can_see(ask: Any) -> None:
    first, second = kept(ask), kept(ask, "The barn at Ferndale is red.", "barn")
    ask("tag", memory=first, tag="seen")
    ask("tag", memory=second, tag="seen")
    ask("tag", memory=second, tag="printed")
    assert [(t.tag, t.memories) for t in ask("tags")] == [("seen", 2), ("printed", 1)]
    ask("deprecate", memory=first)
    assert [(t.tag, t.memories) for t in ask("tags")] == [("printed", 1), ("seen", 1)]
    assert [(t.tag, t.memories) for t in ask("tags", include_deprecated=True)] == [("seen", 2), ("printed", 1)]
    assert len(ask("tags", project="other")) == 2, "a narrower scope sees what is above it"


def test_what_is_believed_no_longer_is_read_by_the_operator_alone(ask: Any) -> None:
    ask("grant", subject="agent:primary", level="forget", place="**")
    made, other = kept(ask), kept(ask, "The barn at Ferndale is red.", "barn")
    ask("relate", source=other, target=made, kind="depends_on")
    assert ask("deprecate", memory=made, reason="felled").state == "deprecated"
    for name in ("get", "history", "why", "walk", "impact"):
        with pytest.raises(NotFound):
            ask(name, memory=made)
        assert ask(name, memory=made, include_deprecated=True)
        with pytest.raises(NotPermitted):
            ask(name, "agent:primary", memory=made, include_deprecated=True)
    assert ask("get", memory=made, include_deprecated=True).deprecated
    assert [m.text for m in ask("list")] == ["The barn at Ferndale is red."]
    assert {m.id for m in ask("list", include_deprecated=True)} == {made, other}
    assert made not in [hit.memory.id for hit in ask("recall", cue="how many pear trees at Ferndale?")]
    seen = ask("recall", cue="how many pear trees at Ferndale?", include_deprecated=True)
    assert [hit.memory.deprecated for hit in seen if hit.memory.id == made] == [True]
    assert len(ask("path", source=other, target=made, include_deprecated=True)) == 2
    with pytest.raises(NotPermitted):
        ask("recall", "agent:primary", cue="pear trees", include_deprecated=True)
    assert ask("undeprecate", memory=made).state == "active"
    assert ask("get", memory=made).text == ORCHARD


def test_a_published_revision_is_recalled_by_its_tag_whatever_holds_now(ask: Any) -> None:
    made, untagged = kept(ask), kept(ask, "The barn at Ferndale is red.", "barn")
    ask("tag", memory=made, tag="published")
    ask("update", memory=made, text=MORE)
    assert next(hit.text for hit in ask("recall", cue="how many pear trees at Ferndale?")) == MORE
    assert [hit.text for hit in ask("recall", cue="how many pear trees at Ferndale?", tag="published")] == [ORCHARD]
    assert [m.text for m in ask("list", tag="published")] == [ORCHARD]
    assert ask("list", tag="published", count=True).total == 1
    assert {m.revision for m in ask("list", tag="initial")} == {1}
    assert {m.id for m in ask("list", tag="initial")} == {made, untagged}
    assert len(ask("list", tag="x' OR 1 --")) == 0


def test_a_link_is_taken_away_once_and_only_the_one_that_is_meant(ask: Any) -> None:
    made, other = kept(ask), kept(ask, "The barn at Ferndale is red.", "barn")
    ask("relate", source=made, target=other, kind="supports")
    ask("relate", source=made, target=other, kind="related_to")
    with pytest.raises(NotFound) as refused:
        ask("unrelate", source=other, target=made, kind="supports")
    assert ask("unrelate", source=made, target=other, kind="supports").kind == "supports"
    assert [link.kind for link in ask("why", memory=made).links] == ["related_to"]
    with pytest.raises(NotFound) as refused:
        ask("unrelate", source=made, target=other, kind="supports")
    assert "related_to" in (refused.value.hint or "")


def test_an_agent_does_not_end_a_disagreement_by_taking_its_link_away(ask: Any) -> None:
    ask("grant", subject="agent:primary", level="forget", place="**")
    made, other = kept(ask), kept(ask, "The barn at Ferndale is red.", "barn")
    ask("relate", source=made, target=other, kind="contradicts")
    with pytest.raises(NotPermitted):
        ask("unrelate", "agent:primary", source=made, target=other, kind="contradicts")
    assert ask("unrelate", source=made, target=other, kind="contradicts")


def test_links_tell_their_kind_strength_and_revisions_on_the_way(ask: Any) -> None:
    made, plan = kept(ask), kept(ask, "Harvest starts in September.", "harvest")
    ask("update", memory=made, text=MORE)
    link = ask(
        "relate", source="work.farm/harvest.fact", target="work.farm/orchard.fact?r=1", kind="depends_on", weight=0.4
    )
    assert (link.source_revision, link.target_revision) == (None, 1)
    (step,) = ask("walk", memory=plan)
    assert (step.link.kind, step.link.weight, step.link.target_revision) == ("depends_on", 0.4, 1)
    (step,) = ask("impact", memory=made)
    assert (step.memory.id, step.link.source, step.link.kind) == (plan, plan, "depends_on")
    (way,) = ask("path", source=made, target=plan).links
    assert (way.kind, way.source, way.target) == ("depends_on", plan, made)
    ask("unrelate", source=plan, target="work.farm/orchard.fact?r=1", kind="depends_on")
    assert len(ask("walk", memory=plan)) == 0


def test_what_is_told_of_a_link_is_shown_on_every_way_and_replaced_only_by_something_told(ask: Any) -> None:
    made, plan = kept(ask), kept(ask, "Harvest starts in September.", "harvest")
    why = {"because": "the pears ripen", "seen": [3, 4]}
    ends = {"source": plan, "target": made, "kind": "depends_on"}
    assert ask("relate", **ends, weight=0.4, metadata=why).metadata == why
    assert ask("walk", memory=plan)[0].link.metadata == why
    assert ask("impact", memory=made)[0].link.metadata == why
    assert ask("path", source=made, target=plan).links[0].metadata == why
    assert ask("why", memory=made).links[0].metadata == why
    again = ask("relate", **ends)
    assert (again.weight, again.metadata) == (0.4, why)
    assert ask("relate", **ends, metadata={"password": "Kx7-plume-91"}).metadata == {"password": "[password]"}
    assert ask("relate", **ends, metadata={}).metadata == {}
    with pytest.raises(InvalidInput):
        ask("relate", **ends, metadata={"told": "x" * 20_000})


def test_what_was_made_from_a_memory_is_shaken_with_it(ask: Any) -> None:
    made = kept(ask)
    report = ask("register", name="report", place="work.farm", text="The yearly report", made_from=[str(made)])
    assert [(s.memory.id, s.link.kind) for s in ask("impact", memory=made)] == [(report.memory.id, "created_from")]


def test_a_bundle_gathers_memories_and_lets_them_go(ask: Any, clock: FixedClock) -> None:
    first, second = kept(ask), kept(ask, "The barn at Ferndale is red.", "barn")
    made = ask("bundle", name="ferndale", place="work.farm", text="All about the farm", add=[str(first)])
    clock.advance(days=1)
    again = ask("bundle", name="ferndale", place="work.farm", add=[str(second), str(first)])
    assert (again.bundle.id, again.bundle.text) == (made.bundle.id, "All about the farm")
    assert [one.memory.id for one in again] == [first, second]
    assert again[0].since < again[1].since
    ask("bundle", name="ferndale", place="work.farm", remove=[str(first)])
    assert [one.memory.id for one in ask("members", memory="work.farm/ferndale.bundle")] == [second]
    assert [m.name for m in ask("list", kinds=["bundle"])] == ["ferndale"]
    with pytest.raises(InvalidInput):
        ask("members", memory=first)


def test_a_bundle_cannot_hold_itself_by_a_detour(ask: Any) -> None:
    inner = ask("bundle", name="inner", place="work.farm").bundle.id
    outer = ask("bundle", name="outer", place="work.farm", add=[str(inner)]).bundle.id
    with pytest.raises(CycleRefused):
        ask("bundle", name="inner", place="work.farm", add=[str(outer)])
    with pytest.raises(CycleRefused):
        ask("relate", source=inner, target=outer, kind="contains")


def test_an_address_that_names_another_palace_is_not_answered_by_this_one(ask: Any, engine: Engine) -> None:
    engine.folder = Path("somewhere/Ferndale Farm")
    made = kept(ask)
    for address in ("kref://ferndale-farm/work/farm/orchard.fact", "kref://palace/work/farm/orchard.fact"):
        assert ask("get", memory=address).id == made
    with pytest.raises(NotFound) as refused:
        ask("get", memory="kref://neighbour/work/farm/orchard.fact")
    assert "ferndale-farm" in str(refused.value)


def test_an_address_with_a_file_gives_the_file(ask: Any, tmp_path: Path) -> None:
    plan, photo = tmp_path / "plan.txt", tmp_path / "photo.txt"
    plan.write_text("rows of pears")
    photo.write_text("a pear")
    ask("register", name="survey", place="work.farm", text="The survey", files=[str(plan), str(photo)])
    both = ask("get", memory="work.farm/survey.asset")
    assert [one.name for one in both.artifacts] == ["photo.txt", "plan.txt"]
    (found,) = ask("get", memory="work.farm/survey.asset?a=plan.txt").artifacts
    assert (found.name, found.size, found.state) == ("plan.txt", 13, "unchanged")
    plan.write_text("rows of plums")
    assert ask("get", memory="work.farm/survey.asset?r=1&a=plan.txt").artifacts[0].state == "changed"
    with pytest.raises(NotFound):
        ask("get", memory="work.farm/survey.asset?a=map.txt")


def test_a_word_with_a_slip_of_the_pen_is_found(ask: Any) -> None:
    kept(ask)
    assert [hit.text for hit in ask("recall", cue="Ferndlae orchard trees")] == [ORCHARD]
    sauna = "The office has a sauna on its roof."
    ask("remember", text=sauna)
    assert [hit.text for hit in ask("recall", cue="sauan")] == [sauna]
