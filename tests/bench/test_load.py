"""Growth and sustained load: curves that stay small, a slope that is flat when memory is, figures that draw."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import common, growth, pinned, plots, stress


def test_flat_memory_has_no_slope_and_growing_memory_has_its_own() -> None:
    flat = [(float(second), 100.0) for second in range(600)]
    growing = [(float(second), 100.0 + second / 30) for second in range(600)]
    assert abs(stress.slope(flat)) < 0.01
    assert stress.slope(growing) == pytest.approx(2.0, abs=0.01)


def test_a_curve_keeps_at_most_twice_sixty_points_of_an_hour() -> None:
    hour = [(float(second), 100.0) for second in range(3600)]
    kept = stress.curve(hour)
    assert len(kept) <= 120
    assert kept[0] == (0.0, 100.0)
    assert kept[-1][0] > 58


def test_pages_of_files_are_part_of_resident_memory() -> None:
    assert 0 < common.own_mb() < common.rss_mb() * 1.1


def test_a_short_load_loses_nothing_and_waits_are_told(tmp_path: Path) -> None:
    told = stress.run(0.02, 600, 1, tmp_path)
    assert told["errors"] == 0
    assert told["write"]["n"] > 0
    assert told["rss_curve"]
    assert told["own_curve"]


def test_growth_is_told_for_every_size_and_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "QUESTIONS", 4)
    told = growth.run([40, 80], tmp_path)
    assert [one["memories"] >= least for one, least in zip(told["sizes"], (40, 80), strict=True)] == [True, True]
    (tmp_path / "growth.json").write_text(json.dumps(told))
    monkeypatch.setattr(pinned, "RESULTS", tmp_path)
    assert plots.DRAWN["growth-recall.svg"]().count("<circle") >= 8
    assert plots.DRAWN["stress-memory.svg"]() == ""
