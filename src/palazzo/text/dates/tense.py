"""Which way a time expression points: the mood and tense of the clause around it, and whether it comes round.

Owns the choice between the last and the next Friday, and what has no day of its own because it repeats. The verb that
governs an expression is the nearest one before it, or after it where the expression opens its clause. A past tense
reads back; everything else reads forward, for what is said without a past tense is present, planned, wished or told
to do. Past verbs of arranging point forward too ("booked for Friday", "decided to go in May"). Knows nothing of
calendars. Words of a language are data: English verbs are known by form, other languages say in `[tense]` of their page
how their past looks. Invariant: a bounded number of words around the expression is read.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal, NamedTuple

from palazzo.text.dates.calendar import Expression
from palazzo.text.dates.lex import DateTokens
from palazzo.text.words.grammar import (
    AUX,
    BASE,
    BE,
    DET,
    DO,
    GERUND,
    HAVE,
    MODAL,
    NOUNISH,
    NUM,
    PARTICIPLE,
    PAST,
    POSS,
    PREP,
    SUBJ,
    THIRD,
    Tokens,
    word_classes,
)
from palazzo.text.words.lexicon import ENGLISH, page

Direction = Literal["past", "future", "nearer"]
"""nearer: the words allow both, and people speak of what is near."""
_PAGE: Final = page("dates")
_REACH: Final = 24  # words of the same sentence looked at on each side
_SUBJECT: Final = 5  # words before its verb at most
_SENTENCE_ENDS: Final = frozenset(".!?;")
_OPENS: Final = _PAGE.words("clause_openers")
_ARRANGED: Final = _PAGE.words("arranged")
_SOMEWHERE: Final = _PAGE.words("somewhere")
_INTENDED: Final = _PAGE.words("intended")
_ONWARD: Final = frozenset({"to", "until", "till", "through", "-", "–"})
_BACK: Final = _PAGE.words("pointing_back")
_USUALLY: Final = _PAGE.words("usually")
_MONTHLY: Final = _PAGE.words("comes_monthly")
_YEARLY: Final = _PAGE.words("comes_yearly")
_ADJECTIVES: Final = _PAGE.words("no_past")
_PAST_AUXILIARIES: Final = _PAGE.words("past_auxiliaries")
_BEGINNING: Final = _PAGE.words("beginning")
_ONE: Final = frozenset({"he", "she", "it"})
_COMING_FROM: Final = frozenset({"up", "down"})
_AIMS: Final = frozenset({"for", "to", "until", "till"})
_PASSED_OVER: Final = _PAGE.words("before_expression")


class _Shapes(NamedTuple):
    """How a language other than English shows the past."""

    past: re.Pattern[str]
    future: re.Pattern[str]
    auxiliary: re.Pattern[str]
    participle: re.Pattern[str]
    moving_auxiliary: re.Pattern[str]
    moving_participle: re.Pattern[str]
    determiner: re.Pattern[str]
    """What makes the word behind it a noun."""


@cache
def _shapes(language: str) -> _Shapes:
    listed = page("dates", language).table("tense")
    return _Shapes(*(re.compile(rf"(?:{listed[name].strip()})\Z", re.VERBOSE) for name in _Shapes._fields))


def direction(t: DateTokens, i: int, stop: int) -> Direction:
    """Where the clause around the expression from i to stop looks."""
    first, last = _sentence(t, i, stop)
    if t.language != ENGLISH:
        return "past" if _past_by_shape(t, range(first, i), range(stop, last)) else "future"
    if any(_came_from(t, k) for k in range(max(i - _REACH // 4, first), i - 2)):
        return "past"
    opening = i
    while opening > first and t.words[opening - 1] in _PASSED_OVER:
        opening -= 1
    before = _governing(t, range(opening - 1, first - 1, -1), aimed=not _AIMS.isdisjoint(t.words[opening : i + 1]))
    after = _first_verb(t, range(stop, last))
    opens = opening == first or t.words[opening - 1] in _OPENS
    found = (after or before) if opens else (before or after)
    if (
        found is None
    ):  # "the letter from 2 June" is of that day, "a trip from 2 to 6 June" and "she's off from 2 June" not
        stretch = not _ONWARD.isdisjoint(t.words[i : min(stop + 1, last)])
        told = any(word_classes().get(t.words[k], 0) & SUBJ for k in (*range(first, opening), *range(stop, last)))
        return "past" if not stretch and not told and not _BACK.isdisjoint(t.words[opening : i + 1]) else "future"
    return found


def _sentence(t: DateTokens, i: int, stop: int) -> tuple[int, int]:
    """Where the sentence around the expression begins and ends, as far as it is looked at."""
    first = i
    while first > max(i - _REACH, 0) and not _ends(t, first - 1):
        first -= 1
    last = stop
    while last < min(stop + _REACH, t.count) and not _ends(t, last):
        last += 1
    return first, last


def _came_from(t: DateTokens, k: int) -> bool:
    """Whether a figure is said to be what another was: "82 kilos, down from 90 in January"."""
    return t.words[k] in _COMING_FROM and t.words[k + 1] == "from" and t.words[k + 2][:1].isdecimal()


def _ends(t: DateTokens, k: int) -> bool:
    word = t.words[k]
    return word in _SENTENCE_ENDS and not (word == "." and k and t.words[k - 1].isdecimal() and k + 1 < t.count)


def _first_verb(t: DateTokens, side: range) -> Direction | None:
    """The tense of the first verb behind an expression; None where there is none."""
    for k in side:
        bits = _bits(t, k)
        if _holds_now(t, k):
            return "future"
        if t.words[k] in _PAST_AUXILIARIES or (bits & HAVE and _perfect(t, k)):
            return "past"
        if bits & AUX:
            return "future"
        if bits & PAST and not bits & BASE and not _is_noun(t, k):
            return "past"
        if bits & (BASE | THIRD) and not bits & NOUNISH:
            return "future"
    return None


def _governing(t: DateTokens, side: range, *, aimed: bool) -> Direction | None:
    """The tense of the verb before an expression, read backwards: from the verb itself to what governs it."""
    form = ""
    arranged = False
    for k in side:
        word, bits = t.words[k], _bits(t, k)
        if form and word in _OPENS:
            break
        if not form and _holds_now(t, k):
            return "future"
        if word in _PAST_AUXILIARIES or (bits & HAVE and _perfect(t, k)):
            return "future" if arranged else "past"
        if word in ("be", "been", "being"):
            form = form or "infinitive"
            continue
        if bits & (MODAL | BE):
            return "future"
        if bits & PARTICIPLE and not form and _helped(t, k):
            form, arranged = "participle", word in _ARRANGED and aimed
        elif bits & PAST and not bits & BASE and not _is_noun(t, k):
            if (word in _INTENDED and form == "infinitive") or (word in _ARRANGED and aimed and not form):
                arranged, form = True, "past"
            elif form == "past":
                return "future"
            elif form != "bare":
                gone = k + 1 < t.count and t.words[k + 1] in _SOMEWHERE  # "moved to Porto in May", "moved in in May"
                gone = gone or (k + 2 < t.count and _bits(t, k + 1) & _bits(t, k + 2) & PREP != 0)
                return "nearer" if word in _ARRANGED and form == "" and not gone else "past"
        elif bits & (BASE | THIRD | DO | HAVE) and not _is_noun(t, k, prepositions=True):
            if form and not (form == "gerund" and bits & PAST):
                continue
            if bits & PAST:
                return "past" if k and t.words[k - 1] in _ONE else "nearer"  # "she quit on Friday"
            form = "infinitive" if k and t.words[k - 1] == "to" else "bare"
        elif bits & PARTICIPLE and not form and not _is_noun(t, k):
            form = "participle"
            arranged = word in _ARRANGED and aimed
        elif bits & GERUND and not form and not _is_noun(t, k):
            form = "gerund"
    return "future" if form else None


def _helped(t: DateTokens, k: int) -> bool:
    """Whether an auxiliary stands before a participle, with at most one word between: then it tells the tense."""
    return any(_bits(t, n) & AUX for n in range(max(k - 2, 0), k))


def _bits(t: DateTokens, k: int) -> int:
    """The classes of a word; one that only looks like a past tense is one."""
    word = t.words[k]
    if word == "'s":
        return BE if _is_is(t, k) else 0
    bits = word_classes().get(word, 0)
    if not bits and len(word) > 4 and word.endswith("ed") and word not in _ADJECTIVES:
        return PAST | PARTICIPLE
    if not bits and word.endswith(("'ll", "'d")):
        return MODAL
    return bits


def _is_is(t: DateTokens, k: int) -> bool:
    """Whether an apostrophe and an s are the verb: "she's home", "the review's on Thursday"; not "at my aunt's on"."""
    classes = word_classes()
    if not k or any(classes.get(word, 0) & PARTICIPLE for word in t.words[k + 1 : k + 3]):
        return False
    if classes.get(t.words[k - 1], 0) & SUBJ:
        return True
    subject = t.words[max(k - _SUBJECT, 0) : k]
    opens = max((n for n, word in enumerate(subject) if word in _OPENS), default=-1)
    before = subject[opens + 1 :] if opens >= 0 or k <= _SUBJECT else ()
    plain = bool(before) and not any(classes.get(word, 0) & (PREP | PAST | AUX) for word in before)
    return plain and bool(classes.get(t.words[k + 1], 0) & (PREP | DET))


def _is_noun(t: DateTokens, k: int, *, prepositions: bool = False) -> bool:
    """Whether the word before makes it a noun or an adjective: "the planned trip", "at work"."""
    if k == 0 or t.words[k - 1] == "to":
        return False
    return bool(word_classes().get(t.words[k - 1], 0) & (DET | POSS | NUM | (PREP if prepositions else 0)))


def _perfect(t: DateTokens, k: int) -> bool:
    """Whether a form of "have" is followed by a participle, with up to two words between."""
    return any(_bits(t, n) & PARTICIPLE and not _bits(t, n) & BASE for n in range(k + 1, min(k + 4, t.count)))


def _holds_now(t: DateTokens, k: int) -> bool:
    """Whether something is had: "I've got an interview on Friday", "she's got a flat"; not "we've got lost"."""
    if t.words[k] != "got" or not k or (k + 1 < t.count and _bits(t, k + 1) & PARTICIPLE):
        return False
    return t.words[k - 1].endswith(("'ve", "'s")) or t.words[k - 1] in ("have", "has")


def _past_by_shape(t: DateTokens, before: range, after: range) -> bool:
    shapes = _shapes(t.language)
    # In its own case: a name or a German noun is no verb, whatever it looks like.
    words = [t.text[t.starts[k] : t.ends[k]].replace("’", "'") for k in (*before, *after)]
    if before and words:
        words[0] = words[0][:1].lower() + words[0][1:]
    nouns = {n + 1 for n, word in enumerate(words) if shapes.determiner.match(word)}
    words = [word for n, word in enumerate(words) if n not in nouns]
    if any(map(shapes.future.match, words)):
        return False
    if any(map(shapes.past.match, words)):
        return True
    helped = any(map(shapes.auxiliary.match, words)) and any(map(shapes.participle.match, words))
    moved = any(map(shapes.moving_auxiliary.match, words)) and any(map(shapes.moving_participle.match, words))
    return helped or moved


def comes_round(t: DateTokens, i: int, found: Expression) -> bool:
    """Whether a day without a year is one of many: said to be usual, of every month, or of what comes by itself."""
    of_month = found.kind == "date" and t.words[found.stop - 2 : found.stop] == ["the", "month"] and t.words[i] != "end"
    if not (found.tensed or of_month):
        return False
    first, last = _sentence(t, i, found.stop)
    around = {*t.words[first:i], *t.words[found.stop : last]}
    step = found.cycle.step if found.cycle else ""
    usual = step != "year" and not around.isdisjoint(_USUALLY)
    by_itself = (step == "year" and not around.isdisjoint(_YEARLY)) or (
        step == "month" and not around.isdisjoint(_MONTHLY)
    )
    return usual or ((of_month or by_itself) and direction(t, i, found.stop) == "future")


def opens_in_present(tokens: Tokens) -> bool:
    """Whether the first verb of a statement stands in the present: what it tells holds, whenever it began."""
    for at, bit in enumerate(tokens.bits):
        if bit & AUX:
            return tokens.lower[at] not in _PAST_AUXILIARIES
        if bit & (THIRD | PAST) and not bit & NOUNISH:
            return bit & THIRD != 0
    return False


def tells_beginning(tokens: Tokens) -> bool:
    """Whether the first verb of a statement tells what lasts from then on: "we're moving next week"."""
    verbs = (low for low, bit in zip(tokens.lower, tokens.bits, strict=True) if bit & (BASE | THIRD | GERUND | PAST))
    return next((low for low in verbs if not word_classes().get(low, 0) & AUX), "") in _BEGINNING
