"""Personal data sets the tier; medical statements are told from everyday talk about feeling well or unwell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.text.safety.personal import find_medical, find_personal, tier_of

ANY_TEXT = st.text(alphabet=st.characters(codec="utf-8"), max_size=300)


def found(text: str) -> list[tuple[str, str]]:
    return [(item.reason, text[item.start : item.end]) for item in find_personal(text)]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("reach me at jo.bloggs+x@mail.example.co.uk please", "jo.bloggs+x@mail.example.co.uk"),
        ("write to <help@example.org>.", "help@example.org"),
        ("admin@10.1.2.3 answered", "admin@10.1.2.3"),
        ("メールはuser@example.comです", "user@example.com"),
        ("post an post@müller.example.de", "post@müller.example.de"),
    ],
)
def test_a_mail_address_is_found_whole(text: str, address: str) -> None:
    assert ("email", address) in found(text)


@pytest.mark.parametrize("text", ["twitter @someone said hi", "not@mail is no address", "# route\n@app.route('/')"])
def test_an_at_sign_alone_is_not_a_mail_address(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "call me at (415) 555-0132 tonight",
        "+44 20 7946 0958 is the office",
        "my number is 0171 5550123",
        "Text 07700 900123 when you land",
        "Phone: 72 128 827",
        "Fax: 345-899-3560x4587",
        "電話は03-1234-5678です",
        "01.84.17.61.18",
    ],
)
def test_a_telephone_number_is_found(text: str) -> None:
    assert "phone" in [reason for reason, _ in found(text)]


@pytest.mark.parametrize(
    "text",
    [
        "the meeting is on 2024-01-15 at 10:30",
        "born in the 2019-2020 season",
        "order number 1234567890 shipped",
        "we sold 1 234 567 units",
        "The total is 1,234,567.89",
        "pages 100-200 in chapter 12",
        "version 1.2.3.4 is out",
        "my credit card number is 180045984582343",
    ],
)
def test_dates_amounts_and_identifiers_are_not_telephone_numbers(text: str) -> None:
    assert "phone" not in [reason for reason, _ in found(text)]


@pytest.mark.parametrize(
    "text",
    [
        "I live at 221B Baker Street, London",
        "12 rue de la Paix, Paris",
        "Ich wohne in der Hauptstraße 12",
        "Via Garibaldi 14 is closed",
        "calle Mayor 5, Madrid",
        "ship it to P.O. Box 1234",
        "〒150-0001 東京都渋谷区神宮前1-2-3",
        "my zip code is 94105",
        "somewhere near SW1A 1AA",
        "Springfield, IL 62704",
    ],
)
def test_a_postal_address_is_found(text: str) -> None:
    assert "address" in [reason for reason, _ in found(text)]


@pytest.mark.parametrize(
    "text",
    [
        "main street is closed",
        "exchanged drafts on May 7 via Google Docs",
        "see you at 5 on Monday",
        "the 12 best drives",
    ],
)
def test_a_street_or_a_number_alone_is_not_an_address(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I was born on March 3, 1985", "birth_date"),
        ("DOB: 1985-03-03", "birth_date"),
        ("Mein Geburtsdatum ist 03.03.1985", "birth_date"),
        ("生年月日は1985年3月3日", "birth_date"),
        ("the server is 84.23.11.9", "ip_address"),
        ("reach it over 2001:db8::17", "ip_address"),
        ("card 00:1B:44:11:3A:B7 on the lan", "ip_address"),
        ("my passport number is X1234567", "passport"),
        ("driver's license number: D123-4567-8901", "driver_licence"),
        ("we met at 52.52000, 13.40500", "location"),
    ],
)
def test_other_personal_data_carries_its_class(text: str, reason: str) -> None:
    assert reason in [kind for kind, _ in found(text)]


@pytest.mark.parametrize(
    "text", ["he was born in the summer", "std::vector and a::b", "127.0.0.1", "12:30:45 is the time"]
)
def test_look_alikes_are_not_personal_data(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "I was diagnosed with type 2 diabetes last year",
        "my mom has breast cancer",
        "I take 50 mg of sertraline every morning",
        "she is starting chemotherapy next week",
        "he had a heart attack in May",
        "my blood pressure is 140/90",
        "I'm 12 weeks pregnant",
        "Dad had surgery on Monday",
        "I suffer from depression",
        "my doctor prescribed antibiotics",
        "he is HIV positive",
        "the patient has a history of headaches",
        "Ich wurde mit Diabetes diagnostiziert",
        "昨年糖尿病と診断されました",
        "ей поставили диагноз",
    ],
)
def test_a_medical_statement_is_recognised(text: str) -> None:
    assert any(find_medical(text.lower()))
    assert tier_of(text) == "confidential"


@pytest.mark.parametrize(
    "text",
    [
        "I was sick of waiting",
        "running is my therapy",
        "the news nearly gave me a heart attack",
        "The Great Depression started in 1929",
        "brush strokes in this painting are bold",
        "my zodiac sign is Cancer",
        "I have a heart of gold",
        "I had anxiety about the presentation",
        "I caught a cold and stayed in bed",
        "I'm allergic to peanuts",
        "I sprained my ankle playing soccer",
        "he works as a heart surgeon",
        "diagnose the bug in the parser",
        "be patient with the garden",
        "we ran for cancer research",
        "lithium batteries last longer",
        "her energy is infectious",
        "the operation was a success at work",
    ],
)
def test_everyday_talk_is_not_medical(text: str) -> None:
    assert not any(find_medical(text.lower()))


@pytest.mark.parametrize(
    ("text", "tier"),
    [
        ("I like long walks", "clear"),
        ("Anna is 34 and works at a bakery", "clear"),
        ("write to anna@example.org", "sensitive"),
        ("call (415) 555-0132", "sensitive"),
        ("passport number X1234567, mail anna@example.org", "confidential"),
    ],
)
def test_the_tier_follows_the_most_delicate_class(text: str, tier: str) -> None:
    assert tier_of(text) == tier


@given(ANY_TEXT)
def test_spans_stand_inside_the_text_in_order(text: str) -> None:
    starts = [item.start for item in find_personal(text)]
    assert starts == sorted(starts)
    assert all(0 <= item.start < item.end <= len(text) for item in find_personal(text))


@given(ANY_TEXT)
def test_a_medical_statement_is_also_a_finding(text: str) -> None:
    assert any(find_medical(text.lower())) == any(item.reason == "medical" for item in find_personal(text))


@pytest.mark.parametrize("unit", ["a@", "1 Main Street ", "(555) ", "born on ", "::1", "patient ", "İ1 "])
def test_long_hostile_input_is_read_in_linear_time(unit: str) -> None:
    assert find_personal(unit * (100_000 // len(unit))) is not None
