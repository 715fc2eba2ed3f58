"""Bearer tokens: who a connection is. Made by the operator, shown once, kept as a hash.

Owns the form of a token and the way from its text to a subject. Knows nothing of HTTP. Invariant: the palace never
holds the text; 256 random bits need no slow hash, so one lookup by SHA-256 decides, and takes as long for a wrong text
as for a right one.
"""

from __future__ import annotations

import hashlib
import secrets
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
