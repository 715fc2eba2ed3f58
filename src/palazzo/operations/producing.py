"""Operations about work products: register an output as a revision, and find the one that counts by its tag.

Owns the way from paths to artifacts. Only the operator's files are read, for their size and digest; what an agent names
is kept as it was named, so that no digest of a file it may not read is ever told. Invariant: inputs are memories the
caller sees, and the product stands where it may write.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from palazzo.belief import products
from palazzo.files.raw_files import named as local_path
from palazzo.model.address import Place
from palazzo.model.capability import Level
from palazzo.model.memory import Artifact, Memory
from palazzo.model.message import Message
from palazzo.operations import belief_parameters as p
from palazzo.operations import belief_results as r
from palazzo.operations import shown
from palazzo.operations.caller import OPERATOR
from palazzo.operations.context import Context, free_tags


def _artifact(context: Context, named: str) -> Artifact:
    parts = urlsplit(named)
    local = parts.scheme in ("", "file")
    if local and context.subject == OPERATOR:
        return products.artifact_of(local_path(named, "files"))
    return Artifact(Path(parts.path).name or named, named)


def register(context: Context, asked: p.Register) -> r.Product:
    """Registers an output; a further one of the same name is its next revision."""
    place = Place.parse(asked.place)
    context.access.require(context.operation.level, place, context.operation.name)
    text = context.engine.intake.read(Message(text=asked.text, author=context.subject, scope=context.scope)).text
    inputs = tuple(context.memory(one, level=Level.read_public).id for one in asked.made_from)
    product = products.Product(
        place=place, name=asked.name, text=text, artifacts=tuple(_artifact(context, one) for one in asked.files),
        made_from=inputs, author=context.subject, scope=context.scope, tags=free_tags(context.subject, *asked.tags),
    )  # fmt: skip
    made = products.register(context.engine.store, context.view(), product, subject=context.subject)
    with context.engine.store.reading(context.view()) as reading:
        found = reading.memories.get(made.memory_id)
    return replace(_shown(context, found), degraded=context.unsealed(found.tier))


def product(context: Context, asked: p.FindProduct) -> r.Product:
    """The product of a name at the revision a tag points to."""
    with context.engine.store.reading(context.view()) as reading:
        found = products.tagged(reading, Place.parse(asked.place), asked.name, asked.tag)
    return _shown(context, found)


def _shown(context: Context, found: Memory) -> r.Product:
    with context.engine.store.reading(context.view()) as reading:
        files = reading.artifacts.at(found.revision.key)
        links = reading.edges.of(found.id, "out")
    own = found.revision.number
    return r.Product(
        memory=shown.memory(found),
        files=tuple(
            r.ProductFile(
                name=one.name, uri=one.uri, media_type=one.media_type, size=one.size, sha256=one.sha256,
                state=products.check(one) if context.subject == OPERATOR else "",
            )
            for one in files
        ),
        made_from=tuple(
            edge.target.memory_id
            for edge in links
            if edge.kind == "created_from" and edge.source.revision in (None, own)
        ),
    )  # fmt: skip
