"""The files of the dashboard, as the daemon answers them at `/` and below `/ui/`.

Owns the headers that keep the page to itself: no script, style or request that is not of this origin, no frame around
it. Makes two modules of its own: which views there are, read from their folder, and what the registry says of each
operation, so that adding either touches nothing here. Knows no palace and no session. Invariant: every file is public
and the same for everybody; nothing that was remembered is in one.
"""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from palazzo import __version__
from palazzo.files import raw_files
from palazzo.operations.registry import OPERATIONS
from palazzo.surfaces.http.messages import HttpReply

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
