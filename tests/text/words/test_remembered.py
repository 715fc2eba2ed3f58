from __future__ import annotations

import weakref

from palazzo.text.words.remembered import forget_texts, kept_in, remembered


class Text(str):
    """A string that can be watched."""

    __slots__ = ("__weakref__",)


def test_what_was_remembered_of_texts_is_let_go() -> None:
    length = remembered(4)(len)
    text = Text("the ferry leaves at nine")
    seen = weakref.ref(text)
    assert length(text) == length(text) == 24
    del text
    assert seen() is not None
    forget_texts(None)
    assert seen() is None


class Keeping:
    """Something that keeps a text, as a palace's object does."""

    def __init__(self) -> None:
        self.text = "the ferry leaves at ten"

    def forget(self) -> None:
        self.text = ""


def test_an_object_lets_go_with_its_own_palace_and_is_not_kept_alive() -> None:
    class Palace:
        pass

    one, other = Palace(), Palace()
    mine, theirs, anybodys = Keeping(), Keeping(), Keeping()
    kept_in(mine, one)
    kept_in(theirs, other)
    kept_in(anybodys)
    forget_texts(one)
    assert (mine.text, theirs.text != "", anybodys.text) == ("", True, "")
    seen = weakref.ref(mine)
    del mine
    assert seen() is None
