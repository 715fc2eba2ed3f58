"""What is captured on the machine, in the browser: switched on, made private, paused, seen and burnt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.surfaces.daemon import Running, as_operator

if TYPE_CHECKING:
    from tests.surfaces.web.conftest import Opened


def test_capture_is_switched_on_kept_private_paused_and_burnt(opened: Opened, palace: Running) -> None:
    page = opened("#/capture")
    page.get_by_role("row", name="shell").get_by_role("button", name="Switch on").click()
    page.get_by_text("shell is on.").wait_for()
    page.get_by_label("Which").first.fill("diary")
    page.get_by_role("button", name="Add").first.click()
    page.get_by_text("app diary is on the list.").wait_for()
    event = {"kind": "command", "source": "shell", "reference": "make hull", "metadata": {"cwd": "/srv/barge"}}
    assert as_operator(palace.folder, "capture_events", events=[event]).kept == 1
    page.get_by_text("make hull").wait_for()
    page.get_by_role("button", name="Pause all").click()
    page.get_by_text("Capture is paused.").wait_for()
    status = as_operator(palace.folder, "capture_status")
    assert (status.paused, status.private) == (True, ("app:diary",))
    page.get_by_role("button", name="Resume").click()
    page.get_by_role("row", name="shell").get_by_role("button", name="Burn").click()
    page.get_by_role("dialog").get_by_role("button", name="Burn").click()
    page.get_by_text("What shell saw is burnt.").wait_for()
    assert not as_operator(palace.folder, "raw_events")
    as_operator(palace.folder, "capture_disable", adapter="shell")
    as_operator(palace.folder, "capture_private", what="app", pattern="diary", remove=True)
