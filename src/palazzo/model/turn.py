"""Where a verbatim memory stood in a conversation: thread, session, position, who spoke and in which role.

What was said just before and after is a first-class signal of recall, so it is kept as structure, not as text.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Role = Literal["user", "assistant", "system", "tool", "other"]


class Turn(msgspec.Struct, frozen=True, gc=False):
    """A place in a conversation. `position` counts turns within the session; -1 asks the store for the next one."""

    thread: str
    session: str
    position: int = -1
    speaker: str = ""
    role: Role = "user"
