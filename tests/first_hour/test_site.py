"""The documentation as a site: it is built without a network and read without one, and every link leads somewhere."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote

import pytest
from scripts import site
from tests.first_hour.conftest import ROOT

LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


class Read(HTMLParser):
    """What a page points at, what it loads, and its anchors."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in LOADED and LOADED[tag] in given and given.get("rel") != "canonical":
            self.loaded.append(given[LOADED[tag]])


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if find_spec("mkdocs") is None:
        pytest.skip("mkdocs-material is not installed: make setup")
    made = tmp_path_factory.mktemp("site")
    assert site.build(made / "pages", made / "site") == 0
    return made / "site"


@pytest.fixture(scope="module")
def pages(built: Path) -> dict[Path, Read]:
    return {page: Read(page) for page in built.rglob("*.html")}


def test_every_link_of_the_site_leads_somewhere(pages: dict[Path, Read], built: Path) -> None:
    faults = []
    for page, read in pages.items():
        for link in (*read.links, *read.loaded):
            path, _, anchor = link.partition("#")
            if "://" in path or path.startswith(("mailto:", "data:", "/")):  # / only on the page for what is not there
                continue
            target = (page.parent / unquote(path)).resolve() if path else page
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file() or (anchor and target in pages and unquote(anchor) not in pages[target].anchors):
                faults.append(f"{page.relative_to(built)}: {link}")
    assert not faults, "\n".join(faults)


def test_reading_the_site_needs_no_network(pages: dict[Path, Read]) -> None:
    outside = {one for read in pages.values() for one in read.loaded if "://" in one or one.startswith("//")}
    assert not outside


def test_the_site_has_every_page_and_finds_its_words(pages: dict[Path, Read], built: Path) -> None:
    written = {path.relative_to(ROOT).with_suffix(".html").as_posix() for path in (ROOT / "docs").glob("*.md")}
    assert written <= {page.relative_to(built).as_posix() for page in pages}
    found = json.loads((built / "search" / "search_index.json").read_text("utf-8"))["docs"]
    assert any("restore-backup" in one["text"] and one["location"].startswith("docs/restore") for one in found)
