"""Signs in a statement that it may take something back, cheap enough to be looked for in every one.

Owns the questions; the words are data. Knows nothing of another statement: whether two disagree is judged by
`contradiction`. Every text is given in lower case.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from palazzo.text.words.lexicon import page

_PAGE: Final = page("change")
_MIND_SIGNS: Final = _PAGE.in_order("mind_signs")


@cache
def _sign(name: str) -> re.Pattern[str]:
    return re.compile(_PAGE.pattern("signs", name))


def gives_figure(low: str) -> bool:
    """Whether a figure is given, in digits or in words."""
    return _sign("figure").search(low) is not None


def may_tell_change(low: str) -> bool:
    """Whether a word of change, of denial or of liking stands in it."""
    return _sign("change").search(low) is not None


def changes_mind(low: str) -> bool:
    """Whether an attitude is taken back, even where a change of mind is told as something that happened."""
    return any(sign in low for sign in _MIND_SIGNS) and _sign("changed_mind").search(low) is not None


def tells_end(low: str) -> bool:
    """Whether something that was so is said to be over, told as something that happened."""
    return _sign("over").search(low) is not None


def tells_now(low: str) -> bool:
    """Whether something is said to be so now, or again."""
    return _sign("since").search(low) is not None


def tells_habit(low: str) -> bool:
    """Whether it tells when something always is: no happening, though a day is named."""
    return _sign("habit").search(low) is not None
