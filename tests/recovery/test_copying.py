"""A palace is copied whole, wherever it was cut off on the way, and what differs is told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from click.testing import CliRunner
from tests.recovery.operations import GUARDED, OLD, TEXTS, ask, settings_of, told, whole

import palazzo
from palazzo import Memory
from palazzo.bootstrap import copy_palace, open_engine
from palazzo.engine import Engine
from palazzo.errors import Conflict, PalaceExists
from palazzo.porting.carry import carry, compare
from palazzo.store.api import CarryNote
from palazzo.surfaces.cli.commands import main
from palazzo.testing.palace import make_store, place_memory, server_address
from palazzo.testing.postgres import NoServer


def quiet(*_: Any) -> None:
    """Nobody watches."""


def test_a_copy_is_the_same_row_by_row_and_so_is_what_stands_beside_it(tmp_path: Path) -> None:
    told()(tmp_path)
    made = copy_palace(settings_of(tmp_path), str(tmp_path / "q"))
    assert made.rows > made.memories > 4
    with open_engine(settings_of(tmp_path, palace=str(tmp_path / "q"))) as engine:
        whole(engine)
    assert not [path for path in tmp_path.iterdir() if path.name not in ("p", "q")]
    with pytest.raises(PalaceExists):
        copy_palace(settings_of(tmp_path), str(tmp_path / "q"))


def test_the_copy_of_an_encrypted_palace_has_the_same_key(tmp_path: Path) -> None:
    told(encrypted=True)(tmp_path)
    copy_palace(settings_of(tmp_path), str(tmp_path / "q"))
    with open_engine(settings_of(tmp_path, palace=str(tmp_path / "q"))) as engine:
        whole(engine)
    assert b"harbour" not in b"".join(path.read_bytes() for path in (tmp_path / "q").rglob("*") if path.is_file())


def test_a_plain_palace_is_copied_into_an_encrypted_one_and_nothing_of_it_is_ever_in_clear(tmp_path: Path) -> None:
    told()(tmp_path)
    environment = {"PALAZZO_PASSPHRASE": OLD, "PALAZZO_EMBEDDER": "none"}
    command = ["--json", "copy", str(tmp_path / "p"), str(tmp_path / "q"), "--encrypted"]
    done = CliRunner().invoke(main, command, env=environment)
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["memories"] > 4
    with open_engine(settings_of(tmp_path, palace=str(tmp_path / "q"))) as engine:
        whole(engine)
    stored = b"".join(path.read_bytes() for path in (tmp_path / "q").rglob("*") if path.is_file())
    assert GUARDED.encode() not in stored
    assert b"harbour" not in stored


def test_vectors_and_the_first_ten_come_along(tmp_path: Path) -> None:
    with Memory(tmp_path / "p", archive=False) as memory:
        for n, thing in enumerate(("lighthouse", "orchard", "ferry", "bakery", "chapel", "harbour", "mill", "tower")):
            memory.remember(f"The {thing} of Skagen was painted in 19{n}0.", verbatim=True)
        before = [(hit.memory.id, round(hit.score, 6)) for hit in memory.recall("ferry of Skagen", limit=8)]
    assert before
    palazzo.copy_palace(tmp_path / "p", tmp_path / "q")
    with Memory(tmp_path / "q", create=False, archive=False) as memory:
        assert [(hit.memory.id, round(hit.score, 6)) for hit in memory.recall("ferry of Skagen", limit=8)] == before
        assert memory.spaces().spaces[0].missing == 0


def test_a_copy_that_is_killed_twice_goes_on_where_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    with make_store(folder) as store:
        for part in range(10):
            store.commit([place_memory(f"Crate {part}-{n} stands in hall {n % 7}.") for n in range(300)])
    program = (
        "import os, signal, sys; import palazzo\n"
        "def watch(table, done, total):\n"
        "    if done >= int(sys.argv[3]): os.kill(os.getpid(), signal.SIGKILL)\n"
        "made = palazzo.copy_palace(sys.argv[1], sys.argv[2], embedder='none', progress=watch)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}  # noqa: TID251
    for at in (5_000, 9_000):
        command = [sys.executable, "-c", program, str(folder), str(tmp_path / "q"), str(at)]
        assert subprocess.run(command, env=environment).returncode == -signal.SIGKILL
        assert not (tmp_path / "q").exists()
    begun: list[int] = []
    made = palazzo.copy_palace(
        folder, tmp_path / "q", embedder="none", progress=lambda _table, done, _total: begun.append(done)
    )
    assert made.resumed
    assert begun[0] > 9_000, "what had arrived was brought again"
    assert made.memories == 3_000


def test_a_source_that_changed_since_is_copied_anew(tmp_path: Path) -> None:
    with make_store(tmp_path / "a") as source, make_store(tmp_path / "b") as target:
        source.commit([place_memory("The ferry leaves at nine.")])
        with source.carried.moment() as moment:
            assert not carry(moment, target, quiet)
        source.commit([place_memory("The ferry leaves at ten on Sundays.")])
        with source.carried.moment() as moment:
            assert not carry(moment, target, quiet)
            assert compare(moment, target, quiet, exact=True)


def test_one_row_that_differs_is_told(tmp_path: Path) -> None:
    with make_store(tmp_path / "a") as source, make_store(tmp_path / "b") as target:
        source.commit([place_memory("The ferry leaves at nine.")])
        with source.carried.moment() as moment:
            carry(moment, target, quiet)
            note = target.carried.note()
            assert note is not None
            assert note.whole
            cursor = ("somebody", 1, 1)
            target.carried.take(CarryNote(note.source, "cursor", ("somebody",), note.rows, whole=True), [cursor])
            with pytest.raises(Conflict, match="differs"):
                compare(moment, target, quiet, exact=True)


def test_a_palace_goes_to_a_server_and_back_killed_on_the_way_and_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        server = server_address()
    except NoServer as missing:
        pytest.skip(str(missing))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    told(fields=True)(tmp_path)
    there = f"{server}?palace=copied-{uuid4().hex}"
    with monkeypatch.context() as patch:
        patch.setattr("palazzo.porting.carry.PART", 15)

        def cut(_table: str, done: int, _total: int) -> None:
            if done >= 45:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            copy_palace(settings_of(tmp_path), there, progress=cut)
    made = copy_palace(settings_of(tmp_path), there)
    assert made.resumed
    with pytest.raises(PalaceExists):
        copy_palace(settings_of(tmp_path), there)
    with open_engine(settings_of(tmp_path, palace=there)) as engine:
        whole_on_server(engine)
    back = copy_palace(settings_of(tmp_path, palace=there), str(tmp_path / "q"))
    assert (back.rows, back.digest) == (made.rows, made.digest)
    with open_engine(settings_of(tmp_path, palace=str(tmp_path / "q"))) as engine:
        whole(engine)


def whole_on_server(engine: Engine) -> None:
    assert set(TEXTS) <= {memory.text for memory in ask(engine, "list", limit=1000)}
    assert engine.store.care.verify() == []
