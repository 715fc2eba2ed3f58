"""Plugins: the example package of the repository, installed in a folder, listed, used; broken ones are survived."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palazzo import Memory
from palazzo.errors import InvalidInput, PartUnavailable
from palazzo.testing.models import HashEmbedder
from palazzo.testing.plugins import check_context_provider, check_embedder, check_importer, check_reranker

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/palazzo-plugin-example"
DIARY = "2026-05-01: The ferry was late again.\n\nno date here\n2026-05-02: Mara brought the lanterns to the pier.\n"
BROKEN = {
    "palazzo.embedders": {"raises": "broken_plugin:raises", "gone": "no_such_module:x", "empty": "broken_plugin:Empty"},
    "palazzo.importers": {"sound": "broken_plugin:sound"},
}


def install(package: Path, folder: Path, name: str, points: dict[str, dict[str, str]]) -> None:
    """Puts a package where Python finds it, as an installer does: the files and their metadata."""
    shutil.copytree(package, folder / package.name)
    about = folder / f"{name.replace('-', '_')}-0.1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.0\n")
    groups = (f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in named.items()) for group, named in points.items())
    (about / "entry_points.txt").write_text("\n".join(groups))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the example and a broken plugin installed, on the search path of this process."""
    folder = tmp_path / "site"
    folder.mkdir()
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    install(EXAMPLE / "src/palazzo_plugin_example", folder, project["name"], project["entry-points"])
    broken = tmp_path / "broken_plugin"
    broken.mkdir()
    (broken / "__init__.py").write_text(
        "class Empty: pass\n\ndef raises():\n    raise RuntimeError('out of order')\n\ndef sound(path, now, limits):\n"
        "    return iter(())\n"
    )
    install(broken, folder, "broken-plugin", BROKEN)
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    for name in ("palazzo_plugin_example", "broken_plugin"):
        sys.modules.pop(name, None)


def test_an_importer_of_a_plugin_brings_memories_in(site: Path, tmp_path: Path) -> None:
    (tmp_path / "diary.txt").write_text(DIARY)
    with Memory(tmp_path / "palace", embedder="none", upkeep=False) as memory:
        done = memory.import_(str(tmp_path / "diary.txt"), reader="diary")
        assert (done.new, done.refused, done.format) == (2, 1, "diary")
        (found,) = (hit for hit in memory.recall("who brought the lanterns?") if "Mara" in hit.text)
        assert found.memory.place == "imports.diary"
        assert memory.import_(str(tmp_path / "diary.txt"), reader="diary").known == 2
        with pytest.raises(InvalidInput, match="no plugin brings"):
            memory.import_(str(tmp_path / "diary.txt"), reader="nobody")


def test_a_reranker_of_a_plugin_reorders(site: Path, tmp_path: Path) -> None:
    with Memory(tmp_path / "palace", embedder="none", upkeep=False, reranker="plugin:shared-words") as memory:
        pier, attic = "The pier is lit by nine lanterns.", "In the attic there are old lanterns!"
        memory.remember_many([{"text": pier, "verbatim": True}, {"text": attic, "verbatim": True}])
        # The palace's own ranking does not read punctuation; the plugin's does, so only it can tell these cues apart.
        assert memory.recall("lanterns.", rerank="model")[0].text == pier
        assert memory.recall("lanterns!", rerank="model")[0].text == attic


def test_a_broken_plugin_is_named_and_gone_without(site: Path, tmp_path: Path) -> None:
    for name, why in (("raises", "out of order"), ("gone", "ModuleNotFoundError"), ("empty", "it has no name")):
        with pytest.warns(UserWarning, match=f"{name} of the package broken-plugin cannot be used: .*{why}"):
            memory = Memory(tmp_path / name, embedder=f"plugin:{name}", upkeep=False)
        with memory:
            memory.remember("Kept all the same.")
            assert memory.recall("kept")[0].text == "Kept all the same."
    with pytest.raises(InvalidInput, match="no plugin brings the embedder"):
        Memory(tmp_path / "x", embedder="plugin:nobody")


def test_the_command_lists_what_is_installed_and_what_is_wrong_with_it(site: Path) -> None:
    found = listed(site)
    assert {
        ("importer", "diary", "palazzo-plugin-example"),
        ("reranker", "shared-words", "palazzo-plugin-example"),
    } <= {(p["kind"], p["name"], p["package"]) for p in found}
    assert not any(p["fault"] for p in found), "nothing was loaded"
    faults = {p["name"]: p["fault"] for p in listed(site, "--check")}
    assert faults["diary"] == faults["sound"] == ""
    assert "out of order" in faults["raises"]


def listed(site: Path, *options: str) -> list[dict[str, Any]]:
    path = os.pathsep.join([str(site), *sys.path])
    done = subprocess.run(
        [sys.executable, "-m", "palazzo", "--json", "plugins", *options], capture_output=True, text=True, check=True,
        env={"PYTHONPATH": path},
    )  # fmt: skip
    return list(json.loads(done.stdout)["plugins"])


def test_the_checks_for_authors_pass_what_is_right_and_name_what_is_not(site: Path, tmp_path: Path) -> None:
    import palazzo_plugin_example as example  # type: ignore[import-not-found]

    (tmp_path / "diary.txt").write_text(DIARY)
    assert len(check_importer(example.read_diary, tmp_path / "diary.txt", 1 << 60)) == 2
    check_reranker(example.SharedWords())
    check_context_provider(example.ThisWeek())
    check_embedder(HashEmbedder())
    with pytest.raises(AssertionError, match="the sample has entries"):
        check_importer(lambda *_: iter(()), tmp_path / "diary.txt", 0)


def test_an_importer_that_cannot_be_loaded_is_an_error_that_names_it(site: Path, tmp_path: Path) -> None:
    points = site / "broken_plugin-0.1.0.dist-info" / "entry_points.txt"
    points.write_text(points.read_text().replace("broken_plugin:sound", "broken_plugin:missing"))
    (tmp_path / "diary.txt").write_text(DIARY)
    with (
        Memory(tmp_path / "palace", embedder="none", upkeep=False) as memory,
        pytest.raises(PartUnavailable, match="sound of the package broken-plugin"),
    ):
        memory.import_(str(tmp_path / "diary.txt"), reader="sound")


def test_a_context_provider_of_a_plugin_adds_its_lines_for_those_who_may_read_everything(
    site: Path, tmp_path: Path
) -> None:
    asked = "what happened at the harbour?"
    with Memory(tmp_path / "palace", embedder="none", upkeep=False, context_providers="plugin:week") as memory:
        memory.remember("The ferry was late again.")
        assert re.search(r"This is week \d+ of \d{4}\.", memory.context(asked).text)
        memory.grant("agent:public", "read_public")
        memory.grant("agent:deputy", "read_all")
        memory.grant("agent:clerk", "read_all", place="work.desk.**")
    for subject, shown in (
        ("operator", True), ("agent:deputy", True), ("agent:public", False), ("agent:clerk", False),
    ):  # fmt: skip
        with Memory(
            tmp_path / "palace", embedder="none", upkeep=False, context_providers="plugin:week", subject=subject
        ) as memory:
            assert ("This is week" in memory.context(asked).text) is shown
    with pytest.raises(InvalidInput, match="no plugin brings the context_provider"):
        Memory(tmp_path / "palace", embedder="none", context_providers="plugin:nobody")
    with pytest.raises(InvalidInput, match="no context provider 'week'"):
        Memory(tmp_path / "palace", embedder="none", context_providers="week")


def test_a_context_provider_that_fails_is_named_and_gone_without(site: Path, tmp_path: Path) -> None:
    points = site / "broken_plugin-0.1.0.dist-info" / "entry_points.txt"
    points.write_text(
        points.read_text() + "\n[palazzo.context_providers]\nlate = broken_plugin:Late\nlost = broken_plugin:Lost\n"
    )
    with (site / "broken_plugin" / "__init__.py").open("a") as code:
        code.write(
            "class Late:\n    name = 'late'\n    section = 'today'\n    def provide(self, message):\n"
            "        return {}[message]\n\nclass Lost(Late):\n    name = 'lost'\n    section = 'nowhere'\n"
        )
    wanted = "plugin:late, plugin:lost, plugin:week"
    with Memory(tmp_path / "palace", embedder="none", upkeep=False, context_providers=wanted) as memory:
        block = memory.context("anything at all?")
        assert "This is week" in block.text
        assert {"late: KeyError", "lost: its section is none of identity, today, roster, schemas, skills"} <= set(
            block.dropped
        )
