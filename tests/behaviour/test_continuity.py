"""Work that goes on: threads, sessions that end or are lost, handoffs that arrive, modes that do not mix."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.guard.samples import sample

from palazzo import Memory
from palazzo.errors import NotFound, PalazzoError
from palazzo.operations.registry import OPERATIONS
from palazzo.testing.clock import FixedClock


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", embedder="none", clock=clock, upkeep=False) as made:
        yield made


def talk(memory: Memory, *said: str, thread: str = "dredger", session: str = "one", **scope: str) -> None:
    turns = [{"role": "user" if at % 2 == 0 else "assistant", "content": text} for at, text in enumerate(said)]
    memory.observe(turns, thread=thread, session=session, **scope)  # type: ignore[arg-type]


def test_a_handoff_that_a_lost_session_was_offered_is_offered_again(memory: Memory) -> None:
    talk(memory, "We need to replace the bilge pump.", "I'll order the bilge pump from Kiel.")
    memory.session_start("dredger", session="one")
    memory.session_end("one")
    assert memory.handoff_read("dredger").state == "written"
    lost = memory.session_start("dredger", session="two")
    assert (lost.handoff, lost.previous) == ("offered", "ended")
    third = memory.session_start("dredger", session="three")  # the second one died before its first turn
    assert (third.handoff, third.previous) == ("offered", "unfinished")
    assert "The session before never said that it ended" in third.warm_start
    assert "bilge pump" in third.warm_start
    assert memory.handoff_read("dredger").offered_to == "three"
    assert memory.handoff_consume("dredger", "three").state == "consumed"
    assert memory.session_start("dredger", session="four").handoff == "none"


def test_a_lease_that_ran_out_leaves_the_handoff_written(memory: Memory, clock: FixedClock) -> None:
    memory.handoff_write("dredger", note="The winch is borrowed until May.")
    memory.session_start("dredger", session="one")
    assert memory.handoff_read("dredger").state == "offered"
    clock.advance(days=1)
    assert memory.handoff_read("dredger").state == "written"


def test_only_the_session_it_was_offered_to_consumes_a_handoff(memory: Memory) -> None:
    memory.handoff_write("dredger")
    memory.session_start("dredger", session="one")
    assert memory.handoff_consume("dredger", "somebody else").state == "offered"


def test_a_thread_taken_up_after_a_week_starts_with_what_stands_open(memory: Memory, clock: FixedClock) -> None:
    talk(memory, "We should survey the north quay.", "I'll survey the north quay on Monday.",
         "Cancel the ferry timetable, the operator left.", "Understood.")  # fmt: skip
    memory.session_start("dredger", session="one")
    memory.session_end("one", how="shutdown")
    clock.advance(days=7)
    again = memory.session_start("dredger", session="two").warm_start
    assert again.index("north quay") < again.index("Given up")
    assert "ferry timetable" in again.split("Given up")[1]


def test_a_client_that_resumes_has_the_conversation_itself(memory: Memory) -> None:
    talk(memory, "We should survey the north quay.")
    assert not memory.session_start("dredger", session="one", source="resume").warm_start
    assert memory.session_start("dredger", session="one", source="compact").warm_start


def test_what_is_said_in_code_mode_is_never_in_a_chat(memory: Memory) -> None:
    code = memory.session_start("gauge", mode="code", project="harbour")
    chat = memory.session_start("lounge", mode="chat", project="harbour")
    assert (code.channel, chat.channel) == ("code", "talk")
    assert memory.session_start("stand", mode="booth", project="harbour").channel == "talk"
    talk(memory, "The staging token lives in vault drawer 9.", thread="gauge", project="harbour", channel=code.channel)
    asked = "Where does the staging token live?"
    assert "drawer 9" in memory.context(asked, project="harbour", channel=code.channel).text
    assert "drawer 9" not in memory.context(asked, project="harbour", channel=chat.channel).text
    assert "drawer 9" in memory.warm_start("gauge", project="harbour").text
    assert "drawer 9" not in memory.warm_start("lounge", project="harbour").text


def test_no_door_of_a_chat_tells_what_was_said_in_code_mode(memory: Memory, clock: FixedClock, tmp_path: Path) -> None:
    code = memory.session_start("gauge", mode="code", project="harbour")
    chat = memory.session_start("lounge", mode="chat", project="harbour")
    inside = {"project": "harbour", "channel": code.channel}
    for text in (
        "The staging token of Quillfeather lives in drawer Zanzibar.",
        "We should move Quillfeather to Zanzibar.",
        "My colleague Mara reviews Quillfeather in Zanzibar.",
    ):
        talk(memory, text, f"Noted: {text}", thread="gauge", session=code.session, **inside)
    kept = str(memory.remember("Quillfeather listens on port 7001 in Zanzibar.", **inside).id)
    memory.compacted("gauge", session=code.session, summary="Quillfeather needs forty workers in Zanzibar.", **inside)
    memory.session_end(code.session, project="harbour")
    clock.advance(days=40)
    memory.dream(only=("summaries", "gaps"))
    asked = "What of Quillfeather?"
    given = {"cue": asked, "message": asked, "question": asked, "topic": "Quillfeather", "name": "Quillfeather",
             "memory": kept, "source": kept, "target": kept, "memories": [kept]}  # fmt: skip

    def doors_that_tell(channel: str) -> set[str]:
        scope = {"project": "harbour", "channel": channel}
        found = set()
        for one in OPERATIONS:
            for thread in ("gauge", "lounge"):
                with suppress(PalazzoError):
                    if one.scoped and not one.writes and one.name != "export":
                        told = getattr(memory, one.name)(**sample(one, **given, thread=thread), **scope)
                        found |= {one.name} if "zanzibar" in str(told).lower() else set()
        file = tmp_path / f"{channel}.jsonl"
        memory.export(str(file), **scope)
        return found | ({"export"} if b"zanzibar" in file.read_bytes().lower() else set())

    known = doors_that_tell(code.channel)
    assert {
        "recall",
        "context",
        "list",
        "get",
        "why",
        "bridge",
        "warm_start",
        "summaries",
        "knows",
        "reason",
        "export",
    } <= known
    assert not doors_that_tell(chat.channel)


def test_what_is_said_in_a_chat_is_never_in_code_mode_and_a_robot_is_alone(memory: Memory) -> None:
    modes = {"chat": "talk", "code": "code", "robot": "robot"}
    for mode, channel in modes.items():
        assert memory.session_start(mode, mode=mode, project="harbour").channel == channel  # type: ignore[arg-type]
        said = f"The key of the {mode} shed hangs behind the {mode} door."
        talk(memory, said, thread=mode, project="harbour", channel=channel)
    for mode, channel in modes.items():
        texts = (
            memory.context("Where does the key of the shed hang?", project="harbour", channel=channel).text,
            memory.warm_start(mode, project="harbour").text,
        )
        for text in texts:
            assert [other for other in modes if f"behind the {other} door" in text] == [mode]


def test_sessions_without_a_name_are_named_by_person_day_and_number(memory: Memory) -> None:
    first, second = (memory.session_start("dredger", user_id="ida").session for _ in range(2))
    assert first != second
    assert first.rsplit("-", 1)[0] == second.rsplit("-", 1)[0]
    assert memory.session_start("barge", user_id="ole").session.split("-")[1] != first.split("-")[1]


def test_a_compaction_keeps_the_summary_and_counts(memory: Memory) -> None:
    talk(memory, "We must grease the swing bridge.", "The swing bridge is greased.")
    made = memory.compacted("dredger", session="one", summary="The swing bridge takes 40 kg of grease a year.")
    assert (made.compactions, made.kept, [item.state for item in made.items]) == (1, 1, ["done"])
    for _ in range(4):
        memory.compacted("dredger", session="one")
    assert memory.session_start("dredger", session="two").anew
    assert "40 kg" in memory.recall("How much grease does the swing bridge take?")[0].text


def test_a_checkpoint_tells_where_the_work_is(memory: Memory) -> None:
    memory.checkpoint("dredger", cwd="/srv/dredger", branch="spoil", ran=[{"command": "make lint", "exit_code": 1}])
    memory.checkpoint("dredger", ran=[{"command": "make test", "exit_code": 0}])
    text = memory.warm_start("dredger").text
    assert all(one in text for one in ("/srv/dredger", "spoil", "make lint`: exit code 1", "make test`: exit code 0"))


def test_a_thread_nobody_opened_cannot_be_closed(memory: Memory) -> None:
    with pytest.raises(NotFound):
        memory.thread_close("nowhere")
    memory.thread_open("dredger", title="The dredger of Husum")
    assert memory.thread_close("dredger").state == "closed"
    assert [one.title for one in memory.thread_list()] == ["The dredger of Husum"]


def test_a_plan_given_up_in_words_that_are_not_kept_is_given_up(memory: Memory) -> None:
    talk(memory, "We should rebuild the fog horn.", "I'll rebuild the fog horn.")
    memory.observe([{"role": "user", "content": "Forget I ever asked for the fog horn."}], thread="dredger")
    assert "open" not in {item.state for item in memory.bridge("dredger").items}


def test_a_plan_that_is_dropped_in_passing_is_given_up_and_no_word_of_it_is_lost(memory: Memory) -> None:
    talk(memory, "We should rebuild the fog horn.", "Noted.")
    talk(memory, "The fog horn is not worth the money, drop it.", "All right.")
    assert [(item.text, item.state) for item in memory.bridge("dredger").items] == [
        ("We should rebuild the fog horn.", "cancelled")
    ]
    assert any("rebuild the fog horn" in hit.text for hit in memory.recall("What did we want to do with the fog horn?"))


def test_everything_of_a_person_goes_with_them_pages_too(memory: Memory, tmp_path: Path) -> None:
    memory.session_start("berth", session="one", user_id="ida")
    talk(memory, "We should paint the berth of the Halcyon.", thread="berth", user_id="ida")
    memory.handoff_write("berth", session="one", note="Ask Ida Holm for the paint.", user_id="ida")
    memory.handoff_write("dredger", note="Ida Holm has the keys of the shed.")
    page = Path(memory.handoff_write("berth", user_id="ida").file)
    assert "Halcyon" in page.read_text()
    memory.forget_user("ida", yes=True)
    assert not page.exists()
    assert not any("berth" in str(one.thread) for one in memory.thread_list())
    assert memory.warm_start("berth", user_id="ida").text == ""


def test_no_byte_of_what_work_left_of_a_person_is_left_behind(tmp_path: Path) -> None:
    folder, ida = tmp_path / "palace", {"user_id": "ida"}
    with Memory(folder, embedder="none", upkeep=False, persona="seal, standing, dynamics") as memory:
        memory.session_start("berth", session="one", mode="code", **ida)
        for said, answer in (
            ("We should varnish the Halcyon before June.", "I'll varnish the Halcyon."),
            ("That is wrong, that is not like you, leave the Halcyon.", "Obviously the Halcyon is certain to float."),
        ):
            turns = [{"role": "user", "content": said}, {"role": "assistant", "content": answer}]
            memory.turn_end("berth", turns, session="one", **ida)
        ran = [{"command": "make halcyon", "exit_code": 2}] * 3
        memory.checkpoint(
            "berth", cwd="/src/halcyon", branch="halcyon", ran=ran, todos=[{"text": "Tar Halcyon"}], **ida
        )
        memory.compacted("berth", session="one", summary="The Halcyon takes nine tonnes of ballast.", **ida)
        memory.handoff_write("berth", session="one", note="Ask for the Halcyon.", **ida)
        shown = memory.attach("halcyon.txt", content="SGFsY3lvbg==", thread="berth", session="one", **ida)
        memory.observe_attachment(shown.receipt, "The Halcyon lies low.", **ida)
        (inquiry,) = memory.inquiries(**ida)
        memory.contemplate(inquiry.inquiry, **ida)
        memory.bundle_make("berth", **ida)
        memory.restart_begin("key-halcyon", "Go on with the Halcyon.", budget=1, **ida)
        memory.capture_task("watch", "The Halcyon draws four metres when she is loaded.", tools=2, **ida)
        memory.capture_skill("knots", "The knot of the Halcyon holds wet.", **ida)
        memory.capture_flow_node("load", "weigh", "The Halcyon loads at noon only, between the tides, by crane.", **ida)
        kinds = (memory.proposals(**ida), memory.receipts(thread="berth", **ida), memory.sessions("berth", **ida))
        assert all(map(list, kinds))
        assert memory.forget_user("ida", yes=True).done
        left = (path for path in folder.rglob("*") if path.is_file() and b"halcyon" in path.read_bytes().lower())
        assert not [path.name for path in left]
        assert (memory.dynamics("berth", **ida).updates, memory.standing("ida", **ida).turns) == (0, 0)


HANDING_ON = """
import os, shutil, sys
from pathlib import Path

before, root = map(Path, sys.argv[1:3])
sys.path[:] = sys.argv[3:]

from palazzo import Memory
from tests.recovery.disk import Disk, worth_walking

def hand_on(folder, kill_at):
    shutil.copytree(before, folder)
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    disk = Disk(folder, kill_at=kill_at)
    disk.watch()
    with Memory(folder, embedder="none", upkeep=False) as memory:
        memory.handoff_write("dredger", note="note 1 " + "spoil " * 2000)
    if not kill_at:
        pages = sum(event.path.startswith("handoffs") for event in disk.events)
        print(pages, *worth_walking(disk.events), flush=True)
    os._exit(0)

print(hand_on(root / "0", 0), flush=True)
for number in map(int, sys.stdin.readline().split()):
    print(hand_on(root / str(number), number), flush=True)
"""


def test_a_process_killed_at_any_file_operation_of_a_handoff_leaves_a_whole_page_and_a_whole_handoff(
    tmp_path: Path,
) -> None:
    before = tmp_path / "palace"
    with Memory(before, embedder="none", upkeep=False) as made:
        made.handoff_write("dredger", note="note 0 " + "spoil " * 2000)
    child = subprocess.Popen(
        [sys.executable, "-c", HANDING_ON, str(before), str(tmp_path), *sys.path], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdin is not None
    assert child.stdout is not None
    pages, *numbers = map(int, child.stdout.readline().split())
    assert pages >= 3  # the page is made beside, synced and put in place
    told, _ = child.communicate(" ".join(map(str, numbers)) + "\n")
    assert told.split() == ["0", *["-9"] * len(numbers)]
    seen = set()
    for number in numbers:
        (page,) = tmp_path.joinpath(str(number), "handoffs").rglob("*.md")
        assert page.read_text().count("\n- note: note") == 1
        assert page.read_text().endswith("\n")
        with Memory(tmp_path / str(number), embedder="none", upkeep=False) as again:
            found = again.handoff_read("dredger")
        assert (found.state, found.text.count("note: note")) == ("written", 1)
        seen.add((page.read_text().partition("- note: ")[2][:6], found.text.partition("note: ")[2][:6]))
    assert {("note 0", "note 0"), ("note 1", "note 1")} <= seen  # some were killed before it, and some behind it


def test_a_hundred_switches_between_agents_lose_no_slot(tmp_path: Path, clock: FixedClock) -> None:
    held: dict[str, set[str]] = {"pilot": set(), "keeper": set()}
    for number in range(100):  # each by a memory that is opened anew; now and then an agent takes up one thing more
        agent = ("pilot", "keeper")[number % 2]
        with Memory(tmp_path / "palace", embedder="none", clock=clock, upkeep=False) as memory:
            if number % 30 < 2:
                lamp = memory.remember(f"Lamp {number} of the {agent} burns until {number}.", place="work.lamps")
                memory.mind_hold(str(lamp.id), agent_id=agent)
                held[agent].add(str(lamp.id))
            assert {str(slot.memory) for slot in memory.mind(agent_id=agent).slots} == held[agent]
    assert {agent: len(lamps) for agent, lamps in held.items()} == {"pilot": 4, "keeper": 4}


def test_a_thread_nobody_began_is_an_error_that_names_those_called_nearly_so(memory: Memory) -> None:
    with pytest.raises(NotFound, match="'dredgr'") as missing:
        memory.bridge("dredgr")
    assert missing.value.hint == "no thread was begun yet"
    talk(memory, "We need to replace the bilge pump.")
    assert memory.bridge("dredger").turns == 1
    memory.thread_open("dredger")
    memory.thread_open("empty")
    assert memory.bridge("empty").turns == 0
    with pytest.raises(NotFound) as missing:
        memory.bridge("dredgr")
    assert missing.value.hint == "there is dredger"


def test_a_thread_that_one_project_alone_has_is_found_and_one_of_two_is_asked_about(memory: Memory) -> None:
    memory.thread_open("pump", project="harbour")
    talk(memory, "We need to replace the bilge pump.", thread="pump", project="harbour")
    found = memory.bridge("pump")
    assert (found.turns, found.scope) == (1, "project:harbour")
    assert memory.bridge("pump", project="harbour").scope == ""
    memory.thread_open("pump", project="mill")
    with pytest.raises(NotFound) as missing:
        memory.bridge("pump")
    assert {"project harbour", "project mill"} == {*str(missing.value.hint).partition(": ")[2].split(", or ")}
