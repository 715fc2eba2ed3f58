"""The Engine: composes the rooms into one working memory. It has no logic of its own beyond putting parts in order.

Knows the store, intake, the vector spaces and the clock. Invariants: no model is called inside a write transaction; a
missing or failing embedder never fails a write, the memory is stored without a vector and is filled in later.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any
from uuid import UUID

from palazzo.adapters import key_file
from palazzo.belief.conflicts import Disagreement, inbox, settle
from palazzo.engine.rooms import Rooms
from palazzo.engine.rooms import SettingsKept as SettingsKept
from palazzo.errors import InvalidInput
from palazzo.guard import spine
from palazzo.guard.gate import Guard
from palazzo.guard.spine import StateRecord
from palazzo.intake.values import IntakeResult
from palazzo.model.address import PlaceGlob, slug
from palazzo.model.capability import EVERYWHERE, View
from palazzo.model.change import Receipt
from palazzo.model.message import Intake, Message
from palazzo.persona.providers import Assembly
from palazzo.ports import Clock, SnapshotPart
from palazzo.recall.answer.context import Context, ContextRuling, ContextTurn
from palazzo.recall.answer.reply import Hit, Reply
from palazzo.recall.read.cue import Cue
from palazzo.recall.reason import Change, Reasoning, ReasonLimits, reason, timeline
from palazzo.recall.recall import Aids
from palazzo.recall.talk.dialogue import Dialogue
from palazzo.recall.talk.uses import Uses
from palazzo.recall.talk.working import Heard, Minds
from palazzo.spaces import Spaces
from palazzo.store.api import Finding, Store
from palazzo.text.words.remembered import forget_texts
from palazzo.text.words.tokens import estimate_tokens

if TYPE_CHECKING:
    from palazzo.intake.pipeline import Pipeline


def _no_importer(name: str) -> Any:
    raise InvalidInput(f"no plugin brings the importer {name!r}", field="reader")


class Engine(Rooms):
    """One palace with its parts."""

    def __init__(
        self, store: Store, clock: Clock, spaces: Spaces, intake: Callable[[], Pipeline] | None = None,
        guard: Guard | None = None, aids: Aids = Aids(),
    ) -> None:  # fmt: skip
        super().__init__(store, clock, spaces, intake)
        self.guard = guard or Guard(store, clock)
        self.fit(aids, intake)
        self.floor = self._recall.floor
        """The relevance below which nothing is an answer."""
        self.working = self.guard.working
        """What the processes that serve this palace share and may lose."""
        self._minds = Minds(store, self.working)
        self.uses = Uses(store)
        """Which memories were read."""
        self.importer: Callable[[str], Any] = _no_importer
        self.snapshot_parts: Callable[[], Sequence[SnapshotPart]] = tuple
        """What of a workspace a snapshot holds: made when one is taken."""
        self.provided = Assembly(())
        """Who adds lines to contexts."""
        self.switched_on: frozenset[str] = frozenset()
        """What is assessed at the end of a turn: nothing, unless somebody wants it."""

    def remember(
        self, message: str | Message, *, subject: str = "operator", reach: tuple[PlaceGlob, ...] = EVERYWHERE
    ) -> IntakeResult:
        """Keeps what somebody asked to be kept; decay never deletes it. Only what stands within `reach` is changed.

        Raises: InvalidInput, Refused, NotPermitted, StorageError; then nothing is written.
        """
        return self.remember_many([message], subject=subject, reach=reach)

    def remember_many(
        self, messages: Sequence[str | Message], *, subject: str = "operator",
        reach: tuple[PlaceGlob, ...] = EVERYWHERE, later: bool = False,
    ) -> IntakeResult:  # fmt: skip
        """Keeps many texts in one transaction; with `later`, verbatim ones are understood by a pass.

        Raises: InvalidInput, NotPermitted, StorageError; then nothing is written. Refused when nothing may be stored.
        """
        told = [Message(text=m, source="message") if isinstance(m, str) else m for m in messages]
        return self.intake.take(told, "remember", subject=subject, reach=reach, later=later)

    def observe(
        self, turns: Sequence[Message], *, subject: str = "operator", reach: tuple[PlaceGlob, ...] = EVERYWHERE,
        later: bool = False,
    ) -> IntakeResult:  # fmt: skip
        """Keeps turns of a conversation verbatim, and what lasts of them as memories of their own; with `later`, a pass
        draws those.

        Raises: InvalidInput, NotPermitted, StorageError; then nothing is written.
        """
        return self.intake.take(turns, "observe", subject=subject, reach=reach, later=later)

    def explain(self, asked: UUID, view: View = View()) -> tuple[Intake, ...]:
        """What became of every stretch of a message, by the id of its intake or of a memory made from it.

        Raises: NotFound.
        """
        return self.intake.explain(view, asked)

    def inbox(self, view: View = View()) -> tuple[Disagreement, ...]:
        """Disagreements that wait for a person, newest first."""
        return inbox(self.store, view)

    def settle(self, kept: UUID, other: UUID | None = None, *, both: bool = False, view: View = View()) -> Receipt:
        """Settles a disagreement in favour of one memory, or keeps both.

        Raises: NotPermitted for anyone but a person, NotFound.
        """
        from palazzo.belief.conflicts import require_person

        require_person(view.subject, "settle a disagreement")
        return settle(self.store, view, kept, other, both=both)

    def recall(self, cue: str | Cue, view: View = View(), history: Sequence[Heard] = ()) -> Reply:
        """The memories that matter for a cue, best first, each with its reasons.

        What was said before, as `history` or as the last turns of the cue's thread, decides what "it" and "there" are.

        Raises: InvalidInput for a preset, mode, fusion or rerank that does not exist.
        """
        began = perf_counter()
        wanted = Cue(text=cue) if isinstance(cue, str) else cue
        if history or wanted.thread:
            found = self.dialogue().recall_in(wanted, view, history)
        else:
            found = self._recall.recall(wanted, view)
        self.recalls_ms.append((perf_counter() - began) * 1000)
        return found

    def correct(self, cue: str, memory_id: UUID, *, subject: str = "operator") -> Receipt | None:
        """Leaves a memory out of contexts like this cue for ninety days; None when the cue cannot be embedded.

        Raises: NotFound.
        """
        change = self._recall.correct(cue, memory_id)
        return None if change is None else self.store.commit([change], subject=subject)

    def dialogue(self) -> Dialogue:
        """A running conversation: the last turns, what is in mind, where it is heading."""
        return Dialogue(self._recall, self.spaces, self.clock, self.models, self._for_context)

    def _for_context(self, hits: tuple[Hit, ...]) -> tuple[tuple[Hit, ...], tuple[ContextRuling, ...]]:
        now_us = self.clock.now_us()

        scores, looks = self.looked_at(hits)
        self.uses.found(looks)

        def record(one: tuple[Hit, float]) -> StateRecord:
            hit, score = one
            own = hit.lane in ("identity", "instruction") and not hit.quoted
            return spine.record_of(hit.memory, now_us, hit.provenance, score, instructs=own)

        found = spine.admit(list(zip(hits, scores, strict=True)), record, "context_injection", now_us)
        return tuple(hit for hit, _ in found.items), tuple(
            ContextRuling(
                memory_id=ruling.memory_id, admitted=ruling.admitted, mode=ruling.decision.mode,
                reasons=ruling.decision.reasons,
            )
            for ruling in found.rulings
        )  # fmt: skip

    def context(self, turn: str | ContextTurn, view: View = View(), dialogue: Dialogue | None = None) -> Context:
        """What a model should read before it answers a turn or does a piece of work, within its budget.

        Without a dialogue of its own the turn goes on with what its subject left in mind in this scope.

        Raises: InvalidInput when the budget is too small or the turn's purpose does not exist.
        """
        wanted = ContextTurn(message=turn) if isinstance(turn, str) else turn
        return (dialogue or self.mind).context(wanted, view)

    @property
    def mind(self) -> Dialogue:
        """A conversation that goes on with what its subject left in mind, and leaves it there again."""
        return Dialogue(self._recall, self.spaces, self.clock, self.models, self._for_context, minds=self._minds)

    def reason(self, question: str, view: View = View(), limits: ReasonLimits = ReasonLimits()) -> Reasoning:
        """Evidence for a question that needs several steps, and the steps; in words too where a model is at hand."""
        return reason(question, lambda part: self.recall(part, view), limits, estimate_tokens, self._completer())

    def evolution(self, topic: str, view: View = View()) -> tuple[Change, ...]:
        """How knowledge of a topic changed, oldest first."""
        hits = self.recall(Cue(text=topic, limit=30), view).hits
        with self.store.reading(view) as reading:
            return timeline(reading, hits)

    def examined(self) -> tuple[Finding, ...]:
        """What the doctor finds outside the palace file."""
        level, told = self.watch.findings()
        advice = "`palazzo upkeep` gives vectors that are missing; another embedder may suit the texts better"
        recall = Finding("recall", level, told, advice if level != "good" else "")
        return *self._interrupted(), *self._archived(), *self._working(), recall

    def _working(self) -> tuple[Finding, ...]:
        why = self.working.trouble
        if not why:
            return ()
        told = f"the working store cannot be reached ({why}): limits and sessions are those of each process meanwhile"
        return (Finding("working store", "warning", told, "start Redis again, or take the setting redis away"),)

    def _interrupted(self) -> tuple[Finding, ...]:
        command = key_file.interrupted(self.folder)
        if not command:
            return ()
        return (Finding("conversion", "bad", f"`palazzo {command}` was interrupted", f"run `palazzo {command}` again"),)

    def _archived(self) -> tuple[Finding, ...]:
        archive = self.intake.archive
        if archive is None:
            return ()
        found: list[Finding] = []
        unreadable = archive.unreadable()
        if unreadable:
            told = f"{len(unreadable)} lines of the archive cannot be read: {'; '.join(map(str, unreadable[:8]))}"
            advice = "they may hold what was erased since; `palazzo burn --unreadable --yes` removes them"
            found.append(Finding("archive lines", "warning", told, advice))
        from palazzo.intake.rebuild import gaps

        missing = gaps(self.store, self.intake)
        if missing:
            told = f"a palace made again from the archive would lack {sum(gap.count for gap in missing)} messages: "
            advice = "put the files back from a copy of the folder; days on which the archive was off have none"
            found.append(Finding("archive gaps", "warning", told + "; ".join(map(str, missing[:8])), advice))
        if archive.sealed:
            plain = archive.plain_lines()
            told = f"{plain} lines of the archive are in clear" if plain else "every line of the archive is sealed"
            advice = "`palazzo encrypt` again seals them" if plain else ""
            found.append(Finding("archive", "bad" if plain else "good", told, advice))
        return tuple(found)

    @property
    def palace_name(self) -> str:
        """What full addresses call this palace: the name of its folder, as a step of an address."""
        return slug(self.folder.name) or "palace"

    def journal_end(self) -> int:
        """The number of the newest event; 0 in an empty palace."""
        return self.store.journal.last_seq()

    def close(self) -> None:
        """Writes what trail, uses and minds still hold, closes the palace and forgets its texts. Safe to call twice."""
        self.mover.close()
        try:
            self._minds.flush()
            self.uses.close()
            self.guard.close()
        finally:
            self.store.close()
            self._recall.forget()
            forget_texts(self.store)

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
