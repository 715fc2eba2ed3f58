"""Questions that are answered in other words than were told, and questions that nothing answers although much is near.

Of the right person another attribute is asked for, of the right attribute another person, of the right topic something
nobody said, or another time. No single one is promised: recall is judged by how many come out right.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from palazzo import Memory

PALACES: tuple[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]], ...] = (
    # what is told, what it answers, what it does not
    (
        (
            "My cousin Leopold repairs accordions in Graz.",
            "I take the number 9 tram to the office.",
            "We painted the hallway a dusty green last month.",
            "Leopold's daughter Mira starts school in September.",
            "I'm allergic to hazelnuts.",
            "Our landlord is called Mr Sandoval.",
        ),
        ("Which tram gets me to work?", "What does Leopold do for a living?", "Who owns the flat we rent?"),
        ("How old is Leopold?", "What colour is our kitchen?", "Which school does Mira go to?"),
    ),
    (
        (
            "I bought a second-hand cello from a widow in Leeds.",
            "My lessons are on Tuesday evenings with Mrs Okafor.",
            "I practise in the garage so the neighbours can sleep.",
            "The bow needs rehairing before the concert.",
            "Tom plays the viola in our quartet.",
        ),
        ("When do I have my music lesson?", "Who teaches me the cello?", "Where do I rehearse at home?"),
        ("How much did the cello cost?", "When is the concert?", "Who plays the violin in our quartet?"),
    ),
    (
        (
            "Priya and I are hiking the Dolomites in July.",
            "Priya can't eat gluten.",
            "We booked the huts through the Alpine club.",
            "I have a bad left knee.",
            "My boots are size 43.",
        ),
        ("What shoe size am I?", "Where are we going this summer?", "Is there anything Priya must not eat?"),
        ("What is Priya's shoe size?", "How are we getting to the mountains?", "Where did we go hiking last year?"),
    ),
    (
        (
            "The staging database is on port 5433.",
            "Deploys need an approval from Renske.",
            "We write the ingest service in Rust.",
            "The nightly backup runs at 02:30.",
            "Kofi is on call this week.",
        ),
        ("Who has to sign off a release?", "What language is the ingest service in?", "At what time do backups run?"),
        ("Who is on call next week?", "What port does the production database use?", "How long are backups kept?"),
    ),
    (
        (
            "My grandmother Ottilie turned 91 in March.",
            "She lives in a care home near the canal.",
            "My dad visits her every Sunday.",
            "Ottilie used to be a seamstress.",
            "I call her on Wednesdays.",
        ),
        ("What was my grandmother's profession?", "How often does my father see her?", "Which day do I phone Ottilie?"),
        ("What is the name of my grandfather?", "What is the care home called?", "When does my mother visit her?"),
    ),
    (
        (
            "I drive a grey Skoda.",
            "The car's inspection is due in May.",
            "My brother Anselm borrowed the roof box.",
            "I park on the street because the garage is full of bicycles.",
            "Insurance for the car costs 640 euros a year.",
        ),
        ("What car do I have?", "Who has got my roof box?", "What do I pay to insure the car?"),
        ("What car does Anselm drive?", "How many kilometres has the car done?", "Which garage services the car?"),
    ),
    (
        (
            "Our dog Pepper is a whippet.",
            "Pepper eats twice a day, at seven and at six.",
            "The vet said she is two kilos overweight.",
            "My partner Dolores walks her in the mornings.",
            "We got Pepper from a shelter in Murcia.",
        ),
        ("What breed is our dog?", "Where did we adopt Pepper?", "Who takes the dog out in the morning?"),
        ("How old is Pepper?", "What brand of food does Pepper eat?", "Who walks Pepper in the evening?"),
    ),
    (
        (
            "I'm writing a thesis on medieval bridges.",
            "My supervisor is Professor Halloran.",
            "The first draft is due on 14 February.",
            "I do most of my reading in the county library.",
            "My scholarship pays 1,150 a month.",
            "Ines proofreads my chapters.",
        ),
        ("What's my dissertation about?", "How much do I get from my grant?", "Who checks my chapters for mistakes?"),
        ("When is the final defence?", "Who is Ines's supervisor?", "Which university am I at?"),
    ),
    (
        (
            "Yesterday I had soup for lunch.",
            "My dentist is Dr Abebe on Mill Lane.",
            "I had a crown fitted in 2021.",
            "I take magnesium before bed.",
            "My blood group is 0 negative.",
            "Sunil gave me his old bicycle.",
        ),
        ("Where is my dentist's practice?", "Which supplement do I take at night?", "What blood type am I?"),
        ("What did I have for dinner yesterday?", "Who is my optician?", "What blood type is Sunil?"),
    ),
    (
        (
            "The office in Porto has twelve people.",
            "Beatriz runs marketing.",
            "We sell refurbished espresso machines.",
            "Our biggest customer is a hotel chain.",
            "The warehouse lease ends next spring.",
            "Revenue last year was 3.2 million.",
        ),
        ("Who is in charge of marketing?", "What does our company sell?", "How many people work in Porto?"),
        ("Who runs sales?", "What was our profit last year?", "How many people work in Lisbon?"),
    ),
)


@pytest.fixture(scope="module")
def met(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[bool], list[bool]]:
    """Of each question whether it was met with silence: those that can be answered, and those that cannot."""
    silenced: list[bool] = []
    silent: list[bool] = []
    for told, answered, unanswered in PALACES:
        folder: Path = tmp_path_factory.mktemp("palace")
        with Memory(folder / "palace", durable=False) as memory:
            memory.observe([{"content": text} for text in told])
            silenced += [not memory.recall(question).known for question in answered]
            silent += [not memory.recall(question).known for question in unanswered]
    return silenced, silent


def test_few_questions_that_can_be_answered_are_met_with_silence(met: tuple[list[bool], list[bool]]) -> None:
    silenced, _ = met
    assert sum(silenced) <= len(silenced) // 5


def test_a_good_part_of_near_questions_that_nothing_answers_is_met_with_silence(
    met: tuple[list[bool], list[bool]],
) -> None:
    _, silent = met
    assert sum(silent) >= len(silent) // 3


def test_what_answers_stands_before_what_is_only_about_the_same_one(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace", durable=False, upkeep=False) as memory:
        for text in ("Bramble is our spaniel.", "Bramble belongs to the whole street.", "Bramble chewed up a slipper."):
            memory.observe([{"content": text}])
        assert "slipper" in memory.recall("What did Bramble chew up?")[0].text
        assert "spaniel" in memory.recall("What kind of dog is Bramble?")[0].text
