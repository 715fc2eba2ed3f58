"""What is given by name stays what it was: an address is a promise, and a document is never replaced by another."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.errors import Conflict, InvalidAddress, InvalidInput, NotFound
from palazzo.testing.clock import FixedClock

BERTHS = {
    "berths/north.csv": "boat,berth,draught\nMarit,N4,1.8\nSkua,N9,2.1",
    "berths/south.csv": "boat,berth,draught\nAlma,S2,1.2\nSkua,S7,2.1",
    "berths/east.csv": "boat,berth,draught\nOdin,E1,3.0\nSkua,E3,2.1",
}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path, clock=FixedClock(datetime(2026, 5, 4, 9, tzinfo=UTC)), durable=False, upkeep=False) as made:
        yield made


def documents(memory: Memory) -> dict[str, str]:
    return {m.title: m.text for m in memory.list(kinds=("document",), limit=1000)}


@pytest.mark.parametrize("verbatim", [False, True])
def test_documents_of_other_names_stand_beside_each_other_however_alike_they_are(
    memory: Memory, verbatim: bool
) -> None:
    for name, text in BERTHS.items():
        memory.remember(text, name=name, verbatim=verbatim)
    assert documents(memory) == BERTHS


def test_the_same_text_under_two_names_is_two_documents(memory: Memory) -> None:
    for name in ("Minuta octubre", "Minuta noviembre"):
        memory.remember("Asistentes: Paz, Iker\nAcuerdos: ninguno", name=name)
    assert set(documents(memory)) == {"Minuta octubre", "Minuta noviembre"}


def test_the_same_name_again_is_a_further_revision_and_the_former_stays_in_the_history(memory: Memory) -> None:
    memory.remember("Kiln 2: 1040 degrees\nGlaze: ash", name="firing plan")
    memory.remember("Kiln 2: 1260 degrees\nGlaze: celadon", name="firing plan")
    held = memory.get("firing plan")
    assert (held.revision, held.text) == (2, "Kiln 2: 1260 degrees\nGlaze: celadon")
    assert memory.history("firing plan")[0].text.startswith("Kiln 2: 1040")
    assert len(documents(memory)) == 1


def test_a_name_without_a_place_is_the_same_memory_wherever_that_lives(memory: Memory) -> None:
    memory.remember("Bolts: M8\nTorque: 25 Nm", name="mast step")
    memory.move("mast step", place="work.rigging")
    memory.remember("Bolts: M10\nTorque: 48 Nm", name="mast step")
    assert memory.get("mast step").address.startswith("work.rigging/")
    assert len(documents(memory)) == 1


def test_another_place_is_another_memory_even_in_the_same_words(memory: Memory) -> None:
    for place in ("lab.alpha", "lab.beta"):
        memory.remember("The centrifuge runs at 4000 rpm.", place=place)
    assert {m.place for m in memory.list()} == {"lab.alpha", "lab.beta"}
    memory.remember("The centrifuge runs at 9000 rpm.", place="lab.beta")
    assert memory.list(place="lab.alpha")[0].text == "The centrifuge runs at 4000 rpm."


@pytest.mark.parametrize(
    "titles",
    [
        ("Heron.md", "heron.md", "heron md", "heron-md"),
        ("Ausrüstung", "Ausrustung", "ausrüstung"),
        ("航海日志", "航海日誌", "船舶日志"),
        ("a/b.txt", "a b txt", "a-b.txt", "a/b txt"),
        ("  ?!  ", "!?", "…"),
        ("x" * 300, "x" * 301),
    ],
)
def test_titles_in_any_words_never_share_an_address_and_each_finds_its_own(
    memory: Memory, titles: tuple[str, ...]
) -> None:
    for number, title in enumerate(titles):
        memory.remember(f"shelf: {number}\nrow: {number}", name=title)
    assert len({memory.get(title).address for title in titles}) == len(titles)
    for number, title in enumerate(titles):
        assert memory.get(title).title == title
        assert memory.get(title).text == f"shelf: {number}\nrow: {number}"


def test_a_document_is_found_by_its_title_and_by_any_line_in_it(memory: Memory) -> None:
    for name, text in BERTHS.items():
        memory.remember(text, name=name, verbatim=True)
    memory.remember("库存：螺丝\n负责人：王芳", name="仓库清单")
    memory.remember("库存：油漆\n负责人：李强", name="车间清单")
    for cue, title in (
        ("berths/south.csv", "berths/south.csv"),
        ("Which berth has Odin?", "berths/east.csv"),
        ("Which berth has Skua in the north?", "berths/north.csv"),
        ("车间清单", "车间清单"),
        ("螺丝", "仓库清单"),
    ):
        assert memory.recall(cue)[0].memory.title == title, cue


def test_no_statement_takes_the_place_of_a_document_and_no_document_that_of_a_statement(memory: Memory) -> None:
    memory.remember("Tariff sheet\nThe ferry to Rømø costs 14 euros.\nBikes are free.", name="tariff 2025")
    memory.remember("The ferry to Rømø costs 19 euros now.")
    memory.remember("Tariff sheet\nThe ferry to Rømø costs 23 euros.\nBikes cost 2 euros.", name="tariff 2027")
    kept = documents(memory)
    assert "14 euros" in kept["tariff 2025"]
    assert "23 euros" in kept["tariff 2027"]
    assert not any(m.deprecated for m in memory.list(limit=100))


def test_statements_of_a_document_point_back_to_it_and_go_when_an_edition_no_longer_has_them(memory: Memory) -> None:
    first = "Sæbø lodge\nHenrik lives in Ålesund. Marit works at the shipyard in Molde."
    memory.remember(first, name="lodge.txt")
    drawn = [m.text for m in memory.list(limit=100) if m.kind != "document"]
    assert any("Molde" in text for text in drawn)
    memory.remember("Sæbø lodge\nHenrik lives in Ålesund. The sauna is open on Sundays.", name="lodge.txt")
    left = [m.text for m in memory.list(limit=100) if m.kind != "document"]
    assert any("Ålesund" in text for text in left)
    assert not any("Molde" in text for text in left)


def test_a_name_that_two_places_have_is_told_apart_by_the_address(memory: Memory) -> None:
    for place in ("depot.lyon", "depot.nantes"):
        memory.remember(f"Opens: six\nSite: {place}", name="hours", place=place)
    with pytest.raises(Conflict, match="2 memories are called hours") as told:
        memory.get("hours")
    assert "depot.lyon/hours.document" in told.value.hint
    assert memory.get("depot.lyon/hours.document").place == "depot.lyon"


def test_a_name_nothing_has_is_not_found_and_a_blank_one_is_refused(memory: Memory) -> None:
    with pytest.raises((NotFound, InvalidInput)):
        memory.get("minutes/nobody.txt")
    with pytest.raises(InvalidInput, match="blank"):
        memory.remember("a: 1\nb: 2", name="   ")


def test_a_document_told_again_after_it_was_forgotten_keeps_one_address_from_then_on(memory: Memory) -> None:
    memory.remember("Wind: 12 kn\nTide: low", name="log 4 May")
    memory.forget("log 4 May")
    memory.remember("Wind: 15 kn\nTide: high", name="log 4 May")
    memory.remember("Wind: 21 kn\nTide: high", name="log 4 May")
    assert documents(memory) == {"log 4 May": "Wind: 21 kn\nTide: high"}


def test_updating_a_document_by_its_title_keeps_the_title(memory: Memory) -> None:
    memory.remember("Wifi: Perch\nFloor: 3", name="Guest info (EN)")
    memory.update("Guest info (EN)", text="Wifi: Kestrel\nFloor: 3")
    held = memory.get("Guest info (EN)")
    assert (held.title, held.revision, held.text) == ("Guest info (EN)", 2, "Wifi: Kestrel\nFloor: 3")


def test_a_named_sentence_is_one_memory_with_a_title(memory: Memory) -> None:
    memory.remember("The spare key is under the blue pot.", name="spare key")
    (held,) = memory.list()
    assert (held.title, held.text) == ("spare key", "The spare key is under the blue pot.")
    memory.remember("The spare key is at the bakery.", name="spare key")
    (held,) = memory.list()
    assert (held.revision, held.text) == (2, "The spare key is at the bakery.")


def test_a_megabyte_is_one_document_with_sections_and_few_statements(memory: Memory) -> None:
    pages = [
        f"## Ward {n}\n\nNurse {n % 97} oils the lift in ward {n} each May. The lamp in ward {n} takes bulb {n * 7}."
        for n in range(9_500)
    ]
    text = "\n\n".join(pages)
    assert len(text) > 1_000_000 - 60_000
    memory.remember(text, name="inventory.md")
    assert memory.get("inventory.md").text == text
    kinds = [m.kind for m in memory.list(limit=1000)]
    assert kinds.count("document") == 1
    assert 300 < kinds.count("section") < 800
    assert len(kinds) < 1000
    assert memory.recall("Which bulb does the lamp in ward 4711 take?")[0].text.count("ward 4711")
    (whole, *_) = memory.recall("inventory.md")
    assert whole.memory.kind == "document"
    assert (whole.tier, len(whole.text) <= 1_200, whole.text in text) == ("passage", True, True)


LEASE = """Lease of the boathouse
Berta Quist lives in Marstal. The rent is 410 euros a month.
Ottokar Brandt works at the smokehouse in Ærø."""


def test_a_forgotten_document_takes_what_was_drawn_from_it_along_and_brings_it_back(memory: Memory) -> None:
    memory.remember(LEASE, name="lease.txt")
    memory.remember("Berta Quist lives in Marstal.")
    assert len(memory.list(limit=100)) > 2
    memory.forget("lease.txt")
    assert [m.text for m in memory.list(limit=100)] == ["Berta Quist lives in Marstal."]
    memory.restore(str(memory.list(state="forgotten", kinds=("document",))[0].id))
    assert {m.kind for m in memory.list(limit=100)} >= {"document"}
    assert any("smokehouse" in m.text and m.kind != "document" for m in memory.list(limit=100))


def test_a_statement_burned_is_struck_out_of_its_document_and_its_section(memory: Memory, tmp_path: Path) -> None:
    rest = "\n\n".join(f"Clause {n}: the jetty is swept by the tenant before noon on day {n}." for n in range(80))
    memory.remember(f"{LEASE}\n\n{rest}", name="lease.txt")
    drawn = next(m for m in memory.list(limit=1000) if "smokehouse" in m.text and m.kind not in ("document", "section"))
    memory.burn(memories=[str(drawn.id)], yes=True)
    assert not any("smokehouse" in m.text for m in memory.list(limit=1000))
    assert memory.get("lease.txt").text.count("█") > 20
    assert "Clause 79" in memory.get("lease.txt").text


def test_a_document_burned_leaves_no_section_and_no_statement(memory: Memory) -> None:
    rest = "\n\n".join(f"Clause {n}: the jetty is swept by the tenant before noon on day {n}." for n in range(80))
    memory.remember(f"{LEASE}\n\n{rest}", name="lease.txt")
    memory.burn(memories=["lease.txt"], yes=True)
    assert list(memory.list(state="all", limit=1000)) == []


def test_a_place_may_be_told_in_any_words_and_another_is_another(memory: Memory) -> None:
    places = ("Projects/Atlas", "Projects/Borealis", "Küche", "Kuche", "work.atlas")
    for place in places:
        memory.remember(f"Budget: {len(place)}\nLead: {place}", name="overview", place=place)
    assert len(documents(memory)) == 1  # one title
    for place in places:
        (held,) = memory.list(place=place)
        assert held.text.endswith(place)
    assert memory.list(place="projects.atlas")[0].address == "projects.atlas/overview.document"
    with pytest.raises(InvalidAddress):
        memory.remember("a: 1", place="..a")


RAMBLE = """Right, before I forget any of it, here is how things stand with the allotment, in no order at all. We
took over plot 41 in March from a retired tram driver, Herr Vogt, who left us two rain barrels and a
great many opinions. The soil is heavy clay, so the carrots went into raised beds which my cousin Pavel
built from old scaffolding boards. The shed key is kept in the hollow brick behind the compost. Beans are
on the south fence, courgettes by the gate, and nobody may plant mint because it took over everything at
plot 17. The society wants 86 euros a year, payable to Frau Lindner in the kiosk. Noor waters on even
days and I do the odd ones. The wasp nest under the roof was taken away by a man called Szabo, and Edda
from next door paints the gate in May. If the pump sticks, you have to hit it twice with the mallet,
gently."""


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("Where is the shed key?", "hollow brick"),
        ("Who built the raised beds?", "Pavel"),
        ("How much does the society want a year?", "86 euros"),
        ("Who paints the gate?", "Edda"),
        ("What do I do if the pump sticks?", "mallet"),
        ("Who took the wasp nest away?", "Szabo"),
        ("Whom did we take over the plot from?", "Vogt"),
    ],
)
def test_every_fact_of_a_long_rambling_message_is_found_by_its_question(
    memory: Memory, asked: str, wanted: str
) -> None:
    memory.observe([RAMBLE])
    memory.observe(["I am allergic to wasps."])
    assert any(wanted in hit.text for hit in memory.recall(asked)[:3])


def test_a_document_is_known_by_what_it_is_called_and_by_an_identifier_in_it(memory: Memory) -> None:
    for ward, beds in (("icu", 12), ("maternity", 30)):
        memory.remember(f"beds: {beds}\nrota: weekly", name=f"wards/{ward}.toml", verbatim=True)
    memory.remember("15 4 * * 2 /opt/jobs/trim-images.py\n0 * * * * /opt/jobs/ping_probe.py", name="jobs of the box")
    assert "beds: 30" in memory.recall("How many beds does maternity have?")[0].text
    assert "15 4 * * 2" in memory.recall("When does trim-images.py start?")[0].text
