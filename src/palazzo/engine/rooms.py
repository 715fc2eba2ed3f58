"""The parts of an engine that a recall does without, each put together on first use.

Owns which jobs there are and what each part is made of. Knows every room below. Invariant: nothing is loaded before
somebody asks for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol
from uuid import UUID

from msgspec.structs import replace

from palazzo.errors import StorageError, WrongKey
from palazzo.guard import spine
from palazzo.mind.jobs import CareRules
from palazzo.model.belief import BehaviourSignal
from palazzo.model.capability import View
from palazzo.model.memory import OWNER, Memory
from palazzo.model.message import Message
from palazzo.model.raw_event import COUNTER
from palazzo.model.scope import Scope
from palazzo.ports import CaptureAdapter, Clock, Completer
from palazzo.recall.answer.reply import Hit, RecallWatch
from palazzo.recall.read.cue import Cue
from palazzo.recall.recall import Aids, Recall
from palazzo.settings import TunedSetting
from palazzo.spaces import Mover, Spaces
from palazzo.store.api import Look, Store
from palazzo.text.words.remembered import forget_texts

if TYPE_CHECKING:
    from palazzo.belief.face import Beliefs
    from palazzo.capture.intake import RawIntake
    from palazzo.capture.watching import Watchers
    from palazzo.guard.erasure import Erasure
    from palazzo.intake.pipeline import Pipeline
    from palazzo.mind.audits import Audits
    from palazzo.mind.dream import Dreaming
    from palazzo.mind.health import HealthReport
    from palazzo.mind.jobs import Job, JobReport, Jobs, JobTurn
    from palazzo.mind.pressure import Pressure
    from palazzo.mind.settling import Settle
    from palazzo.mind.tree import Trees


RECALLS: Final = 100
LOOKING: Final = "mind:looking"
ASKED_FIRST: Final = "What did we decide last week, and who takes care of it?"
"""A question that makes every part of a recall read what it needs."""


class SettingsKept(Protocol):
    """The settings of an open palace, which can be changed."""

    trouble: str

    def shown(self) -> tuple[TunedSetting, ...]: ...
    def put(self, name: str, value: str) -> TunedSetting: ...
    def refresh(self, *, at_once: bool = False) -> tuple[str, ...]: ...


class Rooms:
    """The parts that a recall does without, each loaded on first use: a command answers the sooner."""

    def __init__(self, store: Store, clock: Clock, spaces: Spaces, make_intake: Callable[[], Pipeline] | None) -> None:
        self.store = store
        self.clock = clock
        self.spaces = spaces
        self.folder = Path()
        """Where what stands beside the palace is: archive, key file, socket."""
        self.runtime: Path | None = None
        """Where shells and hooks see whether they may capture, in memory where the system has such a place."""
        self.adapters: Callable[[], tuple[CaptureAdapter, ...]] = tuple
        """The adapters of capture that plugins bring."""
        self.desktop: Mapping[str, str] = {}
        """The variables by which a desktop says where it is."""
        self.recalls_ms: deque[float] = deque(maxlen=RECALLS)
        """How long the last recalls took."""
        self.watch = RecallWatch()
        """How well the last recalls went."""
        self.care_rules = CareRules()
        self.dream_completer: Callable[[], Completer | None] = lambda: None
        """The language model that dreams may ask; its setting is its own."""
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

    def looked_at(self, hits: Sequence[Hit]) -> tuple[list[float], list[Look]]:
        """What is found in hits as they would be shown, and what of that is to be kept with what they are of; nothing
        of a guarded text, for its words could be guessed by it."""
        whole = [hit.memory.tier == "clear" and hit.text == hit.memory.text for hit in hits]
        kept = [hit.memory.revision.looked if all_of else b"" for hit, all_of in zip(hits, whole, strict=True)]
        said = [(f"{hit.text} {hit.caveat}".rstrip(), hit.provenance) for hit in hits]
        scores, found = spine.look_at(said, kept)
        seen = ((hits[at].memory.revision, told) for at, told in found.items() if whole[at])
        return scores, [Look(one.key, one.content_hash, told) for one, told in seen]

    def _look(self, turn: JobTurn) -> JobReport:
        from palazzo.mind.jobs import JobReport
        from palazzo.mind.settling import look_at_new

        done, more = look_at_new(self.store, self.look_ahead, turn.limit * 100, turn.goes_on)
        return JobReport({"looked": done}, more=more)

    def look_ahead(self, keys: Sequence[int]) -> list[Look]:
        """What is found in memories as their own writer would be shown them."""
        view = View(subject=LOOKING, all_scopes=True)
        with self.store.reading(view) as reading:
            found = reading.memories.by_keys(keys)
        by_author: dict[str, list[Memory]] = {}
        for memory in found.values():
            by_author.setdefault(memory.revision.content.author, []).append(memory)
        looks: list[Look] = []
        for author, memories in by_author.items():
            hits = self._recall.hits_of(memories, replace(view, subject=author or OWNER), recalled=True)
            looks += self.looked_at(hits)[1]
        return looks

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
        from palazzo.persona.threads import remove_pages

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
    def capture(self) -> RawIntake:
        """What comes in from the machine, and what may."""
        from palazzo.capture.intake import RawIntake

        return RawIntake(self.store, self.runtime, self._signalled)

    @cached_property
    def seeing(self) -> Watchers:
        """The adapters of capture that look for themselves; whoever runs a daemon settles and closes it."""
        from palazzo.capture.adapters import known_adapters
        from palazzo.capture.watching import Watchers

        return Watchers(self.capture, self.clock, known_adapters(self.desktop, self.adapters()))

    def _signalled(self, signals: Sequence[BehaviourSignal], scope: Scope) -> int:
        """Keeps counts of behaviour; how much of what is believed they speak against."""
        return sum(one.flagged for one in self.beliefs.signal(signals, scope, subject=COUNTER))

    @cached_property
    def jobs(self) -> Jobs:
        """What is done while nobody asks."""
        from palazzo.mind.jobs import Jobs

        made = Jobs(self.store, self._jobs())
        made.may_run = lambda job: self.pressure.may_run(job.name, heavy=job.heavy)
        return made

    @cached_property
    def pressure(self) -> Pressure:
        """How much memory this process takes, and what it lets go of."""
        from palazzo.files import raw_files
        from palazzo.mind.health import budget_bytes
        from palazzo.mind.pressure import MB, Pressure

        def budget() -> int:
            return self.care().budget_mb * MB or budget_bytes()

        return Pressure(raw_files.resident_bytes, budget, self._recall.forget, lambda: forget_texts(self.store))

    def _jobs(self) -> Iterator[Job]:
        from palazzo.mind.copies import back_up
        from palazzo.mind.jobs import Job, JobReport
        from palazzo.mind.settling import understand as understood
        from palazzo.mind.sweep import SUBJECT, Sweep
        from palazzo.mind.telling import told_of

        def backfill(turn: JobTurn) -> JobReport:
            if not self.spaces.configured:
                return JobReport()
            goes_on = lambda done, total: turn.goes_on("vectors", done, total) and not self.mover.stopped  # noqa: E731
            return JobReport({"filled": self.spaces.backfill(goes_on)})

        def understand(turn: JobTurn) -> JobReport:
            done, more = understood(self.intake.understand, turn.limit * 10, turn.goes_on)
            return JobReport({"understood": done}, more=more)

        def settle(turn: JobTurn) -> JobReport:
            made = self.settling.run(turn.limit, goes_on=turn.goes_on, dry=turn.dry)
            counts = {"settled": made.settled, "superseded": made.superseded, "conflicts": made.conflicts}
            return JobReport(counts, (made.degraded,) if made.degraded else (), made.more)

        def capture(turn: JobTurn) -> JobReport:
            counts, more = self.capture.look(turn.limit * 100)
            return JobReport(counts, more=more)

        def audits(turn: JobTurn) -> JobReport:
            made = self.audits.run(turn.limit, goes_on=turn.goes_on)
            counts = {"events": made.events, "queued": made.queued, "audited": made.audited, "flagged": made.flagged}
            return JobReport(counts, more=made.more)

        def health(_turn: JobTurn) -> JobReport:
            shed = self.pressure.relieve()
            found = self.health()
            if shed:
                return JobReport({"shed": len(shed)}, found.words)
            return JobReport(notes=() if found.level == "good" else found.words)

        def copy(turn: JobTurn) -> JobReport:
            return back_up(self.store, self.folder, self.care_rules.backup_keep, turn)

        sweep = Sweep(
            self.store, partial(self._purge, subject=SUBJECT), lambda: self.care().purge_after_days,
            lambda: self.care_rules.raw_days,
        )  # fmt: skip
        yield Job(
            name="upkeep", about="Merge index tails and move the log into the file.", every_s=3600, heavy=True,
            run=lambda _turn: JobReport({"merged": self.store.care.upkeep()}),
        )  # fmt: skip
        yield Job(name="backfill", about="Fill in missing vectors.", every_s=60, run=backfill)
        yield Job(name="understand", about="Understand what was kept first.", every_s=60, run=understand)
        yield Job(name="look", about="Look for orders to the reader before they are shown.", every_s=60, run=self._look)
        yield Job(
            name="settle", about="Read what batches told beside what it may change.", every_s=60, run=settle,
            can_be_tried=True,
        )  # fmt: skip
        yield Job(
            name="capture", about="Take in what shells kept and repositories have new, and count what is done by day.",
            every_s=60, run=capture,
        )  # fmt: skip
        yield Job(name="audits", about="Look at what may have changed.", every_s=300, run=audits)
        yield Job(
            name="claims", about="Draw candidates from summaries and handoffs; take in what is declared low in risk.",
            every_s=3600, run=self._claims, can_be_tried=True, undo=self._claims_undone,
        )  # fmt: skip
        yield Job(
            name="sweep", about="Let memories fade, rest and go, as retention says.", every_s=3600, run=sweep.run,
            can_be_tried=True, undo=sweep.undo,
        )  # fmt: skip
        yield Job(
            name="dream", about="Think over what is remembered, as dream_passes says.", every_s=600,
            run=lambda turn: told_of(self.dreaming.run(turn)), can_be_tried=True, undo=self.dreaming.undo_since,
            heavy=True, sooner=self._session_ended,
        )  # fmt: skip
        yield Job(
            name="backup", about="Copy the palace file into its folder of backups, and drop the oldest copy.",
            every_s=round(self.care_rules.backup_every_h * 3600), run=copy,
        )  # fmt: skip
        yield Job(name="health", about="Look how the palace is.", every_s=60, run=health)

    def _session_ended(self, since_us: int) -> bool:
        """Whether a session ended since a moment: what it said is thought over then."""
        return any(
            one.changed_us > since_us for one in self.store.slips.newest("session", None, state="ended", limit=1)
        )

    def made_ready(self) -> bool:
        """Reads a little of what ranking keeps about every memory, and asks something once all is read: whoever recalls
        first waits for nothing. Says whether there is more to read."""
        with self.store.reading(View()) as reading:
            if reading.search.prepare():
                return True
        self._recall.recall(Cue(text=ASKED_FIRST), View())
        return False

    @cached_property
    def dreaming(self) -> Dreaming:
        """The passes that think over what is remembered."""
        from palazzo.mind.dream import DREAM, Dreaming
        from palazzo.mind.passes import every_pass
        from palazzo.mind.probes import Prober

        def asked(cue: str, scope: Scope, rest: Callable[[], object]) -> list[UUID]:
            found = self._recall.recall(Cue(text=cue, limit=10), View(subject=DREAM, scope=scope), rest=rest)
            return [hit.memory.id for hit in found.hits]

        def chosen() -> tuple[str, float]:
            return self.care().dream_passes, self.care().dream_drop

        purge = partial(self._purge, subject=DREAM)
        passes = every_pass(self.store, self.zone, lambda: self.dream_completer())
        return Dreaming(self.store, passes, Prober(self.store, asked), chosen, purge)

    @cached_property
    def trees(self) -> Trees:
        """What is known, as a tree for each reader."""
        from palazzo.mind.tree import Trees

        return Trees(self.store)

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
        level, lately = self.watch.findings()
        around = health.Surroundings(
            self.folder, self.jobs.every(), tuple(self.recalls_ms), why, unused, self.pressure.level(),
            self.pressure.budget, lately if level != "good" else "",
        )  # fmt: skip
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
        desk = self.beliefs.claims(view, subject=LANE)
        reads = lambda text, scope: self.intake.stated(Message(text=text, author=LANE, scope=scope))  # noqa: E731
        drawn = desk.would_draw(found, reads, turn.limit) if turn.dry else len(desk.draw(found, reads, turn.limit))
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
                if not turn.dry:
                    lane.accept(one)
                accepted += 1
        return JobReport({"drawn": drawn, "accepted": accepted})

    def _claims_undone(self, since_us: int, subject: str) -> JobReport:
        from palazzo.belief.claims import LANE, ClaimLane
        from palazzo.mind.jobs import JobReport

        return JobReport(ClaimLane(self.store, View(subject=LANE), frozenset()).undo(since_us, subject))

    @cached_property
    def settling(self) -> Settle:
        """The pass that reads what a batch told beside what it may change."""
        from palazzo.mind.settling import Settle

        return Settle(self.store, self.intake.settler.settle)
