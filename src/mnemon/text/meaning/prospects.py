"""Situations to come in which a statement will matter, so that it is found when they arise.

Owns the choice: what sort of statement it is (`concern`), what it is about (its subjects), and that the words
differ from the statement's own, because those are indexed anyway. The situations themselves are in situations.
Invariant: deterministic; at most five phrases, at least three where any fit, none for small talk; a phrase
shares a content word with the text only where three others could not be found.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from mnemon.text.meaning import situations
from mnemon.text.meaning.topics import topics
from mnemon.text.words.cues import CueTable, cue_terms
from mnemon.text.words.tokens import STOP_WORDS, terms

MIN_PROSPECTS: Final = 3
MAX_PROSPECTS: Final = 5
_SILENT_KINDS: Final = frozenset({"transient", "context", "exchange", "summary", "bundle", "schema"})
_MAX_READ: Final = 4000
# Most telling first: an allergy is a health matter too, but its own situations fit better.
_CONCERN_CUES: Final[dict[str, tuple[tuple[float, str], ...]]] = {
    "allergy": ((9.0, "allergic, allergy, anaphylaxis, intolerant, intolerance, celiac, epipen"),),
    "loss": ((8.5, "passed away, died, funeral, lost my, grief, mourning"),),
    "diet": (
        (8.0, "vegan, vegetarian, pescatarian, kosher, halal, do not eat, can not eat, keto, low carb, gluten free"),
    ),
    "health": (
        (
            7.0,
            """diagnosed, diabetes, asthma, medication, surgery, chronic, epilepsy, migraine, my doctor,
                 pregnant, injury, depression, anxiety, insomnia, therapy, therapist, blood pressure, sick, my back""",
        ),
    ),
    "budget": (
        (6.5, "budget, debt, saving for, save money, can not afford, frugal, mortgage, raised the rent, money"),
    ),
    "fear": ((6.0, "afraid, scared, terrified, fear, phobia, nervous, claustrophobic, panic"),),
    "deadline": (
        (5.8, "deadline, be due, due date, due on, due by, exam, appointment, submission, remind me, no later than"),
    ),
    "goal": (
        (
            5.6,
            """my goal, i want to, i be determined, i aim, i hope to, my dream, someday, i be saving, i be training,
                 i plan to become, working toward, goal be, i be learning, so i can, so that i can""",
        ),
    ),
    "value": (
        (
            5.5,
            """i value, i believe, matters to me, important to me, my values, principle, i care about, i respect,
                 i cherish, i stand for""",
        ),
    ),
    "dislike": ((5.4, "i hate, i dislike, can not stand, do not like, not a fan, i loathe, i detest, i avoid"),),
    "habit": (
        (
            5.2,
            """every morning, every day, every night, every weekend, i always, i usually, my routine, i never,
                 i make sure, i double check, twice a week, once a week, ever since, i only""",
        ),
    ),
    "decision": (
        (
            5.0,
            """i decided, we decided, i chose, i quit, i stopped, i gave up, i promised, i vowed, i switched,
                 i cut, i joined, i started, i enrolled, convinced me, made me, be why i""",
        ),
    ),
    "plan": (
        (4.8, "i plan to, i be planning, we be planning, i be going to, next month, next week, next summer, next year"),
    ),
    "skill": ((4.5, "i speak, i can play, i know how, fluent in, certified, i taught myself, i be good at"),),
    "possession": ((4.2, "i bought, i own, i have a dog, i have a cat, i have a car, my new, i got a new, i adopted"),),
    "tool": ((4.0, "we use, i use, backend, frontend, codebase, framework, repository, database"),),
    "feeling": ((3.0, "i feel, i felt, i be happy, i be sad, i be proud, i be grateful, i be stressed, overwhelmed"),),
}
_BY_KIND: Final = {
    "identity": "identity", "relationship": "relationship", "preference": "preference", "event": "event",
    "activity": "habit", "task": "deadline", "decision": "decision", "instruction": "instruction",
    "residence": "residence", "employment": "employment", "reflection": "value", "error": "error",
    "procedure": "procedure", "rule": "instruction", "asset": "possession",
}  # fmt: skip
# The kind decides here, whatever else the statement mentions.
_KIND_FIRST: Final = frozenset({"instruction", "error", "residence", "employment", "procedure"})


@cache
def _concerns() -> CueTable:
    return CueTable(_CONCERN_CUES)


@cache
def _content(situation: str) -> frozenset[str]:
    return frozenset(term for term in terms(situation) if term not in STOP_WORDS)


def prospects(text: str, kind: str) -> tuple[str, ...]:
    """Three to five situations to come in which this statement will matter; none for small talk."""
    if kind in _SILENT_KINDS:
        return ()
    found = cue_terms(text[:_MAX_READ])
    own = {term for term in found if term not in STOP_WORDS}
    if not own:
        return ()
    pools = [situations.BY_CONCERN[concern] for concern in _ranked_concerns(found, kind)[:2]]
    subjects = situations.by_subject()
    pools[1:1] = list(dict.fromkeys(subjects[term] for term in found if term in subjects))[:2]
    if len(pools) < 2:
        pools += [situations.BY_TOPIC[topic] for topic in topics(text)[:2]]
    return _choose(pools, own) if pools else ()


def _ranked_concerns(found: tuple[str, ...], kind: str) -> list[str]:
    hits = sorted(_concerns().hits(found), key=lambda hit: (-hit.weight, hit.at))
    concerns = [hit.label for hit in hits]
    usual = _BY_KIND.get(kind)
    if usual is not None and (kind in _KIND_FIRST or not concerns):
        concerns.insert(0, usual)
    elif usual is not None:
        concerns.append(usual)
    return list(dict.fromkeys(concerns))


def _choose(pools: list[tuple[str, ...]], own: set[str]) -> tuple[str, ...]:
    """Round after round one phrase from each pool, those in other words first."""
    fresh: list[str] = []
    spare: list[str] = []
    for at in range(max(map(len, pools))):
        for pool in pools:
            if at < len(pool) and pool[at] not in fresh:
                (fresh if _content(pool[at]).isdisjoint(own) else spare).append(pool[at])
                if len(fresh) == MAX_PROSPECTS:
                    return tuple(fresh)
    missing = max(0, MIN_PROSPECTS - len(fresh))
    return tuple(fresh + list(dict.fromkeys(spare))[:missing])
