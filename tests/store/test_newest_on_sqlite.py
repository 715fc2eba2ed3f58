"""Lists newest first: a page is what sorting everything would give, wherever it is found."""

from __future__ import annotations

import pytest

from palazzo.model.address import Place, PlaceGlob
from palazzo.model.capability import View
from palazzo.model.change import PlaceMemory, SetDeprecated
from palazzo.model.ids import new_id
from palazzo.model.memory import RevisionDraft
from palazzo.store.api import Filter
from palazzo.store.sql.memory import search
from palazzo.store.sqlite.palace import SqliteStore

FILTERS = (
    Filter(), Filter(kinds=("event",)), Filter(glob=PlaceGlob.parse("work.p1.**")),
    Filter(kinds=("nothing",)),
)  # fmt: skip


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


@pytest.mark.parametrize("walked", [4, 1000])
@pytest.mark.parametrize("wanted", FILTERS)
def test_pages_put_together_are_everything_newest_first(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch, walked: int, wanted: Filter
) -> None:
    fill(store, 40)
    monkeypatch.setattr(search, "WALKED", walked)
    with store.reading(View()) as reading:
        everything = reading.search.keys_where(wanted, 1000).tolist()[::-1]
        paged: list[int] = []
        while page := reading.search.newest(wanted, 6, paged[-1] if paged else None):
            paged += page
        assert paged == everything
        assert reading.search.count(wanted, exact=True) == len(everything)
        assert reading.search.count(wanted, exact=False) == (len(everything) if walked > 40 else None)
