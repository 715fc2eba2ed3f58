"""Synthetic talk that intake takes for talk: statements and questions of many people, all different, reproducible.

For measurements that grow a palace through the public API, where random syllables alone would be refused as junk. Words
come as they do in real text: few are common and most are rare (Zipf over 25,000 generated nouns, 2,000 people, 1,500
towns), so that a large palace holds many matters and not a few matters over and over.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Sequence
from itertools import accumulate, islice, product
from typing import Any


def words(text: str) -> tuple[str, ...]:
    """The words of a text."""
    return tuple(text.split())


_FIRST = words(
    "Anna Ben Clara David Elena Felix Greta Hugo Irene Jonas Karin Leo Maria Nils Olga Paul Rosa Simon "
    "Tessa Uwe Vera Willem Yara Zoe Alma Bruno Carla Dario Edith Frank Gloria Henry Ines Jakob Klara Louis Marta Noah "
    "Oscar Petra"
)
_STEMS = words(
    "ald ber cal dor elm far gar hal ing jor kel lor mar nor ost par quel ras sel tar ulm ver wal yor zan bram cord "
    "dell fenn grav holt kirk lind mont ness pell rand stav torr"
)
_TOWN_ENDS = words("ford ham wick ton bury dale mouth stead burgh haven")
_HEADS = words(
    "b br c ch cl cr d dr f fl fr g gl gr h j k l m n p pl pr qu r s sc sh sl sm sn sp st str sw t th tr v w"
)
_MIDDLES = words("a e i o u ai ea ee oa oo ou ar er or")
_JOINTS = words("b ck d ff g ll m mp n nd ng nt p pp r rd rn s ss st t tt v x")
_ENDS = words("er le et on ing age in ow an el")
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


def _spread(found: Sequence[str], seed: int) -> tuple[str, ...]:
    """The same words in an order of their own, the same every time."""
    return tuple(random.Random(seed).sample(found, len(found)))


def _made(count: int) -> tuple[str, ...]:
    every = _spread(sorted({"".join(parts) for parts in product(_HEADS, _MIDDLES, _JOINTS, _ENDS)}), 1)
    return (*THINGS, *islice(every, count - len(THINGS)))


NOUNS = _made(25_000)
SURNAMES = tuple(f"{a}{b}".capitalize() for a, b in product(_STEMS, ("man", "sen", "son", "er", "i")))
PEOPLE = _spread([f"{first} {last}" for first, last in product(_FIRST, SURNAMES)], 2)[:2_000]
CITIES = _spread([f"{a}{b}{c}".capitalize() for a, b, c in product(_STEMS, ("", "e", "en", "ing"), _TOWN_ENDS)], 3)[
    :1_500
]
_TELLING = (
    "{who} {deed} the {colour} {thing} in {city} for {number} euros.",
    "In {month} {who} {deed} a {colour} {thing} with a {other} and kept the receipt number {number} in {city}.",
    "{who} moved to {city} and {deed} a {thing} beside the {other} on {month} {day}.",
    "I decided to meet {who} in {city} on {month} {day} about the {colour} {thing} and the {other}.",
    "The {colour} {thing} of {who} weighs {number} grams and was {deed} in {city}.",
    "{who} told me about the {other} of the {thing} near {city}, which {whom} {deed} last {month}.",
    "We talked about {city} again, and {whom} still wants a {colour} {thing} for the {other}.",
    "I am planning the {thing} workshop with {who} and {whom}, and the {other} comes from {city}.",
)
_ASKING = (
    "What did {who} do with the {colour} {thing} in {city}?", "When did {who} go to {city}?",
    "Who has the {colour} {thing} that was {deed} in {month}?", "How much did the {thing} of {who} cost?",
)  # fmt: skip


class _Zipf:
    """Draws words, the one of rank r in proportion to 1 / (r + 10)."""

    def __init__(self, found: Sequence[str]) -> None:
        self._words = found
        self._sums = list(accumulate(1 / (rank + 10) for rank in range(len(found))))

    def draw(self, source: random.Random) -> str:
        return self._words[bisect(self._sums, source.random() * self._sums[-1])]


class Sayings:
    """An endless supply of turns and questions from one seed."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)
        self._people, self._cities, self._nouns = _Zipf(PEOPLE), _Zipf(CITIES), _Zipf(NOUNS)

    def _filled(self, form: str) -> str:
        return form.format(**self._drawn())

    def _drawn(self) -> dict[str, Any]:
        source = self._random
        pick = source.choice
        return {
            "who": self._people.draw(source), "whom": self._people.draw(source), "city": self._cities.draw(source),
            "thing": self._nouns.draw(source), "other": self._nouns.draw(source), "colour": pick(COLOURS),
            "deed": pick(DEEDS), "month": pick(MONTHS), "day": source.randrange(1, 29),
            "number": source.randrange(10, 99_999),
        }  # fmt: skip

    def text(self) -> str:
        """One statement."""
        return self._filled(self._random.choice(_TELLING))

    def parts(self) -> tuple[str, dict[str, Any]]:
        """One statement, and what its words are: those that stand in it of who, whom, city, thing and so on."""
        form, drawn = self._random.choice(_TELLING), self._drawn()
        return form.format(**drawn), {name: value for name, value in drawn.items() if f"{{{name}}}" in form}

    def question(self) -> str:
        """One question."""
        return self._filled(self._random.choice(_ASKING))

    def turns(self, count: int) -> list[dict[str, Any]]:
        """Turns of one conversation, two people in alternation."""
        first, second = self._random.sample(PEOPLE[:200], 2)
        return [{"content": self.text(), "speaker": second if n % 2 else first} for n in range(count)]
