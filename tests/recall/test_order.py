"""Of what answers a question the likelier answer comes first."""

from __future__ import annotations

from pathlib import Path

from palazzo import Memory
from palazzo.testing.clock import FixedClock


def test_what_answers_comes_before_what_only_has_its_words(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace", clock=FixedClock(), upkeep=False) as memory:
        for text in ("I'm Oyelaran, I mend clocks in Tromso.", "The rowing club's new boat is called Halcyon."):
            memory.observe([{"role": "user", "content": text}])
        hits = list(memory.recall("What's my name?"))
    assert "Oyelaran" in hits[0].text
