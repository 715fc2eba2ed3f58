"""The bench of the mind: a life is the same for a seed, and passes are asked the same before and after."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from bench.life import live
from bench.mind import BEGAN, ablation, ask_life, differences, lived

ASKED = ("day", "answer@10", "update", "abstention", "answer_in_context")


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


def test_a_life_with_the_mind_answers_at_every_checkpoint_what_one_without_it_answers(tmp_path: Path) -> None:
    life = live(18, 4)
    without, with_mind = lived(tmp_path / "off", life, ()), lived(tmp_path / "on", life, ("summaries", "gaps"))
    for before, after in zip(without, with_mind, strict=True):
        assert {key: after[key] for key in ASKED} == {key: before[key] for key in ASKED}
    assert with_mind[-1]["bytes"] < 1.5 * without[-1]["bytes"]
