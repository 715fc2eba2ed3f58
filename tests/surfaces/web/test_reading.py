"""The views in a real browser: what a person sees of a palace, finds in it and does to a memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.surfaces.daemon import Running, as_operator, daemon

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Request
    from tests.surfaces.web.conftest import Opened


def test_the_overview_tells_what_the_operations_tell_and_its_sums_agree(opened: Opened, palace: Running) -> None:
    page = opened()
    told = as_operator(palace.folder, "overview")
    tile = page.locator(".tile", has_text="Memories")
    assert tile.locator(".value").inner_text() == str(told.memories)
    places = page.get_by_role("region", name="Places")
    assert sum(map(int, places.locator(".figure").all_inner_texts())) == told.memories
    page.locator(".days li").first.wait_for()
    days = page.locator(".days .count").all_inner_texts()
    assert sum(int(day or 0) for day in days) == as_operator(palace.folder, "activity", days=14).total


def test_recall_shows_its_answer_with_signals_and_says_when_it_knows_nothing(opened: Opened) -> None:
    page = opened("#/recall")
    page.get_by_role("searchbox").fill("when is the Heron launch?")
    first = page.locator(".hit").first
    first.get_by_role("link", name="The launch of Heron is planned for the tenth of March.").wait_for()
    assert first.locator("table tbody tr").count() > 1
    assert set(first.locator(".meter .name").all_inner_texts()) >= {"relevance", "accuracy", "freshness", "utility"}
    page.get_by_role("searchbox").fill("zirconium quota of the harbour")
    page.get_by_text("Nothing is relevant enough").wait_for()


def test_what_is_typed_fast_is_answered_for_its_last_letter_and_questions_never_queue(opened: Opened) -> None:
    page = opened("#/recall")
    under_way: set[Request] = set()
    most = [0]

    def begun(asked: Request) -> None:
        if asked.url.endswith("/v1/recall"):
            under_way.add(asked)
            most[0] = max(most[0], len(under_way))

    page.on("request", begun)
    page.on("requestfinished", lambda asked: under_way.discard(asked))
    page.on("requestfailed", lambda asked: under_way.discard(asked))
    page.get_by_role("searchbox").press_sequentially("when is the Heron launch?")
    page.locator('ul[data-of="when is the Heron launch?"] .hit').first.wait_for()
    assert most == [1]


def test_a_memory_shows_what_changed_and_an_edit_is_taken_back(opened: Opened, palace: Running) -> None:
    found = as_operator(palace.folder, "recall", cue="Heron launch").hits[0].memory
    page = opened(f"#/memory/{found.id}")
    page.get_by_role("region", name="Links").get_by_text("because: it goes out with it").wait_for()
    revisions = page.get_by_role("region", name="Revisions")
    assert revisions.locator("del").first.inner_text() == "third"
    assert revisions.locator("ins").first.inner_text() == "tenth"
    page.get_by_role("button", name="Edit").click()
    page.get_by_role("dialog").get_by_role("textbox").fill("The launch of Heron is planned for the twelfth of March.")
    page.get_by_role("dialog").get_by_role("button", name="Update").click()
    page.locator(".whole .text", has_text="twelfth").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.locator(".whole .text", has_text="tenth").wait_for()
    assert as_operator(palace.folder, "get", memory=str(found.id)).text.endswith("tenth of March.")


def test_an_empty_palace_shows_three_ways_to_fill_it_and_writing_works_at_once(opened: Opened, tmp_path: Path) -> None:
    as_operator_made(tmp_path / "palace")
    with daemon(tmp_path / "palace") as running:
        page = opened(palace=running)
        for way in ("Connect an agent", "Import", "Write"):
            page.get_by_role("region", name=way).wait_for()
        page.get_by_role("region", name="Write").get_by_role("textbox").fill("The heron nests by the weir.")
        page.get_by_role("region", name="Write").get_by_role("button", name="Remember").click()
        page.get_by_role("link", name="The heron nests by the weir.").wait_for()
        page.context.close()


def as_operator_made(folder: Path) -> None:
    from palazzo import Memory

    Memory(folder, embedder="none").close()


def test_what_others_write_appears_by_itself(opened: Opened, palace: Running) -> None:
    page = opened()
    page.locator(".live.on").wait_for()
    as_operator(palace.folder, "remember", text="The tide table is kept in the boathouse.", place="forest.boats")
    page.get_by_role("link", name="The tide table is kept in the boathouse.").wait_for()


def test_a_question_is_followed_step_by_step_with_its_evidence(opened: Opened) -> None:
    page = opened("#/mind")
    page.get_by_role("searchbox").fill("who leads the team of Heron, and what is its backend written in?")
    page.get_by_role("button", name="Follow it").click()
    page.get_by_role("heading", name="Evidence").wait_for()
    assert page.locator(".line li").count() >= 1
    page.get_by_role("region", name="Reason").get_by_role("link", name="Mira leads the Heron team").wait_for()


def test_the_palette_goes_anywhere_by_keys_alone(opened: Opened) -> None:
    page = opened()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox").wait_for()
    page.keyboard.type("reca")
    page.keyboard.press("Enter")
    page.get_by_role("heading", level=1, name="Recall").wait_for()
    page.locator("h1").focus()
    page.keyboard.press("/")
    page.keyboard.type("bread recipe fridge")
    page.get_by_role("option", name="The bread recipe").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator(".whole .text", has_text="bread").wait_for()
