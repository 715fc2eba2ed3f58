"""A change that names both its sides is carried into a statement that names the old one, and into no other."""

from __future__ import annotations

import pytest

from palazzo.text.change.carried import carried_change, since_then


@pytest.mark.parametrize(
    ("statement", "told", "now"),
    [
        ("The newsletter goes out with Mailjet.", "We moved the newsletter from Mailjet to Listmonk.",
         "The newsletter goes out with Listmonk."),
        ("The heron service uses Postgres 13.", "The heron service was upgraded from Postgres 13 to Postgres 17.",
         "The heron service uses Postgres 17."),
        ("Our rehearsal is on Monday.", "The rehearsal moved from Monday to Wednesday because of the hall.",
         "Our rehearsal is on Wednesday."),
        ("The archive uses Solr for search.", "In the archive we replaced Solr with Typesense.",
         "The archive uses Typesense for search."),
        ("Jonas lives in Bremen.", "Jonas moved from Bremen to Kiel last month.", "Jonas lives in Kiel."),
        ("Jonas was born in Bremen.", "Jonas moved from Bremen to Kiel last month.", ""),
        ("Jonas's mother lives in Bremen.", "Jonas moved from Bremen to Kiel last month.", ""),
        ("Jonas supports Werder Bremen.", "Jonas moved from Bremen to Kiel last month.", ""),
        ("The shop uses Mailjet.", "We moved the newsletter from Mailjet to Listmonk.", ""),
    ],
)  # fmt: skip
def test_a_statement_says_what_it_is_since_a_change_of_the_same_thing(statement: str, told: str, now: str) -> None:
    change = carried_change(told)
    assert change is not None
    assert since_then(statement, change) == now


@pytest.mark.parametrize(
    "told", ["I moved from Bremen to Kiel.", "The train goes from Bremen to Kiel.", "I went back to sleep.",
             "She switched to the harp.", "We changed trains in Ulm.", "Up to no good, as ever."]
)  # fmt: skip
def test_what_names_nothing_that_changed_is_no_such_change(told: str) -> None:
    assert carried_change(told) is None


@pytest.mark.parametrize(
    ("statement", "told", "now"),
    [
        ("I do my books in GnuCash.", "Switched to Beancount, it's plain text.", "I do my books in Beancount."),
        ("We buy our flour at Mühle Brandt.", "We've changed to Kornhaus.", "We buy our flour at Kornhaus."),
        ("I have a Canon R6.", "Just upgraded to a Nikon.", "I have a Nikon."),
        ("I take the ferry to work.", "I switched to the cable car.", "I take the cable car to work."),
        ("I eat three eggs a day.", "Cut down to one.", "I eat one eggs a day."),
        ("In the lynx repo we use tox.", "In the lynx repo we migrated to nox.", "In the lynx repo we use nox."),
        ("In the wolf repo we use tox.", "In the lynx repo we migrated to nox.", ""),
        ("I play the harp.", "Switched to Beancount.", ""),
        ("I'm a midwife.", "Switched to Beancount.", ""),
        ("We live in Bochum.", "We switched to Kornhaus.", ""),
        ("I used GnuCash for years.", "Switched to Beancount.", ""),
        ("My neighbour's car is a Fiat.", "Switched to Beancount.", ""),
    ],
)
def test_a_change_to_something_is_one_of_the_one_thing_of_its_sort(statement: str, told: str, now: str) -> None:
    change = carried_change(told)
    assert change is not None
    assert since_then(statement, change) == now
