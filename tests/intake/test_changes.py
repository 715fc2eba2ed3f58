"""Everyday news, told one after the other: what it takes back, and what it leaves alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from palazzo import Memory

TAKEN_BACK = [
    ("Rent is due on the 1st.", "Rent is due on the 3rd now.", "When is rent due?"),
    ("The meeting with Bob is on Monday.", "The meeting with Bob moved to Tuesday.", "When is the meeting with Bob?"),
    ("I take the bus to work.", "I cycle to work now instead of taking the bus.", "How do I get to work?"),
    ("My flight leaves at 7:30.", "My flight was delayed to 9:15.", "When does my flight leave?"),
    ("Our office is on the third floor.", "Our office moved to the fifth floor.", "On which floor is our office?"),
    ("The kickoff is in room 204.", "The kickoff was moved to room 310.", "In which room is the kickoff?"),
    ("The project lead is Maria.", "Tom took over as project lead from Maria.", "Who is the project lead?"),
    ("Our CEO is Linda Park.", "Raj Mehta replaced Linda Park as CEO.", "Who is our CEO?"),
    ("My landlord is Mr. Weber.", "Mrs. Koch is my landlord now.", "Who is my landlord?"),
    ("I am allergic to peanuts.", "It turns out I am not allergic to peanuts.", "Am I allergic to peanuts?"),
    ("My car is a red Toyota.", "I sold the Toyota and bought a blue Honda.", "What car do I have?"),
    ("I drive a Golf.", "I traded the Golf in for a Tesla.", "What do I drive?"),
    ("My daughter is in third grade.", "My daughter started fourth grade.", "What grade is my daughter in?"),
    ("My son is 7 years old.", "My son turned 8.", "How old is my son?"),
    ("I have a subscription to Netflix.", "I cancelled my subscription to Netflix.", "Do I have Netflix?"),
    ("The release is planned for June.", "The release slipped to August.", "When is the release planned?"),
    ("I run 5 km every day.", "I run 8 km every day now.", "How far do I run every day?"),
    ("I wake up at 6.", "I wake up at 7 these days.", "When do I wake up?"),
    ("I am dating Sam.", "Sam and I broke up.", "Am I dating Sam?"),
    ("I'm learning Spanish.", "I gave up learning Spanish.", "Am I learning Spanish?"),
    ("I wear glasses.", "I don't wear glasses anymore since my surgery.", "Do I wear glasses?"),
    ("Tests run on Jenkins.", "Tests run on GitHub Actions now.", "Where do tests run?"),
    ("The build is failing.", "The build is passing again.", "Is the build passing?"),
    ("The library is closed on Mondays.", "The library is open on Mondays again.", "Is the library open on Mondays?"),
]
LEFT_AT_MOST = 11
"""Of the news above, told in words that no certain rule knows, the reader finds the others."""
LEFT_ALONE = [
    ("The standup is at 9.", "Yesterday the standup was at 10.", "When is the standup?"),
    ("My favourite colour is blue.", "My favourite colour was green as a child.", "What is my favourite colour?"),
    ("My manager is Dana.", "My manager was Kim in 2019.", "Who is my manager?"),
    ("The store closes at 8 pm.", "Last Christmas the store closed at 5 pm.", "When does the store close?"),
    ("The server runs on port 8080.", "The old server ran on port 3000.", "Which port does the server run on?"),
    ("I weigh 80 kg.", "I weighed 95 kg in 2015.", "How much do I weigh?"),
    ("Dinner is usually at 7.", "Dinner was at 9 on Sunday.", "When is dinner usually?"),
    ("I drink coffee every morning.", "I had tea instead of coffee this morning.", "What do I drink in the morning?"),
    ("I like running.", "I stopped running for a week in May.", "What do I like?"),
    ("My daughter is in third grade.", "My son started first grade.", "What grade is my daughter in?"),
    ("I run 5 km every day.", "My wife runs 8 km every day now.", "How far do I run?"),
    ("I have a car.", "I sold the old bike.", "What do I have?"),
    ("My sister is dating Tom.", "Jack and Lily broke up.", "Who is my sister dating?"),
    ("I have a girlfriend.", "Jack and Lily broke up.", "Do I have a girlfriend?"),
    ("I finished chapter 3 of the book.", "I started chapter 4 of the book.", "Which chapters have I finished?"),
    ("Tom is the team lead.", "Nina took over as product owner.", "Who is the team lead?"),
    ("We deploy on Fridays.", "We no longer deploy to the old cluster.", "When do we deploy?"),
    ("I subscribe to Spotify.", "I cancelled my gym membership.", "What do I subscribe to?"),
    ("My doctor is Dr. Lee.", "My dentist is Dr. Patel now.", "Who is my doctor?"),
    ("The first floor is the kitchen.", "The second floor is the bedroom.", "What is on the first floor?"),
]


def told(folder: Path, said: tuple[str, ...], question: str) -> list[str]:
    with Memory(folder, upkeep=False) as memory:
        for text in said:
            memory.remember(text)
        return [hit.text for hit in memory.recall(question, min_relevance=0.0).hits]


def test_most_news_takes_back_what_it_changes(tmp_path: Path) -> None:
    left = []
    for number, (before, news, question) in enumerate(TAKEN_BACK):
        found = told(tmp_path / str(number), (before, news), question)
        assert any(news.split()[0] in text or news.split()[-1] in text for text in found)
        left += [news] if before in found else []
    assert len(left) <= LEFT_AT_MOST, left


@pytest.mark.parametrize(("before", "other", "question"), LEFT_ALONE)
def test_what_only_was_or_is_of_something_else_takes_nothing_back(
    tmp_path: Path, before: str, other: str, question: str
) -> None:
    assert before in told(tmp_path, (before, other), question)
