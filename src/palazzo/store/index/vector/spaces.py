"""Vector spaces: the named spaces of a palace, the tables every vector module shares, and the truth, the stored
vectors.

A space is one embedding model's output with one metric. A vector is known by its space and revision and belongs to
one partition. This module does not know codes, blocks or lists. Invariant: one space at most is active; a retired space
is never searched or added to, and its name is free again once its data has been swept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from palazzo.errors import Conflict, InvalidInput, NotFound
from palazzo.store.api import Metric, Space
from palazzo.store.index.tables import Tables, identity

REVISION_BITS = 48
MAX_SPACES = (1 << 63 - REVISION_BITS) - 1
MAX_DIMENSIONS = 8192
READ_ROWS = 4096  # vectors fetched and scored at once, so that a long list of revisions needs little memory

TABLES: tuple[str, ...] = (
    # One row per embedding model in use. `vectors` counts the rows of the space: counting them would read them all.
    # A number is never used again (AUTOINCREMENT): caches know a space by it.
    """CREATE TABLE vector_space (
        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, model TEXT NOT NULL,
        dimensions INTEGER NOT NULL,
        metric TEXT NOT NULL CHECK (metric IN ('cosine', 'dot', 'l2')),
        state TEXT NOT NULL CHECK (state IN ('active', 'filling', 'retired')),
        created_us INTEGER NOT NULL, vectors INTEGER NOT NULL DEFAULT 0
    )""",
    # The truth: id is space << 48 | revision, data is half-precision floats, little-endian. A plain rowid table:
    # rows this wide in a WITHOUT ROWID tree would leave four to an inner page.
    """CREATE TABLE vector (
        id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, data BLOB NOT NULL
    )""",
    # One row per space and partition that ever filled a tail or lost a vector. `stamp` changes whenever anything but an
    # addition happened, `removals` when a vector went; `generation` is the set of lists in use (0: none),
    # `building` the one being written; `trained`, `loose` and `listed` count vectors.
    """CREATE TABLE vector_partition (
        space INTEGER NOT NULL, scope INTEGER NOT NULL, stamp INTEGER NOT NULL DEFAULT 0,
        removals INTEGER NOT NULL DEFAULT 0, due INTEGER NOT NULL DEFAULT 0, generation INTEGER NOT NULL DEFAULT 0,
        building INTEGER NOT NULL DEFAULT 0, trained INTEGER NOT NULL DEFAULT 0, loose INTEGER NOT NULL DEFAULT 0,
        listed INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (space, scope)
    ) WITHOUT ROWID""",
    # Codes of the newest vectors, in order of arrival, so that a reader fetches only what it has not seen.
    """CREATE TABLE vector_tail (
        space INTEGER NOT NULL, scope INTEGER NOT NULL, seq INTEGER NOT NULL, revision INTEGER NOT NULL,
        code BLOB NOT NULL,
        PRIMARY KEY (space, scope, seq)
    ) WITHOUT ROWID""",
    # Blocks of codes: generation 0 holds unclustered ones, the generation in use and the one being built the
    # members of one list each; any other generation is left over. Never changed, only replaced, and an id is never
    # used again (AUTOINCREMENT): caches know a block by its id. Small rows, so that a generation can be switched in
    # one short write.
    """CREATE TABLE vector_block (
        id INTEGER PRIMARY KEY AUTOINCREMENT, space INTEGER NOT NULL, scope INTEGER NOT NULL,
        generation INTEGER NOT NULL, list INTEGER NOT NULL, count INTEGER NOT NULL, first INTEGER NOT NULL,
        last INTEGER NOT NULL
    )""",
    # The blocks of a partition, of a generation, of a list; with the count it covers the directory a search reads.
    "CREATE INDEX vector_block_list ON vector_block(space, scope, generation, list, count)",
    # Revisions before codes: looking for a revision then reads a twelfth of the bytes.
    """CREATE TABLE vector_code (
        id INTEGER PRIMARY KEY, revisions BLOB NOT NULL, codes BLOB NOT NULL
    )""",
    # The means of the lists of a generation: half-precision floats, one row of a matrix per list.
    """CREATE TABLE vector_centroids (
        id INTEGER PRIMARY KEY, space INTEGER NOT NULL, scope INTEGER NOT NULL, generation INTEGER NOT NULL,
        means BLOB NOT NULL, UNIQUE (space, scope, generation)
    )""",
)


_COLUMNS = "id, name, model, dimensions, metric, state, created_us, vectors"


EVERY_SPACE = f"SELECT {_COLUMNS} FROM vector_space ORDER BY id"


def space_from(row: Any) -> Space:
    number, name, model, dimensions, metric, state, created_us, vectors = row
    return Space(
        id=number, name=name, model=model, dimensions=dimensions, metric=metric, state=state, created_us=created_us,
        vectors=vectors,
    )  # fmt: skip


def create_space(tables: Tables, name: str, model: str, dimensions: int, metric: str, now_us: int) -> int:
    """Makes a space and returns its number; the first is active at once, later ones fill until activated.

    Raises: InvalidInput, Conflict when the name is taken.
    """
    if not name or not 1 <= dimensions <= MAX_DIMENSIONS:
        raise InvalidInput(f"a space needs a name and 1 to {MAX_DIMENSIONS} dimensions", field="dimensions")
    if metric not in get_args(Metric):
        raise InvalidInput(f"unknown metric {metric!r}", field="metric", hint="cosine, dot or l2")
    known = spaces(tables)
    if any(space.name == name for space in known):
        raise Conflict(f"there already is a vector space {name!r}", hint="a retired one is gone after the next sweep")
    state = "filling" if any(space.state == "active" for space in known) else "active"
    with tables.whole():
        number = identity(
            tables.row(
                """INSERT INTO vector_space (name, model, dimensions, metric, state, created_us)
                   VALUES (?,?,?,?,?,?) RETURNING id""",
                (name, model, dimensions, metric, state, now_us),
            )
        )
        if number > MAX_SPACES:
            raise Conflict("the palace has used up its numbers for vector spaces")
    return number


def spaces(tables: Tables) -> tuple[Space, ...]:
    """Every space, oldest first, retired ones that are not swept yet included."""
    return tuple(map(space_from, tables.rows(EVERY_SPACE)))


def space_named(tables: Tables, name: str = "") -> Space | None:
    """The space of this name, or the active one for an empty name; None when there is none or it is retired."""
    if name:
        row = tables.row(f"SELECT {_COLUMNS} FROM vector_space WHERE name = ? AND state <> 'retired'", (name,))
    else:
        row = tables.row(f"SELECT {_COLUMNS} FROM vector_space WHERE state = 'active'")
    return None if row is None else space_from(row)


def space_of(tables: Tables, number: int) -> Space:
    """The space of this number.

    Raises: NotFound.
    """
    row = tables.row(f"SELECT {_COLUMNS} FROM vector_space WHERE id = ?", (number,))
    if row is None:
        raise NotFound(f"no vector space number {number}")
    return space_from(row)


def activate_space(tables: Tables, number: int) -> None:
    """Makes this the active space; the one that was stays as it is, searchable by name, and can be activated again.

    Raises: NotFound, Conflict when it is retired.
    """
    if space_of(tables, number).state == "retired":
        raise Conflict("a retired vector space cannot be activated", hint="make a new one and fill it")
    tables.change(
        """UPDATE vector_space SET state = CASE WHEN id = ? THEN 'active' ELSE 'filling' END
           WHERE state = 'active' OR id = ?""",
        (number, number),
    )


def retire_space(tables: Tables, number: int) -> None:
    """Takes a space out of use for good; `sweep` drops its data piece by piece.

    Raises: NotFound.
    """
    space_of(tables, number)
    tables.change("UPDATE vector_space SET state = 'retired' WHERE id = ?", (number,))


def vector_ids(space: int, revisions: NDArray[np.int64]) -> NDArray[np.int64]:
    """The row numbers of a space's vectors."""
    return revisions | np.int64(space << REVISION_BITS)


def id_range(space: int) -> tuple[int, int]:
    """The first and last row number a space can have."""
    return space << REVISION_BITS, (space + 1 << REVISION_BITS) - 1


def read_rows(
    tables: Tables, space: Space, revisions: NDArray[np.int64], partitions: Sequence[int] | None = None
) -> Iterator[list[tuple[int, int, bytes]]]:
    """Revision, partition and vector of these revisions (in these partitions), some thousand at once, in any order."""
    wanted = np.sort(vector_ids(space.id, revisions[(revisions > 0) & (revisions >> REVISION_BITS == 0)]))
    kept = None if partitions is None else frozenset(partitions)
    first = id_range(space.id)[0]
    for start in range(0, len(wanted), READ_ROWS):
        rows: list[Any] = list(
            tables.rows_of(
                wanted[start : start + READ_ROWS],
                "SELECT v.id - ?, v.scope, v.data FROM wanted w CROSS JOIN vector v WHERE v.id = w.id",
                (first,),
            )
        )
        if kept is not None:
            rows = [row for row in rows if row[1] in kept]
        if rows:
            yield rows


def read_halves(
    tables: Tables, space: Space, revisions: NDArray[np.int64], partitions: Sequence[int] | None = None
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float16]]]:
    """The stored vectors of these revisions that exist (in these partitions), some thousand at a time, in any order."""
    for rows in read_rows(tables, space, revisions, partitions):
        yield np.array([row[0] for row in rows], np.int64), as_halves([row[2] for row in rows], space)


def as_halves(blobs: Sequence[bytes], space: Space) -> NDArray[np.float16]:
    """Stored vectors as an array, one row each."""
    return np.frombuffer(b"".join(blobs), "<f2").reshape(len(blobs), space.dimensions)


def every_row(tables: Tables, space: Space) -> Iterator[list[tuple[int, int, bytes]]]:
    """Revision, partition and stored vector of everything in a space, some thousand at a time, by revision."""
    first, last = id_range(space.id)
    after = first - 1
    while rows := list(
        tables.rows(
            "SELECT id - ?, scope, data FROM vector WHERE id > ? AND id <= ? ORDER BY id LIMIT ?",
            (first, after, last, READ_ROWS),
        )
    ):
        yield rows
        after = first + rows[-1][0]
