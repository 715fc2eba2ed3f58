"""How much a text reads as instructions to the machine that reads it, and how to make it safe to quote.

A score is the noisy-or of the strongest rule of each family: one clear attempt to set instructions aside flags,
two independent signs refuse. Thresholds: at FLAG_AT the text is stored, marked, and kept out of automatic context;
at REFUSE_AT it is not stored. Below, it may be recalled, always wrapped as data and passed through `sanitise`,
which takes the force out of delimiters and role markers whatever the score was.

The rules are data (`injection.toml` of each language). A rule is tried when one of its marks stands in the text. Its
pattern is written one alternative a line; `<name>` stands for an entry of the vocabulary beside it. A pattern over
"words" sees lower case with everything that is not a letter or digit squeezed to one space ("don't" reads "don t"), one
over "raw" lower case with punctuation in place; every line of a rule of "parts" must be found in one sentence, of
"pairs" in two that follow each other. Gaps are counted, never open, so matching stays linear. Weights are judgements:
how often such a sentence, alone, is an attack.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Literal

from mnemon.text.safety.hidden_text import (
    decoded_passages,
    hidden_reasons,
    joined_letters,
    plain_form,
    strip_invisible,
    tag_message,
    unscrambled,
    without_leet,
)
from mnemon.text.words.lexicon import ENGLISH, EVERY_LANGUAGE, Page, page
from mnemon.text.words.remembered import remembered

FLAG_AT = 0.5
REFUSE_AT = 0.9

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
_END = re.compile(r"(?<=[.!?])\s+|[。！？।\n]+")
_SHORTEST = 8  # characters; less than that is no instruction with its parts
_LONGEST_PAIR = 300  # characters; parts that stand further apart belong to different things
_LINES = {0x85: "\n", 0x2028: "\n", 0x2029: "\n"}  # other ends of a line, behind which a marker would stand unseen
_SQUEEZE = re.compile(r"[\W_]+")
_TOKEN = re.compile(r"[a-z0-9]+")
_SIGN = re.compile(r"[<\[{|]")
_LEET_WORD = re.compile(r"[0134578@$!][a-z]")
_COMPACT = re.compile(
    r"(?:ignore|disregard|forget|override|bypass)(?:all|any|every|each|your|the|my|these|those|previous|prior|above|"
    r"earlier|system|safety)*"
    r"(?:instruction|prompt|rule|guideline|direction|command)|(?:reveal|print|show|repeat)(?:me|your|"
    r"the)*systemprompt"
)
_LANGUAGES = (ENGLISH, EVERY_LANGUAGE)
_SCANNED_AT_MOST = 65_536  # characters; intake splits text at 8 KiB, so this only bounds direct callers


@dataclass(frozen=True, slots=True)
class InjectionRule:
    """One way of wording an attack: its family, its weight, the marks that announce it, its pattern."""

    family: str
    weight: float
    marks: tuple[str, ...]
    pattern: str
    view: Literal["words", "raw", "parts", "pairs"] = "words"


def _rules(listed: Page) -> Iterator[InjectionRule]:
    """The rules of a page. A ␣ stands for a blank at the end of a mark; a line that ends in a backslash goes on."""
    vocabulary = listed.table("vocabulary")
    for row in listed.rows("rules"):
        marks = tuple(mark.strip().replace("␣", " ") for mark in row["marks"].split(","))
        lines = re.sub(r"\\\n\s*", "", row["pattern"]).split("\n")
        joined = "\n" if row["view"] in ("parts", "pairs") else "|"
        pattern = joined.join(line.strip() for line in lines if line.strip())
        pattern = re.sub(r"<([a-z]+)>", lambda name: vocabulary[name[1]], pattern)
        yield InjectionRule(row["family"], row["weight"], marks, pattern, row["view"])


@dataclass(frozen=True, slots=True)
class InjectionFinding:
    """How strongly a text reads as instructions to the reader (0 to 1), and by which families of signs."""

    score: float
    reasons: tuple[str, ...]


NOTHING_FOUND = InjectionFinding(0.0, ())


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source)


@cache
def _parts_of(pattern: str) -> tuple[re.Pattern[str], ...]:
    return tuple(map(_compiled, pattern.split("\n")))


@cache
def _rules_by_key() -> dict[str, tuple[tuple[str, tuple[InjectionRule, ...]], ...]]:
    """Marks, each with its rules, under the first four letters of the longest word in each mark.

    A sentence is looked up by the first four letters of its own words, so the cost does not grow with the number
    of rules. Marks without a Latin word are kept under "" (signs) and "*" (other scripts).
    """
    table: dict[str, dict[str, list[InjectionRule]]] = {}
    for rule in (rule for language in _LANGUAGES for rule in _rules(page("injection", language))):
        for mark in rule.marks:
            words = _TOKEN.findall(mark) if mark.isascii() else []
            key = max(words, key=len)[:4] if words else ("" if mark.isascii() else "*")
            table.setdefault(key, {}).setdefault(mark, []).append(rule)
    return {key: tuple((mark, tuple(rules)) for mark, rules in rows.items()) for key, rows in table.items()}


@remembered(16_384)
def _calls(token: str) -> bool:
    """Whether a word can call for a rule; most do not."""
    return token[:4] in _rules_by_key()


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
            spelled = message.lower()
            yield from (("tag_characters", weight) for _family, weight in _matches(spelled, _TOKEN.findall(spelled)))
        plain = plain_form(text)
    lowered = plain.lower()
    tokens = _TOKEN.findall(lowered)
    yield from _matches(lowered, tokens)
    if _LEET_WORD.search(lowered):
        unmasked = without_leet(lowered)
        yield from _matches(unmasked, _TOKEN.findall(unmasked))
    if (restored := unscrambled(lowered, tokens)) is not None:
        yield from _matches(restored, _TOKEN.findall(restored))
    if len(tokens) >= 10 and list(map(len, tokens)).count(1) >= 10 and _COMPACT.search(joined_letters(lowered)):
        yield "spaced_letters", 0.8
    for passage in decoded_passages(plain, lowered):
        hidden = passage.lower()
        if any(weight >= FLAG_AT for _family, weight in _matches(hidden, _TOKEN.findall(hidden))):
            yield "encoded", 0.85


def _matches(lowered: str, tokens: list[str]) -> Iterator[tuple[str, float]]:
    """Families and weights of the rules that match; a rule is tried once, when a mark of it is present."""
    table = _rules_by_key()
    keys = {token[:4] for token in filter(_calls, set(tokens))}
    if _SIGN.search(lowered):
        keys.add("")
    if not lowered.isascii():
        keys.add("*")
    if not keys:
        return
    called = [rules for key in keys for mark, rules in table.get(key, ()) if mark in lowered]
    if not called:
        return
    candidates = {id(rule): rule for rules in called for rule in rules}
    words = f" {' '.join(tokens) if lowered.isascii() else _SQUEEZE.sub(' ', lowered)} "
    sentences: list[str] | None = None
    for rule in candidates.values():
        if rule.view in ("words", "raw"):
            if _compiled(rule.pattern).search(words if rule.view == "words" else lowered):
                yield rule.family, rule.weight
            continue
        parts = _parts_of(rule.pattern)
        if parts[0].search(words) is None:  # no part reaches over the end of a sentence, so it is in none of them
            continue
        if sentences is None:
            sentences = [f" {_SQUEEZE.sub(' ', one)} " for one in _END.split(lowered) if len(one) > _SHORTEST]
        if any(all(part.search(one) for part in parts) for one in _stretches(rule, sentences)):
            yield rule.family, rule.weight


def _stretches(rule: InjectionRule, sentences: list[str]) -> Iterator[str]:
    """Where all parts of a rule must stand: a sentence, or also two that follow each other, or a short text."""
    yield from sentences
    if rule.view == "pairs":
        if sum(map(len, sentences)) < _LONGEST_PAIR:
            yield "".join(sentences)
        yield from (one + two for one, two in pairwise(sentences) if len(one) + len(two) < _LONGEST_PAIR)


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
