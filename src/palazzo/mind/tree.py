"""What the palace knows, as a tree: memories, clusters of some that belong together, domains of clusters, one whole.

Owns how memories are grouped and how well each domain is known. A tree is made for one reader from what that reader
sees and kept in memory only, so nobody's words stand in somebody else's summary and there is nothing to erase but a
cache. Invariants: the same memories give the same tree; each memory is in one cluster and each cluster in one domain;
after a change only the clusters it touches are made again, until a tenth has changed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from math import exp
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from palazzo.model.capability import View
from palazzo.model.fork_lock import ForkLock
from palazzo.model.retention import retention
from palazzo.store.api import Filter, Reading, Store
from palazzo.text.words.remembered import kept_in
from palazzo.text.words.tokens import STOP_WORDS, estimate_tokens, word_terms

MOST: Final = 20_000
CLUSTER: Final = 12
LARGEST: Final = 20
FEWEST: Final = 5
CLUSTERS_IN_DOMAIN: Final = 6
MOST_IN_DOMAIN: Final = 10
FEW_DOMAINS: Final = 80
"""Domains from which on each gets more clusters, up to ten: so many have room in one paragraph."""
ROUNDS: Final = 4
ENTITIES: Final = 200
TREES: Final = 4
LABEL_WORDS: Final = 4
WHOLE_TOKENS: Final = 200
SENTENCE: Final = 140
LEFT_OUT: Final = ("digest", "section", "summary")
REFERENCE_DEPTH: Final = 5.0
"""How many strong, trusted memories make a domain about two thirds known."""
FRESH_DAYS: Final = 30.0
DAY_US: Final = 86_400_000_000
Floats = NDArray[np.float32]
Rows = NDArray[np.int64]


class TreeNode(msgspec.Struct, frozen=True, kw_only=True):
    """One node: its level (1 a cluster, 2 a domain, 3 the whole), its words, and what is below it, by id or by key."""

    id: str
    level: int
    label: str
    summary: str
    keys: tuple[int, ...]
    """Memories below it, by revision, the most central first."""
    children: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        return estimate_tokens(self.summary)


class Domain(msgspec.Struct, frozen=True, kw_only=True):
    """How well a domain is known: each figure from 0 to 1."""

    node: TreeNode
    memories: int
    depth: float
    freshness: float
    uncertainty: float
    gaps: int
    newest_us: int

    @property
    def confidence(self) -> float:
        return self.depth * self.freshness * (1 - self.uncertainty)


class Tree(msgspec.Struct, frozen=True):
    """The tree of one reader at one moment."""

    clusters: tuple[TreeNode, ...] = ()
    domains: tuple[TreeNode, ...] = ()
    whole: TreeNode | None = None

    def node(self, node_id: str) -> TreeNode | None:
        """The node of this id."""
        every = (*self.clusters, *self.domains, *((self.whole,) if self.whole else ()))
        return next((one for one in every if one.id == node_id), None)

    def domain_of(self, keys: Iterable[int]) -> TreeNode | None:
        """The domain most of these memories are in, those named first counting most."""
        home = {key: domain for domain in self.domains for key in domain.keys}
        counts: Counter[str] = Counter()
        for place, key in enumerate(keys):
            if key in home:
                counts[home[key].id] += 12 - min(place, 11)
        best = min(counts.items(), key=lambda item: (-item[1], item[0]), default=None)
        return None if best is None else self.node(best[0])


class _Read(msgspec.Struct):
    """What was read of the memories of a tree: their texts, the telling words of those that are no turns, how many have
    each word, and the nodes that were made of them, by id."""

    texts: dict[int, str] = {}
    words: dict[int, set[str]] = {}
    common: Counter[str] = msgspec.field(default_factory=Counter)
    nodes: dict[str, TreeNode] = {}


class _Grown(msgspec.Struct):
    """A tree with what it was made from."""

    position: int
    keys: Rows
    vectors: Floats
    of_cluster: Rows
    tree: Tree
    common: Floats
    """What all vectors have in common, which is taken from each."""
    read: _Read
    changed: int = 0


class Trees:
    """The trees of a palace, each for one reader."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._grown: OrderedDict[View, _Grown] = OrderedDict()
        self._lock = ForkLock()
        kept_in(self, store)

    def forget(self) -> None:
        """Lets go of every tree, and of the words in them."""
        with self._lock:
            self._grown.clear()

    def of(self, view: View) -> Tree:
        """The tree of what a reader sees now."""
        with self._store.reading(view) as reading:
            position = reading.journal.last_seq()
            with self._lock:
                before = self._grown.get(view)
            if before is None or before.position != position:
                before = _updated(reading, before, position) if before is not None else _made(reading, position)
                with self._lock:
                    self._grown[view] = before
                    while len(self._grown) > TREES:
                        self._grown.popitem(last=False)
        return before.tree

    def domains(self, view: View, gaps: Sequence[Sequence[int]] = ()) -> tuple[Domain, ...]:
        """How well each domain is known, the surest first; `gaps` are the memories that open questions are about."""
        tree, now_us = self.of(view), self._store.clock.now_us()
        with self._store.reading(view) as reading:
            found = [self._domain(reading, node, gaps, now_us) for node in tree.domains]
        return tuple(sorted(found, key=lambda one: (-one.confidence, one.node.id)))

    def _domain(self, reading: Reading, node: TreeNode, gaps: Sequence[Sequence[int]], now_us: int) -> Domain:
        keys = list(node.keys)
        marks, uses = reading.memories.marks_of(keys), reading.memories.uses_of(keys)
        kinds, trust = reading.memories.kinds_of(keys), reading.trusts.figures(keys)
        strengths = [
            retention(
                kind=self._store.kinds.get(kinds[key]), durability=None, age_us=now_us - used, sessions=sessions,
                arousal=0.0,
            )
            for key, (used, sessions) in zip(marks.keys, uses, strict=False)
        ]  # fmt: skip
        strength = sum(strengths) / max(1, len(strengths))
        trusted = sum(trust.get(key, 0.5) for key in keys) / max(1, len(keys))
        newest = max(marks.valid_from_us, default=now_us)
        days = max(0.0, (now_us - newest) / DAY_US)
        here, open_gaps = set(keys), 0
        for about in gaps:
            open_gaps += any(key in here for key in about)
        return Domain(
            node=node, memories=len(keys), depth=1 - exp(-len(keys) * strength * trusted / REFERENCE_DEPTH),
            freshness=1.0 if days <= FRESH_DAYS else exp(-(days - FRESH_DAYS) / 365),
            uncertainty=min(1.0, open_gaps / max(1, len(keys))), gaps=open_gaps, newest_us=newest,
        )  # fmt: skip


def _wanted(reading: Reading) -> Rows:
    keys = reading.search.newest(Filter(), MOST)
    kinds = reading.memories.kinds_of(keys)
    return np.array(sorted(key for key in keys if kinds.get(key, "digest") not in LEFT_OUT), np.int64)


def _made(reading: Reading, position: int) -> _Grown:
    keys = _wanted(reading)
    vectors, common = _vectors(reading, keys)
    of_cluster = _clustered(vectors, _seeds(reading, keys, vectors))
    read = _more(reading, _Read(), keys)
    return _Grown(position, keys, vectors, of_cluster, _tree(read, keys, vectors, of_cluster), common, read)


def _updated(reading: Reading, before: _Grown, position: int) -> _Grown:
    """The tree with what came since in the nearest clusters, and without what is gone; made anew after a tenth."""
    keys = _wanted(reading)
    stays, fresh = np.isin(before.keys, keys), keys[~np.isin(keys, before.keys)]
    changed = before.changed + int((~stays).sum()) + len(fresh)
    space = reading.search.space()
    other = space is not None and space.dimensions != before.vectors.shape[1]  # another embedder took over
    if other or changed > len(keys) / 10 or not len(before.keys):
        return _made(reading, position)
    kept, vectors, homes = before.keys[stays], before.vectors[stays], before.of_cluster[stays]
    if len(fresh):
        added, _ = _vectors(reading, fresh, before.common)
        centres = _centres(vectors, homes)
        near = (added @ centres.T).argmax(axis=1)
        kept, vectors = np.concatenate((kept, fresh)), np.concatenate((vectors, added))
        homes = np.concatenate((homes, near))
        order = kept.argsort()
        kept, vectors, homes = kept[order], vectors[order], homes[order]
    homes = np.unique(homes, return_inverse=True)[1].astype(np.int64)
    read = _more(reading, before.read, kept)
    tree = _tree(read, kept, vectors, homes)
    return _Grown(position, kept, vectors, homes, tree, before.common, read, changed)


def _more(reading: Reading, before: _Read, keys: Rows) -> _Read:
    """What is read of these memories: what was read before, and those that came since."""
    wanted = set(keys.tolist())
    texts = {key: text for key, text in before.texts.items() if key in wanted}
    words = {key: some for key, some in before.words.items() if key in wanted}
    common = before.common.copy()
    for key in before.words.keys() - words.keys():
        common.subtract(before.words[key])
    fresh = sorted(wanted - texts.keys())
    marks = reading.memories.marks_of(fresh)
    kinds = reading.memories.kinds_of(fresh)
    for key, text in zip(marks.keys, marks.texts, strict=True):
        texts[key] = text
        if kinds.get(key) != "exchange":
            words[key] = set(_told_words(text))
            common.update(words[key])
    return _Read(texts, words, common, before.nodes)


def _vectors(reading: Reading, keys: Rows, common: Floats | None = None) -> tuple[Floats, Floats]:
    """A vector for each memory, of length one: the stored one without what all have in common, or one made of its
    words; and what they have in common."""
    space = reading.search.space()
    found, rows = reading.search.vectors_of(space, keys) if space is not None else (keys[:0], np.zeros((0, 256)))
    width = len(common) if common is not None else rows.shape[1]
    whole = np.zeros((len(keys), width), np.float32)
    if common is None:
        common = rows.mean(axis=0).astype(np.float32) if len(rows) else np.zeros(width, np.float32)
    if len(found):
        whole[np.searchsorted(keys, found)] = rows - common
    bare = [row for row in range(len(keys)) if not whole[row].any()]
    marks = reading.memories.marks_of(keys[bare].tolist()) if bare else None
    for key, text in zip(marks.keys, marks.texts, strict=True) if marks is not None else ():
        for word in word_terms(text):
            if word not in STOP_WORDS:
                whole[np.searchsorted(keys, key), blake2b(word.encode(), digest_size=2).digest()[0] % width] += 1
    length = np.linalg.norm(whole, axis=1, keepdims=True)
    return (whole / np.where(length > 0, length, 1)).astype(np.float32), common


def _seeds(reading: Reading, keys: Rows, vectors: Floats) -> Floats:
    """Where clusters begin: at what is spoken of most, then at memories chosen by a hash of their place."""
    count = max(1, round(len(keys) / CLUSTER))
    seeds: list[Floats] = []
    for entity in reading.entities.listed(limit=min(ENTITIES, count)) if len(keys) else ():
        if entity.mentions >= FEWEST and len(seeds) < count // 2:
            rows = np.searchsorted(keys, np.array(sorted(reading.entities.mentioning(entity.id, 50)), np.int64))
            rows = rows[rows < len(keys)]
            seeds.append(vectors[rows].mean(axis=0))
    order = sorted(range(len(keys)), key=lambda row: blake2b(int(keys[row]).to_bytes(8), digest_size=8).digest())
    seeds += [vectors[row] for row in order[: max(0, count - len(seeds))]]
    return np.array(seeds, np.float32).reshape(len(seeds), vectors.shape[1])


def _centres(vectors: Floats, homes: Rows) -> Floats:
    count = int(homes.max()) + 1 if len(homes) else 0
    sums = np.zeros((count, vectors.shape[1]), np.float32)
    order = homes.argsort(kind="stable")
    there, starts = np.unique(homes[order], return_index=True)
    if count:
        sums[there] = np.add.reduceat(vectors[order], starts, axis=0)
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    return (sums / np.where(length > 0, length, 1)).astype(np.float32)


def _clustered(vectors: Floats, seeds: Floats) -> Rows:
    """The cluster of every row: some rounds of moving centres, large ones split in two, small ones joined."""
    if not len(vectors):
        return np.zeros(0, np.int64)
    centres, homes = seeds, np.zeros(len(vectors), np.int64)
    for _ in range(ROUNDS):
        homes = (vectors @ centres.T).argmax(axis=1)
        homes = np.unique(homes, return_inverse=True)[1].astype(np.int64)
        centres = _centres(vectors, homes)
    homes = _split(vectors, homes)
    return _joined(vectors, homes)


def _split(vectors: Floats, homes: Rows) -> Rows:
    waiting = [np.nonzero(homes == one)[0] for one in range(int(homes.max()) + 1)]
    done: list[Rows] = []
    while waiting:
        rows = waiting.pop()
        if len(rows) <= LARGEST:
            done.append(rows)
            continue
        some = vectors[rows]
        first = int((some @ some.mean(axis=0)).argmin())
        second = int((some @ some[first]).argmin())
        side = some @ some[first] >= some @ some[second]
        if side.all() or not side.any():
            side = np.arange(len(rows)) < len(rows) // 2  # they all say the same
        waiting += [rows[side], rows[~side]]
    found = np.zeros(len(vectors), np.int64)
    for number, rows in enumerate(sorted(done, key=lambda one: int(one[0]))):
        found[rows] = number
    return found


def _joined(vectors: Floats, homes: Rows) -> Rows:
    """Small clusters go to the nearest one that has room."""
    sizes = np.bincount(homes)
    centres = _centres(vectors, homes)
    near = centres @ centres.T
    np.fill_diagonal(near, -2)
    for small in sorted(range(len(sizes)), key=lambda one: (int(sizes[one]), one)):
        if 0 < sizes[small] < FEWEST:
            room = np.where((sizes > 0) & (sizes + sizes[small] <= LARGEST), near[small], -3)
            room[small] = -3
            if room.max() > -3:
                into = int(room.argmax())
                homes[homes == small] = into
                sizes[into] += sizes[small]
                sizes[small] = 0
    return np.unique(homes, return_inverse=True)[1].astype(np.int64)


def _tree(read: _Read, keys: Rows, vectors: Floats, homes: Rows) -> Tree:
    """The tree of these clusters; a node whose memories are the same as before is the same."""
    if not len(keys):
        return Tree()
    centres = _centres(vectors, homes)
    order = np.lexsort((keys, -np.einsum("ij,ij->i", vectors, centres[homes]), homes))
    clusters: list[TreeNode] = []
    for rows in np.split(order, np.nonzero(np.diff(homes[order]))[0] + 1):
        members = tuple(int(key) for key in keys[rows] if int(key) in read.texts)
        if members:
            known = read.nodes.get(_node_id(1, members))
            clusters.append(known or _node(1, members, _label(members, read), _paragraph(members, read)))
    domains: list[TreeNode] = []
    for some in _domains(clusters, centres):
        members = tuple(key for one in some for key in one.keys)
        known = read.nodes.get(_node_id(2, members))
        if known is None:
            label = _label(members, read)
            told = f"{label}: {len(members)} memories, about {'; '.join(one.label for one in some[:5])}."
            known = _node(2, members, label, told, tuple(one.id for one in some))
        domains.append(known)
    domains.sort(key=lambda one: (-len(one.keys), one.id))
    read.nodes = {one.id: one for one in (*clusters, *domains)}
    return Tree(tuple(clusters), tuple(domains), _whole(domains))


def _told_words(text: str) -> Iterable[str]:
    """Words that a part can be called by: no number, no hour."""
    found = ((word, _bare(word)) for word in text.split() if len(word) > 3)
    return (word for word, bare in found if bare and not bare[0].isdigit() and bare not in STOP_WORDS)


def _bare(word: str) -> str:
    return word.strip(".,;:!?\"'()[]\u201c\u201d\u2019").casefold()


def _domains(clusters: Sequence[TreeNode], centres: Floats) -> list[list[TreeNode]]:
    """Clusters that belong together, some three to ten of them each."""
    few = max(FEW_DOMAINS, round(len(clusters) / MOST_IN_DOMAIN))
    count = max(1, min(few, round(len(clusters) / CLUSTERS_IN_DOMAIN)))
    order = sorted(range(len(clusters)), key=lambda one: (-len(clusters[one].keys), clusters[one].id))
    seeds = centres[np.array(order[:count])]
    homes = np.zeros(len(clusters), np.int64)
    for _ in range(ROUNDS):
        homes = np.unique((centres[: len(clusters)] @ seeds.T).argmax(axis=1), return_inverse=True)[1]
        seeds = _centres(centres[: len(clusters)], homes.astype(np.int64))
    found: defaultdict[int, list[TreeNode]] = defaultdict(list)
    for number, one in enumerate(clusters):
        found[int(homes[number])].append(one)
    return [sorted(some, key=lambda one: (-len(one.keys), one.id)) for _, some in sorted(found.items())]


def _node_id(level: int, keys: Sequence[int]) -> str:
    seed = np.sort(np.array(keys, np.int64)).tobytes()
    return f"{'cdw'[level - 1]}-{blake2b(seed, digest_size=5).hexdigest()}"


def _node(level: int, keys: tuple[int, ...], label: str, summary: str, children: tuple[str, ...] = ()) -> TreeNode:
    name = _node_id(level, keys)
    return TreeNode(id=name, level=level, label=label, summary=summary, keys=keys, children=children)


def _label(keys: Sequence[int], read: _Read) -> str:
    """The words that are said here and seldom elsewhere, as they are written."""
    here: Counter[str] = Counter()
    elsewhere: Counter[str] = Counter()
    written: dict[str, str] = {}
    for key in keys:
        for word in sorted(read.words.get(key, ())):
            bare = _bare(word)
            here[bare] += 1
            if bare not in written:
                written[bare] = word.strip(".,;:!?\"'()[]\u201c\u201d")
                elsewhere[bare] = read.common[word]
    often = [one for one in here if here[one] > 1] or list(here)
    order = sorted(often, key=lambda one: (-(here[one] ** 1.5) / max(1, elsewhere[one]) ** 0.5, one))
    return ", ".join(written[one] for one in order[:LABEL_WORDS]) or "other things"


def _paragraph(keys: Sequence[int], read: _Read) -> str:
    """Up to three memories whole, of more the most central ones; what is known before what was said."""
    order = [*(key for key in keys if key in read.words), *(key for key in keys if key not in read.words)]
    said = "; ".join(" ".join(read.texts[key].split())[:SENTENCE].rstrip(".") for key in order[:3])
    return said + (f"; and {len(keys) - 3} more." if len(keys) > 3 else ".")


def _named(labels: Sequence[Sequence[str]], most: int) -> list[str]:
    """Some words of each label, those first that none before it has."""
    used: set[str] = set()
    named: list[str] = []
    for words in labels:
        chosen = sorted(words, key=used.__contains__)[:most]
        used.update(chosen)
        named.append(", ".join(chosen))
    return named


def _whole(domains: Sequence[TreeNode]) -> TreeNode | None:
    """One paragraph of at most two hundred tokens over everything: the fewer words for each domain the more there are,
    so that as many as possible are named, the largest first, each by words that no other before it has."""
    if not domains:
        return None
    keys = tuple(key for one in domains for key in one.keys)
    told = f"{len(keys)} memories in {len(domains)} domain{'s' if len(domains) > 1 else ''}: "
    named: list[str] = []
    for words in range(LABEL_WORDS, 0, -1):
        named = _named([one.label.split(", ") for one in domains], words)
        if estimate_tokens(f"{told}{'; '.join(named)}.") <= WHOLE_TOKENS:
            break
    fit = bisect_right(
        range(len(named) + 1), WHOLE_TOKENS, key=lambda n: estimate_tokens(f"{told}{'; '.join(named[:n])} ...")
    )
    named = named[: fit - 1] if fit <= len(named) else named
    end = "." if len(named) == len(domains) else " ..."
    return _node(3, keys, "everything", f"{told}{'; '.join(named)}{end}", tuple(one.id for one in domains))
