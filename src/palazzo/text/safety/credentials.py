"""Credentials recognisable only by what is said about them: "the password is ...", `API_KEY=...`, headers, URLs.

Owns the words that announce a credential in code, configuration and prose, where its value starts and ends, and whether
that value is a generated key, a chosen password, a placeholder, a variable or a word of a sentence. A word is first
looked up as a plain substring and patterns are tried only where it stands; every gap in them is bounded, so the cost
stays linear in the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from math import log2

from palazzo.text.words.lexicon import EVERY_LANGUAGE, Patterns, page
from palazzo.text.words.marks import WordGroups
from palazzo.text.words.tokens import STOP_WORDS

_PATTERNS = Patterns("secrets", "credentials", flags=re.IGNORECASE)
_GENERATED_LENGTH = 20
_GENERATED_CHANGES = 0.26
_GENERATED_CHANGES_ONE_DIGIT = 0.4


def is_stand_in(value: str) -> bool:
    """Whether the value is a placeholder, a variable or a type rather than a literal credential."""
    return _PATTERNS["stand_in"].match(value) is not None or _PATTERNS["code"].match(value) is not None


def entropy(value: str) -> float:
    """Shannon entropy of the characters, in bits a character."""
    size = len(value)
    return -sum(count / size * log2(count / size) for count in Counter(value).values())


def looks_random(value: str, shortest: int) -> bool:
    """Whether a value of at least `shortest` characters has the look of a generated key."""
    if len(value) < shortest or is_stand_in(value):
        return False
    body = value.rstrip("=")
    digits = sum(map(str.isdecimal, body))
    if not any(map(str.isalpha, body)):
        return digits >= 20
    if not digits:
        return _looks_like_digitless_base64(body)
    if len(body) < 20 and _PATTERNS["joined_words"].fullmatch(body):
        # One word and a number ("release2024") is a name unless the number is long.
        return digits >= 3 and not any(mark in body for mark in "_./-") and not body.istitle()
    return entropy(body) >= 2.5 and not _is_path_or_date(body)


def looks_generated(value: str) -> bool:
    """Whether a value is so irregular that nobody chose it as a name: letters and digits change places all along.

    The share of neighbours of different sort is .62 in base 62, .47 in hexadecimal and .25 in CamelCase; marks are
    left out, so a name joined from words and numbers has few changes. A path in one case is a path.
    """
    body = "".join(filter(str.isalnum, value))
    digits = sum(map(str.isdecimal, body))
    if len(body) < _GENERATED_LENGTH or not digits or is_stand_in(value):
        return False
    if ("/" in value or "." in value) and (body.islower() or body.isupper()):
        return False
    changes = sum(_sort(left) != _sort(right) for left, right in pairwise(body))
    wanted = _GENERATED_CHANGES if digits > 1 else _GENERATED_CHANGES_ONE_DIGIT
    return changes >= len(body) * wanted and not _is_path_or_date(value)


def is_hexadecimal(value: str) -> bool:
    """Whether the value may as well be the hash of a file, a commit or an identifier written in hexadecimal."""
    return _PATTERNS["hexadecimal"].fullmatch(value) is not None


def _sort(character: str) -> int:
    return 0 if character.isdecimal() else 1 if character.islower() else 2


def _looks_like_digitless_base64(body: str) -> bool:
    if len(body) < 24 or any(mark in body for mark in "_./-") or entropy(body) < 4.0:
        return False
    changes = sum(left.isupper() != right.isupper() for left, right in pairwise(body))
    return changes >= len(body) / 4


def _is_path_or_date(body: str) -> bool:
    return _PATTERNS["path_or_date"].match(body) is not None or (
        body.count("/") >= 2 and max(map(len, body.split("/"))) < 16
    )


def is_mixed(value: str) -> bool:
    """Whether letters and digits are mixed as in a chosen password, and no algorithm is named."""
    letters, digits = sum(map(str.isalpha, value)), sum(map(str.isdecimal, value))
    if letters < 2 or not digits or len(value) < 6:
        return False
    return _PATTERNS["algorithm"].fullmatch(value) is None and not is_stand_in(value)


def looks_like_password(value: str, *, assigned: bool, quoted: bool, ends_clause: bool) -> bool:
    """Whether the word after `password=` (assigned) or "the password is" (prose) is the password itself."""
    if is_stand_in(value) or value.startswith(("http://", "https://", "/", "--")):
        return False
    if quoted:
        return True
    if _PATTERNS["identifier"].fullmatch(value.replace(".", "_")):
        return False
    has_digit = any(map(str.isdecimal, value))
    has_symbol = any(not character.isalnum() and character not in "_-.,'’/" for character in value)
    if has_digit or has_symbol or re.search(r"[a-z][A-Z]", value):
        return not value.replace(".", "").replace(",", "").isdecimal() or len(value) >= 6 or assigned
    return ends_clause and value.isalpha() and _PATTERNS["ordinary"].match(value) is None


Span = tuple[int, int, str]

_WORDS = page("secrets", EVERY_LANGUAGE)
_PASSWORD_NOUNS = _WORDS.in_order("password_nouns")
_ENGLISH_PASSWORD_NOUNS = _WORDS.phrases("english_password_nouns")
_FOREIGN_PASSWORD_NOUNS = _WORDS.in_order("foreign_password_nouns")
_PLAIN_KEY_NOUNS = _WORDS.in_order("plain_key_nouns")
_FOREIGN_PLAIN_KEY_NOUNS = _WORDS.in_order("foreign_plain_key_nouns")
_KEY_NOUNS = (*_WORDS.in_order("key_nouns"), *_PLAIN_KEY_NOUNS)
_FOREIGN_KEY_NOUNS = (*_WORDS.in_order("foreign_key_nouns"), *_FOREIGN_PLAIN_KEY_NOUNS)
_CLOSING = {"“": "”", "‘": "’", "「": "」", "『": "』"}
_WEB_SCHEMES = frozenset({"http", "https", "ftp", "sftp", "ssh", "git", "ws", "wss"})


_SHORTEST_KEY = 12


@cache
def _marked() -> tuple[tuple[tuple[str, ...], str, str], ...]:
    """Patterns that are tried when one of their marks stands in the text, and what they find."""
    return tuple((tuple(row["marks"].split(",")), row["pattern"], row["reason"]) for row in _WORDS.rows("marked"))


@cache
def _announcing() -> WordGroups:
    """Words without which nothing below is found: of passwords, of keys, of what else, and of each marked pattern."""
    passwords, keys = (*_PASSWORD_NOUNS, *_FOREIGN_PASSWORD_NOUNS), (*_KEY_NOUNS, *_FOREIGN_KEY_NOUNS)
    others = ("cred", "login", "zugangsdaten", "identifiant", "cookie", "://", "-----begin", "putty-user")
    return WordGroups(passwords, keys, others, *(marks for marks, _, _ in _marked()))


def find_credentials(text: str, lowered: str, longest: int) -> Iterator[Span]:
    """The spans and reasons of credentials announced by words.

    `lowered` is `text` in lower case, of the same length; `longest` is the length of its longest word, and a text of
    short words holds no key: most talk is spared the search.
    """
    announced = _announcing().within(lowered)
    if not announced:
        return
    if announced & 1:
        yield from _find_passwords(text, lowered)
    if announced & 2 and longest >= _SHORTEST_KEY:
        yield from _find_keys(text, lowered)
    for bit, (_, name, reason) in enumerate(_marked(), 3):
        if announced >> bit & 1:
            for match in _PATTERNS[name].finditer(text):
                if not is_stand_in(match["value"]):
                    start = match.start() if name.endswith("header") else match.start("value")
                    yield start, match.end("value"), reason
    if not announced & 4:
        return
    if "cred" in lowered or "login" in lowered or "zugangsdaten" in lowered or "identifiant" in lowered:
        for match in _PATTERNS["login"].finditer(text):
            if is_mixed(match["value"]):
                yield match.start("value"), match.end("value"), "password"
    if "cookie" in lowered:
        for match in _PATTERNS["cookie"].finditer(text):
            if any(looks_random(value, 10) for value in _PATTERNS["cookie_value"].findall(match["value"])):
                yield match.start(), match.end("value"), "session_cookie"
    if "://" in text:
        yield from _find_url_credentials(text)
    if "-----BEGIN" in text or "PuTTY-User" in text:
        yield from _find_private_keys(text)


def _present(nouns: tuple[str, ...], foreign: tuple[str, ...], lowered: str) -> list[str]:
    present = [noun for noun in nouns if noun in lowered]
    if not lowered.isascii():
        present.extend(noun for noun in foreign if noun in lowered)
    return present


def _find_passwords(text: str, lowered: str) -> Iterator[Span]:
    pattern = _PATTERNS["password"]
    for noun in _present(_PASSWORD_NOUNS, _FOREIGN_PASSWORD_NOUNS, lowered):
        position = lowered.find(noun)
        while position >= 0:
            end = position + len(noun)
            match = pattern.match(text, end) if _starts_a_name(text, position) else None
            # "pass" alone is a verb, a ticket and a mountain road: only `pass: x` and `DB_PASS=x` count.
            if match is not None and noun == "pass" and match.start("assigned") != end:
                match = None
            if match is not None and _is_password(text, position, match, english=noun in _ENGLISH_PASSWORD_NOUNS):
                yield match.start("value"), _quotation_end(text, match), "password"
            elif "phras" in noun and match is not None and match["stated"] and (words := _words_of_phrase(text, match)):
                yield *words, "password"
            elif noun != "pass":
                yield from _told_before(text, position, end)
            position = lowered.find(noun, end)


def _told_before(text: str, position: int, end: int) -> Iterator[Span]:
    """A password that stands before its name: "X is my password", "use X as the password"."""
    if _PATTERNS["named_alone"].match(text, end) is None:
        return
    first = max(0, position - 110)
    match = _PATTERNS["reversed"].search(text[first:position])
    if match is not None and (is_mixed(match["value"]) or " " in match["value"].strip()):
        yield first + match.start("value"), first + match.end("value"), "password"


def _words_of_phrase(text: str, match: re.Match[str]) -> tuple[int, int] | None:
    """A passphrase of plain words up to the end of its clause; a sentence has small words between them."""
    found = _PATTERNS["phrase"].match(text, match.start("value"))
    if found is None or any(word.lower() in STOP_WORDS for word in re.split(r"[ -]", found.group())):
        return None
    return found.span()


def _quotation_end(text: str, match: re.Match[str]) -> int:
    """A quoted passphrase runs to its closing quote, when that stands on the same line within reach."""
    opening = match["open"][-1:]
    closing = text.find(_CLOSING.get(opening, opening), match.end("value"), match.end("value") + 128) if opening else -1
    return match.end("value") if closing < 0 or "\n" in text[match.end("value") : closing] else closing


def _starts_a_name(text: str, position: int) -> bool:
    before = text[position - 1 : position]
    if not before.isalpha() or not before.isascii():
        return True
    return text[position].isupper() or text[position - 2 : position] == "db"


def _is_password(text: str, position: int, match: re.Match[str], *, english: bool) -> bool:
    before = text[max(0, position - 40) : position]
    if _PATTERNS["derived"].search(before):
        return False
    value = match["value"].rstrip(".,;:!?") or match["value"]
    following = text[match.start("value") + len(value) : match.start("value") + len(value) + 1]
    if following in ("(", "["):
        return False
    assigned, stated = match["assigned"] is not None, (match["stated"] or "").strip()
    if not assigned and not stated:
        return is_mixed(value)  # "login bob password hunter2"
    changed = stated in ("to", "auf", "-")
    if changed and not _PATTERNS["changed"].search(before):
        return False
    ends_clause = not changed and (not following or following in ".,;:!?\n")
    if not english and stated and value.islower() and value.isalpha():
        ends_clause = False  # "abgelaufen", "vencida": what a password is, in words this list does not have
    return looks_like_password(value, assigned=assigned, quoted=bool(match["open"]), ends_clause=ends_clause)


def _find_keys(text: str, lowered: str) -> Iterator[Span]:
    pattern = _PATTERNS["key"]
    for noun in _present(_KEY_NOUNS, _FOREIGN_KEY_NOUNS, lowered):
        position = lowered.find(noun)
        while position >= 0:
            end = position + len(noun)
            match = pattern.match(text, end)
            if match is not None and _is_key(text, position, noun, match):
                yield match.start("value"), match.end("value"), _key_reason(text[max(0, position - 12) : end + 4])
            position = lowered.find(noun, end)


def _is_key(text: str, position: int, noun: str, match: re.Match[str]) -> bool:
    value = match["value"].rstrip(".")
    if noun in _PLAIN_KEY_NOUNS or noun in _FOREIGN_PLAIN_KEY_NOUNS:
        qualified = match["qualified"] or _PATTERNS["key_qualifier"].search(text, max(0, position - 16), position)
        if not qualified:
            return _is_plain_key(text, position, match)
    elif noun in ("sess", "sid") and match["assigned"] is None and is_hexadecimal(value):
        return False  # "the session id is 6ba7b810-...": what a tool calls its run
    return looks_random(value, 16 if match["assigned"] is None else _SHORTEST_KEY)


_KEY_LENGTH = 32
"""Signs from which on a value in hexadecimal is as long as a key."""


def _is_plain_key(text: str, position: int, match: re.Match[str]) -> bool:
    """Somebody's key with a generated value; a hash or an identifier is a key of a table unless it is called mine."""
    value = match["value"].rstrip(".")
    owner = _PATTERNS["key_owner"].search(text, max(0, position - 16), position)
    if owner is None or not looks_generated(value):
        return False
    if not is_hexadecimal(value):
        return True
    mine = owner["mine"] or _PATTERNS["used"].search(match.group()[: match.start("value") - match.start()])
    alone = not owner.group().strip() and match["assigned"] is not None and len(value) >= _KEY_LENGTH
    return (mine is not None or alone) and "-" not in value  # "key: ..." and nothing else: of which table?


def _key_reason(name: str) -> str:
    name = name.lower()
    if "sess" in name or "sid" in name:
        return "session_cookie"
    if any(noun in name for noun in (*_PLAIN_KEY_NOUNS, *_FOREIGN_PLAIN_KEY_NOUNS)):
        return "api_key"
    return "client_secret" if "secret" in name else "token"


def _find_url_credentials(text: str) -> Iterator[Span]:
    position = text.find("://")
    while position >= 0:
        scheme = _PATTERNS["url_scheme"].search(text, max(0, position - 31), position)
        match = _PATTERNS["url_user"].match(text, position + 3)
        if scheme is not None and match is not None and not is_stand_in(match["value"]):
            reason = "password" if scheme.group().lower() in _WEB_SCHEMES else "connection_string"
            yield scheme.start(), match.end("value"), reason
        position = text.find("://", position + 3)


def _find_private_keys(text: str) -> Iterator[Span]:
    """A block runs to its END line; without one it runs to the end of the text."""
    position = 0
    while (match := _PATTERNS["pem"].search(text, position)) is not None:
        closing = text.find("-----END ", match.end())
        line_end = text.find("-----", closing + 9, closing + 80) if closing >= 0 else -1
        position = line_end + 5 if line_end >= 0 else len(text)
        yield match.start(), position, "private_key"
