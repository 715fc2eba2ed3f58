"""How much a text reads as instructions to the machine that reads it, and how to make it safe to quote.

A score is the noisy-or of independent signs: forged structure by family (`injection.toml`), hidden characters and
encodings (`hidden_text`), and how its worst passages are worded, as learned from examples (`wording`). One clear
attempt to set instructions aside flags, two independent signs refuse. Thresholds: at FLAG_AT the text is stored, marked
and kept out of automatic context; at REFUSE_AT it is not stored. Below, it may be recalled, always wrapped as data and
passed through `sanitise`, which takes the force out of delimiters and role markers whatever the score was: the frame is
the defence, the score only decides what is shown to people first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from palazzo.text.safety.hidden_text import (
    decoded_passages,
    hidden_reasons,
    joined_letters,
    plain_form,
    strip_invisible,
    tag_message,
    unscrambled,
    without_leet,
)
from palazzo.text.safety.wording import wordings
from palazzo.text.words.lexicon import EVERY_LANGUAGE, page

FLAG_AT = 0.5
REFUSE_AT = 0.9
DOUBTFUL = 0.3
"""The score from which a passage is a sign at all; below it is ordinary writing."""

# Tags a model may take for structure, and tags a wrapper may use for recalled text. `sanitise` disarms these names
# only, so that ordinary markup in remembered code stays as written; an opening tag of the second kind glued to a
# word (`List<Message>`) is a type parameter and stays too.
ROLE_NAMES = (
    r"system|assistant|developer|human|functions?|function_calls?|function_results?|tools?|tool_calls?|tool_use|"
    r"tool_results?|tool_response|tool_code|invoke|instructions?|sys|inst|think(?:ing)?|untrusted\w{0,20}|"
    r"(?:start|end)_of_(?:turn|text|utterance)|bos|eos|unused\d{1,3}|extra_id_\d{1,3}|"
    r"system[-_ ](?:prompt|message|instructions?|reminder|note)"
)
DATA_NAMES = (
    r"user|ai|parameters?|memor(?:y|ies)|recalled|context|data|documents?|prompt|answer|results?|output|messages?|"
    r"conversation|search_results?"
)
_NEUTRAL = {
    "tag": rf"<(?=\s{{0,3}}/?\s{{0,3}}(?:antml:)?(?:{ROLE_NAMES})\b)|<(?=\s{{0,3}}/\s{{0,3}}(?:{DATA_NAMES})\b)|"
    rf"(?<!\w)<(?=\s{{0,3}}(?:{DATA_NAMES})\b)|<(?=/?s>|[|｜]|<|/?antml:)",
    "tag_end": rf"(‹\s{{0,3}}/?\s{{0,3}}(?:antml:)?(?:{ROLE_NAMES}|{DATA_NAMES})\b[^<>›]{{0,200}})>+|"
    r"(‹/?s|‹[|｜][^<>›\n]{0,60})>+",
    "bracket": r"\[(/?(?:inst|system|assistant|user|sys|tool_calls?|tool_results?|tool_content|available_tools)"
    r"(?:[ _-]?(?:prompt|message|note|override|instructions?))?)\]",
    "role_line": r"(^|\n)([ \t]{0,8}(?:#{1,6}[ \t]{0,3}|\*\*)?(?:system|assistant|user|human|developer|ai|tool|"
    r"observation|"
    r"action|action input|thought|final answer|instructions?|new instructions?)(?:[ _-](?:prompt|message|note|"
    r"override|update|"
    r"notice|command|directive)s?)?(?:\*\*)?[ \t]{0,3}[:：])",
    "fence_line": r"(^|\n)([ \t]{0,8}[-=*#~_<>]{3,}[ \t]{0,3}(?:begin|start|end)\b)",
    "image": r"!\[(?=[^\]\n]{0,200}\]\(\s{0,3}(?:https?:)?//)",
}
_LINES = {0x85: "\n", 0x2028: "\n", 0x2029: "\n"}  # other ends of a line, behind which a marker would stand unseen
_TOKEN = re.compile(r"[a-z0-9]+")
_LEET_WORD = re.compile(r"[0134578@$!][a-z]")
_COMPACT = re.compile(
    r"(?:ignore|disregard|forget|override|bypass)(?:all|any|every|each|your|the|my|these|those|previous|prior|above|"
    r"earlier|system|safety)*"
    r"(?:instruction|prompt|rule|guideline|direction|command)|(?:reveal|print|show|repeat)(?:me|your|"
    r"the)*systemprompt"
)
_SCANNED_AT_MOST = 65_536  # characters; intake splits text at 8 KiB, so this only bounds direct callers


@dataclass(frozen=True, slots=True)
class InjectionRule:
    """One way of forging structure: its family, its weight, the marks that announce it, its pattern."""

    family: str
    weight: float
    marks: tuple[str, ...]
    pattern: re.Pattern[str]


@cache
def _rules() -> tuple[InjectionRule, ...]:
    """The rules of the page; one alternative a line, and a line that ends in a backslash goes on."""
    found = []
    for row in page("injection", EVERY_LANGUAGE).rows("rules"):
        lines = re.sub(r"\\\n\s*", "", row["pattern"]).split("\n")
        pattern = re.compile("|".join(line.strip() for line in lines if line.strip()))
        marks = tuple(mark.strip() for mark in row["marks"].split(","))
        found.append(InjectionRule(row["family"], row["weight"], marks, pattern))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class InjectionFinding:
    """How strongly a text reads as instructions to the reader (0 to 1), and by which families of signs."""

    score: float
    reasons: tuple[str, ...]


NOTHING_FOUND = InjectionFinding(0.0, ())


def score_injection(text: str) -> InjectionFinding:
    """The score of a text and the families of signs behind it."""
    weights: dict[str, float] = {}
    for piece in _pieces(text):
        for family, weight in _signs(piece):
            weights[family] = max(weight, weights.get(family, 0.0))
    if not weights:
        return NOTHING_FOUND
    harmless = 1.0
    for weight in weights.values():
        harmless *= 1.0 - weight
    return InjectionFinding(round(1.0 - harmless, 4), tuple(sorted(weights)))


def _pieces(text: str) -> Iterator[str]:
    """Long texts are read in overlapping pieces so that every part is seen at bounded cost per piece."""
    if len(text) <= _SCANNED_AT_MOST:
        yield text
        return
    for start in range(0, len(text), _SCANNED_AT_MOST - 1024):
        yield text[start : start + _SCANNED_AT_MOST]


def _signs(text: str) -> Iterator[tuple[str, float]]:
    plain = text
    if not text.isascii():
        yield from hidden_reasons(text)
        message = tag_message(text)
        if len(message) >= 4:
            yield from (("tag_characters", weight) for _family, weight in _read(message.lower()))
        plain = plain_form(text)
    lowered = plain.lower()
    tokens = _TOKEN.findall(lowered)
    yield from _read(lowered)
    if _LEET_WORD.search(lowered):
        yield from _read(without_leet(lowered))
    if (restored := unscrambled(lowered, tokens)) is not None:
        yield from _read(restored)
    if len(tokens) >= 10 and list(map(len, tokens)).count(1) >= 10 and _COMPACT.search(joined_letters(lowered)):
        yield "spaced_letters", 0.8
    for passage in decoded_passages(plain, lowered):
        if any(weight >= FLAG_AT for _family, weight in _read(passage.lower())):
            yield "encoded", 0.85


def _read(lowered: str) -> Iterator[tuple[str, float]]:
    """Families and weights of what a text in plain letters forges and orders.

    A doubtful wording adds to other signs; a second sentence adds to the first only when it flags by itself.
    """
    for rule in _rules():
        if any(mark in lowered for mark in rule.marks) and rule.pattern.search(lowered):
            yield rule.family, rule.weight
    found = wordings(lowered)
    if found and found[0] >= DOUBTFUL:
        yield "wording", found[0]
    if len(found) > 1 and found[1] >= FLAG_AT:
        yield "second_wording", found[1]


def sanitise(text: str) -> str:
    """The text with delimiters, role markers and invisible characters disarmed, to be quoted inside a wrapper."""
    clean = strip_invisible(text).translate(_LINES)
    if "<" in clean:
        clean = _ignoring_case("tag").sub("‹", clean)
        clean = _ignoring_case("tag_end").sub(lambda match: (match[1] or match[2]) + "›", clean)
    if "[" in clean:
        clean = _ignoring_case("bracket").sub(r"(\1)", clean)
        clean = _ignoring_case("image").sub("[image: ", clean)
    clean = _ignoring_case("role_line").sub(r"\1> \2", clean)
    return _ignoring_case("fence_line").sub(r"\1> \2", clean)


@cache
def _ignoring_case(name: str) -> re.Pattern[str]:
    return re.compile(_NEUTRAL[name], re.IGNORECASE)
