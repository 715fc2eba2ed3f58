"""How much a text reads as instructions to the machine that reads it, and how to make it safe to quote.

A score is the noisy-or of independent signs: forged structure by family (`injection.toml`), hidden characters and
encodings, and how its worst passages are worded, as learned from examples (`wording`). One clear attempt to set
instructions aside flags, two independent signs refuse. Thresholds: at FLAG_AT the text is stored, marked and kept out
of automatic context; at REFUSE_AT it is not stored. Below, it may be recalled, always wrapped as data and passed
through `sanitise`, which takes the force out of delimiters and role markers whatever the score was: the frame is the
defence, the score only decides what is shown to people first.

Owns the characters that a reader's eye does not see and a model does (invisible, direction-changing and tag
characters), the plain form of a text (compatibility forms folded, look-alike letters mapped), and the decoding of what
was hidden in encodings. Emoji sequences, and the joiners that Arabic, Persian and Indic scripts need, are ordinary
writing and survive.
"""

from __future__ import annotations

import binascii
import codecs
import pkgutil
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from typing import NamedTuple

import msgspec

from palazzo.text.safety import injection_head
from palazzo.text.safety.wording import WEIGHTS, wordings
from palazzo.text.words.lexicon import EVERY_LANGUAGE, Patterns, page
from palazzo.text.words.marks import WordGroups
from palazzo.text.words.remembered import remembered

_HIDDEN = Patterns("injection", "hidden")
_NEUTRAL = Patterns("injection", "neutral", flags=re.IGNORECASE)

_LOOK_ALIKES = str.maketrans(
    "аеорсухіјѕԁԛԝһкмтнвгпАЕОРСУХІЈЅКМТНВΑΒΕΖΗΙΚΜΝΟΡΤΥΧαεικνορτυχ",
    "aeopcyxijsdqwhkmthbrnAEOPCYXIJSKMTHBABEZHIKMNOPTYXaeiknoptux",
)
_LEET = str.maketrans("0134578@$!", "oieastbasi")

_BACKWARDS = ("noitcurtsni", "tpmorp", "drowssap", "erongi", "dragersid", "laever")
_TELLING = (
    "ignore", "disregard", "instruction", "instructions", "previous", "earlier", "system", "prompt", "reveal", "rules",
    "forget", "bypass", "password", "passwords", "override", "secret", "guidelines", "every", "given", "were", "send",
    "obey", "restrictions",
)  # fmt: skip
_DECODED_AT_MOST = 4  # passages per encoding; a longer list is cut, the wrapping rules still hold


def strip_invisible(text: str) -> str:
    """The text without characters that have no visible form; emoji sequences and needed joiners stay."""
    if _HIDDEN["any"].search(text) is None:
        return text
    flags = _HIDDEN["flag_sequence"].findall(text)
    if flags:
        # Subdivision flags are spelled with tag characters: take them out, clean the rest, put them back.
        rest = _HIDDEN["flag_sequence"].split(text)
        cleaned = [strip_invisible(piece) for piece in rest]
        return "".join(piece + flag for piece, flag in zip(cleaned, [*flags, ""], strict=True))
    text = _HIDDEN["control"].sub("", text)
    text = _HIDDEN["selector_run"].sub("", text)
    text = _HIDDEN["invisible"].sub("", text)
    return _HIDDEN["joiner"].sub(lambda match: _kept_joiner(text, match.start()), text)


def _kept_joiner(text: str, position: int) -> str:
    """A joiner stays between two characters of a script that joins, or between two pictographs."""
    before, after = text[position - 1 : position], text[position + 1 : position + 2]
    if not before or not after or before.isascii() or after.isascii():
        return ""
    return "" if _is_plain_letter(before) or _is_plain_letter(after) else text[position]


def _is_plain_letter(character: str) -> bool:
    return character in "\u200c\u200d" or ("\u00c0" <= character <= "\u052f") or ("\u3040" <= character <= "\u9fff")


def hidden_reasons(text: str) -> Iterator[tuple[str, float]]:
    """Names and weights of the ways in which the text hides characters; the text is not pure ASCII."""
    without_flags = _HIDDEN["flag_sequence"].sub("", text)
    tags = len(_HIDDEN["tag"].findall(without_flags))
    if tags or _HIDDEN["selector_run"].search(text):
        yield "tag_characters", 0.9 if tags >= 4 else 0.6
    if _HIDDEN["direction"].search(text) and not _HIDDEN["right_to_left"].search(text):
        yield "direction_override", 0.55
    stripped = len(text) - len(strip_invisible(text))
    if stripped >= 3 and not tags:
        yield "invisible_characters", 0.5 if stripped >= 6 else 0.35


def tag_message(text: str) -> str:
    """What tag characters spell in ASCII, empty when there are none."""
    without_flags = _HIDDEN["flag_sequence"].sub("", text)
    return "".join(chr(ord(character) - 0xE0000) for character in _HIDDEN["tag"].findall(without_flags))


def plain_form(text: str) -> str:
    """Compatibility forms folded, invisible characters gone, look-alike letters mapped where scripts are mixed."""
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKC", strip_invisible(text))
    # Combining marks stacked on Latin letters ("zalgo") read as the bare letter.
    if any("\u0300" <= character <= "\u036f" for character in plain):
        plain = "".join(character for character in plain if not "\u0300" <= character <= "\u036f")
    return plain.translate(_LOOK_ALIKES) if _HIDDEN["mixed_scripts"].search(plain) else plain


def without_leet(text: str) -> str:
    """Digits and signs that stand for letters read as letters."""
    return text.translate(_LEET)


def _skeleton(word: str) -> str:
    return word[0] + "".join(sorted(word[1:-1])) + word[-1]


_SKELETONS = {_skeleton(word): word for word in _TELLING}
_WORD = re.compile(r"[a-z]{4,12}")


@remembered(16_384)
def _meant(token: str) -> str:
    """The telling word that a word is with its inner letters shuffled; empty when it is none, or is not shuffled."""
    if not 4 <= len(token) <= 12 or not token.isalpha():
        return ""
    word = _SKELETONS.get(_skeleton(token), "")
    return word if word != token else ""


def unscrambled(lowered: str, tokens: list[str]) -> str | None:
    """The text with telling words whose inner letters were shuffled put right; None when fewer than two were."""
    found = {token: _meant(token) for token in filter(_meant, set(tokens))}
    return _WORD.sub(lambda match: found.get(match[0], match[0]), lowered) if len(found) >= 2 else None


def decoded_passages(text: str, lowered: str) -> Iterator[str]:
    """Readable passages hidden in the text by an encoding, a spelling with gaps, or reversal."""
    lengths = list(map(len, text.split()))
    if max(lengths, default=0) >= 20 or lengths.count(2) >= 12:
        yield from _decoded_bytes(text)
    if "&#" in text:
        for match in _some("entities", text):
            yield _HIDDEN["entity"].sub(lambda m: _character(m[2], 16 if m[1] else 10), match)
    if "\\u" in text or "\\x" in text:
        for match in _some("escapes", text):
            yield _HIDDEN["escape"].sub(lambda m: _character(m[1], 16), match)
    if "rot13" in lowered or "rot-13" in lowered or "vtaber" in lowered:
        yield codecs.decode(lowered, "rot13")
    for mark in _BACKWARDS:
        if mark in lowered:
            yield lowered[::-1]
            break


def _decoded_bytes(text: str) -> Iterator[str]:
    for match in _some("base64", text):
        compact = match.rstrip("=").replace("-", "+").replace("_", "/")
        if not compact.isalpha() or not compact.islower():
            padded = compact[: len(compact) - (len(compact) % 4 == 1)]
            yield from _readable(binascii.a2b_base64(padded + "=" * (-len(padded) % 4)))
    for match in _some("hexadecimal", text):
        yield from _readable(bytes.fromhex(re.sub(r"[ :,]", "", match)))
    if "%" in text:
        for match in _some("percent", text):
            yield from _readable(bytes.fromhex(match.replace("%", "")))


def _some(name: str, text: str) -> list[str]:
    found: list[str] = []
    for match in _HIDDEN[name].finditer(text):
        found.append(match.group())
        if len(found) == _DECODED_AT_MOST:
            break
    return found


def _readable(raw: bytes) -> Iterator[str]:
    """The bytes as text when they are text: valid UTF-8, printable, with a space in it."""
    decoded = raw.decode("utf-8", errors="ignore")
    if len(decoded) >= len(raw) * 0.9 and " " in decoded.strip() and decoded.isprintable():
        yield decoded


def _character(digits: str, base: int) -> str:
    if base == 10 and not digits.isdecimal():
        return ""
    code = int(digits, base)
    return chr(code) if code < 0x110000 else ""


def joined_letters(text: str) -> str:
    """The letters of passages written with a gap after every letter, without the gaps; empty when there are none."""
    return " ".join(re.sub(r"[\W_]+", "", match) for match in _some("spaced_letters", text))


FLAG_AT = 0.5
REFUSE_AT = 0.9
DOUBTFUL = 0.3
"""The score from which a passage is a sign at all; below it is ordinary writing."""

_LINES = {0x85: "\n", 0x2028: "\n", 0x2029: "\n"}  # other ends of a line, behind which a marker would stand unseen
_TOKEN = re.compile(r"[a-z0-9]+")
_LEET_WORD = re.compile(r"[0134578@$!][a-z]")
_SCANNED_AT_MOST = 65_536  # characters; intake splits text at 8 KiB, so this only bounds direct callers


class InjectionRule(msgspec.Struct, frozen=True):
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


@cache
def _rule_marks() -> WordGroups:
    return WordGroups(*(rule.marks for rule in _rules()))


_CODE = (
    *(f"safety/{name}.py" for name in ("injection", "injection_head", "wording")),
    *(f"reader/{name}.py" for name in ("encoder", "weights")),
    *(f"words/{name}.py" for name in ("lexicon", "marks", "tokens")),
)  # fmt: skip
_DATA = (injection_head.WEIGHTS, WEIGHTS, *(f"data/{EVERY_LANGUAGE}/injection.{form}" for form in ("json", "toml")))


@cache
def judges() -> bytes:
    """A digest of all that makes a score beside the text: weights with their thresholds, rules, the code that reads
    them. Empty where that cannot be read, so that nobody can tell which judges a score of before is by."""
    told = sha256()
    for name in (*_CODE, *_DATA):
        try:
            found = pkgutil.get_data("palazzo.text", name) or b""
        except OSError:
            if name in _CODE:
                return b""
            found = b""
        told.update(len(found).to_bytes(8))
        told.update(found)
    return told.digest()


class InjectionFinding(msgspec.Struct, frozen=True):
    """How strongly a text reads as instructions to the reader (0 to 1), and by which families of signs."""

    score: float
    reasons: tuple[str, ...]


NOTHING_FOUND = InjectionFinding(0.0, ())


def score_injection(text: str) -> InjectionFinding:
    """The score of a text and the families of signs behind it."""
    return score_injections([text])[0]


def addresses_reader(text: str) -> bool:
    """Whether a text speaks to whoever reads it: "you", "du", "vous"."""
    you = 1 << injection_head.lexicon().names.index("you")
    said = injection_head.pieces(plain_form(text).lower())
    return any(injection_head.concept_of_word(word) & you for words in said for word in words)


def score_injections(texts: Sequence[str]) -> list[InjectionFinding]:
    """The score of each text; many read together cost less than one by one."""
    forms = [[form for piece in _pieces(text) for form in _forms(piece)] for text in texts]
    said = iter(wordings([form.lowered for some in forms for form in some]))
    return [_finding(sign for form in some for sign in _signs(form, next(said))) for some in forms]


def _finding(signs: Iterable[tuple[str, float]]) -> InjectionFinding:
    weights: dict[str, float] = {}
    for family, weight in signs:
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


class _Form(NamedTuple):
    """One way to read a text: in plain letters and lower case, as what was hidden in it, or only its signs."""

    lowered: str
    hidden: str = ""
    """How it was hidden, which is then the family of whatever it forges or orders."""
    signs: tuple[tuple[str, float], ...] = ()


def _forms(text: str) -> Iterator[_Form]:
    plain = text
    signs: list[tuple[str, float]] = []
    if not text.isascii():
        signs += hidden_reasons(text)
        message = tag_message(text)
        if len(message) >= 4:
            yield _Form(message.lower(), "tag_characters")
        plain = plain_form(text)
    lowered = plain.lower()
    tokens = _TOKEN.findall(lowered)
    if (
        len(tokens) >= 10
        and list(map(len, tokens)).count(1) >= 10
        and _NEUTRAL["compact"].search(joined_letters(lowered))
    ):
        signs.append(("spaced_letters", 0.8))
    yield _Form(lowered, signs=tuple(signs))
    if _LEET_WORD.search(lowered):
        yield _Form(without_leet(lowered))
    if (restored := unscrambled(lowered, tokens)) is not None:
        yield _Form(restored)
    for passage in decoded_passages(plain, lowered):
        yield _Form(passage.lower(), "encoded")


def _signs(form: _Form, worded: Sequence[float]) -> Iterator[tuple[str, float]]:
    """Families and weights of what a form of a text forges and orders."""
    yield from form.signs
    found = list(_read(form.lowered, worded))
    if form.hidden == "encoded":
        found = [(form.hidden, 0.85)] if any(weight >= FLAG_AT for _family, weight in found) else []
    yield from ((form.hidden or family, weight) for family, weight in found)


def _read(lowered: str, worded: Sequence[float]) -> Iterator[tuple[str, float]]:
    """What is forged, and how it is worded.

    A doubtful wording adds to other signs; a second sentence adds to the first only when it flags by itself.
    """
    if marked := _rule_marks().within(lowered):
        for number, rule in enumerate(_rules()):
            if marked >> number & 1 and rule.pattern.search(lowered):
                yield rule.family, rule.weight
    if worded and worded[0] >= DOUBTFUL:
        yield "wording", worded[0]
    if len(worded) > 1 and worded[1] >= FLAG_AT:
        yield "second_wording", worded[1]


def sanitise(text: str) -> str:
    """The text with delimiters, role markers and invisible characters disarmed, to be quoted inside a wrapper."""
    clean = strip_invisible(text).translate(_LINES)
    if "<" in clean:
        clean = _NEUTRAL["tag"].sub("‹", clean)
        clean = _NEUTRAL["tag_end"].sub(lambda match: (match[1] or match[2]) + "›", clean)
    if "[" in clean:
        clean = _NEUTRAL["bracket"].sub(r"(\1)", clean)
        clean = _NEUTRAL["image"].sub("[image: ", clean)
    clean = _NEUTRAL["role_line"].sub(r"\1> \2", clean)
    return _NEUTRAL["fence_line"].sub(r"\1> \2", clean)
