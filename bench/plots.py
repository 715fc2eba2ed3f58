"""Figures of the benchmarks page as SVG, drawn from the pinned results: quality, latency, growth, memory under load.

    python -m bench.plots            writes docs/figures/*.svg

Draws points and lines on two axes and nothing else; knows no benchmark but the keys of its results.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from bench.pinned import load

FIGURES = Path(__file__).parent.parent / "docs" / "figures"
WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 190, 36, 52
COLOURS = ("#1b6ca8", "#c8553d", "#3a7d44", "#7b4fa0", "#8a6d1d", "#444444")


@dataclass(frozen=True, slots=True)
class Line:
    """A named row of points."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Axes:
    """Titles and bounds; a logarithmic axis runs over powers of ten."""

    title: str
    x: str
    y: str
    log_x: bool = False
    y_from: float = 0.0


def draw(axes: Axes, lines: Sequence[Line]) -> str:
    """The figure as an SVG document."""
    xs = [x for line in lines for x, _ in line.points]
    ys = [y for line in lines for _, y in line.points]
    low_x, high_x = (min(xs), max(xs)) if axes.log_x else (0.0, _above(max(xs)))
    low_y, high_y = axes.y_from, _above(max(ys))

    def at_x(value: float) -> float:
        share = (
            (math.log(value) - math.log(low_x)) / max(math.log(high_x) - math.log(low_x), 1e-9)
            if axes.log_x
            else (value - low_x) / (high_x - low_x)
        )
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def at_y(value: float) -> float:
        return HEIGHT - BOTTOM - (value - low_y) / (high_y - low_y) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif"',
        ' font-size="12">',
        f'<title>{escape(axes.title)}</title><rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="20" font-size="14">{escape(axes.title)}</text>',
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 12}" text-anchor="middle">{escape(axes.x)}</text>',
        f'<text transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2:.0f}) rotate(-90)" text-anchor="middle">'
        f"{escape(axes.y)}</text>",
    ]
    ticks = sorted(set(xs)) if axes.log_x else [high_x * part / 4 for part in range(5)]
    for x in ticks:
        parts.append(f'<text x="{at_x(x):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{x:,.0f}</text>')
    for part in range(5):
        y = low_y + (high_y - low_y) * part / 4
        parts.append(f'<path d="M{LEFT} {at_y(y):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{at_y(y) + 4:.1f}" text-anchor="end">{y:g}</text>')
    for number, line in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        placed = [(at_x(x), at_y(y)) for x, y in line.points]
        if len(placed) > 1:
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y in placed)
            parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>' for x, y in placed]
        row = TOP + 12 + 18 * number
        parts.append(f'<circle cx="{WIDTH - RIGHT + 14}" cy="{row - 4}" r="4" fill="{colour}"/>')
        parts.append(f'<text x="{WIDTH - RIGHT + 24}" y="{row}">{escape(line.name)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _above(value: float) -> float:
    """The next round number."""
    step = 10 ** math.floor(math.log10(value)) / 2 if value > 0 else 1.0
    return math.ceil(value / step) * step


def quality_figure() -> str:
    """R@5, R@10 and R@20 against the tokens that many hits cost."""
    lines = []
    for name, label in (
        ("retrieval-locomo-minilm", "LoCoMo, MiniLM"), ("retrieval-locomo-builtin", "LoCoMo, built-in"),
        ("retrieval-locomo-none", "LoCoMo, text only"),
    ):  # fmt: skip
        found = load(name)
        if found:
            shown = [k for k in (5, 10, 20) if f"tokens@{k}" in found]
            lines.append(Line(label, tuple((found[f"tokens@{k}"], 100 * found[f"r@{k}"]) for k in shown)))
    axes = Axes(
        title="Evidence found against tokens, for 5, 10 and 20 hits", x="tokens, mean", y="evidence found, %", y_from=50
    )
    return draw(axes, lines) if lines else ""


def latency_figure() -> str:
    """The median latency of each part against the number of memories."""
    sizes = [(n, found) for n in (10_000, 100_000, 1_000_000) if (found := load(f"latency-{n}"))]
    if not sizes:
        return ""
    lines = [
        Line(label, tuple((float(n), found["p50_ms"][key]) for n, found in sizes if key in found["p50_ms"]))
        for key, label in (
            ("recall", "recall"), ("context", "context for a turn"), ("vector", "vector search"),
            ("text_question", "text search, a question"),
        )
    ]  # fmt: skip
    axes = Axes(title="Median latency against size", x="memories", y="milliseconds", log_x=True)
    return draw(axes, [line for line in lines if line.points])


def growth_figure(title: str, y: str, *lines: tuple[str, str]) -> str:
    """One thing that growth costs, against the number of memories; a line is a path in the result and its name."""
    found = load("growth")
    if found is None:
        return ""

    def value(one: Any, path: str) -> float:
        for part in path.split("."):
            one = one[part]
        return float(one)

    drawn = [
        Line(label, tuple((float(one["memories"]), value(one, path)) for one in found["sizes"]))
        for path, label in lines
    ]  # fmt: skip
    return draw(Axes(title=title, x="memories", y=y, log_x=True), drawn)


def load_figure() -> str:
    """Resident memory against time under sustained load."""
    found = [(label, told) for name, label in (("stress", "ten minutes"), ("soak", "an hour")) if (told := load(name))]
    lines = [
        Line(f"{label}, {kind}", tuple((float(minute), float(size)) for minute, size in told[key]))
        for label, told in found
        for key, kind in (("rss_curve", "resident"), ("own_curve", "no file's pages"))
    ]
    axes = Axes(title="Resident memory under sustained load", x="minutes", y="megabytes")
    return draw(axes, lines) if lines else ""


DRAWN: dict[str, Callable[[], str]] = {
    "quality-tokens.svg": quality_figure,
    "latency-size.svg": latency_figure,
    "growth-recall.svg": lambda: growth_figure(
        "Recall against size", "milliseconds", ("recall.p50_ms", "recall, p50"), ("recall.p99_ms", "recall, p99"),
        ("context.p50_ms", "context, p50"), ("list.p50_ms", "list, p50"),
    ),
    "growth-writing.svg": lambda: growth_figure(
        "Writing against size", "memories a second", ("per_s", "of wall clock"), ("per_cpu_s", "of CPU"),
    ),
    "growth-open.svg": lambda: growth_figure(
        "Open and first answer against size", "milliseconds", ("first_answer_ms", "fresh process"),
    ),
    "growth-memory.svg": lambda: growth_figure(
        "Resident memory against size", "megabytes", ("rss_mb", "a reader"), ("own_mb", "no file's pages"),
        ("rss_of_writer_mb", "the writer"),
    ),
    "growth-disk.svg": lambda: growth_figure(
        "Disk against size", "bytes per memory", ("bytes_per_memory", "the palace")
    ),
    "stress-memory.svg": load_figure,
}  # fmt: skip


def write() -> None:
    """Writes every figure that has results and removes those that have none."""
    FIGURES.mkdir(parents=True, exist_ok=True)
    for name, drawing in DRAWN.items():
        if made := drawing():
            (FIGURES / name).write_text(made, "utf-8")
        else:
            (FIGURES / name).unlink(missing_ok=True)


if __name__ == "__main__":
    write()
