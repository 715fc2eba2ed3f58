"""Conflict modes: which of two statements that disagree is believed from now on. The one place that decides it.

Owns the modes and the rules beside them. Knows nothing of texts, atoms or rows: whoever found the disagreement says
what matters of both sides, and carries out what is decided. Two rules stand beside the table of kinds: where only one
value can hold, `keep_both` does not apply; and where the table says `ask`, an announced change is no error.
Invariant: nothing that a wider scope holds is changed; unless told to leave it alone, a person is asked.
"""

from __future__ import annotations

from typing import Final

from palazzo.model.belief import Believed, Newcomer, Settlement
from palazzo.model.kinds import ConflictMode

_LEAVING: Final = frozenset({"keep_existing", "keep_both"})
"""Modes that leave what is believed as it is."""


def decide(old: Believed, new: Newcomer, mode: ConflictMode | None) -> Settlement:
    """What becomes of two statements that disagree, by the mode asked for, else by that of the kind."""
    chosen = mode or _usual(old, new)
    if old.wider and mode not in _LEAVING:
        return Settlement("ask", "ask", "held in a wider scope")
    if not new.sure:
        return Settlement("ask", "ask", "hedged")
    if chosen == "ask":
        return Settlement("ask", chosen, "ask")
    if chosen == "keep_both":
        return Settlement("keep_both", chosen, "kept both")
    if chosen == "keep_existing":
        return Settlement("keep_existing", chosen, "kept existing")
    if chosen == "merge":
        return Settlement("merge", chosen, "merged") if new.fits else Settlement("ask", "ask", "too long to merge")
    if chosen == "temporal" and new.said_us < old.stated_us:
        return Settlement("keep_as_past", chosen, "older than what is known")
    return Settlement("replace", chosen, "")


def _usual(old: Believed, new: Newcomer) -> ConflictMode:
    """The mode of the kind, with the two rules beside the table."""
    if old.usual == "keep_both" and (new.over or new.one_value):
        return "temporal"
    if old.usual == "ask" and (new.over or new.announced):
        return "temporal"
    return old.usual
