"""Palaces on a server: which setting names one, where its own folder is, and how it is made and opened.

Knows no driver until one is asked for. The folder of such a palace holds what belongs to this machine and never to the
server: its settings, the note of its key, the archive of what was told here, the daemon's socket.
"""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from palazzo.errors import PartUnavailable
from palazzo.files import extras
from palazzo.settings import Settings

if TYPE_CHECKING:
    from palazzo.store.postgres.palace import Address

BEGINNINGS: Final = ("postgresql://", "postgres://")


def on_server(palace: str) -> bool:
    """Whether a palace is named by an address and not by a folder."""
    return palace.startswith(BEGINNINGS)


def folder_for(palace: str) -> Path:
    """The folder on this machine of a palace on a server: one for each user, server, database and palace."""
    import platformdirs

    parts = urlsplit(palace)
    name, _, host = parts.netloc.rpartition("@")
    named = f"{name.partition(':')[0]}@{host}{parts.path}?{parts.query}"
    digest = blake2b(named.encode(), digest_size=6).hexdigest()
    shown = "".join(sign if sign.isalnum() else "-" for sign in f"{parts.hostname or 'local'}{parts.path}")
    return Path(platformdirs.user_data_dir("palazzo", appauthor=False)) / "servers" / f"{shown}-{digest}"


def address_of(settings: Settings) -> Address:
    """Raises: PartUnavailable when the driver is not installed, InvalidInput."""
    extras.need("psycopg", "postgres", "the driver of PostgreSQL is not installed", part="postgresql")
    from palazzo.store.postgres.palace import Address

    return Address.parse(settings["palace"])


def only_files(settings: Settings, command: str) -> None:
    """Raises: PartUnavailable for a palace on a server, whose files are the server's."""
    if on_server(settings["palace"]):
        raise PartUnavailable(
            f"{command} is for a palace in a file; the files of this one are the server's",
            part="postgresql",
            hint="use the server's own tools (pg_dump, pg_restore, encryption of its disk); see docs/scale.md",
        )
