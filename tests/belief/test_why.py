from __future__ import annotations

import itertools

import pytest

from palazzo.belief.operations import Assertion, Operations
from palazzo.belief.why import MOST_CLAUSES, why
from palazzo.engine import Engine
from palazzo.errors import NotFound
from palazzo.model.capability import View
from palazzo.model.change import AddEdge, Attachments, LinkProvenance
from palazzo.model.graph import EdgeDraft, LinkKind, Node, NodeKind, ProvenanceEdge, ProvenanceNode, Source
from palazzo.model.ids import new_id
from palazzo.model.memory import Atom
from palazzo.model.message import Message
from palazzo.spaces import Spaces
from palazzo.store.api import Filter
from palazzo.store.sql.memory import memories, search
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import place_memory

VIEW = View()


def node(kind: NodeKind, at_us: int, label: str, author: str = "") -> ProvenanceNode:
    return ProvenanceNode(id=new_id(at_us), kind=kind, at_us=at_us, label=label, author=author)


def test_every_happening_behind_a_memory_has_a_clause_that_names_its_node(store: SqliteStore) -> None:
    """The worked example of seed 000: a file open in an editor, a command before it, a sentence in a chat."""
    at = FixedClock.START_US
    chat = node("conversation", at, "evening-chat", "mira")
    page = node("file", at - 60_000_000, "explore.html")
    editor = node("app_activation", at - 90_000_000, "the editor")
    diff = node("command", at - 120_000_000, "git diff HEAD~1")
    said = "Let us keep it monochrome, with one warm accent. And buy milk."
    turn = place_memory(said, kind="exchange", place="forest.today")
    made = place_memory(
        "The explore page is monochrome with one warm accent.", kind="decision", place="work.site",
        attachments=Attachments(
            sources=(Source(node=chat, start=0, end=48),), edges=(EdgeDraft("derived_from", Node(turn.memory_id)),)
        ),
    )  # fmt: skip
    holder = place_memory("x", attachments=Attachments(sources=tuple(Source(node=n) for n in (page, editor, diff))))
    links: tuple[tuple[LinkKind, ProvenanceNode, ProvenanceNode], ...] = (
        ("context_for", chat, page), ("context_for", page, editor), ("triggered_by", editor, diff),
    )  # fmt: skip
    store.commit([turn, made, holder])
    store.commit([LinkProvenance(edges=tuple(ProvenanceEdge(kind, a.id, b.id) for kind, a, b in links))])
    with store.reading(VIEW) as reading:
        account = why(reading, made.memory_id)
    about = {reason.about: reason.text for reason in account.reasons}
    assert {str(one.id) for one in (chat, page, editor, diff)} <= about.keys()
    assert 'mira said: "Let us keep it monochrome, with one warm accent."' in about[str(chat.id)]
    assert "buy milk" not in account.text
    assert "while the file explore.html was open" in about[str(page.id)]
    assert "right after the command `git diff HEAD~1` was run" in about[str(diff.id)]
    assert all(reason.about for reason in account.reasons)
    assert account.text.startswith('I hold "The explore page is monochrome with one warm accent." at work.site.')


def test_a_memory_without_a_source_is_said_to_have_none(store: SqliteStore) -> None:
    made = place_memory("Deploys are on Tuesdays", author="ann")
    store.commit([made])
    with store.reading(VIEW) as reading:
        account = why(reading, made.memory_id)
    assert "written by ann on 16 June 2025 at 12:00 UTC; no further source was recorded." in account.text
    assert all(reason.about for reason in account.reasons)


def test_the_account_says_since_when_and_what_was_replaced(store: SqliteStore, clock: FixedClock) -> None:
    operations = Operations(store, VIEW)
    first = operations.revise(Assertion(atoms=(Atom("ann", "colour", "blue", functional=True),), text="Blue it is"))
    clock.advance(days=2)
    operations.revise(Assertion(atoms=(Atom("ann", "colour", "black", functional=True),), text="Black it is"))
    assert first.memory_id is not None
    with store.reading(VIEW) as reading:
        told = why(reading, first.memory_id).text
    assert "since 18 June 2025 at 12:00 UTC; it replaced revision 1." in told


def test_grounds_are_named(store: SqliteStore) -> None:
    ground, made = place_memory("Port 8080 is taken"), place_memory("Use port 9090")
    store.commit([ground, made])
    store.commit([AddEdge("depends_on", Node(made.memory_id), Node(ground.memory_id))])
    with store.reading(VIEW) as reading:
        assert 'It rests on "Port 8080 is taken".' in why(reading, made.memory_id).text


def test_the_walk_behind_a_memory_is_bounded(store: SqliteStore) -> None:
    chain = [node("command", FixedClock.START_US - n, f"step {n}") for n in range(9)]
    made = place_memory("deep", attachments=Attachments(sources=(Source(node=chain[0]),)))
    others = [
        place_memory(f"o{n}", attachments=Attachments(sources=(Source(node=one),))) for n, one in enumerate(chain)
    ]
    store.commit([made, *others])
    pairs = itertools.pairwise(chain)
    store.commit([LinkProvenance(edges=tuple(ProvenanceEdge("caused_by", a.id, b.id) for a, b in pairs))])
    with store.reading(VIEW) as reading:
        account = why(reading, made.memory_id)
    assert [one.depth for one in account.chain] == [0, 1, 2, 3, 4, 5]
    assert len(account.reasons) <= MOST_CLAUSES


def test_what_a_reader_may_not_see_has_no_reasons_for_them(store: SqliteStore) -> None:
    made = place_memory("hidden", place="vault.keys")
    store.commit([made])
    with store.reading(View(reach=())) as reading, pytest.raises(NotFound):
        why(reading, made.memory_id)


def test_every_memory_made_by_intake_has_reasons_that_lead_to_a_node(store: SqliteStore, clock: FixedClock) -> None:
    spaces = Spaces(store, None, "none", lambda _: None)
    engine = Engine(store, clock, spaces)
    said = (
        "I live in Bern and I work as a nurse. My sister Lena has two cats.",
        "The deadline moved from May 1 to May 9. We decided to use PostgreSQL for the archive.",
        "Actually, I moved to Basel last month.",
    )
    for text in said:
        clock.advance(minutes=5)
        engine.observe([Message(text=text, thread="talk", speaker="mira", role="user")])
    with store.reading(VIEW) as reading:
        keys = search.keys_where(reading, Filter(), 100).tolist()
        found = list(memories.by_keys(reading, keys).values())
    assert len(found) > len(said)
    for memory in found:
        account = engine.beliefs.why(memory.id)
        nodes = {str(one.node.id) for one in account.chain}
        assert nodes, memory.text
        assert nodes & {reason.about for reason in account.reasons}
        assert all(reason.about for reason in account.reasons)
        assert "mira said" in account.text
