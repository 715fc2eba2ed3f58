"""The routes of the dashboard: its files, signing in and out at `/session`, and files on their way in and out.

Owns who a request with a cookie comes from, and a folder for what somebody drags onto the page to import it, or exports
to take it along: only the operator's, a few at a time, gone with the daemon. Whatever the page shows or does it asks of
the operations at /v1, like any other client. Invariants: a cookie alone opens nothing; signing in and out take JSON,
which no form on a page of another origin can send.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import msgspec

from palazzo.files import raw_files
from palazzo.operations.caller import Caller
from palazzo.surfaces.daemon.service import Service
from palazzo.surfaces.http.messages import HttpReply, problem, success
from palazzo.surfaces.web.page import PREFIX, page_reply
from palazzo.surfaces.web.sessions import PageSession, PageSessions, cookie_in, set_cookie
from palazzo.surfaces.wire import Fault

SESSION: Final = "/session"
CARRIED: Final = "/session/files"
MOST_CARRIED: Final = 16
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class SignIn(msgspec.Struct, frozen=True):
    """What somebody signs in with: a bearer token, or the one-time link that `palazzo open` made."""

    token: str = ""
    link: str = ""


_SIGN_IN = msgspec.json.Decoder(SignIn)
_REFUSED: Final = Fault(
    "not_authenticated", "this signs nobody in", "`palazzo open` makes a new link; a token comes from `palazzo token`"
)
_SIGNED_OUT: Final = Fault("not_authenticated", "nobody is signed in here", "`palazzo open` signs in")


class Site:
    """The dashboard of one daemon. `port` and `secure` say how its cookie is named and kept, `carried` where files are
    on their way: the same folder for every worker."""

    def __init__(self, service: Service, port: int, carried: Path, *, secure: bool = False) -> None:
        self._service = service
        self._port = port
        self._carried = carried
        self._secure = secure
        self._sessions = PageSessions(service.engine, service.identify)

    def owns(self, path: str) -> bool:
        """Whether a path is the page's."""
        return path in ("/", SESSION) or path.startswith((PREFIX, CARRIED))

    def caller(self, cookies: str, key: str) -> Caller | None:
        """Who a request comes from that carries a page key."""
        cookie = cookie_in(cookies, self._port)
        return self._sessions.caller(cookie, key) if cookie and key else None

    def file(self, method: str, path: str, known: str, *, packed: bool) -> HttpReply:
        """The answer to whoever asks for a file."""
        if method not in ("GET", "HEAD"):
            return problem(405, Fault("method_not_allowed", "this takes GET"), ((b"allow", b"GET, HEAD"),))
        reply = page_reply(path, known, packed=packed)
        return reply or problem(404, Fault("not_found", "nothing is here", "the dashboard is at /"))

    def sign_in(self, body: bytes) -> HttpReply:
        """In a worker thread: a session for who gave what holds."""
        try:
            given = _SIGN_IN.decode(body)
        except msgspec.DecodeError:
            return problem(400, Fault("not_json", "the body is one JSON object with a token or a link"))
        made = self._sessions.sign_in(given.token.strip(), given.link)
        if made is None:
            return problem(401, _REFUSED)
        return success(_told(made), (set_cookie(made.cookie, self._port, secure=self._secure),))

    def carried(self, caller: Caller, method: str, name: str, body: bytes) -> HttpReply:
        """In a worker thread: a file that is brought (PUT) or taken along (GET); without a name, where they lie."""
        if not caller.is_operator:
            return problem(403, Fault("not_permitted", "only the operator imports and exports"))
        folder = self._carried
        if not name and method == "GET":
            return success({"folder": str(folder)})
        if not _NAME.fullmatch(name):
            return problem(422, Fault("invalid_input", "a file has a plain name", field="name"))
        path = folder / name
        if method == "PUT":
            for old in sorted(folder.iterdir(), key=lambda one: one.stat().st_mtime)[: -MOST_CARRIED + 1]:
                old.unlink()
            raw_files.put(path, body)
            return success({"file": str(path), "bytes": len(body)})
        if method != "GET" or not path.is_file():
            return problem(404, Fault("not_found", "no file of this name"))
        headers = ((b"content-disposition", b"attachment"),)
        return HttpReply(200, raw_files.content(path), b"application/octet-stream", headers)

    def session(self, method: str, cookies: str, key: str) -> HttpReply:
        """In a worker thread: who is signed in, or the end of it."""
        caller = self.caller(cookies, key)
        if caller is None:
            return problem(401, _SIGNED_OUT)
        if method == "DELETE":
            self._sessions.sign_out(cookie_in(cookies, self._port))
            return success({"signed_out": True}, (set_cookie("", self._port, secure=self._secure),))
        return success(_who(self._service, caller))


def _told(made: PageSession) -> dict[str, Any]:
    return {"key": made.key}


def _who(service: Service, caller: Caller) -> dict[str, Any]:
    """What the page says of the one who is signed in; what they may do is decided at every call."""
    return {
        "subject": caller.subject, "operator": caller.is_operator, "scope": str(caller.scope),
        "chooses_scope": caller.chooses_scope, "palace": service.engine.palace_name,
        "read_only": service.engine.store.read_only,
    }  # fmt: skip
