"""Markdown folders: front matter, links, tags, headings, daily notes, code, and what is passed over."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from palazzo.porting import notes
from palazzo.porting.files import Entry, Limits, Unread

NOW = 1_800_000_000_000_000


def vault(folder: Path, **files: str) -> Path:
    root = folder / "vault"
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".md").write_text(text, "utf-8")
    return root


def entries(path: Path) -> dict[str, Entry]:
    return {item.id: item for item in notes.read(path, NOW) if isinstance(item, Entry)}


def test_a_note_has_its_title_time_tags_and_links(tmp_path: Path) -> None:
    root = vault(
        tmp_path,
        garden="---\ntitle: The garden\ntags: [plants, home/green]\ndate: 2024-03-02\n---\n"
        "Beans by [[people/Mira|Mira]]. #spring",
        people__Mira="Mira helps. See ![[garden#beds]] and [it](../garden.md).",
    )
    found = entries(root)
    garden = found["garden.md"]
    assert garden.at_us == 1_709_337_600_000_000
    assert garden.text.startswith("The garden\n\nBeans")
    assert {m.name for m in garden.mentions} == {"The garden", "plants", "home/green", "spring"}
    assert garden.links == ("people/Mira.md",)
    assert found["people/Mira.md"].links == ("garden.md",)
    assert garden.relations[0].predicate == "links to"


def test_a_daily_note_is_of_its_day(tmp_path: Path) -> None:
    (note,) = entries(vault(tmp_path, **{"2024-05-01": "Rain all day."})).values()
    assert note.at_us == 1_714_521_600_000_000


def test_code_holds_no_links_tags_or_headings(tmp_path: Path) -> None:
    text = (
        "# Setup\n\n```sh\n# not a heading\ncurl [[nothing]] #notag\n```\nUse `[[inline]]` and #real.\n" + "word " * 500
    )
    found = entries(vault(tmp_path, setup=text))
    (note,) = found.values()
    assert note.links == ()
    assert {m.name for m in note.mentions} == {"Setup", "real"}
    assert "curl [[nothing]]" in note.text


def test_a_long_note_is_one_entry(tmp_path: Path) -> None:
    text = "# Book\n\nIntro.\n\n## One\n\n" + "first " * 300 + "\n\n## Two\n\n" + "second " * 300
    found = entries(vault(tmp_path, book=text))
    assert {path: entry.text for path, entry in found.items()} == {"book.md": text.strip()}


def test_a_changed_note_keeps_its_title_and_one_of_another_folder_has_another(tmp_path: Path) -> None:
    root = vault(tmp_path, plan="Buy seeds.")
    before = entries(root)["plan.md"]
    after = entries(vault(tmp_path, plan="Buy seeds and soil."))["plan.md"]
    assert before.title == after.title == "vault/plan.md"
    assert before.text != after.text
    other = root.rename(tmp_path / "other")
    assert entries(other)["plan.md"].title == "other/plan.md"


def test_front_matter_is_kept_as_fields_and_says_something_of_what_the_note_is_about(tmp_path: Path) -> None:
    text = "---\ntitle: Barn owl\ntags: [birds]\nwingspan: 90 cm\nfeeds on:\n  - voles\n  - mice\n---\nNests in lofts."
    (note,) = entries(vault(tmp_path, owl=text)).values()
    assert note.metadata == {
        "title": "Barn owl", "tags": "birds", "wingspan": "90 cm", "feeds on": ["voles", "mice"],
    }  # fmt: skip
    assert note.facts == ("Barn owl's wingspan is 90 cm.", "Barn owl's feeds on is voles, mice.")


def test_links_out_of_the_folder_hidden_folders_and_binary_files_are_passed_over(tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("Private words.")
    root = vault(tmp_path, kept="Kept words.", **{".obsidian__workspace": "{}"})
    (root / "link.md").symlink_to(outside)
    (root / "folder").symlink_to(tmp_path)
    (root / "binary.md").write_bytes(b"\x00\x01\x02" * 50)
    (root / "empty.md").write_text("---\ntitle: x\n---\n")
    found = list(notes.read(root, NOW))
    assert [i.id for i in found if isinstance(i, Entry)] == ["kept.md"]
    assert {i.id for i in found if isinstance(i, Unread)} == {"binary.md", "empty.md"}


def test_a_note_over_the_limit_is_named(tmp_path: Path) -> None:
    root = vault(tmp_path, big="word " * 1000, small="Small.")
    found = list(notes.read(root, NOW, Limits(entry_bytes=100)))
    assert [i.id for i in found if isinstance(i, Unread)] == ["big.md"]
    assert [i.id for i in found if isinstance(i, Entry)] == ["small.md"]


@given(st.text(max_size=300))
def test_front_matter_never_loses_the_text_after_it(text: str) -> None:
    body = "Body stays."
    fields, rest = notes.front_matter(f"---\nkey: value\n---\n{body}{text}")
    assert rest.startswith(body)
    assert fields == {"key": ["value"]}
