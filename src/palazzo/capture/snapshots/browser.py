"""Browsers with an open debugging port: the addresses of their tabs.

Off unless it is named in the setting `snapshot_parts`, for a port that tells of tabs tells of those in private windows
too. Owns what of an address is kept: no user, no password, no token. Invariants: a browser that was started in private
mode is not asked; neither titles nor pages are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from http.client import HTTPConnection, HTTPException
from typing import Any, Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import msgspec

from palazzo.capture.snapshots.around import Around
from palazzo.errors import PartUnavailable
from palazzo.ports import RestoreAction
from palazzo.text.safety.secrets import find_secrets

WAIT_S: Final = 0.5
MOST_TABS: Final = 20
LONGEST: Final = 300
_BROWSERS: Final = ("chrom", "brave", "msedge", "vivaldi", "opera", "headless_shell")
_PORT: Final = re.compile(r"--remote-debugging-port=(\d+)$")
_PRIVATE: Final = frozenset({"--incognito", "--inprivate", "--private"})
_TELLING: Final = re.compile(
    r"token|secret|password|passwd|pwd|session|sid|sig|signature|auth|code|key|state|nonce|ticket|otp|jwt|assertion"
    r"|credential|email|user", re.IGNORECASE,
)  # fmt: skip
_RANDOM: Final = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9_\-.+/=]{20,}")


class BrowserPart:
    """Tabs of browsers that can be asked."""

    name = "browser"

    def capture(self, around: Around) -> Any:
        found: dict[str, None] = {}
        for port in _ports(around):
            for tab in _asked(port, "GET", "/json/list"):
                if tab.get("type") == "page" and str(tab.get("url", "")).startswith(("http://", "https://")):
                    found.setdefault(screened(tab["url"]))
        tabs = list(found)
        more = {"more_tabs": len(tabs) - MOST_TABS} if len(tabs) > MOST_TABS else {}
        return {"tabs": tabs[:MOST_TABS], **more} if tabs else None

    def restore(self, state: Any, around: Around) -> Iterable[RestoreAction]:
        port = next(_ports(around), None)
        now = set((self.capture(around) or {}).get("tabs", ()))
        for tab in state["tabs"]:
            if tab in now:
                yield RestoreAction(step="applications", what=f"the tab {tab}", state="already")
            elif port is None:
                told = ("no browser with an open debugging port runs; open it yourself",)
                yield RestoreAction(step="applications", what=f"the tab {tab}", state="left", told=told)
            else:
                yield RestoreAction(
                    step="applications", what=f"the tab {tab}",
                    do=lambda tab=tab: _asked(port, "PUT", f"/json/new?{quote(tab, safe='')}") and (),  # type: ignore[misc]
                )  # fmt: skip


def _ports(around: Around) -> Iterator[int]:
    """Debugging ports of browsers of this user that are neither private nor in private mode."""
    for process, (_, name) in around.processes.items():
        if not name.startswith(_BROWSERS) or around.is_private(name):
            continue
        words = around.words_of(process)
        if _PRIVATE & set(words):
            continue
        for word in words:
            if match := _PORT.fullmatch(word):
                yield int(match[1])


def _asked(port: int, verb: str, path: str) -> Any:
    line = HTTPConnection("127.0.0.1", port, timeout=WAIT_S)
    try:
        line.request(verb, path)
        answer = line.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise PartUnavailable(f"the browser on port {port} answered with {answer.status}", part="browser")
        return msgspec.json.decode(body)
    except (OSError, HTTPException, msgspec.DecodeError) as error:
        raise PartUnavailable(f"the browser on port {port} does not answer", part="browser") from error
    finally:
        line.close()


def screened(address: str) -> str:
    """An address without what lets its reader in: user and password, fragment, and parameters that are or name secrets.

    Of a path with a secret in it only the host is left.
    """
    parts = urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    kept = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if not _TELLING.search(name) and not _tells(value) and not _tells(name)
    ]
    path = "/" if any(map(_tells, parts.path.split("/"))) else parts.path
    plain = urlunsplit((parts.scheme, host, path, urlencode(kept), ""))
    if len(plain) > LONGEST or find_secrets(plain):
        plain = urlunsplit((parts.scheme, host, path if len(path) < LONGEST else "/", "", ""))
    return plain if not find_secrets(plain) else urlunsplit((parts.scheme, host, "/", "", ""))


def _tells(word: str) -> bool:
    return bool(_RANDOM.fullmatch(word) or find_secrets(word))
