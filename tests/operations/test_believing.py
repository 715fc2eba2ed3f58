"""Belief through the registry: revising, looking back, audits, products; within scope and capability."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.operations.test_capability import grant

from palazzo.engine import Engine
from palazzo.errors import InvalidInput, NotFound, NotPermitted, Refused
from palazzo.model.capability import Level
from palazzo.testing.clock import FixedClock

VIM, HELIX = "I use vim as my editor.", "I use Helix as my editor."


def held(ask: Any, **keys: Any) -> set[str]:
    return {one.says for one in ask("as_of", **keys)}


def test_a_statement_in_plain_words_is_revised_and_the_old_one_stays_within_reach(ask: Any, clock: FixedClock) -> None:
    first = ask("revise", text=VIM)
    before = clock.now()
    clock.advance(days=30)
    changed = ask("revise", text=HELIX, occasion="change")
    assert (len(changed.added), len(changed.dropped), changed.memory) == (1, 1, first.memory)
    assert ["helix" in one.says.lower() for one in ask("as_of")] == [True]
    assert ["vim" in one.says for one in ask("as_of", at=before)] == [True]
    assert [hit.text for hit in ask("recall", cue="which editor?", as_of=before)] == [VIM]
    ask("revert", memory=first.memory, revision=1)
    assert ["vim" in one.says for one in ask("as_of")] == [True]
    assert "vim" in ask("why", memory=first.memory).text


def test_a_named_slot_serves_where_words_do_not(ask: Any) -> None:
    with pytest.raises(InvalidInput, match="attribute"):
        ask("revise", text="Well, hm, it depends.")
    made = ask("revise", text="Warm tones it is.", about="site", slot="tones", value="warm")
    assert made.added == ("site tones warm",)
    assert ask("revise", text="Cool ones.", about="site", slot="tones", value="cool").dropped == ("site tones warm",)
    with pytest.raises(InvalidInput, match="together"):
        ask("revise", text="x y", slot="tones")


def test_a_correction_brings_back_what_the_error_had_displaced(ask: Any) -> None:
    for value in ("blue", "black"):
        ask("revise", text=f"It is {value}.", slot="colour", value=value)
    back = ask("revise", text="No, not black.", slot="colour", value="black", denied=True)
    assert back.reinstated == ("user colour blue",)


def test_what_is_contracted_is_neither_held_nor_denied(ask: Any) -> None:
    ask("revise", text=VIM)
    gone = ask("contract", text=VIM)
    assert len(gone.dropped) == 1
    assert held(ask) == set()
    assert ask("contract", text=VIM).dropped == ()


def test_a_secret_is_refused_on_every_way_in(ask: Any) -> None:
    secret = "My AWS key is AKIAIOSFODNN7EXAMPLE and wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY."
    source = {"kind": "url", "reference": "u"}
    for name, arguments in (
        ("revise", {"text": secret, "slot": "key", "value": "x"}),
        ("propose", {"text": secret, "sources": [source]}),
        ("propose", {"text": "A key is known.", "sources": [{**source, "excerpt": secret}]}),
        ("register", {"name": "x", "place": "work", "text": secret}),
    ):
        with pytest.raises(Refused):
            ask(name, **arguments)


def test_a_caller_gives_up_only_what_it_may_write(engine: Engine, ask: Any) -> None:
    ask("revise", text="Warm.", about="site", slot="tones", value="warm", place="life.site")
    grant(engine, "agent:desk", Level.write, "work.**")
    changed = ask("revise", "agent:desk", text="Cool.", about="site", slot="tones", value="cool", place="work.site")
    assert changed.dropped == ()
    assert held(ask) == {"site tones warm", "site tones cool"}
    assert ask("contract", "agent:desk", text="Warm.", about="site", slot="tones", value="warm").dropped == ()
    with pytest.raises(NotPermitted):
        ask("revise", "agent:desk", text="Cool.", about="site", slot="tones", value="cool", place="life.site")


def test_what_lies_outside_reach_or_scope_is_not_found(engine: Engine, ask: Any) -> None:
    ask(
        "revise", text="Warm.", about="site", slot="tones", value="warm", place="life.site", name="site", user_id="anna"
    )
    made = ask("register", name="logo", place="life.site", text="A fox.", tags=["approved"], user_id="anna").memory.id
    claim = ask("propose", text="Boats float.", sources=[{"kind": "url", "reference": "u"}], user_id="anna").id
    grant(engine, "agent:desk", Level.forget, "work.**")
    strangers: tuple[tuple[str, dict[str, Any]], ...] = (
        ("operator", {}), ("operator", {"user_id": "ben"}), ("agent:desk", {"user_id": "anna"}),
    )  # fmt: skip
    for subject, keys in strangers:
        for name, arguments in (
            ("staleness", {"memory": made}), ("outcome", {"memory": made, "went": "badly"}),
            ("revert", {"memory": made, "revision": 1}), ("path", {"source": made, "target": made}),
            ("product", {"name": "logo", "place": "life.site"}),
        ):  # fmt: skip
            with pytest.raises(NotFound):
                ask(name, subject, **arguments, **keys)
        assert held(ask, **keys) == set() if subject == "operator" else True
    for keys in ({}, {"user_id": "ben"}):
        with pytest.raises(NotFound):
            ask("preview", claim=claim, **keys)
        assert len(ask("claims", **keys)) == 0
    assert held(ask, user_id="anna") == {"site tones warm"}
    assert ask("product", name="logo", place="life.site", user_id="anna").memory.id == made


def test_two_memories_are_joined_by_the_shortest_chain(ask: Any) -> None:
    one, two, three = (ask("remember", text=text).id for text in ("The lake is deep.", "Roses bloom.", "Owls hunt."))
    ask("relate", source=one, target=two)
    ask("relate", source=two, target=three)
    assert [memory.id for memory in ask("path", source=one, target=three)] == [one, two, three]
    assert len(ask("path", source=one, target=three, depth=1)) == 0


def test_what_went_badly_lowers_trust_in_it_and_in_what_rests_on_it(ask: Any) -> None:
    ground, top = (ask("remember", text=text).id for text in ("The log says green.", "The lamp is green."))
    ask("relate", source=top, target=ground, kind="derived_from")
    before = ask("outcome", memory=top, went="well")
    for _ in range(4):
        ask("outcome", memory=ground, went="badly")
    after = ask("outcome", memory=top, went="well")
    assert after.trust < before.trust
    assert after.weakest == ground
    assert after.confirm_first


def test_a_habit_that_moved_is_seen_reviewed_and_answered_by_a_person(ask: Any, clock: FixedClock) -> None:
    made = ask("remember", text="I prefer Python.", kind="preference", name="language").id
    ask("recheck")
    counts = [{"family": "language", "dimension": "python", "count": 8}, {"family": "Language", "dimension": "Rust"}]
    assert ask("signal", counts=[*counts, {"family": "language", "dimension": "rust", "count": 220}]).flagged == 1
    look = ask("staleness", memory=made)
    assert (look.flagged, look.evidence["count"], look.evidence["total"]) == (True, 8, 229)
    assert [one.memory.id for one in ask("review").stale] == [made]
    clock.advance(days=200)
    ask("signal", counts=[{"family": "language", "dimension": "rust", "count": 229}, {**counts[0]}])
    assert ask("recheck").flagged == 1
    waiting = ask("review")
    assert [one.memory.id for one in waiting.stale] == [made]
    assert waiting.due
    assert ask("recall", cue="which language do I prefer?")[0].caveat.startswith("may have changed")
    with pytest.raises(NotPermitted):
        ask("resolve", "agent:primary", memory=made, answer="dismiss")
    assert ask("resolve", memory=made, answer="dismiss").confidence > 0.6
    assert ask("review").stale == ()
    assert not ask("review").due


def test_another_agent_finds_the_approved_product_by_its_tag(engine: Engine, ask: Any, tmp_path: Path) -> None:
    brief = ask("remember", text="The logo shows a fox.").id
    file = tmp_path / "fox.svg"
    file.write_text("coral")
    made = ask("register", name="logo", place="work.desk", text="A fox, coral.", made_from=[brief], files=[str(file)])
    assert made.made_from == (brief,)
    assert [(one.name, one.state) for one in made.files] == [("fox.svg", "unchanged")]
    with pytest.raises(NotFound):
        ask("product", name="logo", place="work.desk")
    ask("tag", memory=made.memory.id, tag="approved", revision=1)
    again = ask("register", "agent:primary", name="logo", place="work.desk", text="A fox, grey.", files=[str(file)])
    assert (again.memory.id, again.memory.revision) == (made.memory.id, 2)
    assert [(one.size, one.sha256, one.state) for one in again.files] == [(None, None, "")]
    found = ask("product", "agent:primary", name="logo", place="work.desk")
    assert (found.memory.text, found.memory.revision, found.made_from) == ("A fox, coral.", 1, (brief,))
    assert ask("product", name="logo", place="work.desk", tag="current").memory.text == "A fox, grey."


@pytest.mark.parametrize("name", ["register", "remember"])
def test_a_tag_given_twice_is_set_once_and_a_blank_one_is_refused(ask: Any, name: str) -> None:
    given = {"name": "logo", "place": "work.desk", "text": "A fox, coral."}
    ask(name, **given, tags=["approved", "final", "approved"])
    with pytest.raises(InvalidInput, match="a tag has a name"):
        ask(name, **given, tags=["approved", " "])
