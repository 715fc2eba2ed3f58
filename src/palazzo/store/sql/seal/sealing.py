"""SealedText columns: how SQL reads a column that may be sealed, and what a write puts into it.

A sealed text is a BLOB where a plain one is TEXT, so every row says by itself which it is, and a plain one costs
nothing. The cipher is given to the connection when it is opened. Knows nothing of keys. Invariants: whatever text of a
memory is read passes `opened`; what a sealed memory's row shows without the key is its times, kind, place and scope.

Also owns the digest of a revision: what was written with it, in sixteen bytes (id, name, kind, every column and atom),
so that whatever is altered later is found. A guarded revision's digest is keyed, for a plain one would let its words be
guessed. Invariant: whoever rewrites a revision renews its digest or, where it cannot vouch for it, empties it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any

import msgspec

from palazzo.errors import DamagedRow, WrongKey
from palazzo.ports import FieldCipher
from palazzo.store.sql.port import Connection

Stored = str | bytes | None


class SealedText(bytes):
    """A sealed text: bytes that stand where a text would. An engine whose columns have one type tells it by this."""

    __slots__ = ()


def opened(column: str, owner: str = "0") -> str:
    """SQL for the text of a column, sealed or not; `owner` is the column of the number it was sealed for."""
    return f"iif(typeof({column}) = 'blob', opened({column}, {owner}), {column})"


ATOM = f"{opened('subject')}, {opened('predicate')}, {opened('value')}"
"""The words of an atom, sealed or not."""


def opener(cipher: FieldCipher | None) -> Callable[[Any, Any], str]:
    """The function `opened` of a connection: what a sealed text of this owner reads."""

    def function(sealed: Any, owner: Any) -> str:
        if cipher is None:
            raise WrongKey("a sealed text was met and the palace was opened without its key")
        try:
            return cipher.open(sealed, owner)
        except WrongKey as error:  # the palace knew its key when it was opened, so it is the text that is wrong
            raise DamagedRow("a sealed text does not open") from error

    return function


def sealed(cipher: FieldCipher | None, text: str | None, owner: int) -> Stored:
    """What is stored for a text of this owner; without a cipher the text itself."""
    if cipher is None or text is None:
        return text
    return SealedText(cipher.seal(text, owner))


def alike(cipher: FieldCipher | None, text: str) -> str | bytes:
    """What is stored for a text that is looked up by equality."""
    return text if cipher is None else SealedText(cipher.seal_alike(text))


def marked(cipher: FieldCipher | None, digest: bytes) -> bytes:
    """What is stored for a hash of a text: of a sealed one nobody can make it without the key."""
    return digest if cipher is None else cipher.mark(digest)


def forms(cipher: FieldCipher | None, text: str) -> tuple[str | bytes, ...]:
    """Every way a text that is looked up may be stored."""
    return (text,) if cipher is None else (text, SealedText(cipher.seal_alike(text)))


def pairs(cipher: FieldCipher | None, wanted: Iterable[tuple[str, str]]) -> list[tuple[str | bytes, str | bytes]]:
    """Every way these pairs may be stored: both plain, or both sealed."""
    found: list[tuple[str | bytes, str | bytes]] = []
    for first, second in wanted:
        found.append((first, second))
        if cipher is not None:
            found.append((SealedText(cipher.seal_alike(first)), SealedText(cipher.seal_alike(second))))
    return found


SIZE = 16
_TEXTS = ", ".join(opened(f"r.{name}", "r.id") for name in ("text", "summary", "key_fact", "label", "detail"))
_COVERED = f"""m.uuid, m.name, m.kind, r.number, {_TEXTS}, r.importance, r.confidence, r.valence, r.intensity, r.author,
    r.created_us, r.valid_from_us, r.valid_to_us"""


def digest(covered: Sequence[object], atoms: Sequence[Sequence[object]]) -> bytes:
    """The digest of these values, in the order of the columns, and of the atoms in theirs."""
    return blake2b(msgspec.json.encode((covered, atoms)), digest_size=SIZE).digest()


def digests(connection: Connection, condition: str = "TRUE", values: Sequence[int] = ()) -> Iterator[tuple[Any, ...]]:
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


def renew_digest(connection: Connection, revision: int, cipher: FieldCipher | None) -> None:
    """Writes the digest of a revision that was rewritten on purpose; one that had none goes on without."""
    for number, written, _, found in list(digests(connection, "r.id = ?", (revision,))):
        if written is not None:
            keyed = found if cipher is None else cipher.mark(found)
            connection.execute("UPDATE revision SET digest = ? WHERE id = ?", (keyed, number))


def altered(connection: Connection, cipher: FieldCipher | None) -> list[str]:
    """The revisions that are not as they were written."""
    found = []
    for number, written, sealed, plain in digests(connection):
        keyed = cipher.mark(plain) if sealed and cipher is not None else plain
        if written is not None and written != keyed:
            found.append(f"revision: row {number} or its atoms are not as they were written")
    return found
