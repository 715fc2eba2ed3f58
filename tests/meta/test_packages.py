"""A shared beginning of file names is a package that was not made: no folder holds three modules of one prefix."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

STILL_TO_BE_DONE: dict[str, set[str]] = {}
"""Folders with families that are still to become packages. It only shrinks."""
FAMILY = 3


def families(paths: Iterable[str]) -> dict[str, set[str]]:
    """For each folder the first words that three or more of its modules begin with."""
    seen: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for path in paths:
        folder, _, name = path.rpartition("/")
        seen[folder][name.removesuffix(".py").partition("_")[0]] += not name.startswith("_")
    return {
        folder: found
        for folder, words in seen.items()
        if (found := {word for word, number in words.items() if number >= FAMILY})
    }


def beyond(found: dict[str, set[str]], listed: dict[str, set[str]]) -> list[str]:
    """The families of one listing that are not in the other."""
    return sorted(f"{folder}/{word}_*" for folder in found for word in found[folder] - listed.get(folder, set()))


def test_a_family_is_three_modules_that_begin_alike_in_one_folder() -> None:
    assert families(["a/tide.py", "a/tide_rise.py", "a/tide_fall.py", "a/ebb.py", "b/tide_x.py"]) == {"a": {"tide"}}
    assert families(["a/tide.py", "a/tide_rise.py", "a/__init__.py", "a/__main__.py"]) == {}


def test_no_folder_holds_three_modules_of_one_prefix(sources: dict[str, str]) -> None:
    found = families(path.removeprefix("src/palazzo/") for path in sources if path.startswith("src/"))
    new = beyond(found, STILL_TO_BE_DONE)
    assert not new, f"make a package of each: {new}"
    done = beyond(STILL_TO_BE_DONE, found)
    assert not done, f"remove from STILL_TO_BE_DONE: {done}"
