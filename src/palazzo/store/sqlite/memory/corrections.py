"""Corrections: in which contexts a memory was wrong, so that recall leaves it out there and nowhere else.

Owns the table correction. A context is the vector of the cue, at half precision. Invariant: a correction names a memory
that exists; purging the memory removes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from palazzo.model.change import RecordCorrection
from palazzo.store.sqlite.reading import SqliteReading, bound
from palazzo.store.sqlite.writing import SqliteWriting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def record(writing: SqliteWriting, change: RecordCorrection) -> None:
    """Writes down that a memory was wrong in a context.

    Raises: NotFound.
    """
    import numpy as np

    writing.flush()
    memory, _ = writing.memory(change.memory_id)
    context = np.asarray(change.context, np.float16).tobytes()
    writing.connection.execute(
        "INSERT OR REPLACE INTO correction VALUES (?,?,?,?)", (memory, writing.now_us, change.space, context)
    )
    writing.event("memory_corrected", change.memory_id.bytes)


def against(
    reading: SqliteReading, keys: Sequence[int], space: str, since_us: int
) -> list[tuple[int, NDArray[np.float32]]]:
    """Key and context of the corrections of these visible revisions since a moment. Uses the primary key.

    Most palaces have none, which the first statement finds out in microseconds.
    """
    import numpy as np

    if reading.connection.execute("SELECT 1 FROM correction LIMIT 1").fetchone() is None:
        return []

    rows = reading.connection.execute(
        f"""SELECT r.id, x.context FROM {reading.source} JOIN correction x ON x.memory = m.id
            WHERE r.id IN (SELECT value FROM carray(?)) AND {reading.where} AND x.at_us >= ? AND x.space = ?""",
        (bound(keys), *reading.values, since_us, space),
    )
    return [(key, np.frombuffer(context, np.float16).astype(np.float32)) for key, context in rows]
