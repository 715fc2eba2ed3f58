"""Stage 4, classify: kind, importance, durability, and whether an observed statement is worth a memory of its own.

What was asked to be kept is kept. Of what was merely said, only what lasts becomes a memory: facts that fill a slot,
preferences, decisions, instructions, who people are and how they live, plans, dated events, errors, procedures. The
rest stays readable in the verbatim turn. Invariant: a verbatim turn is never judged away.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from palazzo.intake.split import moment
from palazzo.intake.values import Draft, Judgement, Lost
from palazzo.model.message import Fate
from palazzo.text.dates.find import find_dates
from palazzo.text.facts.slots.find import find_slots
from palazzo.text.meaning.kinds import Classification, classify, is_durable_statement

LASTING = frozenset({
    "identity", "relationship", "preference", "decision", "instruction", "residence", "employment", "task", "error",
    "procedure",
})  # fmt: skip
SURE = 0.5
"""A classification or slot below this is a guess; a guess alone makes no memory."""
_MEASURED = re.compile(r"\d")
"""A statement about somebody that gives a figure is worth keeping, and a later figure replaces it."""
TURN_IMPORTANCE = 0.3


def judge(drafts: Sequence[Draft]) -> tuple[list[Draft], list[Lost]]:
    """Drafts with their judgement; what does not last is left to the verbatim turn."""
    kept: list[Draft] = []
    lost: list[Lost] = []
    open_ones = [draft.statement for draft in drafts if not draft.whole and draft.judgement is None]
    classified = iter(list(map(classify, open_ones)))
    for draft in drafts:
        if draft.whole or draft.judgement is not None:
            kept.append(draft)
            continue
        message = draft.letter.message
        found = next(classified)
        if draft.letter.manner == "observe" and not _lasts(draft, found):
            fate = Fate(start=draft.start, end=draft.end, outcome="stored", reason="verbatim")
            lost.append(Lost(draft.letter.number, fate))
            continue
        judgement = Judgement(
            kind=message.kind or found.kind,
            importance=found.importance if message.importance is None else message.importance,
            confidence=found.confidence,
            durability=found.durability if not message.kind or found.durability == "permanent" else None,
            reasons=found.reasons,
        )
        kept.append(replace(draft, judgement=judgement))
    return kept, lost


def _lasts(draft: Draft, found: Classification) -> bool:
    if found.kind in LASTING and found.confidence >= SURE:
        return True
    if found.kind in ("context", "transient"):
        return False
    if any(slot.confidence >= SURE for slot in find_slots(draft.statement)):
        return True
    if found.kind == "event":
        if any(reason.startswith("life event") for reason in found.reasons):
            return True
        spans = find_dates(draft.statement, moment(draft.letter.at_us))
        if any(span.begin is not None or span.finish is not None for span in spans):
            return True
    if found.kind != "reflection" and draft.subject and _MEASURED.search(draft.statement):
        return True
    return is_durable_statement(draft.sentence)
