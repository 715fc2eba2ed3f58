"""Attachment receipts: what was shown to a model once, so that later turns know what it was and whether it still is.

Owns the receipt: its id from the content, name, type, size, hash, where it came from, an excerpt, and what was observed
of it. The file itself is not copied. Invariants: the same bytes give the same receipt; a source that is gone or has
changed is said to be so, and nobody who reads a receipt is told that they see the file.
"""

from __future__ import annotations

import mimetypes
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from palazzo.errors import InvalidInput
from palazzo.files import raw_files
from palazzo.model.slip import Slip
from palazzo.persona.slips import ScopedSlips, told_of

SourceState = Literal["unchanged", "changed", "missing", "handed over"]
MOST_BYTES: Final = 15 << 20
MOST_TEXT: Final = 60_000
EXCERPT: Final = 400
TEXTUAL: Final = ("text/", "application/json", "application/xml", "application/toml", "application/x-yaml")


class ReceiptLink(msgspec.Struct, frozen=True):
    """Where it was shown: thread, session and moment."""

    thread: str
    session: str
    at_us: int


class ReceiptTold(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of an attachment."""

    filename: str
    media_type: str
    size: int
    sha256: str
    source: str = ""
    text: str = ""
    excerpt: str = ""
    observations: tuple[str, ...] = ()
    links: tuple[ReceiptLink, ...] = ()

    @property
    def kind(self) -> str:
        """The way it goes to a model: as an image, or as a document."""
        return "image" if self.media_type.startswith("image/") else "document"


class Receipts(ScopedSlips):
    """The receipts of one scope."""

    hint = "`palazzo receipts` lists them"

    def attach_file(self, path: Path, link: ReceiptLink) -> Slip:
        """Makes the receipt of a file, before a model is shown it.

        Raises: InvalidInput, OSError.
        """
        if not path.is_file():
            raise InvalidInput("there is no such file", field="path")
        if path.stat().st_size > MOST_BYTES:
            raise InvalidInput(f"a file has at most {MOST_BYTES >> 20} MB", field="path")
        return self.attach(path.name, raw_files.content(path), link, source=str(path.resolve()))

    def attach(self, filename: str, content: bytes, link: ReceiptLink, source: str = "") -> Slip:
        """Makes the receipt of some bytes, or adds where they are shown to the one there is.

        Raises: InvalidInput.
        """
        if len(content) > MOST_BYTES:
            raise InvalidInput(f"a file has at most {MOST_BYTES >> 20} MB", field="content")
        digest = sha256(content).hexdigest()
        name = f"att_{digest[:24]}"
        known = self._get("receipt", name)
        if known is not None:
            told = told_of(known, ReceiptTold)
            return self._put(
                "receipt",
                name,
                "kept",
                replace(told, links=(*told.links, link)[-50:], source=source or told.source),
                known,
            )
        text = _text(filename, content)
        told = ReceiptTold(
            filename=filename, media_type=_media_type(filename, content), size=len(content), sha256=digest,
            source=source, text=text, excerpt=" ".join(text[: 2 * EXCERPT].split())[:EXCERPT], links=(link,),
        )  # fmt: skip
        return self._put("receipt", name, "kept", told, None)

    def observe(self, receipt: str, text: str) -> Slip:
        """Keeps what was seen in it: later turns carry that instead of the file.

        Raises: NotFound.
        """
        known = self.get(receipt)
        told = told_of(known, ReceiptTold)
        return self._put(
            "receipt", receipt, "kept", replace(told, observations=(*told.observations, text)[-10:]), known
        )

    def get(self, receipt: str) -> Slip:
        """Raises: NotFound."""
        return self._known("receipt", receipt)

    def every(self, thread: str = "", limit: int = 50) -> tuple[Slip, ...]:
        """The receipts, of one thread if it is named, the last changed first."""
        found = self._newest("receipt", 1000)
        return tuple(
            one for one in found if not thread or any(link.thread == thread for link in told_of(one, ReceiptTold).links)
        )[:limit]


def state_of(told: ReceiptTold) -> SourceState:
    """Whether the source still is what was shown."""
    if not told.source:
        return "handed over"
    path = Path(told.source)
    if not path.is_file():
        return "missing"
    try:
        same = path.stat().st_size == told.size and sha256(raw_files.content(path)).hexdigest() == told.sha256
    except OSError:
        return "missing"
    return "unchanged" if same else "changed"


GAPS: Final[dict[SourceState, str]] = {
    "unchanged": "the file is as it was; open it to see it again",
    "changed": "the file has changed since: what is told here is of the earlier one, verify before relying on it",
    "missing": "the file is no longer there: what is told here cannot be verified",
    "handed over": "it was handed over without a path: what is told here cannot be verified",
}


UNSEEN: Final = "; the picture itself is not seen here"


def line_of(name: str, told: ReceiptTold) -> str:
    """How later turns are told of it: never as something they see."""
    if told.kind == "image":
        return f"{_line_of(name, told)}{UNSEEN}"
    return _line_of(name, told)


def _line_of(name: str, told: ReceiptTold) -> str:
    seen = f'; observed then: "{told.observations[-1]}"' if told.observations else ""
    excerpt = f'; it begins: "{told.excerpt}"' if told.excerpt and not told.observations else ""
    return f"{told.filename} ({name}, {told.media_type}, {told.size} bytes): {GAPS[state_of(told)]}{seen}{excerpt}"


def _media_type(filename: str, content: bytes) -> str:
    for start, named in ((b"\x89PNG", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"%PDF", "application/pdf")):
        if content.startswith(start):
            return named
    return mimetypes.guess_type(filename)[0] or ("text/plain" if _decoded(content) else "application/octet-stream")


def _text(filename: str, content: bytes) -> str:
    """What a text says, as much of it as is kept; nothing of an image or an archive."""
    if not _media_type(filename, content).startswith(TEXTUAL):
        return ""
    return _decoded(content)[:MOST_TEXT]


def _decoded(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return ""
