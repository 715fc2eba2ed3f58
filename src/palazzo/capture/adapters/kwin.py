"""KDE: KWin tells which window is in front to scripts that run inside it alone, so it is given one for each question.

The script reads one property of the active window and calls back over the session bus (`dbus-fast`, in
the extra `capture`). Invariants: one property a question, so that a title is read only when it is asked
for; the script is taken out of KWin again, whatever came of it.
"""

from __future__ import annotations

import asyncio
import tempfile
from typing import Any, Final, Literal

from palazzo.errors import PartUnavailable

PATIENCE_S: Final = 3.0
_KWIN: Final = "org.kde.KWin"
_SCRIPTING: Final = "org.kde.kwin.Scripting"
_INTERFACE: Final = "ai.palazzo.Front"
_SCRIPT: Final = """var front = workspace.activeWindow || workspace.activeClient;
callDBus("{name}", "/", "{interface}", "Told", front ? String(front.{wanted}) : "");
"""
"""Plasma 6 calls it a window, Plasma 5 a client."""


def told_of_front(address: str, wanted: Literal["resourceClass", "caption"]) -> str:
    """One property of the active window; empty where none is active.

    Raises: PartUnavailable when KWin does not answer.
    """
    try:
        return asyncio.run(_asked(address, wanted))
    except (OSError, EOFError, TimeoutError) as error:
        raise PartUnavailable("KWin does not answer on the session bus", part="window") from error


async def _asked(address: str, wanted: str) -> str:
    from dbus_fast import Message, MessageType
    from dbus_fast.aio import MessageBus

    bus = await MessageBus(bus_address=address).connect()
    answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def heard(message: Message) -> Message | None:
        if message.message_type is not MessageType.METHOD_CALL or message.interface != _INTERFACE:
            return None
        if not answer.done():
            answer.set_result(str(message.body[0]) if message.body else "")
        return Message.new_method_return(message)

    async def call(path: str, interface: str, member: str, *body: str) -> list[Any] | None:
        given = Message(
            destination=_KWIN, path=path, interface=interface, member=member, signature="s" * len(body), body=[*body]
        )
        reply = await bus.call(given)
        return list(reply.body) if reply is not None and reply.message_type is MessageType.METHOD_RETURN else None

    bus.add_message_handler(heard)
    try:
        with tempfile.NamedTemporaryFile("w", suffix=".js") as script:
            script.write(_SCRIPT.format(name=bus.unique_name, interface=_INTERFACE, wanted=wanted))
            script.flush()
            async with asyncio.timeout(PATIENCE_S):
                made = await call("/Scripting", _SCRIPTING, "loadScript", script.name, script.name)
                if not made:
                    raise OSError("no KWin on this bus")
                try:
                    if await call(f"/Scripting/Script{made[0]}", "org.kde.kwin.Script", "run") is None:
                        await call(f"/{made[0]}", "org.kde.kwin.Script", "run")  # where Plasma 5 has it
                    return await answer
                finally:
                    await asyncio.wait_for(call("/Scripting", _SCRIPTING, "unloadScript", script.name), PATIENCE_S)
    finally:
        bus.disconnect()
