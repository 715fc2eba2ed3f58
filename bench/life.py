"""A simulated life: days of things that are said again in other words, facts that change, work that is done the same
way each time, and small events; with questions whose answers are known.

Everything is made from templates and a seed; nothing of it comes from any data set.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

LASTING: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("how many spaces do I indent with?", "two spaces", (
        "Indentation should be two spaces.", "I always use two spaces for indentation.",
        "Please indent with two spaces.", "My code is indented with two spaces.",
    )),
    ("what must I not eat?", "walnut", (
        "I am allergic to walnuts.", "I cannot eat walnuts because of an allergy.",
        "Walnuts make me ill, I am allergic.",
        "I have a walnut allergy.",
    )),
    ("which units do I want?", "metric", (
        "Always use metric units with me.", "I want measurements in metric units.", "Please stick to metric units.",
        "Give me everything in metric units.",
    )),
    ("what is my dog called?", "Biscuit", (
        "My dog is called Biscuit.", "Biscuit is the name of my dog.", "Our dog's name is Biscuit.",
        "I have a dog named Biscuit.",
    )),
    ("where did I study?", "Leiden", (
        "I studied physics in Leiden.", "My physics degree is from Leiden.",
        "I went to university in Leiden for physics.", "Leiden is where I studied physics.",
    )),
    ("which seat do I like on trains?", "window", (
        "On trains I like a window seat.", "I prefer window seats on trains.",
        "A window seat is what I take on trains.", "Give me the window seat when I go by train.",
    )),
)  # fmt: skip
CHANGING: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("on which port does the ledger service listen?", "The ledger service listens on port {}.",
     ("7001", "7044", "7190", "7313")),
    ("who leads the harbour project?", "The harbour project is led by {}.", ("Priya", "Tomas", "Ingrid", "Kwame")),
    ("which version of Postgres do we run?", "We run Postgres version {} in production.",
     ("14", "15", "16", "17")),
    ("where is the spare key?", "The spare key is kept {} now.",
     ("in the shed", "at the bakery", "under the bench", "with Olga")),
    ("when is the weekly meeting?", "The weekly meeting is on {} now.", ("Monday", "Tuesday", "Thursday", "Friday")),
)  # fmt: skip
UNKNOWN: tuple[str, ...] = (
    "what is the name of my parrot?", "which instrument does Zoltan play?", "what did I pay for the telescope?",
    "who painted the portrait in the lobby of Vexel?", "when does the ferry to Moen leave?", "what is my shoe size?",
)  # fmt: skip
_PLACES = (
    "quay",
    "library",
    "orchard",
    "workshop",
    "market",
    "museum",
    "station",
    "lighthouse",
    "greenhouse",
    "bridge",
)
_DONE = (
    "walked to the {}",
    "met {} at the {}",
    "lost an umbrella near the {}",
    "read a book in the {}",
    "sketched the {}",
)
_PEOPLE = ("Ada", "Bruno", "Chidi", "Dana", "Emre", "Farah", "Goran", "Hana", "Ivo", "Jana")


@dataclass(frozen=True, slots=True)
class LifeQuestion:
    """What is asked, a text that answers it, texts that answered it once, or nothing for what nobody told."""

    text: str
    answer: str
    before: tuple[str, ...] = ()


@dataclass(slots=True)
class Life:
    """Days, each with what is said on it, and what could be asked at its end."""

    days: list[list[str]] = field(default_factory=list)
    asked: list[list[LifeQuestion]] = field(default_factory=list)


def live(days: int, events: int, seed: int = 7) -> Life:
    """A life of so many days, with so many things said on each."""
    chance = random.Random(seed)
    life = Life()
    at = [0] * len(CHANGING)
    for day in range(days):
        said: list[str] = []
        for number, (_, told, values) in enumerate(CHANGING):
            due = day == number or (day % 23 == number * 4 and day > 10 and at[number] + 1 < len(values))
            if due:
                at[number] += day > 10
                said.append(told.format(values[at[number]]))
        if day % 3 == 0:
            _, _, wordings = LASTING[day // 3 % len(LASTING)]
            said.append(wordings[day // (3 * len(LASTING)) % len(wordings)])
        if day % 7 == 2:
            what = ("shop", "blog", "ledger")[day // 7 % 3]
            said.append(
                f"Released the {what}: first I ran the tests, then I built it, finally I pushed it to the site."
            )
        while len(said) < events:
            done = chance.choice(_DONE)
            words = (
                [chance.choice(_PEOPLE), chance.choice(_PLACES)] if done.count("{}") == 2 else [chance.choice(_PLACES)]
            )
            said.append(
                f"On day {day} at {chance.randrange(6, 23)}:{chance.randrange(10, 60)} I {done.format(*words)}."
            )
        life.days.append(said)
        asked = [LifeQuestion(question, answer) for n, (question, answer, _) in enumerate(LASTING) if day >= 3 * n]
        asked += [
            LifeQuestion(question, values[at[n]], values[: at[n]])
            for n, (question, _, values) in enumerate(CHANGING) if day >= n
        ]  # fmt: skip
        asked += [LifeQuestion(question, "") for question in UNKNOWN]
        life.asked.append(asked)
    return life
