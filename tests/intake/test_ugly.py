"""Text as it really comes: huge, mixed, marked up, broken, hostile. Nothing is lost, nothing hangs, spans stay true."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.intake.conftest import Palace

from palazzo.errors import InvalidInput
from palazzo.intake.extract import extract, judge
from palazzo.intake.screen import Desk, admit, screen
from palazzo.intake.split import DRAWN, parts, split
from palazzo.intake.values import Policy
from palazzo.model.kinds import KindTable
from palazzo.model.memory import TEXT_LIMIT_BYTES
from palazzo.model.message import Message
from palazzo.store.sqlite import care
from palazzo.testing.clock import FixedClock

UGLY = {
    "right to left": "אני גר בחיפה. أعيش في القاهرة منذ عام 2019.",
    "mixed scripts": "I live in 東京 and мой кот называется Барсик. 我喜欢绿茶。",
    "emoji": "I moved to Oslo 🎉🎉 and adopted a dog 🐶!!! 👩‍👩‍👧‍👦",
    "only emoji": "🎉🎉🎉",
    "nested quotes": "She said \"he said 'they told me “I live in Rome”' yesterday\". I live in Bonn.",
    "code": "Here is it:\n```python\ndef f(x):\n    return {'a': x}\n```\nI use pytest for tests.",
    "unclosed code": "I use Rust for it.\n```\nlet x = 1;",
    "html": "<p>I live in <b>Bonn</b> &amp; like <a href='https://example.org'>tea</a>.</p><script>alert(1)</script>",
    "markdown": "# Plans\n- I moved to Oslo\n- **I like tea**\n> quoted\n\n| a | b |\n|---|---|",
    "only punctuation": "?!... --- ***",
    "one word": "Oslo",
    "windows lines": "I live in Bonn.\r\nI like tea.\r\n",
    "no spaces": "a" * 3000,
    "zero width": "I li\u200bve in Bo\u200dnn.",
    "combining": "I like cafe\u0301 au lait in Zu\u0308rich.",
    "numbers": "1 2 3 4 5 6 7 8 9 10 3.14159 1e-9 0x1F",
    "json": '{"name": "x", "items": [1, 2, {"a": null}], "text": "I live in Bonn."}',
    "shouting": "I LIVE IN BONN AND I LOVE TEA!!!!!!!!",
    "unusual spaces": "I\u00a0live\u2003in\u3000Bonn.",
    "sql": "Robert'); DROP TABLE memory;-- I live in Bonn.",
    "wildcards": 'NEAR("tea" OR *) AND -I% _like_ tea^2',
}


@pytest.mark.parametrize("name", UGLY)
def test_a_turn_is_kept_word_for_word_and_fully_accounted_for(palace: Palace, name: str) -> None:
    text = UGLY[name]
    (intake,) = palace.observe(text).intakes
    (turn,) = [m for m in palace.memories(turns=True) if m.kind == "exchange"]
    assert turn.text == text
    covered = {at for fate in intake.fates for at in range(fate.start, fate.end)}
    assert {at for at, sign in enumerate(text) if sign.isalnum()} <= covered
    assert care.verify(palace.store) == []


@pytest.mark.parametrize("name", UGLY)
def test_what_was_asked_to_be_kept_can_be_read_again(palace: Palace, name: str) -> None:
    palace.remember(UGLY[name])
    assert UGLY[name].strip() in [text.strip() for text in palace.texts(turns=True)]


def test_a_megabyte_is_kept_in_parts_that_fit_and_join_again(palace: Palace) -> None:
    sentence = "On day {} I walked from Bonn to Kiel and saw storks over the river. "
    text = "".join(sentence.format(n) for n in range(15_000))
    assert len(text) > 1_000_000
    palace.observe(Message(text=text, thread="long", role="assistant"))
    turns = palace.memories(turns=True)
    assert all(len(m.text.encode()) <= TEXT_LIMIT_BYTES for m in turns)
    assert "".join(m.text for m in turns) == text


def test_a_long_remembered_text_is_one_document_with_sections_and_a_bounded_number_of_statements(
    palace: Palace,
) -> None:
    text = " ".join(f"Rule {n}: always check the valve number {n} before the shift." for n in range(400))
    result = palace.remember(text)
    assert 100 < len(result.memory_ids) <= 1 + DRAWN
    kept = palace.memories()
    assert [m.text for m in kept if m.kind == "document"] == [text]
    assert " ".join(m.text for m in kept if m.kind == "section") == text
    assert {fate.memory_id for fate in result.fates} <= {m.id for m in kept}


@pytest.mark.parametrize("data", [b"\x00\x01\x02\xff".decode("latin-1"), "PK\x03\x04", "\x1b[2J", "a\x07b"])
def test_binary_data_is_refused_with_the_position(palace: Palace, data: str) -> None:
    with pytest.raises(InvalidInput, match="position"):
        palace.observe(data)


def test_bytes_are_not_text(palace: Palace) -> None:
    with pytest.raises(InvalidInput):
        palace.observe(Message(text=b"I live in Bonn."))  # type: ignore[arg-type]


def test_an_unsplittable_run_is_refused_and_one_in_a_script_without_spaces_is_not(palace: Palace) -> None:
    with pytest.raises(InvalidInput, match="without a break"):
        palace.remember("QUJD" * 3000)
    palace.remember("我喜欢绿茶。" * 1000)
    assert "我喜欢绿茶。" * 1000 in palace.texts()


@given(st.text(max_size=30_000))
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None)
def test_parts_cover_a_text_in_order_and_fit(text: str) -> None:
    text = text.encode(errors="ignore").decode() * 5
    if not text:
        return
    spans = list(parts(text))
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(0 < len(text[start:end].encode()) <= TEXT_LIMIT_BYTES for start, end in spans)


@given(st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=300))
@settings(max_examples=150, deadline=None)
def test_no_text_breaks_a_stage(text: str) -> None:
    if text.isspace() or "\ufffe" in text or "\uffff" in text:
        return
    for manner in ("observe", "remember"):
        desk = Desk(manner, Policy(), KindTable(), FixedClock.START_US)  # type: ignore[arg-type]
        letters, _ = screen(admit([Message(text=text)], desk))
        drafts, _ = split(letters)
        kept, _ = judge(drafts)
        for draft in extract(kept):
            assert 0 <= draft.start < draft.end <= len(letters[0].text)
            assert draft.text
