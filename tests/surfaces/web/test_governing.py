"""What the person whose palace it is sees and changes in the browser: settings, grants, files, contexts, the past."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from tests.surfaces.daemon import Running, as_operator, token_for

if TYPE_CHECKING:
    from tests.surfaces.web.conftest import Opened

_KEPT = """async (message) => {
  const headers = { "content-type": "application/json", "x-palazzo-page": localStorage.getItem("palazzo-page-key") };
  const sent = (given) => ({ method: "POST", headers, body: JSON.stringify(given) });
  const ask = async (name, given) => (await fetch(`/v1/${name}`, sent(given))).json();
  await ask("context", { message });
  return JSON.stringify(await ask("contexts", {})).includes(message);
}"""


def test_a_setting_really_changes_and_goes_back(opened: Opened, palace: Running) -> None:
    def value() -> str:
        found = as_operator(palace.folder, "settings")
        return next(one.value for one in found if one.name == "min_relevance")

    before = value()
    page = opened("#/settings")
    field = page.get_by_role("textbox", name="min_relevance")
    field.fill("0.65")
    field.press("Enter")
    page.get_by_text("min_relevance is 0.65.").wait_for()
    assert value() == "0.65"
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("Taken back.").wait_for()
    assert value() == before


def test_a_grant_is_planned_applied_and_rolled_back(opened: Opened, palace: Running) -> None:
    def level() -> str:
        return str(as_operator(palace.folder, "grants", subject="agent:primary").grants[0].level)

    page = opened("#/access")
    page.get_by_role("combobox", name="agent:primary at work.**").select_option("read_all")
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("agent:primary on work.**").wait_for()
    assert level() == "write", "a plan changes nothing"
    dialog.get_by_role("button", name="Apply").click()
    page.get_by_role("status").get_by_role("button", name="Undo").wait_for()
    assert level() == "read_all"
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    page.get_by_text("Rolled back.").wait_for()
    assert level() == "write"


def test_a_file_is_looked_at_before_it_is_taken_in_and_a_copy_is_taken_out(
    opened: Opened, palace: Running, tmp_path: Path
) -> None:
    note = tmp_path / "ferry.md"
    note.write_text("# Ferry\n\nThe ferry to Sark leaves at dawn.\n")
    page = opened("#/import")
    page.get_by_label("File to import").set_input_files(note)
    page.get_by_text("ferry.md: nothing is written yet").wait_for()
    assert as_operator(palace.folder, "recall", cue="ferry to Sark").known is False
    page.get_by_role("button", name="Take it in").click()
    page.get_by_role("heading", name="Taken in").wait_for()
    assert as_operator(palace.folder, "list", place="imports.**").total
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Export").click()
    saved = tmp_path / "out.jsonl"
    waiting.value.save_as(saved)
    assert any("storks" in line for line in saved.read_text("utf-8").splitlines())


def test_what_a_model_was_given_is_seen_with_what_it_was_made_of(opened: Opened, palace: Running) -> None:
    token = token_for(palace.folder, "agent:reader", "read_all")
    status, _, block = palace.post("context", {"message": "When is the Heron launch planned?"}, token)
    assert status == 200
    page = opened("#/seen")
    line = page.locator(".row", has_text="When is the Heron launch planned?").first
    line.get_by_text("agent:reader").wait_for()
    assert line.locator("pre").first.inner_text().strip() == block["text"].strip()
    assert line.locator("tbody tr").count() >= len(block["hits"]) > 0
    assert palace.post("contexts", {}, token)[0] == 403


def test_the_past_is_looked_at_through_every_view_that_keeps_it(opened: Opened, palace: Running) -> None:
    found = as_operator(palace.folder, "recall", cue="Heron launch").hits[0].memory
    page = opened(f"#/memory/{found.id}")
    page.locator(".whole .text", has_text="tenth").wait_for()
    page.get_by_role("button", name="Now").click()
    then = (found.created_at + timedelta(days=1)).astimezone().strftime("%Y-%m-%dT%H:%M")
    page.get_by_label("Exactly").fill(then)
    page.get_by_label("Exactly").dispatch_event("change")
    page.locator(".whole .text", has_text="third").wait_for()
    page.get_by_role("link", name="Places", exact=True).click()
    page.get_by_role("region", name="Tree").get_by_role("link", name="work", exact=True).wait_for()
    assert page.get_by_role("region", name="Tree").get_by_role("link", name="life", exact=True).count() == 0
    page.get_by_role("link", name="Jobs and health").click()
    page.get_by_text("This view shows now").wait_for()
    page.get_by_role("button", name="Back to now").click()
    page.get_by_text("This view shows now").wait_for(state="detached")


def test_a_scope_is_chosen_and_shows_what_belongs_to_it(opened: Opened) -> None:
    page = opened("#/people")
    page.get_by_role("row", name="user:anna").get_by_role("button", name="Look").click()
    page.get_by_role("link", name="Overview").click()
    page.get_by_role("link", name="Anna's flight leaves at noon.").wait_for()


def test_a_second_user_sees_nothing_of_the_first(opened: Opened, palace: Running) -> None:
    as_operator(palace.folder, "grant", subject="app:desk", level="read_all", place="**")
    made = as_operator(palace.folder, "token_create", subject="app:desk", user_id="ben")
    page = opened()
    page.locator(".more summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Token").fill(made.token)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", level=1, name="Overview").wait_for()
    page.get_by_text("app:desk").first.wait_for()
    page.goto(f"{palace.url}/#/recall?q=Anna's flight noon")
    page.locator("main[data-view=recall] [role=status]", has_text="candidate").first.wait_for()
    assert "flight" not in page.locator("main").inner_text().replace("Anna's flight noon", "")
    page.goto(f"{palace.url}/#/graph")
    page.get_by_role("img", name="A map of").wait_for()
    ids = json.loads(page.evaluate("JSON.stringify([...document.querySelectorAll('a')].map(a => a.href))"))
    anna = as_operator(palace.folder, "list", user_id="anna", place="life.goals").memories[0]
    assert str(anna.id) not in "".join(ids)
    page.goto(f"{palace.url}/#/memory/{anna.id}")
    page.get_by_text("not_found").wait_for()
    assert "flight" not in page.locator("main").inner_text()
    page.goto(f"{palace.url}/#/people")
    page.get_by_text("You are app:desk").wait_for()
    assert page.get_by_role("region", name="Scopes").count() == 0


def test_the_vault_is_opened_in_one_browser_alone(opened: Opened, palace: Running) -> None:
    as_operator(palace.folder, "vault_protect", passphrase="lantern-orchard-9-quarry")
    page, other = opened(), opened()
    page.get_by_label("More").click()
    page.get_by_role("button", name="Unlock the vault").click()
    page.get_by_label("Passphrase of the vault").fill("lantern-orchard-9-quarry")
    page.get_by_role("button", name="Unlock", exact=True).click()
    page.get_by_text("The vault is open here").wait_for()
    assert page.get_by_role("button", name="Sign out").is_hidden()  # the menu is out of the way again
    # What is given while the vault is open is not kept among the contexts that were given.
    assert not page.evaluate(_KEPT, "Where does the spare key lie?")
    assert other.evaluate(_KEPT, "Where does the other key lie?")
