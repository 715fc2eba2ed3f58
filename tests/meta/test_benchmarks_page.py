"""docs/benchmarks.md says what bench/results holds, nothing else."""

from __future__ import annotations

from bench import plots, report


def test_the_benchmarks_page_is_what_the_pinned_results_say() -> None:
    assert report.PAGE.read_text() == report.page(), "run `python -m bench.report`"


def test_the_figures_are_what_the_pinned_results_draw() -> None:
    for name, drawing in plots.DRAWN.items():
        path = plots.FIGURES / name
        assert (path.read_text("utf-8") if path.exists() else "") == drawing(), "run `python -m bench.report`"
