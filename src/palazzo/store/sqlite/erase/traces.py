"""Looking for what an erasure may have left: pieces of the erased texts, searched for in the raw files.

Owns the choice of pieces and the search. Knows nothing of why something was erased. A piece that is still found is
either said by a memory that was not erased (then it belongs there) or a trace. Invariant: pieces are kept in memory
only and never leave this room.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

import apsw

from palazzo.files import raw_files
from palazzo.store.api.keeping import MOST_PIECES
from palazzo.store.sqlite.seal.sealing import opened

PIECE_BYTES = 24
SHORTEST_PIECE = 8
SEARCHED_BYTES = 4_000_000_000
"""How much is read at most: with large files fewer pieces are looked for (about a second per gigabyte)."""


def pieces_of(connection: apsw.Connection, memory_ids: Sequence[UUID]) -> list[bytes]:
    """The beginning, middle and end of every text these memories ever had."""
    found: dict[bytes, None] = {}
    for memory_id in memory_ids:
        rows = connection.execute(
            f"SELECT {opened('r.text', 'r.id')} FROM memory m JOIN revision r ON r.memory = m.id WHERE m.uuid = ?",
            (memory_id.bytes,),
        )
        for (text,) in rows:
            raw = str(text).encode()
            for start in (0, max(0, len(raw) // 2 - PIECE_BYTES // 2), max(0, len(raw) - PIECE_BYTES)):
                piece = raw[start : start + PIECE_BYTES]
                if len(piece) >= SHORTEST_PIECE:
                    found.setdefault(piece)
    return list(found)


def chosen(folder: Path, pieces: Sequence[bytes]) -> list[bytes]:
    """As many pieces as can be searched for in files of this size, spread evenly over all of them."""
    size = sum(size for _, size in raw_files.files_in(folder))
    most = max(1, min(MOST_PIECES, SEARCHED_BYTES // max(1, size)))
    return [pieces[n * len(pieces) // most] for n in range(most)] if len(pieces) > most else list(pieces)


def search(folder: Path, pieces: Sequence[bytes]) -> list[tuple[Path, bytes]]:
    """Which pieces are in which files below a folder; the shared memory of a log holds page numbers alone."""
    return [
        (path, piece)
        for path, size in raw_files.files_in(folder)
        if size and not path.name.endswith(raw_files.SHARED_MEMORY)
        for piece in raw_files.holds(path, pieces)
    ]


def said(connection: apsw.Connection, piece: bytes) -> bool:
    """Whether a memory that is there says this: a scan, for the few pieces that were found."""
    try:
        text = piece.decode()
    except UnicodeDecodeError:
        text = piece.decode(errors="ignore")  # cut inside a letter: what is whole of it decides
    row = connection.execute(
        """SELECT 1 FROM revision WHERE instr(text, ?1) OR instr(coalesce(summary, ''), ?1)
           OR instr(coalesce(key_fact, ''), ?1) OR instr(coalesce(detail, ''), ?1) LIMIT 1""",
        (text,),
    ).fetchone()
    return row is not None
