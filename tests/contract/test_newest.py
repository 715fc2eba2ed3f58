"""Lists newest first: a page is what sorting everything would give, wherever it is found."""

from __future__ import annotations

from palazzo.model.address import Place, PlaceGlob
from palazzo.model.capability import View
from palazzo.model.change import PlaceMemory, SetDeprecated
from palazzo.model.ids import new_id
from palazzo.model.memory import RevisionDraft
from palazzo.store.api import Filter, Store


def fill(store: Store, count: int) -> None:
    changes = [
        PlaceMemory(
            memory_id=new_id(n + 1), place=Place(("work", f"p{n % 3}")), name=f"m{n}",
            kind="fact" if n % 5 else "event", content=RevisionDraft(text=f"number {n}"),
        )
        for n in range(count)
    ]  # fmt: skip
    store.commit(changes)
    store.commit([SetDeprecated(changes[n].memory_id, True) for n in range(0, count, 7)])


FILTERS = (
    Filter(), Filter(kinds=("event",)), Filter(glob=PlaceGlob.parse("work.p1.**")),
    Filter(kinds=("nothing",)),
)  # fmt: skip


def test_a_list_of_another_time_shows_what_stood_then(store: Store) -> None:
    fill(store, 10)
    with store.reading(View(as_of_us=1)) as reading:
        assert reading.search.newest(Filter(), 5) == []
        assert reading.search.count(Filter(), exact=False) is None
