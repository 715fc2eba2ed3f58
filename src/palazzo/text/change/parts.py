"""What may stay of a statement that says more than one thing: its text without one of its parts.

Owns the cut: parts joined by a comma or "and", and phrases of one verb that each give a value ("on port 5433", "in
Frankfurt"). Knows nothing of a second statement, so it cannot tell which part stays: whoever reads the two together
does. Invariant: every text it gives is made of words of the statement, in their order.
"""

from __future__ import annotations

from typing import Final

from palazzo.text.change.reading import FUNCTION
from palazzo.text.words.grammar import (
    AUX,
    BASE,
    BE,
    COORD,
    DET,
    HAVE,
    NAME,
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
    end = len(tokens.lower)
    while end and tokens.bits[end - 1] & PUNCT:
        end -= 1
    cuts = [*_joined(tokens, end), *(_phrases(tokens, end) or _role(tokens, end))]
    if len(cuts) < 2:
        return ()
    return tuple(dict.fromkeys(_left(text, tokens, end, cut) for cut in cuts))


def _joined(tokens: Tokens, end: int) -> list[tuple[int, int]]:
    """Stretches of parts that are joined by a comma or a word for "and", the joint included."""
    lower, bits = tokens.lower, tokens.bits
    verb = _verb(tokens, end, 0)
    joints = [at for at in range(verb + 1, end - 1) if lower[at] in _JOINING and lower[at - 1] not in _JOINING]
    found = [
        (at, following)
        for at, following in zip(joints, [*joints[1:], end], strict=False)
        if _says(tokens, at + 1, following)
    ]
    for at in joints:
        if bits[at] & COORD:  # "is vegetarian and diabetic": the first of the two goes as well as the second
            start = at
            while start and not bits[start - 1] & (_HEAD | PUNCT | COORD):
                start -= 1
            if 0 < start < at and bits[start - 1] & _HEAD and not _finite(tokens, at + 1, end):
                found.append((start, at + 1))
            elif verb and bits[at + 1] & (THIRD | PAST | BE | HAVE):  # "lives in Porto and works as a nurse"
                found.append((verb + bool(bits[verb] & BE and bits[at + 1] & PARTICIPLE), at + 1))  # "is built and run"
    if joints and bits[joints[0] + 1] & (NAME | DET | POSS) and _finite(tokens, joints[0] + 1, end):
        found.append((0, joints[0] + 1))
    return found


def _phrases(tokens: Tokens, end: int) -> list[tuple[int, int]]:
    """Phrases behind the verb that give a value each, where there are several."""
    lower, bits = tokens.lower, tokens.bits
    verb = _verb(tokens, end, end)
    bounds = [at for at in range(verb + 1, end) if bits[at] & PREP or lower[at] in _JOINING]
    found = [
        (at, following)
        for at, following in zip(bounds, [*bounds[1:], end], strict=False)
        if bits[at] & PREP
        and any(_value(lower[k], bits[k]) for k in range(at + 1, following))
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
            if tokens.bits[at] & forms and not tokens.bits[at] & PREP:
                return at
    return otherwise


def _says(tokens: Tokens, start: int, end: int) -> bool:
    return any(not bit & FUNCTION for bit in tokens.bits[start:end])


def _finite(tokens: Tokens, start: int, end: int) -> bool:
    return any(bit & _FINITE and not bit & (PREP | NUM) for bit in tokens.bits[start:end])


def _value(word: str, bit: int) -> bool:
    return bool(bit & (NUM | NAME)) or word[:1].isdigit() or word.removesuffix("s") in _TIMES


def _left(text: str, tokens: Tokens, end: int, cut: tuple[int, int]) -> str:
    start, stop = cut
    before = text[: tokens.ends[start - 1]] if start else ""
    after = text[tokens.starts[stop] : tokens.ends[end - 1]] if stop < end else ""
    joint = "" if after[:1] in (",", ";") else " "
    left = joint.join((before, after)) if before and after else before or after[:1].upper() + after[1:]
    return f"{left}."
