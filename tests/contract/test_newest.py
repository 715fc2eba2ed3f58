"""Lists newest first: a page is what sorting everything would give, wherever it is found."""

from __future__ import annotations

import pytest

from palazzo.model.address import Place, PlaceGlob
from palazzo.model.change import PlaceMemory, SetDeprecated
from palazzo.model.ids import new_id
from palazzo.model.memory import RevisionDraft
from palazzo.model.view import View
from palazzo.store.api import Filter
from palazzo.store.sqlite.memory import search
from palazzo.store.sqlite.palace import SqliteStore


def fill(store: SqliteStore, count: int) -> None:
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


@pytest.mark.parametrize("walked", [4, 1000])
@pytest.mark.parametrize("wanted", FILTERS)
def test_pages_put_together_are_everything_newest_first(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch, walked: int, wanted: Filter
) -> None:
    fill(store, 40)
    monkeypatch.setattr(search, "WALKED", walked)
    with store.reading(View()) as reading:
        everything = search.keys_where(reading, wanted, 1000).tolist()[::-1]
        paged: list[int] = []
        while page := search.newest(reading, wanted, 6, paged[-1] if paged else None):
            paged += page
        assert paged == everything
        assert search.count(reading, wanted, exact=True) == len(everything)
        assert search.count(reading, wanted, exact=False) == (len(everything) if walked > 40 else None)


def test_a_list_of_another_time_shows_what_stood_then(store: SqliteStore) -> None:
    fill(store, 10)
    with store.reading(View(as_of_us=1)) as reading:
        assert search.newest(reading, Filter(), 5) == []
        assert search.count(reading, Filter(), exact=False) is None
