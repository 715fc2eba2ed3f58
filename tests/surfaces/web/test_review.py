"""What waits for a person is answered by one click in the browser, and by another it waits again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.surfaces.daemon import Running, as_operator

if TYPE_CHECKING:
    from tests.surfaces.web.conftest import Opened


def test_a_disagreement_is_settled_and_opened_again(opened: Opened, palace: Running) -> None:
    page = opened("#/review")
    card = page.get_by_role("region", name="Cannot both hold")
    card.locator(".pair div").filter(has_text="My name is Leah.").get_by_role("button", name="This one holds").click()
    page.get_by_role("status").get_by_role("button", name="Undo").wait_for()
    assert as_operator(palace.folder, "review").disagreements == ()
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    card.wait_for()
    assert len(as_operator(palace.folder, "review").disagreements) == 1


def test_what_may_have_changed_is_answered_and_waits_again(opened: Opened, palace: Running) -> None:
    page = opened("#/review")
    card = page.get_by_role("region", name="May have changed")
    card.get_by_role("button", name="No longer true").click()
    page.get_by_role("status").get_by_role("button", name="Undo").wait_for()
    assert as_operator(palace.folder, "review").stale == ()
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    card.wait_for()
    (stale,) = as_operator(palace.folder, "review").stale
    assert not stale.memory.deprecated


def test_a_claim_is_rejected_through_a_plan_and_undecided_again(opened: Opened, palace: Running) -> None:
    page = opened("#/review")
    card = page.get_by_role("region", name="Claims")
    card.get_by_role("button", name="Reject").click()
    page.get_by_role("status").get_by_role("button", name="Undo").wait_for()
    assert as_operator(palace.folder, "review").claims == ()
    assert as_operator(palace.folder, "plans").plans[0].transition == "claim"
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    card.get_by_role("button", name="Reject").wait_for()
    assert len(as_operator(palace.folder, "review").claims) == 1


def test_places_are_walked_and_several_memories_are_forgotten_and_brought_back(opened: Opened, palace: Running) -> None:
    page = opened("#/places")
    page.get_by_role("region", name="Tree").get_by_role("link", name="forest", exact=True).click()
    page.get_by_role("heading", level=1, name="forest").wait_for()
    page.locator(".row", has_text="storks").get_by_role("checkbox").check()
    page.get_by_role("button", name="Forget").click()
    page.get_by_text("Nothing stands here.").wait_for()
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    page.locator(".row", has_text="storks").wait_for()
    assert as_operator(palace.folder, "list", place="forest.**").total == 1


def test_the_graph_leads_from_a_memory_to_what_it_is_linked_with(opened: Opened, palace: Running) -> None:
    found = as_operator(palace.folder, "recall", cue="Heron launch").hits[0].memory
    page = opened(f"#/graph/{found.id}")
    page.get_by_role("img", name="A map of").wait_for()
    page.get_by_role("region", name="Chosen").get_by_role("link", name="Heron's backend").click()
    page.get_by_role("region", name="Chosen").get_by_role("link", name="The launch of Heron").wait_for()
