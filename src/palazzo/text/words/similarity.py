"""Whether two texts say the same, decided on the words alone.

Owns set overlap measures and the guard that keeps deduplication honest: a high cosine says two texts are
about the same thing, only the words say whether they state it equally. Knows nothing about vectors.
Invariant: texts that differ in a number, name, negation, date, direction, person, subject, tense or mood
are "different", whatever their cosine.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import reduce
from itertools import chain, pairwise
from operator import or_
from typing import Final, Literal
from zlib import crc32

from palazzo.text.words import cues, grammar
from palazzo.text.words.lexicon import page
from palazzo.text.words.parsed import parsed
from palazzo.text.words.remembered import emptied_by, remembered
from palazzo.text.words.tokens import STOP_WORDS, fold, normalise, terms

_PAGE: Final = page("similarity")

# Each line: the canonical term, then the terms it replaces. Only pairs that are safe in every context.
_SAME: Final = _PAGE.labelled("same")

# Leave the meaning as it is: articles, auxiliaries, softeners, interjections.
FREE: Final = _PAGE.words("free")
# Free only as the first words of a text: "right, I will" but not "turn right".
LEADING_FILLERS: Final = FREE | _PAGE.words("leading_fillers")
# A few words set off by a comma are an aside when one of these is among them and the rest are function words:
# "to tell the truth," "on a side note,". Hopes and doubts are no asides, they change what is stated.
DISCOURSE: Final = _PAGE.words("discourse")
# "Well, you know, ..." is filler; "I know Anna" and "the way home" are not, so these only count as phrases.
FILLER_PHRASES: Final = tuple(tuple(phrase.split()) for phrase in _PAGE.in_order("filler_phrases"))
# Filler only when set off by a comma: "no kidding, ..." but "I have no kids".
ASIDE_PHRASES: Final = frozenset((*FILLER_PHRASES, *(tuple(one.split()) for one in _PAGE.in_order("aside_phrases"))))

NEGATIONS: Final = _PAGE.words("negations")
QUANTIFIERS: Final = _PAGE.words("quantifiers")
MODALS: Final = _PAGE.words("modals")
# Added to a statement they turn it around.
REVERSALS: Final = _PAGE.words("reversals")
DIRECTIONS: Final = _PAGE.words("directions")
DAYS: Final = _PAGE.words("days")
PERSONS: Final = _PAGE.labelled("persons")


def canonical(term: str) -> str:
    """The term that stands for all its spelling variants; the term itself where there are none."""
    return _SAME.get(term, term)


Verdict = Literal["same", "near", "different"]
Mood = tuple[str, ...]


def _phrases_by_start() -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = {}
    for phrase in sorted(FILLER_PHRASES, key=len, reverse=True):
        found.setdefault(phrase[0], []).append(list(phrase))
    return found


_GUARDED: Final = NEGATIONS | QUANTIFIERS | MODALS | DIRECTIONS | DAYS | REVERSALS | frozenset(PERSONS.values())
_FACTUAL: Final = NEGATIONS | DAYS | REVERSALS | frozenset(PERSONS.values())
"""Of these, what two ways of saying one thing cannot differ in; in its small words they may."""
_PHRASES: Final = _phrases_by_start()
_OPENINGS: Final = frozenset((phrase[0], phrase[1]) for phrase in FILLER_PHRASES)
_DIGIT_UNIT = re.compile(r"(\d+)([a-z]{1,3})")
_OPENING = re.compile(r"\W*([^,.!?;:\n]{2,40}),\s+")
_CLOSING = re.compile(r",\s+([^,.!?;:\n]{2,40})[.!]*$")
_LONGEST_ASIDE: Final = 7
_MARKERS: Final = DISCOURSE | (LEADING_FILLERS - STOP_WORDS)
# Words that make an aside a statement: "that is great, ..." judges, "if so, ..." sets a condition.
_REAL: Final = NEGATIONS | _PAGE.words("real")
_CAPITALISED = re.compile(r"(?<=[\w,;:'\"(-] )[A-Z][\w'-]*")
_WORD = re.compile(r"[^\W\d_]+")
_LETTERS = re.compile(r"\b[a-z]{3,}\b")
_PAST_AUXILIARIES: Final = _PAGE.words("past_auxiliaries")
_PAST_PHRASE = re.compile(r"\b(?:wasn't|weren't|didn't|hadn't|used to)\b")
_ENCODED = re.compile(r"\w{65}")  # terms keep a prefix only, so two such runs cannot be told apart
# Above this a text is a document; the word-by-word comparison would say little and cost much.
_MAX_COMPARED: Final = 4000


def jaccard(a: AbstractSet[str], b: AbstractSet[str]) -> float:
    """Shared members over all members; 1.0 for two empty sets."""
    shared = len(a & b)
    union = len(a) + len(b) - shared
    return shared / union if union else 1.0


def containment(a: AbstractSet[str], b: AbstractSet[str]) -> float:
    """The share of `a` found in `b`; 1.0 when `a` is empty."""
    return len(a & b) / len(a) if a else 1.0


@remembered(8192)
def wording_key(text: str) -> bytes:
    """A digest that texts share exactly when `near_duplicate` calls them the same; needs no vectors."""
    form = normalise(text)
    found, mood = ([], ()) if _is_incomparable(form) else _reading(text, form)
    parts = (*found, *mood) if found else (form,)
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).digest()


def near_duplicate(a: str, b: str) -> Verdict:
    """Compare two texts: `same` in other dress, `near` with nothing contradicting, or `different`."""
    left, right = normalise(a), normalise(b)
    if left == right:
        return "same"
    if _is_incomparable(left) or _is_incomparable(right):
        return "different"
    (first, mood), (second, other_mood) = _reading(a, left), _reading(b, right)
    if not first or not second or mood != other_mood:
        return "different"
    if first == second:
        return "same"
    if _is_rotation(first, second):
        return "near"
    only_first, only_second = Counter(first) - Counter(second), Counter(second) - Counter(first)
    if bool(only_first) == bool(only_second):
        return "different"
    extra = only_first or only_second
    longer, text = (first, a) if only_first else (second, b)
    if _is_guarded(extra, text) or _is_subject(extra, text) or sum(extra.values()) > max(2, len(longer) // 3):
        return "different"
    return "near" if _is_subsequence(*sorted((first, second), key=len)) else "different"


def agrees(a: str, b: str) -> bool:
    """Whether two texts differ in no number, name, negation, date or person, and are told of the same time.

    They may use other words for the rest.
    """
    (first, mood), (second, other_mood) = _reading(a, normalise(a)), _reading(b, normalise(b))
    if not first or not second or mood[2:] != other_mood[2:]:
        return False
    only_first, only_second = Counter(first) - Counter(second), Counter(second) - Counter(first)
    return not (_is_guarded(only_first, a, _FACTUAL) or _is_guarded(only_second, b, _FACTUAL))


def names_others(a: str, b: str) -> bool:
    """Whether each of two texts has a number, a name or a date that the other one has not: they are of two things."""
    first, second = Counter(_reading(a, normalise(a))[0]), Counter(_reading(b, normalise(b))[0])
    return _is_guarded(first - second, a, _FACTUAL) and _is_guarded(second - first, b, _FACTUAL)


def marks(text: str) -> tuple[int, int]:
    """64 bits for what tells a text from others, and 64 for all it says: two of which each is told by what the other
    does not say are of two things, as `names_others` finds; the bits may miss that, and never make it up."""
    found = Counter(_reading(text, normalise(text))[0])
    return _bits(_guarding(found, text, _FACTUAL)), _bits(found)


def says_all_of(existing: str, new: str) -> bool:
    """Whether `new` has every telling term of `existing` and more, of the same time, and denies or turns nothing."""
    (first, mood), (second, other_mood) = _reading(existing, normalise(existing)), _reading(new, normalise(new))
    extra = set(second) - set(first)
    return (
        len(set(first)) > 1 and set(first) < set(second) and mood[2:] == other_mood[2:]
        and extra.isdisjoint(NEGATIONS | REVERSALS | frozenset(PERSONS.values()))
    )  # fmt: skip


def adds_information(existing: str, new: str) -> bool:
    """Whether `new` says something, in words or numbers, that `existing` does not."""
    known = set(_reading(existing, normalise(existing))[0])
    return any(term not in known for term in _reading(new, normalise(new))[0] if term not in PERSONS.values())


def _is_incomparable(text: str) -> bool:
    return len(text) > _MAX_COMPARED or _ENCODED.search(text) is not None


def _reading(text: str, form: str) -> tuple[list[str], Mood]:
    """What a text of this normal form states, asides gone: its telling terms in order, and the mood of its verbs."""
    said = _without_asides(text) if "," in text else text
    return _weighty(list(parsed(said).terms)), _mood(form if said == text else normalise(said))


def _weighty(said: list[str]) -> list[str]:
    """Canonical terms without fillers; persons by group, so that "me" is "I"."""
    found = list(chain.from_iterable(map(_carried.__getitem__, _without_phrases(said))))
    start = 0
    while start < len(found) and found[start] in LEADING_FILLERS:
        start += 1
    return [term for term in found[start:] if term not in FREE] or found


class _Carried(dict[str, tuple[str, ...]]):
    """What a term stands for in a comparison, filled as terms are met; bounded, since text is open-ended."""

    def __missing__(self, term: str) -> tuple[str, ...]:
        same = canonical(term)
        split = _DIGIT_UNIT.fullmatch(same) if same[0].isdecimal() else None
        found = split.groups() if split else (PERSONS.get(same, same),)
        if len(self) >= _TERMS_REMEMBERED:
            self.clear()
        self[term] = found
        return found


_TERMS_REMEMBERED: Final = 40_000
_carried = _Carried()
emptied_by(_carried.clear)


def _without_asides(text: str) -> str:
    """The text without a discourse aside before its first or after its last comma."""
    opening = _OPENING.match(text)
    while opening is not None and _is_aside(opening[1]):
        text = text[opening.end() :]
        opening = _OPENING.match(text)
    closing = _CLOSING.search(text, max(0, len(text) - 60))
    if closing is not None and closing[1].count(" ") < 2 and _is_aside(closing[1]):
        return text[: closing.start()]
    return text


def _is_aside(phrase: str) -> bool:
    said = parsed(phrase).terms
    if said in ASIDE_PHRASES:
        return True
    found = [canonical(term) for term in said]
    if "'s" in phrase or "’s" in phrase:  # terms drop it, but here it is a verb: "that's great"
        return False
    if len(found) > _LONGEST_ASIDE or _MARKERS.isdisjoint(found) or not _REAL.isdisjoint(found):
        return False
    return all(term in _MARKERS or term in STOP_WORDS for term in found)


def _without_phrases(found: list[str]) -> list[str]:
    if _OPENINGS.isdisjoint(pairwise(found)):
        return found
    kept: list[str] = []
    skip = 0
    for at, term in enumerate(found):
        if skip:
            skip -= 1
            continue
        for phrase in _PHRASES.get(term, ()):
            if found[at + 1 : at + 2] == phrase[1:2] and found[at : at + len(phrase)] == phrase:
                skip = len(phrase) - 1
                break
        else:
            kept.append(term)
    return kept


def _mood(text: str) -> Mood:
    """What stems and fillers hide: worked is not works, is is not was, and a question is no statement."""
    found = _LETTERS.findall(text)
    return (
        " ".join(sorted({word[:-2][:3] for word in found if word[-2:] == "ed" and len(word) > 3})),
        " ".join(sorted({word[:-3][:3] for word in found if word[-3:] == "ing" and len(word) > 4})),
        "past" if _is_past(text, found) else "",
        "question" if text.endswith("?") else "",
    )


def _is_past(text: str, found: list[str]) -> bool:
    if not _PAST_AUXILIARIES.isdisjoint(found):
        return True
    return ("n't" in text or "used to" in text) and _PAST_PHRASE.search(text) is not None


def _is_guarded(extra: Counter[str], text: str, guarded: frozenset[str] = _GUARDED) -> bool:
    return next(_guarding(extra, text, guarded), "") != ""


def _guarding(extra: Counter[str], text: str, guarded: frozenset[str]) -> Iterator[str]:
    """Those of a text's terms that no other text may lack: numbers, names, and the words that are guarded."""
    yield from (term for term in extra if term in guarded or len(term) == 1 or any(map(str.isdecimal, term)))
    names = _CAPITALISED.findall(text)
    names += [word for word in _WORD.findall(fold(text)) if cues.is_name(word)]
    names += [word for word in _WORD.findall(text) if word[0].isupper() and fold(word) in cues.FIRST_NAMES]
    yield from (same for word in names for term in terms(word) if (same := canonical(term)) in extra)


def _bits(some: Iterable[str]) -> int:
    return reduce(or_, (1 << crc32(term.encode("utf-8", "surrogatepass")) % 64 for term in some), 0)


def _is_subject(extra: Counter[str], text: str) -> bool:
    """Whether what one text has more tells of whom or what it speaks: "I work there", "my brother works there"."""
    found = parsed(text).tokens
    for word, bits in zip(found.lower, found.bits, strict=True):
        if bits & (grammar.VERB | grammar.AUX | grammar.PUNCT | grammar.PREP):
            return False
        if not bits & grammar.ADV and any(canonical(term) in extra for term in terms(word)):
            return True
    return False


def _is_rotation(first: list[str], second: list[str]) -> bool:
    """One clause moved from front to back: "when it rains I stay in", "I stay in when it rains"."""
    size = len(first)
    if size != len(second) or size < 3:
        return False
    start = second[0]
    return any(first[at] == start and first[at:] + first[:at] == second for at in range(1, min(size, 64)))


def _is_subsequence(shorter: list[str], longer: list[str]) -> bool:
    remaining = iter(longer)
    return all(term in remaining for term in shorter)
