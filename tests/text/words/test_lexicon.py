from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import palazzo
from palazzo.text.words.lexicon import ENGLISH, EVERY_LANGUAGE, Page, Patterns, has_page, page

ROOM = Path(palazzo.__file__).parent
DATA = ROOM / "text" / "data"
PAGES = [(path.parent.name, path.stem) for path in sorted(DATA.glob("*/*.toml"))]
CALL = re.compile(r"\.(?:words|phrases|in_order|listings?|labelled|rows|table|pattern)\(\s*['\"](\w+)['\"]")
LISTED = re.compile(
    r"(?:_numbered|_weighted|_pairs|_situations|listed_cues|_compiled|_any|_words)\((?:\w+, )?[\"'](\w+)[\"']"
)
SORTS = re.compile(r"^_SORTS: .*$", re.MULTILINE)
"""Entries that are gone through one after the other."""
NAMED = re.compile(r"(?<!<)<([a-z]+)\.([a-z_]+)>(?!>)")
PATTERNS = re.compile(r'Patterns\("(\w+)", "(\w+)"')
VALUE = re.compile(r"^\w+ = ['\"](\w+)['\"]$", re.MULTILINE)
"""An entry that another one of its page names by its value."""
QUOTED = re.compile(r"[\"'](\w+)[\"']")
PART = re.compile(r"<<=?([a-z_]+)(?:\.[a-z_]+)?>>")


def entries(name: str, language: str = ENGLISH) -> dict[str, object]:
    return tomllib.loads((DATA / language / f"{name}.toml").read_text("utf-8"))


def test_words_stand_between_spaces_and_phrases_between_commas() -> None:
    made = Page("birds", ENGLISH, {"songbirds": "wren\n robin  wren", "calls": "long  note, trill,\nshort\nnote,"})
    assert made.words("songbirds") == {"wren", "robin"}
    assert made.phrases("calls") == {"long note", "trill", "short note"}
    assert made.in_order("calls") == ("long note", "trill", "short note")


def test_a_pattern_is_made_from_its_parts_and_compiled_once() -> None:
    patterns = Patterns("addresses", "patterns", ENGLISH)
    found = patterns["unit"]
    assert found is patterns["unit"]
    assert found.search("12 Harbour Lane, Apt 4b")
    assert "<<" not in found.pattern
    assert "\n" not in found.pattern


@pytest.mark.parametrize(
    ("subject", "table", "language"),
    [
        ("addresses", "patterns", ENGLISH), ("medical", "patterns", ENGLISH), ("personal", "contact", EVERY_LANGUAGE),
        ("personal", "named", EVERY_LANGUAGE), ("secrets", "credentials", EVERY_LANGUAGE),
        ("secrets", "told_patterns", EVERY_LANGUAGE), ("secrets", "payments", EVERY_LANGUAGE),
        ("injection", "hidden", EVERY_LANGUAGE), ("injection", "neutral", EVERY_LANGUAGE),
    ],
)  # fmt: skip
def test_every_pattern_of_a_page_can_be_read(subject: str, table: str, language: str) -> None:
    patterns = Patterns(subject, table, language, re.IGNORECASE)
    assert all(patterns[name].search("") is None or patterns[name].pattern for name in patterns.names())


def test_an_entry_names_the_words_of_another_page() -> None:
    made = Page("tides", ENGLISH, {"when": "<calendar.weekdays> daybreak", "by": {"day": "<calendar.weekdays>"}})
    assert {"monday", "daybreak"} < made.words("when")
    assert made.labelled("by")["sunday"] == "day"


def test_the_first_label_that_names_a_word_keeps_it() -> None:
    made = Page("trees", ENGLISH, {"kinds": {"conifer": "larch pine", "deciduous": "oak larch"}})
    assert made.labelled("kinds") == {"larch": "conifer", "pine": "conifer", "oak": "deciduous"}


def test_what_is_handed_out_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        page("dates").listings("months")["13"] = "undecimber"  # type: ignore[index]


def test_an_entry_or_a_page_that_is_not_there_is_an_error() -> None:
    with pytest.raises(LookupError, match="no entry sirens in data/en/dates"):
        page("dates").words("sirens")
    with pytest.raises(FileNotFoundError):
        page("sirens")
    assert has_page("dates", ENGLISH)
    assert not has_page("sirens", ENGLISH)


def test_a_page_is_read_once() -> None:
    assert page("dates") is page("dates")


@pytest.mark.parametrize(("language", "name"), PAGES)
def test_words_that_an_entry_names_are_there(language: str, name: str) -> None:
    text = (DATA / language / f"{name}.toml").read_text("utf-8")
    for other, entry in NAMED.findall(text):
        assert entry in entries(other, language), f"{language}/{name}: <{other}.{entry}>"


def test_every_entry_has_a_reader() -> None:
    source = "\n".join(path.read_text("utf-8") for path in ROOM.rglob("*.py"))
    written = "\n".join(path.read_text("utf-8") for path in DATA.glob("*/*.toml"))
    asked = set(CALL.findall(source)) | set(LISTED.findall(source))
    asked |= {entry for line in SORTS.findall(source) for entry in re.findall(r'"(\w+)"', line)}
    asked |= {table for found in PATTERNS.findall(source) for table in (*found, "parts")}
    named = {entry for _, entry in NAMED.findall(written)} | set(PART.findall(written)) | set(VALUE.findall(written))
    modules = [path.read_text("utf-8") for path in ROOM.rglob("*.py")]
    by_page = {
        name: {word for module in modules if f'page("{name}"' in module for word in QUOTED.findall(module)}
        for _, name in PAGES
    }
    idle = [
        f"{language}/{name}: {entry}"
        for language, name in PAGES
        for entry in entries(name, language)
        if entry not in asked | named | by_page[name]
    ]
    assert not idle, " ".join(idle)


def test_what_holds_for_every_language_has_a_folder_of_its_own() -> None:
    assert has_page("languages", EVERY_LANGUAGE)
    assert not has_page("languages", ENGLISH)
