"""The bench of the mind: a life is the same for a seed, and passes are asked the same before and after."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from bench.life import live
from bench.mind import BEGAN, ablation, ask_life, differences, lived


def test_a_life_of_a_seed_is_always_the_same_and_its_questions_have_one_answer() -> None:
    assert live(30, 4) == live(30, 4)
    last = live(60, 4).asked[-1]
    assert any(one.before for one in last)
    assert all(one.answer not in one.before for one in last)


def test_every_pass_is_asked_the_same_before_and_after(tmp_path: Path) -> None:
    life = live(2, 3)
    seen = lived(tmp_path / "palace", life, ())
    assert seen[-1]["day"] == 2
    now = BEGAN + timedelta(days=2)
    some = ("summaries", "gaps")
    rows = differences(ablation(tmp_path / "palace", now, lambda m: ask_life(m, life.asked[-1]), some, some))
    assert set(rows) == {"none", *some, "default", "all"}
    assert all(row["answer@10_points"] == 0 for name, row in rows.items() if name != "none")
