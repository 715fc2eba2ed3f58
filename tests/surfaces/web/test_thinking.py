"""What was thought over while nobody asked, as people see it: reports, what is known, open questions and jobs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.surfaces.daemon import Running, as_operator

from palazzo import Memory

if TYPE_CHECKING:
    from tests.surfaces.web.conftest import Opened


def test_a_dream_is_tried_made_shown_with_its_questions_and_its_job_and_taken_back_by_its_report(
    opened: Opened, palace: Running
) -> None:
    page, before = opened("#/dreams"), as_operator(palace.folder, "dreams").dreams
    page.get_by_role("button", name="Try one").click()
    tried = page.get_by_role("region", name="What it would do")
    tried.locator("tr", has_text="Which version of React do you use?").wait_for()
    tried.get_by_text("a memory that would be made").first.wait_for()
    width = tried.bounding_box()["width"]
    assert as_operator(palace.folder, "dreams").dreams == before
    page.get_by_role("button", name="Dream now").click()
    page.get_by_role("dialog").get_by_role("button", name="Dream", exact=True).click()
    made = page.get_by_role("region", name="Report").first
    made.locator("ins").first.wait_for()
    assert made.bounding_box()["width"] == width
    tried.wait_for(state="detached")
    page.goto(f"{palace.url}/#/review")
    page.get_by_text("Which version of React do you use?").first.wait_for()
    page.goto(f"{palace.url}/#/health")
    page.get_by_role("row").filter(has_text="dream").first.wait_for()
    page.goto(f"{palace.url}/#/dreams")
    assert as_operator(palace.folder, "gaps").gaps
    assert as_operator(palace.folder, "summaries").summaries
    made.get_by_role("button", name="Take it back").click()
    page.get_by_text("It is taken back.").wait_for()
    assert not as_operator(palace.folder, "gaps").gaps
    assert not as_operator(palace.folder, "summaries").summaries


def test_a_report_strikes_out_what_was_put_away_beside_what_stands_for_it_until_it_is_taken_back(
    opened: Opened, palace: Running
) -> None:
    texts = (
        "I always use two spaces for indentation.",
        "Indentation should be two spaces.",
        "Please indent with 2 spaces.",
        "The user prefers 2-space indentation.",
    )
    with Memory(palace.folder, upkeep=False) as memory:
        for text in texts:
            memory.remember(text)
        memory.setting_put("dream_passes", "consolidate=on")
        (step,) = memory.dream(only=("consolidate",)).steps
        memory.setting_put("dream_passes", "")
    page = opened("#/dreams")
    made = page.get_by_role("region", name="Report").first
    for text in texts:
        made.locator("del", has_text=text).wait_for()
    made.locator("div:has(> ins)", has_text=re.compile("|".join(map(re.escape, texts)))).wait_for()
    made.get_by_role("button", name="Take it back").click()
    page.get_by_text("It is taken back.").wait_for()
    assert {as_operator(palace.folder, "get", memory=str(one)).state for one in step.memories} == {"active"}


def test_what_is_known_opens_down_to_memories_and_a_question_is_weighed(opened: Opened) -> None:
    page = opened("#/known")
    domains = page.get_by_role("region", name="Domains")
    domains.get_by_text("confidence").first.wait_for()
    page.get_by_label("A question or a matter").fill("when is the Heron launch?")
    page.get_by_role("button", name="Ask").click()
    page.get_by_role("region", name="Is it known?").get_by_text("known", exact=True).wait_for()
    domains.locator("a.main").first.click()
    page.get_by_role("region", name="Its memories").locator("a.main").first.wait_for()
