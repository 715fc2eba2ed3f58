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
    ("how do I take my coffee?", "black", (
        "I take my coffee black.", "I drink my coffee black.", "Black is how I like my coffee.",
        "My coffee should be black.",
    )),
    ("what is my sister called?", "Marta", (
        "My sister is called Marta.", "Marta is my sister.", "My sister's name is Marta.",
        "I have a sister named Marta.",
    )),
    ("what do I drive?", "van", (
        "I drive an old blue van.", "My car is an old blue van.", "I get around in an old blue van.",
        "An old blue van is what I drive.",
    )),
    ("which editor do I use?", "Helix", (
        "I use Helix as my editor.", "Helix is my text editor.", "I write code in Helix.", "My editor is Helix.",
    )),
    ("when do I get up?", "half past five", (
        "I get up at half past five.", "I wake up at half past five every day.", "My day starts at half past five.",
        "My alarm rings at half past five.",
    )),
    ("what music do I listen to at work?", "fado", (
        "I listen to fado while I work.", "At work I listen to fado.", "Fado is what I listen to when I work.",
        "I like fado in the background when I work.",
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
    ("who looks after the garden?", "The garden is looked after by {}.", ("Lena", "Piet", "Rosa", "Samir")),
    ("how much is the rent?", "The rent is {} euros a month now.", ("980", "1040", "1115", "1190")),
    ("which branch do we deploy from?", "We deploy from the branch {}.", ("trunk", "stable", "rollout", "harvest")),
    ("where does the choir rehearse?", "The choir rehearses in the {} now.", ("chapel", "barn", "gym", "theatre")),
    ("what colour is the front door?", "The front door is painted {} now.", ("green", "ochre", "teal", "plum")),
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
            due = day == number or ((day + 5 * number) % 23 == 0 and day > 10 and at[number] + 1 < len(values))
            if due:
                at[number] += day > 10
                said.append(told.format(values[at[number]]))
        _, _, wordings = LASTING[day % len(LASTING)]
        said.append(wordings[day // len(LASTING) % len(wordings)])
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
        asked = [LifeQuestion(question, answer) for n, (question, answer, _) in enumerate(LASTING) if day >= n]
        asked += [
            LifeQuestion(question, values[at[n]], values[: at[n]])
            for n, (question, _, values) in enumerate(CHANGING) if day >= n
        ]  # fmt: skip
        asked += [LifeQuestion(question, "") for question in UNKNOWN]
        life.asked.append(asked)
    return life
