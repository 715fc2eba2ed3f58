"""What the reader learned from: well-formed, without repeats across parts, and not to be told apart by single words."""

from __future__ import annotations

import json
import re
from collections import Counter
from math import log
from pathlib import Path
from typing import Any

import pytest

CHANGE = Path(__file__).parents[3] / "training" / "change"
AT_LEAST = 6_000
FOLDS = 5
BY_WORDS_AT_MOST = 0.65


def items(folder: str = "data", *, held_out: bool | None = None) -> list[dict[str, Any]]:
    """The items of a folder: `data`, whose words are balanced over what replaces and what holds, or `plain`."""
    paths = [path for path in sorted((CHANGE / folder).glob("*.jsonl")) if held_out in (None, path.stem == "heldout")]
    return [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]


def test_every_item_has_its_statements_and_a_question() -> None:
    assert len(items()) >= AT_LEAST
    for one in (*items(), *items("plain")):
        assert one["replaces"], one["old"]
        assert len(one["holds"]) >= 2, one["old"]
        assert one["same"], one["old"]
        assert one["question"], one["old"]
        assert all(text.strip() for text in (one["old"], *one["replaces"], *one["holds"], *one["same"]))


@pytest.mark.parametrize(("folder", "share"), [("data", 0.1), ("plain", 0.04)])
def test_a_part_is_held_out_by_author_and_topic(folder: str, share: float) -> None:
    held = items(folder, held_out=True)
    assert len(held) >= len(items(folder)) * share
    learned = {(one["author"], one["language"], one["topic"]) for one in items(folder, held_out=False)}
    assert not learned & {(one["author"], one["language"], one["topic"]) for one in held}


def test_single_words_do_not_tell_what_replaces_from_what_holds() -> None:
    """Naive Bayes over the words of the newer statement, folds by item."""
    examples = [
        (frozenset(re.findall(r"\w+(?:'\w+)?", text.lower())), label, at)
        for at, one in enumerate(items())
        for label, texts in ((1, one["replaces"]), (0, one["holds"][:2]))
        for text in texts
    ]
    right = 0
    for fold in range(FOLDS):
        counts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        for words, label, at in examples:
            if at % FOLDS != fold:
                counts[label].update(words)
        for words, label, at in examples:
            if at % FOLDS == fold:
                says = sum(log(counts[1][word] + 1) - log(counts[0][word] + 1) for word in words)
                right += (says > 0) == bool(label)
    assert right / len(examples) < BY_WORDS_AT_MOST
