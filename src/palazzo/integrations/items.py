"""Exact JSON values by namespace and key, kept as memories: what the stores and sessions of frameworks are made of.

Owns the way from a namespace to a place, values that are longer than a memory may be, and values that end. Knows no
framework. Invariants: a value comes back as it was put, or the caller was warned that a secret was left out of it; a
namespace never reaches into another, however it is spelt; what has ended is not read; every value written is one
transaction.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any, Final
from uuid import UUID, uuid4

import msgspec

from palazzo.errors import Conflict, InvalidInput, NotFound
from palazzo.model.address import MAX_DEPTH, slug
from palazzo.model.zone import moment
from palazzo.operations.shared import StoredMemory
from palazzo.surfaces.library import Memory
from palazzo.text.safety.gate import without_secrets

Namespace = tuple[str, ...]
KIND: Final = "fact"
INLINE_BYTES: Final = 12_000
"""A longer value is cut into pieces: what stands beside a memory has 16 KB at most, the key and namespace included."""
PIECE_BYTES: Final = 6_000
TEXT_BYTES: Final = 6_000
MOST_NOTES: Final = 500
_LABEL: Final = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,38}[a-z0-9_])?")
_PAGE: Final = 1_000
_READINGS: Final = 5
_FRESH: Final = 0.9
"""Of the time a value has, so much may be left before reading it begins the time anew: each time is a revision."""


class SecretLeftOut(UserWarning):
    """A value held a secret, which a palace does not keep: what comes back is not what was put."""


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """A value with its namespace and key; `ttl_s` is how long it lasts from when it was last put or read."""

    id: UUID
    namespace: Namespace
    key: str
    value: Any
    created_at: datetime
    updated_at: datetime
    indexed: bool = True
    ttl_s: float | None = None
    ends_at: datetime | None = None


class Put(msgspec.Struct, frozen=True, kw_only=True):
    """A value to keep. `text` is what recall finds it by, and it is found by nothing where that is empty."""

    namespace: Namespace
    key: str
    value: Any
    text: str = ""
    ttl_s: float | None = None


class KeptItems:
    """The values kept below one place of a palace."""

    def __init__(self, memory: Memory, place: str = "store") -> None:
        if "." in place or not _LABEL.fullmatch(place):
            raise InvalidInput("the place of a store is one word", field="place", hint="such as store")
        self.memory = memory
        self._root = place

    def now(self) -> datetime:
        """The moment by the palace's clock."""
        return moment(self.memory.engine.clock.now_us())

    def put(self, puts: Iterable[Put]) -> None:
        """Keeps values, each instead of what its key held; of two for one key the later counts.

        Raises: InvalidInput for what is not JSON, and what the palace raises.
        """
        last = {(one.namespace, one.key): one for one in puts}
        notes: list[dict[str, Any]] = []
        for one in last.values():
            made = self._notes(one)
            if notes and len(notes) + len(made) > MOST_NOTES:
                self.memory.remember_many(notes)
                notes = []
            notes += made
        if notes:
            self.memory.remember_many(notes)

    def get(self, namespace: Namespace, key: str, *, refresh: bool = False) -> Item | None:
        """The value of a key, or None; `refresh` begins the time of one that ends anew."""
        found = self._at(self._address(namespace, key))
        item = None if found is None else self._item(found)
        return self._refreshed(item) if refresh and item is not None else item

    def delete(self, namespace: Namespace, key: str) -> None:
        """Removes the value of a key for good, with its earlier ones."""
        found = self._at(self._address(namespace, key))
        if found is not None:
            self._purge(found)

    def under(self, prefix: Namespace, *, refresh: bool = False) -> Iterator[Item]:
        """The values whose namespace begins with a prefix, newest first."""
        for found in self._pages(prefix):
            item = self._item(found)
            if item is not None:
                yield self._refreshed(item) if refresh else item

    def ranked(self, prefix: Namespace, query: str, most: int) -> list[tuple[Item, float]]:
        """The values of a prefix that a query finds, best first, each with how likely it is what was asked for."""
        hits = self.memory.recall(query, place=self._glob(prefix), limit=min(200, 2 * most + 10), min_relevance=0.0)
        found: dict[UUID, tuple[Item, float]] = {}
        for hit in sorted(hits, key=lambda hit: -hit.relevance):
            whole = self._whole(hit.memory, prefix)
            item = None if whole is None else self._item(whole)
            if item is not None and item.indexed:
                found.setdefault(item.id, (item, hit.relevance))
        return list(found.values())[:most]

    def namespaces(self, prefix: Namespace = ()) -> list[Namespace]:
        """The namespaces that hold something, in order."""
        return sorted({tuple(one.metadata["namespace"]) for one in self._pages(prefix) if not self._ended(one)})

    def sweep(self) -> int:
        """Removes what has ended for good; returns how many values."""
        ended = [found for found in self._pages(()) if self._ended(found)]
        for found in ended:
            self._purge(found)
        return len(ended)

    def _notes(self, put: Put) -> list[dict[str, Any]]:
        """The memories that hold a value: one, and the pieces of a long one."""
        try:
            written = json.dumps(put.value, allow_nan=False, ensure_ascii=False)
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"the value of {put.key!r} is not JSON: {error}", field="value") from error
        cut = len(written.encode()) > INLINE_BYTES
        # The version keeps a value that is put again, after another, from counting as the message sent twice.
        version = uuid4().hex
        about: dict[str, Any] = {"namespace": list(put.namespace), "key": put.key, "version": version}
        if put.ttl_s is not None:
            about |= {"ttl_s": put.ttl_s, "ends_at": (self.now() + timedelta(seconds=put.ttl_s)).isoformat()}
        shown = _cut(put.text, TEXT_BYTES)[0] if put.text.strip() else f"{' '.join(put.namespace)} {put.key}"
        same = {"place": self._place(put.namespace), "kind": KIND, "verbatim": True, "conflict": "keep_both"}
        name = _name(put.namespace, put.key)
        pieces = _cut(written, PIECE_BYTES) if cut else []
        held = {"pieces": len(pieces)} if cut else {"value": put.value}
        notes = [
            {**same, "name": name, "text": shown, "metadata": {**about, **held, "indexed": bool(put.text.strip())}}
        ]
        notes += [
            {**same, "name": f"{name}-{number}", "text": piece if piece.strip() else f"({len(piece)})",
             "metadata": {**about, "piece": number, "of": name, **({} if piece.strip() else {"blank": piece})}}
            for number, piece in enumerate(pieces)
        ]  # fmt: skip
        whole = {"value": put.value}
        if without_secrets(whole) != whole:
            told = f"{'.'.join(put.namespace)}, {put.key}: a secret is not kept, it comes back replaced"
            warnings.warn(told, SecretLeftOut, stacklevel=4)
        return notes

    def _item(self, found: StoredMemory) -> Item | None:
        """The value a memory holds; None when it has ended or was removed meanwhile."""
        for _ in range(_READINGS):
            if self._ended(found):
                return None
            try:
                return _made(found, self._value(found))
            except NotFound:  # the value is being put anew
                again = self._at(found.address)
                if again is None:
                    return None
                found = again
        raise Conflict(f"{found.address} changes faster than it can be read", hint="read it again")

    def _value(self, found: StoredMemory) -> Any:
        beside = found.metadata
        if "pieces" not in beside:
            return beside["value"]
        written = ""
        for number in range(beside["pieces"]):
            piece = self.memory.get(f"{found.place}/{found.name}-{number}.{KIND}")
            if piece.metadata["version"] != beside["version"]:
                raise NotFound(f"another value of {found.address}")
            written += piece.metadata.get("blank", piece.text)
        return json.loads(written)

    def _refreshed(self, item: Item) -> Item:
        """The value with its time begun anew, where a tenth of it is over."""
        if item.ttl_s is None or item.ends_at is None:
            return item
        left_s = (item.ends_at - self.now()).total_seconds()
        if left_s > _FRESH * item.ttl_s:
            return item
        found = self.memory.get(str(item.id))
        ends_at = self.now() + timedelta(seconds=item.ttl_s)
        self.memory.update(str(item.id), found.text, metadata={**found.metadata, "ends_at": ends_at.isoformat()})
        return msgspec.structs.replace(item, ends_at=ends_at)

    def _ended(self, found: StoredMemory) -> bool:
        ends_at = found.metadata.get("ends_at")
        return ends_at is not None and datetime.fromisoformat(ends_at) <= self.now()

    def _purge(self, found: StoredMemory) -> None:
        number = found.metadata.get("pieces", 0)
        self.memory.purge(str(found.id))
        for address in (f"{found.place}/{found.name}-{one}.{KIND}" for one in range(number)):
            piece = self._at(address)
            if piece is not None:
                self.memory.purge(str(piece.id))

    def _pages(self, prefix: Namespace) -> Iterator[StoredMemory]:
        """The memories that hold values of a prefix, newest first, without pieces."""
        cursor = ""
        while True:
            page = self.memory.list(place=self._glob(prefix), limit=_PAGE, cursor=cursor)
            yield from (one for one in page if "piece" not in one.metadata and _begins(one.metadata, prefix))
            cursor = page.next_cursor
            if not cursor:
                return

    def _whole(self, found: StoredMemory, prefix: Namespace) -> StoredMemory | None:
        """The memory a hit belongs to: itself, or the one it is a piece of."""
        if not _begins(found.metadata, prefix):
            return None
        return found if "piece" not in found.metadata else self._at(f"{found.place}/{found.metadata['of']}.{KIND}")

    def _at(self, address: str) -> StoredMemory | None:
        try:
            return self.memory.get(address)
        except NotFound:
            return None

    def _address(self, namespace: Namespace, key: str) -> str:
        return f"{self._place(namespace)}/{_name(namespace, key)}.{KIND}"

    def _place(self, namespace: Namespace) -> str:
        return ".".join([self._root, *map(_segment, namespace[: MAX_DEPTH - 1])])

    def _glob(self, prefix: Namespace) -> str:
        return f"{self._place(prefix)}.**"


def _begins(beside: Mapping[str, Any], prefix: Namespace) -> bool:
    """Whether a memory is of a namespace that begins so: a place tells only the first labels, and not all of them."""
    return "version" in beside and tuple(beside["namespace"][: len(prefix)]) == prefix


def _made(found: StoredMemory, value: Any) -> Item:
    beside = found.metadata
    ends_at = beside.get("ends_at")
    return Item(
        id=found.id, namespace=tuple(beside["namespace"]), key=beside["key"], value=value,
        created_at=found.created_at, updated_at=found.revised_at, indexed=beside.get("indexed", True),
        ttl_s=beside.get("ttl_s"), ends_at=None if ends_at is None else datetime.fromisoformat(ends_at),
    )  # fmt: skip


def _segment(label: str) -> str:
    """A label as a segment of a place: itself where it may stand there, else its letters and a digest of all of it."""
    if _LABEL.fullmatch(label) and "--" not in label:
        return label
    return f"{slug(label, 30)}--{_digest(label)}"


def _name(namespace: Sequence[str], key: str) -> str:
    return f"{slug(key, 40)}-{_digest(*namespace, key)}"


def _digest(*parts: str) -> str:
    return blake2b(json.dumps(parts).encode(), digest_size=6).hexdigest()


def _cut(text: str, most_bytes: int) -> list[str]:
    """A text in pieces of at most so many bytes; a character has four of them at most."""
    pieces, rest = [], text
    while len(rest.encode()) > most_bytes:
        size = most_bytes // 4
        while len(rest[: size * 2].encode()) <= most_bytes:
            size *= 2
        pieces.append(rest[:size])
        rest = rest[size:]
    return [*pieces, rest]
