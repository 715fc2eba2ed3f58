"""What people ask to be forgotten while they talk is forgotten, with the turns that said it, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", durable=False, upkeep=False) as made:
        yield made


def told(memory: Memory, *lines: str) -> str:
    """Everything that lives after these lines were said one after the other."""
    for line in lines:
        memory.observe([{"content": line, "role": "user"}])
    return "\n".join(held.text for held in memory.list(limit=100))


@pytest.mark.parametrize(
    ("said", "asked", "gone"),
    [
        ("My locker number is 77.", "Forget that.", "77"),
        ("I earn 61,000 a year.", "Please forget what I just said.", "61,000"),
        ("You can reach me at +32 470 12 34 56.", "Could you delete my phone number?", "470"),
        ("I'm seeing a divorce lawyer on Monday.", "Please erase what I told you about the divorce.", "lawyer"),
        ("Zelda is moving to Oslo.", "She'd be cross, so please erase what I told you about her moving.", "Oslo"),
        ("Grandpa's phone number is 0211 5556.", "please remove grandpa's phone number", "5556"),
        ("My salary is 4200 euros.", "I don't want you to keep my salary on record.", "4200"),
        ("Meine Telefonnummer ist 0171 2345678.", "Lösch bitte meine Telefonnummer.", "2345678"),
        ("Ich habe mich von Jens getrennt.", "Vergiss das bitte.", "Jens"),
        ("Mon divorce sera prononcé en mai.", "Oublie ce que j'ai dit sur mon divorce.", "divorce"),
        ("Je gagne 3000 euros par mois.", "N'enregistre pas ça.", "3000"),
        ("Mi divorcio sale en mayo.", "Olvida lo que te dije sobre mi divorcio.", "mayo"),
        ("Cobro 2400 euros al mes.", "Borra eso, por favor.", "2400"),
        ("I got kicked out of the choir.", "The choir business, pretend I never brought it up.", "kicked out"),
        ("My blood pressure is terrible.", "I'd rather my blood pressure wasn't on file.", "terrible"),
        ("Il mio dentista è Bassani.", "Dimentica il nome del dentista, per favore.", "Bassani"),
    ],
)
def test_what_is_asked_for_is_forgotten_and_what_stands_beside_it_stays(
    memory: Memory, said: str, asked: str, gone: str
) -> None:
    left = told(memory, "My cat is called Biscuit.", said, asked)
    assert gone not in left
    assert "Biscuit" in left
    assert asked not in left


@pytest.mark.parametrize(
    "said",
    [
        "Don't forget that my exam is on 12 June.", "I always forget where I parked the car on level 3.",
        "Vergiss nicht, dass ich am Montag frei habe.", "N'oublie pas que je suis végétarienne.",
        "No olvides que soy celíaca.", "Delete the feature branch once it is merged.", "Let's forget the blue tin.",
    ],
)  # fmt: skip
def test_what_only_sounds_like_a_request_forgets_nothing(memory: Memory, said: str) -> None:
    left = told(memory, "My cat is called Biscuit.", "I keep the branch office keys in the blue tin.", said)
    assert "Biscuit" in left
    assert "blue tin" in left


def test_somebody_elses_is_not_mine(memory: Memory) -> None:
    left = told(memory, "My address is 4 Quay Lane.", "My aunt's address is 9 Mill Road.", "Please delete my address.")
    assert "4 Quay Lane" not in left
    assert "9 Mill Road" in left


def test_of_two_things_of_one_sort_the_one_that_is_named_goes(memory: Memory) -> None:
    lines = ("My niece's favourite book is Heidi.", "My favourite book is Emma.")
    left = told(memory, *lines, "Forget what my niece's favourite book is, she outgrew it.")
    assert "Heidi" not in left
    assert "Emma" in left


def test_a_plan_that_is_called_off_goes_and_the_new_one_is_kept(memory: Memory) -> None:
    left = told(memory, "I'm planning a week in Bergen in June.", "Forget Bergen, I'm planning a week in Turku.")
    assert "Turku" in left
    assert "Bergen" not in left


def test_a_turn_with_two_facts_loses_the_one(memory: Memory) -> None:
    left = told(memory, "I weigh 88 kilos and my shoe size is 44.", "Forget my weight.")
    assert "88" not in left
    assert "44" in left


@pytest.mark.parametrize(
    "said",
    ["I have a crush on Milo. Please don't save this.", "Don't remember this, but I have a crush on Milo.",
     "Off the record: I have a crush on Milo.", "Ich bin in Milo verliebt. Bitte speichere das nicht."],
)  # fmt: skip
def test_what_is_told_in_confidence_is_in_no_file(memory: Memory, tmp_path: Path, said: str) -> None:
    assert "Milo" not in told(memory, "My cat is called Biscuit.", said)
    memory.close()
    assert not [f for f in tmp_path.rglob("*") if f.is_file() and b"Milo" in f.read_bytes()]


def test_turns_of_one_call_count_as_said_before(memory: Memory) -> None:
    memory.observe([
        {"content": "My cat is called Biscuit.", "role": "user"},
        {"content": "My dentist is Dr. Okafor.", "role": "user"},
        {"content": "Noted, Dr. Okafor.", "role": "assistant"},
        {"content": "Scratch that.", "role": "user"},
    ])  # fmt: skip
    left = [held.text for held in memory.list(limit=100) if "assistant" not in held.address]
    assert "My dentist is Dr. Okafor." not in left
    assert any("Biscuit" in text for text in left)


def test_the_reply_says_what_was_forgotten(memory: Memory) -> None:
    told(memory, "My locker number is 77.")
    kept = memory.observe([{"content": "Forget my locker number.", "role": "user"}])
    assert "forgotten" in [fate.outcome for account in kept.accounts for fate in account.fates]
    kept = memory.observe([{"content": "Forget my shoe size.", "role": "user"}])
    assert [f.reason for a in kept.accounts for f in a.fates] == ["nothing of that is kept"]


def test_forgetting_everything_is_offered_and_not_done(memory: Memory) -> None:
    left = told(memory, "My cat is called Biscuit.")
    kept = memory.observe([{"content": "Forget everything you know about me.", "role": "user"}])
    assert "Biscuit" in left
    assert [f.reason.split(":")[0] for a in kept.accounts for f in a.fates] == ["offered"]
    assert any("Biscuit" in held.text for held in memory.list(limit=100))


def test_one_user_forgets_nothing_of_another(memory: Memory) -> None:
    memory.observe([{"content": "My locker number is 77.", "role": "user"}], user_id="ann")
    memory.observe([{"content": "My locker number is 12.", "role": "user"}], user_id="ben")
    memory.observe([{"content": "Forget my locker number.", "role": "user"}], user_id="ben")
    assert any("77" in held.text for held in memory.list(limit=10, user_id="ann"))
    assert not any("12" in held.text for held in memory.list(limit=10, user_id="ben"))


@pytest.mark.parametrize("asked", ["Forget about the allotment, we haven't got the time.", "forget the allotment"])
def test_of_several_plans_one_that_is_to_be_forgotten_is_given_up_and_the_others_stand(
    memory: Memory, asked: str
) -> None:
    left = told(memory, "This year I want to rebuild the shed, rent an allotment and learn Welsh.", asked)
    assert "I want to rebuild the shed and learn Welsh" in left


def test_a_single_plan_that_is_to_be_forgotten_is_forgotten(memory: Memory) -> None:
    assert "Tromsø" not in told(memory, "I'm planning a trip to Tromsø in March.", "Forget about the trip to Tromsø.")
