"""Cursors, event numbers, ids and counts tell a reader nothing of what others write between."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo import Memory
from palazzo.bootstrap import load_settings, open_engine
from palazzo.engine import Engine
from palazzo.errors import InvalidInput
from palazzo.guard.reduce import Positions
from palazzo.model.scope import Scope
from palazzo.operations.arguments import as_plain
from palazzo.operations.call import call
from palazzo.operations.caller import Caller

BOTH = ("agent:one", "agent:two")


def reader(subject: str) -> Caller:
    return Caller(subject=subject, scope=Scope.of(user=subject.removeprefix("agent:")), chooses_scope=False)


def story(folder: Path, between: int) -> Engine:
    """One agent writes five notes; another writes so many before, between and after each of them."""
    Memory(folder, embedder="none").close()
    engine = open_engine(load_settings({"palace": str(folder), "embedder": "none"}))
    for subject in BOTH:
        call(engine, Caller(), "grant", {"subject": subject, "level": "write"})
    for number in range(6):
        for other in range(between):
            text = f"Crate {number}-{other} holds {number * 31 + other} screws."
            name = f"crate-{number}-{other}"
            call(engine, reader(BOTH[1]), "remember", {"text": text, "place": "work", "verbatim": True, "name": name})
        if number < 5:
            text = f"Drawer {number} holds part {number}."
            name = f"drawer-{number}"
            call(engine, reader(BOTH[0]), "remember", {"text": text, "place": "work", "verbatim": True, "name": name})
    return engine


READS: tuple[Callable[[Callable[..., Any]], list[Any]], ...] = (
    lambda ask: [ask("status"), ask("places"), ask("doctor")],
    lambda ask: paged(ask, "list", "cursor", lambda page: page["next_cursor"], limit=2),
    lambda ask: paged(ask, "events", "after", lambda page: page["last"] if page["events"] else "", limit=2),
    lambda ask: [ask("events", after="now"), ask("events", after=ask("events")["last"])],
)


def paged(ask: Callable[..., Any], name: str, field: str, onward: Callable[[Any], str], **given_: Any) -> list[Any]:
    pages, where = [], ""
    while True:
        pages.append(ask(name, **given_, **({field: where} if where else {})))
        where = onward(pages[-1])
        if not where:
            return pages


def blinded(told: list[Any]) -> list[Any]:
    """What is left when words, ids and times are named by the order in which they first appear."""
    text = json.dumps(told)
    names: dict[str, str] = {}
    for found in re.findall(r'"[0-9a-f]{32}"|[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[0-9:.]+Z', text):
        names.setdefault(found, f'"{len(names)}"' if found.startswith('"') else f"<{len(names)}>")
    for found, name in names.items():
        text = text.replace(found, name)
    result: list[Any] = json.loads(text)
    return result


@pytest.mark.parametrize("read", READS)
def test_a_reader_is_told_the_same_whether_others_write_or_not(
    tmp_path: Path, read: Callable[[Callable[..., Any]], list[Any]]
) -> None:
    told = []
    for between in (0, 3):
        with story(tmp_path / str(between), between) as engine:

            def ask(name: str, **arguments: Any) -> Any:
                return as_plain(call(engine, reader(BOTH[0]), name, arguments))

            told.append(blinded(read(ask)))
    assert told[0] == told[1]


def test_no_number_of_the_palace_is_a_place_to_go_on_from(tmp_path: Path) -> None:
    with story(tmp_path / "palace", 2) as engine:
        page = call(engine, reader(BOTH[0]), "list", {"limit": 2})
        seen = call(engine, reader(BOTH[0]), "events", {})
        operator = call(engine, Caller(), "events", {})
        assert operator.last.isdecimal()
        for word in ("1", "7", "0x7", "00" * 16, page.next_cursor, operator.last):
            with pytest.raises(InvalidInput):
                call(engine, reader(BOTH[0]), "events", {"after": word})
        for word in ("1", "7", seen.last):
            with pytest.raises(InvalidInput):
                call(engine, reader(BOTH[0]), "list", {"cursor": word})
        for name, given_ in (("events", {"after": seen.last}), ("list", {"cursor": page.next_cursor})):
            with pytest.raises(InvalidInput):
                call(engine, reader(BOTH[1]), name, given_)


def test_asking_where_the_journal_ends_does_not_tell_whether_it_grew(tmp_path: Path) -> None:
    with story(tmp_path / "palace", 1) as engine:
        words = [call(engine, reader(BOTH[0]), "events", {"after": "now"}).last for _ in range(3)]
        assert len(set(words)) == 3
        assert [len(call(engine, reader(BOTH[0]), "events", {"after": word})) for word in words] == [0, 0, 0]


numbers = st.integers(0, (1 << 53) - 1)


@given(numbers, numbers, st.booleans())
def test_a_word_is_its_number_for_its_subject_and_list_alone(one: int, two: int, shown: bool) -> None:
    words = Positions(lambda: b"k" * 32)
    mine = words.of("agent:one", "list", plain=False)
    told = mine.word(one, shown=shown)
    assert mine.number(told, "cursor") == one
    assert (mine.word(two) == mine.word(one)) == (one == two)
    for other in (words.of("agent:two", "list", plain=False), words.of("agent:one", "events", plain=False)):
        with pytest.raises(InvalidInput):
            other.number(told, "cursor")
