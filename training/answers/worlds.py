"""Small palaces with the questions that their statements answer, and questions that nothing in them answers.

Owns how `data/*.txt` becomes pairs of a question and a statement with a label, dealt out by palace, so that what one
model learns from another has not seen; and how `classes/*.txt` does: what people tell of one matter in many ways, the
general questions that each of them answers, and nearby ones that none of them does. A line `@name others` begins a
matter, with those that come so near that neither counts as silent about the other.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).parent / "data"
CLASSES = Path(__file__).parent / "classes"
PARTS = 4
LEARNED = (0, 1, 2)
"""What the reader learns from; the rest is for what is fitted on top of it, and for reports."""


class World(NamedTuple):
    """A palace: its statements with the questions each answers, and those that none answers."""

    answered: tuple[tuple[str, tuple[str, ...]], ...]
    unanswered: tuple[str, ...]

    def pairs(self) -> Iterator[tuple[str, str, int]]:
        """Question, statement and whether it answers."""
        for asked in self.unanswered:
            yield from ((asked, text, 0) for text, _ in self.answered)
        for asked in dict.fromkeys(question for _, questions in self.answered for question in questions):
            yield from ((asked, text, int(asked in own)) for text, own in self.answered)


def _parts(line: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in line.split("|"))


def worlds(parts: Sequence[int]) -> list[World]:
    """The palaces of some of four parts, in the order of the files."""
    found: list[World] = []
    for path in sorted(DATA.glob("*.txt")):
        for block in path.read_text("utf-8").split("\n\n"):
            answered: list[tuple[str, tuple[str, ...]]] = []
            unanswered: tuple[str, ...] = ()
            for line in block.splitlines():
                if line.startswith("- "):
                    text, _, questions = line[2:].partition(" ? ")
                    answered.append((text.strip(), _parts(questions)))
                elif line.startswith("! "):
                    unanswered = _parts(line[2:])
            if answered:
                found.append(World(tuple(answered), unanswered))
    return [world for number, world in enumerate(found) if number % PARTS in parts]


class Matter(NamedTuple):
    """One matter: what is told of it, questions that all of it answers, and nearby ones that none of it does."""

    near: frozenset[str]
    asked: tuple[str, ...]
    unanswered: tuple[str, ...]
    told: tuple[str, ...]


def matters() -> list[Matter]:
    """All matters, in the order of the files."""
    found: list[Matter] = []
    for path in sorted(CLASSES.glob("*.txt")):
        for block in path.read_text("utf-8").split("@")[1:]:
            head, *lines = block.splitlines()
            asked, unanswered = (
                tuple(one for line in lines if line.startswith(sign) for one in _parts(line[2:])) for sign in "?!"
            )
            told = tuple(line[2:].strip() for line in lines if line.startswith("- "))
            found.append(Matter(frozenset(head.split()), asked, unanswered, told))
    return found


def general(rng: random.Random, right: int = 5, wrong: int = 6) -> Iterator[tuple[str, str, int]]:
    """Question, statement and whether it answers: general questions, each beside what tells of its matter and not."""
    found = matters()
    for one in found:
        others = [text for other in found if one.near.isdisjoint(other.near) for text in other.asked]
        for text in one.told:
            yield from ((asked, text, 1) for asked in rng.sample(one.asked, min(right, len(one.asked))))
            yield from ((asked, text, 0) for asked in rng.sample(one.unanswered, min(3, len(one.unanswered))))
            yield from ((asked, text, 0) for asked in rng.sample(others, wrong))
