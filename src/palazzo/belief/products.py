"""Work products: what an agent made, as a memory with artifacts; bundles that group; tags that say which one counts.

Owns the shape: kind `asset`, one artifact per file, `created_from` edges to the inputs, a tag such as `approved`. Files
stay where they are; Palazzo points at them and says when they moved or changed. Invariant: registering again under
the same name makes a revision, never a second product.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.errors import NotFound
from palazzo.files import raw_files
from palazzo.model.address import Kref, Place
from palazzo.model.capability import View
from palazzo.model.change import AddEdge, AddRevision, Attachments, Change, MoveTag, PlaceMemory, RemoveEdge
from palazzo.model.graph import EdgeDraft, Node
from palazzo.model.ids import new_id
from palazzo.model.memory import Artifact, Memory, RevisionDraft
from palazzo.model.scope import GLOBAL, Scope
from palazzo.store.api import Reading, Store
from palazzo.text.safety import gate

ArtifactState = Literal["unchanged", "changed", "missing", "elsewhere"]
_CHUNK = 1 << 20
BUNDLE = "bundle"
MOST_MEMBERS = 10_000


class Product(msgspec.Struct, frozen=True, kw_only=True):
    """An output to register: where it belongs, what it is, its files, and what it was made from."""

    place: Place
    name: str
    text: str
    artifacts: tuple[Artifact, ...] = ()
    made_from: tuple[UUID, ...] = ()
    author: str = ""
    scope: Scope = GLOBAL
    tags: tuple[str, ...] = ()


class Registered(msgspec.Struct, frozen=True):
    memory_id: UUID
    revision: int


def register(store: Store, view: View, product: Product, *, subject: str = "operator") -> Registered:
    """Registers an output; a further one of the same name is its next revision.

    Raises: Refused, NotFound for an input that is not there, VersionConflict, CycleRefused.
    """
    gate.refuse_open((product.name,), "a name", keyed=store.cipher is not None)
    content = RevisionDraft(text=product.text, author=product.author)
    before = _before(store, view, product.place, (product.name, "asset"), product.scope)
    links = tuple(EdgeDraft("created_from", Node(source)) for source in product.made_from)
    changes: list[Change]
    if before is None:
        memory_id, number = new_id(store.clock.now_us()), 1
        changes = [
            PlaceMemory(
                memory_id=memory_id, place=product.place, name=product.name, kind="asset", content=content,
                scope=product.scope, tags=product.tags,
                attachments=Attachments(artifacts=product.artifacts, edges=links),
            )
        ]  # fmt: skip
    else:
        memory_id = before.id
        with store.reading(view) as reading:
            number = reading.memories.history(memory_id)[-1].number + 1
        own = EdgeDraft("supersedes", Node(memory_id, before.revision.number))
        changes = [
            AddRevision(
                memory_id=memory_id, content=content, expected=before.revision.number,
                tags=("current", *product.tags),
                attachments=Attachments(artifacts=product.artifacts, edges=(*links, own)),
            )
        ]  # fmt: skip
    store.commit(changes, subject=subject)
    return Registered(memory_id, number)


def tag(store: Store, memory_id: UUID, name: str, revision: int, *, subject: str = "operator") -> None:
    """Says which revision counts as `name`, such as approved; recorded like every move of a tag.

    Raises: NotFound.
    """
    store.commit([MoveTag(memory_id, name, revision)], subject=subject)


def tagged(reading: Reading, place: Place, name: str, tag_name: str) -> Memory:
    """The product of a name at the revision a tag points to: "the approved one".

    Raises: NotFound.
    """
    return reading.memories.at_address(
        Kref(palace="", place=place, name=name, kind="asset", revision=None, tag=tag_name, at=None, artifact=None),
    )


def made_from(reading: Reading, memory_id: UUID) -> tuple[Memory, ...]:
    """The inputs of a product."""
    return tuple(
        reading.memories.get(edge.target.memory_id)
        for edge in reading.edges.of(memory_id, "out")
        if edge.kind == "created_from"
    )


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """A group to make or to change: where it is, what it is, and which memories go in and out."""

    place: Place
    name: str
    text: str = ""
    add: tuple[UUID, ...] = ()
    remove: tuple[UUID, ...] = ()
    author: str = ""
    scope: Scope = GLOBAL


def bundle(store: Store, view: View, wanted: Bundle, *, subject: str = "operator") -> UUID:
    """Groups memories under a name; a group of that name in the same scope is changed.

    Raises: Refused, NotFound for a member that is not there, CycleRefused for one that holds the group itself.
    """
    gate.refuse_open((wanted.name,), "a name", keyed=store.cipher is not None)
    before = _before(store, view, wanted.place, (wanted.name, BUNDLE), wanted.scope)
    if before is None:
        memory_id = new_id(store.clock.now_us())
        made: list[Change] = [
            PlaceMemory(
                memory_id=memory_id, place=wanted.place, name=wanted.name, kind=BUNDLE, scope=wanted.scope,
                content=RevisionDraft(text=wanted.text or wanted.name, author=wanted.author),
            )
        ]  # fmt: skip
        held: frozenset[UUID] = frozenset()
    else:
        memory_id, made = before.id, []
        with store.reading(replace(view, include_deprecated=True)) as reading:
            held = frozenset(memory.id for memory, _ in contents(reading, memory_id))
        if wanted.text and wanted.text != before.text:
            content = replace(before.revision.content, text=wanted.text, author=wanted.author)
            own = EdgeDraft("supersedes", Node(memory_id, before.revision.number))
            made.append(
                AddRevision(
                    memory_id=memory_id, content=content, expected=before.revision.number,
                    attachments=Attachments(edges=(own,)),
                )
            )  # fmt: skip
    here = Node(memory_id)
    made += [AddEdge("contains", here, Node(one)) for one in dict.fromkeys(wanted.add) if one not in held]
    made += [RemoveEdge("contains", here, Node(one)) for one in dict.fromkeys(wanted.remove) if one in held]
    if made:
        store.commit(made, subject=subject)
    return memory_id


def _before(store: Store, view: View, place: Place, named: tuple[str, str], scope: Scope) -> Memory | None:
    """The memory of this name and kind that a writer of the scope revises: one of a wider scope is another."""
    name, kind = named
    address = Kref(palace="", place=place, name=name, kind=kind, revision=None, tag=None, at=None, artifact=None)
    with store.reading(view) as reading:
        try:
            found = reading.memories.at_address(address)
        except NotFound:
            return None
    return found if found.scope == scope else None


def contents(reading: Reading, bundle_id: UUID) -> tuple[tuple[Memory, int], ...]:
    """What a bundle contains, as far as this reader sees it, and since when, oldest first."""
    held = [edge for edge in reading.edges.of(bundle_id, "out", MOST_MEMBERS) if edge.kind == "contains"]
    held.sort(key=lambda edge: (edge.created_us, edge.target))
    return tuple((reading.memories.get(edge.target.memory_id), edge.created_us) for edge in held)


def artifact_of(path: Path, name: str = "", media_type: str = "application/octet-stream") -> Artifact:
    """A pointer to a file with its size and digest.

    Raises: NotFound.
    """
    if not path.is_file():
        raise NotFound(f"no file {path}")
    return Artifact(name or path.name, path.resolve().as_uri(), media_type, path.stat().st_size, _digest(path))


def check(artifact: Artifact) -> ArtifactState:
    """Whether the file an artifact points to is still what it was; `elsewhere` when it is not a local file."""
    parts = urlsplit(artifact.uri)
    if parts.scheme not in ("", "file"):
        return "elsewhere"
    path = Path(unquote(parts.path))
    if not path.is_file():
        return "missing"
    if artifact.sha256 is None:
        return "unchanged" if artifact.size in (None, path.stat().st_size) else "changed"
    try:
        return "unchanged" if _digest(path) == artifact.sha256 else "changed"
    except OSError:
        return "missing"  # it is there and cannot be read: nobody can say that it is what it was


def digest_of(path: Path) -> str:
    """The SHA-256 of a file; empty where there is none that can be read."""
    try:
        return _digest(path) if path.is_file() else ""
    except OSError:
        return ""


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with raw_files.reading(path) as file:
        while block := file.read(_CHUNK):
            digest.update(block)
    return digest.hexdigest()
