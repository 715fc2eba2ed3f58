"""Music: what players say they play, by MPRIS on the session bus.

Needs `dbus-fast` (extra `capture`) and a session bus. Invariants: a private player is not asked what
it plays; nothing is asked while the gate is closed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, Final

from palazzo.errors import PartUnavailable
from palazzo.files import extras
from palazzo.ports import Sight

EVERY_S: Final = 5.0
_PLAYERS: Final = "org.mpris.MediaPlayer2."
_PATH: Final = "/org/mpris/MediaPlayer2"
_PLAYER: Final = "org.mpris.MediaPlayer2.Player"
_PROPERTIES: Final = "org.freedesktop.DBus.Properties"


class Music:
    """Watches players."""

    name = "music"
    about = "Player, artist and title of what is played."

    def __init__(self, desktop: Mapping[str, str]) -> None:
        """`desktop` are the variables by which a desktop says where it is."""
        self._address = desktop.get("DBUS_SESSION_BUS_ADDRESS", "")

    def missing(self) -> str:
        """Why no player can be heard here."""
        if find_spec("dbus_fast") is None:
            return f"dbus-fast is not installed: {extras.command('capture')}"
        return "" if self._address else "there is no session bus"

    def watch(self, sight: Sight) -> None:
        """Looks until told to stop."""
        asyncio.run(self._look(sight))

    async def _look(self, sight: Sight) -> None:
        from dbus_fast.aio import MessageBus
        from dbus_fast.errors import DBusError

        try:
            bus = await MessageBus(bus_address=self._address).connect()
        except (OSError, DBusError, EOFError) as error:
            raise PartUnavailable("the session bus does not answer", part="music") from error
        known: dict[str, tuple[str, str]] = {}
        try:
            while not sight.wait(0):
                if sight.is_open():
                    known = {name: await self._told(bus, name, known, sight) for name in await self._players(bus)}
                for _ in range(round(EVERY_S * 10)):
                    if sight.wait(0):
                        return
                    await asyncio.sleep(0.1)
        finally:
            bus.disconnect()

    @staticmethod
    async def _asked(bus: Any, name: str, path: str, member: tuple[str, str], signature: str, body: list[str]) -> Any:
        from dbus_fast import Message, MessageType

        reply = await bus.call(
            Message(destination=name, path=path, interface=member[0], member=member[1], signature=signature, body=body)
        )
        return reply.body if reply is not None and reply.message_type == MessageType.METHOD_RETURN else []

    async def _players(self, bus: Any) -> list[str]:
        place, member = "org.freedesktop.DBus", ("org.freedesktop.DBus", "ListNames")
        found = await self._asked(bus, place, "/org/freedesktop/DBus", member, "", [])
        return sorted(name for name in (found[0] if found else []) if name.startswith(_PLAYERS))

    async def _told(self, bus: Any, name: str, known: Mapping[str, tuple[str, str]], sight: Sight) -> tuple[str, str]:
        player = name.removeprefix(_PLAYERS)
        if sight.bars_app(player):
            return "", ""
        found = await self._asked(bus, name, _PATH, (_PROPERTIES, "GetAll"), "s", [_PLAYER])
        held = {key: one.value for key, one in found[0].items()} if found else {}
        if held.get("PlaybackStatus") != "Playing":
            return "", ""
        told = {key: one.value for key, one in held.get("Metadata", {}).items()}
        title, artist = str(told.get("xesam:title", "")), ", ".join(map(str, told.get("xesam:artist", [])))
        said = (title, artist)
        if title and known.get(name) != said:
            beside = {"app": player, "artist": artist, "title": title}
            sight.saw("music", f"{artist}: {title}" if artist else title, beside)
        return said
