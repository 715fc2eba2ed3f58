"""Commits as bytes, so that another process may write them, and what came of them as bytes again.

Owns the form; it lasts for moments, so it has no versions: who knows other changes does not read it. Knows no engine.
Invariants: what is unpacked is what was packed, vectors included; in a palace with a key the bytes are sealed; nothing
that was read from them is ever run.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import blake2b
from typing import Any, Final

import msgspec
import numpy as np
from msgspec.structs import replace

from palazzo.errors import WrongKey
from palazzo.model.change import AddRevision, PlaceMemory, Receipt
from palazzo.store.sql.apply import JOINING, Batch
from palazzo.text.safety.gate import Gated

_TYPES: Final = {kind.__name__: kind for kind in sorted(JOINING, key=lambda kind: kind.__name__)}


class _Packed(msgspec.Struct, array_like=True):
    """One commit: when, by whom, and its changes, each with its name."""

    now_us: int
    subject: str
    changes: list[tuple[str, msgspec.Raw]]


@cache
def _form() -> bytes:
    """What the changes look like in this release."""
    shapes = msgspec.json.schema_components(_TYPES.values())
    return blake2b(msgspec.json.encode(shapes, order="deterministic"), digest_size=8).digest()


def packed(batches: Sequence[Batch]) -> bytes:
    """What commits of one process are about."""
    said = _encoder.encode((_form(), [
        _Packed(one.now_us, one.subject, [
            (type(change).__name__, msgspec.Raw(_encoder.encode(change))) for change in one.gated.changes
        ])
        for one in batches
    ]))  # fmt: skip
    cipher = batches[0].cipher
    return said if cipher is None else cipher.seal(b64encode(said).decode(), 0)


def unpacked(said: bytes, beside: Batch) -> list[Batch]:
    """Commits that another process packed, to be written beside one of this process's own; none where they are not to
    be read here: of another release, or sealed by another key."""
    try:
        clear = said if beside.cipher is None else b64decode(beside.cipher.open(said, 0))
        form, told = _decoder.decode(clear)
        if form != _form():
            return []
        return [beside._replace(gated=Gated(_changes(one)), now_us=one.now_us, subject=one.subject) for one in told]
    except (msgspec.DecodeError, WrongKey, KeyError, ValueError):
        return []


def packed_receipts(receipts: Sequence[Receipt], together: int) -> bytes:
    """What came of the commits of one process, without the notes, which it has; and how many processes it was."""
    return msgspec.msgpack.encode((together, [(one.first_seq, one.last_seq, one.changes) for one in receipts]))


def unpacked_receipts(said: bytes, batches: Sequence[Batch]) -> tuple[int, list[Receipt]]:
    """The same, each with its notes."""
    together, told = msgspec.msgpack.decode(said, type=tuple[int, list[tuple[int, int, int]]])
    return together, [Receipt(*one, batch.gated.notes) for one, batch in zip(told, batches, strict=True)]


def _changes(one: _Packed) -> tuple[Any, ...]:
    return tuple(_seen(msgspec.msgpack.decode(body, type=_TYPES[name])) for name, body in one.changes)


def _seen(change: Any) -> Any:
    """A change whose vectors are figures again."""
    if isinstance(change, PlaceMemory | AddRevision) and change.attachments.vectors:
        vectors = {name: np.frombuffer(one, np.float32) for name, one in change.attachments.vectors.items()}
        return replace(change, attachments=replace(change.attachments, vectors=vectors))
    return change


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else np.asarray(value, np.float32).tobytes()


_encoder: Final = msgspec.msgpack.Encoder(enc_hook=_plain)
_decoder: Final = msgspec.msgpack.Decoder(tuple[bytes, list[_Packed]])
