"""`why` for everything intake makes: an answer for each memory, and every clause leads to what it speaks of."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

from palazzo.belief.conflicts import decide
from palazzo.belief.why import MOST_CLAUSES, why
from palazzo.errors import NotFound
from palazzo.intake.pipeline import Pipeline
from palazzo.model.address import Kref
from palazzo.model.capability import View
from palazzo.model.message import Message
from palazzo.spaces import Spaces
from palazzo.store.api import Filter
from palazzo.store.sql.memory import memories, search
from palazzo.store.sql.reading import SqlReading
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import make_store

TALK = (
    ("user", "I moved to Lisbon in May. My sister Lena lives there too, with two cats."),
    ("assistant", "How nice! Do you like it?"),
    ("user", "Yes. I work as a nurse at the harbour clinic, and I always take the ferry."),
    ("user", "My favourite colour is blue. I am allergic to peanuts."),
    ("user", "Actually, my favourite colour is black now. And I quit the clinic: I am a teacher since March."),
)
NOTES = (
    "Deploys to production happen on Tuesdays.",
    "Step 1: pull the branch. Step 2: run the tests. Step 3: tag the release.",
    "Deploys to production happen on Thursdays now.",
    "Always answer me in metric units.",
)


def traced(reading: SqlReading, about: str, nodes: set[UUID]) -> bool:
    """Whether what a clause speaks of is there: a node of the chain, or a revision this reader can open."""
    try:
        return UUID(about) in nodes
    except ValueError:
        pass
    try:
        memories.at_address(reading, Kref.parse(about))
    except NotFound:
        return False
    return True


def test_every_memory_made_by_intake_says_why_and_every_clause_is_traced(tmp_path: Path) -> None:
    clock = FixedClock()
    with make_store(tmp_path / "palace", clock=clock) as store:
        pipeline = Pipeline(store, clock, Spaces(store, None, "none", lambda _: None), decide)
        for role, text in TALK:
            clock.advance(hours=1)
            message = Message(text=text, role=role, speaker=role, author=role, thread="evening", session="1")  # type: ignore[arg-type]
            pipeline.take([message], "observe")
        for text in NOTES:
            clock.advance(hours=1)
            pipeline.take([Message(text=text, author="operator", source="message", label="desk")], "remember")
        with store.reading(View()) as reading:
            keys = search.keys_where(reading, Filter(), 1000)
            found = list(memories.by_keys(reading, keys.tolist()).values())
            assert len(found) > len(TALK) + len(NOTES)
            for memory in found:
                account = why(reading, memory.id)
                nodes = {source.node.id for source in account.sources} | {one.node.id for one in account.chain}
                assert account.sources, memory.text
                assert 2 <= len(account.reasons) <= MOST_CLAUSES
                assert all(one.depth <= 5 for one in account.chain)
                untraced = [one for one in account.reasons if not traced(reading, one.about, nodes)]
                assert not untraced, untraced
