"""Lines and tables for people: they fit, they line up, and no remembered text drives the terminal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from palazzo.surfaces.cli.sheet import GAP, NARROWEST, Sheet, fitted, harmless, wide, wrapped


def written(width: int, heads: tuple[str, ...], *rows: tuple[str, ...]) -> list[str]:
    lines: list[str] = []
    Sheet(width, lines.append).table(heads, rows)
    return lines


def test_a_table_stands_under_its_heads() -> None:
    assert written(80, ("id", "memory"), ("a1", "The ferry leaves at nine."), ("b2", "Mira sails.")) == [
        "id  memory", "──  ─────────────────────────", "a1  The ferry leaves at nine.", "b2  Mira sails.",
    ]  # fmt: skip


def test_the_widest_column_gives_way_between_words() -> None:
    assert written(22, ("id", "memory"), ("a1", "The ferry leaves at nine today."))[2:] == [
        "a1  The ferry leaves", "    at nine today.",
    ]  # fmt: skip


def test_signs_of_double_width_line_up() -> None:
    lines = written(80, ("word", "next"), ("東京", "x"), ("ab", "y"))
    assert [wide(line) for line in lines[2:]] == [7, 7]


def test_no_remembered_text_drives_the_terminal() -> None:
    assert harmless("red \x1b[31malert\x07 \u202eturned\r\nnext\tline") == "red  [31malert   turned\nnext    line"
    lines: list[str] = []
    Sheet(80, lines.append).line("[bold]no markup[/] \x1b]0;title\x07")
    assert lines == ["[bold]no markup[/]  ]0;title "]


@given(st.lists(st.integers(1, 300), min_size=1, max_size=9), st.integers(20, 200))
def test_columns_fit_or_are_as_narrow_as_they_may_be(wanted: list[int], room: int) -> None:
    widths = fitted(wanted, room)
    assert all(width <= before for width, before in zip(widths, wanted, strict=True))
    assert sum(widths) + GAP * (len(widths) - 1) <= room or max(widths) <= NARROWEST


@given(st.text(st.characters(exclude_characters="\n"), max_size=120), st.integers(NARROWEST, 60))
def test_a_line_is_broken_without_losing_a_sign(text: str, width: int) -> None:
    lines = list(wrapped(text, width))
    assert all(wide(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
