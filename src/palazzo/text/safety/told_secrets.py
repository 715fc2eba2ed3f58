"""Secrets told in free wording: the value stands anywhere in a sentence that speaks of getting in.

Owns four readings: a chosen password anywhere in a clause that names one, a password or code one gets in with ("log in
with ...", "type ... when it asks"), the digits that open a card, a telephone or a safe, and the words of a wallet. The
words are data for several languages at once. What a password is for is told from the password by the word before it
("the password of the router FRITZBox7590"): such a name, a user's name, a length ("14-character") and talk about
passwords (policy, manager, reset) are no values. A credential named right before its value belongs to `credentials`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from palazzo.text.safety.credentials import Span, is_mixed, is_stand_in
from palazzo.text.words.lexicon import EVERY_LANGUAGE, Patterns, page
from palazzo.text.words.marks import WordGroups
from palazzo.text.words.parsed import parsed
from palazzo.text.words.tokens import STOP_WORDS

_WORDS: Final = page("secrets", EVERY_LANGUAGE)
_PATTERNS: Final = Patterns("secrets", "told_patterns", flags=re.IGNORECASE)
_REACH: Final = 90
"""Characters before a password in which what tells that it is one may stand."""
_FEWEST_WORDS: Final = 12
_TOKEN: Final = re.compile(r"(?=\S*[0-9])[^\s\"'`“”„«»<>()\[\]{}=]{4,64}(?=[\s\"'`“”«».,;!?)]|$)")
_EDGES: Final = ".,;:!?…"
_JOINING: Final = ("-", "_", "/", ".", "\\")
"""Signs after which a word goes on: the name of a file, a variable, an address."""
_SIZED: Final = re.compile(r"\d+[-–]?[^\W\d_]+(?:-[^\W\d_]+)*")
_INNER_SIGN: Final = re.compile(r"[^\W_][!#$%&*?^~@+][^\W_]")
_CODE_SIGN: Final = re.compile(r"[\n={};]|[.!?]\s")
_PAIR: Final = re.compile(r"(?P<user>[\w.@+-]{1,40})(?:\s?[/:|,]\s?|\s(?:and|und|et|y|con)\s)\Z")
_SEED_WORD: Final = re.compile(r"[^\W\d_]+")
_BETWEEN_SEEDS: Final = re.compile(r"[\s,;]+(?:\d{1,2}[.)]?\s*)?")
_DIGITS: Final = re.compile(r"(?<![\w.,:/-])\d{1,6}(?:[ -]\d{1,4}){0,5}(?![\w:]|[.,]\d)")
_LEAST_DIGITS: Final = 3
_LONGEST_PIN: Final = 8


@cache
def _marks() -> WordGroups:
    """Words of wallets, of getting in and of codes."""
    return WordGroups(*(_WORDS.table("told")[entry].split() for entry in ("wallet_marks", "marks", "code_marks")))


def find_told_secrets(text: str, lowered: str) -> Iterator[Span]:
    """The spans and reasons of secrets that no name announces right before them; `lowered` is of the same length.

    A value is looked for first, since most talk holds none; then what stands before it.
    """
    marked = _marks().within(lowered)
    if marked & 1 and _PATTERNS["wallet"].search(text) and _PATTERNS["phrase"].search(text):
        yield from _seed_words(text)
    if not any(map(lowered.__contains__, "0123456789")):
        return
    if "=" in text:
        for match in _PATTERNS["in_address"].finditer(text):
            if _has_letters_and_digits(match["value"]):
                yield *match.span("value"), "token"
    if marked & 2:
        for token in _TOKEN.finditer(text):
            yield from _password(text, token)
    if marked & 4:
        for digits in _DIGITS.finditer(text):
            if sum(map(str.isdecimal, digits.group())) >= _LEAST_DIGITS and _opens(_before(text, digits.start())):
                yield *digits.span(), "pin"


def is_chosen(value: str) -> bool:
    """Whether a word has the look of a password that somebody chose: letters and digits, no length, no address."""
    return is_mixed(value) and _SIZED.fullmatch(value) is None and "://" not in value and ":" not in value


def _before(text: str, start: int) -> str:
    """The words of the same clause before a place."""
    before = text[max(0, start - _REACH) : start]
    cuts = [cut.end() for cut in _CODE_SIGN.finditer(before)]
    return before[cuts[-1] :] if cuts else before


def _password(text: str, token: re.Match[str]) -> Iterator[Span]:
    raw = token.group()
    user, sign, second = raw.partition(":") if raw.count(":") == 1 else (raw, "", "")
    value = (second if sign and second and user.isidentifier() else raw).rstrip(_EDGES).lstrip("-–—:")
    start = token.start() + raw.rfind(value)
    if len(value) < 4 or text[start + len(value) : start + len(value) + 1] in ("(", "["):
        return
    chosen = is_chosen(value)
    if not chosen and not value.isdecimal():
        return
    before = _before(text, start)
    if (chosen and (_is_named(before, value) or _is_typed(before, value))) or _is_entered(before, value):
        yield start, start + len(value), "password"


def _is_named(before: str, value: str) -> bool:
    """Whether the clause names a password before this, and this is not what that password is for."""
    for named in _PATTERNS["named"].finditer(before):
        rest = before[named.end() :]
        if rest.startswith(_JOINING) or _PATTERNS["about"].match(rest):
            continue
        if _PATTERNS["changed"].search(before) and _PATTERNS["new_value"].search(before):
            return True
        if _INNER_SIGN.search(value) or _PATTERNS["used_for"].search(before, named.start()) is None:
            return True
    return False


def _is_entered(before: str, value: str) -> bool:
    """Whether somebody gets in with this, alone or after a user's name; or it stands behind the name of a network."""
    pair = _PAIR.search(before)
    if pair is not None and _PATTERNS["network"].search(before) and len(value) >= 8:
        return _PATTERNS["network_name"].search(before) is None
    led = before[: pair.start("user")] if pair is not None else ""
    if led and not value.isdecimal() and _PATTERNS["granted"].search(led):
        return True
    entered = _PATTERNS["entered"].search(before.rstrip("\"'`“„«")) or _PATTERNS["entered"].search(led)
    return entered is not None and (not value.isdecimal() or len(value) <= _LONGEST_PIN)


def _is_typed(before: str, value: str) -> bool:
    return _INNER_SIGN.search(value) is not None and _PATTERNS["typed"].search(before.rstrip("\"'`“„«")) is not None


def _opens(before: str) -> bool:
    """Whether digits after these words open what is locked; those of a postal, area or discount code do not."""
    opened = _PATTERNS["opened"].search(before)
    if opened is not None:
        return _PATTERNS["plain_code"].match(opened["kind"] or "") is None
    return bool(_PATTERNS["locked_code"].search(before) or _PATTERNS["opens_with"].search(before))


def _seed_words(text: str) -> Iterator[Span]:
    """Twelve words and more of three to eight letters in a row, few of them the small words of a sentence."""
    run: list[re.Match[str]] = []
    for word in (*_SEED_WORD.finditer(text), None):
        fits = word is not None and 3 <= len(word.group()) <= 8
        if word is None or not fits or (run and not _BETWEEN_SEEDS.fullmatch(text, run[-1].end(), word.start())):
            small = sum(one.group().lower() in STOP_WORDS for one in run)
            if len(run) >= _FEWEST_WORDS and small * 4 <= len(run):
                yield run[0].start(), run[-1].end(), "private_key"
            run = []
        if fits and word is not None:
            run.append(word)


def _has_letters_and_digits(value: str) -> bool:
    return any(map(str.isalpha, value)) and any(map(str.isdecimal, value)) and not is_stand_in(value)


_MARKED_CLAUSE: Final = re.compile(r"[^.,;!?\n]*\[[a-z]+(?:_[a-z]+)*\][^.,;!?\n]*")
"""A clause from which a secret was taken out: its class stands there in brackets."""


@cache
def _asked_opening() -> re.Pattern[str]:
    return re.compile(rf"\W*(?:\w+[,!:]?\s){{0,3}}?(?:{_WORDS.pattern('asked', 'opening')})\b", re.IGNORECASE)


@cache
def _asked_names() -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile(rf"\b(?:{_WORDS.pattern('asked', name)})\b", re.IGNORECASE)
        for name in _WORDS.table("asked") if name != "opening"
    )  # fmt: skip


def secret_asked(question: str) -> re.Pattern[str] | None:
    """What the secret is called that a question asks the value of; None where it asks for something else."""
    if _asked_opening().match(question) is None:
        return None
    for names in _asked_names():
        found = names.search(question)
        if found is not None:
            rest = question[found.end() :]
            return None if rest.startswith(_JOINING) or _PATTERNS["about"].match(rest) else names
    return None


def tells_of(names: re.Pattern[str], text: str) -> bool:
    """Whether a text speaks of what is called so, other than in a clause from which the secret was taken out."""
    return names.search(_MARKED_CLAUSE.sub(" ", text)) is not None


def was_taken_out(question: str, text: str) -> bool:
    """Whether what a question asks the value of stands in a clause from which a secret was taken out, and nowhere else
    in a text: "what's the Stripe key?" of "the Stripe key is [api_key], the shop runs on Medusa"."""
    if "[" not in text or _asked_opening().match(question) is None:
        return False
    rest = _MARKED_CLAUSE.sub(" ", text)
    wanted = set(parsed(question).content_terms)
    return rest != text and bool(wanted & set(parsed(text).terms)) and wanted.isdisjoint(parsed(rest).terms)
