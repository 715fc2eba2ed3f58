"""Other names: a cue that names a known thing by one of its names also looks for the others.

Owns which words of a cue may be a name, how many other names are taken, and how their words count: like the words they
stand for, the better of the two, and never as much as what the cue says itself. Which names mean one thing is known to
the store. Invariant: a cue without such a name is searched exactly as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from palazzo.recall.read.cue import OtherName, Plan, without_names
from palazzo.store.api import Reading
from palazzo.text.words.tokens import STOP_WORDS, terms

Floats = NDArray[np.float32]
MOST = 3
"""Other names of one thing that are looked for."""
LONGEST = 3
"""Words of a name."""
READ_WORDS = 32
"""Words of a cue in which names are looked for: longer ones tell more than they ask for."""
SHARE = np.float32(0.7)
"""What a word of another name counts, of what it would count if the cue had it."""
_AROUND = ".,;:!?…\"'()[]{}<>*_~|`«»“”‘’"


def with_other_names(reading: Reading, plan: Plan, speakers: Sequence[str]) -> Plan:
    """The plan with the other names of what its cue names; `speakers` are those who speak in what this reader sees."""
    known = reading.entities.other_names(tuple(dict.fromkeys(_runs(plan.words))))
    if not known:
        return plan
    rows = {term: row for row, term in enumerate(plan.terms)}
    runs = {run: tuple(rows[term] for term in terms(run) if term in rows) for run in known}
    known = {run: names for run, names in known.items() if runs[run]}
    found: dict[tuple[tuple[int, ...], tuple[str, ...]], None] = {}
    for run, names in known.items():
        literal = {plan.terms[row] for row in runs[run]}
        others = dict.fromkeys(tuple(dict.fromkeys(terms(name))) for name in names)
        for words in [words for words in others if not literal.issuperset(words)][:MOST]:
            found[runs[run], words] = None
    plan = replace(plan, other_names=tuple(OtherName(at, words) for at, words in found))
    return _naming_speakers(plan, known, {name.casefold() for name in speakers}, runs)


def _naming_speakers(
    plan: Plan, known: Mapping[str, Sequence[str]], speakers: set[str], runs: Mapping[str, tuple[int, ...]]
) -> Plan:
    """A speaker who is named by another name is named all the same: as one who speaks, not by what the words mean."""
    named = {run: name.casefold() for run, names in known.items() for name in names if name.casefold() in speakers}
    named = {run: name for run, name in named.items() if name not in plan.speakers}
    if not named:
        return plan
    rows = {row for run in named for row in runs[run]}
    return replace(
        plan, speakers=tuple(dict.fromkeys((*plan.speakers, *named.values()))),
        meaning=without_names(plan.meaning, list(named)) or plan.meaning,
        content=tuple(carries and row not in rows for row, carries in enumerate(plan.content)),
    )  # fmt: skip


def _runs(words: str) -> Iterator[str]:
    """Runs of words that may be a name, in the form names are looked up by."""
    said = [_bare(word) for word in words.casefold().split(maxsplit=READ_WORDS)[:READ_WORDS]]
    for start, first in enumerate(said):
        if not first or first in STOP_WORDS:
            continue
        yield first
        for end in range(start + 2, min(start + LONGEST, len(said)) + 1):
            last = said[end - 1]
            if not last:
                break
            if last not in STOP_WORDS:
                yield " ".join(said[start:end])


def _bare(word: str) -> str:
    bare = word.strip(_AROUND)
    return bare[:-2] if bare.endswith(("'s", "’s")) else bare


def asked_terms(plan: Plan) -> tuple[str, ...]:
    """The words of the cue, then those of other names that it does not have."""
    if not plan.other_names:
        return plan.terms
    return tuple(dict.fromkeys((*plan.terms, *(term for name in plan.other_names for term in name.terms))))


def shares(plan: Plan) -> dict[str, float]:
    """What the words count that only other names have."""
    return dict.fromkeys(asked_terms(plan)[len(plan.terms) :], float(SHARE))


def folded(scores: Floats, plan: Plan) -> Floats:
    """Scores of the cue's own words from those of all that were asked for (terms by rows).

    Another name that is there with all its words counts as its average word would, for each word it stands for.
    """
    if not plan.other_names:
        return scores
    at = {term: row for row, term in enumerate(asked_terms(plan))}
    own = scores[: len(plan.terms)].copy()
    for name in plan.other_names:
        earned = scores[[at[term] for term in name.terms]]
        instead = np.where((earned > 0).all(axis=0), SHARE * earned.mean(axis=0), np.float32(0))
        rows = list(name.rows)
        better = instead * np.float32(len(rows)) > own[rows].sum(axis=0)
        own[np.array(rows)[:, None], np.flatnonzero(better)] = instead[better]
    return own
