"""What a caller is shown: what is left of a result for its level, and positions that say nothing of what others wrote.

Owns the two reduced answers, the coarsening of figures for callers that may not read everything, and the words that
stand for places in a list or in the journal. Works on any frozen result by its declared types, so a new operation is
covered without being named here. Rows and events are numbered over the whole palace, and two such numbers tell how much
lies between them: the operator is told the numbers, everybody else a word made of them under a key of their own, the
same for the same event. Invariants: an anchor caller is told true or false; a metadata caller counts, places, kinds and
times; neither value has room for text; a word of one subject, or of another list, is no word here, and a number is no
word for anybody but the operator; a place at which nothing was shown has another word every time.
"""

from __future__ import annotations

import dataclasses
import random
import secrets
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from hashlib import blake2b
from typing import Any, Final, get_args, get_origin, get_type_hints
from uuid import UUID

import msgspec

from palazzo.errors import InvalidInput
from palazzo.guard.rules import Rules
from palazzo.model.capability import Level

WORDS: tuple[tuple[str, float], ...] = (("high", 0.85), ("medium", 0.6), ("low", 0.4), ("minimal", 0.0))
"""How likely a hit is an answer, or how near its score comes to the best one, in four words, each from a share on."""


class Exists(msgspec.Struct, frozen=True, kw_only=True):
    """All that an anchor caller is told: whether there is anything."""

    exists: bool


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """How many there are of one name."""

    name: str
    count: int


class Outline(msgspec.Struct, frozen=True, kw_only=True):
    """What a metadata caller is told: how many, where, of which kinds, from when to when."""

    count: int
    places: tuple[Tally, ...] = ()
    kinds: tuple[Tally, ...] = ()
    first_at: datetime | None = None
    last_at: datetime | None = None


def reduced(result: Any, level: Level) -> Exists | Outline:
    """A result as a caller of this level, anchor or metadata, is shown it."""
    if level < Level.metadata:
        return Exists(exists=_says_something(result))
    found = list(_memories(result))
    times = sorted(memory.created_at for memory in found)
    return Outline(
        count=len(found) or _size(result), places=_tallies(m.place for m in found),
        kinds=_tallies(m.kind for m in found), first_at=times[0] if times else None,
        last_at=times[-1] if times else None,
    )  # fmt: skip


def _tallies(names: Iterator[str]) -> tuple[Tally, ...]:
    return tuple(Tally(name=name, count=count) for name, count in sorted(Counter(names).items()))


def _size(result: Any) -> int:
    """How many things a result lists: the length of its first tuple; one for a single thing."""
    for name, kind in _parts(type(result)):
        if kind in ("values", "ids"):
            return len(getattr(result, name))
    return 1


def _says_something(result: Any) -> bool:
    """Whether there is anything; of what was recalled, whether any of it is relevant enough to be an answer."""
    if isinstance(known := getattr(result, "known", None), bool):
        return known
    return next(_memories(result), None) is not None or _size(result) > 0


_PARTS: dict[type, tuple[tuple[str, str], ...]] = {}
"""Worked out once per type: this runs for every answer."""


def _parts(kind: type) -> tuple[tuple[str, str], ...]:
    """The fields of a result that hold ids or further values: (name, "id" | "ids" | "value" | "values")."""
    if kind not in _PARTS:
        hints = get_type_hints(kind) if _is_value(kind) else {}
        found = ((name, _sort_of(hint)) for name, hint in hints.items())
        _PARTS[kind] = tuple((name, sort) for name, sort in found if sort)
    return _PARTS[kind]


def _is_value(hint: Any) -> bool:
    return isinstance(hint, type) and (dataclasses.is_dataclass(hint) or issubclass(hint, msgspec.Struct))


def _sort_of(hint: Any) -> str:
    if get_origin(hint) is tuple:
        return {"id": "ids", "value": "values"}.get(_sort_of(get_args(hint)[0]), "")
    inner = [part for part in get_args(hint) if part is not type(None)]
    if inner and get_origin(hint) is not dict:
        hint = inner[0]
    if hint is UUID:
        return "id"
    return "value" if _is_value(hint) else ""


def _leads_to(hint: Any, wanted: Callable[[type], bool], seen: frozenset[type] = frozenset()) -> bool:
    """Whether a value declared so may be, or hold however deep, a result of a wanted type."""
    if inner := get_args(hint):
        return any(_leads_to(part, wanted, seen) for part in inner)
    if not _is_value(hint) or hint in seen:
        return False
    return wanted(hint) or any(_leads_to(h, wanted, seen | {hint}) for h in get_type_hints(hint).values())


def _has_ids(kind: type) -> bool:
    return any(sort in ("id", "ids") for _, sort in _parts(kind))


def _has_figures(kind: type) -> bool:
    names = get_type_hints(kind).keys()
    return {"score", "relevance"} <= names or "latency_ms" in names


_PARTS_WITH: dict[tuple[type, Callable[[type], bool]], tuple[tuple[str, str], ...]] = {}


def _parts_with(kind: type, wanted: Callable[[type], bool]) -> tuple[tuple[str, str], ...]:
    """The parts of a result that are ids or lead to what is wanted: a walk leaves out, say, the reasons of each hit."""
    if (kind, wanted) not in _PARTS_WITH:
        hints = get_type_hints(kind) if _is_value(kind) else {}
        _PARTS_WITH[kind, wanted] = tuple(
            (name, sort) for name, sort in _parts(kind) if sort in ("id", "ids") or _leads_to(hints[name], wanted)
        )
    return _PARTS_WITH[kind, wanted]


def _memories(result: Any) -> Iterator[Any]:
    """Every memory in a result, however deep: a value with an id, a place and a kind of its own."""
    if hasattr(result, "place") and hasattr(result, "kind") and hasattr(result, "created_at"):
        yield result
        return
    for name, sort in _parts(type(result)):
        if sort == "value" and (inner := getattr(result, name)) is not None:
            yield from _memories(inner)
        elif sort == "values":
            for inner in getattr(result, name):
                yield from _memories(inner)


def ids_in(result: Any, at_most: int) -> list[UUID]:
    """The first ids in a result, however deep, each once."""
    found: dict[UUID, None] = {}
    _gather_ids(result, at_most, found)
    return list(found)[:at_most]


def _gather_ids(result: Any, at_most: int, found: dict[UUID, None]) -> None:
    for name, sort in _parts_with(type(result), _has_ids):
        inner = getattr(result, name)
        if inner is None:
            continue
        if sort == "id":
            found[inner] = None
        elif sort == "ids":
            found.update(dict.fromkeys(inner))
        elif sort == "value":
            _gather_ids(inner, at_most, found)
        else:
            for one in inner:
                _gather_ids(one, at_most, found)
                if len(found) >= at_most:
                    return


def word_for(share: float) -> str:
    """The word for a figure from 0 to 1."""
    return next(word for word, least in WORDS if share >= least or least == 0.0)


def coarse(result: Any, rules: Rules) -> Any:
    """The result for a subject that may not read everything: scores in steps, no signals, no timings, no candidates."""
    best = max((hit.score for hit in _scored(result)), default=0.0)
    return _coarse(result, best, rules)


def _scored(result: Any) -> Iterator[Any]:
    if hasattr(result, "score") and hasattr(result, "relevance"):
        yield result
    for name, sort in _parts_with(type(result), _has_figures):
        if sort == "values":
            for inner in getattr(result, name):
                yield from _scored(inner)


def _coarse(result: Any, best: float, rules: Rules) -> Any:
    changes: dict[str, Any] = {}
    for name, sort in _parts_with(type(result), _has_figures):
        if sort == "values":
            changes[name] = tuple(_coarse(inner, best, rules) for inner in getattr(result, name))
    if hasattr(result, "score") and hasattr(result, "relevance"):
        share = result.score / best if best > 0 else 0.0
        step = dict(WORDS)[word_for(min(max(share + _noise(rules.score_noise), 0.0), 1.0))]
        word = word_for(min(max(result.relevance + _noise(rules.score_noise), 0.0), 1.0))
        trust = dict(WORDS)[word_for(result.trust)]
        changes |= {"score": step, "relevance": dict(WORDS)[word], "match": word, "trust": trust, "reasons": ()}
        changes["parts"] = None
    if hasattr(result, "latency_ms"):
        changes |= {"latency_ms": 0.0, "candidates": 0}
    return msgspec.structs.replace(result, **changes) if changes else result


def _noise(scale: float) -> float:
    """Laplace noise: the difference of two exponentials."""
    if not scale:
        return 0.0
    source = random.SystemRandom()
    return source.expovariate(1 / scale) - source.expovariate(1 / scale)


_BLOCK: Final = 16
_ROUNDS: Final = 4
"""So many make a block that nobody tells from a random one without the key (Luby and Rackoff)."""
_MARK: Final = bytes(4)
"""Stands in every block: a word that was made up has it once in four thousand million."""
_SHOWN: Final = bytes(4)
START: Final = "0"
"""Before everything, for everybody."""


class Positions:
    """The words of one palace; `key` gives the palace's own secret, None where it has none and cannot get one."""

    def __init__(self, key: Callable[[], bytes | None]) -> None:
        self._key = key
        self._own = secrets.token_bytes(32)

    def of(self, subject: str, what: str, *, plain: bool) -> Words:
        """The words of one subject in one list."""
        if plain:
            return Words(None)
        named = f"{what}\0{subject}".encode("utf-8", "surrogatepass")
        return Words(blake2b(named, key=self._key() or self._own, digest_size=16, person=b"position").digest())


class Words:
    """Numbers as one subject is told them; without a key as they are."""

    def __init__(self, key: bytes | None) -> None:
        self._key = key

    def word(self, number: int, *, shown: bool = True) -> str:
        """The word for a number; for one that stands for nothing that was shown, another one each time."""
        if self._key is None:
            return str(number)
        mark = _SHOWN if shown else secrets.token_bytes(4)
        return _turned(mark + _MARK + number.to_bytes(8, "big"), self._key).hex()

    def number(self, word: str, field: str) -> int:
        """The number of a word.

        Raises: InvalidInput.
        """
        if word == START:
            return 0
        if self._key is None:
            if not (word.isascii() and word.isdecimal() and len(word) < 19):
                raise _unknown(field)
            return int(word)
        try:
            block = bytes.fromhex(word)
        except ValueError:
            raise _unknown(field) from None
        if len(block) != _BLOCK:
            raise _unknown(field)
        found = _turned(block, self._key, back=True)
        if found[4:8] != _MARK:
            raise _unknown(field)
        return int.from_bytes(found[8:], "big") & ((1 << 63) - 1)


def _turned(block: bytes, key: bytes, *, back: bool = False) -> bytes:
    """A block under a key, or what it was before: its halves go through one another, round after round."""
    half = _BLOCK // 2
    left, right = int.from_bytes(block[:half], "big"), int.from_bytes(block[half:], "big")
    for number in range(_ROUNDS):
        one = bytes((_ROUNDS - 1 - number if back else number,))
        told = left if back else right
        other = int.from_bytes(blake2b(told.to_bytes(half, "big"), key=key, digest_size=half, salt=one).digest(), "big")
        left, right = (right ^ other, left) if back else (right, left ^ other)
    return left.to_bytes(half, "big") + right.to_bytes(half, "big")


def _unknown(field: str) -> InvalidInput:
    return InvalidInput("this is no place to go on from", field=field, hint="give it as it came, to whom it was told")
