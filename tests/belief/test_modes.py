"""The one decision between two statements that disagree, whoever found them."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import get_args

import pytest

import palazzo
from palazzo.belief.conflicts import decide
from palazzo.model.belief import Incumbent, Newcomer
from palazzo.model.kinds import ConflictMode

MODES: tuple[ConflictMode, ...] = get_args(ConflictMode)
ACTS = {
    "temporal": "replace", "use_new": "replace", "keep_existing": "keep_existing", "keep_both": "keep_both",
    "merge": "merge", "ask": "ask",
}  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_a_mode_does_the_same_whether_it_is_asked_for_or_that_of_the_kind(mode: ConflictMode) -> None:
    for settled in (decide(Incumbent(usual=mode), Newcomer(), None), decide(Incumbent(usual="ask"), Newcomer(), mode)):
        assert (settled.act, settled.mode) == (ACTS[mode], mode)


@pytest.mark.parametrize("mode", MODES)
def test_nothing_a_wider_scope_holds_is_changed(mode: ConflictMode) -> None:
    assert decide(Incumbent(usual=mode, wider=True), Newcomer(), None).act == "ask"
    assert decide(Incumbent(usual="ask", wider=True), Newcomer(), mode).act not in ("replace", "merge")


@pytest.mark.parametrize("mode", MODES)
def test_what_is_only_hinted_at_changes_nothing(mode: ConflictMode) -> None:
    assert decide(Incumbent(usual=mode), Newcomer(sure=False), None).act == "ask"


def test_where_one_value_holds_or_a_change_is_announced_the_newer_statement_follows_the_older() -> None:
    assert decide(Incumbent(usual="keep_both"), Newcomer(one_value=True), None).act == "replace"
    assert decide(Incumbent(usual="ask"), Newcomer(announced=True), None).act == "replace"
    assert decide(Incumbent(usual="ask"), Newcomer(one_value=True), None).act == "ask"
    assert decide(Incumbent(usual="ask"), Newcomer(announced=True), "ask").act == "ask"


def test_what_was_said_earlier_is_history_only_where_time_decides() -> None:
    old, earlier = Incumbent(usual="temporal", stated_us=2), Newcomer(said_us=1)
    assert decide(old, earlier, None).act == "keep_as_past"
    assert decide(old, earlier, "use_new").act == "replace"


def test_what_does_not_fit_into_one_memory_is_not_merged() -> None:
    assert decide(Incumbent(usual="merge"), Newcomer(fits=False), None).act == "ask"


def test_nobody_but_the_beliefs_tells_the_modes_apart() -> None:
    modes = {*MODES} - {"ask"}
    strays = [
        f"{path.name}: {node.value}"
        for path in (Path(palazzo.__file__).parent / "intake").glob("*.py")
        for compared in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(compared, ast.Compare) and "mode" in ast.unparse(compared.left)
        for node in ast.walk(compared)
        if isinstance(node, ast.Constant) and node.value in modes
    ]
    assert strays == []
