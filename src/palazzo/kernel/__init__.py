"""The kernel: what numpy does in too many passes, in C, where it was built for this machine.

Owns whether the compiled module is there and wanted, and its functions with the types they take. Refuses to know what
is computed with them; whoever calls has the same in numpy beside it, which is the fallback and the measure. The module
is built as the package is installed where there is a compiler (`hatch_build.py` says so where not), picks the version
for the processor as it is loaded, and lets other threads run while it works. Invariants: without it everything works
and answers the same; what it is given is checked, so that no array of a wrong size is read past its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BEST: Final = -1
"""The version for this processor; 0 is the one for any."""
_MOST_WORDS: Final = 128


class ReaderShape(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How large the parts of an encoder are."""

    width: int
    wide: int
    heads: int
    layers: int
    pieces: int
    places: int
    marks: int


class Texts(NamedTuple):
    """Texts side by side: their pieces, the marks of each as bits, and begin, middle and end of every text."""

    pieces: NDArray[np.int32]
    masks: NDArray[np.uint64]
    spans: NDArray[np.int32]


class _Choice:
    """What the process decided: one for all palaces that are open in it."""

    wanted = True


def use(wanted: bool) -> None:
    """Lets the process use the compiled kernel, or does everything in numpy."""
    _Choice.wanted = wanted


def compiled() -> ModuleType | None:
    """The compiled module, where it is there and wanted."""
    return _built() if _Choice.wanted else None


def told() -> str:
    """Which version does the work, in words."""
    if not _Choice.wanted:
        return "numpy: the setting kernel is off"
    built = _built()
    return f"compiled, for {built.processor}" if built is not None else "numpy: the compiled kernel was not built"


@cache
def _built() -> ModuleType | None:
    try:
        return import_module(f"{__name__}.native")
    except ImportError:
        return None


def worth_it() -> bool:
    """Whether there is a version of the reader for this processor: the one for any is slower than numpy."""
    built = _built()
    return built is not None and built.processors > 1


def open_reader(shape: ReaderShape, parts: Sequence[Any]) -> object | None:
    """A hold on the weights of an encoder, which stay where they are; nothing where its shape is not read."""
    built = _built()
    if built is None or not worth_it():
        return None
    try:
        return built.open_reader(msgspec.structs.astuple(shape), tuple(parts))  # type: ignore[no-any-return]
    except ValueError:
        return None


def read_texts(held: object, texts: Texts, made: NDArray[np.float32], *, openings: bool, processor: int = BEST) -> None:
    """Reads texts and writes what a head looks at into `made`, a row each.

    With `openings` the last layer is asked of opening pieces alone.
    """
    built = _built()
    if built is None:
        raise AssertionError("there is no reader to be held without the module")
    pieces, masks, spans = texts
    built.read_texts(held, pieces, masks, spans, made, len(pieces), len(spans), openings, processor)


def scan(
    code: NDArray[np.uint64], probe: tuple[NDArray[np.uint64], NDArray[np.uint64]], made: Any, version: int = BEST
) -> bool:
    """Writes how many of a query's strong bits (signs and mask) differ in each code, a column; False where it cannot.

    What is made is of bytes where no sum is over 255, else of twice that.
    """
    built = compiled()
    if built is None or not code.flags.c_contiguous:
        return False
    words, codes = code.shape
    built.scan(code, *probe, made, words, codes, made.itemsize == 1, version)
    return True


class PostingLists(NamedTuple):
    """Lists of postings: how many documents each part has, their lengths (none of a part no list is of), the lists, the
    term and part of each in this order, and weight, bound and frequency of each term."""

    slots: NDArray[np.int64]
    lengths: Sequence[NDArray[np.uint16]]
    packed: Sequence[NDArray[np.uint32]]
    homes: NDArray[np.int32]
    figures: NDArray[np.float64]


def best_postings(
    lists: PostingLists, formula: tuple[float, float], limits: tuple[int, int, int, int],
    made: tuple[NDArray[np.float32], NDArray[np.uint32], NDArray[np.float32]],
) -> int | None:  # fmt: skip
    """Writes places and scores of the documents that may be best; how many, or None where it cannot tell.

    Terms come from the rarest on. The limits are those of documents wanted, postings added, postings that are few, and
    what finding one costs; what is made are sums, which are all 0 before and after, places and scores.
    """
    built = compiled()
    if not hasattr(built, "best_postings"):
        return None
    count: int = built.best_postings(*lists, len(lists.figures), *formula, *limits, *made)  # type: ignore[union-attr]
    return None if count < 0 else count


def earned_postings(
    lists: PostingLists, formula: tuple[float, float], places: NDArray[np.uint32], made: NDArray[np.float32]
) -> bool:
    """Writes what each term adds to the documents at some places, which ascend; False where it cannot."""
    built = compiled()
    if not hasattr(built, "earned_postings"):
        return False
    built.earned_postings(*lists, len(lists.figures), *formula, places, len(places), made)  # type: ignore[union-attr]
    return True


def count_units(text: str) -> tuple[int, int, int] | None:
    """How many likely tokens a text in plain letters has, words of seven letters and more, and such of eleven and more;
    None where it cannot tell."""
    built = compiled()
    return built.count_units(text) if hasattr(built, "count_units") else None  # type: ignore[union-attr]


def part(name: str) -> Any:
    """A function of the compiled module that takes and gives plain values; nothing where it is not there or wanted."""
    return getattr(_built(), name, None) if _Choice.wanted else None


def shortlist(
    pieces: Sequence[Any], probe: tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.float32]],
    made: tuple[NDArray[np.int64], NDArray[np.float32]], version: int = BEST,
) -> int | None:  # fmt: skip
    """Writes the revisions of the codes nearest to a query, and what they promise; how many, or None where it cannot.

    Pieces are revisions and codes in turn; the probe is of signs, mask and what each byte of a code counts for. As many
    are chosen as there is room for, of equally near ones the newest.
    """
    built = compiled()
    words, (found, promised) = len(probe[0]), made
    if not hasattr(built, "shortlist") or words > _MOST_WORDS or not all(part.flags.c_contiguous for part in pieces):
        return None
    count: int = built.shortlist(pieces, *probe, found, promised, words, len(found), version)  # type: ignore[union-attr]
    return count


def dots(rows: list[bytes | None], query: NDArray[np.float32], made: NDArray[np.float32], *, bounded: bool) -> bool:
    """Writes the products of a query with stored vectors of half precision: no number where there is none, the least of
    all for one that points nowhere, none beyond one where they are `bounded`; False where it cannot."""
    built = compiled()
    if not hasattr(built, "dots"):
        return False
    built.dots(rows, query, made, bounded)  # type: ignore[union-attr]
    return True
