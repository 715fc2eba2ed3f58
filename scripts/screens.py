"""Writes the pictures of docs/dashboard.md: every view of the palace of tests/surfaces/story.py in a real browser.

`python -m scripts.screens`. Needs Playwright and Chromium, as the tests do. A picture is a PNG of at most 100 KB.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from tests.surfaces.daemon import Running, daemon, sign_in_link, token_for
from tests.surfaces.story import tell

FOLDER = Path(__file__).parent.parent / "docs" / "figures" / "dashboard"
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
SIZE = {"width": 1120, "height": 720}
MOST_BYTES = 100_000


def opened(browser: Browser, palace: Running, scheme: str = "light", **size: int) -> Page:
    """A signed-in page."""
    page = browser.new_context(viewport={**SIZE, **size}, color_scheme=scheme, reduced_motion="reduce").new_page()  # type: ignore[arg-type]
    page.goto(sign_in_link(palace))
    page.get_by_role("heading", level=1, name="Overview").wait_for()
    return page


def picture(page: Page, palace: Running, name: str, where: str) -> None:
    """Writes one picture once nothing is looked for any more."""
    page.goto(f"{palace.url}/{where}")
    page.locator("main h1").wait_for()
    page.locator("main .empty[role=status]").first.wait_for(state="detached")
    page.locator(".live.on").wait_for()
    page.locator(".top .busy").wait_for(state="detached")
    path = FOLDER / f"{name}.png"
    Image.open(BytesIO(page.screenshot())).convert("RGB").quantize(160, dither=Image.Dither.NONE).save(
        path, optimize=True
    )
    size = path.stat().st_size
    sys.stdout.write(f"{path.name} {size // 1024} KB{'' if size <= MOST_BYTES else ' TOO LARGE'}\n")


def main() -> None:
    """Writes all of them."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        told = tell(Path(folder) / "palace")
        with daemon(Path(folder) / "palace") as palace, sync_playwright() as started:
            token = token_for(palace.folder, "agent:reader", "read_all")
            palace.post("context", {"message": "Plan the week before the Heron launch."}, token)
            palace.post("dream", {"only": ["consolidate", "gaps"]}, token_for(palace.folder, "operator"))
            browser = started.chromium.launch(executable_path=program, args=list(FLAGS))
            page = opened(browser, palace)
            launch = told["The launch"]
            views = {
                "overview": "#/overview", "recall": "#/recall?q=when is the Heron launch?",
                "memory": f"#/memory/{launch}",
                "places": "#/places", "graph": f"#/graph/{launch}", "timeline": "#/timeline?q=Heron",
                "entities": "#/entities/Heron", "review": "#/review", "seen": "#/seen",
                "mind": "#/mind?q=who leads Heron, and what is it written in?", "dreams": "#/dreams",
                "health": "#/health", "people": "#/people", "access": "#/access", "audit": "#/audit",
                "settings": "#/settings", "import": "#/import",
            }  # fmt: skip
            for name, where in views.items():
                picture(page, palace, name, where)
            picture(opened(browser, palace, "dark"), palace, "overview-dark", "#/overview")
            phone = opened(browser, palace, width=390, height=780)
            picture(phone, palace, "phone", f"#/memory/{launch}")
            browser.close()


if __name__ == "__main__":
    main()
