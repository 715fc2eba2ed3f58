"""Makes the examples of plans that the readers learn from (`training/reader`).

An example is a plan, something said later and what that does to the plan: nothing, opens it (again), ends it, gives it
up, puts it off, hands it to somebody. Where nothing was said before, the second text is empty and the first is judged
alone; where the plan is `ANYTHING`, what is learned is whether a sentence ends work at all. The texts of `data` are
wordings with places for the work (`work.txt`: verb, past, gerund, participle, what), whole pairs, pairs by topic
(`TOLD`; those of `HELD` are only looked at, so that they judge what was learned on work that it never met), plans
with other words for them (`ways.txt`), and the wordings the rules were written with; the stories of
`bench/plan_stories.txt` and `bench/plan_ends.txt` are never learned from.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple
from zlib import crc32

from palazzo.text.reader.plans import ANYTHING, SORTS

DATA: Final = Path(__file__).parent / "data"
SEED: Final = 11
ROUNDS: Final = 7
"""How often each wording is told, each time of other work."""
LEFT: Final = 12
"""One wording in so many is only looked at, never learned from."""
TOLD: Final = ("told", "foreman", "treasurer", "lead", "nurse", "bandleader")
"""Files of pairs by topic: the first by several authors, each of the others by one."""
HELD: Final = ("garden", "music", "hiring", "school")
"""Topics that are only looked at."""
TIMES: Final = 6
"""How often a whole pair is learned from, with and without something said beside it."""
BESIDE: Final = 3
"""Plans of others, and as many of its topic, that a pair is told beside and says nothing of."""
OTHERS: Final = 4
"""Plans of others that an end of a written plan is told beside."""
FACTS: Final = 8
"""Facts that a written plan is told beside."""
OTHERWISE: Final = 5
"""How often something is said of a plan in each of the other words for it."""
FILES: Final = {
    "open": "open", "done": "done", "done_it": "done", "cancelled": "cancelled", "cancelled_it": "cancelled",
    "postponed": "postponed", "handed": "handed", "again": "open", "open_it": "open", "none": "none",
}  # fmt: skip


class Work(NamedTuple):
    """A piece of work in the forms wordings need."""

    verb: str
    past: str
    gerund: str
    participle: str
    what: str

    def told(self, wording: str) -> str:
        """A wording, said of this work."""
        head = " ".join(word for word in self.what.split(" to ")[0].split() if word.lower() not in ("the", "a", "an"))
        text = wording.format(
            np=self.what, vp=f"{self.verb} {self.what}", ing=f"{self.gerund} {self.what}", pp=self.participle,
            past=self.past, head=head.split(" for ")[0],
        )  # fmt: skip
        return text[:1].upper() + text[1:]


class Example(NamedTuple):
    """Two texts, what the second does to the first, and whether it is learned from."""

    first: str
    second: str
    sort: str
    left: bool
    told: bool = False
    """Whether it was told as it is, not made of wordings."""


def lines(name: str) -> list[str]:
    """The lines of a file of data."""
    return [line for line in (DATA / f"{name}.txt").read_text("utf-8").splitlines() if line.strip()]


def examples(chance: random.Random) -> Iterator[Example]:
    """Every example, in no order."""
    works = [Work(*line.split("|")) for line in lines("work")]
    opening, plain = lines("open"), [one for one in lines("none") if "{" not in one]
    other_plans = [line.split("|")[0] for line in lines("ways")]

    def opened(work: Work) -> str:
        return work.told(chance.choice((*opening, *["{vp}.", "{vp} soon."] * 8)))

    def beside(text: str) -> str:
        """Now and then something else is said before or after."""
        drawn = chance.random()
        return (
            f"{chance.choice(plain)} {text}"
            if drawn < 0.12
            else f"{text} {chance.choice(plain)}"
            if drawn < 0.2
            else text
        )

    for name, sort in FILES.items():
        for at, wording in enumerate(lines(name)):
            left = at % LEFT == 5
            for _ in range(ROUNDS * (3 if name == "open" else 1)):
                work, other = chance.sample(works, 2)
                said = work.told(wording)
                if name == "open":
                    yield Example(said, "", "open", left)
                    if chance.random() < 0.15:
                        yield Example(opened(work), said, "open", left)
                    if chance.random() < 0.15:
                        yield Example(opened(other), said, "none", left)
                    if chance.random() < 0.1:
                        yield Example(opened(_near(work, other)), said, "none", left)
                    continue
                yield Example(opened(work), beside(said), sort, left)
                if chance.random() < 0.3:
                    yield Example(ANYTHING, beside(said), sort, left)
                if not name.endswith("_it"):
                    if chance.random() < 0.5:
                        yield Example(opened(other), beside(said), "none", left)
                    if chance.random() < 0.12:
                        yield Example(opened(_near(work, other)), said, "none", left)
                    if chance.random() < 0.3:
                        yield Example(said, "", "none" if sort in ("none", "done", "cancelled") else sort, left)
    for at, line in enumerate(lines("rules")):
        sort, _, wording = line.partition("|")
        for _ in range(ROUNDS):
            work, other = chance.sample(works, 2)
            said = work.told(wording)
            if sort == "open":
                yield Example(said, "", "open", False)
            yield Example(opened(work), beside(said), sort, at % LEFT == 5)
            if chance.random() < 0.3:
                yield Example(opened(other), said, "none", at % LEFT == 5)
            if chance.random() < 0.1:
                yield Example(opened(_near(work, other)), said, "none", at % LEFT == 5)
    for at, text in enumerate(lines("plain")):
        for _ in range(4):
            yield Example(text, "", "none", at % LEFT == 5)
            yield Example(opened(chance.choice(works)), text, "none", at % LEFT == 5)
            yield Example(chance.choice(other_plans), text, "none", at % LEFT == 5)
        yield Example(ANYTHING, text, "none", at % LEFT == 5)
    for at, line in enumerate(lines("pairs")):
        sort, plan, said = line.split("|")
        sort = FILES.get(sort, sort)
        left = at % LEFT == 5
        for _ in range(TIMES):
            yield Example(plan, beside(said), sort, left)
        yield Example(plan, "", "open", left)
        yield from (Example(ANYTHING, one, sort, left) for one in (said, beside(said)))
        yield Example(opened(chance.choice(works)), said, "none", left)
        yield Example(said, "", "open" if sort == "open" else "none", left)
    yield from _of_topics(chance, beside)
    yield from _written(chance, beside)
    yield from _otherwise(chance)
    for text, at in messages():
        yield Example(text, "", "none", at % LEFT == 5)
        yield Example(opened(chance.choice(works)), text, "none", at % LEFT == 5)
        yield Example(ANYTHING, text, "none", at % LEFT == 5)


def messages() -> Iterator[tuple[str, int]]:
    """What people say in passing, and its place in its file."""
    for at, line in enumerate((DATA.parents[1] / "kinds/data/messages.tsv").read_text("utf-8").splitlines()):
        kind, language, text = line.split("\t", 2)
        if language == "en" and kind in ("fact", "chat", "question"):
            yield text, at


def written() -> list[dict[str, Any]]:
    """The plans that authors wrote with everything that may be said of them later."""
    return [json.loads(line) for path in sorted(DATA.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]


def is_held(topic: str) -> bool:
    """Whether the plans of a topic that authors wrote are only looked at: one in five is."""
    return crc32(topic.encode()) % 5 == 0


class Told(NamedTuple):
    """A plan and what was said later, by topic."""

    topic: str
    sort: str
    plan: str
    said: str
    names: bool
    """Whether what was said names the work: what does not may be said of any."""


def told() -> list[Told]:
    """The pairs by topic."""
    rows = (line.split("|") for name in TOLD for line in lines(name))
    return [Told(topic, sort.rstrip("*"), plan, said, not sort.endswith("*")) for topic, sort, plan, said in rows]


def _of_topics(chance: random.Random, beside: Callable[[str], str]) -> Iterator[Example]:
    """The pairs by topic, each beside the plan it is of and beside others, half of them of its topic."""
    every = told()
    plans = {left: [one for one in every if (one.topic in HELD) == left] for left in (False, True)}
    for one in every:
        left = one.topic in HELD
        for _ in range(TIMES):
            yield Example(one.plan, beside(one.said), one.sort, left, told=True)
        yield Example(one.plan, "", "open", left)
        yield Example(ANYTHING, one.plan, "open", left)
        yield from (Example(ANYTHING, said, one.sort, left) for said in (one.said, beside(one.said)))
        if not one.names:
            continue
        yield Example(one.said, "", "none", left) if one.sort != "open" else Example(one.plan, one.said, "open", left)
        others = [other for other in plans[left] if other.plan != one.plan]
        near = [other for other in others if other.topic == one.topic]
        for other in (*chance.sample(others, BESIDE), *chance.sample(near, min(BESIDE, len(near)))):
            yield Example(other.plan, beside(one.said), "none", left)


def _written(chance: random.Random, beside: Callable[[str], str]) -> Iterator[Example]:
    """Plans with what was said later of them, and with what says nothing of them although it stands near."""
    items = written()
    facts = [*lines("plain"), *(text for text, _ in messages())]
    for one in items:
        left = is_held(one["topic"])
        alike = [other["plan"] for other in items if other is not one and is_held(other["topic"]) == left]
        yield Example(one["plan"], "", "open", left, told=True)
        for sort in SORTS:
            for said in one[sort]:
                yield Example(one["plan"], said, sort, left, told=True)
                yield Example(one["plan"], beside(said), sort, left, told=True)
                if sort not in ("none", "open"):
                    yield Example(ANYTHING, said, sort, left, told=True)
                    yield from (Example(other, said, "none", left, told=True) for other in chance.sample(alike, OTHERS))
                if sort == "none":
                    yield Example(chance.choice(alike), said, "none", left, told=True)
                if sort in ("done", "cancelled", "none"):
                    yield Example(said, "", "none", left, told=True)
        yield from (Example(one["plan"], fact, "none", left, told=True) for fact in chance.sample(facts, FACTS))


def _otherwise(chance: random.Random) -> Iterator[Example]:
    """Plans, and what is said of each in other words for it, beside itself and beside others."""
    rows = [line.split("|") for line in lines("ways")]
    plans = [plan for plan, _ in rows]
    said = {
        sort: [one for one in lines(name) if "{np}" in one and one.count("{") == one.count("{np}")]
        for name, sort in FILES.items() if name != "open" and not name.endswith("_it")
    }  # fmt: skip
    sorts = [*["cancelled", "done"] * 3, *said]
    for at, (plan, others) in enumerate(rows):
        left = at % LEFT == 5
        for other in others.split(";"):
            for _ in range(OTHERWISE):
                sort = chance.choice(sorts)
                text = chance.choice(said[sort]).format(np=other)
                text = text[:1].upper() + text[1:]
                yield Example(plan, text, sort, left)
                yield Example(ANYTHING, text, sort, left)
                for beside in (*chance.sample(plans, 2), plans[at - chance.randint(1, 4)]):
                    if beside != plan:
                        yield Example(beside, text, "none", left)


def _near(work: Work, other: Work) -> Work:
    """Other work whose name begins as this one's."""
    return other._replace(what=" ".join([*work.what.split()[:-1], other.what.split()[-1]]))
