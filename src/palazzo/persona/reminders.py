"""What the palace itself tells a model before a turn: who it is, what holds, what is thought over, what waits.

Owns the lines of the identity files, and of five providers for a turn of a thread: stability (the principles, while an
exchange of the thread is unsettled), contemplation (what an inquiry has come to), continuity (a handoff that no session
was offered), attachments (receipts of what was shown in it) and code evolution (proposals about what failed three
times, in code mode). Reads slips, identity files and whether a file is what it was, never a memory. Invariants:
without a thread there are no lines but those of the files; a line names no other thread and no other scope; what an
attachment says that reads as an order is kept back; nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from palazzo.persona.identity import Identity
from palazzo.persona.providers import ForTurn, Provider
from palazzo.store.api import Store

if TYPE_CHECKING:  # what reads slips is loaded when a thread asks for it: most commands have none
    from palazzo.persona.seal import InquiryTold

SHOWN: Final = 3
LOOKED_AT: Final = 50
SETTLED: Final = "waiting for a person"


class Reminders:
    """The providers of one palace that go by its own slips."""

    def __init__(self, store: Store, folder: Path, subject: str) -> None:
        self._store = store
        self._identity = Identity(folder, store, subject)

    def providers(self, *, seal: bool) -> Iterator[Provider]:
        """Who reminds, by priority; what judges people only where somebody switched it on."""
        yield Provider(
            name="identity", priority=2, section="identity", quick=True, ask=lambda _: self._identity.block()
        )
        if seal:
            yield Provider(name="stability", priority=5, section="identity", ask=self.stability, quick=True)
            yield Provider(name="contemplation", priority=7, section="today", ask=self.contemplation, quick=True)
        yield Provider(name="continuity", priority=10, section="today", ask=self.continuity, quick=True)
        yield Provider(name="attachments", priority=12, section="today", ask=self.attachments, quick=True)
        yield Provider(name="code evolution", priority=20, section="skills", ask=self.code_evolution, quick=True)

    def stability(self, turn: ForTurn) -> str:
        """The principles, while something of the thread is unsettled."""
        from palazzo.persona.seal import UNSETTLED, principles_in

        if not any(told.entropy > UNSETTLED for told in self._inquiries(turn)):
            return ""
        held = principles_in(self._identity.read("SOUL.md"))
        return "\n".join(("What holds, whatever was said:", *(f"- {one}" for one in held))) if held else ""

    def contemplation(self, turn: ForTurn) -> str:
        """What the last pass of each inquiry of the thread has come to."""
        found = [told for told in self._inquiries(turn) if told.passes][:SHOWN]
        return "\n".join(f"Thought over, pass {len(told.passes)} of 3: {told.passes[-1]}" for told in found)

    def continuity(self, turn: ForTurn) -> str:
        """A handoff of the thread that no session was offered yet: where it is read."""
        known = self._store.slips.get("handoff", turn.thread, turn.scope) if turn.thread else None
        if known is None or known.state != "written":
            return ""
        from palazzo.persona.slips import told_of
        from palazzo.persona.threads import HandoffTold

        told = told_of(known, HandoffTold)
        note = f': "{told.note}"' if told.note else ""
        return f"This thread was handed on after {told.turns} turns{note}; warm_start tells where it stands."

    def attachments(self, turn: ForTurn) -> str:
        """What was attached to the thread lately, by its receipt: what was seen of it then, and nothing of it now."""
        if not turn.thread:
            return ""
        from palazzo.persona.receipts import Receipts, ReceiptTold, line_of
        from palazzo.persona.slips import told_of
        from palazzo.text.safety.injection import FLAG_AT, score_injection

        told = [
            (one.name, line_of(one.name, told_of(one, ReceiptTold)))
            for one in Receipts(self._store, turn.scope, "").every(turn.thread, SHOWN)
        ]
        lines = (
            f"- {line if score_injection(line).score < FLAG_AT else f'{name}: what is told of it reads as an order'}"
            for name, line in told
        )
        return "\n".join(("Attached earlier: receipts, not the files:", *lines)) if told else ""

    def code_evolution(self, turn: ForTurn) -> str:
        """What failed three times in this thread and nobody decided on, in code mode."""
        known = self._store.slips.get("thread", turn.thread, turn.scope) if turn.thread else None
        if known is None:
            return ""
        from palazzo.persona.bundles import ProposalTold
        from palazzo.persona.slips import told_of
        from palazzo.persona.threads import ThreadTold

        if told_of(known, ThreadTold).mode != "code":
            return ""
        found = (one for one in self._store.slips.newest("proposal", turn.scope, limit=LOOKED_AT))
        told = [told_of(one, ProposalTold) for one in found if one.state == "proposed"]
        return "\n".join(f"Proposed: {one.change}" for one in told if one.thread == turn.thread)

    def _inquiries(self, turn: ForTurn) -> Iterator[InquiryTold]:
        """What is thought over in the thread and not yet before a person."""
        from palazzo.persona.seal import InquiryTold
        from palazzo.persona.slips import told_of

        found = self._store.slips.newest("inquiry", turn.scope, limit=LOOKED_AT) if turn.thread else ()
        told = (told_of(one, InquiryTold) for one in found if one.state != SETTLED)
        return (one for one in told if one.thread == turn.thread)
