"""Who is signed in to the dashboard: browsers that gave a token or a one-time link, each with a cookie and a page key.

Owns the cookie, the page key and how long both last. A cookie goes along to every port of a machine and with every
request a browser makes; the page key is in the page's own storage and goes along only when our script sends it. Each
is worth nothing without the other, so a page of another origin can neither use the cookie nor learn the key. Kept in
the working store, as hashes, like the sessions that have the vault open: a daemon that starts again knows nobody.
Invariants: a session is one caller with a session name of its own, so a vault is opened for one browser; a session
made of a token ends with the token; a link signs in once.
"""

from __future__ import annotations

import hmac
import secrets
from hashlib import blake2b
from http.cookies import CookieError, SimpleCookie
from typing import Final

import msgspec
from msgspec.structs import replace

from palazzo.engine import Engine
from palazzo.errors import NotFound
from palazzo.guard import access
from palazzo.operations.caller import Caller
from palazzo.surfaces.daemon.service import Identify, caller_of

LASTS_S: Final = 12 * 3600
"""A session that nobody uses for so long is over."""
KEY_HEADER: Final = b"x-palazzo-page"


class PageSession(msgspec.Struct, frozen=True):
    """What a browser gets that signs in: the cookie and the page key."""

    cookie: str
    key: str


class _Known(msgspec.Struct, frozen=True):
    """A session as it is kept: hashes of what the browser has, and of the token it gave; none for one of a link."""

    key: str
    caller: Caller
    token: str = ""


class PageSessions:
    """The sessions of a daemon, in the working store: every worker knows them. Threads share it."""

    def __init__(self, engine: Engine, identify: Identify) -> None:
        self._engine = engine
        self._identify = identify

    def sign_in(self, token: str, link: str) -> PageSession | None:
        """A new session for who gave a token or a link that holds; None for anybody else."""
        caller = self._identify(token) if token else self._by_link(link)
        if caller is None:
            return None
        made = PageSession(secrets.token_urlsafe(32), secrets.token_urlsafe(32))
        own = replace(caller, session=f"page:{secrets.token_hex(8)}")
        self._keep(made.cookie, _Known(_hash(made.key), own, access.digest_of(token).hex() if token else ""))
        return made

    def _by_link(self, link: str) -> Caller | None:
        try:
            return caller_of(access.spend_token(self._engine.store, link))
        except NotFound:
            return None

    def caller(self, cookie: str, key: str) -> Caller | None:
        """Who asks; None unless cookie and page key belong together and the session holds."""
        told = self._engine.working.get(_name(cookie))
        found = msgspec.json.decode(told, type=_Known) if told else None
        if found is None or not hmac.compare_digest(found.key, _hash(key)):
            return None
        if found.token and access.token_with(self._engine.store, bytes.fromhex(found.token)) is None:
            self.sign_out(cookie)
            return None
        self._keep(cookie, found)  # it lasts from the last time it was used
        return found.caller

    def sign_out(self, cookie: str) -> None:
        """Ends a session."""
        self._engine.working.drop(_name(cookie))

    def _keep(self, cookie: str, known: _Known) -> None:
        self._engine.working.put(_name(cookie), msgspec.json.encode(known).decode(), LASTS_S)


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=32).hexdigest()


def _name(cookie: str) -> str:
    return f"pages:{_hash(cookie)}"


def cookie_name(port: int) -> str:
    """The name of the cookie: browsers tell hosts apart, not ports, and two daemons may run on one machine."""
    return f"palazzo_{port}"


def cookie_in(header: str, port: int) -> str:
    """The cookie of this daemon among those a browser sent."""
    try:
        found = SimpleCookie(header).get(cookie_name(port))
    except CookieError:
        return ""
    return found.value if found is not None else ""


def set_cookie(value: str, port: int, *, secure: bool) -> tuple[bytes, bytes]:
    """The header that sets the cookie, or with no value takes it away: no script reads it, no other site sends it."""
    ends = "" if value else "; Max-Age=0"
    text = f"{cookie_name(port)}={value}; Path=/; HttpOnly; SameSite=Strict{'; Secure' if secure else ''}{ends}"
    return b"set-cookie", text.encode()
