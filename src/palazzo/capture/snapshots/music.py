"""Music: what plays and where it stands, from players that speak MPRIS on the session bus.

Needs `dbus-fast` (extra `dbus`). Owns the way to a player. Invariant: playing again is offered, and done only when it
was asked for by itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

from palazzo.capture.snapshots.around import Around
from palazzo.errors import PartUnavailable
from palazzo.files import extras
from palazzo.ports import RestoreAction

WAIT_S: Final = 0.5
SECOND_US: Final = 1_000_000
_NAMES: Final = "org.mpris.MediaPlayer2."
_PLAYER: Final = "org.mpris.MediaPlayer2.Player"
_PATH: Final = "/org/mpris/MediaPlayer2"
T = TypeVar("T")


class MusicPart:
    """The player that plays, or the first that is paused."""

    name = "music"

    def capture(self, around: Around) -> Any:
        async def ask(bus: Any) -> Any:
            found = []
            for name in await _names(bus):
                if around.is_private(name.removeprefix(_NAMES)):
                    continue
                told = await _call(bus, name, "GetAll", "s", [_PLAYER])
                found.append(_state(name, {key: value.value for key, value in told[0].items()}))
            playing = [one for one in found if one["state"] == "playing"]
            return next(iter(playing or found), None)

        return _on_the_bus(ask)

    def restore(self, state: Any, around: Around) -> Iterable[RestoreAction]:
        minutes, seconds = divmod(state["position_s"], 60)
        what = f"{state.get('title') or state.get('url') or 'music'} at {minutes}:{seconds:02} in {state['player']}"
        if around.is_private(state["player"]):
            yield RestoreAction(step="music", what=what, state="left", told=("the player is private",))
        else:
            yield RestoreAction(step="music", what=what, do=lambda: _on_the_bus(lambda bus: _play(bus, state)) or ())


def _state(name: str, told: dict[str, Any]) -> dict[str, Any]:
    about = {key: value.value for key, value in (told.get("Metadata") or {}).items()}
    kept = {
        "player": name.removeprefix(_NAMES),
        "state": str(told.get("PlaybackStatus", "")).lower(),
        "position_s": int(told.get("Position") or 0) // SECOND_US,
        "track": str(about.get("mpris:trackid") or ""),
        "title": str(about.get("xesam:title") or ""),
        "artist": ", ".join(about.get("xesam:artist") or ()),
        "url": str(about.get("xesam:url") or ""),
    }
    return {key: value for key, value in kept.items() if value != ""}


async def _names(bus: Any) -> list[str]:
    from dbus_fast import Message

    name = "org.freedesktop.DBus"
    told = await _answered(bus, Message(destination=name, path="/", interface=name, member="ListNames"))
    return sorted(name for name in told[0] if name.startswith(_NAMES))


async def _call(bus: Any, name: str, member: str, signature: str = "", body: Sequence[Any] = ()) -> list[Any]:
    """Asks a player to do something; for GetAll, what holds of it."""
    from dbus_fast import Message

    interface = "org.freedesktop.DBus.Properties" if member == "GetAll" else _PLAYER
    return await _answered(
        bus,
        Message(
            destination=name, path=_PATH, interface=interface, member=member, signature=signature, body=list(body)
        ),
    )  # fmt: skip


async def _answered(bus: Any, asked: Any) -> list[Any]:
    """Raises: PartUnavailable when the other side refuses."""
    from dbus_fast import MessageType

    answer = await bus.call(asked)
    if answer.message_type is MessageType.ERROR:
        raise PartUnavailable(f"{asked.destination} refused {asked.member}: {answer.error_name}", part="music")
    told: list[Any] = answer.body
    return told


async def _play(bus: Any, state: dict[str, Any]) -> list[str]:
    name = f"{_NAMES}{state['player']}"
    if name not in await _names(bus):
        raise PartUnavailable(f"the player {state['player']} does not run", part="music")
    told = await _call(bus, name, "GetAll", "s", [_PLAYER])
    now = _state(name, {key: value.value for key, value in told[0].items()})
    if now.get("track") != state.get("track"):
        if not state.get("url"):
            raise PartUnavailable("another track is in the player, and this one has no address", part="music")
        await _call(bus, name, "OpenUri", "s", [state["url"]])
    await _call(bus, name, "Play")
    if state.get("track"):
        await _call(bus, name, "SetPosition", "ox", [state["track"], state["position_s"] * SECOND_US])
    return []


def _on_the_bus(work: Callable[[Any], Coroutine[Any, Any, T]]) -> T | None:
    """Does something on the session bus; None where there is none.

    Raises: PartUnavailable.
    """
    try:
        from dbus_fast import AuthError, DBusError, InvalidAddressError
        from dbus_fast.aio import MessageBus
    except ImportError as error:
        raise PartUnavailable("dbus-fast is not installed", part="music", hint=extras.command("dbus")) from error

    async def run() -> T | None:
        try:
            bus = await MessageBus().connect()
        except (OSError, InvalidAddressError, AuthError):
            return None
        try:
            return await work(bus)
        finally:
            bus.disconnect()

    try:
        with ThreadPoolExecutor(1) as aside:  # whoever asks may be in a loop of its own
            return aside.submit(lambda: asyncio.run(asyncio.wait_for(run(), WAIT_S))).result()
    except (TimeoutError, DBusError) as error:
        raise PartUnavailable("the player does not answer", part="music") from error
