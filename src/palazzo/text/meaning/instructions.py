"""How a sentence is meant: as a standing instruction to an assistant, and whether whoever says it is sure of it.

Owns the judgement over one sentence; the ways of saying it are data, language by language, and of an order that none of
them lists the learned reader says whether it is meant for good. Knows nothing of what becomes of it. This is the one
place to ask whether a sentence is a standing instruction before it is taken apart.
Invariant: a question is no instruction, but for an order that is asked for politely; nor is an order for one occasion.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from palazzo.text.dates.tense import opens_in_present
from palazzo.text.reader import judgements
from palazzo.text.words.grammar import AUX, BE, DET, NAME, NUM, PAST, POSS, PUNCT, SUBJ, THIRD
from palazzo.text.words.language import guess_language
from palazzo.text.words.lexicon import ENGLISH, page
from palazzo.text.words.parsed import once, parsed
from palazzo.text.words.sentences import without_tag

LANGUAGES: Final = ("en", "de", "fr", "es")
_EDGES: Final = ' ,;:.!…"“”«»*-–—\n\t'
_LONGEST: Final = 400
_TOGETHER, _MOST_AHEAD = 64, 2048
"""Sentences that are read in one table, and at most ahead: so many are still known when they are asked for."""
LASTING: Final = 0.6
"""Odds of the reader from which on an order holds for good."""
OF_ANSWERS: Final = 0.85
"""The same of what is no order, and speaks of the assistant and what it writes."""
SURELY_TOLD, LIKELY_TOLD = 0.8, 0.5
"""Odds of the reader from which on a few words tell a fact, and a few with a verb or a name do."""
HARDLY_DOUBTED: Final = 0.8
"""The same of what is told in the past."""
HARDLY_TOLD, PASSES = 0.2, 0.35
"""Odds of a fact below which, and of chat and requests above which, a few plain words without a cue are no fact: of
2,300 statements to an assistant for development that were kept, four were such, and none of them told anything."""
_FEW_PLAIN: Final = re.compile(r"(?:[^\W\d_]+(?:['’-][^\W\d_]+)*[,.!…]* ?){2,5}")


@cache
def _patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    listed = page("instructions", language)
    ways = [line for line in listed.listing("standing").strip().split("\n") if line]
    return re.compile("|".join(f"(?:{way})" for way in ways), re.IGNORECASE), re.compile(
        listed.listing("once"), re.IGNORECASE
    )


@once
def tells_to_always(sentence: str) -> bool:
    """Whether a sentence said to an assistant tells it what to do from now on."""
    told, order, least = _by_words(sentence)
    read = judgements.kinds([order]) if order else None
    return told or (read is not None and read[0]["instruction"] >= least)


def read_ahead(sentences: Iterable[str]) -> None:
    """Lets the learned reader read at once what `tells_to_always` would ask it of these one after the other, which
    takes several times as long."""
    orders = [order for sentence in sentences if (order := _by_words(sentence)[1])][:_MOST_AHEAD]
    for at in range(0, len(orders), _TOGETHER):
        judgements.kinds(orders[at : at + _TOGETHER])


@once
def _by_words(sentence: str) -> tuple[bool, str, float]:
    """Whether words alone say that a sentence tells what to do from now on; else what the learned reader is to read,
    and the odds from which on that holds for good: an order, or what is said of the answers."""
    plain = without_tag(sentence.replace("’", "'").strip(_EDGES)).strip(_EDGES)
    if _asked().match(plain) is not None:
        plain = plain.rstrip(" ?")
    if not plain or len(plain) > _LONGEST or plain.endswith("?"):
        return False, "", 0.0
    language = guess_language(plain)
    for one in LANGUAGES:  # of so few words a language is guessed wrong too often to ask in one alone
        standing, for_once = _patterns(one)
        if standing.match(plain) is not None:
            return for_once.search(plain) is None, "", 0.0
    if language != ENGLISH or _patterns(ENGLISH)[1].search(plain) is not None:
        return False, "", 0.0
    least = LASTING if is_order(plain) else OF_ANSWERS if _of_answers().search(plain) is not None else 0.0
    return False, plain if least and _made_once().search(plain) is None else "", least


@cache
def _asked() -> re.Pattern[str]:
    """An order in the form of a question: "could you always cite your sources?"."""
    return re.compile(page("instructions").listing("asked"), re.IGNORECASE)


@cache
def _at_hand() -> re.Pattern[str]:
    return re.compile(page("instructions").listing("at_hand"), re.IGNORECASE)


@once
def for_once(sentence: str) -> bool:
    """Whether an order is about the one thing at hand: "make this email a bit shorter", "now translate it"."""
    plain = sentence.replace("’", "'").strip(_EDGES)
    return not tells_to_always(sentence) and _at_hand().search(plain) is not None


@cache
def _tasks() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Orders that are followed by the text they are about, and those that say themselves what is to be made up."""
    pages = [page("instructions", language) for language in LANGUAGES]
    handed, made = (
        "|".join(listed.listing(entry).replace(" | ", "|") for listed in pages for entry in entries)
        for entries in (("handed", "played"), ("made",))
    )
    opening = r"(?:^|(?<=[.!?]\s)|(?<=\n))\s*"
    return (
        re.compile(f"{opening}(?:{handed})", re.IGNORECASE), re.compile(f"{opening}(?:{made})[^.!?\n]*", re.IGNORECASE)
    )  # fmt: skip


@once
def material_in(text: str) -> tuple[tuple[int, int], ...]:
    """Where a message gives a text to do something with, orders one to be made up, or plays: nobody tells anything."""
    plain = text.replace("’", "'")
    handed, made = _tasks()
    first = handed.search(plain)
    told = [match.span() for match in made.finditer(plain, 0, first.start() if first is not None else len(plain))]
    return (*told, (first.start(), len(text))) if first is not None else tuple(told)


@cache
def _of_answers() -> re.Pattern[str]:
    return re.compile(page("instructions").listing("of_answers"), re.IGNORECASE)


@cache
def _made_once() -> re.Pattern[str]:
    return re.compile(page("instructions").listing("made_once"), re.IGNORECASE)


@cache
def _doubts() -> re.Pattern[str]:
    words = "|".join(page("confidence", language).listing("doubt") for language in LANGUAGES)
    return re.compile(rf"(?<![\w-])(?:{words})(?:\b|(?<=\s))", re.IGNORECASE)


@once
def is_hedged(sentence: str) -> bool:
    """Whether a sentence says that its speaker is not sure, or only tells what another said."""
    return _doubts().search(sentence.replace("’", "'")) is not None


@cache
def _passing() -> re.Pattern[str]:
    listed = page("phrasing")
    words = "|".join(sorted(listed.words("passing")))
    how = rf"(?:(?!(?:for|off|of|with) )\w+ ){{0,3}}(?:{words}|{listed.listing('passing_phrases')})"
    when = listed.listing("passing_times")
    return re.compile(
        rf"(?:\w+ )?the user (?:is|was|feels|gets|got) {how}(?: thanks| thank you)?(?:, {how})*(?: (?:{when}))?\W*$",
        re.IGNORECASE,
    )


@once
def says_of_self(statement: str) -> bool:
    """Whether a statement tells something of the user that is more than how they are just now."""
    return "the user" in statement.lower() and not is_passing(statement)


@once
def is_passing(statement: str) -> bool:
    """Whether a statement only tells how the user is just now: "The user is so tired today"."""
    return _passing().match(statement) is not None


@once
def passes_time(sentence: str) -> bool:
    """Whether the learned reader takes a few plain words that name nobody for chat or a request: "gotta run, bye"."""
    words = _FEW_PLAIN.fullmatch(sentence.strip()) is not None and parsed(sentence)
    if not words or words.language != ENGLISH or words.tokens.bits[0] & (SUBJ | POSS | DET):
        return False
    told = judgements.kinds([sentence])
    return told is not None and told[0]["fact"] < HARDLY_TOLD and told[0]["chat"] + told[0]["request"] > PASSES


@once
def says_what_is(statement: str) -> bool:
    """Whether a statement says of somebody or something with a name who or what it is: "Anna is our buyer"."""
    tokens = parsed(statement).tokens
    bits = tokens.bits
    at = 0
    while at < len(bits) and bits[at] & NAME and not bits[at] & PUNCT:
        at += 1
    if not 0 < at < len(bits) - 1 or not bits[at] & BE:
        return False
    return bits[at + 1] & (DET | POSS | NAME | NUM) != 0 or tokens.lower[at + 1] == "the"


@once
def tells_plainly(statement: str) -> bool:
    """Whether the learned reader is sure that words without any cue tell a fact: "Arvind is in the navy"."""
    return _told(statement) >= (LIKELY_TOLD if stands_alone(statement) else SURELY_TOLD)


def tells_somehow(statement: str, *, of_somebody: bool) -> bool:
    """Whether words without any cue tell a fact: one that holds of somebody, one that happened to somebody, of which
    the reader must be surer, or what was decided elsewhere. How something was ("the queue was endless") is none."""
    if not of_somebody or not stands_alone(statement):
        return of_those_who_decide(statement)
    tokens = parsed(statement).tokens
    if opens_in_present(tokens):
        return tells_plainly(statement)
    return not any(bit & BE for bit in tokens.bits) and _told(statement) >= HARDLY_DOUBTED


def of_those_who_decide(statement: str) -> bool:
    """Whether it tells what some whom nobody named have done: "they've upped the dose"."""
    return parsed(statement).tokens.lower[0].partition("'")[0] == "they" and _told(statement) >= HARDLY_DOUBTED


def _told(statement: str) -> float:
    """The odds of the learned reader that an English statement tells a fact."""
    told = judgements.kinds([statement]) if parsed(statement).language == ENGLISH else None
    return told[0]["fact"] if told is not None else 0.0


@once
def stands_alone(statement: str) -> bool:
    """Whether a statement says something by itself: it has a verb or a name, and does not open with "it" or "that"."""
    first, _, _ = statement.partition(" ")
    if first.lower().replace("’", "'").rstrip(",.!") in page("phrasing").words("leaning"):
        return False
    return any(bit & (AUX | THIRD | PAST) or (bit & NAME and not bit & PUNCT) for bit in parsed(statement).tokens.bits)


@once
def is_order(sentence: str) -> bool:
    """Whether a sentence orders something for once, and tells nothing."""
    found = parsed(sentence).spans[1]
    return bool(found) and found[0][2] == "command"
