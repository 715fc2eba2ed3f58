"""The pipeline: ten stages in order, then one commit. Every way into a palace runs it.

Read, think, then write: candidates are read before the transaction, models are asked outside it, and the commit carries
the revision numbers that were seen. When somebody else was faster, what was read is read again and weighed again.
Invariant: a call is written as a whole or not at all, and its result accounts for every stretch of every message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.archive import Archive, ArchivedCall, Written
from palazzo.errors import (
    Conflict,
    CycleRefused,
    NotFound,
    NotPermitted,
    PalazzoError,
    Refused,
    StorageError,
    VersionConflict,
)
from palazzo.intake.assemble import Assembled, assemble, unconditional, uncrossed
from palazzo.intake.changed import FEW
from palazzo.intake.extract import VectorSource, anticipate, embed, extract, judge, recognise
from palazzo.intake.known import Known
from palazzo.intake.later import CHUNK, SUBJECT, as_kept, heard_now, may_wait, next_waiting, undisturbed
from palazzo.intake.restore import Origin, Restored, RestoreRules, prepare, settle
from palazzo.intake.screen import Desk, admit, digest, refusals, screen
from palazzo.intake.settling import Settler
from palazzo.intake.split import split
from palazzo.intake.structured import hear
from palazzo.intake.thread.answered import complete
from palazzo.intake.thread.asked import carry_out
from palazzo.intake.thread.corrected import put_right, remind
from palazzo.intake.thread.moved import carry
from palazzo.intake.values import Asserted, Draft, Foresight, IntakeResult, Lost, Policy
from palazzo.intake.weigh import Scales, Weighed, as_it_is, weigh
from palazzo.model.address import PlaceGlob, name_for
from palazzo.model.belief import Decide, ExpectHeld
from palazzo.model.capability import CAPTURE_PAUSED, EVERYWHERE, View
from palazzo.model.change import AddRevision, Change, CloseIntake, LinkProvenance, PlaceMemory, Receipt, SetState
from palazzo.model.graph import LinkKind, NodeKind, ProvenanceEdge, ProvenanceNode
from palazzo.model.ids import new_id
from palazzo.model.message import Intake, Letter, Manner, Message
from palazzo.model.record import Record
from palazzo.model.scope import Scope
from palazzo.ports import Clock, Completer
from palazzo.store.api import Store
from palazzo.text.reader import judgements
from palazzo.text.safety import gate

RETRY_WINDOW_US = 60_000_000
ATTEMPTS = 5
NOTHING = Receipt(0, 0, 0)
CAPTURE_SOURCES: frozenset[NodeKind] = frozenset({"file", "command", "app_activation", "capture"})
"""What is taken in without anybody saying so; an operator can pause it."""
SAID: frozenset[NodeKind] = frozenset({"conversation", "message"})


Surroundings = tuple[tuple[LinkKind, ProvenanceNode], ...]
"""Happenings, and how they bear on what was said meanwhile."""
JUST_NOW_US = 300_000_000
"""What was told longer ago is not said to have been told amid what goes on now."""


class _Thought(msgspec.Struct, frozen=True):
    """A batch after the stages that need no store: what to weigh, what was lost, and what was missing."""

    letters: list[Letter]
    drafts: list[Draft]
    lost: list[Lost]
    degraded: tuple[str, ...]
    reach: tuple[PlaceGlob, ...] = EVERYWHERE
    asked: tuple[Change, ...] = ()
    """What was asked of the memory itself."""
    withheld: frozenset[int] = frozenset()
    around: Mapping[int, Surroundings] = {}
    """What was going on when a letter was told, by its number."""


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """What a pipeline may have beside its store: rules of its own, an archive, a language model."""

    policy: Policy = Policy()
    archive: Archive | None = None
    archiving: bool = True
    """Whether what is taken in goes to the archive; one that is there is erased from all the same."""
    completer: Completer | None = None
    lent: Callable[[], Completer | None] = lambda: None
    """A model lent for one call, asked for where there is none of the palace's own."""
    around: Callable[[Scope, int, str], Surroundings] = lambda _scope, _at_us, _subject: ()
    """What was going on around a moment, for whoever tells something then."""


class Pipeline:
    """Takes messages into one palace."""

    def __init__(
        self, store: Store, clock: Clock, vectors: VectorSource, decide: Decide, parts: Parts = Parts()
    ) -> None:
        """`decide` is the word of the beliefs on two statements that disagree."""
        self._store = store
        self._clock = clock
        self._vectors = vectors
        self._decide = decide
        self._policy = parts.policy
        self._archive = parts.archive
        self._archiving = parts.archiving
        self._completer = parts.completer
        self._lent = parts.lent
        self._around = parts.around

    @property
    def archiving(self) -> bool:
        """Whether what is taken in goes to the archive."""
        return self._archiving

    @property
    def settler(self) -> Settler:
        """What decides the pairs of a memory that was written and not read beside others."""
        return Settler(self._store, self._decide, self._policy, self._vectors)

    @property
    def archive(self) -> Archive | None:
        """Where what is told is kept word for word, if anywhere."""
        return self._archive

    @undisturbed()
    def take(
        self, messages: Sequence[Message], manner: Manner, *, subject: str = "operator",
        reach: tuple[PlaceGlob, ...] = EVERYWHERE, later: bool = False,
    ) -> IntakeResult:  # fmt: skip
        """Takes in a batch of messages in one transaction; only what stands within `reach` may be changed by it. With
        `later`, turns and verbatim texts of more than a few messages are kept now and understood by a pass.

        Raises: InvalidInput, NotPermitted, StorageError: then nothing is written. Refused when nothing of what was to
        be remembered may be stored.
        """
        now_us = self._clock.now_us()
        self._refuse_paused(messages)
        desk = Desk(manner, self._policy, self._store.kinds, now_us)
        screened, _ = screen(admit([self._named(message) for message in messages], desk))
        digests = self._digests(screened)
        repeated = self._repeated(screened, digests, now_us)
        letters = [letter for letter in screened if letter.number not in repeated]
        if manner == "remember" and letters and all(letter.wholly for letter in letters) and not repeated:
            reason = letters[0].barred[0][2]
            raise refused(f"nothing of this may be stored: {reason}", reason)
        stored = tuple(letter for letter in letters if not letter.wholly)
        unsealed = self._unsealed(stored)
        call = ArchivedCall(id=new_id(now_us), subject=subject, made_us=now_us, letters=())
        if later and len(letters) > FEW and not heard_now(letters, self._store, reach):
            thought = self._keep(letters, call.id, reach)
        else:
            thought = self._think(letters, refusals(letters), reach)
        thought = replace(thought, around=self._amid(stored, now_us, subject))
        call = replace(call, letters=tuple(letter for letter in stored if letter.number not in thought.withheld))
        made, receipt, degraded = self._archived(call, thought, digests)
        notes = dict.fromkeys((*thought.degraded, *degraded, *(receipt.notes or unsealed)))
        return _result(len(messages), made, repeated, receipt, tuple(notes))

    @undisturbed()
    def understand(self, limit: int = CHUNK) -> int:
        """Reads the oldest letters of one call that were kept first, in one transaction; how many these were.

        What cannot be written by itself stays as it was kept. Raises: StorageError.
        """
        for _ in range(ATTEMPTS):
            batch = next_waiting(self._store, limit)
            if batch is None:
                return 0
            thought = self._think(batch.letters, refusals(batch.letters), batch.reach)
            try:
                self._commit(replace(thought, asked=(*thought.asked, *batch.closed)), {}, SUBJECT)
            except StorageError:
                raise
            except PalazzoError:
                if limit == 1 and batch.letters and batch.letters[0].kept is not None:
                    self._store.commit([CloseIntake(intake_id=batch.letters[0].id)], subject=SUBJECT)
                    return 1
                limit = 1
            else:
                return batch.count
        return 0

    def foresee(self, messages: Sequence[Message], manner: Manner) -> Foresight:
        """What would become of messages, message by message, without taking them in.

        Raises: InvalidInput, NotPermitted.
        """
        now_us = self._clock.now_us()
        desk = Desk(manner, self._policy, self._store.kinds, now_us)
        letters, _ = screen(admit([self._named(one) for one in messages], desk))
        repeated = self._repeated(letters, self._digests(letters), now_us)
        return Foresight(
            repeated=tuple(sorted(repeated)),
            refused={letter.number: letter.barred[0][2] for letter in letters if letter.wholly},
        )

    def read(self, message: Message) -> Asserted:
        """What a text asserts, as taking it in would read it without a model; nothing is written.

        Raises: InvalidInput, NotPermitted while intake is paused; Refused when part of it may not be stored.
        """
        desk = Desk("remember", self._policy, self._store.kinds, self._clock.now_us())
        (letter,), _ = screen(admit([message], desk))
        if letter.barred:
            raise refused(f"this may not be stored: {letter.barred[0][2]}", letter.barred[0][2])
        drafts, _ = judge(split([letter])[0])
        found = [draft for draft in extract(drafts) if not draft.whole]
        atoms = tuple(dict.fromkeys(atom for draft in found for atom in draft.findings.atoms))
        return Asserted(text=letter.text, atoms=atoms, kind=found[0].kind if found else "fact")

    def stated(self, message: Message) -> Asserted | None:
        """What a text asserts; None when it may not be stored, or is of use for hours only.

        Raises: InvalidInput, NotPermitted while intake is paused.
        """
        try:
            found = self.read(message)
        except Refused:
            return None
        return None if found.kind in ("transient", "context") else found

    def _amid(self, letters: Sequence[Letter], now_us: int, subject: str) -> dict[int, Surroundings]:
        """What was going on when each letter was told, of those that were told just now."""
        told = [one for one in letters if one.message.source in SAID and now_us - one.at_us < JUST_NOW_US]
        moments = {(one.message.scope, one.at_us) for one in told}  # most of a batch are of one
        then = {(scope, at_us): self._around(scope, at_us, subject) for scope, at_us in moments}
        found = {one.number: then[one.message.scope, one.at_us] for one in told}
        return {number: around for number, around in found.items() if around}

    def _refuse_paused(self, messages: Sequence[Message]) -> None:
        """Capture that an operator paused is refused before anything of it is read.

        Raises: NotPermitted.
        """
        captured = any(message.source in CAPTURE_SOURCES for message in messages)
        if captured and CAPTURE_PAUSED in self._store.guarding.policies():
            raise NotPermitted("capture is paused", hint="the operator resumes it with `palazzo resume`")

    def restore(
        self, records: Sequence[Record], origin: Origin, *, subject: str = "operator", dry_run: bool = False
    ) -> Restored:
        """Takes in memories of another palace, in one transaction. What is there is never changed.

        Raises: NotPermitted, Conflict, StorageError: then nothing is written.
        """
        rules = RestoreRules(self._policy, self._store.kinds, self._clock.now_us(), origin)
        settled = settle(prepare(records, rules, self._vectors), records, self._store)
        if settled.changes and not dry_run:
            self._store.commit(settled.changes, subject=subject)
        return settled.result

    def _digests(self, letters: Sequence[Letter]) -> dict[int, bytes]:
        """By which a message sent twice is known; that of a guarded one says nothing without the key."""
        cipher = self._store.cipher
        found = {letter.number: digest(letter) for letter in letters}
        if cipher is not None:
            found |= {one.number: cipher.mark(found[one.number]) for one in letters if one.tier != "clear"}
        return found

    def _unsealed(self, letters: Sequence[Letter]) -> tuple[str, ...]:
        """Says that guarded text is kept in clear, for there is no key; before the archive has it.

        Raises: Refused when that is not allowed.
        """
        tiers = {letter.tier for letter in letters}
        return gate.unsealed(tiers, keyed=self._store.cipher is not None, required=self._store.requires_sealing)

    def _named(self, message: Message) -> Message:
        """A message whose name may be in an address; what is imported goes without the one it brings. Whose it is may
        be told, before the archive has it.

        Raises: Refused.
        """
        gate.refuse_scope(message.scope)
        if message.name and name_for(message.name) != message.name:
            message = replace(message, name=name_for(message.name), title=message.title or message.name)
        try:
            gate.refuse_open((message.title or message.name,), "a name", keyed=self._store.cipher is not None)
        except Refused:
            if not message.imported:
                raise
            return replace(message, name="", title="")
        return message

    @property
    def store(self) -> Store:
        """The palace it takes in for."""
        return self._store

    def keep_told(self, call: ArchivedCall) -> None:
        """Keeps in the archive what was told, when what it became is written by other means.

        Raises: StorageError.
        """
        if self._archive is not None and self._archiving:
            self._archive.append(call).wait()

    def replay(self, call: ArchivedCall) -> IntakeResult:
        """Takes in a call of the archive again: screening happened when it was first told.

        Raises: StorageError.
        """
        digests = self._digests(call.letters)
        thought = self._think(list(call.letters), refusals(call.letters))
        made, receipt, _ = self._archived(call, thought, digests)
        return IntakeResult(
            memory_ids=made.memory_ids, intakes=tuple(made.intakes), receipt=receipt, degraded=thought.degraded
        )

    def _archived(
        self, call: ArchivedCall, thought: _Thought, digests: dict[int, bytes]
    ) -> tuple[Assembled, Receipt, tuple[str, ...]]:
        """Commits with the archive written before and synced after it; an archive that fails is told, not raised."""
        written: Written | None = None
        degraded: tuple[str, ...] = ()
        if self._archive is not None and self._archiving and call.letters:
            try:
                written = self._archive.append(call)
            except StorageError as error:
                degraded = (f"archive: {error.message}",)
        try:
            made, receipt = self._commit(thought, digests, call.subject)
        except PalazzoError:
            if written is not None and self._archive is not None:
                written.wait()
                self._archive.void(call)
            raise
        if written is not None:
            try:
                written.wait()
            except StorageError as error:
                degraded = (f"archive: {error.message}",)
        return made, receipt, degraded

    def explain(self, view: View, asked: UUID) -> tuple[Intake, ...]:
        """What became of a message (by the id of its intake), or of every message behind a memory.

        Raises: NotFound.
        """
        with self._store.reading(view) as reading:
            try:
                return (reading.intakes.get(asked),)
            except NotFound:
                return reading.intakes.of_memory(asked)

    def _repeated(self, letters: Sequence[Letter], digests: dict[int, bytes], now_us: int) -> dict[int, Intake]:
        """Messages that were taken in less than a minute ago, word for word: somebody retried.

        If what they became was forgotten or revised since, they are told anew. An entry of a file is the same whenever
        it comes again.
        """
        window = now_us - RETRY_WINDOW_US
        fresh, imported = (
            self._store.accounts.repeated(
                [digests[one.number] for one in letters if one.message.imported is entry], us, unchanged=not entry
            )
            for entry, us in ((False, window), (True, 0))
        )
        found = {**fresh, **imported}
        return {one.number: found[digests[one.number]] for one in letters if digests[one.number] in found}

    def _keep(self, letters: Sequence[Letter], call: UUID, reach: tuple[PlaceGlob, ...]) -> _Thought:
        """What can wait as it was told, and the rest understood."""
        rest = [letter for letter in letters if not may_wait(letter)]
        now = self._think(rest, refusals(letters), reach)
        waiting, drafts = as_kept(filter(may_wait, letters), call, reach)
        drafts, pending = embed(drafts, self._vectors)
        degraded = dict.fromkeys((*now.degraded, *((f"vectors: {pending}",) if pending else ())))
        every = sorted((*now.letters, *waiting), key=lambda letter: letter.number)
        return replace(now, letters=every, drafts=[*now.drafts, *drafts], degraded=tuple(degraded))

    def _think(self, letters: list[Letter], lost: list[Lost], reach: tuple[PlaceGlob, ...] = EVERYWHERE) -> _Thought:
        heard = carry_out(letters, self._store, reach)
        letters, wrong = put_right(heard.letters, self._store, reach)
        letters, kept_back = complete(remind(letters, self._store, reach), self._store, reach)
        letters = carry(letters, self._store, reach)
        lost = [*lost, *heard.lost, *kept_back]
        drafts, dropped = split(letters)
        degraded: tuple[str, ...] = ()
        completer = self._completer or self._lent()
        if completer is not None:
            read = hear([one for one in letters if not one.unkept], (drafts, dropped), completer)
            drafts, dropped = read.drafts, read.lost
            degraded = (f"completer: {read.degraded}",) if read.degraded else ()
        drafts, verbatim = judge(drafts)
        drafts = anticipate(extract(drafts))
        drafts, pending = embed(drafts, self._vectors)
        degraded += (f"vectors: {pending}",) if pending else ()
        if lacking := judgements.missing():
            degraded += (f"change: rules alone, {lacking} are not installed",)
        gone = [*lost, *dropped, *verbatim]
        withheld = frozenset(heard.withheld | {one.number for one in kept_back})
        return _Thought(letters, drafts, gone, degraded, reach, (*heard.changes, *wrong), withheld)

    def _commit(self, thought: _Thought, digests: dict[int, bytes], subject: str) -> tuple[Assembled, Receipt]:
        fresh_names = crossing = False
        for attempt in range(ATTEMPTS):
            expected: list[Change] = []
            made = self._weighed(thought, digests, expected, fresh_names=fresh_names)
            if not made.changes:
                return made, NOTHING
            changes = [*expected, *made.changes]
            if attempt + 1 == ATTEMPTS and all(one.message.seen_revision is None for one in thought.letters):
                changes = unconditional(made.changes)
            if crossing:
                changes = uncrossed(changes)
            try:
                return made, self._store.commit(changes, subject=subject)
            except (VersionConflict, NotFound):
                if attempt + 1 == ATTEMPTS:
                    raise
            except CycleRefused:
                if crossing or attempt + 1 == ATTEMPTS:
                    raise
                crossing = True
            except Conflict:
                if fresh_names:
                    raise
                fresh_names = True
        raise AssertionError("unreachable")

    def _weighed(
        self, thought: _Thought, digests: dict[int, bytes], expected: list[Change], *, fresh_names: bool
    ) -> Assembled:
        """Weighs against what is held now; `expected` gets what must still be held when it is written."""
        scales = Scales(self._policy, self._store.kinds, self._clock.now_us(), self._decide, fresh_names)
        by_scope: dict[Scope, list[Draft]] = {}
        for draft in thought.drafts:
            by_scope.setdefault(draft.letter.message.scope, []).append(draft)
        weighed: list[Weighed] = []
        for scope, drafts in by_scope.items():  # one reading at a time: a batch may come from hundreds of scopes
            with self._store.reading(View(scope=scope, reach=thought.reach)) as reading:
                slots = self._slots(drafts)
                if slots:
                    expected.append(ExpectHeld(reading.view, slots, reading.beliefs.stands(slots)))
                told = recognise(drafts, reading, scope, self._vectors)
                forgotten = [one.memory_id for one in thought.asked if isinstance(one, SetState)]
                known = Known(self._store, reading, scope, forgotten)
                weighed += [as_it_is(draft) for draft in told if draft.kept]
                found = weigh([draft for draft in told if not draft.kept], known, scales)
                weighed += [self.settler.with_rest(one, reading) for one in found]
        made = assemble(thought.letters, weighed, thought.lost, digests)
        linked = [_linked(letter, made.changes, thought.around.get(letter.number, ())) for letter in thought.letters]
        return replace(made, changes=[*thought.asked, *made.changes, *filter(None, linked)])

    def _slots(self, drafts: list[Draft]) -> tuple[tuple[str, str], ...]:
        """The slots of the drafts that hold one value."""
        kinds = self._store.kinds
        found = {
            (atom.subject, atom.predicate)
            for draft in drafts
            for atom in draft.findings.atoms
            if atom.functional or kinds.get(draft.kind).holds_one(atom.predicate)
        }
        return tuple(sorted(found))


def refused(message: str, reason: str) -> Refused:
    """The refusal of a text, with what can be told instead."""
    if reason == "injection":
        return Refused(message, reason=reason)
    hint = "a secret belongs in a password manager: tell where it is kept, or what it is for, without the value"
    return Refused(message, reason=reason, hint=hint)


def _result(
    count: int, made: Assembled, repeated: dict[int, Intake], receipt: Receipt, degraded: tuple[str, ...]
) -> IntakeResult:
    fresh = iter(made.intakes)
    accounts = tuple(repeated[number] if number in repeated else next(fresh) for number in range(count))
    earlier = (fate.memory_id for intake in repeated.values() for fate in intake.fates if fate.memory_id)
    ids = tuple(dict.fromkeys((*earlier, *made.memory_ids)))
    return IntakeResult(
        memory_ids=ids, intakes=accounts, receipt=receipt, degraded=degraded, repeated=tuple(sorted(repeated)),
        pending=made.pending,
    )  # fmt: skip


def _linked(letter: Letter, changes: Sequence[Change], around: Surroundings) -> LinkProvenance | None:
    """Ties what was going on to what a letter became; None where nothing was, or it became nothing."""
    written = (one for one in changes if isinstance(one, PlaceMemory | AddRevision))
    if not around or not any(source.node.id == letter.id for one in written for source in one.attachments.sources):
        return None
    return LinkProvenance(
        edges=tuple(ProvenanceEdge(kind, letter.id, node.id) for kind, node in around),
        nodes=tuple(node for _, node in around),
    )
