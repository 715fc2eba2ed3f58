"""A palace behind the method names, arguments and answers of mem0's `Memory` and `AsyncMemory`.

Owns the translation and nothing else: every call ends in an operation of the registry. A memory belongs to the first of
user_id, agent_id and run_id that is given; the others are kept as metadata and filtered by. Invariant: `add` tells what
really became of the messages, and nothing of another owner is read or deleted.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import warnings
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from functools import partial, wraps
from typing import Any, Concatenate, Final, ParamSpec, Self, TypeVar
from uuid import UUID

from palazzo.errors import InvalidInput, NotFound, Refused
from palazzo.model.capability import View
from palazzo.model.kinds import KINDS
from palazzo.model.memory import STATES
from palazzo.model.memory import Memory as StoredOf
from palazzo.model.scope import Scope
from palazzo.operations.arguments import as_plain
from palazzo.operations.intake.spec import Kept, ShownAccount
from palazzo.operations.recall.spec import RecalledMemory
from palazzo.operations.shared import StoredMemory
from palazzo.surfaces import library
from palazzo.text.statements.propositions import states_nothing

__all__ = ["AsyncMemory", "Memory", "WrongCall"]
Item = dict[str, Any]
P = ParamSpec("P")
R = TypeVar("R")
IDS: Final[tuple[str, ...]] = ("user_id", "agent_id", "run_id")
PROMOTED: Final[tuple[str, ...]] = (*IDS, "actor_id", "role")
"""Keys that stand beside the memory in an answer, not inside its metadata."""
EVENTS: Final = {
    "stored": "ADD", "flagged": "ADD", "conflict": "ADD", "merged": "UPDATE", "superseded": "UPDATE",
    "skipped": "NONE",
}  # fmt: skip
PROCEDURAL: Final = "procedural_memory"
TURN: Final = "exchange"
_PAGE: Final = 500
_DRAWN: Final = tuple(kind for kind in KINDS if kind != TURN)
"""Messages are kept as evidence; what a mem0 user adds, finds and deletes is what was drawn from them."""
_LEVEL: Final = {"user_id": "user", "agent_id": "agent", "run_id": "channel"}


class WrongCall(InvalidInput, ValueError):
    """A call mem0 would have refused with a ValueError, or something of mem0 that has no counterpart here."""


class Memory:
    """mem0's `Memory` over a palace: change the import, keep the code.

        from palazzo.surfaces.compat.mem0 import Memory
        memory = Memory()
        memory.add("I take my coffee without sugar.", user_id="ada")
        memory.search("how does she drink coffee?", filters={"user_id": "ada"})

    Takes the palace and the settings of `palazzo.Memory`; no key and no model is needed.
    """

    def __init__(self, palace: str | None = None, **settings: Any) -> None:
        self._memory = library.Memory(palace, **settings)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """A memory from a mem0 configuration. `palace` and our settings count; mem0's own parts have no use here."""
        ours = {name: value for name, value in config.items() if not isinstance(value, Mapping) and name != "version"}
        left = sorted(set(config) - set(ours) - {"version"})
        if left:
            warnings.warn(f"palazzo has its own and does not use: {', '.join(left)}", stacklevel=2)
        return cls(ours.pop("palace", None), **ours)

    def add(
        self, /, messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]], *, metadata: Item | None = None,
        infer: bool = True, memory_type: str | None = None, **given: Any,
    ) -> dict[str, list[Item]]:  # fmt: skip
        """Takes messages in; the events say what was added, what was updated, and what was known already.

        Raises: WrongCall without any of user_id, agent_id and run_id.
        """
        owner, others = _owner(given)
        told = [dict(one) for one in _messages(messages) if one.get("role") != "system"]
        beside = {**(metadata or {}), **others}
        if memory_type not in (None, PROCEDURAL):
            raise WrongCall(f"memory_type is {PROCEDURAL} or nothing", field="memory_type")
        if memory_type == PROCEDURAL:
            text = "\n".join(f"{one.get('role', 'user')}: {one['content']}" for one in told)
            kept = self._memory.remember(text, kind="procedure", verbatim=True, metadata=beside, **owner)
            return {"results": self._events(kept, owner)}
        if infer:
            turns = [{"content": one["content"], "role": _role(one), "speaker": one.get("name", "")} for one in told]
            events = self._events(self._memory.observe(turns, metadata=beside, **owner), owner)
            if not events and isinstance(messages, str) and not states_nothing(messages):
                events = self._asked_for(messages, beside, owner)
            return {"results": events}
        notes = [
            {"text": one["content"], "verbatim": True, "speaker": one.get("name", ""),
             "metadata": {**beside, "role": one["role"], **({"actor_id": one["name"]} if one.get("name") else {})}}
            for one in told
        ]  # fmt: skip
        kept = self._memory.remember_many(notes, **owner)
        said = {account.id: one for account, one in zip(kept.accounts, told, strict=True)}
        return {"results": [
            {**event, "actor_id": said[account.id].get("name"), "role": said[account.id]["role"]}
            for account in kept.accounts for event in self._events_of(account, owner)
        ]}  # fmt: skip

    def search(
        self, /, query: str, *, top_k: int | None = None, limit: int = 20, filters: Item | None = None,
        threshold: float | None = None, rerank: bool = False, **given: Any,
    ) -> dict[str, list[Item]]:  # fmt: skip
        """The memories that answer a query, best first; owners in `filters` or as keywords.

        Raises: WrongCall without an owner, or for a filter that means nothing.
        """
        owner, asked = _owner(given, filters)
        wanted, passes = _matching(asked)
        most = limit if top_k is None else top_k
        hits = self._recalled(
            _cues(query, owner), limit=200 if asked != wanted else min(2 * most + 10, 200), kinds=_DRAWN,
            metadata=wanted, rerank="mmr" if rerank else "none", min_relevance=threshold, **owner,
        )  # fmt: skip
        own = str(_scope(owner))
        found = [hit for hit in hits if hit.memory.scope == own and passes(hit.memory.metadata)]
        return {"results": [_item(hit.memory, hit.relevance) for hit in found[:most]]}

    def get(self, memory_id: str) -> Item | None:
        """One memory; None when there is none of this id."""
        try:
            return _item(self._memory.get(memory_id, **self._owner_of(memory_id)))
        except NotFound:
            return None

    def get_all(
        self, /, *, filters: Item | None = None, top_k: int | None = None, limit: int = 20, **given: Any
    ) -> dict[str, list[Item]]:
        """The memories of an owner, newest first; messages they were drawn from are left out.

        Raises: WrongCall without an owner, or for a filter that means nothing.
        """
        owner, asked = _owner(given, filters)
        wanted, passes = _matching(asked)
        most = limit if top_k is None else top_k
        found = (one for one in self._all(owner, wanted) if one.kind != TURN and passes(one.metadata))
        items = [_item(one) for one, _ in zip(found, range(most), strict=False)]
        return {"results": [{name: value for name, value in item.items() if name != "score"} for item in items]}

    def update(
        self, /, memory_id: str, text: str | None = None, metadata: Item | None = None, *, data: str | None = None
    ) -> Item:
        """Gives a memory another text, or further metadata. Identities stay as they are.

        Raises: WrongCall when there is nothing to change or nothing of this id.
        """
        text = data if text is None else text
        if text is None and metadata is None:
            raise WrongCall("give text or metadata", field="text")
        owner = self._owner_of(memory_id)
        found = self._known(memory_id, owner)
        changed = {key: value for key, value in (metadata or {}).items() if key not in PROMOTED}
        beside = None if metadata is None else {**found.metadata, **changed}
        self._memory.update(memory_id, found.text if text is None else text, metadata=beside, **owner)
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> Item:
        """Forgets a memory; `palazzo restore` brings it back.

        Raises: WrongCall when there is nothing of this id.
        """
        owner = self._owner_of(memory_id)
        self._known(memory_id, owner)
        self._memory.forget(memory_id, **owner)
        return {"message": "Memory deleted successfully!"}

    def delete_all(self, /, **given: Any) -> Item:
        """Forgets every memory of an owner, and the messages they were drawn from.

        Raises: WrongCall without an owner.
        """
        owner, wanted = _owner(given)
        for one in list(self._all(owner, wanted)):
            self._memory.forget(one.id, **owner)
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[Item]:
        """What happened to a memory, oldest first: one ADD, an UPDATE for each further text, a DELETE at the end."""
        found = self._anywhere(memory_id)
        if found is None:
            return []
        revisions = self._memory.history(memory_id, **_keys(found.scope)).revisions
        beside = found.revision.content.detail.metadata or {}
        same = {"memory_id": str(memory_id), "actor_id": beside.get("actor_id"), "role": beside.get("role")}
        same["created_at"] = as_plain(revisions[0].made_at)
        texts: list[str | None] = [None, *(one.text for one in revisions)]
        times = [as_plain(one.made_at) for one in revisions]
        if found.state == "deleted":
            texts.append(None)
            times.append(times[-1])
        steps = zip(texts[:-1], texts[1:], times, strict=True)
        return [_happened(before, after, {**same, "updated_at": at}) for before, after, at in steps]

    def reset(self) -> None:
        """Erases every memory of the palace for good, as mem0's does."""
        self._memory.burn(everything=True, yes=True)

    def close(self) -> None:
        """Closes the palace."""
        self._memory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _recalled(self, cues: Sequence[str], **given: Any) -> list[RecalledMemory]:
        """The hits of some cues, each once and as relevant as its best cue finds it."""
        if len(cues) == 1:
            return list(self._memory.recall(cues[0], **given))
        best: dict[UUID, RecalledMemory] = {}
        for hit in (hit for cue in cues for hit in self._memory.recall(cue, **given)):
            known = best.get(hit.memory.id)
            if known is None or known.relevance < hit.relevance:
                best[hit.memory.id] = hit
        return sorted(best.values(), key=lambda hit: -hit.relevance)

    def _asked_for(self, text: str, beside: Item, owner: Item) -> list[Item]:
        """Keeps a text of which nothing lasts by itself: whoever adds a text and no talk wants it kept."""
        try:
            return self._events(self._memory.remember(text, metadata=beside, **owner), owner)
        except Refused:
            return []  # what may not be stored was not added

    def _events(self, kept: Kept, owner: Item) -> list[Item]:
        return [event for account in kept.accounts for event in self._events_of(account, owner)]

    def _events_of(self, account: ShownAccount, owner: Item) -> Iterator[Item]:
        seen: set[UUID] = set()
        for fate in account.fates:
            if fate.memory is None or fate.outcome not in EVENTS or fate.memory in seen:
                continue
            seen.add(fate.memory)
            try:
                found = self._memory.get(fate.memory, **owner)
            except NotFound:  # a later message of the same call took it out of belief
                continue
            if found.kind == TURN:
                continue
            event = {"id": str(fate.memory), "memory": found.text, "event": EVENTS[fate.outcome]}
            if fate.outcome in ("merged", "superseded") and found.revision > 1:
                event["previous_memory"] = self._memory.history(fate.memory, **owner).revisions[-2].text
            yield event

    def _all(self, owner: Item, wanted: Item) -> Iterator[StoredMemory]:
        own, cursor = str(_scope(owner)), ""
        while True:
            page = self._memory.list(metadata=wanted, limit=_PAGE, cursor=cursor, **owner)
            yield from (one for one in page if one.scope == own)
            cursor = page.next_cursor
            if not cursor:
                return

    def _owner_of(self, memory_id: str) -> Item:
        """The scope keys of a memory that is named by its id alone."""
        found = self._anywhere(memory_id)
        return {} if found is None else _keys(found.scope)

    def _anywhere(self, memory_id: str) -> StoredOf | None:
        """The memory of this id, whoever owns it and whether or not it was deleted."""
        every = View(all_scopes=True, include_deprecated=True, states=STATES)
        try:
            with self._memory.engine.store.reading(every) as reading:
                return reading.memories.get(UUID(str(memory_id)))
        except (ValueError, NotFound):
            return None

    def _known(self, memory_id: str, owner: Item) -> StoredMemory:
        try:
            return self._memory.get(memory_id, **owner)
        except (NotFound, InvalidInput):
            raise WrongCall(f"Memory with id {memory_id} not found", field="memory_id") from None


def _awaited(
    method: Callable[Concatenate[Memory, P], R],
) -> Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, R]]:
    """A method of `Memory` to be awaited: it runs in a worker thread."""

    @wraps(method)
    async def awaited(self: AsyncMemory, /, *given: P.args, **named: P.kwargs) -> R:
        return await asyncio.to_thread(partial(method, self._memory, *given, **named))

    return awaited


class AsyncMemory:
    """mem0's `AsyncMemory` over a palace: the methods of `Memory`, awaited."""

    def __init__(self, palace: str | None = None, **settings: Any) -> None:
        self._memory = Memory(palace, **settings)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """See `Memory.from_config`."""
        made = cls.__new__(cls)
        made._memory = Memory.from_config(config)
        return made

    add = _awaited(Memory.add)
    search = _awaited(Memory.search)
    get = _awaited(Memory.get)
    get_all = _awaited(Memory.get_all)
    update = _awaited(Memory.update)
    delete = _awaited(Memory.delete)
    delete_all = _awaited(Memory.delete_all)
    history = _awaited(Memory.history)
    reset = _awaited(Memory.reset)

    def close(self) -> None:
        """Closes the palace."""
        self._memory.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.close)


def _messages(given: Any) -> Iterable[Mapping[str, Any]]:
    told = [{"role": "user", "content": given}] if isinstance(given, str) else given
    told = [told] if isinstance(told, Mapping) else told
    if not isinstance(told, list | tuple) or not all(
        isinstance(one, Mapping) and isinstance(one.get("content"), str) for one in told
    ):
        raise WrongCall("messages are a text, a message or a list of messages with role and content", field="messages")
    return [{"role": "user", **one} for one in told]


def _role(message: Mapping[str, Any]) -> str:
    return "assistant" if message.get("role") == "assistant" else "user"


def _owner(given: Item, filters: Item | None = None) -> tuple[Item, Item]:
    """The scope key of the owner, and what else to filter or keep by: identities beside it, metadata."""
    if strange := sorted(key for key, value in given.items() if key not in IDS and value is not None):
        raise WrongCall(f"{strange[0]} has no counterpart here", field=strange[0])
    asked = {**{key: value for key, value in given.items() if value is not None}, **(filters or {})}
    while isinstance(asked.get("AND"), list) and all(isinstance(part, Mapping) for part in asked["AND"]):
        parts = asked.pop("AND")
        if any(set(part) & set(asked) for part in parts) or len({k for part in parts for k in part}) < sum(
            map(len, parts)
        ):
            asked["AND"] = parts
            break
        for part in parts:
            asked |= part
    named: Item = {}
    for key in IDS:
        value = asked.get(key)
        value = value["eq"] if isinstance(value, Mapping) and set(value) == {"eq"} else value
        if isinstance(value, str | int) and value != ANYTHING:
            named[key] = str(value).strip()
            del asked[key]
    if not named or not all(named.values()):
        raise WrongCall("one of user_id, agent_id and run_id is needed", field="user_id", hint="filters={'user_id': …}")
    first = next(key for key in IDS if key in named)
    return {first: named.pop(first)}, {**asked, **named}


def _cues(query: str, owner: Item) -> tuple[str, ...]:
    """The query, and where it calls the user by the id their memories are kept under, the same with `the user`: what
    people say of themselves names nobody."""
    name = owner.get("user_id", "")
    as_user = re.sub(rf"\b{re.escape(name)}\b", "the user", query, flags=re.IGNORECASE) if name else query
    return (query,) if as_user == query else (query, as_user)


def _matching(filters: Item) -> tuple[Item, Callable[[Item], bool]]:
    """The part of filters the palace compares itself, for equality, and the rest as a question to ask of metadata."""
    plain = {key: value for key, value in filters.items() if isinstance(value, str | int | float) and value != ANYTHING}
    left = {key: value for key, value in filters.items() if key not in plain}
    for key, value in left.items():
        _check(key, value)
    return plain, lambda beside: _passes(beside, left)


def _check(key: str, value: Any) -> None:
    """Raises: WrongCall for a condition that means nothing."""
    if key in JOINS:
        for part in value if isinstance(value, list) else [value]:
            if not isinstance(part, Mapping):
                raise WrongCall(f"{key} joins conditions", field=f"filters.{key}")
            for inner, wanted in part.items():
                _check(inner, wanted)
    elif isinstance(value, Mapping) and not set(value) <= set(COMPARE):
        raise WrongCall(f"filters compare by {', '.join(COMPARE)}, {key} asks for more", field=f"filters.{key}")


def _passes(beside: Item, filters: Mapping[str, Any]) -> bool:
    for key, wanted in filters.items():
        if key in JOINS:
            parts = [_passes(beside, part) for part in (wanted if isinstance(wanted, list) else [wanted])]
            if not JOINS[key](parts):
                return False
        elif isinstance(wanted, Mapping):
            if not all(_compares(beside.get(key), word, value) for word, value in wanted.items()):
                return False
        elif not _compares(beside.get(key), "in" if isinstance(wanted, list) else "eq", wanted):
            return False
    return True


def _compares(found: Any, word: str, wanted: Any) -> bool:
    if wanted == ANYTHING and word == "eq":
        return found is not None
    try:
        return bool(COMPARE[word](found, wanted))
    except TypeError:  # a text and a number have no order
        return False


ANYTHING: Final = "*"
JOINS: Final[dict[str, Callable[[list[bool]], bool]]] = {"AND": all, "OR": any, "NOT": lambda parts: not any(parts)}
COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "eq": lambda found, wanted: found == wanted, "ne": lambda found, wanted: found != wanted,
    "gt": lambda found, wanted: found > wanted, "gte": lambda found, wanted: found >= wanted,
    "lt": lambda found, wanted: found < wanted, "lte": lambda found, wanted: found <= wanted,
    "in": lambda found, wanted: found in wanted, "nin": lambda found, wanted: found not in wanted,
    "contains": lambda found, wanted: wanted in found,
    "icontains": lambda found, wanted: str(wanted).casefold() in str(found or "").casefold(),
}  # fmt: skip


def _keys(scope: Scope) -> Item:
    levels = dict(scope.levels)
    return {key: levels[level] for key, level in _LEVEL.items() if level in levels}


def _scope(owner: Item) -> Scope:
    return Scope.of(**{_LEVEL[key]: value for key, value in owner.items()})


def _item(found: StoredMemory, score: float | None = None) -> Item:
    beside = {**_keys(Scope.parse(found.scope)), **found.metadata}
    own = {key: beside.pop(key) for key in PROMOTED if key in beside}
    digest = hashlib.md5(found.text.encode(), usedforsecurity=False).hexdigest()
    return {
        "id": str(found.id), "memory": found.text, "hash": digest, "metadata": beside or None, "score": score,
        "created_at": as_plain(found.created_at), "updated_at": as_plain(found.revised_at), **own,
    }  # fmt: skip


def _happened(before: str | None, after: str | None, same: Item) -> Item:
    event = "DELETE" if after is None else "ADD" if before is None else "UPDATE"
    step = f"{same['memory_id']} {event} {same['updated_at']}"
    return {
        "id": hashlib.md5(step.encode(), usedforsecurity=False).hexdigest(), "old_memory": before,
        "new_memory": after, "event": event, "is_deleted": after is None, **same,
    }  # fmt: skip
