"""Work that goes on is seen in the browser: plans with their states, handoffs, receipts, inquiries, identity plans."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from tests.surfaces.daemon import Running, as_operator

from palazzo import Memory

if TYPE_CHECKING:
    from tests.surfaces.web.conftest import Opened


def test_a_thread_shows_its_plans_its_handoff_and_what_was_attached(opened: Opened, palace: Running) -> None:
    about = {"thread": "dredger", "project": "quay walls"}
    as_operator(palace.folder, "session_start", session="monday", **about)
    said = ["Please survey the north quay.", "Please paint the bollards.", "Scrap the bollards, the paint is toxic."]
    as_operator(palace.folder, "observe", turns=[{"role": "user", "content": text} for text in said], **about)
    chart = base64.b64encode(b"depth,12\n").decode()
    as_operator(palace.folder, "attach", name="chart.csv", content=chart, session="monday", **about)
    as_operator(palace.folder, "session_end", session="monday", project="quay walls")
    with Memory(palace.folder, embedder="none", upkeep=False, persona="seal") as memory:
        turns = [("user", "That is wrong, and that is not like you."), ("assistant", "I am certain, obviously.")]
        told = [{"role": role, "content": text} for role, text in turns]
        memory.turn_end("dredger", told, session="monday", project="quay walls")
    page = opened("#/work")
    page.get_by_role("link", name="dredger").click()
    thought_over = page.get_by_role("region", name="Inquiries").get_by_role("listitem")
    thought_over.filter(has_text="in dredger").get_by_text("candidate").wait_for()
    plans = page.get_by_role("region", name="Plans and decisions")
    row = plans.get_by_role("row").filter(has_text="Please paint the bollards.")
    row.get_by_text("cancelled").wait_for()
    row.get_by_text("Scrap the bollards").wait_for()
    plans.get_by_role("row").filter(has_text="survey the north quay").get_by_text("open", exact=True).wait_for()
    page.get_by_role("region", name="Handoff").get_by_text("written").wait_for()
    page.get_by_role("region", name="Attached").get_by_text("chart.csv").wait_for()
    page.get_by_role("region", name="Sessions").get_by_text("ended").wait_for()


def test_a_plan_for_an_identity_file_is_applied_after_a_look_and_rolled_back(opened: Opened, palace: Running) -> None:
    line = "# Agents\n\nAsk before printing on cream paper.\n"
    as_operator(palace.folder, "identity_plan", file="AGENTS.md", text=line, reason="The paper ran out.")
    page = opened("#/work")
    card = page.get_by_role("region", name="Plans for identity files")
    card.get_by_role("button", name="Apply").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("The paper ran out.").wait_for()
    dialog.get_by_role("button", name="Apply").click()
    card.get_by_text("applied").wait_for()
    assert (palace.folder / "identity" / "AGENTS.md").read_text("utf-8") == line
    card.get_by_role("button", name="Roll back").click()
    card.get_by_text("rolled back").wait_for()
    assert not (palace.folder / "identity" / "AGENTS.md").exists()
