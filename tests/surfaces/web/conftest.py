"""A real browser on a real daemon. Without Chromium or Playwright the tests here are skipped, and say so."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("uvicorn", reason="the server is not installed: pip install '.[server]'")

from tests.surfaces.daemon import Running, daemon, sign_in_link
from tests.surfaces.story import tell

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
)  # fmt: skip
PATIENCE_MS = 60_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium without a window."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no Playwright here: pip install playwright")
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        pytest.skip("no Chromium here: apt-get install chromium (scripts/setup.sh does it as root)")
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=program, args=list(FLAGS))
        yield found
        found.close()


@pytest.fixture(scope="module")
def palace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A daemon on the palace with the story in it."""
    folder: Path = tmp_path_factory.mktemp("dashboard") / "palace"
    tell(folder)
    with daemon(folder, PALAZZO_HEARTBEAT_S="86400") as found:  # on a slow machine a dream would come between
        yield found


class Watched:
    """A page that must keep to itself: what it logged as wrong, and whom it asked that is not its own."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.faults: list[str] = []
        self.strangers: list[str] = []
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", lambda line: self.faults.append(line.text) if _is_fault(line.type, line.text) else None)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda asked: None if asked.url.startswith(url) else self.strangers.append(asked.url))


def _is_fault(kind: str, text: str) -> bool:
    """Whether a line of the console tells of something wrong; that the palace refused something is no fault."""
    return kind in ("error", "warning") and "server responded with a status of 4" not in text


Opened = Callable[..., Any]


@pytest.fixture(scope="module")
def visited(browser: Browser, palace: Running) -> Iterator[Watched]:
    """One page for the tests of a module that only look."""
    page = browser.new_context(reduced_motion="reduce").new_page()
    watched = Watched(page, palace.url)
    page.goto(sign_in_link(palace))
    page.get_by_role("heading", level=1, name="Overview").wait_for()
    yield watched
    page.context.close()


@pytest.fixture
def opened(browser: Browser, palace: Running) -> Iterator[Opened]:
    """Opens the dashboard signed in as the operator; afterwards nothing has gone wrong in it."""
    watched: list[Watched] = []

    def opens(where: str = "", *, palace: Running = palace, **options: Any) -> Page:
        context = browser.new_context(
            reduced_motion="reduce", **{"viewport": {"width": 1200, "height": 900}, **options}
        )
        page = context.new_page()
        watched.append(Watched(page, palace.url))
        page.goto(sign_in_link(palace))
        page.get_by_role("heading", level=1, name="Overview").wait_for()
        if where:
            page.goto(f"{palace.url}/{where}")
        return page

    yield opens
    for one in watched:
        one.page.context.close()
        assert (one.faults, one.strangers) == ([], [])
