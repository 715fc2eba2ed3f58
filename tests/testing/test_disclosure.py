"""Whatever hangs on an error is found: causes, contexts, arguments and attributes."""

from __future__ import annotations

import json

import pytest

from palazzo.testing.palace import everything_said


def fail_in_steps() -> None:
    try:
        json.loads("the document")
    except ValueError:
        try:
            raise KeyError("the context")
        except KeyError:
            raise RuntimeError("the error") from None


def test_causes_contexts_arguments_and_attributes_are_all_said() -> None:
    with pytest.raises(RuntimeError) as caught:
        fail_in_steps()
    said = everything_said(caught.value)
    assert all(words in said for words in ("the error", "the context", "the document"))
