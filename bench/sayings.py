"""Synthetic talk that intake takes for talk: statements and questions of many people, all different, reproducible.

For measurements that grow a palace through the public API, where random syllables would be refused as junk.
"""

from __future__ import annotations

import random
from typing import Any


def words(text: str) -> tuple[str, ...]:
    """The words of a text."""
    return tuple(text.split())


PEOPLE = words(
    "Anna Ben Clara David Elena Felix Greta Hugo Irene Jonas Karin Leo Maria Nils Olga Paul Rosa Simon "
    "Tessa Uwe Vera Willem Yara Zoe"
)
CITIES = words("Lisbon Oslo Turin Ghent Porto Riga Malmo Bilbao Cork Graz Aarhus Split Tartu Lyon Leeds Basel")
THINGS = words(
    "bicycle kayak violin tent camera cookbook lamp rug compass typewriter telescope sweater blender "
    "bookshelf guitar aquarium drone easel backpack quilt"
)
COLOURS = words("blue green grey amber crimson ivory teal violet copper silver")
DEEDS = words(
    "bought repaired sold painted lost found borrowed packed photographed described cleaned returned "
    "wrapped shipped restored"
)
MONTHS = words("January February March April May June July August September October November December")
_TELLING = (
    "{who} {deed} the {colour} {thing} in {city} for {number} euros.",
    "In {month} {who} {deed} a {colour} {thing} and kept the receipt number {number} in {city}.",
    "My sister {who} moved to {city} and {deed} her {thing} on {month} {day}.",
    "I decided to meet {who} in {city} on {month} {day} about the {colour} {thing}.",
    "The {thing} that {who} {deed} weighs {number} grams and is {colour}.",
)
_ASKING = (
    "What did {who} do with the {colour} {thing} in {city}?", "When did {who} go to {city}?",
    "Who has the {colour} {thing} that was {deed} in {month}?", "How much did the {thing} of {who} cost?",
)  # fmt: skip


class Sayings:
    """An endless supply of turns and questions from one seed."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)
        self._told = 0

    def _filled(self, form: str) -> str:
        pick = self._random.choice
        return form.format(
            who=pick(PEOPLE), city=pick(CITIES), thing=pick(THINGS), colour=pick(COLOURS), deed=pick(DEEDS),
            month=pick(MONTHS), day=self._random.randrange(1, 29), number=self._random.randrange(10, 99_999),
        )  # fmt: skip

    def text(self) -> str:
        """One statement."""
        return self._filled(self._random.choice(_TELLING))

    def question(self) -> str:
        """One question."""
        return self._filled(self._random.choice(_ASKING))

    def turns(self, count: int) -> list[dict[str, Any]]:
        """Turns of one conversation, two people in alternation."""
        first, second = self._random.sample(PEOPLE, 2)
        self._told += count
        return [{"content": self.text(), "speaker": second if n % 2 else first} for n in range(count)]
