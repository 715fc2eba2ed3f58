"""How often a subject may ask: a sliding minute and a count per session, in the memory of this process.

Owns the windows. Knows nothing of what is asked. Invariants: threads share one window per subject; memory is bounded,
the subject that asked longest ago is forgotten first.
"""

from __future__ import annotations

from collections import OrderedDict, deque

from palazzo.errors import RateLimited
from palazzo.model.fork_lock import ForkLock

MINUTE_US = 60_000_000
REMEMBERED = 10_000
"""Subjects and sessions whose windows are kept."""


class Rates:
    """The windows of one process."""

    def __init__(self) -> None:
        self._minutes: OrderedDict[str, deque[int]] = OrderedDict()
        self._sessions: OrderedDict[tuple[str, str], int] = OrderedDict()
        self._lock = ForkLock()

    def take(self, key: str, per_minute: int, now_us: int) -> None:
        """Counts one call.

        Raises: RateLimited with the seconds until there is room again.
        """
        with self._lock:
            window = self._minutes.setdefault(key, deque())
            self._minutes.move_to_end(key)
            while len(self._minutes) > REMEMBERED:
                self._minutes.popitem(last=False)
            while window and window[0] <= now_us - MINUTE_US:
                window.popleft()
            if len(window) >= per_minute:
                wait_s = (window[len(window) - per_minute] + MINUTE_US - now_us) / 1e6
                raise RateLimited(f"no more than {per_minute} calls a minute", retry_after_s=max(wait_s, 0.001))
            window.append(now_us)

    def take_of_session(self, subject: str, session: str, at_most: int) -> None:
        """Counts one call of a session.

        Raises: RateLimited; only another session, or an operator, helps.
        """
        key = (subject, session)
        with self._lock:
            spent = self._sessions.get(key, 0)
            if spent >= at_most:
                raise RateLimited(
                    f"no more than {at_most} calls a session", retry_after_s=None,
                    hint="begin another session, or let the operator raise your capability",
                )  # fmt: skip
            self._sessions[key] = spent + 1
            self._sessions.move_to_end(key)
            while len(self._sessions) > REMEMBERED:
                self._sessions.popitem(last=False)
