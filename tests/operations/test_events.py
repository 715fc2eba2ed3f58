"""The journal as callers see it: in order, without content, and only about what they may know of."""

from __future__ import annotations

from typing import Any

from palazzo.operations.arguments import as_plain


def kinds(found: Any) -> list[str]:
    return [event.kind for event in found]


def test_events_come_in_order_and_go_on_where_they_ended(ask: Any) -> None:
    made = ask("remember", text="The Heron server listens on port 8080.", place="work").id
    first = ask("events", limit=1)
    assert (kinds(first), first.last) == (["memory_placed"], first.events[0].seq)
    ask("forget", memory=made)
    rest = ask("events", after=first.last)
    assert "memory_forgotten" in kinds(rest)
    assert all(event.memory == made for event in rest)
    assert len(ask("events", after=rest.last)) == 0
    beyond = str(int(rest.last) + 50)
    assert ask("events", after=beyond).last == beyond
    assert ask("events", after="now").last == rest.last


def test_events_carry_no_content_and_keep_to_the_reach_of_the_caller(ask: Any) -> None:
    for place in ("work.projects", "life.places"):
        ask("remember", text=f"The Heron stands in {place}.", place=place, name="heron")
    ask("grant", subject="agent:guest", level="metadata", place="work.**")
    seen = ask("events", "agent:guest")
    assert {event.memory for event in seen} == {ask("get", memory="work.projects/heron.fact").id}
    assert "Heron" not in str(as_plain(ask("events")))
    assert seen.last == seen.events[-1].seq
    assert len(ask("events", "agent:guest", after=seen.last)) == 0
