"""Sentence frames that state a slot: "A's B is C", "B of A: C", "moved from C to D", "lives in C", "has 5 Cs".

Owns one reader per frame over the tokens of a proposition and the mood of the whole (does it announce a change, does
it hedge). Knows nothing about other propositions. Invariant: a frame reports only words that stand in the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

import msgspec
from msgspec.structs import replace

from palazzo.text.facts.quantities import stem
from palazzo.text.facts.slots import verbs
from palazzo.text.facts.slots.changes import changing
from palazzo.text.facts.slots.phrases import (
    ATTRIBUTE_NOUNS,
    CHANGE_CUES,
    CHANGE_PHRASES,
    CHANGE_VERBS,
    DIETS,
    DISOWNED,
    DISOWNING_PHRASES,
    EVENTS,
    INTENDING,
    INTENDING_PHRASES,
    LIKING_VERBS,
    MANY_VALUED,
    NUMBERED,
    RELATIONSHIPS,
    STATUSES,
    UNSURE,
    UNSURE_PHRASES,
    FoundSlot,
    Phrase,
    canonical_attributes,
    event_times,
    is_role,
    person_of,
    phrase_before,
    read_phrase,
    read_value,
    subject_text,
)
from palazzo.text.words.cues import KINDS
from palazzo.text.words.grammar import (
    ADJ,
    ADV,
    BE,
    DET,
    GERUND,
    HAVE,
    NAME,
    NEG,
    NOUNISH,
    NUM,
    PARTICIPLE,
    PAST,
    POSS,
    PREP,
    PUNCT,
    SUBJ,
    SUBORD,
    VERB,
    WH,
    Tokens,
    base_of,
    word_classes,
)
from palazzo.text.words.language import plain_words
from palazzo.text.words.lexicon import page

_PAGE: Final = page("slots")

_ANNOUNCING: Final = _PAGE.words("announcing")
_LONGEST_LABEL: Final = 40  # tokens in front of a colon; what comes before them is another statement
_COPULAS: Final = frozenset(("remains", "became", "becomes", "equals", "stays"))
_TELLING: Final = PUNCT | BE | POSS | VERB | HAVE
_TELLING_WORDS: Final = _COPULAS | frozenset(ATTRIBUTE_NOUNS) | NUMBERED
_NAMED_VALUE: Final = frozenset(("role", "employer", "city", "name", "partner", "car"))
_STYLE_HEADS: Final = _PAGE.words("style_heads")


class Mood(msgspec.Struct, frozen=True, gc=False):
    """What the whole proposition says about itself; `unsure_at` are places of words that weaken what follows.

    `intended` are the stretches of words that say what somebody means to do: no fact yet, so nothing is replaced by it.
    """

    changed: bool
    disowned: bool
    unsure_at: tuple[int, ...]
    intended: tuple[tuple[int, int], ...] = ()

    def hedges(self, last: int) -> bool:
        """Whether a value that ends at token `last` is not vouched for."""
        return self.disowned or any(at < last for at in self.unsure_at)

    def intends(self, last: int) -> bool:
        """Whether a value that ends at token `last` is only meant to be."""
        return any(first < last <= end for first, end in self.intended)


_PLAIN_MOOD: Final = Mood(False, False, ())
_MOOD_WORDS: Final = (
    frozenset((*CHANGE_CUES, *DISOWNED, *UNSURE, *INTENDING))
    | {second for _, second in (*CHANGE_PHRASES, *DISOWNING_PHRASES, *UNSURE_PHRASES, *INTENDING_PHRASES)}
)  # fmt: skip


def read_mood(tokens: Tokens) -> Mood:
    """Whether the text announces a change and whether it withholds certainty."""
    changed = disowned = False
    unsure: list[int] = []
    intended: list[tuple[int, int]] = []
    if _MOOD_WORDS.isdisjoint(tokens.lower):
        return _PLAIN_MOOD
    previous = ""
    for at, word in enumerate(tokens.lower):
        if word in CHANGE_CUES or (previous, word) in CHANGE_PHRASES:
            changed = True
        if word in DISOWNED or (previous, word) in DISOWNING_PHRASES:
            disowned = True
        elif word in UNSURE or (previous, word) in UNSURE_PHRASES:
            unsure.append(at)
        elif word in INTENDING or (previous, word) in INTENDING_PHRASES:
            stop = next((k for k in range(at, len(tokens.lower)) if tokens.lower[k] in ",;.!?"), len(tokens.lower))
            intended.append((at, stop))
        previous = word
    return Mood(changed, disowned, tuple(unsure), tuple(intended))


def frames(tokens: Tokens) -> Iterator[FoundSlot]:
    """Every slot stated in the text, in order of appearance, with the value it is said to stand in the place of."""
    for found in stated(tokens):
        given_up = "" if found.old_value else _given_up(tokens, found.last)
        yield replace(found, old_value=given_up, changed=True) if given_up else found


def _given_up(tokens: Tokens, at: int) -> str:
    """The value after "instead of", "rather than", "and not", ", not": what is no longer so."""
    lower = tokens.lower
    for here in range(at, min(at + 4, len(lower) - 1)):
        pair = lower[here], lower[here + 1]
        if pair in (("instead", "of"), ("rather", "than"), ("and", "not"), (",", "not"), ("but", "not")):
            return read_value(tokens, here + 2)[0]
    return ""


@cache
def _that_tell() -> frozenset[str]:
    """Words without which nothing is stated, in small letters: verbs and the like, and what has a value or a time."""
    telling = [word for word, bit in word_classes().items() if bit & _TELLING]
    return frozenset((*telling, *(word.replace("'", "") for word in telling), *_TELLING_WORDS, *EVENTS))


def states_nothing(text: str) -> bool:
    """Whether a text in English is words and blanks alone, none of which states anything: a look at each tells, which
    takes less than their classes do."""
    words = plain_words(text)
    if words is None or not text.rstrip(" .").replace(",", "").replace(" ", "").isalpha():
        return False
    return _that_tell().isdisjoint(words) and not any(word.endswith(("ed", "ing")) for word in words)


def stated(tokens: Tokens) -> Iterator[FoundSlot]:
    """Every slot stated in the text, in order of appearance."""
    bits, lower = tokens.bits, tokens.lower
    floor = _after_announcement(tokens)
    for at in range(floor, len(lower)):
        bit, low = bits[at], lower[at]
        if not bit & _TELLING and low not in _TELLING_WORDS:
            continue
        if bit & PUNCT:
            if low == ":" or (low in "=→" and at > floor):
                yield from _labelled(tokens, floor, at)
            elif low in ".!?;" and at + 1 < len(lower):
                floor = at + 1
            continue
        if bit & BE or low in _COPULAS or (bit & POSS and low.endswith("'s") and _reads_as_is(tokens, at)):
            yield from _copula(tokens, at, floor)
        if bit & (VERB | HAVE) and not bit & NAME:
            base = base_of(low)
            yield from verbs.verb_frames(tokens, at, floor, base)
            if base in CHANGE_VERBS:
                yield from changing(tokens, at, floor, base)
        if low in NUMBERED and verbs.numbered(tokens, at):
            yield from _standing_at(tokens, at, floor)
        if low in ATTRIBUTE_NOUNS and at + 2 < len(lower) and lower[at + 1] == "of":
            yield from _of_value(tokens, at, floor)
    yield from event_times(tokens, floor)


def _standing_at(tokens: Tokens, at: int, floor: int) -> Iterator[FoundSlot]:
    """ "listens on port 8080", "runs on version 3.1", unless it is asked."""
    if (
        tokens.lower[-1] != "?"
        and at >= floor + 3
        and tokens.lower[at - 1] in ("on", "at")
        and tokens.bits[at - 2] & VERB
    ):
        subject = verbs.subject_before(tokens, at - 2, floor)
        yield FoundSlot(subject, tokens.lower[at], tokens.lower[at + 1], at, at + 2, 0.85)


def _after_announcement(tokens: Tokens) -> int:
    """Index of the first word after "Remember that", "Update this:", "[Sep 06, 2025]" and the like."""
    lower, bits = tokens.lower, tokens.bits
    at = 0
    while at < len(lower) and lower[at] == "[":
        try:
            at = lower.index("]", at) + 1
        except ValueError:
            break
    start = at
    while at < len(lower) and at < start + 8 and (lower[at] in _ANNOUNCING or bits[at] & (ADV | PUNCT)):
        at += 1
        if lower[at - 1] in (":", "that", ","):
            start = at
    return start


def _reads_as_is(tokens: Tokens, at: int) -> bool:
    """Whether "X's" means "X is": what follows cannot be owned."""
    if at + 1 >= len(tokens.lower):
        return False
    following = tokens.bits[at + 1]
    if following & (DET | PREP) and not following & NOUNISH:
        return True
    return bool(following & ADV) and at + 2 < len(tokens.lower) and not tokens.bits[at + 2] & (NOUNISH | NAME)


def _copula(tokens: Tokens, at: int, floor: int) -> Iterator[FoundSlot]:
    bits, lower = tokens.bits, tokens.lower
    total = len(lower)
    negated = bits[at] & NEG != 0
    start = at + 1
    while start < total and bits[start] & (ADV | NEG) and lower[start] not in ("there", "here"):
        negated = negated or bits[start] & NEG != 0
        start += 1
    if start >= total or (bits[start] & PUNCT and lower[start] not in "\"'“‘`*$"):
        return
    if bits[at] & SUBJ:
        first, last = at, at + 1
    else:
        first, last = phrase_before(tokens, at, floor)
        if lower[at].endswith("'s"):
            first, last = _noun_with_clitic(tokens, at, floor)
    if last <= first:
        return
    subject = subject_text(tokens, first, last)
    if not subject:
        return
    phrase = read_phrase(tokens, first, last)
    told = [] if _is_attribute(phrase) else list(_complement(tokens, start, subject, person=person_of(subject)))
    if told:
        for found in told:
            yield found.at_verb(negated=negated)
        yield from _joined_complements(tokens, start, subject)
        return
    if bits[start] & GERUND and not bits[start] & (NOUNISH | NAME):
        return
    if (
        bits[start] & (PARTICIPLE | PAST)
        and start + 1 < total
        and lower[start + 1] in ("to", "by", "from", "with", "in", "for")
    ):
        return
    if phrase is not None:
        yield from (
            f.at_verb(negated=negated) for f in _attribute(tokens, phrase, start, past=lower[at] in ("was", "were"))
        )


def _joined_complements(tokens: Tokens, start: int, subject: str) -> Iterator[FoundSlot]:
    """Facts told by further complements of the same verb ("is vegan and allergic to nuts")."""
    for at in range(start + 1, min(len(tokens.lower) - 1, start + 14)):
        if tokens.bits[at] & (SUBJ | BE) or tokens.lower[at] in ";.":
            return
        if tokens.lower[at] in ("and", "but", ","):
            then = at + 1
            negated = False
            while then < len(tokens.lower) - 1 and tokens.bits[then] & (ADV | NEG):
                negated = negated or tokens.bits[then] & NEG != 0
                then += 1
            for found in _complement(tokens, then, subject, person=person_of(subject)):
                yield found.at_verb(negated=negated)


def _is_attribute(phrase: Phrase | None) -> bool:
    """Whether a subject is an attribute of something rather than a person or a thing itself."""
    if phrase is None or not (phrase.owner or phrase.thing):
        return False
    return phrase.attribute in canonical_attributes() or stem(phrase.attribute.split()[-1]) in ATTRIBUTE_NOUNS


def _noun_with_clitic(tokens: Tokens, at: int, floor: int) -> tuple[int, int]:
    start = at
    while start > floor and tokens.bits[start - 1] & (DET | NAME | POSS | ADJ):
        start -= 1
    return start, at + 1


def _complement(tokens: Tokens, at: int, subject: str, *, person: bool) -> Iterator[FoundSlot]:
    """Facts that the words after "is" state whatever the subject is called."""
    bits, lower = tokens.bits, tokens.lower
    total = len(lower)
    low = lower[at]
    following = lower[at + 1] if at + 1 < total else ""
    if low in DIETS:
        yield FoundSlot(subject, "diet", low, at, at + 1, 0.9)
    elif low in RELATIONSHIPS and person:
        yield FoundSlot(subject, "relationship status", low, at, at + 1, 0.9)
        if following == "to" and at + 2 < total:
            value, first, last = read_value(tokens, at + 2)
            yield FoundSlot(subject, "partner", value, first, last, 0.8)
    elif low == "allergic" and following == "to":
        value, first, last = read_value(tokens, at + 2)
        yield FoundSlot(subject, "allergy", value, first, last, 0.9, functional=False)
    elif low in ("based", "located", "living", "headquartered") and following in ("in", "at", "near"):
        value, first, last = read_value(tokens, at + 2)
        yield FoundSlot(subject, "city", value, first, last, 0.85)
    elif low in ("at", "on") and verbs.numbered(tokens, at + 1):
        yield FoundSlot(subject, following, lower[at + 2], at + 1, at + 3, 0.85)
    elif low in ("named", "called") and at + 1 < total:
        value, first, last = read_value(tokens, at + 1)
        yield FoundSlot(subject, "name", value, first, last, 0.85)
    elif low in ("due", "scheduled", "planned", "slated"):
        skip = 2 if following in ("on", "for", "by", "at", "to") else 1
        value, first, last = read_value(tokens, at + skip)
        yield FoundSlot(subject, "deadline" if low == "due" else "time", value, first, last, 0.85)
    elif low in ("set", "configured", "fixed", "capped") and following in ("to", "at"):
        value, first, last = read_value(tokens, at + 2)
        yield FoundSlot(subject, "value", value, first, last, 0.85)
    elif low in STATUSES and (
        following in ("", ".", ",", ";", "!", "now", "and", "but", "until", "because") or bits[at + 1] & PUNCT
    ):
        yield FoundSlot(subject, "status", low, at, at + 1, 0.8)
    elif bits[at] & NUM and person and following in ("years", "year", "", ".", ",", "and"):
        yield FoundSlot(subject, "age", low, at, at + 1, 0.9 if following.startswith("year") else 0.6)
    elif low in ("in", "at", "on") and at + 1 < total and verbs.is_month(following):
        value, first, last = read_value(tokens, at + 1)
        yield FoundSlot(verbs.owned_thing(subject), "time", value, first, last, 0.8)
    elif low in ("in", "at") and at + 1 < total and bits[at + 1] & NAME and not bits[at + 1] & NUM:
        value, first, last = read_value(tokens, at + 1)
        if KINDS.get(following, "location") == "location":  # "the backend is in Rust" says nothing of a place
            yield FoundSlot(subject, "city", value, first, last, 0.5 if person else 0.8)
    elif low == "from" and person and at + 1 < total and bits[at + 1] & NAME:
        value, first, last = read_value(tokens, at + 1)
        yield FoundSlot(subject, "origin", value, first, last, 0.8)
    elif bits[at] & (DET | POSS) and person and at + 1 < total:
        yield from _holding(tokens, at, subject)
        value, first, last = read_value(tokens, at + 1)
        if is_role(tokens, first, last):
            yield FoundSlot(subject, "role", value, first, last, 0.75)


def _holding(tokens: Tokens, at: int, subject: str) -> Iterator[FoundSlot]:
    """ "Eva is the owner of the shop": the one who fills a place of which there is one."""
    lower = tokens.lower
    if lower[at] != "the" or "of" not in lower[at + 1 : at + 5]:
        return
    of = lower.index("of", at + 1)
    thing, _, last = read_value(tokens, of + 1)
    if thing:
        yield FoundSlot(thing.lower(), " ".join(lower[at + 1 : of]), subject, at, last, 0.8)


def _attribute(tokens: Tokens, phrase: Phrase, at: int, *, past: bool) -> Iterator[FoundSlot]:
    """An attribute phrase and the value told of it."""
    bits = tokens.bits
    if bits[at] & (WH | SUBORD) or tokens.lower[at] in ("to", "about", "like", "for", "with", "of"):
        return
    head = stem(phrase.attribute.split()[-1])
    known = phrase.attribute in canonical_attributes() or head in ATTRIBUTE_NOUNS or head in canonical_attributes()
    value, first, last = read_value(tokens, at)
    if not value:
        return
    figured = bits[first] & (NUM | NAME) != 0 or tokens.lower[max(first - 1, 0)] in "\"'“‘`"
    canonical = canonical_attributes().get(phrase.attribute, phrase.attribute)
    if canonical in _NAMED_VALUE and not figured and not is_role(tokens, first, last):
        return
    if "favorite" in phrase.attribute or "favourite" in phrase.attribute:
        attribute = phrase.attribute.replace("favourite", "favorite")
        owner = phrase.owner or _named(tokens, phrase) or "the user"
        yield FoundSlot(owner, attribute, value, first, last, 0.9, functional="favorites" not in attribute)
        return
    if not known and verbs.measured(tokens, first) == "time":
        about = phrase.attribute if phrase.owner in ("", "the user") else f"{phrase.owner}'s {phrase.attribute}"
        yield FoundSlot(f"{about} with {phrase.thing}" if phrase.thing else about, "time", value, first, last, 0.8)
        return
    if phrase.owner or phrase.thing:
        told = phrase.thing != "" or known or figured or head in _STYLE_HEADS
        functional = told and head not in MANY_VALUED and not phrase.attribute.endswith("ss")
        plural = phrase.attribute.split()[-1] != head and not known
        owner = phrase.owner or phrase.thing
        attribute = f"{phrase.attribute} for {phrase.thing}" if phrase.owner and phrase.thing else phrase.attribute
        confidence = (0.9 if figured or known else 0.75) * (0.8 if past else 1.0)
        yield FoundSlot(owner, attribute, value, first, last, confidence, functional=functional and not plural)
        return
    if known:
        yield FoundSlot("", phrase.attribute, value, first, last, 0.8 * (0.8 if past else 1.0))
        return
    predicate = verbs.measured(tokens, first)
    if predicate:
        yield FoundSlot(phrase.attribute, predicate, value, first, last, 0.75)


def _named(tokens: Tokens, phrase: Phrase) -> str:
    """Whose attribute it is in "the favorite color of Ann", when that is somebody with a name."""
    last = phrase.last
    first = last
    while first > phrase.first and tokens.bits[first - 1] & NAME:
        first -= 1
    owned = phrase.first < first < last and tokens.lower[first - 1] == "of"
    return tokens.text[tokens.starts[first] : tokens.ends[last - 1]] if owned else ""


def _labelled(tokens: Tokens, floor: int, at: int) -> Iterator[FoundSlot]:
    """ "Label: value", and "things I dislike: value"."""
    lower, bits = tokens.lower, tokens.bits
    floor = max(floor, at - _LONGEST_LABEL)
    if at + 1 >= len(lower) or at == floor or "following" in lower[floor:at]:
        return
    for here in range(at - 2, floor, -1):
        if lower[here] in ("about", "regarding", "concerning"):
            floor = here + 1
            break
    if at - floor > 12:
        return
    for here in range(floor, at):
        if lower[here] in ("i", "user") and here + 1 < at and base_of(lower[here + 1]) in LIKING_VERBS:
            liking = LIKING_VERBS[base_of(lower[here + 1])]
            value, first, last = read_value(tokens, at + 1)
            owner = verbs.persona(tokens, floor, here - (lower[here] == "user")) or "the user"
            yield FoundSlot(owner, f"likes {value.lower()}", "like" if liking > 0 else "dislike", first, last, 0.9)
            return
    phrase = read_phrase(tokens, floor, at)
    if phrase is None or bits[floor] & GERUND:
        return
    head = stem(phrase.attribute.split()[-1])
    known = head in ATTRIBUTE_NOUNS or head in canonical_attributes() or phrase.attribute in canonical_attributes()
    if not known and not (phrase.owner and at - floor <= 8):
        return
    value_at = at + 1
    for here in range(at + 1, min(at + 4, len(lower) - 1)):
        if lower[here] == ":":
            value_at = here + 1
    value, first, last = read_value(tokens, value_at)
    owner = phrase.owner or phrase.thing
    attribute = f"{phrase.attribute} for {phrase.thing}" if phrase.owner and phrase.thing else phrase.attribute
    alone = not owner and len(attribute.split()) == 1
    functional = head not in MANY_VALUED and not alone
    yield FoundSlot(owner, attribute, value, first, last, 0.85 if known else 0.6, functional=functional)


def _of_value(tokens: Tokens, at: int, floor: int) -> Iterator[FoundSlot]:
    """ "a deadline of April 5 for the sprint", "the daily quota of 1,200 calls"."""
    lower, bits = tokens.lower, tokens.bits
    value_at = at + 2
    while value_at < len(lower) and lower[value_at] in ("about", "around", "up", "to", "roughly", "only"):
        value_at += 1
    if value_at >= len(lower) or not (bits[value_at] & NUM or verbs.is_month(lower[value_at])):
        return
    value, first, last = read_value(tokens, value_at)
    start, end = phrase_before(tokens, at + 1, floor)
    phrase = read_phrase(tokens, start, end)
    if phrase is None:
        return
    thing = phrase.thing
    after = last
    while after < len(lower) and after < last + 6 and lower[after] not in ("for", "on", "in"):
        if not (bits[after] & (PUNCT | NUM)):
            break
        after += 1
    if after + 1 < len(lower) and lower[after] == "for":
        thing_value, _, _ = read_value(tokens, after + 1)
        thing = thing_value.lower()
    owner = phrase.owner if phrase.owner and phrase.owner != "the user" else thing or phrase.owner
    yield FoundSlot(owner or _holder(tokens, start, floor), phrase.attribute, value, first, last, 0.85)


def _holder(tokens: Tokens, start: int, floor: int) -> str:
    """Who has the attribute in "Sprint 2 has a deadline of May 4", unless it is the user."""
    at = start - 1
    while at > floor and tokens.bits[at] & (DET | ADV):
        at -= 1
    if at <= floor or not tokens.bits[at] & HAVE:
        return ""
    first, last = phrase_before(tokens, at, floor)
    return subject_text(tokens, first, last).removeprefix("the user") if last > first else ""
