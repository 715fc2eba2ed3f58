"""In a palace where much was told, a question about what nobody ever spoke of has no answer."""

from __future__ import annotations

import pytest

from palazzo import Memory
from palazzo.testing.clock import FixedClock

SERVICES = ("billing", "catalogue", "search", "login", "mail", "export")
TOLD = (
    "The {} service is written in Go and deployed with Docker.",
    "The {} service uses PostgreSQL, and its tables are migrated on deploy.",
    "Requests to the {} service time out after ten seconds.",
    "The {} service caches its answers in Redis for an hour.",
    "The tests of the {} service run with pytest before each merge.",
    "The {} service logs JSON with a request id on every line.",
    "Marta reviews changes to the {} service.",
    "The {} service answers with 429 when somebody asks too often.",
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    made = Memory(tmp_path_factory.mktemp("project") / "palace", clock=FixedClock(), upkeep=False)
    made.remember_many([text.format(name) for text in TOLD for name in SERVICES])
    return made


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("Which database does the billing service use?", True),
        ("Who reviews changes to the mail service?", True),
        ("Does the search service cache its answers in Redis or memcached?", True),
        ("Which feature toggles or canary releases does the user's billing service use?", False),
        ("Which satellite uplink vendor does the login service pay?", False),
    ],
)
def test_what_nobody_ever_spoke_of_is_not_known(memory: Memory, asked: str, known: bool) -> None:
    assert memory.recall(asked).known is known


def test_a_small_palace_proves_nothing_by_what_it_lacks(tmp_path_factory: pytest.TempPathFactory) -> None:
    small = Memory(tmp_path_factory.mktemp("small") / "palace", clock=FixedClock(), upkeep=False)
    small.remember("I teach chemistry at a grammar school.")
    assert small.recall("What is my profession?").known
