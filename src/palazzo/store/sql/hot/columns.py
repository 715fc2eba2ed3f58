"""Hot columns: what ranking asks of a revision, in arrays by its key, so that one look answers for all candidates.

Owns who stands where (place, scope, state, seat in a conversation), what was drawn from what, and how far each memory
itself may be relied on, of every current revision of one palace; derived from its tables, shared by the readers of a
process, never written anywhere. They are read in small steps by the readings that rank, from the third one on, and by
upkeep between them, and follow the journal from then on: what an event names is read again. Knows no view but through
the conditions of a reading. Invariants: they answer only a reading that sees what holds now at the very journal
position they stand at, and say nothing (None) to any other, which then asks the tables; an erasure, or what sets rows
aside, empties them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import msgspec
import numpy as np
from msgspec.structs import replace

from palazzo.model.fork_lock import ForkLock
from palazzo.model.memory import STATES
from palazzo.store.api import Drawn, ToldTurn, Window, distinct
from palazzo.store.sql.hot.rows import SEVERAL, Bools, HotRows, Keys, bound_keys, marked
from palazzo.store.sql.seal.sealing import opened

if TYPE_CHECKING:
    from palazzo.store.sql.reading import SqlReading

T = TypeVar("T")
BEFORE: Final = 2
"""Readings of a process that rank and are answered from the tables alone: who asks once does not wait for columns."""
FOLLOWED: Final = 20_000
"""Events that are followed; after more than these the columns are read anew."""
AGAIN: Final = 512
"""Memories that one reading reads again for those that come after it: a few milliseconds."""
VIEWS: Final = 64
_SHOWN_BY: Final = ("memory", "place", "scope", "state", "deprecated")
NAMED_AFTER: Final = 4
"""Cues asked at one position before the names of all that has several are gathered, which reads every name once."""
_UNREADABLE: Final = (ValueError, TypeError, LookupError, OverflowError)
"""What reading a damaged row ends in: the tables are asked then, which know how to set it aside."""
_NAMED: Final = """SELECT a.scope, a.key FROM alias a WHERE a.entity IN (
    SELECT entity FROM alias GROUP BY entity HAVING count(*) > 1
    UNION SELECT id FROM entity WHERE merged_into IS NOT NULL
    UNION SELECT merged_into FROM entity WHERE merged_into IS NOT NULL
    UNION SELECT subject FROM relation WHERE predicate = 'also_known_as'
    UNION SELECT object FROM relation WHERE predicate = 'also_known_as')"""


class _Shown(msgspec.Struct, frozen=True):
    """What a view shows, as tables by number."""

    places: Bools
    scopes: Bools
    states: Bools
    deprecated: bool


class _Link(NamedTuple):
    """That a revision of a memory was drawn from a turn (by key), whether it holds, and what took its place: memory,
    number and key of a revision, or nothing."""

    key: int
    memory: int
    number: int
    holds: bool
    by: tuple[int, int, int] | None = None


class Columns:
    """The columns of one palace. Threads share them; every look is made under one lock, at one position."""

    def __init__(self) -> None:
        self._lock = ForkLock()
        self._asked = 0
        self._forget()

    def forget(self) -> None:
        """Lets go of everything."""
        with self._lock:
            self._forget()

    def _forget(self) -> None:
        self._rows = HotRows()
        self._position = -1
        self._complete = False
        self._given_up = False
        self._waiting: set[int] = set()
        """Memories that events were about and that are still to be read again; nothing is answered meanwhile."""
        self._views: dict[object, _Shown] = {}
        self._views_with = 0
        """The last place there was when these were made."""
        self._named: frozenset[int] | None = None
        """Hashes of scope and name, as it is stored, of what has several."""
        self._named_at = -1
        self._named_asked = 0

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return self._rows.nbytes

    def come(self, reading: SqlReading) -> bool:
        """Brings the columns to where a reading stands, if that is a small step; whether readings that follow bring
        them further.

        To be called by whoever ranks: a reading that only looks something up, as every write does, costs no more.
        """
        with self._lock:
            if self._at(reading) or reading.position < self._position or self._given_up:
                return False
            try:
                with reading.palace.unfenced(reading.connection):
                    self._come(reading)
            except _UNREADABLE:
                self._forget()
                self._given_up = True
            except BaseException:  # stopped by a deadline, or from outside: half of a step is no position
                self._forget()
                raise
            return not self._given_up and not self._at(reading)

    @property
    def begun(self) -> bool:
        """Whether readings that rank have come often enough for the columns to be read."""
        return self._asked > BEFORE

    # -- what is asked -----------------------------------------------------------------------------

    def allowed(self, reading: SqlReading, keys: Keys) -> Bools | None:
        """Which of these revisions this reader sees as current."""
        with self._lock:
            return self._shows(self._shown(reading), keys) if self._at(reading) else None

    def tally(self, reading: SqlReading) -> tuple[tuple[str, str, int], ...] | None:
        """How many memories there are of each kind and state in the whole palace; nothing where the columns were never
        read, which takes longer than to count."""
        with self._lock:
            if not self._complete:
                return None
            self.come(reading)
            if not self._at(reading):
                return None
            return tuple(sorted((kind, state, count) for (kind, state), count in self._rows.tally().items()))

    def newest(self, reading: SqlReading, kinds: Sequence[str], before: int, limit: int) -> list[int] | None:
        """The visible revisions of these kinds that are older than `before`, newest first."""
        with self._lock:
            if not self._at(reading):
                return None
            found = self._rows.of_kinds(kinds)
            found = found[self._shows(self._shown(reading), found) & (found < before)]
            return [int(key) for key in found[::-1][:limit]]

    def counted(self, reading: SqlReading, count: Callable[[HotRows, Keys], T]) -> T | None:
        """A count over every revision this reader sees as current; nothing where the columns were never read."""
        with self._lock:
            if not self._complete:
                return None
            self.come(reading)
            if not self._at(reading):
                return None
            keys = self._rows.standing()
            return count(self._rows, keys[self._shows(self._shown(reading), keys)])

    def memories(self, reading: SqlReading, keys: Sequence[int]) -> list[int] | None:
        """The numbers of the memories whose current revisions these are, 0 for others."""
        with self._lock:
            return self._rows.of("memory", np.array(keys, np.int64)).tolist() if self._at(reading) else None

    def seen(self, reading: SqlReading, keys: Sequence[int], look: Callable[[HotRows, Keys], T]) -> T | None:
        """A look at those of these revisions that this reader sees."""
        with self._lock:
            if not self._at(reading):
                return None
            asked = np.array(keys, np.int64)
            return look(self._rows, asked[self._shows(self._shown(reading), asked)])

    def windows(self, reading: SqlReading, keys: Keys, before: int, after: int) -> Window | None:
        """The visible turns within a few positions of those of these revisions, in the order of their seats."""
        with self._lock:
            if not self._at(reading) or not (self._rows.of("memory", keys) > 0).all():
                return None
            taken = self._rows.of("seat", keys)
            wanted = distinct((taken[taken >= 0][:, None] + np.arange(-before, after + 1)).ravel())
            found = self._rows.seated(wanted)
            there = self._shows(self._shown(reading), found)
            wanted, found = wanted[there], found[there]
            speakers, roles = self._rows.words["speaker"], self._rows.words["role"]
            return Window(
                found, wanted >> 32, wanted & 0xFFFFFFFF,
                tuple(map(speakers.__getitem__, self._rows.of("speaker", found).tolist())),
                tuple(roles[code] for code in self._rows.of("role", found).tolist()),
            )  # fmt: skip

    def told(self, reading: SqlReading, keys: Sequence[int]) -> dict[int, ToldTurn] | None:
        """Thread, session, speaker and role of those of these visible revisions that are turns."""
        with self._lock:
            if not self._at(reading):
                return None
            asked = np.array(keys, np.int64)
            asked = asked[self._shows(self._shown(reading), asked) & (self._rows.of("seat", asked) >= 0)]
            sessions = (self._rows.of("seat", asked) >> 32).tolist()
            speakers, roles = self._rows.words["speaker"], self._rows.words["role"]
            said = zip(self._rows.of("speaker", asked).tolist(), self._rows.of("role", asked).tolist(), strict=True)
            return {
                key: ToldTurn(*self._rows.sessions[session], speakers[speaker], roles[role])
                for key, session, (speaker, role) in zip(asked.tolist(), sessions, said, strict=True)
            }

    def origins(self, reading: SqlReading, keys: Sequence[int]) -> tuple[dict[int, tuple[int, ...]], list[int]] | None:
        """For revisions made out of another memory, its current revision; and those that were made of several."""
        with self._lock:
            if not self._at(reading):
                return None
            asked = np.array(keys, np.int64)
            asked = asked[self._rows.of("memory", asked) > 0]
            made = self._rows.of("origin", asked)
            several = asked[made == SEVERAL].tolist()
            asked, made = asked[made > 0], made[made > 0]
            sources = self._rows.current_of(made)
            there = self._shows(self._shown(reading), sources)
            found = zip(asked[there].tolist(), sources[there].tolist(), strict=True)
            return {key: (source,) for key, source in found}, several

    def drawn(self, reading: SqlReading, keys: Sequence[int], now_us: int) -> list[Drawn] | None:
        """What was ever drawn from these current revisions, as far as this reader may see it, and what became of it."""
        links = self._links(reading, keys, now_us)
        return None if links is None else _with_texts(reading, links)

    def _links(self, reading: SqlReading, keys: Sequence[int], now_us: int) -> list[_Link] | None:
        with self._lock:
            if not self._at(reading):
                return None
            asked = np.array(keys, np.int64)
            owners = self._rows.of("memory", asked)
            if not (owners > 0).all():
                return None
            pairs = [
                (key, *pair) for key, drawn in zip(asked.tolist(), self._rows.drawn_from(owners), strict=True)
                for pair in drawn
            ]  # fmt: skip
            if not pairs:
                return []
            shown = self._shown(reading)
            now = self._rows.current_of(np.array([memory for _, memory, _ in pairs], np.int64))
            ever = self._shows(replace(shown, states=np.ones(len(STATES), np.bool_), deprecated=True), now)
            held, over = self._shows(shown, now), self._rows.of("ends", now) <= now_us
            columns = (now, self._rows.of("number", now), ever, held, over)
            found = []
            for pair, *of_it in zip(pairs, *(column.tolist() for column in columns), strict=True):
                current, last, seen, holds, ended = of_it
                if not seen:
                    continue
                by = None if holds else self._successor(shown, pair[1])
                if holds and last > pair[2]:
                    by = (pair[1], last, current)
                key, memory, number = pair
                found.append(_Link(key, memory, number, holds and by is None and not ended, by))
            return found

    def _successor(self, shown: _Shown, memory: int) -> tuple[int, int, int] | None:
        """Memory, number and key of the last visible one that superseded a memory."""
        for number in reversed(self._rows.superseded.get(memory, ())):
            key = self._rows.current_of(np.array([number], np.int64))
            if self._shows(shown, key)[0]:
                return number, int(self._rows.of("number", key)[0]), int(key[0])
        return None

    def renamed(self, reading: SqlReading, names: Iterable[str | bytes]) -> bool | None:
        """Whether any of these names, as they are stored, may be one of several of something in the reader's scopes.

        Never False in vain; what is known in another scope makes no difference, not even in what is asked.
        """
        with self._lock:
            if not self._at(reading):
                return None
            if self._named_at != reading.position:
                self._named_at, self._named_asked, self._named = reading.position, 0, None
            if self._named is None:
                self._named_asked += 1
                if self._named_asked <= NAMED_AFTER:
                    return None
                with reading.palace.unfenced(reading.connection):
                    self._named = frozenset(map(hash, reading.connection.execute(_NAMED)))
            return any(hash((scope, name)) in self._named for name in names for scope in reading.scopes)

    def trusts(self, reading: SqlReading, keys: Sequence[int]) -> tuple[dict[int, float], list[int]] | None:
        """How far those of these revisions that this reader sees may be relied on; and those that rest on others."""
        with self._lock:
            if not self._at(reading):
                return None
            asked = np.array(keys, np.int64)
            asked = asked[self._shows(self._shown(reading), asked)]
            codes = self._rows.of("trust", asked)
            own, codes, resting = asked[codes >= 0], codes[codes >= 0], asked[codes < 0]
            found = zip(own.tolist(), codes.tolist(), strict=True)
            return {key: self._rows.figures[code] for key, code in found}, resting.tolist()

    def unread(self, reading: SqlReading, keys: Sequence[int], settled: int) -> frozenset[int] | None:
        """Those of these current revisions that were to be read by a pass which has come to event `settled`."""
        with self._lock:
            if not self._at(reading):
                return None
            asked = np.array(keys, np.int64)
            waiting = (self._rows.of("unread", asked) > settled) & (self._rows.of("memory", asked) > 0)
            return frozenset(asked[waiting].tolist())

    # -- looks, under the lock ---------------------------------------------------------------------

    def _shows(self, shown: _Shown, keys: Keys) -> Bools:
        memory, place, scope, state, deprecated = self._rows.each(_SHOWN_BY, keys)
        found = memory > 0
        found &= shown.places[np.minimum(place, len(shown.places) - 1)]
        found &= shown.scopes[np.minimum(scope, len(shown.scopes) - 1)]
        found &= shown.states[state]
        if not shown.deprecated:
            found &= ~deprecated
        return found

    def _shown(self, reading: SqlReading) -> _Shown:
        """What the view of a reading shows; the places are those its own condition finds."""
        view = reading.view
        if self._views_with != self._rows.last_place:
            self._views_with = self._rows.last_place
            self._views.clear()
        key = (reading.place_where, reading.place_values, reading.scopes, view.states, view.include_deprecated)
        found = self._views.get(key)
        if found is None:
            if len(self._views) >= VIEWS:
                self._views.clear()
            places = [
                number for (number,) in reading.connection.execute(
                    f"SELECT p.id FROM place p WHERE {reading.place_where}", reading.place_values
                )
            ]  # fmt: skip
            states = np.array([state in view.states for state in STATES], np.bool_)
            found = _Shown(marked(places), marked(reading.scopes), states, view.include_deprecated)
            self._views[key] = found
        return found

    # -- reading and following ---------------------------------------------------------------------

    def _at(self, reading: SqlReading) -> bool:
        """Whether the columns stand where a reading does."""
        return (
            self._complete and reading.position == self._position and not self._waiting
            and reading.is_now and not reading.ever
        )  # fmt: skip

    def _come(self, reading: SqlReading) -> None:
        if self._position >= 0 and reading.position > self._position and not self._follow(reading):
            return
        if self._waiting:
            self._read_waiting(reading)
        if not self._complete and not self._waiting:
            self._asked += 1
            if self.begun:
                self._position = reading.position
                self._complete = self._rows.read_further(reading)

    def _follow(self, reading: SqlReading) -> bool:
        """Notes what events since the last position are about; False where that is too much, or was erased."""
        rows: list[Any] = reading.connection.execute(
            """SELECT v.kind, m.id, t.id FROM event v LEFT JOIN memory m ON m.uuid = v.memory
               LEFT JOIN memory t ON v.kind IN ('edge_added', 'edge_removed')
                    AND t.uuid = unhex(v.detail ->> '$.target', '-')
               WHERE v.seq > ? AND (v.memory IS NOT NULL OR v.kind = 'place_changed') LIMIT ?""",
            (self._position, FOLLOWED + 1),
        ).fetchall()
        kinds = {kind for kind, _, _ in rows}
        if len(rows) > FOLLOWED or "memory_purged" in kinds:
            self._forget()
            return False
        if "place_changed" in kinds:
            self._views.clear()
        self._waiting.update(number for _, *ends in rows for number in ends if number is not None)
        self._position = reading.position
        return True

    def _read_waiting(self, reading: SqlReading) -> None:
        """Reads some of the memories again that events were about."""
        some = set(islice(self._waiting, AGAIN))
        # What a new memory was made of, or replaces, is named by no event of its own.
        linked: list[Any] = reading.connection.execute(
            "SELECT e.target FROM carray(?) c CROSS JOIN edge e ON e.source = c.value", (bound_keys(some),)
        ).fetchall()
        self._rows.read_again(reading, some.union(number for (number,) in linked))
        self._waiting -= some


def _with_texts(reading: SqlReading, links: Sequence[_Link]) -> list[Drawn]:
    """What was drawn, and of what no longer holds the words. Uses revision_number."""
    wanted = {pair[:2] for one in links if not one.holds for pair in ((one.memory, one.number), one.by) if pair}
    rows: Any = ()
    if wanted:
        rows = reading.connection.execute(
            f"""SELECT r.memory, r.number, {opened("r.text", "r.id")} FROM carray(?) c
                CROSS JOIN revision r ON r.memory = c.value >> 24 AND r.number = c.value & 16777215""",
            (bound_keys([memory << 24 | number for memory, number in wanted]),),
        )
    texts = {(memory, number): text for memory, number, text in rows}
    return [
        Drawn(
            one.key, texts.get((one.memory, one.number), ""), one.holds,
            *(("", 0) if one.by is None else (texts.get(one.by[:2], ""), one.by[2])),
        )
        for one in links
    ]  # fmt: skip
