"""How the word lists of this room are written down: plain words between spaces, phrases between commas.

Owns the notation only. The lists live beside the module that reads them. Invariant: entries are lower case
and every parse is a pure function of the listing.
"""

from __future__ import annotations


def words(listing: str) -> frozenset[str]:
    """The set of words of a listing separated by white space."""
    return frozenset(listing.split())


def phrases(listing: str) -> frozenset[str]:
    """The set of phrases of a listing separated by commas; line breaks inside a phrase count as one space."""
    return frozenset(" ".join(part.split()) for part in listing.split(",") if part.strip())


def labelled(listing: dict[str, str]) -> dict[str, str]:
    """Word to label, from label to listing; the first label that names a word keeps it."""
    found: dict[str, str] = {}
    for label, entries in listing.items():
        for word in entries.split():
            found.setdefault(word, label)
    return found
