"""Pages cannot drift: generated ones are compared with the code, hand-written ones name only what exists."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
from scripts import docs

import palazzo
from palazzo.settings import SETTINGS
from palazzo.surfaces.cli.commands import main as program

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
REPOSITORY_PATH = re.compile(r"(?:src|tests|scripts|bench|docs)/[\w./-]+")
COMMAND = re.compile(r"`palazzo ([a-z]+(?:-[a-z]+)*)[^`]*`")
DECISION = re.compile(r"(\d{4})-[a-z0-9-]+\.md")


def anchors(text: str) -> set[str]:
    """The anchors a page's headings make, as code hosts derive them."""
    titles = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("name", docs.PAGES)
def test_a_generated_page_is_as_the_code_says(name: str, root: Path) -> None:
    assert (root / "docs" / name).read_text("utf-8") == docs.PAGES[name](), "run `make docs`"


def test_every_setting_is_documented(pages: dict[str, str]) -> None:
    page = pages["docs/settings.md"]
    missing = [s.name for s in SETTINGS if f"| `{s.name}` | `{s.environment}` |" not in page or s.help not in page]
    assert not missing, missing


def test_every_command_is_documented_and_has_help(pages: dict[str, str]) -> None:
    for name, command in program.commands.items():
        assert command.help, f"palazzo {name} says nothing about itself"
        assert f"## palazzo {name}\n" in pages["docs/cli.md"]
        assert all(getattr(p, "help", "") for p in command.params if p.param_type_name == "option"), name


def test_links_between_pages_lead_somewhere(pages: dict[str, str], root: Path) -> None:
    faults = []
    for path, text in pages.items():
        for target in LINK.findall(FENCE.sub("", text)):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            found = (root / path).parent / file if file else root / path
            if not found.exists():
                faults.append(f"{path}: {target}")
            elif anchor and anchor not in anchors(found.read_text("utf-8")):
                faults.append(f"{path}: {target} has no such heading")
    assert not faults, "\n".join(faults)


def test_paths_named_in_pages_exist(pages: dict[str, str], root: Path) -> None:
    faults = [
        f"{path}: {name}"
        for path, text in pages.items()
        for name in CODE.findall(text)
        if REPOSITORY_PATH.fullmatch(name) and "NNNN" not in name and not (root / name).exists()
    ]
    assert not faults, "\n".join(faults)


def test_commands_named_in_pages_and_messages_exist(pages: dict[str, str], sources: dict[str, str]) -> None:
    faults = [
        f"{path}: palazzo {name}"
        for path, text in {**pages, **sources}.items()
        for name in COMMAND.findall(text)
        if name not in program.commands
    ]
    assert not faults, "\n".join(faults)


def _resolves(dotted: str) -> bool:
    parts = dotted.split(".")
    if parts[1] == "integrations" and len(parts) > 2:  # its framework need not be installed
        module = Path(palazzo.__file__).parent / "integrations" / f"{parts[2]}.py"
        return module.is_file() and all(
            re.search(rf"^(class|def) {name}\b", module.read_text("utf-8"), re.M) for name in parts[3:]
        )
    for cut in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for name in parts[cut:]:
            found = getattr(found, name, None)
        return found is not None
    return False


def test_python_names_in_pages_can_be_imported(pages: dict[str, str]) -> None:
    faults = [
        f"{path}: {name}"
        for path, text in pages.items()
        for name in CODE.findall(text)
        if re.fullmatch(r"palazzo(\.\w+)+", name) and not _resolves(name)
    ]
    assert not faults, "\n".join(faults)
    assert not _resolves("palazzo.model.scope.Scoop")


def test_the_python_in_the_page_on_import_and_export_runs(
    pages: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for code in re.findall(r"^```python\n(.*?)^```", pages["docs/import-export.md"], re.DOTALL | re.MULTILINE):
        exec(compile(code, "docs/import-export.md", "exec"), names)
    assert capsys.readouterr().out == "mcp-memory 1 0 1\nimport:mcp-memory\n1 1 0.5 import:encrypted\n"


def test_the_table_beside_the_peers_is_what_was_measured(pages: dict[str, str]) -> None:
    assert docs.measured() in pages["docs/why.md"], "put in what scripts.docs.measured() says"


def test_decisions_are_numbered_without_a_gap_and_listed(pages: dict[str, str], root: Path) -> None:
    names = sorted(path.name for path in (root / "docs/decisions").glob("*.md") if path.name != "README.md")
    numbers = [int(match[1]) if (match := DECISION.fullmatch(name)) else 0 for name in names]
    assert numbers == list(range(1, len(names) + 1)), names
    unlisted = [name for name in names if f"({name})" not in pages["docs/decisions/README.md"]]
    assert not unlisted, unlisted
    for name in names:
        headings = re.findall(r"^## (.+)$", pages[f"docs/decisions/{name}"], re.MULTILINE)
        assert headings == ["Context", "Decision", "Consequences"], f"{name}: {headings}"


def test_the_picture_draws_every_room_and_dashes_only_those_without_code(root: Path) -> None:
    picture = (root / "docs/architecture.svg").read_text("utf-8")
    drawn = re.findall(r'<rect class="(box|planned)"[^>]*/>\s*<text class="room"[^>]*>(\w+)<', picture)
    rooms = {path.stem for path in (root / "src/palazzo").glob("[a-z]*.py")}
    rooms |= {path.parent.name for path in (root / "src/palazzo").glob("[a-z]*/__init__.py")}
    assert {name for border, name in drawn if border == "box"} == rooms
    assert not {name for border, name in drawn if border == "planned"} & rooms
