"""Bundle and Markdown archive: records go through them unchanged, and files that are at fault are told apart."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from palazzo.errors import InvalidInput
from palazzo.model.memory import Detail, TagMove
from palazzo.model.message import Turn
from palazzo.model.record import Record, RecordedEdge, RecordedNode, RecordedRevision, RecordedSource
from palazzo.porting import bundle, markdown_archive

ID = UUID("01900000-0000-7000-8000-000000000001")
OTHER = UUID("01900000-0000-7000-8000-000000000002")


def record(text: str = "The lake is deep.", **more: object) -> Record:
    source = RecordedSource(node=RecordedNode(kind="message", at_us=5, label="chat", author="operator"), start=0, end=4)
    made = Record(
        id=ID, place="life.places", name="lake", kind="fact", created_us=1,
        revisions=(
            RecordedRevision(number=1, created_us=1, text="The lake is shallow.", sources=(source,)),
            RecordedRevision(number=2, created_us=2, text=text, detail=Detail(topics=("water",)), valid_from_us=0),
        ),
        tags=(TagMove("current", 1, 1, 2), TagMove("current", 2, 2, None), TagMove("seen", 1, 1, None)),
        edges=(RecordedEdge(kind="supports", target=OTHER, weight=0.25, revision=2),),
        turn=Turn("thread", "session", 3, "Anna", "user"),
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


TEXTS = st.text(alphabet=st.characters(codec="utf-8"), min_size=1, max_size=200)


@given(TEXTS)
def test_a_record_goes_through_a_bundle_unchanged(text: str) -> None:
    lines = list(bundle.lines([record(text), record(text, id=OTHER)], {"palace": "x"}))
    assert bundle.check(lines) == 2
    assert list(bundle.records(lines)) == [record(text), record(text, id=OTHER)]
    assert list(bundle.split([b"".join(lines)[:70], b"".join(lines)[70:]])) == lines


@given(TEXTS)
def test_a_record_goes_through_a_markdown_archive_unchanged(text: str) -> None:
    with TemporaryDirectory() as folder:
        markdown_archive.write(Path(folder), [record(text)], {})
        assert list(markdown_archive.read(Path(folder))) == [record(text)]


@pytest.mark.parametrize(
    "text", ["---\n\nid: x\n---\n", "<!-- palazzo {} -->", "a\n\n<!-- palazzo {} -->\n", "\n\n---\n\n"]
)
def test_a_text_that_looks_like_the_page_around_it_is_only_text(tmp_path: Path, text: str) -> None:
    markdown_archive.write(tmp_path, [record(text)], {})
    assert list(markdown_archive.read(tmp_path)) == [record(text)]


def test_a_page_shows_what_matters_in_front_and_the_text_as_it_is(tmp_path: Path) -> None:
    markdown_archive.write(tmp_path, [record()], {})
    page = (tmp_path / "life/places/lake.fact.md").read_text()
    assert page.startswith(f"---\nid: {ID}\nkind: fact\nplace: life.places\n")
    assert "\n---\n\nThe lake is deep.\n\n<!-- palazzo {" in page
    assert f'links: ["supports {OTHER}"]' in page
    assert "revision: 2 of 2" in page


def test_a_text_corrected_by_hand_is_what_is_read(tmp_path: Path) -> None:
    markdown_archive.write(tmp_path, [record()], {})
    path = tmp_path / "life/places/lake.fact.md"
    path.write_text(path.read_text().replace("The lake is deep.", "The lake is very deep."))
    (found,) = markdown_archive.read(tmp_path)
    assert isinstance(found, Record)
    assert found.current.text == "The lake is very deep."


def test_two_memories_of_one_address_get_a_file_each(tmp_path: Path) -> None:
    markdown_archive.write(tmp_path, [record(), record(id=OTHER, scope="user:anna")], {})
    assert {found.id for found in markdown_archive.read(tmp_path) if isinstance(found, Record)} == {ID, OTHER}


@pytest.mark.parametrize("place", ["../../etc", "a/b", ".", "A B"])
def test_a_place_that_would_lead_out_of_the_folder_is_refused(tmp_path: Path, place: str) -> None:
    with pytest.raises(InvalidInput):
        markdown_archive.write(tmp_path, [record(place=place)], {})
    assert list(tmp_path.iterdir()) == []


def test_a_bundle_that_was_cut_off_is_refused_before_its_first_record(tmp_path: Path) -> None:
    lines = list(bundle.lines([record(), record(id=OTHER)], {}))
    for cut in (lines[:-1], lines[:2], lines[:1], [*lines[:1], *lines[2:]], [], [*lines[:-1], lines[-1][:3]]):
        with pytest.raises(InvalidInput):
            bundle.check(cut)


@pytest.mark.parametrize(
    "line",
    [
        b"not json\n", b"[]\n", b"{}\n", b'{"id": "x"}\n', b"[" * 50_000 + b"\n",
        b'{"id":"01900000-0000-7000-8000-000000000001","place":1,"name":"a","kind":"fact","created_us":1,"revisions":[]}\n',
    ],
)  # fmt: skip
def test_a_line_that_is_no_record_is_named_and_the_others_are_read(line: bytes) -> None:
    good = list(bundle.lines([record()], {}))
    found = list(bundle.records([good[0], line, good[1], good[2]]))
    assert isinstance(found[0], bundle.UnreadableLine)
    assert found[0].entry == "line 2"
    assert found[1] == record()
