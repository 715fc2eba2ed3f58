"""What a connection of SQLite is given to read sealed columns, and the padding of an encrypted file.

The file of an encrypted palace grows in buckets, by a number drawn at random, so its size does not count its memories.
Spare pages are free pages, encrypted like all others. Invariant: after every commit the file of an encrypted palace
has a whole number of buckets.
"""

from __future__ import annotations

import secrets
from typing import Any

import apsw

from palazzo.ports import FieldCipher
from palazzo.store.sql.seal.sealing import opener


def register(connection: apsw.Connection, cipher: FieldCipher | None) -> None:
    """Gives a connection the function `opened`, and how keys are bound."""
    connection.create_scalar_function("opened", opener(cipher), 2, deterministic=True)  # type: ignore[arg-type]
    connection.convert_binding = _array


def _array(_cursor: apsw.Cursor, _number: int, value: Any) -> Any:
    """What of a statement's values the driver does not know: `Keys`."""
    return apsw.carray(value.values)


BUCKET = 512 * 1024
MOST_EXTRA = 2
"""At most so many buckets more than needed."""


def pad(connection: apsw.Connection) -> None:
    """Grows the file to a whole number of buckets, inside the transaction that is about to be committed."""
    page = int(connection.pragma("page_size"))
    each = BUCKET // page
    count = int(connection.pragma("page_count"))
    if count % each == 0:
        return
    goal = (count // each + 1 + secrets.randbelow(MOST_EXTRA + 1)) * each
    # A table made and dropped in one transaction leaves nothing but free pages; secure_delete makes SQLite write them.
    connection.execute("CREATE TABLE padding (body BLOB)")
    free = int(connection.pragma("freelist_count"))
    connection.execute("INSERT INTO padding VALUES (zeroblob(?))", (max(1, goal - count + free - 3) * (page - 256),))
    while int(connection.pragma("page_count")) < goal:
        connection.execute("INSERT INTO padding VALUES (zeroblob(?))", (page - 1024,))
    connection.execute("DROP TABLE padding")


def padded(size: int) -> bool:
    """Whether a file of this size has a whole number of buckets."""
    return size % BUCKET == 0
