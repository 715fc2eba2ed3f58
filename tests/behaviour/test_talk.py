"""What is asked of the memory in talk, and what must never be kept: secrets, what is taken back, orders, health."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from palazzo import Memory
from palazzo.errors import Refused

CASES = [
    (area, case)
    for area, cases in tomllib.loads(Path(__file__).with_name("talk.toml").read_text("utf-8")).items()
    for case in cases
]
NOW_OVER = re.compile(r"held until|no longer|replaced|may have changed|ended")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", durable=False, upkeep=False) as made:
        yield made


def tell(memory: Memory, line: str) -> None:
    """Says a line; one that is wholly refused leaves nothing."""
    way, given, rest = line.partition(": ")
    with suppress(Refused):
        if given and way == "remember":
            memory.remember(rest)
        elif given and way == "assistant":
            memory.observe([{"content": rest, "role": "assistant"}])
        else:
            memory.observe([{"content": line, "role": "user"}])


def faults(memory: Memory, folder: Path, case: dict[str, Any]) -> Iterator[str]:
    """What is not as a case says that it is."""
    for line in case["say"]:
        tell(memory, line)
    held = [one for one in memory.list(limit=100) if not one.deprecated]
    texts = [one.text for one in held]
    facts = [one.text for one in held if "assistant" not in one.address]
    yield from (f"not kept: {text}" for text in case.get("kept", ()) if not any(text in one for one in texts))
    gone = [*case.get("gone", ()), *case.get("nowhere", ())]
    yield from (f"kept: {text}" for text in gone if any(text in one for one in facts))
    for question, wanted, banned in case.get("ask", ()):
        hits = memory.recall(question)
        if wanted and not any(re.search(wanted, hit.text) for hit in hits[:3]):
            yield f"{question} -> {[hit.text for hit in hits[:3]]}"
        shown = [hit.text for hit in hits[:5] if not hit.memory.deprecated and not NOW_OVER.search(hit.caveat)]
        if banned and any(re.search(banned, text) for text in shown):
            yield f"{question} -> {shown}"
    for question in case.get("silent", ()):
        recalled = memory.recall(question)
        if recalled and recalled.known:
            yield f"{question} -> {[hit.text for hit in recalled[:2]]}"
    if "context" in case:
        message, wanted, banned = case["context"]
        block = memory.context(message).text.replace(message, "")
        if wanted and not re.search(wanted, block):
            yield f"context without {wanted}: {block}"
        if banned and re.search(banned, block):
            yield f"context with {banned}: {block}"
    memory.close()
    files = [file.read_bytes() for file in folder.rglob("*") if file.is_file()]
    yield from (f"in a file: {text}" for text in case.get("nowhere", ()) if any(text.encode() in one for one in files))


@pytest.mark.parametrize(("area", "case"), CASES, ids=[f"{area}-{case['id']}" for area, case in CASES])
def test_what_is_said_leaves_what_its_speaker_expects(
    memory: Memory, tmp_path: Path, area: str, case: dict[str, Any]
) -> None:
    assert list(faults(memory, tmp_path, case)) == []
