"""Kept first, understood after: found at once, the same in the end, and nothing of it half done or done twice."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
from collections import Counter
from pathlib import Path

import pytest
from tests.intake.conftest import Palace

from palazzo import Memory
from palazzo.archive import Archive
from palazzo.engine import Engine
from palazzo.errors import VersionConflict
from palazzo.intake.values import IntakeResult
from palazzo.model.capability import View
from palazzo.model.change import CloseIntake, SetState
from palazzo.model.message import Message, Role
from palazzo.model.scope import Scope
from palazzo.testing.clock import FixedClock
from palazzo.testing.models import HashEmbedder
from palazzo.testing.palace import file_bytes, make_store

START_US = FixedClock.START_US
MINUTE_US = 60_000_000
SAID = (
    "I moved to Tromso in May.", "Wow, how is it up there?", "My sister Ingrid runs a bakery on the quay.",
    "She opens at six.", "I am allergic to hazelnuts.", "The ferry leaves at nine, no wait, at ten.",
    "Our rent is 900 euros a month.", "We are meeting the landlord next Friday.", "Lovely!", "Always answer in French.",
    "Ingrid sold the bakery last week.", "The rent is 950 euros now.", "I work as a welder at Nordverft.",
    "The harbour freezes in January.", "The dog is called Balder.", "He limps since Tuesday.", "See you!",
    "I play the nyckelharpa every other Sunday.", "We paid 40 kroner for parking.", "My passport expires in 2031.",
)  # fmt: skip
QUESTIONS = ("Which airline are you flying with?", "Do you have a garden?", "What do you do for a living?")
ANSWERS = ("Lufthansa", "No, just a balcony.", "I teach chemistry.")


def talk(count: int = 200) -> list[Message]:
    """Talk of two people with names, in several threads."""
    made = []
    for number in range(count):
        who, other = (("Astrid", "Bo"), ("Bo", "Astrid"))[number % 2]
        text = SAID[number % len(SAID)]
        if number >= len(SAID):
            text = f"{text} Number {number} of the list is lamp {number * 7}."
        made.append(Message(
            text=text, speaker=who, addressee=other, thread=f"thread-{number // 50}", session=str(number // 25),
            at_us=START_US + number * MINUTE_US, scope=Scope.of(channel=f"c{number // 100}"),
        ))  # fmt: skip
    return made


def chat(count: int = 120) -> list[Message]:
    """A user and an assistant: questions with short answers between other things."""
    made = []
    for number in range(count):
        role: Role = "assistant" if number % 2 == 0 else "user"
        question, answer = QUESTIONS[number // 2 % 3], ANSWERS[number // 2 % 3]
        text = question if role == "assistant" else answer if number % 4 == 1 else SAID[number // 4 % len(SAID)]
        made.append(Message(text=text, role=role, thread="chat", at_us=START_US + number * MINUTE_US))
    return made


def notes(count: int = 120) -> list[Message]:
    return [
        Message(text=f"{SAID[number % len(SAID)]} It is written on page {number}.", verbatim=True, source="message")
        for number in range(count)
    ]


def understood(engine: Engine) -> int:
    done = 0
    while made := engine.intake.understand():
        done += made
    return done


def batches(engine: Engine, messages: list[Message], *, later: bool) -> list[IntakeResult]:
    call = engine.remember_many if messages[0].verbatim else engine.observe
    return [call(messages[at : at + 40], later=later) for at in range(0, len(messages), 40)]


def held(palace: Palace) -> dict[str, Counter[tuple[object, ...]]]:
    """Everything the memories of a palace are, whatever their ids."""
    asked = {
        "memories": """SELECT m.kind, p.path, m.scope, m.state, m.tier, m.deprecated_us IS NULL, m.pinned, m.durability,
            r.number, r.text, r.summary, r.key_fact, r.label, r.detail, r.importance, r.confidence, r.valence,
            r.intensity, r.author, r.valid_from_us, r.valid_to_us FROM memory m JOIN place p ON p.id = m.place
            JOIN revision r ON r.memory = m.id""",
        "slots": "SELECT subject, predicate, value, functional, negated FROM atom",
        "edges": "SELECT e.kind, e.weight FROM edge e",
        "names": """SELECT e.name, r.text FROM mention x JOIN entity e ON e.id = x.entity
            JOIN revision r ON r.id = x.revision""",
        "words": "SELECT scope, length FROM text_doc",
        "vectors": "SELECT scope, data FROM vector",
        "accounts": "SELECT at_us, length(fates) FROM intake",
    }  # fmt: skip
    with palace.store.database.read() as connection:
        return {name: Counter(connection.execute(statement).fetchall()) for name, statement in asked.items()}


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Palace, Palace]:
    """Two palaces at the same moment."""
    made = []
    for name in ("now", "later"):
        clock = FixedClock()
        made.append(Palace(make_store(tmp_path / name, clock=clock), clock, HashEmbedder()))
    return made[0], made[1]


@pytest.mark.parametrize("told", [talk, chat, notes], ids=["talk", "chat", "notes"])
def test_what_was_kept_first_is_in_the_end_what_it_is_at_once(pair: tuple[Palace, Palace], told: object) -> None:
    messages = told()  # type: ignore[operator]
    now, later = pair
    batches(now.engine, messages, later=False)
    pending = sum(result.pending for result in batches(later.engine, messages, later=True))
    assert pending > len(messages) // 2
    assert later.store.accounts.backlog() == pending
    assert understood(later.engine) == pending
    assert later.store.accounts.backlog() == 0
    assert not later.store.care.verify()
    assert held(later) == held(now)


def test_a_text_that_waits_is_found_at_once(palace: Palace) -> None:
    result = palace.engine.observe(talk(20), later=True)
    assert result.pending == 20
    assert len(result.memory_ids) == 20
    with palace.store.reading(View(scope=Scope.of(channel="c0"))) as reading:
        assert reading.memories.get(result.memory_ids[2]).text == SAID[2]
    found = palace.engine.recall("Who runs a bakery?", View(scope=Scope.of(channel="c0")))
    assert any(SAID[2] in hit.text for hit in found.hits)


def test_a_small_call_is_understood_at_once(palace: Palace) -> None:
    result = palace.engine.observe(talk(8), later=True)
    assert result.pending == 0
    assert palace.store.accounts.backlog() == 0


def test_no_secret_of_a_batch_that_waits_reaches_the_disk(tmp_path: Path) -> None:
    clock = FixedClock()
    archive = Archive(tmp_path / "palace" / "archive", durable=False)
    palace = Palace(make_store(tmp_path / "palace", clock=clock), clock, HashEmbedder(), archive=archive)
    secrets = ("hunter2-Qx9!", "4111 1111 1111 1111", "sk-proj-Zz81kQmX7Wc0aLpT3vBn")
    told = [
        f"My password is {secrets[0]} and I like plums.", f"The card is {secrets[1]}.", f"The key is {secrets[2]}.",
        *(one.text for one in talk(20)),
    ]  # fmt: skip
    result = palace.engine.observe([Message(text=text, thread="t") for text in told], later=True)
    assert result.pending
    understood(palace.engine)
    palace.store.close()
    written = b"".join(file_bytes(tmp_path / "palace").values())
    assert not [secret for secret in secrets if secret.encode() in written]


def test_an_answer_that_is_a_secret_is_not_kept_by_a_batch_either(palace: Palace, tmp_path: Path) -> None:
    said = [
        Message(text="What is the password of your router?", role="assistant", thread="t"),
        Message(text="Zwergwal77", thread="t"),
    ]
    palace.engine.observe([*said, *(Message(text=one.text, thread="t") for one in talk(20))], later=True)
    palace.store.close()
    assert b"Zwergwal77" not in b"".join(file_bytes(tmp_path).values())


def test_a_request_to_forget_is_heard_at_once(palace: Palace) -> None:
    said = [Message(text=one.text, thread="t") for one in talk(20)]
    told = [*said, Message(text="My blood type is rare. Off the record: do not save this.", thread="t")]
    result = palace.engine.observe(told, later=True)
    assert result.pending == 0
    assert not [text for text in palace.texts(turns=True) if "blood" in text]


def test_a_turn_that_a_later_one_of_its_batch_puts_right_is_kept_and_believed_no_longer(palace: Palace) -> None:
    wrong = Message(text="I work as a welder at Nordverft.", thread="t")
    right = Message(text="Sorry, I meant at Sydverft.", thread="t")
    others = [Message(text=text, thread="t") for text in SAID[:9]]
    told = palace.engine.observe([*others, wrong, right], later=True)
    understood(palace.engine)
    assert [memory.text for memory in palace.memories() if "welder" in memory.text] == [
        "I work as a welder at Sydverft."
    ]
    with palace.store.reading(View(include_deprecated=True)) as reading:
        assert reading.memories.get(told.memory_ids[9]).deprecated


def test_what_was_forgotten_while_it_waited_stays_forgotten(palace: Palace) -> None:
    result = palace.engine.observe([Message(text=one.text, thread="t") for one in talk(20)], later=True)
    gone = result.memory_ids[4]
    palace.store.commit([SetState(gone, "deleted")])
    understood(palace.engine)
    assert not [memory.text for memory in palace.memories() if "hazelnuts" in memory.text]
    assert palace.store.accounts.backlog() == 0


def test_what_was_revised_while_it_waited_is_left_as_it_is(palace: Palace) -> None:
    result = palace.engine.remember_many(notes(12), later=True)
    (first, *_) = result.memory_ids
    with palace.store.reading(View()) as reading:
        memory = reading.memories.get(first)
    palace.remember(Message(
        text="Something else altogether.", name=memory.name, place=memory.place.path, kind="document", verbatim=True,
    ))  # fmt: skip
    assert understood(palace.engine) == 12
    with palace.store.reading(View()) as reading:
        assert reading.memories.get(first).text == "Something else altogether."


def test_a_message_is_understood_once(palace: Palace) -> None:
    result = palace.engine.observe(talk(20), later=True)
    understood(palace.engine)
    before = held(palace)
    assert understood(palace.engine) == 0
    with pytest.raises(VersionConflict):
        palace.store.commit([CloseIntake(intake_id=result.intakes[0].id)])
    assert held(palace) == before


def test_a_retry_of_a_batch_that_waits_writes_nothing(palace: Palace) -> None:
    first = palace.engine.observe(talk(20), later=True)
    again = palace.engine.observe(talk(20), later=True)
    assert again.repeated == tuple(range(20))
    assert again.memory_ids == first.memory_ids
    assert palace.store.accounts.backlog() == 20


def test_nothing_waits_of_a_user_who_was_forgotten(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace", upkeep=False) as memory:
        said = [{"content": one.text, "speaker": "Astrid", "addressee": "Bo"} for one in talk(20)]
        memory.observe(said, thread="t", user_id="astrid", understand="later")
        assert memory.health().pending == 20
        memory.forget_user("astrid", yes=True)
        assert memory.health().pending == 0


def test_health_and_doctor_tell_of_what_waits_and_recheck_does_it(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace", upkeep=False) as memory:
        told = memory.observe([one.text for one in talk(20)], thread="t", understand="later")
        assert told.pending == memory.health().pending == 20
        assert [one.level for one in memory.doctor().findings if one.check == "intake"] == ["warning"]
        assert memory.recheck().understood == 20
        assert memory.health().pending == 0
        assert [one.level for one in memory.doctor().findings if one.check == "intake"] == ["good"]


KILLED = """
    import os, signal, sys
    from pathlib import Path
    from palazzo import Memory
    from palazzo.testing.clock import FixedClock

    class Clock(FixedClock):
        left = 0

        def now_us(self):
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return super().now_us()

    clock = Clock()
    memory = Memory(Path(sys.argv[1]), clock=clock, upkeep=False)
    for at in range(3, len(sys.argv), 10):
        memory.observe(sys.argv[at:at + 10], thread="t", understand="later")
    clock.left = int(sys.argv[2])
    while memory.engine.intake.understand(4):
        pass
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no signal that cannot be caught")
@pytest.mark.parametrize("moment", [1, 2, 3, 5, 8, 11])
def test_a_pass_that_was_killed_leaves_nothing_half_done(tmp_path: Path, moment: int) -> None:
    said = [one.text for one in talk(40)]
    texts = {}
    for name, left in (("whole", 0), ("killed", moment)):
        command = [sys.executable, "-c", textwrap.dedent(KILLED), str(tmp_path / name), str(left), *said]
        done = subprocess.run(command, check=False, timeout=120)
        assert done.returncode == (-signal.SIGKILL if left else 0)
        with Memory(tmp_path / name, clock=FixedClock(), upkeep=False) as memory:
            while memory.engine.intake.understand(4):  # few at a time are read by the reader of changes, many are not
                pass
            assert memory.verify().clean
            with memory.engine.store.reading(View(include_deprecated=True)) as reading:
                rows = reading.connection.execute(
                    "SELECT m.kind, r.text FROM memory m JOIN revision r ON r.memory = m.id"
                )
                texts[name] = Counter(rows.fetchall())
    assert texts["killed"] == texts["whole"]
