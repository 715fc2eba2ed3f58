"""Who a connection is: a bearer token, made by the operator, shown once and kept as a hash, or the user at a Unix
socket.

Owns the form of a token, the way from its text to a subject, and that from a peer's user number to one. Knows nothing
of HTTP or sockets. Invariants: the palace never holds the text; 256 random bits need no slow hash, so one lookup by
SHA-256 decides, and takes as long for a wrong text as for a right one; only the user who owns the palace file is the
operator there, for that user can open the file anyway, and root is not, whatever it could do by other means.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from uuid import UUID

from palazzo.errors import InvalidInput
from palazzo.model.capability import AddToken, RevokeToken, Token
from palazzo.model.ids import new_id
from palazzo.model.scope import GLOBAL, Scope
from palazzo.store.api import Store

PREFIX = "palazzo_"
DAY_US = 86_400_000_000


def create(
    store: Store, subject: str, *, label: str = "", scope: Scope = GLOBAL, days: float | None = None,
    by: str = "operator",
) -> tuple[str, Token]:  # fmt: skip
    """A new token of a subject: its text, which is told here and never again, and what the palace keeps of it.

    Raises: InvalidInput.
    """
    if not subject or not subject.isprintable() or len(subject) > 200:
        raise InvalidInput("a token is of a subject, such as mcp:desk", field="subject")
    now_us = store.clock.now_us()
    expires_us = None if days is None else now_us + round(days * DAY_US)
    if expires_us is not None and expires_us <= now_us:
        raise InvalidInput("a token expires after it is made", field="days")
    text = PREFIX + secrets.token_urlsafe(32)
    token = Token(
        id=new_id(now_us), subject=subject, label=label, scope=scope, created_us=now_us, expires_us=expires_us
    )
    store.commit([AddToken(token, _digest(text))], subject=by)
    return text, token


def subject_of(store: Store, text: str) -> Token | None:
    """The token with this text if it holds now, else None: its subject is who calls, its scope in whose memory."""
    found = store.guarding.token_with(_digest(text))
    return found if found is not None and found.holds(store.clock.now_us()) else None


def every(store: Store) -> tuple[Token, ...]:
    """All tokens, oldest first, without their texts."""
    return store.guarding.tokens()


def revoke(store: Store, token_id: UUID, *, by: str = "operator") -> None:
    """Ends a token at once, for every process.

    Raises: NotFound.
    """
    store.commit([RevokeToken(token_id)], subject=by)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def subject_of_peer(uid: int, owner_uid: int, names: Mapping[int, str] | None = None) -> str:
    """The subject a peer with this user number is: a name given to it, the operator, or `local:UID` without a grant.

    Raises: InvalidInput for a negative number, which some systems give for "unknown".
    """
    if uid < 0:
        raise InvalidInput("the peer has no user number", field="uid")
    if names and uid in names:
        return names[uid]
    return "operator" if uid == owner_uid else f"local:{uid}"
