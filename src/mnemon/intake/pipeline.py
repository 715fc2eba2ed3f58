"""The pipeline: ten stages in order, then one commit. Every way into a palace runs it.

Read, think, then write: candidates are read before the transaction, models are asked outside it, and the commit carries
the revision numbers that were seen. When somebody else was faster, what was read is read again and weighed again.
Invariant: a call is written as a whole or not at all, and its result accounts for every stretch of every message.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import blake2b
from uuid import UUID

from mnemon.errors import Conflict, CycleRefused, NotFound, Refused, VersionConflict
from mnemon.intake.admit import Desk, admit
from mnemon.intake.anticipate import anticipate
from mnemon.intake.assemble import Assembled, assemble
from mnemon.intake.classify import judge
from mnemon.intake.drafts import Draft, Letter, Lost
from mnemon.intake.embed import VectorSource, embed
from mnemon.intake.extract import extract
from mnemon.intake.known import Known
from mnemon.intake.screen import screen
from mnemon.intake.split import split
from mnemon.intake.values import IntakeResult, Manner, Message, Policy
from mnemon.intake.weigh import Scales, weigh
from mnemon.model.change import Receipt
from mnemon.model.fate import Intake
from mnemon.model.view import View
from mnemon.ports import Clock
from mnemon.store import intakes
from mnemon.store.store import Store

RETRY_WINDOW_US = 60_000_000
ATTEMPTS = 5
NOTHING = Receipt(0, 0, 0)


@dataclass(frozen=True, slots=True)
class _Thought:
    """A batch after the stages that need no store: what to weigh, what was lost, and what was missing."""

    letters: list[Letter]
    drafts: list[Draft]
    lost: list[Lost]
    degraded: tuple[str, ...]


class Pipeline:
    """Takes messages into one palace."""

    def __init__(self, store: Store, clock: Clock, vectors: VectorSource, policy: Policy = Policy()) -> None:
        self._store = store
        self._clock = clock
        self._vectors = vectors
        self._policy = policy

    def take(self, messages: Sequence[Message], manner: Manner, *, subject: str = "operator") -> IntakeResult:
        """Takes in a batch of messages in one transaction.

        Raises: InvalidInput, NotPermitted, StorageError: then nothing is written. Refused when nothing of what was to
        be remembered may be stored.
        """
        now_us = self._clock.now_us()
        desk = Desk(manner, self._policy, self._store.options.kinds, now_us)
        admitted = admit(messages, desk)
        digests = {letter.number: digest(letter) for letter in admitted}
        repeated = self._repeated(digests, now_us)
        letters, lost = screen([letter for letter in admitted if letter.number not in repeated], self._policy)
        if manner == "remember" and letters and all(letter.wholly for letter in letters) and not repeated:
            reason = letters[0].barred[0][2]
            raise Refused(f"nothing of this may be stored: {reason}", reason=reason)
        thought = self._think(letters, lost)
        made, receipt = self._commit(thought, digests, subject)
        return _result(len(messages), made, repeated, receipt, thought.degraded)

    def explain(self, view: View, asked: UUID) -> tuple[Intake, ...]:
        """What became of a message (by the id of its intake), or of every message behind a memory.

        Raises: NotFound.
        """
        with self._store.reading(view) as reading:
            try:
                return (intakes.get(reading, asked),)
            except NotFound:
                return intakes.of_memory(reading, asked)

    def _repeated(self, digests: dict[int, bytes], now_us: int) -> dict[int, Intake]:
        """Messages that were taken in less than a minute ago, word for word: somebody retried."""
        with self._store.database.read() as connection:
            found = {
                number: intakes.repeated(connection, key, now_us - RETRY_WINDOW_US) for number, key in digests.items()
            }
        return {number: intake for number, intake in found.items() if intake is not None}

    def _think(self, letters: list[Letter], lost: list[Lost]) -> _Thought:
        drafts, dropped = split(letters)
        drafts, verbatim = judge(drafts)
        drafts = anticipate(extract(drafts))
        drafts, pending = embed(drafts, self._vectors)
        degraded = (f"vectors: {pending}",) if pending else ()
        return _Thought(letters, drafts, [*lost, *dropped, *verbatim], degraded)

    def _commit(self, thought: _Thought, digests: dict[int, bytes], subject: str) -> tuple[Assembled, Receipt]:
        fresh_names = False
        for attempt in range(ATTEMPTS):
            made = self._weighed(thought, digests, fresh_names=fresh_names)
            if not made.changes:
                return made, NOTHING
            try:
                return made, self._store.commit(made.changes, subject=subject)
            except (VersionConflict, NotFound):
                if attempt + 1 == ATTEMPTS:
                    raise
            except CycleRefused:
                raise
            except Conflict:
                if fresh_names:
                    raise
                fresh_names = True
        raise AssertionError("unreachable")

    def _weighed(self, thought: _Thought, digests: dict[int, bytes], *, fresh_names: bool) -> Assembled:
        scales = Scales(self._policy, self._store.options.kinds, self._clock.now_us(), fresh_names)
        with ExitStack() as stack:
            known = {}
            for scope in {letter.message.scope for letter in thought.letters}:
                reading = stack.enter_context(self._store.reading(View(scope=scope)))
                known[scope] = Known(self._store, reading, scope)
                known[scope].prepare(d for d in thought.drafts if d.letter.message.scope == scope)
            weighed = weigh(thought.drafts, known, scales)
        return assemble(thought.letters, weighed, thought.lost, digests)


def digest(letter: Letter) -> bytes:
    """What makes two messages the same message sent twice; the time counts only when the sender gave one."""
    m = letter.message
    parts = (
        letter.manner, str(m.scope), m.thread, m.session, m.speaker, m.role, m.author, m.source, m.place, m.kind,
        m.name, "" if m.at_us is None else str(m.at_us), m.text,
    )  # fmt: skip
    return blake2b("\x1f".join(parts).encode(), digest_size=16).digest()


def _result(
    count: int, made: Assembled, repeated: dict[int, Intake], receipt: Receipt, degraded: tuple[str, ...]
) -> IntakeResult:
    fresh = iter(made.intakes)
    accounts = tuple(repeated[number] if number in repeated else next(fresh) for number in range(count))
    earlier = (fate.memory_id for intake in repeated.values() for fate in intake.fates if fate.memory_id)
    ids = tuple(dict.fromkeys((*earlier, *made.memory_ids)))
    return IntakeResult(memory_ids=ids, intakes=accounts, receipt=receipt, degraded=degraded)
