"""How likely a text answers a cue, from 0 to 1, on a scale that means the same for every cue and palace.

Owns the features, all of them absolute (how much of the cue a text has, which of its names it lacks, whether it has
the sort of thing that is asked for), and the small models over them. Nothing here compares one hit with another or
knows how many there are, but for which few of them a learned reader is asked about. Invariants: a figure is a pure
function of the cue, the text, who said it and what was said right before, and no higher than those of the texts that
were read in its place; without word vectors the features are worked out from the words alone, by a table of their own.
"""

from __future__ import annotations

import json
import pkgutil
import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate, chain
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from palazzo.files.blas_threads import one_blas_thread
from palazzo.recall.rank.known_words import Flags, Floats, KnownWords
from palazzo.recall.rank.pieces import PIECE_WORDS, SHORT, pieces, with_names, without_owner, words_of
from palazzo.recall.read.cue import asked_of
from palazzo.text.facts.relations import KIN
from palazzo.text.meaning.answering import (
    CueReading,
    Word,
    begins_with_name,
    gives,
    identifiers,
    names_somebody,
    reading,
    together,
)
from palazzo.text.meaning.outright import lacks_what_is_asked, sides_asked, tells_other_side
from palazzo.text.meaning.plainly import asks_everything, somebody_named, thing_named, told_plainly
from palazzo.text.meaning.slips import respelled
from palazzo.text.words.grammar import base_of
from palazzo.text.words.parsed import parsed
from palazzo.text.words.tokens import word_terms

Answering = Callable[[Sequence[tuple[str, str]]], "list[float] | None"]
"""A learned reader: how likely of each two texts the second answers the first; None where it cannot say."""

FLOOR: Final = 0.1
"""Below it nothing is known: chosen on half of the development items and of the everyday scenarios, so that one
answerable question in twenty at most is met with silence (`training/relevance/fit.py`)."""
COMPANY: Final = 0.1
"""Where something is known, what has this share of the floor is shown beside it; what answers in quite other words than
the question, or in another statement than the one that has them, is seldom below it."""

OF_WORDS: Final = (
    "cover", "soft", "worst", "best", "cosine", "cover_plain", "soft_plain", "name_missing", "names", "own_missing",
    "own_added", "person_added", "sort_missing", "sort_there", "polar", "asks", "text_asks", "back", "few", "one",
    "length", "figure_missing", "heaviest", "second", "own",
)  # fmt: skip
"""What the words alone are judged by."""
NAMES: Final = (*OF_WORDS, "wants", "wanted", "other_member", "person_missing", "other_person", "name_added")
"""What they are judged by together with a reader, who knows when a text in other words answers all the same."""
LACKS: Final = ("sort", "name", "side", "owner")
"""What a text may have nothing of, beside the features: it speaks against an answer as much as was fitted."""

_AT: Final = {name: column for column, name in enumerate(NAMES)}

NAMED: Final = 0.3
"""How likely a text answers at least that has the very identifiers a cue names: "sync-photos.sh", "TICKET-102"."""
UNNAMED: Final = 0.02
"""How likely at most a text answers where nothing was told of whom or what is asked about."""
_OF_KIN: Final = re.compile(r"\b(?:my|our) (?:\w+ )?\w+['’]s (?P<thing>\w+(?: \w+)?)\W*$", re.IGNORECASE)
_CHILD: Final = "child_of"
_CHILDREN: Final = frozenset({"child", "children", "kid", "kids"})
_THEIRS: Final = frozenset({"my", "our"})
_LIKE: Final = 0.14
"""Likeness to what is asked for from which on a text may speak of it: of kinds and their members most lie above it."""
_COMPOUND: Final = np.float32(0.8)
_PART: Final = 4
"""Letters of a word that may be part of another."""
_MEETS: Final = 0.6
"""Likeness at which two words are taken for one: other spellings, inflections."""
READ: Final = 5
"""Texts of a question that are read by the learned reader, the one that has most of it and the one that comes first:
each takes some milliseconds."""
_READ_WORDS: Final = PIECE_WORDS
"""Words of a text that are read, the last ones: what was said before it stands first."""
SURELY: Final = 3
"""Texts that are read where the words of one of them leave little doubt, and those of the next are below the floor."""
NEAR, FURTHER = 10, 2
"""Texts that are read without a look at what follows, and how many of those that follow are read besides."""
LOST, SURE = -9.0, 0.5
"""Logits of the best text by the words alone: below the first nothing is read, from the second on fewer."""
LIKELY: Final = -2.2
"""The logit of the floor."""
_IMPLIED: Final = np.float32(0.75)
"""How much likelier what people say to each other answers than its words tell: they imply more than they say."""
_LIMIT: Final = 1e-4
_HEAVY: Final = 0.6
"""Share of the heaviest word's weight from which on a word must be there."""


class Compared(msgspec.Struct, frozen=True, gc=False):
    """A text as it is compared: who said it, what was said right before it and what it is called, where known."""

    text: str
    speaker: str = ""
    before: str = ""
    title: str = ""


class _Table(NamedTuple):
    """The model: features to a hidden layer to the odds."""

    mean: Floats
    spread: Floats
    inner: Floats
    offset: Floats
    outer: Floats
    base: Floats

    def logits(self, rows: Floats) -> Floats:
        hidden = np.tanh((rows[:, : len(OF_WORDS)] - self.mean) / self.spread @ self.inner + self.offset)
        found: Floats = hidden @ self.outer + self.base[0]
        return found


@cache
def _fitted() -> dict[str, Any]:
    told: dict[str, Any] = json.loads(pkgutil.get_data(__package__, "relevance.json") or b"{}")
    if tuple(told["names"]) != NAMES:
        raise AssertionError("relevance.json was fitted for other features: python -m training.relevance.fit")
    return told


@cache
def _table(name: str) -> _Table:
    return _Table(*(np.array(_fitted()[name][field], np.float32) for field in _Table._fields))


@cache
def _joined() -> tuple[Floats, np.float32]:
    """What features, what is lacking and the reader's logit count together, and the base."""
    *counts, base = _fitted()["read"]
    return np.array(counts, np.float32), np.float32(base)


def relevance(
    words: KnownWords, cue: str, told: Sequence[Compared], about: str = "", answering: Answering | None = None,
    renamed: Sequence[str] = (),
) -> list[float]:  # fmt: skip
    """How likely each text answers the cue; `about` is what was spoken of when a cue says little by itself, `renamed`
    the cue with other names of what it names.

    Of a question that can be read as English the first few are read by `answering` too.
    """
    flat: list[tuple[str, str, int]] = []
    """Cue, text and row: a name in the cue that is the speaker's own stands for the I of what they say."""
    asked_by = {speaker: asked_of(cue, speaker) for speaker in {one.speaker for one in told}}
    for row, one in enumerate(told):
        if not one.speaker and "?" in one.text:  # what somebody asks an agent is no answer
            one = msgspec.structs.replace(one, text=told_plainly(one.text))  # noqa: PLW2901
        asked = asked_by[one.speaker]
        flat += [(asked, piece, row) for piece in pieces(one.text, cue)]
        flat += [(asked, piece, row) for piece in without_owner(cue, one.text)]
        if len(one.text) >= SHORT:  # who a long text is about is not named in each of its parts
            flat += [(asked, f"{names}: {piece}", row) for piece, names in with_names(cue, one.text)]
        if one.title:  # whatever a document says, it says of what it is called by
            flat += [(asked, f"{words_of(one.title)}: {piece}", row) for piece in pieces(one.text, cue)]
        if one.before and len(one.before) + len(one.text) < 2 * SHORT:
            flat.append((asked, together(one.before, one.text), row))
        flat += [(other, piece, row) for other in renamed for piece in pieces(one.text, other)]
        if about:
            flat += [(f"{about} {cue}", piece, row) for piece in pieces(one.text, cue)]
    flat = [(*respelled(asked, piece), row) for asked, piece, row in flat]
    lacks = np.zeros((len(told), len(LACKS)), np.float32) if about else _lacks(words, cue, told)
    with one_blas_thread():
        best = _best(words, cue, told, flat, lacks, None if about else answering)
    odds: list[float] = (1 / (1 + np.exp(-best))).tolist()
    if (name := somebody_named(cue)) and not renamed and not about and not reading(name).members:
        odds = [
            min(found, UNNAMED) if not one.speaker and _of_another(name, one) else found
            for found, one in zip(odds, told, strict=True)
        ]
    named = identifiers(cue)
    if not named:
        return odds
    return [
        max(found, NAMED) if all(one in f"{text.title} {text.text}".lower() for one in named) else found
        for found, text in zip(odds, told, strict=True)
    ]


def _only_introduces(words: KnownWords, thing: str, text: str) -> bool:
    """Whether somebody tells only of themselves where somebody or something else of theirs is asked for by name."""
    said = reading(text)
    if not said.own or not _THEIRS.isdisjoint(word.text.casefold() for word in said.words):
        return False
    if thing in _CHILDREN and any(KIN.get(word.text.casefold().rstrip("s")) == _CHILD for word in said.words):
        return False  # "I have two daughters, Frieda and Mathilda"
    unit, _ = words.of([Word(thing, "", False, False)])
    return float(_likeness([*word_terms(base_of(thing)), thing][:1], unit, _in_a_row(words, [text])).max()) < _LIKE


def _of_another(name: str, told: Compared) -> bool:
    """Whether a text that does not name the one who is asked about is of its speaker, or begins with somebody else."""
    (term, *_) = (*word_terms(name.casefold()), name)
    text = f"{told.title} {told.before} {told.text}"
    return term not in parsed(text).terms and (reading(told.text).own or begins_with_name(told.text))


def _lacks(words: KnownWords, cue: str, told: Sequence[Compared]) -> Floats:
    """What each text seems to have nothing of: the time or figure that is asked for, the side, whose it is."""
    thing, owned = thing_named(cue), _OF_KIN.search(cue)
    own = re.compile(rf"(?:my|our|the user's) {re.escape(owned['thing'])}\b", re.IGNORECASE) if owned else None
    sides = sides_asked(cue)
    besides = reading(cue).terms if reading(cue).sort == "person" else None
    rows = [
        (
            lacks_what_is_asked(cue, f"{one.title} {one.before} {one.text}"),
            besides is not None and not names_somebody(f"{one.before} {one.text}", besides),
            bool(sides) and tells_other_side(sides, f"{one.before} {one.text}"),
            # "my phone number" is not "my sister's phone number"
            (own is not None and own.match(one.text) is not None)
            or (bool(thing) and words.at_hand and _only_introduces(words, thing, one.text)),
        )
        for one in told
    ]
    return np.array(rows, np.float32).reshape(len(told), len(LACKS))


def _best(
    words: KnownWords, cue: str, told: Sequence[Compared], flat: Sequence[tuple[str, str, int]], lacks: Floats,
    answering: Answering | None,
) -> Floats:  # fmt: skip
    """The logit of each text: of the part of it that has most of the cue."""
    best = np.full(len(told), -np.inf, np.float32)
    parts = [("", "")] * len(told)
    rows = np.zeros((len(told), len(NAMES)), np.float32)
    table = _table("vectors" if words.at_hand else "words")
    for asked in dict.fromkeys(cue for cue, _, _ in flat):
        some = [(text, row) for cue, text, row in flat if cue == asked]
        made = features(words, reading(asked), [text for text, _ in some])
        for (text, row), of_it, logit in zip(some, made, table.logits(made).tolist(), strict=True):
            if logit > best[row]:
                best[row], parts[row], rows[row] = logit, (asked, text), of_it
    asks = reading(cue).asks and (reading(cue).english or cue.isascii())  # in a few words a language is a guess
    if answering is None or not asks or not words.at_hand or not len(told) or best.max() < LOST:
        return best
    if asks_everything(cue):
        return best  # a reader says whether a text gives what is asked for
    if parsed(cue).glossed and best.max() >= SURE and not lacks[best.argmax()].any():
        return best  # what a glossary makes of a sentence is rougher to read than to compare word by word
    read = _read(best, parts, np.column_stack([rows, lacks]), answering)
    # Documents and talk among people, forms and half sentences, are unlike what the reader knows: there it can say that
    # something answers and not that it does not.
    unlike = [bool(one.title or one.speaker) for one in told]
    implied = np.array([bool(one.speaker) for one in told]) * _IMPLIED
    found: Floats = np.where(unlike, np.maximum(read, best), read) + implied
    return found


def _read(best: Floats, parts: Sequence[tuple[str, str]], rows: Floats, answering: Answering) -> Floats:
    """What the words and a learned reader say together of the first text and of those that have most of the question.

    Whatever was not read is no likelier than these. The first `NEAR` are read as if no more were wanted: what a larger
    room is filled with makes nothing of them less likely.
    """
    told, least, odds_of = best.copy(), np.inf, dict[tuple[str, str], float]()
    for begin, end in ((0, NEAR), (NEAR, len(best))):
        here = range(begin, min(end, len(best)))
        order = _seats(best, parts, here)
        some = list(dict.fromkeys(parts[row] for row in order if parts[row] not in odds_of))
        glosses = [(parsed(asked).gloss, parsed(text).gloss) for asked, text in some]
        odds = answering([(asked, " ".join(text.split()[-_READ_WORDS:])) for asked, text in glosses]) if some else []
        if odds is None:
            return best
        odds_of |= zip(some, odds, strict=True)
        if read := [row for row in here if parts[row] in odds_of]:
            told[read] = together_with(rows[read], [odds_of[parts[row]] for row in read])
            least = min(least, told[read].min())
        unread = [row for row in here if parts[row] not in odds_of]
        told[unread] = np.minimum(told[unread], least)
    return told


def _seats(best: Floats, parts: Sequence[tuple[str, str]], here: range) -> list[int]:
    """Which of these texts are read: one of those that say the same, and where little doubt is left none besides the
    first few that is unlikely by its words, too."""
    most, *others = sorted(here, key=lambda row: -best[row]) or [-1]
    if most < 0:
        return []
    if here.start:
        return [row for row in (most, *others) if best[row] >= LIKELY][:FURTHER]
    distinct: dict[tuple[str, str], int] = {}
    for row in (most, 0, *others):
        distinct.setdefault(parts[row], row)
    sure = best[most] >= SURE
    return [row for at, row in enumerate([*distinct.values()][:READ]) if at < SURELY or not sure or best[row] >= LIKELY]


def together_with(rows: Floats, odds: Sequence[float]) -> Floats:
    """The logits that the features and the reader give together."""
    sure = np.clip(np.array(odds, np.float32), _LIMIT, 1 - _LIMIT)
    counts, base = _joined()
    found: Floats = np.column_stack([rows, np.log(sure / (1 - sure))]) @ counts + base
    return found


def _told(text: str) -> Sequence[Word]:
    return reading(text).words or (_NOTHING,)


class _Words(NamedTuple):
    """The words of all texts in one row, where each text begins and how long it is; vectors stand once for each word
    there is, and `kind` tells whose is whose."""

    starts: NDArray[np.int64]
    terms: Sequence[str]
    small: Flags
    units: Floats
    kind: NDArray[np.intp]
    weights: Floats
    lengths: Floats


def _in_a_row(words: KnownWords, texts: Sequence[str]) -> _Words:
    table, meant = words.of_texts(texts, _told)
    every = np.concatenate([one.rows for one in meant])
    # Without vectors all words have the one row of no word.
    rows, kind = np.unique(every, return_inverse=True) if words.at_hand else (every[:1], every)
    sizes = [len(one.terms) for one in meant]
    return _Words(
        starts=np.array([0, *accumulate(sizes[:-1])], np.intp),
        terms=list(chain.from_iterable([one.terms for one in meant])),
        small=np.concatenate([one.small for one in meant]), units=table[rows], kind=kind,
        weights=np.concatenate([one.weights for one in meant]),
        lengths=np.array([one.length for one in meant], np.float32),
    )  # fmt: skip


def features(words: KnownWords, asked: CueReading, texts: Sequence[str]) -> Floats:
    """One row per text."""
    cue = [word for word in asked.words if not word.small] or list(asked.words)
    found = np.zeros((len(texts), len(NAMES)), np.float32)
    _of_sorts(asked, [reading(text) for text in texts], texts, found)
    if not texts or not (cue or asked.wanted):
        return found
    flat = _in_a_row(words, texts)
    if cue:
        _of_words(words, cue, flat, found)
    if asked.wanted:
        _of_wanted(words, asked.wanted, flat, found)
    return found


def weights_of(words: KnownWords, asked: Sequence[Word]) -> Floats:
    """What each of these words weighs: rare ones most."""
    return words.of(asked)[1]


def likenesses(words: KnownWords, asked: Sequence[Word], texts: Sequence[str]) -> tuple[Floats, Floats]:
    """How near each text comes to each of these words (words by texts), and what each word weighs."""
    flat = _in_a_row(words, texts)
    units, weights = words.of(asked)
    near = _likeness([word.term for word in asked], units, flat)
    return np.maximum.reduceat(near, flat.starts, axis=1), weights


def _put(found: Floats, name: str, values: ArrayLike) -> None:
    found[:, _AT[name]] = values


def _of_sorts(asked: CueReading, told: Sequence[CueReading], texts: Sequence[str], found: Floats) -> None:
    sort = asked.sort if asked.sort != "other" else ""
    there = [bool(sort) and _has_sort(asked, one, text) for one, text in zip(told, texts, strict=True)]
    _put(found, "sort_there", there)
    _put(found, "sort_missing", [bool(sort) and not has for has in there])
    _put(found, "own_missing", [asked.own and not one.own for one in told])
    _put(found, "own_added", [one.own and not asked.own for one in told])
    _put(found, "person_added", [bool(one.person) and one.person not in asked.terms for one in told])
    lacks = [
        bool(asked.person) and asked.person not in one.terms and asked.persons.isdisjoint(one.members) for one in told
    ]
    _put(found, "person_missing", lacks)
    _put(found, "other_person", [lack and bool(one.person) for lack, one in zip(lacks, told, strict=True)])
    _put(found, "name_added", [not asked.terms.issuperset(one.names) for one in told])
    _put(found, "other_member", [_other_member(asked, one) for one in told])
    _put(found, "text_asks", [one.asks for one in told])
    _put(found, "length", np.log1p([len(one.words) for one in told]) / 4)
    for name, value in (("polar", asked.polar), ("asks", asked.asks), ("own", asked.own)):
        _put(found, name, float(value))


def _has_sort(asked: CueReading, one: CueReading, text: str) -> bool:
    if asked.sort == "person":
        return bool(one.person) or names_somebody(text, asked.terms)
    return gives(text, asked.sort)


def _other_member(asked: CueReading, one: CueReading) -> bool:
    """Whether a text has another member of a class than the question, and not the one that is asked about."""
    classes = {number for number, _ in asked.members - one.members}
    met = {number for number, _ in asked.members & one.members}
    return any(number in classes and number not in met for number, _ in one.members)


_NOTHING: Final = Word("", "", False, True)


def _of_words(words: KnownWords, cue: Sequence[Word], flat: _Words, found: Floats) -> None:
    starts = flat.starts
    units, weights = words.of(cue)
    near = _likeness([word.term for word in cue], units, flat)
    top = np.maximum.reduceat(near, starts, axis=1)
    exact = top >= 1
    whole = max(float(weights.sum()), 1e-6)
    _put(found, "cover", weights @ exact / whole)
    _put(found, "soft", weights @ top / whole)
    _put(found, "worst", top[weights >= _HEAVY * weights.max()].min(axis=0))
    _put(found, "best", top.max(axis=0))
    names = [row for row, word in enumerate(cue) if word.name]
    plain = [row for row, word in enumerate(cue) if not word.name] if names else []
    of_plain = max(float(weights[plain].sum()), 1e-6) if plain else whole
    _put(found, "cover_plain", weights[plain] @ exact[plain] / of_plain if plain else found[:, _AT["cover"]])
    _put(found, "soft_plain", weights[plain] @ top[plain] / of_plain if plain else found[:, _AT["soft"]])
    if names:
        _put(found, "names", 1.0)
        _put(found, "name_missing", (top[names] < _MEETS).mean(axis=0))
    figures = [row for row, word in enumerate(cue) if not word.text.isalpha() and any(map(str.isdigit, word.text))]
    if figures:
        _put(found, "figure_missing", (top[figures] < 1).mean(axis=0))
    order = np.argsort(-weights, kind="stable")
    _put(found, "heaviest", top[order[0]])
    _put(found, "second", top[order[1]] if len(cue) > 1 else top[order[0]])
    _put(found, "few", 1 / len(cue))
    _put(found, "one", float(len(cue) == 1))
    large = flat.weights * ~flat.small
    shares = np.add.reduceat(large, starts)
    _put(found, "back", np.add.reduceat(near.max(axis=0) * large, starts) / np.maximum(shares, np.float32(1e-6)))
    if not words.at_hand:
        return
    left = weights @ units
    along = np.add.reduceat(flat.weights * (flat.units @ left)[flat.kind], starts)
    cosine = along / np.maximum(np.linalg.norm(left) * flat.lengths, np.float32(1e-6))
    # Words without a vector are only the same or not: as near as two texts are by them.
    _put(found, "cosine", found[:, _AT["cover"]] if all(word.strange for word in cue) else cosine)


def _of_wanted(words: KnownWords, wanted: str, flat: _Words, found: Floats) -> None:
    """How near a text comes to the word that says what is asked for: "which colour", "how tall"."""
    unit, _ = words.of([Word(wanted, "", False, False)])
    term, *_ = (*word_terms(base_of(wanted.casefold())), wanted)
    _put(found, "wants", 1.0)
    _put(found, "wanted", np.maximum.reduceat(_likeness([term], unit, flat)[0], flat.starts))


def _likeness(cue: Sequence[str], units: Floats, flat: _Words) -> Floats:
    """How near each term of the cue comes to each word of the texts (cue by words)."""
    near: Floats = np.zeros((len(cue), len(flat.terms)), np.float32)
    if units.shape[1] > 1:
        near = np.clip(units @ flat.units.T, 0, 1)[:, flat.kind]
        near[:, flat.small] = 0
    at = {term: row for row, term in enumerate(cue)}
    same = [(at[said], place) for place, said in enumerate(flat.terms) if said in at]
    if same:
        near[tuple(zip(*same, strict=True))] = 1
    if parts := _compounds(cue, flat.terms):
        small = flat.small.tolist()
        joined = [
            (row, place) for place, said in enumerate(flat.terms)
            if said in parts and not small[place] for row in parts[said]
        ]  # fmt: skip
        if joined:
            cells = tuple(zip(*joined, strict=True))
            near[cells] = np.maximum(near[cells], _COMPOUND)
    return near


def _compounds(cue: Sequence[str], told: Sequence[str]) -> dict[str, list[int]]:
    """Terms of texts that a term of the cue is part of, at one of its ends, or that it begins with; and the rows of
    those terms. Whether there are any at all is told by a search through all of them at once."""
    found: dict[str, list[int]] = {}
    each = set(told)
    every = f" {' '.join(each)} "
    for row, term in enumerate(cue):
        if len(term) < _PART:
            continue
        for said in {term[:size] for size in range(_PART, len(term))} & each:
            found.setdefault(said, []).append(row)
        whole = 2 * (term in each)
        if every.count(f" {term}") + every.count(f"{term} ") > whole:
            for said in each:
                if said != term and (said.startswith(term) or said.endswith(term)):
                    found.setdefault(said, []).append(row)
    return found
