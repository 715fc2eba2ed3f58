"""What may stay of a statement that says more than one thing: its text without one of its clauses, or without one item
of a list.

Owns the cut, and makes none that could leave what nobody said: only a whole clause goes, or one of several things that
are told in one breath with the same words around them. Knows nothing of a second statement, so it cannot tell which
part stays: whoever reads the two together does. Invariant: every text it gives is made of words of the statement and
says nothing that the statement does not say by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from palazzo.text.words.grammar import (
    ADV,
    AUX,
    BASE,
    BE,
    COORD,
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
    THIRD,
    WH,
    Tokens,
)  # fmt: skip
from palazzo.text.words.lexicon import page
from palazzo.text.words.parsed import parsed

_TIMES: Final = page("change").words("times")
_AS_ONE: Final = page("change").words("as_one")
_PAIRS: Final = page("change").phrases("pairs")
_ELSEWHERE: Final = frozenset(["he", "she", "it", "they", "his", "her", "its", "their", "him", "them"])
_FINITE: Final = BE | AUX | THIRD | PAST | BASE
_BOUND: Final = BE | AUX | THIRD | PAST | PREP | COORD | PUNCT | SUBJ | ADV | NEG
_LED: Final = DET | POSS | PREP | ADV | NUM | NAME
_WHERE: Final = frozenset(["at", "in", "on", "with", "near", "behind", "beside", "under", "above"])
LONGEST: Final = 4
"""Words of an item of a list."""


def without_a_part(text: str) -> tuple[str, ...]:
    """The statement without each of its parts in turn; none where it says one thing, or no part can go by itself."""
    tokens = parsed(text).said
    end = len(tokens.lower)
    while end and tokens.bits[end - 1] & PUNCT:
        end -= 1
    verb = _verb(tokens, end)
    leans = (bit & (SUBORD | WH) and low != "as" for bit, low in zip(tokens.bits[:end], tokens.lower, strict=False))
    if verb >= end or any(leans):
        return ()
    for cut in (_deeds, _clauses, _items, _placed):
        if texts := [*cut(text, tokens, verb, end)]:
            return tuple(dict.fromkeys(texts)) if len(texts) > 1 else ()
    return ()


def listed(text: str) -> tuple[str, ...]:
    """The things that a statement ends with, each by a name or with an article: "a Fiat and a Skoda"."""
    tokens = parsed(text).said
    bits, lower = tokens.bits, tokens.lower
    end = len(lower) - sum(1 for bit in bits[-1:] if bit & PUNCT)
    last = next((at for at in range(end - 2, 0, -1) if bits[at] & COORD), 0)
    bounds = [*(at for at in range(1, last) if lower[at] == ","), last, end]
    items = [(one + 1, other) for one, other in pairwise(bounds) if one + 1 < other]
    if last and len(bounds) == 2:  # "a Fiat and a Skoda" without a comma before
        first = next(
            (at for at in range(last - 1, max(0, last - 1 - LONGEST), -1) if bits[at] & (DET | POSS | NAME)), 0
        )
        items = [(first, last), *items] if first else []
    plain = all(bits[one] & (DET | POSS | NAME) and other - one <= LONGEST for one, other in items)
    acts = any(
        bit & (BE | AUX | SUBJ | THIRD) and not bit & NAME for one, other in items for bit in bits[one + 1 : other]
    )
    said = [text[tokens.starts[one] : tokens.ends[other - 1]] for one, other in items]
    return tuple(said) if plain and not acts and len(said) > 1 else ()


def told_together(text: str) -> tuple[str, ...]:
    """The statement without each stretch behind its verb, to be read and never to be kept: what is told of one thing
    in several phrases ("on port 5433 in Bergen") is reworded by any cut."""
    tokens, (lower, bits) = parsed(text).said, (parsed(text).said.lower, parsed(text).said.bits)
    end = len(lower) - sum(1 for bit in bits[-1:] if bit & PUNCT)
    verb = _verb(tokens, end)
    plain = [verb + 1] if verb + 1 < end and bits[verb] & BE else []
    bounds = [at for at in range(verb + 1, end) if bits[at] & (PREP | COORD) or lower[at] in (",", ";") or at in plain]
    cuts = [
        (at, stop) for at, stop in zip(bounds, [*bounds[1:], end], strict=False)
        if any(bits[k] & (NUM | NAME | DET | POSS) or _is_time(lower[k]) for k in range(at, stop))
    ]  # fmt: skip
    texts = [
        _said(text[: tokens.ends[at - 1]], text[tokens.starts[stop] : tokens.ends[end - 1]] if stop < end else "")
        for at, stop in cuts
    ]
    return tuple(dict.fromkeys(texts)) if len(texts) > 1 else ()


def _clauses(text: str, tokens: Tokens, verb: int, end: int) -> Iterator[str]:
    """The statement without one of the clauses that "and", "but" or a semicolon joins."""
    bits, lower = tokens.bits, tokens.lower
    joints = [
        at for at in range(verb + 1, end - 2)
        if (bits[at] & COORD or lower[at] == ";" or (lower[at] == "," and bits[at + 1] & SUBJ))
        and (_acts(tokens, at + 1, verb) or _opens(tokens, at + 1, end))
    ]  # fmt: skip
    for at, stop in zip(joints, [*joints[1:], end], strict=False):
        yield _said(text[: tokens.ends[at - 1]], text[tokens.starts[stop] : tokens.ends[end - 1]] if stop < end else "")
    own = bool(joints) and not _acts(tokens, joints[0] + 1, verb)  # a subject of its own
    if joints and (own or not bits[verb] & SUBJ) and _ELSEWHERE.isdisjoint(lower[joints[0] + 1 : end]):
        first, within = joints[0] + 1, range(verb + 2, joints[0])
        kept = verb + bool(bits[verb] & BE and not bits[first] & (BE | AUX | THIRD))  # "is built and run"
        if _acts(tokens, first, verb) and any(
            bits[k] & _FINITE and not bits[k] & (NOUNISH | PREP | NAME) for k in within
        ):
            return  # "he says she lives in Porto and works as a nurse"
        shared = text[: tokens.ends[kept - 1]] if _acts(tokens, first, verb) else ""
        yield _said(shared, text[tokens.starts[joints[0] + 1] : tokens.ends[end - 1]])


def _acts(tokens: Tokens, at: int, verb: int) -> bool:
    """Whether a verb stands at a place that has its subject from before the first one."""
    bit, then, first = tokens.bits[at], tokens.bits[at + 1], tokens.bits[verb]
    if first & BE and (bit & PARTICIPLE or (not bit and tokens.lower[at].endswith("ed"))):
        return True  # "is written in Go and hosted on Fly"
    if bit & (NAME | SUBJ | NEG | PREP) or not bit & (BE | AUX | HAVE | THIRD | PAST | BASE):
        return False
    agrees = bool(bit & THIRD and first & (THIRD | BE | HAVE)) or bool(bit & BASE and first & BASE)
    return not bit & (NOUNISH | BASE) or (agrees and bool(then & _LED) and tokens.lower[at + 1] != "of")


def _opens(tokens: Tokens, at: int, end: int) -> bool:
    """Whether a clause with a subject of its own begins at a place."""
    bits = tokens.bits
    if bits[at] & SUBJ and not bits[at] & (DET | NAME):
        return bool(bits[at] & AUX or bits[at + 1] & (_FINITE | ADV | NEG))
    if not bits[at] & (NAME | DET | POSS):
        return False
    then = range(at + 1, min(at + 1 + LONGEST, end - 1))
    verb = next((k for k in then if bits[k] & (BE | AUX | THIRD) and not bits[k] & (NAME | PREP)), end)
    return verb < end and not any(bits[k] & (PREP | PUNCT | COORD) for k in range(at, verb))


def _items(text: str, tokens: Tokens, verb: int, end: int) -> Iterator[str]:
    """The statement without one item of the list that it ends with; none where the items are told as one."""
    bits, lower = tokens.bits, tokens.lower
    last = next((at for at in range(end - 2, verb, -1) if bits[at] & COORD), 0)
    if lower[last : last + 1] not in (("and",), ("or",)):
        return
    while verb + 1 < last and bits[verb] & (AUX | NEG) and bits[verb + 1] & (NEG | ADV | BASE | PARTICIPLE | GERUND):
        verb += 1
    joints = [at for at in range(verb + 1, last) if lower[at] == ","]
    start = min([*joints, last])
    while start > verb + 1 and not (bits[start - 1] & _BOUND and not bits[start - 1] & NOUNISH):
        start -= 1
    bounds = [start - 1, *joints, last, end]
    items = [(one + 1, other) for one, other in pairwise(bounds) if one + 1 < other]
    if len(items) < 2:
        return
    named = [bool(bits[stop - 1] & NAME) for _, stop in items]
    told_as_one = (
        len(set(named)) > 1 or (named[0] and bits[start - 1] & BE)
        or any(bit & NUM for bit in bits[:end]) or not _AS_ONE.isdisjoint(lower[:end])
        or " ".join(lower[items[-2][0] : end]) in _PAIRS
    )  # fmt: skip
    if told_as_one or not all(_is_item(tokens, *item) for item in items):
        return
    said = [text[tokens.starts[first] : tokens.ends[stop - 1]] for first, stop in items]
    yield from _without_each(text[: tokens.ends[start - 1]], said, tokens.words[last])


def _deeds(text: str, tokens: Tokens, _verb: int, end: int) -> Iterator[str]:
    """The statement without one of the things to do that it ends with: "I want to mend the roof and learn Welsh"."""
    bits, lower = tokens.bits, tokens.lower
    to = next((at for at in range(1, end - 1) if lower[at] == "to" and bits[at + 1] & BASE), end)
    last = next((at for at in range(end - 2, to, -1) if bits[at] & COORD), 0)
    bounds = [to, *(at for at in range(to + 1, last) if lower[at] == ","), last, end]
    items = [(one + 1, other) for one, other in pairwise(bounds) if one + 1 < other]
    acts = [bits[one] & BASE and not bits[one] & (SUBJ | NAME) and other > one + 1 for one, other in items]
    if last and len(items) > 1 and lower[last] in ("and", "or") and all(acts):
        said = [text[tokens.starts[first] : tokens.ends[stop - 1]] for first, stop in items]
        yield from _without_each(text[: tokens.ends[to]], said, tokens.words[last])


def _placed(text: str, tokens: Tokens, verb: int, end: int) -> Iterator[str]:
    """The statement without one of the phrases that say where, when or with whom it is: "is at nine in room 2"."""
    bits = tokens.bits
    bounds = [at for at in range(verb + 1, end) if bits[at] & PREP and tokens.lower[at] in _WHERE]
    spans = [*pairwise([*bounds, end])]
    told = all(any(bit & (NUM | NAME | DET | POSS) for bit in bits[one + 1 : other]) for one, other in spans)
    plain = not any(bit & (COORD | PUNCT | BE | AUX | THIRD | PAST | SUBJ) for bit in bits[verb + 1 : end])
    if bits[verb] & BE and len(spans) > 1 and bounds[0] == verb + 1 and told and plain:
        for gone in spans:
            left = (text[tokens.starts[one] : tokens.ends[other - 1]] for one, other in spans if (one, other) != gone)
            yield _said(text[: tokens.ends[verb]], " ".join(left))


def _without_each(before: str, said: Sequence[str], word: str) -> Iterator[str]:
    """A list behind what stands before it, without each of its items in turn."""
    for gone in range(len(said)):
        left = [one for number, one in enumerate(said) if number != gone]
        yield _said(before, f" {word} ".join(filter(None, (", ".join(left[:-1]), left[-1]))))


def _is_item(tokens: Tokens, first: int, stop: int) -> bool:
    bits, lower = tokens.bits, tokens.lower
    plain = all(not bit & _BOUND or bit & NOUNISH or (bit & PARTICIPLE and not bit & BE) for bit in bits[first:stop])
    acts = bits[stop - 1] & THIRD and bits[stop - 2] & NAME
    noun = not acts and not any(bit & THIRD for bit in bits[first : stop - 1])
    whole = noun and stop - first <= LONGEST and not any(bit & GERUND for bit in bits[first + 1 : stop])
    return plain and whole and lower[stop - 1].removesuffix("s") not in _TIMES


def _verb(tokens: Tokens, end: int) -> int:
    """Where the verb stands; a form that may be a noun as well only where there is no other."""
    bits = tokens.bits
    for forms in (_FINITE & ~BASE, _FINITE):
        for at in range(end):
            then, said = bits[at + 1] if at + 1 < end else 0, at and bits[at - 1] & SUBJ
            holds = tokens.lower[at].endswith(("'s", "’s")) and then & (DET | PREP | NUM)  # "rent's 700 a month"
            if (bits[at] & forms and not bits[at] & NAME and (said or not bits[at] & PREP)) or holds:
                return at
    return end


def _is_time(word: str) -> bool:
    return word.removesuffix("s") in _TIMES


def _said(before: str, after: str) -> str:
    left = " ".join(filter(None, (before.rstrip(" ,;"), after.strip(" ,;"))))
    return f"{left[:1].upper()}{left[1:]}."
