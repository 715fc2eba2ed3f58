"""The dream: passes that each look over the palace and propose steps, run one after the other, measured and undoable.

Owns what a pass is, which of them run, the account of a run, the check before and after it, and how a run is taken
back. What a pass finds is the pass's own. Invariants: a dry run writes nothing; a step is one commit, under the name of
its pass, so a run that was killed has done whole steps and the next one adopts them; a report holds ids, figures and
reasons, never content, so there is nothing in it to erase; what a run did is taken back from the journal alone; a run
that makes recall worse takes itself back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, Literal, Protocol, TypeVar
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.errors import Conflict, InvalidInput, NotFound, PalazzoError
from palazzo.mind.jobs import JobReport, JobTurn
from palazzo.mind.probes import AT_ONCE, KEYS_AT_ONCE, Check, Checked, Prober, Rest, followed, read_newest
from palazzo.model.capability import AddPacket, DropPacket, MovePacket, Packet, PacketState, View
from palazzo.model.change import Change, Event, RemoveEdge, SetDeprecated, SetKeeping, SetState
from palazzo.model.graph import EDGE_KINDS, Node
from palazzo.model.ids import new_id
from palazzo.model.memory import STATES, Memory
from palazzo.store.api import Filter, Reading, Store

DREAM: Final = "dream"
AUTHOR: Final = "mind:"
"""How the subjects of passes begin."""
PassMode = Literal["off", "on", "propose"]
MODES: Final[tuple[PassMode, ...]] = ("off", "on", "propose")
GIVES_UP: Final = "deprecate"
"""What a step does that gives a memory up."""
StepState = Literal["planned", "made", "proposed", "held back", "failed", "over"]
TAIL: Final = 1_000
REPORTS: Final = 200
PROPOSALS: Final = 20
"""Reports that are kept at most, and among them those nobody decided about."""
T = TypeVar("T")
SEEN_ALL: Final = View(subject=DREAM, all_scopes=True)
"""What passes read: every scope, and nothing that is sealed or in a vault."""


class DreamStep(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing a pass would do: of which memories, and why. The first memory is the one whose words it is told by.

    `over`: it was due no longer when its turn came.
    """

    of: str
    does: str
    about: tuple[UUID, ...]
    why: str
    figure: float = 0.0
    made: tuple[UUID, ...] = ()
    hides: tuple[UUID, ...] = ()
    """Memories that are no longer found beside what was made of them or stands in their place."""
    state: StepState = "planned"
    note: str = ""
    field: str = ""
    """What a question is about, of what a pass asks about."""

    @property
    def shown(self) -> tuple[UUID, ...]:
        """What is found in place of what it hides: what was made, or the first of those it is about."""
        return self.made or self.about[:1]

    @property
    def given_up(self) -> tuple[UUID, ...]:
        """What it gives up on purpose: whether that is still found is no question."""
        return self.about[:1] if self.does == GIVES_UP else ()


class DreamTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A pass's turn: how many steps at most, what came since when, and whether to go on."""

    limit: int
    since_us: int
    now_us: int
    goes_on: Callable[[str, int, int], bool] = lambda *_: True
    ratio: float = 0.5
    """The share of what is looked at that may be given up."""
    allow_published: bool = False
    completed: str = ""
    """The project that is over, where one is."""
    read: list[dict[int, Memory]] = msgspec.field(default_factory=list)

    def each(self, name: str, some: Iterable[T], at_once: int = AT_ONCE) -> Iterator[T]:
        """Things one by one for a pass, a few at a time: whoever calls meanwhile goes first. Ends when the run does."""
        for at, one in enumerate(some):
            if at % at_once == 0 and not self.goes_on(name, at, 0):
                return
            yield one

    def newest(self, name: str, reading: Reading, wanted: Filter, limit: int) -> dict[int, Memory]:
        """The newest memories that pass a filter, by their revisions, read a few at a time."""
        found: dict[int, Memory] = {}
        self.read.append(found)
        for few in read_newest(reading, wanted, limit, lambda: self.goes_on(name, len(found), 0)):
            found.update(few)
        return found

    def let_go(self, name: str) -> None:
        """Lets go of what was read, a few at a time: of ten thousand at once takes as long as two recalls."""
        for found in self.read:
            for _ in self.each(name, range(len(found)), KEYS_AT_ONCE):
                found.popitem()


class DreamPass(Protocol):
    """One pass: reads the palace, says what it would do, and how each step is written."""

    name: str
    about: str
    mode: PassMode
    """What it does unless a setting says otherwise."""
    touches: bool
    """Whether recall may find other things after it: only then is a run checked."""

    def plan(self, turn: DreamTurn) -> Sequence[DreamStep]:
        """What it would do now, best first. Reads only."""

    def changes(self, step: DreamStep) -> Sequence[Change]:
        """What a step writes, made from the memories as they are now; nothing when it is no longer due."""


class DreamWanted(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of a run: which passes (empty: as the settings say), how much at most may be given up."""

    passes: tuple[str, ...] = ()
    ratio: float = 0.5
    allow_published: bool = False
    completed: str = ""
    """A project that is over: what proved good in it is for everybody."""


class DreamReport(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The account of a run: what it read, what each step did or would do, and what the check found."""

    id: UUID
    at_us: int
    state: PacketState
    modes: Mapping[str, PassMode] = {}
    steps: tuple[DreamStep, ...] = ()
    checked: Checked | None = None
    notes: tuple[str, ...] = ()
    events: int = 0
    first_seq: int = 0
    last_seq: int = 0
    took_ms: int = 0
    dry: bool = False
    proposal: UUID | None = None
    """The report that has what is proposed, if something is."""


class _ReadTo(msgspec.Struct, frozen=True):
    """Of a report only how far it goes."""

    last_seq: int = 0


class Dreaming:
    """The passes over one palace."""

    def __init__(
        self, store: Store, passes: Sequence[DreamPass], prober: Prober, chosen: Callable[[], tuple[str, float]],
        purge: Callable[[Sequence[UUID]], int],
    ) -> None:  # fmt: skip
        """`chosen` gives the settings of the passes and the points of answer@10 a run may cost; `purge` erases."""
        self._store = store
        self._passes = {one.name: one for one in passes}
        self._authors = frozenset(AUTHOR + name for name in self._passes)
        self._prober = prober
        self._chosen = chosen
        self._purge = purge

    @property
    def passes(self) -> tuple[DreamPass, ...]:
        """Every pass, in the order they run."""
        return tuple(self._passes.values())

    def modes(self) -> dict[str, PassMode]:
        """What each pass does: as the setting says, else its own default.

        Raises: InvalidInput for a setting that names no pass or no mode.
        """
        return {name: one.mode for name, one in self._passes.items()} | self._given(self._chosen()[0])

    def _given(self, setting: str) -> dict[str, PassMode]:
        found: dict[str, PassMode] = {}
        for part in filter(None, (one.strip() for one in setting.split(","))):
            name, _, told = (word.strip() for word in part.partition("="))
            mode = next((one for one in MODES if one == told), None)
            if name not in self._passes or mode is None:
                raise InvalidInput(
                    f"dream_passes says {part!r}", field="dream_passes",
                    hint=f"PASS=MODE, of {', '.join(self._passes)} and {', '.join(MODES)}",
                )  # fmt: skip
            found[name] = mode
        return found

    def wanted(self, wanted: DreamWanted) -> dict[str, PassMode]:
        """The passes of a run: those that are named do what they can, whatever the setting says but for propose.

        Raises: InvalidInput.
        """
        modes = self.modes()
        unknown = [name for name in wanted.passes if name not in modes]
        if unknown:
            raise InvalidInput(f"no pass {unknown[0]!r}", field="passes", hint=f"one of {', '.join(modes)}")
        if wanted.passes:
            return {name: "on" if modes[name] == "off" else modes[name] for name in modes if name in wanted.passes}
        return {name: mode for name, mode in modes.items() if mode != "off"}

    def run(self, turn: JobTurn, wanted: DreamWanted = DreamWanted()) -> DreamReport:
        """One dream; a dry one only tells.

        Raises: InvalidInput, StorageError.
        """
        modes = self.wanted(wanted)
        began_us = self._store.clock.now_us()
        if self._store.journal.last_seq() == self._store.journal.cursor(DREAM) and not (turn.dry or wanted.passes):
            modes = {}  # nothing was written since: there is nothing to think about
        adopted = () if turn.dry else self._adopt(turn.goes_on)
        cursor, last = self._read_until(), self._store.journal.last_seq()
        made = DreamReport(
            id=new_id(began_us), at_us=began_us, state="made", modes=modes, first_seq=last, last_seq=last,
            events=last - cursor, dry=turn.dry, notes=adopted,
        )  # fmt: skip
        check = Check(self._prober, turn.goes_on)
        steps: list[DreamStep] = []
        for name, mode in modes.items():
            if not turn.goes_on(name, len(steps), 0):
                break
            one = self._passes[name]
            planned = self._planned(one, turn, wanted)
            if planned and mode == "on" and one.touches and not turn.dry:
                check.begin()
            steps += self._steps(one, mode, turn, planned)
        made = replace(made, steps=tuple(steps), last_seq=self._store.journal.last_seq())
        if held := sum(step.state == "held back" for step in steps):
            made = replace(
                made, notes=(*made.notes, f"warning: {held} were held back, too much would be given up at once")
            )
        if turn.dry:
            return replace(made, took_ms=self._took(began_us))
        made = self._checked(made, check.end(steps))
        turn.goes_on()
        return self._kept(replace(made, took_ms=self._took(began_us)))

    def _took(self, began_us: int) -> int:
        return max(0, self._store.clock.now_us() - began_us) // 1000

    def _planned(self, one: DreamPass, turn: JobTurn, wanted: DreamWanted) -> Sequence[DreamStep]:
        since_us = 0 if turn.dry or wanted.passes else self._since_us()
        own = DreamTurn(
            limit=turn.limit, since_us=since_us, now_us=self._store.clock.now_us(), goes_on=turn.goes_on,
            ratio=wanted.ratio, allow_published=wanted.allow_published, completed=wanted.completed,
        )  # fmt: skip
        planned = one.plan(own)[: turn.limit]
        own.let_go(one.name)
        return planned

    def _steps(
        self, one: DreamPass, mode: PassMode, turn: JobTurn, planned: Sequence[DreamStep]
    ) -> Iterator[DreamStep]:
        """What a pass plans, done, proposed or only told; nothing that is proposed already is proposed again."""
        waiting = self._waiting(turn.goes_on) if mode == "propose" and planned and not turn.dry else ()
        for step in planned:
            if turn.dry or step.state != "planned":
                yield step
            elif mode == "propose":
                if (step.of, step.does, frozenset(step.about)) not in waiting:
                    yield replace(step, state="proposed")
            elif turn.goes_on(one.name, 0, len(planned)):
                yield self._done(one, step, turn.goes_on)

    def _done(self, one: DreamPass, step: DreamStep, rest: Rest = lambda: True) -> DreamStep:
        """A step carried out; one that fails fails alone."""
        try:
            changes = one.changes(step)
            if not changes:
                return replace(step, state="over", note="no longer due")
            rest()
            self._store.commit(list(changes), subject=AUTHOR + one.name)
            followed(self._store, rest)
        except PalazzoError as error:
            return replace(step, state="failed", note=f"{error.message} ({error.code})")
        return replace(step, state="made")

    def _checked(self, made: DreamReport, found: Checked) -> DreamReport:
        """The report with the check; a run that made recall worse is taken back here."""
        made = replace(made, checked=found)
        allowed = self._chosen()[1]
        if not found.lost and found.before - found.after <= allowed / 100 + 1e-9:
            return made
        self._take_back(made.first_seq, made.last_seq, DREAM)
        lost = f"{len(found.lost)} memories that somebody pinned or vouched for were lost"
        why = lost if found.lost else "answers were lost"
        return replace(made, state="rolled_back", notes=(*made.notes, f"taken back: {why} ({found.words})"))

    def _kept(self, made: DreamReport, *decided: MovePacket) -> DreamReport:
        """Writes the report down, unless there is nothing to tell, and moves the cursor.

        What is proposed has a report of its own: it is decided about by itself, whatever becomes of the rest.
        """
        proposed = tuple(one for one in made.steps if one.state == "proposed")
        done = tuple(one for one in made.steps if one.state != "proposed")
        kept = [replace(made, steps=done)] if done or made.notes else []
        if proposed:
            made = replace(made, proposal=new_id(made.at_us))
            own = replace(made, id=made.proposal or made.id, state="proposed", steps=proposed, checked=None, notes=())
            kept = [*(replace(one, proposal=made.proposal) for one in kept), own]
        self._write(kept, *decided)
        self._store.journal.move_cursor(DREAM, self._store.journal.last_seq(), self._store.clock.now_us())
        return made

    def _write(self, reports: Sequence[DreamReport], *decided: MovePacket) -> None:
        packets = [
            Packet(id=one.id, kind="dream", subject=DREAM, state=one.state, told=msgspec.json.encode(one).decode())
            for one in reports
        ]
        if packets:
            gone = map(DropPacket, self._outlived())
            self._store.commit([*decided, *map(AddPacket, packets), *gone], subject=DREAM)

    def _outlived(self) -> Iterator[UUID]:
        """Reports that nobody will ask for: the oldest of many, and proposals that many others came after."""
        found = self._store.guarding.packets("dream", limit=TAIL)
        waiting, decided = ([one for one in found if (one.state == "proposed") is open_] for open_ in (True, False))
        yield from (one.id for one in (*waiting[PROPOSALS:], *decided[REPORTS:]))

    def reports(self, limit: int = 20) -> tuple[DreamReport, ...]:
        """The reports there are, newest first; only those that are told are read, for one of many steps is long."""
        found = sorted(self._store.guarding.packets("dream", limit=200), key=lambda one: one.id, reverse=True)
        return tuple(_report(one) for one in found[:limit])

    def report(self, report_id: UUID) -> DreamReport:
        """One report by its id.

        Raises: NotFound.
        """
        found = self._store.guarding.packet(report_id)
        if found.kind != "dream":
            raise NotFound(f"no dream {report_id}", hint="see `palazzo dreams`")
        return _report(found)

    def _since_us(self) -> int:
        """When the newest thing that earlier dreams read was written; 0 before the first one."""
        cursor = self._store.journal.cursor(DREAM)
        found = self._store.journal.tail(cursor - 1, 1) if cursor else ()
        return found[0].at_us if found else 0

    def _read_until(self) -> int:
        newest = self._store.guarding.packets("dream", limit=20)
        read = (msgspec.json.decode(one.told, type=_ReadTo).last_seq for one in newest)
        return max(self._store.journal.cursor(DREAM), *read, 0)

    def _waiting(self, rest: Rest) -> set[tuple[str, str, frozenset[UUID]]]:
        """What is proposed already and nobody decided about, read one report at a time."""
        found: set[tuple[str, str, frozenset[UUID]]] = set()
        for one in self._store.guarding.packets("dream", limit=200):
            if one.state == "proposed":
                rest()
                found |= {(step.of, step.does, frozenset(step.about)) for step in _report(one).steps}
        return found

    def apply(self, report_id: UUID, subject: str) -> DreamReport:
        """Does what a report proposes, as far as it is still due, with the same check.

        Raises: NotFound, Conflict when it proposes nothing any more.
        """
        found = self.report(report_id)
        if found.state != "proposed":
            raise Conflict(f"it is {found.state} and proposes nothing", hint="see `palazzo dreams`")
        adopted = self._adopt()
        began_us, first = self._store.clock.now_us(), self._store.journal.last_seq()
        check = Check(self._prober)
        check.begin()
        steps = [self._done(self._passes[step.of], step) for step in found.steps]
        made = DreamReport(
            id=new_id(began_us), at_us=began_us, state="made", modes=found.modes, steps=tuple(steps), first_seq=first,
            last_seq=self._store.journal.last_seq(), notes=(*adopted, f"as {report_id} proposed, for {subject}"),
        )  # fmt: skip
        made = self._checked(made, check.end(steps))
        state: PacketState = "accepted" if made.state == "made" else "rejected"
        return self._kept(replace(made, took_ms=self._took(began_us)), MovePacket(report_id, state, found.state))

    def undo(self, report_id: UUID, subject: str) -> JobReport:
        """Takes back what a run did.

        Raises: NotFound, Conflict when there is nothing to take back.
        """
        found = self.report(report_id)
        if found.state != "made":
            raise Conflict(f"it is {found.state}", hint="only a run that was made is taken back")
        counts = self._take_back(found.first_seq, found.last_seq, subject)
        self._store.commit([MovePacket(report_id, "undone", found.state)], subject=subject)
        return JobReport(counts)

    def prune(self, name: str, subject: str) -> dict[str, int]:
        """Takes back everything one pass ever did, in every run.

        Raises: InvalidInput.
        """
        if name not in self._passes:
            raise InvalidInput(f"no pass {name!r}", field="pass", hint=f"one of {', '.join(self._passes)}")
        return self._take_back(0, self._store.journal.last_seq(), subject, frozenset({AUTHOR + name}))

    def undo_since(self, since_us: int, subject: str) -> JobReport:
        """Takes back every run since a moment, the newest first."""
        counts: dict[str, int] = {}
        for one in self.reports(200):
            if one.at_us >= since_us and one.state == "made":
                for name, count in self.undo(one.id, subject).counts.items():
                    counts[name] = counts.get(name, 0) + count
        return JobReport(counts)

    def _adopt(self, rest: Rest = lambda: True) -> tuple[str, ...]:
        """Writes a report of what a run that was cut off had done, so that it can be taken back."""
        first = self._read_until()
        events = [event for event in self._events(first, None, rest) if event.subject in self._authors]
        if not events:
            return ()
        now_us = self._store.clock.now_us()
        cut = DreamReport(
            id=new_id(now_us), at_us=now_us, state="made", first_seq=first, last_seq=events[-1].seq,
            notes=("a run before this one was cut off; what it had done is whole, and this report takes it back",),
        )  # fmt: skip
        self._write([cut])  # and the cursor stays: what that run left is this one's
        return (f"a run before this one was cut off: see {cut.id}",)

    def _events(self, first: int, last: int | None, rest: Rest = lambda: True) -> Iterator[Event]:
        while found := self._store.journal.tail(first, KEYS_AT_ONCE):
            rest()
            for event in found:
                if last is not None and event.seq > last:
                    return
                yield event
            first = found[-1].seq

    def _take_back(self, first: int, last: int, subject: str, by: frozenset[str] = frozenset()) -> dict[str, int]:
        """The opposite of every change the passes (or some) made in a stretch of the journal, in the opposite order."""
        done = [event for event in self._events(first, last) if event.subject in (by or self._authors)]
        placed = [event.memory_id for event in done if event.kind == "memory_placed" and event.memory_id is not None]
        made = [one for one in placed if self._store.lives.fading(one) is not None]
        counts = {"restored": 0, "unlinked": 0, "removed": 0, "closed": 0}
        for event in reversed(done):
            change, what = self._opposite(event, frozenset(placed))
            if change is not None:
                with suppress(NotFound, Conflict):
                    self._store.commit([change], subject=subject)
                    counts[what] += 1
        if made:
            counts["removed"] = self._purge(made)
        return counts

    def _opposite(self, event: Event, made: frozenset[UUID]) -> tuple[Change | None, str]:
        memory_id, detail = event.memory_id, event.detail
        if event.kind == "packet_added" and detail:
            found = self._store.guarding.packet(UUID(detail["packet"]))
            return (MovePacket(found.id, "closed", found.state) if found.state == "open" else None), "closed"
        if memory_id is None or memory_id in made:
            return None, ""
        if event.kind in ("state_changed", "memory_forgotten", "memory_restored") and detail:
            before = next(one for one in STATES if one == detail["from"])
            fading = self._store.lives.fading(memory_id)
            same = fading is not None and fading.state == detail["to"]
            return (SetState(memory_id, before, "undone") if same else None), "restored"
        if event.kind == "memory_deprecated":
            return SetDeprecated(memory_id, False, "undone"), "restored"
        if event.kind == "keeping_set" and detail and "before" in detail:
            return SetKeeping(memory_id, durability=detail["before"]), "restored"
        if event.kind == "edge_added" and detail:
            kind = next(one for one in EDGE_KINDS if one == detail["kind"])
            return RemoveEdge(kind, Node(memory_id, event.revision), Node(UUID(detail["target"]))), "unlinked"
        return None, ""


def _report(found: Packet) -> DreamReport:
    return replace(msgspec.json.decode(found.told, type=DreamReport), state=found.state)
