"""A palace as LangGraph's long-term store: `PalazzoStore` is a `BaseStore`, for graphs that run sync or async.

Owns the operations of the interface: filters, conditions on namespaces, pages, the time values last. Values are kept by
`items`. Invariants: a batch reads the palace as it was before its own writes; an operation with a namespace LangGraph
would refuse changes nothing.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any, Final, Self

from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    get_text_at_path,
    validate_op_namespace,
)
from langgraph.store.base import Item as StoreItem

from palazzo.integrations.items import Item, KeptItems, Namespace, Put
from palazzo.surfaces.library import Memory

_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "$eq": lambda found, wanted: _same(found, wanted),
    "$ne": lambda found, wanted: not _same(found, wanted),
    "$gt": lambda found, wanted: _order(found, wanted) == 1,
    "$gte": lambda found, wanted: _order(found, wanted) in (0, 1),
    "$lt": lambda found, wanted: _order(found, wanted) == -1,
    "$lte": lambda found, wanted: _order(found, wanted) in (-1, 0),
}
_WHOLE: Final = "$"
_SWEEP_MINUTES: Final = 5.0


class PalazzoStore(BaseStore):
    """LangGraph's `BaseStore` over a palace.

        from palazzo.integrations.langgraph import PalazzoStore
        graph = builder.compile(store=PalazzoStore("~/palace"))

    Takes a folder or an open `palazzo.Memory`. Searching by a query works with the palace's own index: `index` may name
    the `fields` that are searched, all of a value by default; no embedding function is needed. `ttl` is LangGraph's
    (`default_ttl`, `refresh_on_read`, `sweep_interval_minutes`). `place` is where in the palace the items stand.
    """

    supports_ttl = True

    def __init__(
        self, palace: str | os.PathLike[str] | Memory | None = None, *, index: IndexConfig | None = None,
        ttl: TTLConfig | None = None, place: str = "store", **settings: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        self._own = not isinstance(palace, Memory)
        self._memory = palace if isinstance(palace, Memory) else Memory(palace, **settings)
        self._items = KeptItems(self._memory, place)
        self.index_config = index
        self.ttl_config = ttl
        self._fields = _fields(index)
        self._sweeper: threading.Thread | None = None
        self._stop = threading.Event()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Does operations: reads first, then writes, of two writes to one key the later.

        Raises: InvalidNamespaceError before anything was done, and what the palace raises.
        """
        asked = list(ops)
        for op in asked:
            validate_op_namespace(op)
        results = [self._read(op) for op in asked]
        last = {(op.namespace, op.key): op for op in asked if isinstance(op, PutOp)}
        for op in last.values():
            if op.value is None:
                self._items.delete(op.namespace, op.key)
        self._items.put(self._put(op) for op in last.values() if op.value is not None)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same, in a worker thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def sweep_ttl(self) -> int:
        """Removes the items whose time is over; returns how many. They are not read any more even before."""
        return self._items.sweep()

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> None:
        """Sweeps every so many minutes, in a thread, until `stop_ttl_sweeper` or `close`."""
        if self._sweeper is not None:
            return
        configured = (self.ttl_config or {}).get("sweep_interval_minutes")
        minutes = sweep_interval_minutes or configured or _SWEEP_MINUTES
        self._stop.clear()
        self._sweeper = threading.Thread(target=self._sweep_every, args=(minutes * 60,), daemon=True)
        self._sweeper.start()

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """Stops sweeping; tells whether it has stopped."""
        thread, self._sweeper = self._sweeper, None
        self._stop.set()
        if thread is None:
            return True
        thread.join(timeout)
        return not thread.is_alive()

    def close(self) -> None:
        """Stops sweeping, and closes the palace if this store opened it."""
        self.stop_ttl_sweeper()
        if self._own:
            self._memory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.close)

    def _sweep_every(self, seconds: float) -> None:
        while not self._stop.wait(seconds):
            self.sweep_ttl()

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            found = self._items.get(op.namespace, op.key, refresh=self._refreshes(op.refresh_ttl))
            return None if found is None else StoreItem(**_shown(found))
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._list(op)
        return None

    def _search(self, op: SearchOp) -> list[SearchItem]:
        wanted, refresh = op.filter or {}, self._refreshes(op.refresh_ttl)
        most = op.offset + op.limit
        prefix = tuple(op.namespace_prefix)
        ranked: list[tuple[Item, float | None]] = []
        if op.query and op.query.strip():
            # A filter is asked of what was found, so more than a page is looked at where there is one.
            found = self._items.ranked(prefix, op.query, 200 if wanted else most)
            ranked = [(item, score) for item, score in found if _passes(item.value, wanted)]
        seen = {item.id for item, _ in ranked}
        rest = (item for item in self._items.under(prefix) if item.id not in seen and _passes(item.value, wanted))
        if op.query:
            # What a query does not find comes after what it finds, as in every store of LangGraph.
            others = list(rest) if len(ranked) < most else []
            ranked += [(item, 0.0) for item in others if item.indexed]
            ranked += [(item, None) for item in others if not item.indexed]
        else:
            ranked = [(item, None) for item in islice(rest, most)]
        page = ranked[op.offset : most]
        if refresh:
            for item, _ in page:
                self._items.get(item.namespace, item.key, refresh=True)
        return [SearchItem(**_shown(item), score=score) for item, score in page]

    def _list(self, op: ListNamespacesOp) -> list[Namespace]:
        conditions = op.match_conditions or ()
        plain = next((c.path for c in conditions if c.match_type == "prefix" and "*" not in c.path), ())
        found = [one for one in self._items.namespaces(tuple(plain)) if all(_matches(one, c) for c in conditions)]
        if op.max_depth is not None:
            found = list(dict.fromkeys(one[: op.max_depth] for one in found))
        return found[op.offset : op.offset + op.limit]

    def _put(self, op: PutOp) -> Put:
        fields = self._fields if op.index is None else op.index or ()
        ttl_s = None if op.ttl is None else op.ttl * 60
        return Put(namespace=op.namespace, key=op.key, value=op.value, text=_text(op.value or {}, fields), ttl_s=ttl_s)

    def _refreshes(self, asked: bool) -> bool:
        """Whether reading begins the time of an item anew: the store was told so, and the call does not refuse."""
        return asked and bool((self.ttl_config or {}).get("refresh_on_read", False))


def _fields(index: IndexConfig | None) -> tuple[str, ...]:
    if index is not None and index.get("embed") is not None:
        warnings.warn("palazzo embeds by itself: `embed` and `dims` of the index are not used", stacklevel=3)
    return tuple((index or {}).get("fields") or (_WHOLE,))


def _text(value: Mapping[str, Any], fields: Iterable[str]) -> str:
    """The words a value is found by: those of the fields, or all of it, a line for each key."""
    lines: list[str] = []
    for path in fields:
        lines += _lines(value) if path == _WHOLE else [one for one in get_text_at_path(value, path) if one]
    return "\n".join(lines)


def _lines(value: Mapping[str, Any]) -> list[str]:
    texts = [one for one in value.values() if isinstance(one, str)]
    if len(texts) == len(value) == 1:
        return texts
    return [
        f"{key}: {one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)}" for key, one in value.items()
    ]


def _shown(item: Item) -> dict[str, Any]:
    return {"namespace": item.namespace, "key": item.key, "value": item.value, "created_at": item.created_at,
            "updated_at": item.updated_at}  # fmt: skip


def _matches(namespace: Namespace, condition: MatchCondition) -> bool:
    """Whether a namespace begins or ends with a path; * stands for any one label."""
    path = condition.path
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return len(namespace) >= len(path) and all(want in ("*", have) for want, have in zip(path, part, strict=True))


def _passes(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(_compares(_within(value, key), condition) for key, condition in wanted.items())


def _within(value: Mapping[str, Any], key: str) -> Any:
    """What stands under a key, or under a dotted path of keys where no key has that name."""
    if key in value:
        return value[key]
    found: Any = value
    for part in key.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _compares(found: Any, condition: Any) -> bool:
    if not isinstance(condition, Mapping):
        return _same(found, condition)
    if any(str(key).startswith("$") for key in condition):
        unknown = [key for key in condition if key not in _COMPARE]
        if unknown:
            raise ValueError(f"Unsupported operator: {unknown[0]}")
        return all(_COMPARE[key](found, wanted) for key, wanted in condition.items())
    return isinstance(found, Mapping) and all(_compares(found.get(key), one) for key, one in condition.items())


def _same(found: Any, wanted: Any) -> bool:
    if isinstance(found, bool) or isinstance(wanted, bool):
        return found is wanted
    return bool(found == wanted)


def _order(found: Any, wanted: Any) -> int | None:
    """-1, 0 or 1 as the first is less, equal or more, as numbers or as texts (dates); None for what is neither."""
    pair = _numbers(found, wanted) or ((found, wanted) if isinstance(found, str) and isinstance(wanted, str) else None)
    if pair is None or pair[0] != pair[0] or pair[1] != pair[1]:
        return None
    return int(pair[0] > pair[1]) - int(pair[0] < pair[1])


def _numbers(*values: Any) -> tuple[Any, ...] | None:
    try:
        return tuple(float(value) for value in values)
    except (TypeError, ValueError):
        return None
