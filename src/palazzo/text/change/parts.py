"""What may stay of a statement that says more than one thing: its text without one of its parts.

Owns the cut: parts joined by a comma or "and", and phrases of one verb that each give a value ("on port 5433", "in
Frankfurt"). Knows nothing of a second statement, so it cannot tell which part stays: whoever reads the two together
does. Invariant: every text it gives is made of words of the statement.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from palazzo.text.change.reading import FUNCTION
from palazzo.text.words.grammar import (
    ADJ,
    AUX,
    BASE,
    BE,
    COORD,
    DET,
    HAVE,
    NAME,
    NOUNISH,
    NUM,
    PARTICIPLE,
    PAST,
    POSS,
    PREP,
    PUNCT,
    THIRD,
    VERB,
    Tokens,
)  # fmt: skip
from palazzo.text.words.lexicon import page
from palazzo.text.words.parsed import parsed

_TIMES: Final = page("change").words("times")
_WHERE: Final = frozenset({"at", "with"})
_JOINING: Final = frozenset({",", ";", "and", "but"})
_FINITE: Final = BE | AUX | THIRD | PAST | BASE
_HEAD: Final = BE | HAVE | VERB | PREP


def without_a_part(text: str) -> tuple[str, ...]:
    """The statement without each of its parts in turn; none where it says one thing."""
    tokens = parsed(text).said
    end = _end(tokens)
    second = list(_gapped(text, tokens, end))
    joined = _joined(tokens, end, gapped=bool(second))
    cuts = joined if second or _in_pairs(tokens, end) else [*joined, *(_phrases(tokens, end) or _role(tokens, end))]
    texts = [*(_left(text, tokens, end, cut) for cut in cuts), *second]
    return tuple(dict.fromkeys(texts)) if len(texts) > 1 else ()


def without_one_listed(text: str) -> tuple[str, ...]:
    """The statement without each of the things that a comma or "and" joins in it."""
    tokens = parsed(text).said
    end = _end(tokens)
    return tuple(_left(text, tokens, end, cut) for cut in _joined(tokens, end, gapped=False))


def _end(tokens: Tokens) -> int:
    end = len(tokens.lower)
    while end and tokens.bits[end - 1] & PUNCT:
        end -= 1
    return end


def _joined(tokens: Tokens, end: int, *, gapped: bool) -> list[tuple[int, int]]:
    """Stretches of parts that are joined by a comma or a word for "and", the joint included."""
    lower, bits = tokens.lower, tokens.bits
    verb = _verb(tokens, end, 0)
    joints = _joints(tokens, verb + 1, end - 1)
    found = [
        (at, following)
        for at, following in zip(joints, [*joints[1:], end], strict=False)
        if _says(tokens, at + 1, following)
    ]
    for at in joints if not gapped else ():
        if bits[at] & COORD or at == joints[0]:  # "is vegetarian and diabetic": the first goes as well as the second
            start = _opens(tokens, at)
            led = next((k for k in range(at - 1, verb + 1, -1) if bits[k] & PREP), 0)
            phrase = led if _is_time(lower[at + 1]) else 0  # "with a man named Lee, Thursdays at 6"
            start = phrase or start
            if (
                0 < start < at
                and (phrase or _follows_on(tokens, start - 1, at + 1))
                and not _finite(tokens, at + 1 + bool(bits[at + 1] & PARTICIPLE), end)
            ):
                found.append((start, at + 1))
            elif verb and bits[at] & COORD and bits[at + 1] & (THIRD | PAST | BE | HAVE) and not bits[at + 1] & NAME:
                # "lives in Porto and works as a nurse"
                found.append((verb + bool(bits[verb] & BE and bits[at + 1] & PARTICIPLE), at + 1))  # "is built and run"
    if joints and not gapped and bits[joints[0] + 1] & (NAME | DET | POSS) and _finite(tokens, joints[0] + 1, end):
        found.append((0, joints[0] + 1))
    return found


def _joints(tokens: Tokens, start: int, end: int) -> list[int]:
    """Where parts are joined; "Mondays and Thursdays" are one."""
    lower = tokens.lower
    return [
        at
        for at in range(start, end)
        if lower[at] in _JOINING
        and lower[at - 1] not in _JOINING
        and not (_is_time(lower[at - 1]) and _is_time(lower[at + 1]))
    ]


def _in_pairs(tokens: Tokens, end: int) -> bool:
    """Whether two values go with a phrase each: "at nine in Kiel and ten in Lund"."""
    lower, bits = tokens.lower, tokens.bits
    return any(
        bits[at + 1] & NUM and any(bits[k] & PREP and lower[k] in lower[:at] for k in range(at + 2, min(at + 5, end)))
        for at in _joints(tokens, _verb(tokens, end, 0) + 1, end - 1)
    )


def _gapped(text: str, tokens: Tokens, end: int) -> Iterator[str]:
    """The second of two things that are told with one verb, with that verb: "the api is in Go and the site in Elm"."""
    lower, bits = tokens.lower, tokens.bits
    verb = _verb(tokens, end, 0)
    joints = _joints(tokens, verb + 1, end - 1) if verb else []
    for at, stop in zip(joints, [*joints[1:], end], strict=False):
        first = next((k for k in range(verb + 1, at) if bits[k] & PREP), at)
        led = next((k for k in range(at + 2, stop) if lower[k] == lower[first]), stop)
        if led < stop and first < at and bits[at + 1] & (DET | POSS | NAME) and not _finite(tokens, at + 1, stop):
            subject = text[tokens.starts[at + 1] : tokens.ends[led - 1]]
            said = text[tokens.starts[verb] : tokens.ends[first - 1]]
            yield f"{subject[:1].upper()}{subject[1:]} {said} {text[tokens.starts[led] : tokens.ends[stop - 1]]}."


def _opens(tokens: Tokens, at: int) -> int:
    """Where the first of two things begins that are joined at a place: behind a verb or a preposition, and as the
    second does: "at 2am in Rome and 4am in Lima"."""
    lower, bits = tokens.lower, tokens.bits
    start = at
    while start and not _bounds(tokens, start - 1):
        start -= 1
        if start and bits[start - 1] & PREP and lower[start - 1] in lower[at + 2 : at + 5]:
            start -= 1
    plain = bits[at + 1] & ADJ or not bits[at + 1] & (DET | NAME | NUM | POSS | NOUNISH)  # "is at home, open to all"
    led = start > 1 and bits[start - 1] & PREP and plain
    return start - 1 if led and (bits[start - 2] & BE or _is(tokens, start - 2)) else start


def _bounds(tokens: Tokens, at: int) -> bool:
    """Whether a word is a verb, a preposition or a joint; "the shop" is none."""
    bit = tokens.bits[at]
    noun = bit & NOUNISH and at and tokens.bits[at - 1] & (DET | POSS | NUM | PREP)
    return _is(tokens, at) or (bool(bit & (_HEAD | PUNCT | COORD)) and not noun)


def _follows_on(tokens: Tokens, head: int, at: int) -> bool:
    """Whether what stands at a place can stand right behind a verb or a preposition before it."""
    bit, then = tokens.bits[head], tokens.bits[at]
    if bit & BE or _is(tokens, head):  # "is an oat flat white, extra hot": how it is
        of_first = tokens.lower[at - 1] == "," and tokens.bits[head + 1] & DET
        return not of_first or bool(then & (DET | NAME | NUM | POSS | PREP | PARTICIPLE))
    if _is_time(tokens.lower[at]):
        return not bit & (PREP | PAST)
    return bool(bit & _HEAD) and (bool(then & NAME) or not then & (PREP | PARTICIPLE))


def _is(tokens: Tokens, at: int) -> bool:
    """Whether a word has its verb in it: "rent's 700 a month", "the router's in the attic"."""
    then = tokens.bits[at + 1] if at + 1 < len(tokens.bits) else 0
    return tokens.lower[at].endswith(("'s", "’s")) and bool(then & (DET | PREP | NUM))


def _phrases(tokens: Tokens, end: int) -> list[tuple[int, int]]:
    """Phrases behind the verb that give a value each, where there are several."""
    lower, bits = tokens.lower, tokens.bits
    verb = _verb(tokens, end, end)
    joints = _joints(tokens, verb + 1, end - 1)
    bounds = [at for at in range(verb + 1, end) if bits[at] & PREP or at in joints]
    plain = verb + 1 if verb < end and (bits[verb] & BE or _is(tokens, verb)) else end  # "is 30 euros a month with ..."
    bounds = [plain, *bounds] if plain < end and plain not in bounds else bounds
    found = [
        (at, following)
        for at, following in zip(bounds, [*bounds[1:], end], strict=False)
        if (bits[at] & PREP or (at == plain and following < end and bits[following] & PREP))
        and any(_value(lower[k], bits[k]) for k in range(at + (at != plain), following))
        and not any(bits[k] & (BE | AUX | THIRD) for k in range(at + 1, following))
    ]
    return found if len(found) > 1 else []


def _role(tokens: Tokens, end: int) -> list[tuple[int, int]]:
    """What somebody is and where, each a part: "a clerk" and "at Lowe's"."""
    lower, bits = tokens.lower, tokens.bits
    verb = _verb(tokens, end, end)
    at = next((k for k in range(verb + 2, end - 1) if lower[k] in _WHERE and bits[k + 1] & NAME), 0)
    first = next((k for k in range(verb + 1, at) if bits[k] & DET), 0)
    if not first or any(bits[k] & (PREP | COORD | PUNCT) and lower[k] != "as" for k in range(verb + 1, at)):
        return []
    first -= lower[first - 1] == "as"
    return [(first, at), (at, end)] if first in (verb + 1, verb + 2) else []


def _verb(tokens: Tokens, end: int, otherwise: int) -> int:
    """Where the verb stands; a form that may be a noun as well only where there is no other."""
    for forms in (_FINITE & ~BASE, _FINITE):
        for at in range(end):
            if tokens.bits[at] & forms and not tokens.bits[at] & (PREP | NAME):
                return at
            if forms & BASE and _is(tokens, at):
                return at
    return otherwise


def _says(tokens: Tokens, start: int, end: int) -> bool:
    return any(not bit & FUNCTION for bit in tokens.bits[start:end])


def _finite(tokens: Tokens, start: int, end: int) -> bool:
    return any(
        (bit & _FINITE and not bit & (PREP | NUM | NAME) and not (bit & BASE and bit & NOUNISH)) or _is(tokens, at)
        for at, bit in enumerate(tokens.bits[start:end], start)
    )


def _value(word: str, bit: int) -> bool:
    return bool(bit & (NUM | NAME)) or word[:1].isdigit() or _is_time(word)


def _is_time(word: str) -> bool:
    return word.removesuffix("s") in _TIMES


def _left(text: str, tokens: Tokens, end: int, cut: tuple[int, int]) -> str:
    start, stop = cut
    before = text[: tokens.ends[start - 1]] if start else ""
    after = text[tokens.starts[stop] : tokens.ends[end - 1]] if stop < end else ""
    joint = "" if after[:1] in (",", ";") else " "
    left = joint.join((before, after)) if before and after else before or after[:1].upper() + after[1:]
    return f"{left}."
