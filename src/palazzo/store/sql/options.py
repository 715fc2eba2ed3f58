"""How a store is opened and works; see settings.py for what each is for. An engine refuses what it cannot do."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from palazzo.model.address import Place
from palazzo.model.kinds import KINDS, KindTable
from palazzo.ports import FieldCipher


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenOptions:
    """How to open the file. `durable` syncs every commit; otherwise a power cut may lose the last ones, never tear."""

    key: bytes | None = field(default=None, repr=False)
    durable: bool = True
    busy_wait_s: float = 60.0
    cache_mb: int = 8
    mmap_mb: int = 16
    read_only: bool = False
    exclusive: bool = False  # keeps everybody else out while the connection is open
    vfs: str | None = None
    hide_times: bool = False
    fields: FieldCipher | None = field(default=None, repr=False)


class StoreOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a store works on what it opened."""

    file: OpenOptions = OpenOptions()
    kinds: KindTable = KindTable(KINDS)
    upkeep: bool = True
    text_cache_mb: int = 64
    vector_cache_mb: int = 96
    places: tuple[Place, ...] = ()
    """The places a new palace has from the beginning."""
    require_sealing: bool = False
    """Whether guarded text is refused while there is no key to seal it with."""
