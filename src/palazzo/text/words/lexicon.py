"""The words of a language, as data: one folder for each language, one page for each subject.

Owns the reading of `text/data/LANGUAGE/PAGE.toml` and the notation of its entries: plain words between spaces, phrases
between commas, `<page.entry>` for the words of another entry; and of patterns, made from parts. A page is read when a
reader first asks for it, once in a process. Knows nothing of what the words mean. Invariants: what is handed out is
frozen, and the same for everybody; an entry that is asked for and not there is an error, never an empty list.
"""

from __future__ import annotations

import json
import pkgutil
import re
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final

ENGLISH: Final = "en"
EVERY_LANGUAGE: Final = "mul"
"""The folder of what holds for several languages at once, by its code in ISO 639."""
_PACKAGE: Final = "palazzo.text"
_OTHER: Final = re.compile(r"(?<!<)<([a-z]+)\.([a-z_]+)>(?!>)")
_PART: Final = re.compile(r"<<(=?)([a-z_.]+)>>")


class Page:
    """The entries of one subject in one language."""

    __slots__ = ("_entries", "_name", "language")

    def __init__(self, name: str, language: str, entries: Mapping[str, Any]) -> None:
        self._name, self.language, self._entries = name, language, entries

    def words(self, entry: str) -> frozenset[str]:
        """The words of an entry, which stand between spaces."""
        return frozenset(self.listing(entry).split())

    def phrases(self, entry: str) -> frozenset[str]:
        """The phrases of an entry, which stand between commas; a line break inside one counts as a space."""
        return frozenset(self.in_order(entry))

    def in_order(self, entry: str) -> tuple[str, ...]:
        """The phrases of an entry as they are listed."""
        return tuple(" ".join(part.split()) for part in self.listing(entry).split(",") if part.strip())

    def listing(self, entry: str) -> str:
        """An entry as it is written, with the words of others it names in their place."""
        return self._with_others(str(self._found(entry)))

    def listings(self, entry: str) -> Mapping[str, str]:
        """The listings of an entry by their label, in order."""
        return MappingProxyType({label: self._with_others(text) for label, text in self._found(entry).items()})

    def labelled(self, entry: str) -> Mapping[str, str]:
        """Word to label; the first label that names a word keeps it."""
        found: dict[str, str] = {}
        for label, listing in self.listings(entry).items():
            for word in listing.split():
                found.setdefault(word, label)
        return MappingProxyType(found)

    def pattern(self, entry: str, name: str) -> str:
        """A regular expression of a table of them; its alternatives stand on one line or on several."""
        return "|".join(line for line in self._found(entry)[name].strip("\n").split("\n"))

    def rows(self, entry: str) -> tuple[Mapping[str, Any], ...]:
        """The rows of an entry that is a list of tables."""
        return tuple(
            MappingProxyType({k: self._with_others(v) if isinstance(v, str) else v for k, v in row.items()})
            for row in self._found(entry)
        )

    def table(self, entry: str) -> Mapping[str, Any]:
        """A table as it is written: figures, patterns, or tables of its own."""
        return MappingProxyType(self._found(entry))

    def has(self, entry: str) -> bool:
        """Whether there is such an entry."""
        return entry in self._entries

    def _found(self, entry: str) -> Any:
        if entry not in self._entries:
            raise LookupError(f"no entry {entry} in data/{self.language}/{self._name}.toml")
        return self._entries[entry]

    def _with_others(self, text: str) -> str:
        if "<" not in text:
            return text
        return _OTHER.sub(lambda named: page(named[1], self.language).listing(named[2]), text)


class Patterns(dict[str, re.Pattern[str]]):
    """The regular expressions of a table of a page, each compiled when it is first asked for.

    A line break is no part of a pattern. `<<name>>` stands for one of the table `parts`, `<<table.name>>` for the
    alternatives of another table, `<<=entry>>` for the words or phrases of an entry, the longer first.
    """

    def __init__(self, subject: str, table: str, language: str = EVERY_LANGUAGE, flags: int = 0) -> None:
        self._subject, self._table, self._language, self._flags = subject, table, language, flags

    def __missing__(self, name: str) -> re.Pattern[str]:
        found = self[name] = re.compile(self._source(self._table, name), self._flags)
        return found

    def names(self) -> Iterable[str]:
        """Every pattern there is, in order."""
        return page(self._subject, self._language).table(self._table)

    def part(self, name: str) -> str:
        """What a pattern is made from, as it is written."""
        return self._source("parts", name)

    def _source(self, table: str, name: str) -> str:
        written: str = page(self._subject, self._language).table(table)[name]
        return _PART.sub(self._part, written.replace("\n", ""))

    def _part(self, named: re.Match[str]) -> str:
        words = page(self._subject, self._language)
        if named[1]:
            entry = named[2]
            listed = words.in_order(entry) if "," in words.listing(entry) else words.listing(entry).split()
            return "|".join(sorted(map(re.escape, listed), key=len, reverse=True))
        table, _, name = named[2].rpartition(".")
        return words.pattern(table, name) if table else self.part(name)


def page(name: str, language: str = ENGLISH) -> Page:
    """A page of a language, read once. Raises: FileNotFoundError where the language has none of that name."""
    return _read(name, language)


@cache
def _read(name: str, language: str) -> Page:
    try:  # a wheel has every page as JSON, too (hatch_build.py)
        return Page(name, language, json.loads(pkgutil.get_data(_PACKAGE, f"data/{language}/{name}.json") or b"{}"))
    except FileNotFoundError:
        written = pkgutil.get_data(_PACKAGE, f"data/{language}/{name}.toml")
    import tomllib

    return Page(name, language, tomllib.loads((written or b"").decode("utf-8")))


@cache
def has_page(name: str, language: str) -> bool:
    """Whether a language has a page of that name."""
    try:
        page(name, language)
    except FileNotFoundError:
        return False
    return True
