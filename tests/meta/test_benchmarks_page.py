"""docs/benchmarks.md says what bench/results holds, nothing else."""

from __future__ import annotations

from bench import report


def test_the_benchmarks_page_is_what_the_pinned_results_say() -> None:
    assert report.PAGE.read_text() == report.page(), "run `python -m bench.report`"
