"""Everything that is written is in the archive: a palace made again from it is equal, and what is gone stays gone."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from palazzo import Memory
from palazzo.archive import FOLDER
from palazzo.bootstrap import load_settings, rebuild_from_archive
from palazzo.errors import NotFound
from palazzo.store.sql.carrying import differences
from palazzo.testing.clock import FixedClock

WORDS = "seven lanterns on the pier"
KEYED = {"plain": {}, "encrypted": {"passphrase": WORDS}}


def opened(folder: Path, **more: Any) -> Memory:
    return Memory(folder, embedder="none", upkeep=False, **more)


def made_again(folder: Path, target: Path, **more: Any) -> Any:
    settings = load_settings({"palace": str(folder), "embedder": "none", **more})
    return rebuild_from_archive(settings, target)


def furnished(memory: Memory, clock: FixedClock) -> dict[str, UUID]:
    """Every sort of write there is, in some order."""
    kept: dict[str, UUID] = {}

    def told(name: str, text: str, **more: Any) -> UUID:
        made = memory.remember(text, name=name, place="work.pier", **more)
        assert made.id is not None
        kept[name] = made.id
        clock.advance(minutes=7)
        return made.id

    told("ferry", "The ferry to Anholt leaves at nine.", kind="fact")
    told("mill", "The mill has nine windows.", kind="fact", metadata={"seen": 3})
    told("lost", "The red dinghy has a leak.", kind="fact")
    told("burnt", "The code of the boathouse is kept by Ottilie.", kind="fact")
    memory.observe(["My sister Ida moved to Tromso.", "She works at the harbour office."], thread="talk", user_id="ada")
    memory.update(str(kept["ferry"]), "The ferry to Anholt leaves at ten.")
    clock.advance(minutes=7)
    memory.tag(str(kept["ferry"]), "checked")
    memory.relate(str(kept["mill"]), str(kept["ferry"]), kind="depends_on", metadata={"by": "Hedda Moor"})
    memory.kind_add("voyage", stability_days=9)
    told("trip", "We sailed to Anholt in June.", kind="voyage", durability="semester")
    memory.keep(str(kept["mill"]), pinned=True)
    memory.move(str(kept["mill"]), "life.mills")
    memory.revise("I use Helix as my editor.")
    clock.advance(minutes=7)
    memory.revise("I use Zed as my editor.")
    memory.outcome(str(kept["trip"]), "well")
    memory.signal([{"family": "language", "dimension": "rust", "count": 4}])
    memory.grant("agent:primary", "write", place="work.**")
    memory.seal("life.private", "sealed")
    memory.propose("The lake is deep.", [{"kind": "url", "reference": "https://example.org", "excerpt": "deep"}])
    memory.deprecate(str(kept["trip"]), reason="old")
    memory.forget(str(kept["lost"]))
    clock.advance(minutes=7)
    memory.purge(str(kept["burnt"]))
    return kept


@pytest.mark.parametrize("keyed", KEYED)
def test_a_palace_made_again_from_its_archive_is_equal(keyed: str, tmp_path: Path) -> None:
    clock, more = FixedClock(), KEYED[keyed]
    if more:
        from palazzo.bootstrap import create_engine

        create_engine(load_settings({"palace": str(tmp_path / "p"), **more}), encrypted=True).close()
    with opened(tmp_path / "p", clock=clock, **more) as memory:
        kept = furnished(memory, clock)
    made = made_again(tmp_path / "p", tmp_path / "again", **more)
    assert (made.differences, made.degraded) == ((), ())
    assert made.commits > 20
    with opened(tmp_path / "p", **more) as first, opened(tmp_path / "again", **more) as second:
        assert differences(first.engine.store, second.engine.store) == ()  # type: ignore[arg-type]
        assert second.verify().clean
        assert [one.id for one in second.list(state="forgotten")] == [kept["lost"]]
        with pytest.raises(NotFound):
            second.get(str(kept["burnt"]))
        assert {str(step.memory.id) for step in second.walk(str(kept["mill"]))} >= {str(kept["ferry"])}
        second.forget(str(kept["ferry"]))
        assert differences(first.engine.store, second.engine.store) != ()  # type: ignore[arg-type]
    again = made_again(tmp_path / "again", tmp_path / "third", **more)
    assert again.differences == ()


def test_what_was_erased_is_in_no_line_of_the_archive(tmp_path: Path) -> None:
    clock = FixedClock()
    with opened(tmp_path / "p", clock=clock) as memory:
        kept = furnished(memory, clock)
        told = b"".join(path.read_bytes() for path in (tmp_path / "p" / FOLDER).iterdir())
        assert b"code of the boathouse" not in told
        assert b"red dinghy" in told
        memory.burn(memories=[str(kept["lost"])], yes=True)
        memory.forget_user("ada", yes=True)
        assert memory.walk(str(kept["mill"]))[0].link.metadata == {"by": "Hedda Moor"}
        memory.forget_user("Hedda Moor", yes=True)
        assert memory.walk(str(kept["mill"]))[0].link.metadata == {}
    told = b"".join(path.read_bytes() for path in (tmp_path / "p" / FOLDER).iterdir())
    for gone in (b"red dinghy", b"Tromso", b"Hedda", str(kept["lost"]).encode()):
        assert gone not in told, gone
    assert made_again(tmp_path / "p", tmp_path / "again").differences == ()
    with opened(tmp_path / "p") as memory:
        memory.burn(everything=True, yes=True)
    assert not any(path.stat().st_size for path in (tmp_path / "p" / FOLDER).iterdir())


def test_a_write_that_failed_is_not_made_again(tmp_path: Path) -> None:
    with opened(tmp_path / "p") as memory:
        memory.kind_add("voyage", stability_days=9)
        memory.remember("The mill has nine windows.", name="mill", place="work")
        with pytest.raises(NotFound):
            memory.engine.store.commit([_tag_of_nothing()])
    made = made_again(tmp_path / "p", tmp_path / "again")
    assert (made.differences, made.degraded) == ((), ())


def _tag_of_nothing() -> Any:
    from palazzo.model.change import MoveTag

    return MoveTag(UUID("00000000-0000-7000-8000-000000000000"), "checked", 1)


def test_an_archive_of_before_commits_were_kept_is_told_again(tmp_path: Path) -> None:
    with opened(tmp_path / "p") as memory:
        memory.remember("The mill has nine windows.")
    for path in (tmp_path / "p" / FOLDER).glob("*.changes"):
        path.unlink()
    with opened(tmp_path / "p") as memory:
        memory.remember("The ferry to Anholt leaves at nine.")
    made = made_again(tmp_path / "p", tmp_path / "again")
    assert (made.messages, made.commits) == (2, 1)
    with opened(tmp_path / "again") as memory:
        assert {one.text for one in memory.list()} == {
            "The mill has nine windows.", "The ferry to Anholt leaves at nine.",
        }  # fmt: skip


def test_with_the_archive_off_nothing_is_written_beside_the_palace(tmp_path: Path) -> None:
    with opened(tmp_path / "p", archive=False) as memory:
        memory.remember("The mill has nine windows.")
        memory.grant("agent:primary", "write")
    assert not (tmp_path / "p" / FOLDER).exists()
