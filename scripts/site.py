"""Builds the documentation as a site in `site/`: `python -m scripts.site`. No network, and none when it is read.

Owns which pages there are and how headings become anchors (as code hosts make them, so that links hold in both). The
pages lie in the site as they lie in the repository; links between them stay as they are written.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OTHERS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "integrations/*/README.md", "integrations/*/example.py")
SHIM, OWN_SHIM = "https://unpkg.com/iframe-worker/shim", "assets/javascripts/iframe-worker.js"
"""What the theme's search needs where a page is read from the disk, and the copy of it that comes along."""


def slug(title: str, separator: str) -> str:
    """The anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", separator)


def gather(pages: Path) -> None:
    """Lays the pages out as they are in the repository."""
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(ROOT / "docs", pages / "docs")
    for pattern in OTHERS:
        for file in ROOT.glob(pattern):
            target = pages / file.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)


def build(pages: Path, site: Path) -> int:
    """Gathers the pages and makes the site of them; the exit code."""
    gather(pages)
    command = ("build", "--quiet", "--strict", "--config-file", str(ROOT / "mkdocs.yml"), "--site-dir", str(site))
    environment = {"PYTHONPATH": str(ROOT), "PAGES": str(pages), "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run([sys.executable, "-m", "mkdocs", *command], cwd=ROOT, env=environment, check=False)  # noqa: S603
    if done.returncode == 0:
        shutil.copyfile(ROOT / "scripts" / "iframe-worker" / "index.js", site / OWN_SHIM)
        for page in site.rglob("*.html"):
            above = "../" * (len(page.relative_to(site).parts) - 1)
            page.write_text(page.read_text("utf-8").replace(SHIM, above + OWN_SHIM), "utf-8")
    return done.returncode


def main() -> int:
    """Builds into site/, if what builds it is installed."""
    if find_spec("mkdocs") is None:
        sys.stdout.write("the site was not built: mkdocs-material is not installed (make setup)\n")
        return 0
    return build(ROOT / "build" / "pages", ROOT / "site")


if __name__ == "__main__":
    sys.exit(main())
