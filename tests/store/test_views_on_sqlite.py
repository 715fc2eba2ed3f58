from __future__ import annotations

from palazzo.model.capability import View
from palazzo.model.change import Attachments
from palazzo.model.message import Turn
from palazzo.model.scope import Scope
from palazzo.store.api import TextSearch
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.palace import place_memory

ANNA = Scope.of(project="foxora", user="anna")
BEN = Scope.of(project="foxora", user="ben")
PROJECT = Scope.of(project="foxora")


def found(store: SqliteStore, view: View, word: str = "common") -> set[str]:
    with store.reading(view) as reading:
        hits = reading.search.text(TextSearch(terms=(word,)))
        return {memory.text for memory in reading.memories.by_keys(hits.keys.tolist()).values()}


def test_turns_in_the_vault_do_not_show_even_who_spoke(store: SqliteStore) -> None:
    turn = Attachments(turn=Turn("talk", "s", speaker="Mallory"))
    store.commit([place_memory("common secret", place="vault.talks", attachments=turn)])
    with store.reading(View()) as reading:
        assert reading.turns.speakers() == ()
        assert reading.turns.told([1]) == {}
