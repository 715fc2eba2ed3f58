from __future__ import annotations

import re
import weakref
from pathlib import Path

import mnemon
from mnemon.text.words.remembered import forget_texts, remembered

HOLD_NO_TEXT = {
    "guard/spine.py": 1, "intake/admit.py": 1, "recall/explain.py": 1, "store/memories.py": 3, "store/reading.py": 1,
    "store/rows.py": 3, "store/trusts.py": 1, "store/vector_probe.py": 1, "text/words/remembered.py": 1,
}  # fmt: skip
"""Caches of addresses, dates, figures, decisions, conditions and vectors."""


class Text(str):
    """A string that can be watched."""

    __slots__ = ("__weakref__",)


def test_what_was_remembered_of_texts_is_let_go() -> None:
    length = remembered(4)(len)
    text = Text("the ferry leaves at nine")
    seen = weakref.ref(text)
    assert length(text) == length(text) == 24
    del text
    assert seen() is not None
    forget_texts()
    assert seen() is None


def test_every_other_cache_holds_no_texts() -> None:
    root = Path(mnemon.__file__).parent
    found = {
        str(path.relative_to(root)): number
        for path in root.rglob("*.py")
        if (number := len(re.findall(r"\blru_cache\(|@lru_cache\b(?!\()", path.read_text())))
    }
    assert found == HOLD_NO_TEXT, "a cache of texts is made with `remembered`; name one that holds none here"
