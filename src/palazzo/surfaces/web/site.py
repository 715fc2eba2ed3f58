"""The dashboard as the daemon answers it: its files at `/` and below `/ui/`, signing in and out at `/session`, and
files on their way in and out.

Owns the headers that keep the page to itself: no script, style or request that is not of this origin, no frame around
it. Makes two modules of its own: which views there are, read from their folder, and what the registry says of each
operation, so that adding either touches nothing here. Owns who a request with a cookie comes from, and a folder for
what somebody drags onto the page to import it, or exports to take it along: only the operator's, a few at a time, gone
with the daemon. Whatever the page shows or does it asks of the operations at /v1, like any other client. Invariants:
every file of the page is public and the same for everybody, and nothing that was remembered is in one; a cookie alone
opens nothing; signing in and out take JSON, which no form on a page of another origin can send.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from palazzo import __version__
from palazzo.files import raw_files
from palazzo.operations.caller import Caller
from palazzo.operations.registry import OPERATIONS
from palazzo.surfaces.daemon.service import Service
from palazzo.surfaces.http.messages import HttpReply, problem, success
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


FOLDER: Final = Path(__file__).parent / "static"
PREFIX: Final = "/ui/"
_TYPES: Final = {
    ".js": b"text/javascript; charset=utf-8", ".css": b"text/css; charset=utf-8", ".svg": b"image/svg+xml",
    ".html": b"text/html; charset=utf-8",
}  # fmt: skip
POLICY: Final = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none';"
    b" form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_GUARDS: Final = (
    (b"content-security-policy", POLICY), (b"referrer-policy", b"no-referrer"), (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"), (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)  # fmt: skip


def _operations() -> dict[str, Any]:
    return {
        one.name: {
            "takes": [parameter.name for parameter in one.parameters], "writes": one.writes, "people": one.people,
            "operator": one.operator_only, "destructive": one.destructive,
        }
        for one in OPERATIONS
    }  # fmt: skip


def _made(names: list[str]) -> dict[str, bytes]:
    """The modules that follow from what is there."""
    views = [name for name in sorted(names) if name.startswith("views/") and name.endswith(".js")]
    lines = [f'import view{number} from "./{name}";' for number, name in enumerate(views)]
    lines.append(f"export default [{', '.join(f'view{number}' for number in range(len(views)))}];")
    told = msgspec.json.encode(_operations()).decode()
    return {
        "views.js": "\n".join(lines).encode(),
        "operations.js": f'export const version = "{__version__}";\nexport default {told};\n'.encode(),
    }


_ASKED: Final = b"no-cache"
_FOR_GOOD: Final = b"public, max-age=31536000, immutable"


@cache
def files() -> dict[str, HttpReply]:
    """Every file by its path below `/ui/`, as it is answered: by its name, and by the release and its name. What the
    second says never changes, so a browser that has it does not ask again.
    """
    found = {path.relative_to(FOLDER).as_posix(): path for path in sorted(FOLDER.rglob("*")) if path.suffix in _TYPES}
    contents = {name: raw_files.content(path) for name, path in found.items()} | _made(list(found))
    index = contents.pop("index.html").decode()
    release = hashlib.sha256(b"".join(contents[name] for name in sorted(contents))).hexdigest()[:16]
    ahead = "".join(f'<link rel="modulepreload" href="{PREFIX}{name}">\n' for name in contents if name.endswith(".js"))
    index = index.replace("<!-- modules -->\n", ahead).replace(PREFIX, f"{PREFIX}{release}/")
    kept = {f"{release}/{name}": _answer(name, content, _FOR_GOOD) for name, content in contents.items()}
    asked = {name: _answer(name, content, _ASKED) for name, content in contents.items()}
    return {**kept, **asked, "index.html": _answer("index.html", index.encode(), _ASKED)}


def _answer(name: str, content: bytes, cached: bytes) -> HttpReply:
    mark = b'"%s"' % hashlib.sha256(content).hexdigest()[:32].encode()
    headers = (*_GUARDS, (b"etag", mark), (b"vary", b"accept-encoding"), (b"cache-control", cached))
    return HttpReply(200, content, _TYPES[Path(name).suffix], headers)


@cache
def packed_files() -> dict[str, HttpReply]:
    """The same for who understands gzip: nobody's secret is in a file that its length could tell."""
    return {
        name: replace(
            reply, body=gzip.compress(reply.body, mtime=0), headers=(*reply.headers, (b"content-encoding", b"gzip"))
        )
        for name, reply in files().items()
    }


def page_reply(path: str, known: str, *, packed: bool) -> HttpReply | None:
    """The file at a path; None where there is none. `known` is the mark of the one the browser has."""
    name = "index.html" if path == "/" else path.removeprefix(PREFIX) if path.startswith(PREFIX) else ""
    reply = files().get(name)
    if reply is not None and known and (b"etag", known.encode("latin-1")) in reply.headers:
        return replace(reply, status=304, body=b"")
    return packed_files()[name] if reply is not None and packed else reply
