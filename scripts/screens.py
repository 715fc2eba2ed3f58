"""Writes the pictures of docs/dashboard.md: every view of the palace of tests/surfaces/story.py in a real browser.

`python -m scripts.screens`. Needs Playwright and Chromium, as the tests do. A picture is a PNG of at most 100 KB.
"""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
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
    Image.open(BytesIO(page.screenshot())).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(
        path, optimize=True
    )
    size = path.stat().st_size
    sys.stdout.write(f"{path.name} {size // 1024} KB{'' if size <= MOST_BYTES else ' TOO LARGE'}\n")


@contextmanager
def workspace(folder: Path) -> Iterator[Path]:
    """A repository that is worked in, with a tmux of its own; the daemon that is started meanwhile sees it."""
    work = Path(tempfile.gettempdir()) / "work" / "heron"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    (work / "launch.md").write_text("".join(f"{number}. step\n" for number in range(60)))
    subprocess.run(["git", "init", "-q", "-b", "launch-week", str(work)], check=True)
    os.environ["TMUX_TMPDIR"] = str(folder)  # noqa: TID251 - a server of our own
    os.environ.pop("TMUX", None)  # noqa: TID251
    tmux = ["tmux", "-f", os.devnull]
    subprocess.run([*tmux, "new-session", "-d", "-s", "heron", "-n", "edit", "-c", str(work)], check=True)
    subprocess.run([*tmux, "new-window", "-d", "-t", "heron:", "-n", "tests", "-c", str(work)], check=True)
    try:
        yield work
    finally:
        subprocess.run(["tmux", "kill-server"], capture_output=True, check=False)
        shutil.rmtree(work)


def captured(palace: Running, work: Path) -> None:
    """What a morning at a desk leaves: adapters that are on, something private, events, two snapshots."""
    token = token_for(palace.folder, "operator")
    for adapter in ("shell", "git", "window"):
        palace.post("capture_enable", {"adapter": adapter}, token)
    palace.post("capture_private", {"what": "path", "pattern": "~/diary"}, token)
    told = {"cwd": str(work), "exit_code": 0, "seconds": 1.4}
    events = [
        {"kind": "app_activation", "source": "window", "reference": "Code", "metadata": {"title": "launch.md"}},
        {"kind": "command", "source": "shell", "reference": "git switch launch-week", "metadata": told},
        {"kind": "command", "source": "shell", "reference": "make check", "metadata": {**told, "exit_code": 2}},
        {"kind": "commit", "source": "git", "reference": "Write down the order of the launch",
         "metadata": {"repository": str(work), "languages": {"Markdown": 1, "Rust": 2}}},
    ]  # fmt: skip
    palace.post("capture_events", {"events": events}, token)
    palace.post("snapshot_save", {"place": "work.heron", "cwd": str(work)}, token)
    palace.post(
        "remember", {"text": "The order of the launch is in launch.md.", "snapshot": True, "cwd": str(work)}, token
    )


def worked(palace: Running) -> None:
    """What two days with an agent leave: a thread with plans in every state, a handoff, a file that was shown."""
    token = token_for(palace.folder, "operator")
    about = {"thread": "heron", "session": "monday", "project": "heron"}
    palace.post("session_start", {**about, "client": "claude-code"}, token)
    said = [
        ("user", "We should move the launch page to the new host."), ("user", "Please write the release notes."),
        ("user", "Let's record a product video."), ("assistant", "The release notes are finished."),
        ("user", "Scrap the video, nobody has a camera."), ("user", "We settled on Parquet for the archive."),
    ]  # fmt: skip
    palace.post("observe", {"turns": [{"role": role, "content": text} for role, text in said], **about}, token)
    chart = base64.b64encode(b"week,visits\n").decode()
    palace.post("attach", {"name": "visits.csv", "content": chart, **about}, token)
    palace.post("session_end", {"session": "monday", "project": "heron"}, token)


def main() -> None:
    """Writes all of them."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        told = tell(Path(folder) / "palace")
        with (
            workspace(Path(folder)) as work,
            daemon(Path(folder) / "palace") as palace,
            sync_playwright() as started,
        ):
            captured(palace, work)
            worked(palace)
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
                "work": "#/work/heron?in=project:heron", "capture": "#/capture", "snapshots": "#/snapshots",
                "entities": "#/entities/Heron", "known": "#/known?q=when is the Heron launch?",
                "review": "#/review", "seen": "#/seen",
                "mind": "#/mind?q=who leads Heron, and what is it written in?", "dreams": "#/dreams",
                "health": "#/health", "people": "#/people", "access": "#/access", "audit": "#/audit",
                "settings": "#/settings", "import": "#/import",
            }  # fmt: skip
            for name, where in views.items():
                picture(page, palace, name, where)
            picture(opened(browser, palace, "dark"), palace, "overview-dark", "#/overview")
            phone = opened(browser, palace, width=390, height=780)
            picture(phone, palace, "phone", f"#/memory/{launch}")
            if "--look" in sys.argv:  # every view on a phone in the dark, to be looked at and not kept
                dark = opened(browser, palace, "dark", width=390, height=780)
                for name, where in views.items():
                    picture(dark, palace, f"look-{name}", where)
            browser.close()


if __name__ == "__main__":
    main()
