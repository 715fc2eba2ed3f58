"""The rows behind the hot columns: arrays by the key of a revision, and how they are read from the tables.

Owns the arrays, the words and figures they stand for, seats and links in their order. Knows nothing of views, of the
journal or of when to read. Invariants: a key that no current revision has stands for nothing; reading the same memory
again leaves what one reading of it would have left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from palazzo.model.kinds import HAPPENED
from palazzo.model.memory import STATES
from palazzo.store.api import NEVER, Noted
from palazzo.store.sql.belief import beliefs
from palazzo.store.sql.memory import known
from palazzo.store.sql.port import bound, one
from palazzo.text.meaning.kinds import may_open, only_asks

if TYPE_CHECKING:
    from palazzo.store.sql.reading import SqlReading

Keys = NDArray[np.int64]
Bools = NDArray[np.bool_]
BLOCK: Final = 1024
"""Revisions that one reading reads for those that come after it: some three milliseconds."""
LOOSE: Final = 1024
"""Seats and links that wait to be put in order with the rest."""
SEVERAL: Final = -1
"""In the column of origins: made out of more than one memory, which the tables tell in order."""
DTYPES: Final = {
    "memory": np.int32, "place": np.int32, "scope": np.int32, "state": np.int8, "deprecated": np.bool_,
    "kind": np.int16, "number": np.int32, "created": np.int64, "ends": np.int64, "seat": np.int64,
    "speaker": np.int32, "role": np.int16, "origin": np.int32, "trust": np.int32, "unread": np.int64,
    "characters": np.int32, "asks": np.float32, "importance": np.float64,
}  # fmt: skip
"""What does not fit is read from the tables: no palace has two thousand million memories."""
EMPTY: Final = {"seat": -1, "trust": -1, "ends": NEVER}
SEALED: Final = -1
"""In the column of characters: nobody looks into a sealed text who does not want it. Of others the length is told, and
the first word where there is no question mark: whether they ask."""
_ROWS: Final = """SELECT m.current, m.id, m.place, m.scope, m.state, m.deprecated_us IS NOT NULL, m.kind, r.number,
    m.created_us, r.valid_to_us, r.importance, iif(typeof(r.text) = 'text', length(r.text), -1),
    iif(typeof(r.text) = 'text', iif(instr(r.text, '?') > 0, '', substr(r.text, 1, instr(r.text, ' '))), NULL),
    r.author, coalesce(o.successes, 0), coalesce(o.failures, 0)"""
_BY_KEY: Final = f"""{_ROWS} FROM memory m JOIN revision r ON r.id = m.current LEFT JOIN outcome o ON o.memory = m.id
    WHERE m.current >= ? AND m.current < ?"""
_TEXTS: Final = "SELECT r.id, r.text FROM carray(?) c CROSS JOIN revision r ON r.id = c.value"
_TURNS: Final = """SELECT w.revision, w.session << 32 | w.position, w.speaker, w.role
    FROM carray(?) c CROSS JOIN turn w ON w.revision = c.value"""
_SESSIONS: Final = "SELECT s.id, s.thread, s.name FROM carray(?) c CROSS JOIN session s ON s.id = c.value"
_OUT: Final = f"""SELECT e.source, e.target, e.source_revision, e.kind FROM carray(?) c
    CROSS JOIN edge e ON e.source = c.value AND e.kind || '' IN {beliefs.GROUNDS}"""
_IN: Final = """SELECT e.target, e.source, e.source_revision, e.kind FROM carray(?) c CROSS JOIN edge e
    ON e.target = c.value AND e.kind || '' IN ('derived_from', 'supersedes', 'supports') ORDER BY e.id"""
# One look into the index for all links of a memory takes a fifth of one for each kind.
_BY_MEMORY: Final = f"""{_ROWS} FROM carray(?) c CROSS JOIN memory m ON m.id = c.value
    JOIN revision r ON r.id = m.current LEFT JOIN outcome o ON o.memory = m.id"""


class HotRows:
    """The arrays of one palace. Whoever shares them sees to it that one thread at a time does."""

    def __init__(self) -> None:
        self._read_to = 0
        self.last_place = 0
        self._read: tuple[list[Keys], list[Keys]] = ([], [])
        """Seats and links of the blocks read so far."""
        self._column = {name: _alike(EMPTY.get(name, 0), dtype, 0) for name, dtype in DTYPES.items()}
        self._alike, self._unsaid = set(DTYPES) - {"memory"}, set(DTYPES)
        """Columns that say the same of every key: one figure is all that is kept of them."""
        self._current = np.zeros(0, np.int64)
        """By memory, the key of its current revision."""
        self._codes: dict[str, _Codes] = {name: _Codes() for name in ("kind", "speaker", "role")}
        self.words: dict[str, list[Any]] = {name: codes.words for name, codes in self._codes.items()}
        self._openings = _Openings()
        self._figures = _Codes()
        self.figures: list[float] = self._figures.words
        self.sessions: dict[int, tuple[str, str]] = {}
        self._seats = np.empty((2, 0), np.int64)
        """Seat and key, in order of seats."""
        self._new_seats: dict[int, int] = {}
        self._drawn = np.empty((3, 0), np.int64)
        """The memory drawn from, what was drawn, and of which of its revisions; in order of the first."""
        self._new_drawn: dict[int, list[tuple[int, int]]] = {}
        self.superseded: dict[int, list[int]] = {}
        """By memory, those that superseded it, in the order in which they did."""

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        columns = [column for name, column in self._column.items() if name not in self._alike]
        return sum(array.nbytes for array in (*columns, self._current, self._seats, self._drawn))

    def of(self, name: str, keys: Keys) -> NDArray[Any]:
        """A column at these keys; nothing at keys that no current revision has."""
        (found,) = self.each((name,), keys)
        return found

    def each(self, names: Sequence[str], keys: Keys) -> list[NDArray[Any]]:
        """Several columns at the same keys."""
        columns = [self._column[name] for name in names]
        size = len(columns[0])
        # A key below 0 is a very large one without its sign; asked of the ufunc, the highest takes half the time.
        if size and (not len(keys) or np.maximum.reduce(keys.view(np.uint64)) < size):
            return [column[keys] for column in columns]
        inside = (keys >= 0) & (keys < size)
        found = []
        for name, column in zip(names, columns, strict=True):
            at: NDArray[Any] = np.full(len(keys), EMPTY.get(name, 0), DTYPES[name])
            at[inside] = column[keys[inside]]
            found.append(at)
        return found

    def kinds(self, keys: Keys) -> dict[int, str]:
        """The kinds of these revisions."""
        names = self.words["kind"]
        return {key: names[code] for key, code in zip(keys.tolist(), self.of("kind", keys).tolist(), strict=True)}

    def noted(self, keys: Keys) -> Noted | None:
        """What is noted of the texts of these revisions; nothing where one is sealed."""
        found = Noted(keys, *self.each(("characters", "asks", "importance", "ends"), keys))
        return None if (found.characters == SEALED).any() else found

    def current_of(self, memories: Keys) -> Keys:
        """The keys of the current revisions of these memories, 0 where there is none."""
        if not len(self._current):
            return np.zeros(len(memories), np.int64)
        inside = (memories > 0) & (memories < len(self._current))
        return np.where(inside, self._current[np.where(inside, memories, 0)], 0)

    def of_kinds(self, kinds: Sequence[str]) -> Keys:
        """The keys of these kinds in ascending order, among them such as are no longer current."""
        codes = [code for kind in kinds if (code := self._codes["kind"].get(kind)) is not None]
        return np.flatnonzero(np.isin(self._column["kind"], codes))

    def standing(self) -> Keys:
        """The keys of every current revision."""
        return self._current[self._current > 0]

    def tally(self) -> dict[tuple[str, str], int]:
        """How many memories there are of each kind and state."""
        kinds, states = self.each(("kind", "state"), self.standing())
        counts = np.bincount(kinds.astype(np.int64) * len(STATES) + states).tolist()
        return {
            (self.words["kind"][both // len(STATES)], STATES[both % len(STATES)]): count
            for both, count in enumerate(counts) if count
        }  # fmt: skip

    def census(self, keys: Keys) -> list[tuple[int, str, int, int]]:
        """Of these revisions, by place and kind: how many, and when the newest memory came."""
        places, kinds, created = self.each(("place", "kind", "created"), keys)
        words = self.words["kind"]
        groups = places.astype(np.int64) * len(words) + kinds
        counts = np.bincount(groups)
        newest = np.zeros(len(counts), np.int64)
        np.maximum.at(newest, groups, created)
        found = np.flatnonzero(counts)
        rows = zip(found.tolist(), counts[found].tolist(), newest[found].tolist(), strict=True)
        return [(group // len(words), words[group % len(words)], count, last) for group, count, last in rows]

    def came(self, keys: Keys, edges: Sequence[int]) -> list[tuple[int, int, int]]:
        """Of these revisions, by place and span between two edges: how many memories came."""
        created = self.of("created", keys)
        within = (created >= edges[0]) & (created < edges[-1])
        spans = np.searchsorted(np.array(edges, np.int64), created[within], "right") - 1
        places = self.of("place", keys[within]).astype(np.int64)
        groups, counts = np.unique(places * len(edges) + spans, return_counts=True)
        return [
            (group // len(edges), group % len(edges), count)
            for group, count in zip(groups.tolist(), counts.tolist(), strict=True)
        ]

    def seated(self, seats: Keys) -> Keys:
        """The revisions at these seats, 0 where there is none."""
        order, keys = self._seats
        found = np.zeros(len(seats), np.int64)
        if len(order):
            at = np.minimum(order.searchsorted(seats), len(order) - 1)
            found = np.where(order[at] == seats, keys[at], 0)
        if self._new_seats:
            for row, seat in enumerate(seats.tolist()):
                found[row] = self._new_seats.get(seat, found[row])
        return found

    def drawn_from(self, memories: Keys) -> list[list[tuple[int, int]]]:
        """For each of these, the memories that were drawn from it, each with the number of the revision that was."""
        lows, highs = (self._drawn[0].searchsorted(memories, side).tolist() for side in ("left", "right"))
        found = [
            list(zip(*self._drawn[1:, low:high].tolist(), strict=True)) if low < high else []
            for low, high in zip(lows, highs, strict=True)
        ]
        if self._new_drawn:
            found = [self._new_drawn.get(memory, old) for memory, old in zip(memories.tolist(), found, strict=True)]
        return found

    def read_again(self, reading: SqlReading, touched: Iterable[int]) -> None:
        """Reads the rows of these memories, and all that hangs on them, as they are in this moment."""
        numbers = np.array(sorted(touched), np.int64)
        old = self.current_of(numbers)
        self._put("memory", old[old > 0], 0)
        rows = reading.connection.execute(_BY_MEMORY, (bound_keys(numbers),)).fetchall()
        self._new_drawn.update({number: [] for number in numbers.tolist()})
        seats, drawn = self._take(reading, rows)
        self._new_seats.update(seats)
        for memory, *pair in drawn:
            self._new_drawn[memory].append((pair[0], pair[1]))
        if not self._read[0] and max(len(self._new_seats), len(self._new_drawn)) > LOOSE:
            self._settle()

    def read_further(self, reading: SqlReading) -> bool:
        """Reads a block, of the moment of those before it or followed to that; whether it was the last."""
        last = int(one(reading.connection, "SELECT coalesce(max(current), 0) FROM memory")[0])
        rows = reading.connection.execute(_BY_KEY, (self._read_to, self._read_to + BLOCK)).fetchall()
        seats, drawn = self._take(reading, rows)
        self._read[0].append(np.array(seats, np.int64).reshape(-1, 2).T)
        self._read[1].append(np.array(drawn, np.int64).reshape(-1, 3).T)
        self._read_to += BLOCK
        if self._read_to <= last:
            return False
        if self._read[0]:
            self._seats = _in_order(np.concatenate(self._read[0], axis=1))
            self._drawn = _in_order(np.concatenate(self._read[1], axis=1))
        self._read = ([], [])
        self._openings.clear()
        self._settle()
        return True

    def _take(
        self, reading: SqlReading, rows: Sequence[Any]
    ) -> tuple[list[tuple[int, int]], list[tuple[int, int, int]]]:
        """Puts rows of _ROWS into the columns, with turns and trust of their memories; returns the seats that are taken
        and what was drawn from them."""
        if not rows:
            return [], []
        execute, codes = reading.connection.execute, self._codes
        keys, memories, places, scopes, states, deprecated, kinds, numbers, made, *others = zip(*rows, strict=True)
        ends, important, sizes, firsts, *tells = others
        at, owners = np.array(keys, np.int64), np.array(memories, np.int64)
        if int(owners.max()) >> 31:
            raise OverflowError("more memories than a column counts")
        self._grow(int(at.max()) + 1, int(owners.max()) + 1)
        self._current[owners] = at
        for memory in self.superseded.keys() & set(memories) if self.superseded else ():
            del self.superseded[memory]
        self.last_place = max(self.last_place, *places)
        for name, values in (
            ("memory", memories), ("place", places), ("scope", scopes), ("deprecated", deprecated), ("number", numbers),
            ("created", made), ("importance", important),
            ("characters", sizes), ("asks", 0.0),
            ("state", list(map(STATES.index, states))), ("kind", list(map(codes["kind"].__getitem__, kinds))),
            ("ends", NEVER if not any(ends) else [
                NEVER if end is None or kind in HAPPENED else end for end, kind in zip(ends, kinds, strict=True)
            ]),
        ):  # fmt: skip
            self._put(name, at, values)
        asking = [key for key, may in zip(keys, map(self._openings.__getitem__, firsts), strict=True) if may]
        told: Any = execute(_TEXTS, (bound_keys(asking),)).fetchall() if asking else []
        self._put("asks", np.array([key for key, _ in told], np.int64), [only_asks(text) for _, text in told])
        of_keys, of_memories = bound_keys(at), bound_keys(owners)
        turns: Any = execute(_TURNS, (of_keys,)).fetchall()
        seated = np.array([key for key, *_ in turns], np.int64)
        for name, value, values in (
            ("seat", -1, [seat for _, seat, *_ in turns]),
            ("speaker", 0, [codes["speaker"][speaker] for *_, speaker, _ in turns]),
            ("role", 0, [codes["role"][role] for *_, role in turns]),
        ):
            self._put(name, at, value)
            self._put(name, seated, values)
        seats: list[tuple[int, int]] = [(seat, key) for key, seat, *_ in turns]
        if missing := {seat >> 32 for seat, _ in seats}.difference(self.sessions):
            named: Any = execute(_SESSIONS, (bound_keys(missing),))
            self.sessions.update({number: (thread, name) for number, thread, name in named})
        origin: dict[int, int] = {}
        grounded: set[int] = set()
        for source, target, revision, kind in execute(_OUT, (of_memories,)):
            grounded.add(source)
            if kind == "derived_from" and revision in (0, self._column["number"][self._current[source]]):
                origin[source] = SEVERAL if source in origin else target
        drawn: list[tuple[int, int, int]] = []
        for target, source, revision, kind in execute(_IN, (of_memories,)):
            if kind == "supports":
                grounded.add(target)
            elif kind == "supersedes" and source != target:
                self.superseded.setdefault(target, []).append(source)
            elif kind == "derived_from" and revision > 0:
                drawn.append((target, source, revision))
        self._put("origin", at, 0)
        self._put("origin", self._current[list(origin)], list(origin.values()))
        unread: dict[int, int] = dict(execute(known.UNREAD_SINCE, (of_keys,)).fetchall())
        self._put("unread", at, 0)
        self._put("unread", np.array(list(unread), np.int64), list(unread.values()))
        self._put("trust", at, self._trust(reading, keys, memories, tells, grounded))
        return seats, drawn

    def _trust(
        self, reading: SqlReading, keys: Sequence[int], memories: Sequence[int], tells: Sequence[Sequence[Any]],
        grounded: AbstractSet[int],
    ) -> list[int]:  # fmt: skip
        """The code of how far each of these may be relied on; of `grounded` ones links tell, too.

        Of most nothing tells but who wrote them.
        """
        authors, *outcomes = tells
        plain = {author: self._figures[beliefs.of_author(author)] for author in set(authors)}
        found = list(map(plain.__getitem__, authors))
        told = beliefs.told_further(reading, keys)
        if grounded or told or any(map(any, outcomes)):
            rows = [
                row for row in zip(memories, keys, authors, *outcomes, strict=True)
                if row[0] in grounded or row[1] in told or row[3] or row[4]
            ]  # fmt: skip
            at = {memory: row for row, memory in enumerate(memories)}
            for memory, evidence in beliefs.own_evidence(reading, rows).items():
                found[at[memory]] = -1 if evidence.rests else self._figures[evidence.accuracy]
        return found

    def _put(self, name: str, keys: Keys, values: Any) -> None:
        """Writes into a column; one that still says the same of every key stays one figure."""
        if not len(keys):
            return
        if name in self._alike:
            fresh: NDArray[Any] = np.asarray(values, DTYPES[name])
            if name in self._unsaid and (fresh == fresh.flat[0]).all():
                self._column[name] = _alike(fresh.flat[0], fresh.dtype, len(self._column[name]))
            self._unsaid.discard(name)
            if (fresh == self._column[name][0]).all():
                return
            self._alike.discard(name)
            self._column[name] = self._column[name].copy()
        self._column[name][keys] = values

    def _grow(self, keys: int, memories: int) -> None:
        """Makes room, with some to spare: a palace grows a few rows at a time."""
        size = len(self._column["memory"])
        if keys > size:
            more = keys + keys // 8 + BLOCK - size
            for name, column in self._column.items():
                if name in self._alike:
                    self._column[name] = _alike(column[0] if size else EMPTY.get(name, 0), column.dtype, size + more)
                else:
                    self._column[name] = np.concatenate((column, _alike(EMPTY.get(name, 0), column.dtype, more)))
        if memories > len(self._current):
            more = memories + memories // 8 + BLOCK - len(self._current)
            self._current = np.concatenate((self._current, np.zeros(more, np.int64)))

    def _settle(self) -> None:
        """Puts seats and links that came since into the order of the rest."""
        if self._new_seats:
            fresh = np.array(list(self._new_seats.items()), np.int64).T
            kept = self._seats[:, ~np.isin(self._seats[0], fresh[0])]
            self._seats = _in_order(np.concatenate((kept, fresh), axis=1))
            self._new_seats = {}
        if self._new_drawn:
            pairs = [(memory, *pair) for memory, pairs in self._new_drawn.items() for pair in pairs]
            kept = self._drawn[:, ~np.isin(self._drawn[0], list(self._new_drawn))]
            self._drawn = _in_order(np.concatenate((kept, np.array(pairs, np.int64).reshape(-1, 3).T), axis=1))
            self._new_drawn = {}


class _Codes(dict[Any, int]):
    """The number each of some words has, by the order in which they came."""

    def __init__(self) -> None:
        self.words: list[Any] = []

    def __missing__(self, word: Any) -> int:
        self[word] = len(self.words)
        self.words.append(word)
        return self[word]


class _Openings(dict["str | None", bool]):
    """Whether a text that begins with a word, and has no question mark, may ask: few words open a question."""

    def __missing__(self, first: str | None) -> bool:
        self[first] = first is not None and (not first.isascii() or not first.strip() or may_open(first.split()[0]))
        return self[first]


def _alike(value: Any, dtype: Any, size: int) -> NDArray[Any]:
    return np.broadcast_to(np.array(value, dtype), size)


def _in_order(rows: Keys) -> Keys:
    return rows[:, np.argsort(rows[0], kind="stable")]


def bound_keys(keys: Iterable[int] | Keys) -> Any:
    found = np.ascontiguousarray(keys if isinstance(keys, np.ndarray) else sorted(keys), dtype=np.int64)
    return bound(found)


def marked(numbers: Sequence[int]) -> Bools:
    """Which numbers are among these; the last entry, for all beyond, is false."""
    found = np.zeros(max(numbers, default=0) + 2, np.bool_)
    found[np.array(numbers, np.int64)] = True
    return found
