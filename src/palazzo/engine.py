"""The Engine: composes the rooms into one working memory. It has no logic of its own beyond putting parts in order.

Knows the store, intake, the vector spaces and the clock. Invariants: no model is called inside a write transaction; a
missing or failing embedder never fails a write, the memory is stored without a vector and is filled in later.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, Protocol
from uuid import UUID

from palazzo.adapters import key_file
from palazzo.belief.conflicts import Disagreement, inbox, settle
from palazzo.errors import InvalidInput, StorageError, WrongKey
from palazzo.guard import spine
from palazzo.guard.gate import Guard
from palazzo.guard.spine import StateRecord
from palazzo.intake.rebuild import gaps
from palazzo.intake.values import IntakeResult
from palazzo.mind.jobs import CareRules
from palazzo.model.address import PlaceGlob, slug
from palazzo.model.capability import EVERYWHERE, View
from palazzo.model.change import Receipt
from palazzo.model.message import Intake, Message
from palazzo.model.scope import Scope
from palazzo.ports import Clock
from palazzo.recall.answer.context import Context, ContextRuling, ContextTurn
from palazzo.recall.answer.reply import Hit, RecallWatch, Reply
from palazzo.recall.read.cue import Cue
from palazzo.recall.reason import Change, Reasoning, ReasonLimits, reason, timeline
from palazzo.recall.recall import Aids, Recall
from palazzo.recall.talk.dialogue import Dialogue
from palazzo.recall.talk.uses import Uses
from palazzo.recall.talk.working import Heard, Minds
from palazzo.settings import TunedSetting
from palazzo.spaces import Mover, Spaces
from palazzo.store.api import Finding, Store
from palazzo.text.words.remembered import forget_texts
from palazzo.text.words.tokens import estimate_tokens

if TYPE_CHECKING:
    from palazzo.belief.face import Beliefs
    from palazzo.guard.erasure import Erasure
    from palazzo.intake.pipeline import Pipeline
    from palazzo.mind.audits import Audits
    from palazzo.mind.dream import Dreaming
    from palazzo.mind.health import HealthReport
    from palazzo.mind.jobs import Job, JobReport, Jobs, JobTurn
    from palazzo.mind.settling import Settle


RECALLS: Final = 100
Provided = tuple[Mapping[str, str], tuple[tuple[str, str], ...]]
"""What context providers add, by section, and which of them failed and why."""


def nothing_provided(_message: str) -> Provided:
    """What is added to a context where there is no provider."""
    return {}, ()


class SettingsKept(Protocol):
    """The settings of an open palace, which can be changed."""

    trouble: str

    def shown(self) -> tuple[TunedSetting, ...]: ...
    def put(self, name: str, value: str) -> TunedSetting: ...
    def refresh(self, *, at_once: bool = False) -> tuple[str, ...]: ...


def _no_importer(name: str) -> Any:
    raise InvalidInput(f"no plugin brings the importer {name!r}", field="reader")


class _Rooms:
    """The parts that a recall does without, each loaded on first use: a command answers the sooner."""

    def __init__(self, store: Store, clock: Clock, spaces: Spaces, make_intake: Callable[[], Pipeline] | None) -> None:
        self.store = store
        self.clock = clock
        self.spaces = spaces
        self.folder = Path()
        """Where what stands beside the palace is: archive, key file, socket."""
        self.recalls_ms: deque[float] = deque(maxlen=RECALLS)
        """How long the last recalls took."""
        self.care_rules = CareRules()
        self.mover = Mover(lambda: self.jobs.run("backfill"))
        """Fills a new space beside the calls, where bootstrap lets it."""
        self.tuning: SettingsKept | None = None
        """The settings of the palace; None where nobody keeps any."""
        self._make_intake = make_intake

    def fit(self, aids: Aids, intake: Callable[[], Pipeline] | None) -> None:
        """Works with these parts from now on; calls that are under way end with those they began with."""
        self._recall = Recall(self.store, self.clock, self.spaces, aids)
        self.models = self._recall.models
        self.zone = aids.zone
        """The zone of the palace's days, and of the dates of a text that tells none."""
        self._completer = aids.completer
        self._make_intake = intake
        for made in ("intake", "erasure", "settling", "jobs", "dreaming"):
            self.__dict__.pop(made, None)

    def retune(self) -> None:
        """Goes by other settings, if somebody changed them."""
        if self.tuning is not None:
            self.tuning.refresh()

    @cached_property
    def intake(self) -> Pipeline:
        """The way in."""
        from palazzo.belief.conflicts import decide
        from palazzo.intake.pipeline import Pipeline

        return self._make_intake() if self._make_intake else Pipeline(self.store, self.clock, self.spaces, decide)

    @cached_property
    def erasure(self) -> Erasure:
        """What deletes for good."""
        from palazzo.guard.erasure import Erasure
        from palazzo.persona.pages import remove_pages

        return Erasure(self.store, self.intake.archive, lambda: remove_pages(self.folder))

    def finish_erasures(self) -> None:
        """Completes erasures that a process before this one began and did not end.

        What cannot be completed stays on record, and the doctor says so.
        """
        waiting = self.store.erasures.unfinished() or self.store.erasures.owed()
        if waiting and not self.store.read_only:
            with suppress(StorageError, WrongKey):
                self.erasure.finish()

    def care(self) -> CareRules:
        """What the jobs go by: the settings of this process, and over them what an operator set for the palace."""
        return self.care_rules.overlaid(self.store.guarding.policies())

    @cached_property
    def beliefs(self) -> Beliefs:
        """What is held true, and why."""
        from palazzo.belief.face import Beliefs

        return Beliefs(self.store, lambda: self.care().stale_above)

    @cached_property
    def audits(self) -> Audits:
        """The pass that looks at what may have changed."""
        from palazzo.belief.staleness import audit_after
        from palazzo.mind.audits import Audits

        return Audits(self.store, lambda view: self.beliefs.staleness(view, subject=view.subject), audit_after)

    @cached_property
    def jobs(self) -> Jobs:
        """What is done while nobody asks."""
        from palazzo.mind.jobs import Jobs

        return Jobs(self.store, self._jobs())

    def _jobs(self) -> Iterator[Job]:
        from palazzo.mind.copies import back_up
        from palazzo.mind.dream import told_of
        from palazzo.mind.jobs import Job, JobReport
        from palazzo.mind.sweep import SUBJECT, Sweep

        def backfill(turn: JobTurn) -> JobReport:
            if not self.spaces.configured:
                return JobReport()
            goes_on = lambda done, total: turn.goes_on("vectors", done, total) and not self.mover.stopped  # noqa: E731
            return JobReport({"filled": self.spaces.backfill(goes_on)})

        def settle(turn: JobTurn) -> JobReport:
            made = self.settling.run(turn.limit, goes_on=turn.goes_on)
            counts = {"settled": made.settled, "superseded": made.superseded, "conflicts": made.conflicts}
            return JobReport(counts, (made.degraded,) if made.degraded else (), made.more)

        def audits(turn: JobTurn) -> JobReport:
            made = self.audits.run(turn.limit, goes_on=turn.goes_on)
            counts = {"events": made.events, "queued": made.queued, "audited": made.audited, "flagged": made.flagged}
            return JobReport(counts, more=made.more)

        def health(_turn: JobTurn) -> JobReport:
            found = self.health()
            return JobReport(notes=() if found.level == "good" else found.words)

        def copy(turn: JobTurn) -> JobReport:
            return back_up(self.store, self.folder, self.care_rules.backup_keep, turn)

        sweep = Sweep(self.store, partial(self._purge, subject=SUBJECT), lambda: self.care().purge_after_days)
        yield Job(
            name="upkeep", about="Merge index tails and move the log into the file.", every_s=3600,
            run=lambda _turn: JobReport({"merged": self.store.care.upkeep()}),
        )  # fmt: skip
        yield Job(name="backfill", about="Fill in missing vectors.", every_s=60, run=backfill)
        yield Job(name="settle", about="Read what batches told beside what it may change.", every_s=60, run=settle)
        yield Job(name="audits", about="Look at what may have changed.", every_s=300, run=audits)
        yield Job(
            name="claims", about="Draw candidates from summaries and handoffs; take in what is declared low in risk.",
            every_s=3600, run=self._claims,
        )  # fmt: skip
        yield Job(
            name="sweep", about="Let memories fade, rest and go, as retention says.", every_s=3600, run=sweep.run,
            can_be_tried=True, undo=sweep.undo,
        )  # fmt: skip
        yield Job(
            name="dream", about="Think over what is remembered, as dream_passes says.", every_s=600,
            run=lambda turn: told_of(self.dreaming.run(turn)), can_be_tried=True, undo=self.dreaming.undo_since,
        )  # fmt: skip
        yield Job(
            name="backup", about="Copy the palace file into its folder of backups, and drop the oldest copy.",
            every_s=round(self.care_rules.backup_every_h * 3600), run=copy,
        )  # fmt: skip
        yield Job(name="health", about="Look how the palace is.", every_s=60, run=health)

    @cached_property
    def dreaming(self) -> Dreaming:
        """The passes that think over what is remembered."""
        from palazzo.mind.dream import DREAM, Dreaming
        from palazzo.mind.passes import every_pass
        from palazzo.mind.probes import Prober

        def asked(cue: str, scope: Scope) -> list[UUID]:
            found = self._recall.recall(Cue(text=cue, limit=10), View(subject=DREAM, scope=scope))
            return [hit.memory.id for hit in found.hits]

        def chosen() -> tuple[str, float]:
            return self.care().dream_passes, self.care().dream_drop

        purge = partial(self._purge, subject=DREAM)
        return Dreaming(self.store, every_pass(self.store), Prober(self.store, asked), chosen, purge)

    def _purge(self, gone: Sequence[UUID], subject: str) -> int:
        """Erases memories for good and says how many there were."""
        from palazzo.guard.erasure import everything_of
        from palazzo.store.api import Selection

        return self.erasure.burn(Selection(memories=tuple(gone)), everything_of(subject)).memories

    def health(self) -> HealthReport:
        """How the palace is, in figures and in words."""
        from palazzo.mind import health

        why = "" if self.spaces.configured else "no embedder is configured"
        unused = "" if self.tuning is None else self.tuning.trouble
        around = health.Surroundings(self.folder, self.jobs.every(), tuple(self.recalls_ms), why, unused)
        return health.look(self.store, around)

    def _claims(self, turn: JobTurn) -> JobReport:
        """Draws from the newest summaries and handoffs, then lets through what the governor lets act by itself."""
        from palazzo.belief.claims import LANE, LANE_POLICY, ClaimLane, drawn_from
        from palazzo.mind.jobs import JobReport
        from palazzo.store.api import Filter

        view = View(subject=LANE)
        with self.store.reading(view) as reading:
            keys = reading.search.newest(Filter(kinds=("summary",)), turn.limit, None)
            texts = {str(memory.id): memory.text for memory in reading.memories.by_keys(keys).values()}
            found = [drawn_from(memory) for memory in reading.memories.by_keys(keys).values()]
        drawn = self.beliefs.claims(view, subject=LANE).draw(
            found, lambda text, scope: self.intake.stated(Message(text=text, author=LANE, scope=scope)), turn.limit
        )
        declared = frozenset(filter(None, self.store.guarding.policies().get(LANE_POLICY, "").split(",")))
        lane = ClaimLane(self.store, view, declared)
        accepted = 0
        for one in lane.waiting(lambda handle: texts.get(handle.reference)):
            if not turn.goes_on("claims", accepted, 0):
                break
            evidence = tuple(UUID(source) for source in one.sources if source in texts)
            candidate = spine.MaturationCandidate(
                envelope=spine.Envelope(source=one.sources[0], lifecycle="candidate"), lane="claim",
                evidence=evidence, low_risk=True, declared=one.claim.kind in declared,
                reversible=True,
            )  # fmt: skip
            action = spine.Action(kind="reversible_write", basis=("candidate",), candidate=candidate)
            if spine.decide(action, self.clock.now_us()).may_act:
                lane.accept(one)
                accepted += 1
        return JobReport({"drawn": len(drawn), "accepted": accepted})

    @cached_property
    def settling(self) -> Settle:
        """The pass that reads what a batch told beside what it may change."""
        from palazzo.mind.settling import Settle

        return Settle(self.store, self.intake.settler.settle)


class Engine(_Rooms):
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
        self._minds = Minds(store)
        self.watch = RecallWatch()
        """How well the last recalls went."""
        self.uses = Uses(store)
        """Which memories were read."""
        self.importer: Callable[[str], Any] = _no_importer
        self.provided: Callable[[str], Provided] = nothing_provided

    def remember(
        self, message: str | Message, *, subject: str = "operator", reach: tuple[PlaceGlob, ...] = EVERYWHERE
    ) -> IntakeResult:
        """Keeps what somebody asked to be kept; decay never deletes it. Only what stands within `reach` is changed.

        Raises: InvalidInput, Refused, NotPermitted, StorageError; then nothing is written.
        """
        return self.remember_many([message], subject=subject, reach=reach)

    def remember_many(
        self, messages: Sequence[str | Message], *, subject: str = "operator",
        reach: tuple[PlaceGlob, ...] = EVERYWHERE,
    ) -> IntakeResult:  # fmt: skip
        """Keeps many texts in one transaction.

        Raises: InvalidInput, NotPermitted, StorageError; then nothing is written. Refused when nothing may be stored.
        """
        told = [Message(text=m, source="message") if isinstance(m, str) else m for m in messages]
        return self.intake.take(told, "remember", subject=subject, reach=reach)

    def observe(
        self, turns: Sequence[Message], *, subject: str = "operator", reach: tuple[PlaceGlob, ...] = EVERYWHERE
    ) -> IntakeResult:
        """Keeps turns of a conversation verbatim, and what lasts of them as memories of their own.

        Raises: InvalidInput, NotPermitted, StorageError; then nothing is written.
        """
        return self.intake.take(turns, "observe", subject=subject, reach=reach)

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

        def said(hit: Hit) -> str:
            return f"{hit.text} {hit.caveat}".rstrip()

        def record(hit: Hit) -> StateRecord:
            own = hit.lane in ("identity", "instruction") and not hit.quoted
            return spine.record_of(hit.memory, now_us, hit.provenance, said(hit), instructs=own)

        spine.look_at((said(hit), hit.provenance) for hit in hits)
        found = spine.admit(hits, record, "context_injection", now_us)
        return found.items, tuple(
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
        return *self._interrupted(), *self._archived(), recall

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
