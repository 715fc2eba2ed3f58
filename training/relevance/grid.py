"""Questions and statements out of a grid of people, things and what they have.

Owns how `data/attributes.txt` becomes pairs of a question and a statement with a label. The attributes are dealt out in
parts, so that what one model learns from another has not seen.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).parent / "data" / "attributes.txt"
PEOPLE = (
    "my sister", "my brother Karl", "Priya", "my mother", "my father", "Anselm", "my wife", "my flatmate Jo",
    "Ms Okoro", "my daughter", "Tomek", "my cousin Ada", "my neighbour", "Grandma", "my son", "Yusuf", "my boss",
    "my aunt Vera", "Chiara", "my best friend",
)  # fmt: skip
THINGS = (
    "the gateway", "the billing service", "staging", "the search index", "the mobile app", "the mail server",
    "the archive", "the office in Ghent", "the bakery", "the boiler", "the hut", "the studio", "the garage",
    "the production cluster", "the library", "the printer", "the shop", "the north depot", "the website", "the cellar",
)  # fmt: skip
ALIKE = tuple(frozenset(line.split()) for line in (
    "job employer subject school hours boss", "age birthday", "home move origin school", "pet petname",
    "allergy diet illness food medicine drink fear", "car plate commute", "hobby sport instrument music book gym",
    "rent landlord home", "partner nickname", "appointment dentist", "getup hours", "phone email phonemodel",
    "holiday flight", "gift book phonemodel", "host repo logs address database", "owner contact", "colour gift",
    "built broken opening", "size version",
))  # fmt: skip
"""Attributes one of which may answer a question for another, or nearly: never set against each other."""
PERIODS = ("week", "month", "year", "summer", "weekend")
SHOWN = 7


class Attribute(NamedTuple):
    kind: str
    name: str
    own: tuple[str, ...]
    other: tuple[str, ...]
    own_questions: tuple[str, ...]
    other_questions: tuple[str, ...]
    values: tuple[str, ...]


def attributes() -> list[Attribute]:
    found: list[Attribute] = []
    lines: dict[str, tuple[str, ...]] = {}
    head: list[str] = []

    def close() -> None:
        if head:
            kind, name = head
            values = tuple(v.strip() for v in "|".join(lines["="]).split(";"))
            told = (lines.get(mark, ()) for mark in ("I", "X", "?I", "?X"))
            found.append(Attribute(kind, name, *told, values))

    for line in PAGE.read_text("utf-8").splitlines():
        if line.startswith("@"):
            close()
            head, lines = line[1:].split(), {}
        elif line and not line.startswith("#"):
            mark, _, rest = line.partition(" ")
            lines[mark] = tuple(part.strip() for part in rest.split("|"))
    close()
    return found


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


class Fact(NamedTuple):
    who: str
    attribute: Attribute
    text: str


def _fact(who: str, attribute: Attribute, rng: random.Random) -> Fact:
    form = rng.choice(attribute.other if who else attribute.own)
    return Fact(who, attribute, _capital(form.replace("{x}", who).replace("{v}", rng.choice(attribute.values))))


def _question(who: str, attribute: Attribute, rng: random.Random) -> str:
    return _capital(rng.choice(attribute.other_questions if who else attribute.own_questions).replace("{x}", who))


def _alike(one: str, other: str) -> bool:
    return any(one in group and other in group for group in ALIKE)


def _related(one: str, other: str) -> bool:
    """Whether one name may stand for the other: "my brother Karl" and what is said of a brother."""
    return bool(set(one.split()) & set(other.split()) - {"my", "the"})


def pairs(some: Sequence[Attribute], count: int, rng: random.Random) -> Iterator[tuple[str, str, int, str]]:
    """Question, statement, label and sort of pair; `count` questions, each with what a small palace holds."""
    of_kind: Mapping[str, list[Attribute]] = {
        kind: [one for one in some if one.kind == kind] for kind in ("people", "things")
    }
    for _ in range(count):
        kind = "people" if rng.random() < 0.75 else "things"
        names = list(PEOPLE if kind == "people" else THINGS)
        asked = rng.choice(of_kind[kind])
        who = "" if kind == "people" and rng.random() < 0.5 else rng.choice(names)
        question = _question(who, asked, rng)
        mine = _fact(who, asked, rng).text
        if rng.random() < 0.15:
            period = rng.choice(PERIODS)
            when, other = rng.sample(("last", "this", "next"), 2)
            timed = f"{mine.rstrip('.')} {other} {period}."
            yield f"{question.rstrip('?')} {when} {period}?", timed, 0, "grid"
            yield f"{question.rstrip('?')} {other} {period}?", timed, 1, "grid right"
        yield question, mine, 1, "grid right"
        told: list[str] = []
        while len(told) < SHOWN:
            same_one = rng.random() < 0.5
            other_who = who if same_one else rng.choice(["", *names] if kind == "people" else names)
            if not same_one and (other_who == who or _related(who, other_who)):
                continue
            attribute = asked if not same_one and rng.random() < 0.5 else rng.choice(of_kind[kind])
            if same_one and (attribute.name == asked.name or _alike(attribute.name, asked.name)):
                continue
            told.append(_fact(other_who, attribute, rng).text)
        yield from ((question, text, 0, "grid") for text in told)
