"""A client's own list of work: what is on it stands as it says.

Owns what is kept of such a list from one writing to the next, and how its entries meet the plans that were told in
talk. Knows no client's format. Invariants: an entry is open, done or cancelled as the list says, but what a person gave
up in talk is in doubt while the list has it open; an entry that an edited list no longer has is cancelled; a list that
has nothing of the one before says nothing of its open entries, which are then in doubt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from palazzo.persona.desk import SAME, PlanDesk
from palazzo.persona.work import ItemState, WorkItem
from palazzo.text.meaning.plans import figures, matter_pairs, matter_terms

MOST: Final = 60
"""Entries that are kept, those that were told last."""
MEANT: Final = 0.5
"""Share of all words of an entry and a plan that must be in both, unless the plan alone has a name that is in it."""

REMARKS: Final[dict[ItemState, str]] = {
    "open": "on the list", "done": "done on the list", "cancelled": "taken off the list", "unsure": "perhaps given up",
}  # fmt: skip


class Todo(msgspec.Struct, frozen=True, gc=False):
    """One entry, and when the list said so last; with a key it is told by itself, without one all of the list is."""

    text: str
    state: ItemState
    at_us: int
    key: str = ""


def relisted(before: Sequence[Todo], todos: Sequence[Todo]) -> tuple[Todo, ...]:
    """What is kept when a list is written again, or an entry of it is told; where nothing is told, what was kept."""
    if not todos:
        return tuple(before)
    known = {one.key or one.text: one for one in before}
    told = {
        todo.key or todo.text: replace(todo, text=todo.text or known[todo.key].text)
        for todo in todos
        if todo.text or todo.key in known
    }
    if any(todo.key for todo in todos):
        left = [one for name, one in known.items() if name not in told]
        return (*left, *told.values())[-MOST:]
    on_it = {name: one.state for name, one in known.items() if name in told or one.state == "open"}
    if on_it == {name: one.state for name, one in told.items()}:
        return tuple(before)  # it is the list of before, and no news
    edited = not told.keys().isdisjoint(known)
    fresh = [matter_terms(name) for name in told if name not in known]
    left = []
    for name, one in known.items():
        if name in told or (one.state == "open" and any(_alike(matter_terms(name), other) for other in fresh)):
            continue  # it is still there, or in other words
        off = one.state == "open" and not one.key
        off_us = max(todo.at_us for todo in todos)
        left.append(replace(one, state="cancelled" if edited else "unsure", at_us=off_us) if off else one)
    return (*left, *told.values())[-MOST:]


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= SAME * max(1, min(len(one), len(other))) and figures(one) == figures(other)


def laid_on(desk: PlanDesk, one: Todo) -> None:
    """What an entry says of the plans that it means; one that nobody spoke of is a plan itself."""
    said, pairs = matter_terms(one.text), matter_pairs(one.text)
    named = [at for at, item in enumerate(desk.items) if pairs & item.pairs]
    meant = [
        (len(said & item.terms) / max(1, len(said), len(item.terms)), at, item)
        for at, item in enumerate(desk.items)
        if figures(said) == figures(item.terms)
    ]
    best = max((share for share, *_ in meant), default=0.0)
    found = [(at, item) for share, at, item in meant if share == best and (share >= MEANT or named == [at])]
    for at, item in found if one.state != "unsure" else ():
        state: ItemState = "unsure" if (item.state, one.state) == ("cancelled", "open") else one.state
        if state == item.state:
            desk.items[at] = replace(item, listed=True)
            continue
        desk.items[at] = replace(
            item, state=state, listed=True, moved_us=max(item.moved_us, one.at_us), reason="", remark=REMARKS[state],
            moved_by=item.moved_by if state == "unsure" else one.text,
        )  # fmt: skip
    if not found:
        ended = one.state != "open"
        desk.items.append(
            WorkItem(
                text=one.text, state=one.state, by="assistant", at_us=one.at_us, terms=said, pairs=pairs, listed=True,
                moved_us=one.at_us if ended else 0, moved_by=one.text if ended else "",
                remark=REMARKS[one.state] if ended else "",
            )
        )  # fmt: skip
