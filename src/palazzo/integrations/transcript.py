"""The items of a conversation in order and to the letter, and what lasts of them as memories.

Owns the order, and the way from a framework's message to a turn. What the conversation was comes back exactly; what was
learned of it goes the way of every conversation (`observe`), so another session finds it. Invariant: items that two
programs add at once are all kept, each in the order its program added them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from palazzo.errors import Refused
from palazzo.integrations.items import KeptItems, Put, SecretLeftOut
from palazzo.model.ids import new_id
from palazzo.surfaces.library import Memory


class SpokenItem(msgspec.Struct, frozen=True):
    """What one item of a conversation says, and in whose role."""

    role: Literal["user", "assistant"]
    content: str


class Transcript:
    """The conversation of one session.

    `read` tells what an item says, None for one that says nothing (a call of a tool); with `learn` what is said is
    observed too. `user_id` is whose memory it becomes.
    """

    def __init__(
        self, memory: Memory, session: str, read: Callable[[Any], SpokenItem | None], *, learn: bool = True,
        user_id: str | None = None,
    ) -> None:  # fmt: skip
        self.session = session
        self._memory, self._read, self._learn = memory, read, learn
        self._owner: dict[str, Any] = {} if user_id is None else {"user_id": user_id}
        self._items = KeptItems(memory, "sessions")

    def add(self, items: Sequence[Any]) -> None:
        """Adds items at the end."""
        now_us = self._memory.engine.clock.now_us()
        self._items.put(Put(namespace=(self.session,), key=str(new_id(now_us)), value=item) for item in items)
        if not self._learn:
            return
        turns = [turn for item in items if (turn := self._read(item)) is not None and turn.content.strip()]
        if turns:
            told = [{"content": turn.content, "role": turn.role} for turn in turns]
            try:
                self._memory.observe(told, thread=self.session, session=self.session, **self._owner)
            except Refused as refusal:
                warnings.warn(f"{self.session}: nothing was learned: {refusal.message}", SecretLeftOut, stacklevel=3)

    def items(self, last: int | None = None) -> list[Any]:
        """The items in order, or the last so many of them."""
        found = [item.value for item in self._ordered()]
        return found if last is None else found[max(0, len(found) - last) :]

    def pop(self) -> Any | None:
        """Takes the last item away and returns it; None when there is none."""
        found = self._ordered()
        if not found:
            return None
        self._items.delete(found[-1].namespace, found[-1].key)
        return found[-1].value

    def clear(self) -> None:
        """Takes every item away. What was learned of them stays."""
        for item in self._ordered():
            self._items.delete(item.namespace, item.key)

    def _ordered(self) -> list[Any]:
        found = [item for item in self._items.under((self.session,)) if item.namespace == (self.session,)]
        return sorted(found, key=lambda item: item.key)


def text_of(content: Any) -> str:
    """The words of a message's content: a text, or the texts of its parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(
        part if isinstance(part, str) else part["text"]
        for part in parts
        if isinstance(part, str) or (isinstance(part, dict) and isinstance(part.get("text"), str))
    )
