"""What is known of a piece of work: what was said of it, where it stands, and what was decided beside it.

Owns these values alone. Knows nothing of how they are read from talk or shown. Invariant: an item is in the words in
which it was said.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec
from msgspec.structs import replace

ItemState = Literal["open", "done", "cancelled", "unsure"]
"""A plan is unsure where something was said of it that may have ended it: it is not offered as open."""
REMARKS: Final[dict[str, str]] = {
    "postponed": "put off", "handed": "handed over", "done": "perhaps done", "cancelled": "perhaps given up",
}  # fmt: skip


class SaidTurn(msgspec.Struct, frozen=True, gc=False):
    """A turn as the bridge reads it."""

    role: str
    text: str
    at_us: int = 0
    session: str = ""


class WorkItem(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Work that was spoken of: in which words, by whom, where it stands, and the sentence that moved it there."""

    text: str
    state: ItemState
    by: str
    at_us: int
    moved_by: str = ""
    moved_us: int = 0
    reason: str = ""
    remark: str = ""
    """What is to be known of it beside its state: put off, handed over, perhaps done, perhaps given up."""
    spoken: str = ""
    """The last sentence that speaks of it and, as far as it can be read, moves it nowhere."""
    terms: frozenset[str] = frozenset()
    pairs: frozenset[tuple[str, str]] = frozenset()
    listed: bool = False
    """Whether the client's own list of work says where it stands: then talk moves it by a person's word alone."""


class Decision(msgspec.Struct, frozen=True, gc=False):
    """Something that was decided or found wanting, in the words in which it was said."""

    text: str
    by: str
    at_us: int
    reason: str = ""


def is_over(item: WorkItem) -> bool:
    """Whether it is done or given up."""
    return item.state in ("done", "cancelled")


class Steps:
    """What an assistant answers to a plan that it will do: a step of it, over when the plan is."""

    def __init__(self) -> None:
        self._told = range(0)
        self._of: dict[int, int] = {}

    def heard(self, items: list[WorkItem], known: int, role: str) -> None:
        """After a turn, of how many items were known before it: what it told are plans, or steps of the one before."""
        told = range(known, len(items))
        if role != "user" and len(self._told) == 1:
            self._of.update(dict.fromkeys(told, self._told[0]))
        self._told = told if role == "user" else range(0)
        for step, plan in self._of.items():
            over = items[plan]
            if is_over(over) and not is_over(items[step]):
                moved = {"moved_by": over.moved_by, "moved_us": over.moved_us, "remark": ""}
                items[step] = replace(items[step], state=over.state, **moved)
