"""The table of stages: what a stage takes inside another is not counted twice, and every statement has a stage."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import stages


def test_a_stage_inside_another_takes_its_share_out_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("bench.stages.time.thread_time", lambda: now[0])
    watch = stages.Watch()

    def work(seconds: float) -> None:
        now[0] += seconds

    inner = watch.around("inner", lambda: work(2))

    def both() -> None:
        work(1)
        inner()
        work(4)

    watch.around("outer", both)()
    assert watch.seconds == {"outer": 5.0, "inner": 2.0, stages.REST: 0.0}


def test_a_small_palace_is_measured_stage_by_stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "WARM", 8)
    monkeypatch.setattr(stages, "ASKED", 4)
    found = stages.synthetic(300, tmp_path)
    assert found["questions"] == 4
    assert found["statements"]["candidates and their neighbours"] == 0
    assert found["statements"]["the hits and their reasons"] >= 1
    assert sum(found["statements"].values()) == pytest.approx(found["whole_statements"], abs=0.05)
    assert stages.page({"small": found}).count("\n") == len(found["ms"]) + 3
