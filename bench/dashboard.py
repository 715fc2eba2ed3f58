"""How fast the dashboard is over a large palace, in a real Chromium without a graphics card.

    python -m bench.dashboard --json [--memories 700000] [--folder bench/work]

The palace is loaded with prepared memories (statements that are all different, of 2,000 people, 1,500 towns and 25,000
things, as intake would have left them: embedded, with kinds, topics, names and sources, in 500 places and over 400
days, with links between some of the newest) and kept in --folder if one is given. Then `palazzo serve` shows it,
without the passes that would go over what was just written: the daemon is asked for everything once and waited for
until it has read ahead what it keeps of every memory (some seconds of its start), and each figure is
the median of so many visits, with the slowest beside it, and of overview, search and memory also the processor time of
the daemon for one visit (`..._cpu_ms`), which says what is to be expected where other programs let it work.

`overview_ms`: from asking for the page to its tiles and lists being painted; `overview_whole_ms`: until nothing is
waited for any more. `search_ms`: from the last letter typed to the painted hits. `memory_ms`: from the click on a hit
to its painted page. `graph_frames_per_s`: while a map of `graph_nodes` points is dragged; `graph_stable`: whether each
point lies where it lay, in a second visit and after a new memory. `page_bytes`: everything the page can load, as it
goes over the wire. `strangers`: requests to anybody else.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import psutil

from bench.common import machine, rss_mb, show
from bench.prompts import served
from bench.sayings import Sayings
from palazzo import Memory
from palazzo.model.address import Place
from palazzo.model.change import AddEdge, Attachments, PlaceMemory
from palazzo.model.graph import MentionDraft, Node, ProvenanceNode, Source
from palazzo.model.ids import new_id
from palazzo.model.memory import Detail, RevisionDraft
from palazzo.surfaces.socket.client import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

MEMORIES = 700_000
BATCH = 500
PLACES = 500
DAYS = 400
KINDS = ("fact", "event", "preference", "decision", "relationship", "task", "procedure", "document")
WEIGHTS = (40, 25, 8, 6, 6, 5, 4, 6)
TOPICS = (
    "home",
    "work",
    "travel",
    "shopping",
    "health",
    "family",
    "food",
    "music",
    "money",
    "sports",
    "garden",
    "books",
)
LINKS = 2_000
VISITS = 15
FRAMES = 120
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
PATIENCE_MS = 300_000
_PAINTED = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))"
_SEARCH = """async (cue) => {
  const box = document.querySelector("main input[type=search]");
  const put = (text) => { box.value = text; box.dispatchEvent(new Event("input", { bubbles: true })); };
  const until = (seen) => new Promise((done) => {
    if (seen()) return done();
    const watch = new MutationObserver(() => { if (seen()) { watch.disconnect(); done(); } });
    watch.observe(document.querySelector("main"), { childList: true, subtree: true, characterData: true });
  });
  const rows = () => document.querySelectorAll(`main ul[data-of=${CSS.escape(cue)}] li.hit`).length;
  put("");
  await until(() => !document.querySelector("main li.hit"));
  const began = performance.now();
  put(cue);
  await until(rows);
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - began;
}"""
_MEMORY = """async () => {
  const said = document.querySelector("li.hit a.main");
  const began = performance.now();
  said.click();
  await new Promise((done) => {
    const look = () => document.querySelector("main[data-view=memory] .text") ? done() : requestAnimationFrame(look);
    look();
  });
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - began;
}"""
_DRAG = """async (frames) => {
  const canvas = document.querySelector("canvas"), box = canvas.getBoundingClientRect();
  const at = (n) => ({ pointerId: 1, bubbles: true, clientX: box.left + box.width / 2 + 90 * Math.sin(n / 9),
    clientY: box.top + box.height / 2 + 60 * Math.cos(n / 7) });
  canvas.setPointerCapture = () => {};
  canvas.dispatchEvent(new PointerEvent("pointerdown", at(0)));
  const times = [];
  for (let n = 0; n < frames; n++) {
    canvas.dispatchEvent(new PointerEvent("pointermove", at(n)));
    times.push(await new Promise((done) => requestAnimationFrame(done)));
  }
  canvas.dispatchEvent(new PointerEvent("pointercancel", at(frames)));
  return times.slice(1).map((t, n) => t - times[n]);
}"""


def build(folder: Path, count: int) -> None:
    """Fills a palace, or goes on filling it."""
    source, sayings = random.Random(5), Sayings(11)
    with Memory(folder, upkeep=False) as memory:
        engine = memory.engine
        began, now_us = time.process_time(), engine.clock.now_us()
        for done in range(int(memory.status().memories), count, BATCH):
            parts = [sayings.parts() for _ in range(min(BATCH, count - done))]
            vectors = engine.spaces.embed([text for text, _ in parts]).by_space
            made_us = now_us - (count - done) * (DAYS * 86_400_000_000 // count)
            kept = [
                _prepared(source, text, named, made_us, {name: rows[n] for name, rows in vectors.items()})
                for n, (text, named) in enumerate(parts)
            ]
            links = LINKS // 100 if done >= count - 100 * BATCH else 0
            pairs = [source.sample(kept, 2) for _ in range(links)]
            engine.store.commit(
                [*kept, *(AddEdge("related_to", Node(one.memory_id), Node(other.memory_id)) for one, other in pairs)],
                subject="operator",
            )
            if done % (20 * BATCH) == 0:
                spent = time.process_time() - began
                print(f"{done + BATCH} after {spent:.0f} s of work, {rss_mb():.0f} MB", file=sys.stderr)
        engine.store.upkeep.run()


def _prepared(
    source: random.Random, text: str, named: dict[str, Any], made_us: int, vectors: dict[str, Any]
) -> PlaceMemory:  # fmt: skip
    """A memory as intake would leave it for such a text: who and what it names, its topics, where it comes from."""
    number, memory_id = source.randrange(PLACES), new_id(made_us)
    people = [MentionDraft(named[one], "person", named[one]) for one in ("who", "whom") if one in named]
    words = [str(named[one]) for one in ("city", "thing", "other", "who", "month") if one in named]
    told = ProvenanceNode(id=new_id(made_us), kind="message", at_us=made_us, author="operator")
    return PlaceMemory(
        memory_id=memory_id, place=Place(("work", f"area{number % 10}", f"room{number // 10}")),
        name=f"{'-'.join(re.findall('[a-z]+', text.lower())[:6])[:60]}-{memory_id.hex[-8:]}",
        kind=source.choices(KINDS, WEIGHTS)[0], created_us=made_us,
        content=RevisionDraft(
            text=text, label=" ".join(words[:3]), author="operator", importance=source.choice((0.5, 0.6, 0.7, 0.85)),
            valid_from_us=made_us,
            detail=Detail(
                topics=tuple(source.sample(TOPICS, source.randrange(3))), keywords=tuple(words), language="en"
            ),
        ),
        attachments=Attachments(
            vectors=vectors, sources=(Source(node=told),),
            mentions=(*people, MentionDraft(named["city"], "location", named["city"])),
        ),
    )  # fmt: skip


def painted(page: Page, address: str) -> tuple[float, float]:
    """Milliseconds until the overview is painted, and until nothing is waited for."""
    page.goto(address)
    page.locator("main[data-view=overview] .tiles").wait_for()
    first = float(page.evaluate(_PAINTED))
    page.locator(".top .busy").wait_for(state="detached")
    return first, float(page.evaluate(_PAINTED))


def figures(name: str, values: list[float]) -> dict[str, float]:
    """The median and the slowest."""
    return {f"{name}_ms": round(median(values), 1), f"{name}_slowest_ms": round(max(values), 1)}


class Work:
    """The processor time of a daemon, in milliseconds since it was asked last."""

    def __init__(self, process: int) -> None:
        self._process = psutil.Process(process)
        self._before = 0.0
        self.since()

    def rested(self) -> None:
        """Waits until the daemon has read ahead what it keeps of every memory and does nothing any more."""
        while self.since() > 50:
            time.sleep(1)

    def since(self) -> float:
        spent = self._process.cpu_times()
        before, self._before = self._before, (spent.user + spent.system) * 1000
        return self._before - before


def looked(browser: Browser, url: str, socket: Path, work: Work) -> dict[str, Any]:
    """Visits every view that is measured."""
    connection = Daemon.reach(socket)
    assert connection is not None
    with connection:
        link = connection.call("token_create", {"subject": "operator", "once": True}).token
        before = connection.call("layout", {"limit": 50_000})
        page = browser.new_context(viewport={"width": 1200, "height": 900}).new_page()
        page.set_default_timeout(PATIENCE_MS)
        sizes, strangers = [0], []
        page.on("request", lambda one: None if one.url.startswith(url) else strangers.append(one.url))
        page.on("requestfinished", lambda one: sizes.append(_bytes(one)))
        page.goto(f"{url}/#sign-in={link}")
        page.locator("main[data-view=overview] .tiles").wait_for()
        page.locator(".top .busy").wait_for(state="detached")
        told: dict[str, Any] = {"page_bytes": sum(sizes)}
        work.rested()
        found = []
        work.since()
        for _ in range(VISITS):
            page.goto("about:blank")
            found.append(painted(page, f"{url}/#/overview"))
        told |= figures("overview", [one for one, _ in found]) | figures("overview_whole", [one for _, one in found])
        told["overview_cpu_ms"] = round(work.since() / VISITS, 1)
        told |= _searched(page, url, work) | _dragged(page, url)
        moved = page.evaluate(_DRAG, FRAMES)
        told["graph_frames_per_s"] = round(1000 / median(moved), 1)
        connection.call("remember", {"text": "The lock keeper of Overmere counts boats.", "place": "work.area1.room1"})
        after = connection.call("layout", {"limit": 50_000})
        told["graph_stable"] = _stable(before, after)
        told["strangers"] = len(strangers)
    return told


def _bytes(asked: Any) -> int:
    if "/v1/" in asked.url or "/session" in asked.url:
        return 0
    told = asked.sizes()
    return int(told["responseBodySize"] + told["responseHeadersSize"])


def _searched(page: Page, url: str, work: Work) -> dict[str, float]:
    asking = Sayings(23)
    searches, pages, spent = [], [], [0.0, 0.0]
    for number in range(VISITS + 1):
        page.goto(f"{url}/#/recall")
        page.locator("main[data-view=recall] input[type=search]").wait_for()
        work.since()
        took = page.evaluate(_SEARCH, asking.question())
        by_search = work.since()
        opened = page.evaluate(_MEMORY)
        page.locator(".top .busy").wait_for(state="detached")  # the rest of its page is not the next search's
        if number:  # the first of a daemon reads its files
            searches.append(took)
            pages.append(opened)
            spent = [spent[0] + by_search, spent[1] + work.since()]
    worked = {"search_cpu_ms": round(spent[0] / VISITS, 1), "memory_cpu_ms": round(spent[1] / VISITS, 1)}
    return figures("search", searches) | figures("memory", pages) | worked


def _dragged(page: Page, url: str) -> dict[str, Any]:
    page.goto(f"{url}/#/graph")
    began = time.perf_counter()
    page.locator("main[data-view=graph] canvas").wait_for()
    page.evaluate(_PAINTED)
    opened = round((time.perf_counter() - began) * 1000)
    label = str(page.locator("canvas").get_attribute("aria-label"))
    nodes = int("".join(filter(str.isdigit, label.partition("memories")[0])))
    return {"graph_ms": opened, "graph_nodes": nodes}


def _stable(before: Any, after: Any) -> bool:
    """Whether what stands in both lies where it lay; one more memory makes room in its own place alone."""
    lay = {one: (x, y) for one, x, y in zip(before.ids, before.x, before.y, strict=True)}
    now = {one: (x, y) for one, x, y in zip(after.ids, after.x, after.y, strict=True)}
    both = lay.keys() & now.keys()
    return len(both) > 0 and sum(lay[one] == now[one] for one in both) / len(both) > 0.99


def run(folder: Path) -> dict[str, Any]:
    """Shows a palace and measures."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("google-chrome")
    process, told = served(folder, PALAZZO_HEARTBEAT_S="86400")  # the passes over what was just written rest
    try:
        with sync_playwright() as started:
            browser = started.chromium.launch(executable_path=program, args=list(FLAGS))
            found = looked(browser, told["url"], Path(told["socket"]), Work(process.pid))
            browser.close()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=MEMORIES)
    parser.add_argument("--folder", type=Path, help="keep the palace here and use it again")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--build", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.build:
        build(given.build, given.memories)
        return
    with tempfile.TemporaryDirectory(prefix="palazzo-dashboard-") as base:
        folder = (given.folder or Path(base)) / f"dashboard-{given.memories}"
        folder.parent.mkdir(parents=True, exist_ok=True)
        # In a process of its own: building leaves memory behind that looking never needs.
        command = [sys.executable, "-m", "bench.dashboard", "--build", str(folder), "--memories", str(given.memories)]
        subprocess.run(command, check=True)
        show({"memories": given.memories, **run(folder), "machine": machine()}, given.json)


if __name__ == "__main__":
    main()
