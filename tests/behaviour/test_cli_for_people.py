"""What a person reads who types commands: sentences, short ids, no JSON and no Python unless asked for."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from palazzo import Memory
from palazzo.errors import Conflict, InvalidInput
from palazzo.surfaces.cli.commands import main
from palazzo.surfaces.cli.tables import render

SHORT = re.compile(r"\b[0-9a-f]{8}\b")


class Person:
    """Types commands into a pipe, as most scripts and agents do."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)
        self.types("init")

    def types(self, *words: str, code: int = 0) -> str:
        result = CliRunner().invoke(main, [*words, "--palace", self.folder])
        assert result.exit_code == code, result.output
        assert not result.output.startswith(("{", "["))
        return result.output


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path / "palace")


def test_remembering_is_answered_in_a_sentence_with_place_and_what_was_replaced(person: Person) -> None:
    first = person.types("remember", "I live in Porto.")
    assert re.fullmatch(r"Kept [0-9a-f]{8} in life\.places, as residence\.\n", first)
    second = person.types("remember", "I moved: I live in Lisbon now.")
    assert "It replaces I live in Porto." in second
    assert person.types("remember", "ok").startswith("Not kept")


def test_the_short_id_that_list_and_recall_show_is_taken_by_every_command(person: Person) -> None:
    person.types("remember", "I am allergic to peanuts.")
    person.types("remember", "My sister is called Clara.")
    listed = SHORT.findall(person.types("list"))
    recalled = SHORT.findall(person.types("recall", "what must I not eat?"))
    assert recalled[0] in listed
    assert "I am allergic to peanuts." in person.types("get", recalled[0])
    assert "peanuts" in person.types("why", recalled[0])
    assert "peanuts" in person.types("history", recalled[0])
    person.types("forget", recalled[0])
    assert recalled[0] not in person.types("list")


def test_a_short_id_may_be_written_from_either_end_and_must_mean_one_memory(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace", embedder="none") as memory:
        notes = [{"text": f"Jar {n} stands on shelf {n}.", "verbatim": True} for n in range(40)]
        kept = [str(one) for one in memory.remember_many(notes).memories]
        chosen = kept[7]
        assert str(memory.get(chosen[-8:]).id) == chosen
        assert str(memory.get(chosen[:34]).id) == chosen
        assert str(memory.get(chosen[-8:].upper()).id) == chosen
        with pytest.raises(Conflict):
            memory.get(chosen[:8])
        with pytest.raises(InvalidInput):
            memory.get("ffffffffffff")
        hidden = str(memory.remember("A jar of Ben's.", verbatim=True, user_id="ben").id)
        with pytest.raises(InvalidInput):
            memory.get(hidden[-8:], user_id="ada")


def test_json_and_palace_may_stand_anywhere_on_the_line(person: Person) -> None:
    person.types("remember", "The kettle is broken.")
    for words in (
        ["--json", "--palace", person.folder, "recall", "kettle"], ["recall", "kettle", "--json", "--palace",
        person.folder], ["recall", f"--palace={person.folder}", "--limit", "3", "--json", "kettle"],
    ):  # fmt: skip
        result = CliRunner().invoke(main, words)
        assert json.loads(result.stdout)["hits"][0]["text"] == "The kettle is broken."
    odd = CliRunner().invoke(main, ["--palace", person.folder, "remember", "--", "--json"])
    assert "--json" in odd.output or odd.exit_code == 0


def test_nothing_a_person_sees_is_a_python_value(person: Person) -> None:
    person.types("remember", "The kettle is broken.")
    for words in (
        ["status"],
        ["jobs"],
        ["list"],
        ["recall", "kettle"],
        ["doctor"],
        ["health"],
        ["places"],
        ["settings"],
    ):
        said = person.types(*words)
        assert not re.search(r"UUID\(|datetime\.|\{'|\('|<palazzo|None\b", said), (words, said)


def test_a_new_palace_is_well_and_an_unknown_thing_is_said_to_be_unknown(person: Person) -> None:
    assert "warning" not in person.types("doctor")
    assert "Nothing is known about that." in person.types("recall", "the boiling point of tungsten")


def test_what_goes_wrong_is_one_line_without_a_traceback(person: Person) -> None:
    for words in (["get", "nothing of the sort"], ["recall", "x", "--as-of", "someday"], ["forget", "ffffffff"]):
        ran = subprocess.run(
            [sys.executable, "-m", "palazzo", "--palace", person.folder, *words], capture_output=True, text=True
        )
        assert ran.returncode == 2
        assert "Traceback" not in ran.stderr
        assert ran.stderr.strip()


def test_what_a_newcomer_gets_wrong_is_said_with_the_next_step(tmp_path: Path) -> None:
    def said(*arguments: str) -> str:
        done = CliRunner().invoke(main, ["--palace", str(tmp_path / "palace"), *arguments])
        assert done.exit_code == 2, done.output
        assert done.exception is None or isinstance(done.exception, SystemExit), "no traceback"
        return done.stderr

    (tmp_path / "file").write_text("no folder")
    assert "no palace can be made" in said("init", str(tmp_path / "file" / "palace"))
    assert CliRunner().invoke(main, ["--palace", str(tmp_path / "palace"), "init"]).exit_code == 0
    assert "`palazzo list` shows ids" in said("get", "12345678")
    assert "wants a whole number" in said("setting-put", "cache_mb", "lots")
    (tmp_path / "turns.jsonl").write_text('{"role": "user"}\n')
    assert '"content"' in said("observe", str(tmp_path / "turns.jsonl"))
    (tmp_path / "empty.jsonl").write_text("")
    empty = CliRunner().invoke(main, ["--palace", str(tmp_path / "palace"), "observe", str(tmp_path / "empty.jsonl")])
    assert re.search(r"turns +0", empty.output)


def test_a_recall_of_which_nothing_is_relevant_enough_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Memory(tmp_path / "palace", embedder="none") as memory:
        memory.remember("The staging server is called Otter.")
        found = memory.recall("the staging server")
    render(found)
    assert "None of these" not in capsys.readouterr().out
    render(replace(found, hits=tuple(replace(hit, match="minimal", relevance=0.01) for hit in found)))
    assert "None of these is relevant enough" in capsys.readouterr().out


def test_whatever_a_command_tells_of_a_memory_is_whole_and_in_words(person: Person, tmp_path: Path) -> None:
    (tmp_path / "plan.txt").write_text("step one")
    ship = SHORT.findall(person.types("remember", "The ferry to Bergen leaves at nine.", "--kind", "fact"))[0]
    port = SHORT.findall(person.types("remember", "The harbour of Bergen is called Vaagen.", "--kind", "fact"))[0]
    person.types("register", "Crossing Plan", "Work Trips", "How we cross.", "--file", str(tmp_path / "plan.txt"))
    assert "plan.txt" in person.types("get", "work-trips/crossing-plan.asset?a=plan.txt")
    assert "ferry" in person.types("bundle", "Summer Trip", "life", "--add", ship)
    assert "ferry" in person.types("members", "Summer Trip")
    person.types("relate", ship, port, "--kind", "depends_on")
    assert person.types("unrelate", ship, port, "--kind", "depends_on").startswith("no longer: ")
    assert person.types("walk", port) == "nothing is linked with it this way\n"
    person.types("deprecate", ship)
    assert "believed no longer" in person.types("get", ship, "--include-deprecated")
    assert "believed no longer" in person.types("list", "--include-deprecated")


def test_what_follows_is_told_with_what_it_follows_from(person: Person) -> None:
    person.types("expand", "if weather = rain then travel = bus")
    person.types("expand", "weather = rain")
    told = person.types("holds", "travel = bus")
    assert told.startswith("it holds\n")
    assert "user weather rain" in told


def test_an_operations_own_name_is_its_command_too_and_one_of_several_is_called_by_its_singular(person: Person) -> None:
    assert person.types("token_list") == person.types("token", "list") == person.types("plans") == "none\n"
    kept = SHORT.findall(person.types("remember", "The cellar light is broken."))[0]
    assert "1 memories would be erased" in person.types("burn", "--memory", kept, code=1)
    assert "nothing was erased" in person.types("burn", "--subject", "agent:nobody", code=1)
    assert "One of grant, lock" in " ".join(person.types("plan", "--help").split())


def test_things_are_given_as_json_on_the_line_or_in_a_file(person: Person, tmp_path: Path) -> None:
    source = json.dumps([{"kind": "url", "reference": "https://harbour.example/kiln", "excerpt": "1240"}])
    (tmp_path / "sources.json").write_text(source)
    for given in (source, str(tmp_path / "sources.json")):
        assert "candidate: The kiln fires" in person.types("propose", f"The kiln fires at {len(given)} degrees.", given)


def test_what_is_far_off_is_counted_and_not_shown_below_what_fits(person: Person) -> None:
    person.types("remember", "The staging database of Harbor listens on port 6543.")
    person.types("remember", "I am allergic to walnuts.")
    told = person.types("recall", "which port does the Harbor staging database use")
    assert "6543" in told
    assert "walnuts" not in told
