"""Results and errors as bytes, and back: JSON for HTTP, MessagePack for the socket, the same shape on both.

Owns the form of an error on the wire and the way back to the exception. Knows no transport. Invariant: an error that
crosses the wire arrives as the class, code, message, hint and field it left with.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn

import msgspec

from palazzo.errors import (
    Conflict,
    DiskFull,
    InvalidInput,
    KeyReused,
    NotFound,
    NotPermitted,
    PalaceBusy,
    PalaceMissing,
    PalazzoError,
    PartUnavailable,
    RateLimited,
    ReadOnlyPalace,
)  # fmt: skip
from palazzo.guard.reduce import Exists, Outline

_STATUS: Final[tuple[tuple[type[PalazzoError], int], ...]] = (
    (KeyReused, 422), (InvalidInput, 422), (NotFound, 404), (Conflict, 409), (NotPermitted, 403),
    (RateLimited, 429), (PalaceMissing, 503), (PalaceBusy, 503), (ReadOnlyPalace, 503), (DiskFull, 507),
    (PartUnavailable, 503),
)  # fmt: skip


def status_of(error: PalazzoError) -> int:
    """The HTTP status that says the same as an error."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


class Fault(msgspec.Struct, frozen=True, omit_defaults=True):
    """An error on the wire. `field` names the parameter at fault, where there is one."""

    code: str
    message: str
    hint: str = ""
    field: str = ""


BUSY: Final = Fault("busy", "too many requests wait already", "try again in a moment")
CROWDED: Final = Fault("rate_limited", "other requests fill what this server holds at once", "try again in a moment")
TOO_LARGE: Final = Fault("too_large", "the request is larger than this server takes", "send less at once")
TOO_SLOW: Final = Fault("too_slow", "the request did not come in time", "send it without pauses, or less at once")


def fault(error: PalazzoError) -> Fault:
    """An error as it crosses the wire."""
    return Fault(error.code, error.message, error.hint, getattr(error, "field", ""))


def _classes(root: type[PalazzoError]) -> dict[str, type[PalazzoError]]:
    found = {root.code: root}
    for kind in root.__subclasses__():
        found.update(_classes(kind))
    return found


def raise_fault(told: Fault) -> NoReturn:
    """Raises the error that was told, as its own class."""
    kind = _classes(PalazzoError).get(told.code, PalazzoError)
    error = kind.__new__(kind)  # the constructors differ; what crossed the wire is what they made of their arguments
    PalazzoError.__init__(error, told.message, hint=told.hint)
    vars(error).update(code=told.code, field=told.field)
    raise error


class Request(msgspec.Struct, frozen=True, omit_defaults=True):
    """One request on the socket. `key` makes it run once; `token` says who calls where the connection does not."""

    operation: str
    arguments: dict[str, Any] = {}
    key: str = ""
    token: str = ""


FORMS: Final[dict[str, type]] = {"exists": Exists, "outline": Outline}
"""What a caller below an operation's level gets instead of its result."""


def form_of(result: Any) -> str:
    """The name of a reduced form; empty for a result as the operation declares it."""
    return next((name for name, kind in FORMS.items() if isinstance(result, kind)), "")


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """One answer on the socket: a result, or a fault. `form` says when the result is a reduced one."""

    result: msgspec.Raw = msgspec.Raw()
    fault: Fault | None = None
    form: str = ""
