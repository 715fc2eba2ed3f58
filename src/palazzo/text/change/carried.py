"""What a change that names both sides makes of a statement that names the old one: "moved pigeon from Fly to Render".

Owns the reading of such a change, and of the statement as it is since then: the old side gives way to the new one and
every other word stays. The ways of saying it are data. Knows nothing of memories. Invariants: what changed is named in
both, by a word of its own; a statement of what was, or of what belongs to it ("Tom's ex"), is not changed; a name is
replaced whole or not at all.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from palazzo.text.dates.tense import opens_in_present
from palazzo.text.words.grammar import DET, POSS, SUBJ
from palazzo.text.words.lexicon import page
from palazzo.text.words.parsed import once, parsed

_PAGE: Final = page("change")
_EDGES: Final = " .,;:!?…\"'“”()–—-"
_OWNER: Final = re.compile(r"['’]s\b|s['’](?=\s)")
MOST_WORDS: Final = 5
"""Words of a side that is named."""


class SidedChange(NamedTuple):
    """What changed, from what, to what."""

    what: str
    old: str
    new: str


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(line, re.IGNORECASE) for line in _PAGE.listing("carried").strip().split("\n"))


@once
def carried_change(sentence: str) -> SidedChange | None:
    """The change that a sentence tells with both its sides; none where it names only one, or nothing that changed."""
    plain = sentence.replace("’", "'").strip()
    for form in _forms():
        match = form.match(plain)
        if match is None:
            continue
        old, new = (match[side].strip(_EDGES) for side in ("old", "new"))
        what = " ".join(filter(None, (match[part] for part in ("who", "what") if part in match.groupdict())))
        if old and new and old.lower() != new.lower() and len(old.split()) <= MOST_WORDS >= len(new.split()):
            return SidedChange(what, old, new) if _named(what) else None
    return None


def _named(text: str) -> frozenset[str]:
    """The words of what changed, without "we" and "our"."""
    tokens = parsed(text).tokens
    terms = parsed(text).content_terms
    plain = {word for word, bit in zip(tokens.lower, tokens.bits, strict=True) if bit & (SUBJ | DET | POSS)}
    return frozenset(term for term in terms if term not in plain)


def since_then(statement: str, change: SidedChange) -> str:
    """A statement as it is since a change; empty where the change says nothing of it."""
    if _OWNER.search(statement) or not _named(change.what) <= frozenset(parsed(statement).content_terms):
        return ""
    if not opens_in_present(parsed(statement).tokens):
        return ""
    old = re.sub(r"^(?:the|a|an) ", "", change.old, flags=re.IGNORECASE)
    found = list(re.finditer(rf"(?<![\w-]){re.escape(old)}(?![\w-])", statement, re.IGNORECASE))
    if len(found) != 1:
        return ""
    start, end = found[0].span()
    behind, before = statement[end:].split(), statement[:start].split()
    if behind and (behind[0][:1].isupper() or behind[0][:1].isdigit()) and statement[end] == " ":
        return ""
    if before and before[-1][:1].isupper() and len(before) > 1 and old[:1].isupper():
        return ""
    if before and before[-1].lower() in _PAGE.words("apart"):
        return ""
    new = re.sub(r"^(?:the|a|an) ", "", change.new, flags=re.IGNORECASE) if before[-1:] and before[-1].lower() in (
        "the", "a", "an", "our", "my"
    ) else change.new  # fmt: skip
    return statement[:start] + new + statement[end:]
