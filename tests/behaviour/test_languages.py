"""What people say in their own language: kept, dated, found again when they ask, and silence where nothing is known."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from palazzo import Memory
from palazzo.testing.clock import FixedClock

TOLD = tomllib.loads(Path(__file__).with_name("languages.toml").read_text("utf-8"))
ENDED = re.compile(r"held until|no longer|replaced|may have changed|deprecated|\bended\b|\bwas .{1,80} until\b")


def wrong(folder: Path, case: dict[str, Any]) -> Iterator[str]:
    now = datetime.fromisoformat(case["now"])
    with Memory(folder, clock=FixedClock(now), zone=now.isoformat()[-6:], durable=False, upkeep=False) as palace:
        for said in case["say"]:
            dated = re.match(r"at (\d{4}-\d\d-\d\d): ", said)
            turn: dict[str, Any] = {"content": said[dated.end() :] if dated else said, "role": "user"}
            if dated:
                turn["at"] = datetime.fromisoformat(f"{dated[1]}T09:00:00").replace(tzinfo=now.tzinfo)
            palace.observe([turn])
        for question, want, *ban in case["ask"]:
            recalled = palace.recall(question)
            texts = [hit.text for hit in recalled]
            if want and not any(re.search(want, text) for text in texts[:3]):
                yield f"{question} -> {want!r}, not {texts[:3]}"
            if not want and recalled.known and texts:
                yield f"{question} -> nothing, not {texts[:2]}"
            shown = [hit for hit in recalled[:5] if not ENDED.search(hit.caveat) and not hit.memory.deprecated]
            for one in ban:
                yield from (f"{question} -> not {hit.text!r}" for hit in shown if re.search(one, hit.text))
        held = [one for one in palace.list(limit=200) if one.kind != "exchange"]
        for kept in case.get("kept", ()):
            if not any(kept in one.text for one in held):
                yield f"{kept!r} is not kept"
        for unkept in case.get("unkept", ()):
            yield from (f"{unkept!r} stands in {one.text!r} ({one.kind})" for one in held if unkept in one.text)
        for about, day in case.get("when", ()):
            days = [
                {end.astimezone(now.tzinfo).date().isoformat() for end in (one.valid_from, one.valid_to) if end}
                for one in held
                if about in one.text
            ]
            if not any(day in of for of in days):
                yield f"{about!r} on {day}, not {days}"


@pytest.mark.parametrize("name", TOLD)
def test_what_is_said_in_a_language_comes_back_in_it(name: str, tmp_path: Path) -> None:
    assert list(wrong(tmp_path / "palace", TOLD[name])) == []
