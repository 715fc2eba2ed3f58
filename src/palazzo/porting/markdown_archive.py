"""The Markdown archive: a folder a person can read and compare, one file a memory, in folders as its places are.

A file has what matters in front, then the text, then the record in a comment that no viewer shows. The text that stands
in the file is what an import takes, so it may be corrected by hand. Invariant: every file lies inside the folder,
whatever a memory is called, and none is written over.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from palazzo.errors import InvalidInput
from palazzo.files import raw_files
from palazzo.files.raw_files import make_private
from palazzo.model.ids import NAMES
from palazzo.model.record import Record
from palazzo.model.zone import moment
from palazzo.porting.bundle import UnreadableLine

MANIFEST: Final = "palazzo.json"
_MANIFESTS: Final = tuple(f"{name}.json" for name in NAMES)
FORMAT: Final = 1
_LARGEST: Final = 64 << 20
_MOST_FILES: Final = 2_000_000
_COMMENT = re.compile(rf"\n\n<!-- (?:{'|'.join(NAMES)}) (\{{[^\n]*\}}) -->\n?\Z")
_SAFE = re.compile(r"[a-z0-9_-]+")


def is_archive(folder: Path) -> bool:
    """Whether a folder is an archive of ours."""
    return any((folder / name).is_file() for name in _MANIFESTS)


def write(folder: Path, records: Iterable[Record], about: dict[str, Any]) -> int:
    """Writes the files of an archive into an empty folder, the manifest last. Returns how many bytes.

    Raises: InvalidInput when a place or a name is none.
    """
    total = count = 0
    for record in records:
        folders = record.place.split(".") if record.place else []
        if not all(_SAFE.fullmatch(part) for part in [*folders, record.name, record.kind]):
            raise InvalidInput(f"memory {record.id} has an address no file can have", field="to")
        here = folder.joinpath(*folders)
        make_private(here)
        data = page(record).encode()
        _new(here, f"{record.name}.{record.kind}", record.id.hex[-8:], data)
        total += len(data)
        count += 1
    manifest = msgspec.json.format(msgspec.json.encode({"palazzo_archive": FORMAT, "memories": count, **about}))
    _new(folder, MANIFEST.removesuffix(".json"), "", manifest + b"\n", ".json")
    return total + len(manifest)


def _new(folder: Path, name: str, mark: str, data: bytes, ending: str = ".md") -> None:
    """Writes a file that was not there; another memory of the same address (of another scope) gets a mark."""
    for stem in (name[:180], f"{name[:180]}-{mark}"):
        try:
            handle = os.open(folder / f"{stem}{ending}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        return
    raise InvalidInput(f"{folder / name} is already there", field="to")


def page(record: Record) -> str:
    """A memory as a page."""
    current = record.current
    sources = dict.fromkeys(f"{s.node.kind} {s.node.label}".strip() for s in current.sources)
    front: dict[str, Any] = {
        "id": str(record.id),
        "kind": record.kind,
        "place": record.place,
        "scope": record.scope,
        "state": "no longer believed" if record.deprecated_us is not None else record.state,
        "created": _moment(record.created_us),
        "written": _moment(current.created_us),
        "since": _moment(current.valid_from_us),
        "until": _moment(current.valid_to_us),
        "author": current.author,
        "importance": round(current.importance, 2),
        "revision": f"{current.number} of {len(record.revisions)}" if len(record.revisions) > 1 else "",
        "tags": sorted({m.tag for m in record.tags if m.until_us is None and m.tag != "current"}),
        "links": [f"{edge.kind} {edge.target}" for edge in record.edges],
        "sources": list(sources),
    }
    lines = [f"{name}: {_value(value)}" for name, value in front.items() if value not in ("", None, [])]
    kept = replace(record, revisions=tuple(replace(r, text="") if r is current else r for r in record.revisions))
    # "-->" would end the comment; as an escape it is the same JSON.
    told = msgspec.json.encode(kept).decode().replace(">", "\\u003e")
    return "\n".join(["---", *lines, "---", "", current.text, "", f"<!-- palazzo {told} -->", ""])


def _value(value: Any) -> str:
    """A value of the front matter: JSON, which is YAML as well, without quotes where none are needed."""
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9][\w .:+/-]*", value) and ": " not in value:
        return value
    return msgspec.json.encode(value).decode()


def _moment(us: int | None) -> str:
    if us is None or not 0 <= us <= 253_402_300_799_000_000:
        return ""
    return moment(us).isoformat().replace("+00:00", "Z")


def read(folder: Path) -> Iterator[Record | UnreadableLine]:
    """The records of an archive; links to elsewhere are passed over.

    Raises: InvalidInput when it is none, or of a format to come.
    """
    try:
        manifest = next((path for name in _MANIFESTS if (path := folder / name).is_file()), folder / MANIFEST)
        found = msgspec.json.decode(raw_files.head(manifest, 1_000_000))
    except (OSError, msgspec.MsgspecError, RecursionError) as error:
        raise InvalidInput("this is no archive of ours", field="file") from error
    if not isinstance(found, dict) or FORMAT not in (found.get(f"{name}_archive") for name in NAMES):
        raise InvalidInput("this is no archive that this release reads", field="file")
    decoder = msgspec.json.Decoder(Record)
    count = 0
    for here, folders, files in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if not Path(here, name).is_symlink())
        for name in sorted(files):
            path = Path(here, name)
            if not name.endswith(".md") or path.is_symlink():
                continue
            count += 1
            if count > _MOST_FILES:
                raise InvalidInput(f"the archive has more than {_MOST_FILES} files", field="file")
            yield _page(path, path.relative_to(folder).as_posix(), decoder)


def _page(path: Path, name: str, decoder: msgspec.json.Decoder[Record]) -> Record | UnreadableLine:
    try:
        if path.stat().st_size > _LARGEST:
            return UnreadableLine(name, "larger than a memory can be")
        text = raw_files.content(path).decode()
    except (OSError, UnicodeDecodeError) as error:
        return UnreadableLine(name, f"cannot be read: {type(error).__name__}")
    comment = _COMMENT.search(text)
    start = text.find("\n---\n\n", 4) if text.startswith("---\n") else -1
    if comment is None or start < 0:
        return UnreadableLine(name, "not a page of ours: its record is missing")
    try:
        record = decoder.decode(comment[1])
        current = record.current
    except (msgspec.MsgspecError, RecursionError, ValueError, IndexError) as error:
        return UnreadableLine(name, f"its record cannot be read: {type(error).__name__}")
    body = text[start + len("\n---\n\n") : comment.start()]
    return replace(record, revisions=tuple(replace(r, text=body) if r is current else r for r in record.revisions))
