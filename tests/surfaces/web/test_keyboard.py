"""Everything is reached and done with the keyboard alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.surfaces.daemon import Running, as_operator

if TYPE_CHECKING:
    from tests.surfaces.web.conftest import Opened


def test_a_memory_is_found_edited_and_brought_back_without_a_mouse(opened: Opened, palace: Running) -> None:
    page = opened()
    page.keyboard.press("/")
    page.keyboard.type("storks over the river")
    page.get_by_role("option", name="We saw storks").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator(".whole .text", has_text="storks").wait_for()
    page.get_by_role("button", name="Pin", exact=False).first.wait_for()
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Edit":
            break
    page.keyboard.press("Enter")
    page.get_by_role("dialog").wait_for()
    page.keyboard.press("Control+a")
    page.keyboard.type("We saw cranes over the river on the walk to Whitby.")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator(".whole .text", has_text="cranes").wait_for()
    page.get_by_role("status").get_by_role("button", name="Undo").focus()
    page.keyboard.press("Enter")
    page.locator(".whole .text", has_text="storks").wait_for()
    assert as_operator(palace.folder, "recall", cue="storks over the river").hits[0].text.startswith("We saw storks")


def test_lists_are_walked_and_dialogs_are_left_by_keys(opened: Opened) -> None:
    page = opened()
    page.locator(".row .main").first.wait_for()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert page.evaluate("document.activeElement === document.querySelectorAll('main .row .main')[0]")
    page.keyboard.press("n")
    page.get_by_role("dialog", name="Remember").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog", name="Remember").wait_for(state="detached")
    page.keyboard.press("Enter")
    page.locator(".whole .text").wait_for()


def test_the_first_step_leads_past_the_menu(opened: Opened) -> None:
    page = opened()
    page.locator(".row .main").first.wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "To the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.tagName") == "H1"


def test_capture_is_paused_and_goes_on_by_keys(opened: Opened, palace: Running) -> None:
    page = opened("#/capture")
    for name, then in (("Pause all", "Resume"), ("Resume", "Pause all")):
        page.get_by_role("button", name=name, exact=True).wait_for()
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.textContent") == name:
                break
        page.keyboard.press("Enter")
        page.get_by_role("button", name=then, exact=True).wait_for()
        assert as_operator(palace.folder, "capture_status").paused is (name == "Pause all")
