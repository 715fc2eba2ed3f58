"""What the guard's operations return.

Owns the public shape of these answers, like results.py for the others. Invariant: no secret stands in any of them but
the text of a token that was just made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenInfo:
    """A token without its text: whose it is, in whose scope it works, and whether it still holds."""

    id: UUID
    subject: str
    label: str
    scope: str
    created_at: datetime
    expires_at: datetime | None
    holds: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeToken:
    """A token that was just made. `token` is its text: keep it now, it is shown only once."""

    token: str = field(repr=False)
    info: TokenInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenList:
    """Every token, oldest first."""

    tokens: tuple[TokenInfo, ...]

    def __iter__(self) -> Iterator[TokenInfo]:
        return iter(self.tokens)

    def __len__(self) -> int:
        return len(self.tokens)
