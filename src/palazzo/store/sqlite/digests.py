"""The digest of a revision: what was written with it, in sixteen bytes, so that whatever is altered later is found.

Owns what a digest covers: the memory's id, name and kind, and every column and atom of the revision. What a memory's
life changes (place, state, tier, uses) is not in it. A guarded revision's digest is keyed, as its wording key is, for a
plain one would let its words be guessed. Invariant: whoever rewrites a revision renews its digest or, where it cannot
vouch for it, empties it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any

import apsw
import msgspec

from palazzo.ports import FieldCipher
from palazzo.store.sqlite.seal.sealing import ATOM, opened

SIZE = 16
_TEXTS = ", ".join(opened(f"r.{name}", "r.id") for name in ("text", "summary", "key_fact", "label", "detail"))
_COVERED = f"""m.uuid, m.name, m.kind, r.number, {_TEXTS}, r.importance, r.confidence, r.valence, r.intensity, r.author,
    r.created_us, r.valid_from_us, r.valid_to_us"""


def digest(covered: Sequence[object], atoms: Sequence[Sequence[object]]) -> bytes:
    """The digest of these values, in the order of the columns, and of the atoms in theirs."""
    return blake2b(msgspec.json.encode((covered, atoms)), digest_size=SIZE).digest()


def stored(connection: apsw.Connection, condition: str = "1", values: Sequence[int] = ()) -> Iterator[tuple[Any, ...]]:
    """Number, digest as written, whether it is sealed, and digest of what is stored now, before it is keyed."""
    rows = connection.execute(
        f"""SELECT r.id, r.digest, typeof(r.text) = 'blob', {_COVERED}
            FROM revision r JOIN memory m ON m.id = r.memory WHERE {condition} ORDER BY r.id""",
        tuple(values),
    )
    for number, written, sealed, *covered in rows:
        said = connection.execute(
            f"SELECT {ATOM}, functional, negated FROM atom WHERE revision = ? ORDER BY position", (number,)
        ).fetchall()
        yield number, written, bool(sealed), digest(covered, said)


def renew(connection: apsw.Connection, revision: int, cipher: FieldCipher | None) -> None:
    """Writes the digest of a revision that was rewritten on purpose; one that had none goes on without."""
    for number, written, _, found in list(stored(connection, "r.id = ?", (revision,))):
        if written is not None:
            keyed = found if cipher is None else cipher.mark(found)
            connection.execute("UPDATE revision SET digest = ? WHERE id = ?", (keyed, number))


def altered(connection: apsw.Connection, cipher: FieldCipher | None) -> list[str]:
    """The revisions that are not as they were written."""
    found = []
    for number, written, sealed, plain in stored(connection):
        keyed = cipher.mark(plain) if sealed and cipher is not None else plain
        if written is not None and written != keyed:
            found.append(f"revision: row {number} or its atoms are not as they were written")
    return found
