"""What rests on a changed statement, or goes with it, is marked with the reason, and never taken back."""

from __future__ import annotations

import pytest
from tests.intake.conftest import Palace

from palazzo.model.capability import View
from palazzo.model.change import AddEdge
from palazzo.model.graph import Node
from palazzo.text.change.implied import goes_with, implied_by

MARKED = 'may have changed: a newer memory says "The user moved to Porto last week."'


def caveats(palace: Palace, cue: str) -> dict[str, str]:
    return {hit.text: hit.caveat for hit in palace.engine.recall(cue).hits}


def test_who_moved_may_have_another_gym_and_another_surgery(palace: Palace) -> None:
    palace.remember("I live in Lisbon.")
    palace.remember("My gym is the one on Mill Street.")
    palace.remember("The surgery of my doctor is next to the station.")
    palace.remember("My brother's gym is in Kiel.")
    palace.remember("I am allergic to peanuts.")
    palace.remember("I moved to Porto last week.")
    assert caveats(palace, "Where is my gym?")["My gym is the one on Mill Street."].startswith(MARKED)
    assert "may have changed" in caveats(palace, "doctor's surgery")["The surgery of my doctor is next to the station."]
    assert "may have changed" not in caveats(palace, "my brother's gym")["My brother's gym is in Kiel."]
    assert "may have changed" not in caveats(palace, "allergic to peanuts")["I am allergic to peanuts."]


def test_what_rests_on_a_replaced_statement_is_marked_and_stays(palace: Palace) -> None:
    (base,) = palace.remember("I work at Nokia.").memory_ids
    (plan,) = palace.remember("The parcel for Jan goes to reception in Espoo.").memory_ids
    palace.store.commit([AddEdge("depends_on", Node(plan), Node(base))])
    palace.remember("I left Nokia and now work at Ericsson.")
    text = "The parcel for Jan goes to reception in Espoo."
    assert "may have changed" in caveats(palace, "parcel for Jan")[text]
    assert text in palace.texts()


def test_the_mark_outlives_the_next_audit_until_a_person_answers(palace: Palace) -> None:
    palace.remember("I live in Lisbon.")
    (gym,) = palace.remember("My gym is the one on Mill Street.").memory_ids
    palace.remember("I moved to Porto last week.")
    staleness = palace.engine.beliefs.staleness()
    staleness.audit([gym])
    assert "may have changed" in caveats(palace, "Where is my gym?")["My gym is the one on Mill Street."]
    staleness.resolve(gym, "dismiss")
    staleness.audit([gym])
    assert "may have changed" not in caveats(palace, "Where is my gym?")["My gym is the one on Mill Street."]


def test_a_move_told_in_a_batch_marks_them_when_the_pass_has_settled_it(palace: Palace) -> None:
    palace.remember("My gym is the one on Mill Street.")
    palace.remember("I moved to Porto last week.", *(f"Boat {n} belongs to the harbour of Rostock." for n in range(10)))
    palace.engine.settling.run()
    assert "may have changed" in caveats(palace, "Where is my gym?")["My gym is the one on Mill Street."]


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("I moved to Porto last week.", "residence", "moved"),
        ("Ich bin letzte Woche nach Bremen gezogen, es ist sehr schön.", "residence", "moved"),
        ("I quit my job at the harbour.", "employment", "left a job"),
        ("My brother moved to Porto.", "residence", ""),
        ("The choir moved to Thursdays.", "event", ""),
        ("I live in Lisbon.", "residence", ""),
    ],
)
def test_only_the_speakers_own_change_implies_anything(text: str, kind: str, name: str) -> None:
    found = implied_by(text, kind, changed=False)
    assert (found.name if found is not None else "") == name


def test_what_goes_with_a_change_is_the_speakers_own() -> None:
    moved = implied_by("I moved to Porto.", "residence", changed=False)
    assert moved is not None
    assert goes_with("My commute takes 40 minutes.", moved)
    assert not goes_with("My sister's commute takes 40 minutes.", moved)
    assert not goes_with("The museum has a gym.", moved)


def test_a_first_statement_of_where_one_lives_marks_nothing(palace: Palace) -> None:
    palace.remember("My gym is the one on Mill Street.")
    palace.remember("I live in Lisbon.")
    with palace.store.reading(View()) as reading:
        assert not reading.memories.stalest(5)
