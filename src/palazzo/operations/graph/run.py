"""Operations about how memories hang together: why, relate, unrelate, walk, path, impact, work products, bundles, and
entities.

Owns the way from paths to artifacts. Only the operator's files are read, for their size and digest; what an agent names
is kept as it was named, so that no digest of a file it may not read is ever told. Invariant: both ends of a link, and
what a product is made from, are memories the caller sees.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit
from uuid import UUID

from msgspec.structs import asdict, replace

from palazzo.belief import products
from palazzo.errors import InvalidInput, NotFound, NotPermitted
from palazzo.files.raw_files import named as local_path
from palazzo.intake.screen import check_metadata
from palazzo.model.capability import Level, View
from palazzo.model.change import AddEdge, LinkProvenance, MergeEntities, RemoveEdge, SplitEntity
from palazzo.model.graph import (
    CLAIMED,
    EDGE_KINDS,
    Edge,
    Entity,
    LinkKind,
    Node,
    Profile,
    ProvenanceEdge,
    ProvenanceNode,
    Relation,
    Source,
)
from palazzo.model.ids import new_id
from palazzo.model.memory import Artifact, Memory
from palazzo.model.message import Message
from palazzo.operations.caller import OPERATOR
from palazzo.operations.context import (
    CallContext,
    artifact_shown,
    free_tags,
    name_called,
    names_revision,
    place_called,
)
from palazzo.operations.graph import spec
from palazzo.operations.shared import SeenMemoryParameters, StoredMemory, id_called, microseconds, moment
from palazzo.store.api import Ancestor, EdgeStep, EdgeWalk
from palazzo.text.facts.relations import inverse_of

MOST_LINKS = 10_000
_SHA256 = re.compile(r"[0-9a-f]{64}")
_AROUND = frozenset({"file", "command", "app_activation"})
"""What goes on around a memory rather than telling it."""
DECIDED = frozenset({"contradicts", "supersedes"})
"""Links that say what became of a disagreement: whoever takes one away settles it."""


def why(context: CallContext, asked: SeenMemoryParameters) -> spec.Why:
    view = context.view(deprecated=asked.include_deprecated)
    found = context.memory(asked.memory, deprecated=asked.include_deprecated)
    account = context.engine.beliefs.why(found.id, view)
    with context.engine.store.reading(view) as reading:
        links = reading.edges.of(found.id)
    return spec.Why(
        text=account.text, clauses=tuple(spec.ShownClause(text=one.text, about=one.about) for one in account.reasons),
        memory=StoredMemory.of(found), origins=tuple(_origin(one) for one in account.chain),
        links=tuple(_link(edge) for edge in links if edge.source.memory_id != edge.target.memory_id),
    )  # fmt: skip


def origin_add(context: CallContext, asked: spec.OriginAddParameters) -> spec.ShownOrigin:
    if asked.metadata is not None:
        check_metadata(asked.metadata)
    own, now_us = context.access.is_operator, context.engine.clock.now_us()
    if asked.author and not own and asked.author != context.subject:
        raise NotPermitted("whoever is not the operator tells what it did itself", hint="leave the author out")
    sha256 = asked.sha256.strip().lower()
    if sha256 and not _SHA256.fullmatch(sha256):
        raise InvalidInput("a SHA-256 is 64 digits in hex", field="sha256")
    if not sha256 and own and asked.kind == "file" and urlsplit(asked.label).scheme in ("", "file"):
        sha256 = products.digest_of(local_path(asked.label, "label"))
    link = asked.link or ("context_for" if asked.kind in _AROUND else "mentioned_in")
    node = ProvenanceNode(
        id=new_id(now_us), kind=asked.kind, at_us=microseconds(asked.at) or now_us, label=asked.label,
        author=asked.author or context.subject, metadata=asked.metadata, sha256=sha256,
    )  # fmt: skip
    _bear(context, asked.of, node, link)
    return _origin(Ancestor(node, link, 0, None))


def origin_link(context: CallContext, asked: spec.OriginLinkParameters) -> spec.ShownOrigin:
    with context.engine.store.reading(context.view()) as reading:
        node = reading.provenance.node(id_called(asked.target, "target", "`why` tells the ids", "an origin"))
    _bear(context, asked.source, node, asked.kind)
    return _origin(Ancestor(node, asked.kind, 0, None))


def _bear(context: CallContext, named: str, node: ProvenanceNode, link: LinkKind) -> None:
    """Puts a happening behind a memory, or behind a later happening.

    What anyone but the operator tells is shown and makes nothing more trusted; behind others' happenings it tells none.
    """
    later = _later(context, named)
    if later is not None:
        if later.author != context.subject and not context.access.is_operator:
            raise NotPermitted("an origin that another told is the operator's to add to")
        context.commit(LinkProvenance(edges=(ProvenanceEdge(link, later.id, node.id),), nodes=(node,)))
        return
    found = context.memory(named)
    stage = "origin" if context.access.is_operator else CLAIMED
    context.commit(LinkProvenance(memory_id=found.id, sources=(Source(node=node, kind=link, stage=stage),)))


def _later(context: CallContext, named: str) -> ProvenanceNode | None:
    """The happening of this id; None where a memory is named."""
    try:
        wanted = UUID(named)
        with context.engine.store.reading(context.view()) as reading:
            return reading.provenance.node(wanted)
    except (ValueError, NotFound):
        return None


def relate(context: CallContext, asked: spec.RelateParameters) -> spec.Link:
    source, target = _node(context, asked.source), _node(context, asked.target)
    if asked.metadata is not None:
        check_metadata(asked.metadata)
    weight = asked.weight
    if weight is None:
        weight = next((one.weight for one in _between(context, source, target) if one.kind == asked.kind), 1.0)
    context.commit(AddEdge(asked.kind, source, target, weight, asked.metadata))
    return next(_link(edge) for edge in _between(context, source, target) if edge.kind == asked.kind)


def unrelate(context: CallContext, asked: spec.UnrelateParameters) -> spec.Unlinked:
    if asked.kind in DECIDED and not context.access.is_operator:
        raise NotPermitted(
            f"a link {asked.kind} is taken away by the operator alone", hint="the operator settles a disagreement"
        )
    source, target = _node(context, asked.source), _node(context, asked.target)
    found = _between(context, source, target)
    edge = next((edge for edge in found if edge.kind == asked.kind), None)
    if edge is None:
        kinds = ", ".join(sorted({edge.kind for edge in found}))
        hint = f"there is {kinds}" if kinds else "`palazzo walk` shows what a memory is linked with"
        raise NotFound(f"no link {asked.kind} leads from the one to the other", hint=hint)
    context.commit(RemoveEdge(edge.kind, source, target))
    return spec.Unlinked(**asdict(_link(edge)))


def _between(context: CallContext, source: Node, target: Node) -> list[Edge]:
    """The links from the one end to the other."""
    with context.engine.store.reading(context.view()) as reading:
        found = reading.edges.of(source.memory_id, "out", MOST_LINKS)
    return [edge for edge in found if edge.source == source and edge.target == target]


def _node(context: CallContext, named: str) -> Node:
    """The end of a link a caller names: a memory, or the revision its address asks for."""
    found = context.memory(named)
    return Node(found.id, found.revision.number if names_revision(named) else None)


def walk(context: CallContext, asked: spec.WalkParameters) -> spec.Walked:
    start = context.memory(asked.memory, deprecated=asked.include_deprecated)
    view = context.view(deprecated=asked.include_deprecated)
    how = EdgeWalk(direction=asked.direction, kinds=asked.kinds or EDGE_KINDS, depth=asked.depth, limit=asked.limit)
    return _reached(context, view, start.id, context.engine.beliefs.traverse(start.id, how, view))


def impact(context: CallContext, asked: spec.ImpactParameters) -> spec.Walked:
    start = context.memory(asked.memory, deprecated=asked.include_deprecated)
    view = context.view(deprecated=asked.include_deprecated)
    return _reached(context, view, start.id, context.engine.beliefs.impact(start.id, view, depth=asked.depth))


def _reached(context: CallContext, view: View, start: UUID, steps: Sequence[EdgeStep]) -> spec.Walked:
    with context.engine.store.reading(view) as reading:
        found = tuple(
            spec.Reached(
                depth=step.depth, memory=StoredMemory.of(reading.memories.get(step.memory_id)),
                link=_link(step.edge) if step.edge else None,
            )
            for step in steps
        )  # fmt: skip
    return spec.Walked(start=start, steps=found)


def path(context: CallContext, asked: spec.PathParameters) -> spec.Pathway:
    too = asked.include_deprecated
    start, goal = context.memory(asked.source, deprecated=too), context.memory(asked.target, deprecated=too)
    view = context.view(deprecated=too)
    steps = context.engine.beliefs.path(start.id, goal.id, view, depth=asked.depth)
    with context.engine.store.reading(view) as reading:
        return spec.Pathway(
            memories=tuple(StoredMemory.of(reading.memories.get(step.memory_id)) for step in steps),
            links=tuple(_link(step.edge) for step in steps if step.edge),
        )


def _origin(ancestor: Ancestor) -> spec.ShownOrigin:
    """A happening behind a memory."""
    node = ancestor.node
    return spec.ShownOrigin(
        id=node.id, kind=node.kind, at=moment(node.at_us), label=node.label, author=node.author, link=ancestor.kind,
        depth=ancestor.depth, metadata=dict(node.metadata or {}), sha256=node.sha256,
    )  # fmt: skip


def _link(edge: Edge) -> spec.Link:
    """A link between two memories."""
    return spec.Link(
        kind=edge.kind, source=edge.source.memory_id, target=edge.target.memory_id, weight=edge.weight,
        made_at=moment(edge.created_us), metadata=dict(edge.metadata or {}),
        source_revision=edge.source.revision, target_revision=edge.target.revision,
    )  # fmt: skip


def _artifact(context: CallContext, named: str) -> Artifact:
    parts = urlsplit(named)
    local = parts.scheme in ("", "file")
    if local and context.subject == OPERATOR:
        return products.artifact_of(local_path(named, "files"))
    return Artifact(Path(parts.path).name or named, named)


def register(context: CallContext, asked: spec.RegisterParameters) -> spec.ShownProduct:
    """Registers an output; a further one of the same name is its next revision."""
    place = place_called(asked.place)
    context.require_at(place)
    text = context.engine.intake.read(Message(text=asked.text, author=context.subject, scope=context.scope)).text
    inputs = tuple(context.memory(one, level=Level.read_public).id for one in asked.made_from)
    product = products.Product(
        place=place, name=name_called(asked.name), text=text,
        artifacts=tuple(_artifact(context, one) for one in asked.files), made_from=inputs,
        author=context.subject, scope=context.scope, tags=free_tags(context.subject, *asked.tags),
    )  # fmt: skip
    made = products.register(context.engine.store, context.view(), product, subject=context.subject)
    with context.engine.store.reading(context.view()) as reading:
        found = reading.memories.get(made.memory_id)
    return replace(_product(context, found), degraded=context.unsealed(found.tier))


def product(context: CallContext, asked: spec.ProductParameters) -> spec.ShownProduct:
    with context.engine.store.reading(context.view()) as reading:
        found = products.tagged(reading, place_called(asked.place), name_called(asked.name), asked.tag)
    return _product(context, found)


def _product(context: CallContext, found: Memory) -> spec.ShownProduct:
    with context.engine.store.reading(context.view()) as reading:
        files = reading.artifacts.at(found.revision.key)
        links = reading.edges.of(found.id, "out")
    own = found.revision.number
    return spec.ShownProduct(
        memory=StoredMemory.of(found),
        files=tuple(artifact_shown(context, one) for one in files),
        made_from=tuple(
            edge.target.memory_id
            for edge in links
            if edge.kind == "created_from" and edge.source.revision in (None, own)
        ),
    )  # fmt: skip


def entities(context: CallContext, asked: spec.EntitiesParameters) -> spec.EntityList:
    with context.engine.store.reading(context.view()) as reading:
        found = reading.entities.listed(asked.kind, asked.words, asked.limit)
    return spec.EntityList(entities=tuple(map(_known, found)))


def entity(context: CallContext, asked: spec.EntityParameters) -> spec.EntityProfile:
    return _profile(context, asked.name, asked.limit)


def merge_entities(context: CallContext, asked: spec.MergeEntitiesParameters) -> spec.EntityProfile:
    kept, other = (_of_own_scope(context, name) for name in (asked.name, asked.other))
    context.commit(MergeEntities(kept.id, other.id))
    return _profile(context, asked.name)


def split_entity(context: CallContext, asked: spec.SplitEntityParameters) -> spec.EntityProfile:
    _profile(context, asked.name)
    context.commit(SplitEntity(asked.name, context.scope))
    return _profile(context, asked.name)


def _of_own_scope(context: CallContext, name: str) -> Entity:
    """What has this name in the caller's own scope: what others share is not changed from inside one of them."""
    known = _found(context, name)
    own = [one for one in (known.entity, *known.joined) if one.scope == context.scope]
    if not own:
        raise NotFound(f"nothing is called {name} in this scope", hint="`palazzo entities` says which scope each is of")
    return own[0]


def _found(context: CallContext, name: str, limit: int = 50) -> Profile:
    with context.engine.store.reading(context.view()) as reading:
        known = reading.entities.profile(name, limit)
    if known is None:
        raise NotFound(f"no memory speaks of {name}", hint="`palazzo entities` lists who and what is known")
    return known


def _profile(context: CallContext, name: str, limit: int = 50) -> spec.EntityProfile:
    known = _found(context, name, limit)
    with context.engine.store.reading(context.view()) as reading:
        told = reading.memories.by_keys(known.keys)
    now_us = context.engine.clock.now_us()
    relations = {(one.relation, one.other, one.stated): one for one in (_relation(r, now_us) for r in known.relations)}
    dated = sorted((found.revision.content.valid_from_us or found.created_us, key) for key, found in told.items())
    return spec.EntityProfile(
        entity=_known(known.entity), joined=tuple(map(_known, known.joined)),
        relations=tuple(sorted(relations.values(), key=lambda one: (-one.strength, one.relation, one.other))),
        timeline=tuple(spec.DatedMemory(at=moment(at), memory=StoredMemory.of(told[key])) for at, key in dated),
    )  # fmt: skip


def _known(found: Entity) -> spec.KnownEntity:
    return spec.KnownEntity(
        id=found.id, name=found.name, kind=found.kind, names=found.aliases, scope=str(found.scope),
        mentions=found.mentions, first_seen=moment(found.first_us) if found.first_us else None,
        last_seen=moment(found.last_us) if found.last_us else None,
    )  # fmt: skip


def _relation(found: Relation, now_us: int) -> spec.ShownRelation:
    """A relation from the side of the entity that was asked for; where that side has no word of its own, it says so."""
    inward = inverse_of(found.predicate) or f"{found.predicate} (of it)"
    return spec.ShownRelation(
        relation=found.predicate if found.outward else inward, other=found.object if found.outward else found.subject,
        stated=f"{found.subject} {found.predicate} {found.object}", strength=round(found.strength(now_us), 4),
        count=found.count, last_at=moment(found.last_us), confidence=found.confidence,
    )  # fmt: skip


def bundle(context: CallContext, asked: spec.BundleParameters) -> spec.Bundled:
    place = place_called(asked.place)
    context.require_at(place)
    text = asked.text
    if text:
        text = context.engine.intake.read(Message(text=text, author=context.subject, scope=context.scope)).text
    wanted = products.Bundle(
        place=place, name=name_called(asked.name), text=text, author=context.subject, scope=context.scope,
        add=tuple(context.memory(one, level=Level.read_public).id for one in asked.add),
        remove=tuple(context.memory(one, level=Level.read_public, deprecated=True).id for one in asked.remove),
    )  # fmt: skip
    made = products.bundle(context.engine.store, context.view(), wanted, subject=context.subject)
    return _bundled(context, context.view(), made)


def members(context: CallContext, asked: SeenMemoryParameters) -> spec.Bundled:
    found = context.memory(asked.memory, deprecated=asked.include_deprecated)
    if found.kind != products.BUNDLE:
        raise InvalidInput(
            f"{found.kref.short} is no bundle", field="memory", hint="`list` with kinds bundle names them"
        )
    return _bundled(context, context.view(deprecated=asked.include_deprecated), found.id)


def _bundled(context: CallContext, view: View, memory_id: UUID) -> spec.Bundled:
    with context.engine.store.reading(view) as reading:
        found = reading.memories.get(memory_id)
        held = products.contents(reading, memory_id)
    return spec.Bundled(
        bundle=StoredMemory.of(found), degraded=context.unsealed(found.tier),
        members=tuple(spec.ShownMember(memory=StoredMemory.of(one), since=moment(since)) for one, since in held),
    )  # fmt: skip
