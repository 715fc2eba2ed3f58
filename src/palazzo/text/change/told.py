"""Signs of a change, cheap enough to be looked for in every statement, given in lower case; the words are data.

Owns the questions asked of a statement before it is compared with any other. Knows nothing of memories.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from palazzo.text.words.lexicon import page

_PAGE: Final = page("change")


@cache
def _sign(name: str) -> re.Pattern[str]:
    return re.compile(_PAGE.pattern("signs", name))


def gives_figure(low: str) -> bool:
    """Whether a figure is given, in digits or in words."""
    return _sign("figure").search(low) is not None


def may_tell_change(low: str) -> bool:
    """Whether a word of change, of denial or of liking stands in it."""
    return _sign("change").search(low) is not None


def tells_end(low: str) -> bool:
    """Whether something that was so is said to be over, told as something that happened."""
    return _sign("over").search(low) is not None
