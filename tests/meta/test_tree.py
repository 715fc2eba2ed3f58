"""Nothing in the tree knows the machine it was made on: no home folders, no private hosts, no package index."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FOLDERS = ("src", "tests", "bench", "docs", "scripts", ".ci")
TEXT_SUFFIXES = frozenset({".py", ".md", ".toml", ".sh", ".svg", ".json", ".txt", ".yml", ".yaml", ".cfg", ""})
MACHINE = (
    re.compile(r"(?<![\w/:.])/(?:root|Users/\w+|home/(?:runner|ubuntu|dev|\w+admin))(?:/|\b)(?!\w)"),
    re.compile(r"/work/(?:main|shared)\b"),
    re.compile(r"\b[A-Z]:\\Users\\"),
    re.compile(r"https?://(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+"),
    re.compile(r"https?://[\w.-]+\.(?:internal|intranet|intra|corp|lan|local)\b"),
    re.compile(r"index[-]url|trusted[-]host|find[-]links"),
)


def findings(text: str) -> list[str]:
    return [match[0] for pattern in MACHINE for match in pattern.finditer(text)]


@pytest.mark.parametrize(
    "text",
    [
        "see /" + "root/notes", "/" + "Users/ana/x", "cd /" + "work/main", "C:" + "\\Users\\ana",
        "http://10." + "1.2.3/simple", "https://packages." + "corp/simple", "pip --index" + "-url x",
    ],
)  # fmt: skip
def test_traces_of_a_machine_are_recognised(text: str) -> None:
    assert findings(text)


@pytest.mark.parametrize(
    "text",
    ["kref:///work/a.fact", "http://127.0.0.1:11434", "work.projects", "https://example.org/x", "../shared/data"],
)
def test_harmless_addresses_pass(text: str) -> None:
    assert not findings(text)


def test_no_file_names_a_machine_or_a_private_host(root: Path) -> None:
    paths = [path for path in root.iterdir() if path.is_file() and path.name != ".git"]
    paths += [path for folder in FOLDERS for path in (root / folder).rglob("*") if path.is_file()]
    texts = [path for path in paths if path.suffix in TEXT_SUFFIXES and not path.name.startswith(".coverage")]
    faults = {
        path.relative_to(root).as_posix(): found
        for path in texts
        if (found := findings(path.read_text("utf-8", errors="replace")))
    }
    assert len(texts) > len(FOLDERS)
    assert not faults, faults
