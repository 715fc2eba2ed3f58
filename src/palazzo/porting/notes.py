"""Notes in Markdown: a folder such as an Obsidian vault, or one file.

A note is one entry, whatever its length, called by the folder and its path in it. Front matter gives title, tags, date
and aliases; its other fields are kept beside the note, and say something of what the note is about. A name such as
2026-03-01 or a `date` field gives the time, else the file's own. [[Links]], [links](other.md) and embeds become links
between the notes, tags and what is linked become entities. What stands in code is code: no link, no tag, no heading.
Invariant: an entry's id is its path in the folder, so a changed note revises its own memory and no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import unquote

import msgspec

from palazzo.errors import InvalidInput
from palazzo.files import raw_files
from palazzo.model.graph import MentionDraft, RelationDraft
from palazzo.porting.files import Entry, Items, Limits, Unread, clamped, clean, from_iso, shown, size_of, walk

SUFFIXES: Final = frozenset({".md", ".markdown"})
FIELDS: Final = 40
LONGEST_FIELD: Final = 300
"""Fields of a note that are kept beside it, and characters of each."""
_ABOUT_THE_NOTE: Final = frozenset({
    "title", "tags", "tag", "aliases", "alias", "date", "created", "updated", "modified", "publish", "cssclass",
    "cssclasses", "layout", "permalink", "id", "uid",
})  # fmt: skip
"""Fields that say something of the note itself and nothing of what it is about."""
_FENCE = re.compile(r"^(?P<mark>```+|~~~+).*?^(?P=mark)[ \t]*$|`[^`\n]+`|^(?:```|~~~).*\Z", re.DOTALL | re.MULTILINE)
_WIKI = re.compile(r"!?\[\[([^\]|#^\n]*)(?:[#^][^\]|\n]*)?(?:\|([^\]\n]*))?\]\]")
_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+?\.(?:md|markdown))(?:#[^)\s]*)?\)", re.IGNORECASE)
_TAG = re.compile(r"(?<![\w/&#])#([^\W\d][\w/-]*)")
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_DAY = re.compile(r"(?<!\d)(\d{4}-\d\d-\d\d)(?!\d)")
_FIELD = re.compile(r"^([\w][\w -]*?)[ \t]*:[ \t]*(.*)$")


class Note(msgspec.Struct, frozen=True):
    """A note as it was read: its fields, and its text without them."""

    path: str
    title: str
    fields: Mapping[str, list[str]]
    text: str
    at_us: int


def read(path: Path, now_us: int, limits: Limits = Limits()) -> Items:
    """The notes of a folder, or one.

    Raises: InvalidInput.
    """
    files = list(walk(path, SUFFIXES, limits)) if path.is_dir() else [path]
    root = path if path.is_dir() else path.parent
    names = [file.relative_to(root).as_posix() for file in files]
    known = _known(names)
    folder = f"{path.resolve().name}/" if path.is_dir() else ""
    for name, file in zip(names, files, strict=True):
        found = _read(file, name, now_us, limits)
        yield found if isinstance(found, Unread) else _entry(found, known, folder)


def _known(names: list[str]) -> dict[str, str]:
    """From how a note is named in a link to its path: by path and by its last part, in lower case."""
    known: dict[str, str] = {}
    for name in names:
        bare = name.rsplit(".", 1)[0].lower()
        known.setdefault(bare.rsplit("/", 1)[-1], name)
    known.update({name.rsplit(".", 1)[0].lower(): name for name in names})
    return known


def _read(file: Path, name: str, now_us: int, limits: Limits) -> Note | Unread:
    where = shown(name)
    try:
        if size_of(file, limits) > limits.entry_bytes:
            return Unread(where, f"larger than {limits.entry_bytes >> 10} KiB", "split the note")
        raw = raw_files.content(file)
        modified = file.stat().st_mtime_ns // 1000
    except (InvalidInput, OSError) as error:
        return Unread(where, f"cannot be read: {error}", "")
    if b"\x00" in raw[:8192]:
        return Unread(where, "binary data, no note", "")
    text = clean(raw.decode("utf-8-sig", errors="replace"))
    fields, body = front_matter(text)
    heading = _HEADING.search(_without_code(body))
    stem = name.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    own = fields.get("title") or ([heading[2]] if heading and heading[1] == "#" else [])
    title = shown(own[0] if own and own[0] else stem, 120)
    told = next(
        (us for key in ("date", "created", "updated") for v in fields.get(key, ()) if (us := from_iso(v))), None
    )
    if told is None and (day := _DAY.search(stem)):
        told = from_iso(day[1])
    if not body.strip():
        return Unread(where, "an empty note", "")
    return Note(where, title, fields, body.strip(), clamped(modified if told is None else told, now_us) or 0)


def front_matter(text: str) -> tuple[dict[str, list[str]], str]:
    """The fields before a note's text, each with its values, and the text. Only plain values and lists are read."""
    if not text.startswith("---\n") or (end := re.search(r"^(?:---|\.\.\.)[ \t]*$", text[4:], re.MULTILINE)) is None:
        return {}, text
    fields: dict[str, list[str]] = {}
    current = ""
    for line in text[4 : 4 + end.start()].split("\n"):
        item = line.strip()
        if current and item.startswith("- "):
            fields[current].append(_bare(item[2:]))
        elif not line.startswith((" ", "\t")) and (match := _FIELD.match(line)):
            current, value = match[1].strip().lower(), match[2].strip()
            inner = value[1:-1] if value.startswith("[") and value.endswith("]") else None
            parts = inner.split(",") if inner is not None else [value]
            fields[current] = [bare for part in parts if (bare := _bare(part))]
    return fields, text[4 + end.end() :].lstrip("\n")


def _bare(value: str) -> str:
    return value.strip().strip("\"'").strip()


def _without_code(text: str) -> str:
    """The text with code blanked out, every position as it was."""
    return _FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def _entry(note: Note, known: Mapping[str, str], folder: str) -> Entry:
    tags = [tag.lstrip("#") for key in ("tags", "tag") for tag in note.fields.get(key, ()) if tag]
    plain = _without_code(note.text)
    targets = dict.fromkeys(_targets(plain, note.path, known))
    marked = dict.fromkeys([*tags, *_TAG.findall(plain)])
    headed = note.title.lower() in note.text[:300].lower()
    return Entry(
        id=note.path, text=note.text if headed else f"{note.title}\n\n{note.text}", at_us=note.at_us,
        title=folder + note.path, metadata=_beside(note), facts=_facts(note),
        mentions=(
            MentionDraft(note.title, "concept", note.title),
            *(MentionDraft(shown(tag, 80), "concept", f"#{shown(tag, 80)}") for tag in marked),
        ),
        relations=tuple(RelationDraft(note.title, "links to", name, 0.5) for name, _ in targets if name),
        links=tuple(dict.fromkeys(target for _, target in targets if target and target != note.path)),
    )  # fmt: skip


def _beside(note: Note) -> dict[str, str | list[str]] | None:
    """The front matter as fields: a text where there is one value, else a list."""
    found: dict[str, str | list[str]] = {}
    for field, values in list(note.fields.items())[:FIELDS]:
        cut = [shown(value, LONGEST_FIELD) for value in values[:FIELDS]]
        if cut:
            found[shown(field, 80)] = cut[0] if len(cut) == 1 else cut
    return found or None


def _facts(note: Note) -> tuple[str, ...]:
    """What the fields say of what the note is about."""
    told = [
        f"{note.title}'s {shown(field, 80)} is {', '.join(shown(value, LONGEST_FIELD) for value in values)}."
        for field, values in list(note.fields.items())[:FIELDS]
        if values and field not in _ABOUT_THE_NOTE
    ]
    return tuple(told)


def _targets(text: str, own: str, known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The name of each linked thing, and the path of its note where there is one."""
    folder = own.rsplit("/", 1)[0] + "/" if "/" in own else ""
    for match in _WIKI.finditer(text):
        name = match[1].strip()
        bare = name.lower().removesuffix(".md")
        yield shown(name.rsplit("/", 1)[-1], 120), known.get(bare) or known.get(bare.rsplit("/", 1)[-1], "")
    for match in _LINK.finditer(text):
        bare = unquote(match[1]).rsplit(".", 1)[0].lower().removeprefix("./")
        found = known.get((folder + bare).lower()) or known.get(bare, "")
        yield shown(bare.rsplit("/", 1)[-1], 120), found
