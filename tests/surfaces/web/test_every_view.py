"""Every view there is, light and dark, wide and on a phone: no violation that axe finds, nothing that overflows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.surfaces.daemon import Running, as_operator

from palazzo.surfaces.web.site import FOLDER

if TYPE_CHECKING:
    from tests.surfaces.web.conftest import Watched

VIEWS = sorted(path.stem for path in (FOLDER / "views").glob("*.js"))
ABOUT_ONE = ("memory", "graph")
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")


def axe() -> str:
    found = pytest.importorskip("axe_playwright_python", reason="no axe here: pip install axe-playwright-python")
    return (Path(found.__file__).parent / "axe.min.js").read_text("utf-8")


@pytest.fixture(scope="module")
def known(palace: Running) -> str:
    """A memory that has links and revisions; what was captured is there to be seen too."""
    as_operator(palace.folder, "capture_enable", adapter="shell")
    as_operator(palace.folder, "capture_private", what="app", pattern="Diary")
    told = {"kind": "command", "source": "shell", "reference": "make check", "metadata": {"cwd": str(palace.folder)}}
    as_operator(palace.folder, "capture_events", events=[told])
    as_operator(palace.folder, "snapshot_save", cwd=str(palace.folder))
    return str(as_operator(palace.folder, "recall", cue="Heron launch").hits[0].memory.id)


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_is_readable_for_everybody_in_every_light_and_on_a_phone(
    view: str, visited: Watched, palace: Running, known: str
) -> None:
    page = visited.page
    page.goto(f"{palace.url}/#/{view}/{known if view in ABOUT_ONE else ''}?q=heron")
    page.evaluate(axe())
    for scheme, width in (("light", 1200), ("dark", 390)):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": 844})
        page.locator(f"main[data-view={view}] h1").wait_for()
        page.locator("main .empty[role=status]").first.wait_for(state="detached")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{view} overflows at {width}"
        found: Any = page.evaluate(f"axe.run({{runOnly: {json.dumps(RULES)}, resultTypes: ['violations']}})")
        told = [(one["id"], [node["html"][:160] for node in one["nodes"][:3]]) for one in found["violations"]]
        assert not told, f"{view}, {scheme}, {width}: {told}"
    assert (visited.faults, visited.strangers) == ([], []), view


def test_every_view_says_what_it_is_called_and_where_it_belongs() -> None:
    for name in VIEWS:
        text = (FOLDER / "views" / f"{name}.js").read_text("utf-8")
        assert re.search(rf'export default \{{ name: "{name}", title: "[^"]+", group: "(Memory|Care|Palace)"', text), (
            name
        )
