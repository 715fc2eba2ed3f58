"""Whether the value after "password is" or `API_KEY=` is a credential or only the place of one.

Owns the judgement of a single value: generated key, chosen password, placeholder, variable, type name, or a word
of an ordinary sentence. Knows nothing of where the value stood; `credential_phrases` brings it here.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import pairwise
from math import log2

_CODE = (
    r"(?:os|process|env|config|settings|self|this|request|req|res|args|options|params|user|data|form|app|conf|ctx|"
    r"secrets?|credentials|vault|props|state|session)(?:\.|\[|->)|.*[({\[]|"
    r"(?:none|null|nil|true|false|undefined|str|string|int|bool|any|object|bytes|number|varchar|text)\b[,;)]?$"
)
# Words that stand for a credential in documentation, alone or joined: your_api_key_here, wrongpassword, changeme.
_STAND_IN = (
    r"[*•.x_#?-]{3,}$|[<\[{$%]|.*(?:redacted|placeholder)|"
    r"(?:your|my|the|an?|some|new|old|this|that|test|example|sample|dummy|fake|mock|default|"
    r"strong|secure|random|long|hidden|redacted|removed|masked|change|insert|enter|put|add|here|me|it|goes|todo|"
    r"placeholder|hashed?|plain|text|user|admin|root|name|db|database|app|application|api|auth|access|client|service|"
    r"account|super|secret|private|public|pass|word|password|passwd|pwd|passphrase|key|token|value|string|id|"
    r"credentials?|hash|input|field|reset|manager|valid|invalid|wrong|right|correct|incorrect|current|confirm|bad|"
    r"good|weak|empty|slack|bot|[_\-.\s])+$"
)
# What "the password is ..." goes on with when no password follows.
_ORDINARY = (
    r"(?:\w+(?:ed|ing|able|ible|ful|less|ly|ous|ive|ent|ant|al|ness|tion)|hidden|unique|public|unknown|broken|"
    r"taken|the|not|no|now|too|"
    r"very|so|at|in|on|my|your|our|his|her|its|their|an?|all|any|it|what|where|when|why|how|that|this|there|same|"
    r"wrong|right|correct|weak|strong|safe|secure|fine|good|bad|great|easy|hard|simple|short|long|old|new|gone|lost|"
    r"false|true|null|none|okay|back|kept|here|just|only|also|still|never|always|been|needs?|must|should|one|yours|"
    r"mine|theirs|them|him|you|hers|work|home|policy|prompt|page|file|list|vault|people|life|success|patience|"
    r"practice|love|time|money|balance|trust|respect|teamwork|complex|complete|private|useless|blank|first|last|next|"
    r"login|email|username|account|access|case|wise|both|again|later|soon|today|tomorrow|yesterday|please|thanks)$"
)
_IDENTIFIER = r"[a-z]+(?:_[a-z]+)+|[a-z]+(?:[A-Z][a-z]+)+|[A-Z]+(?:_[A-Z]+)+"
_JOINED_WORDS = r"(?:[A-Za-z]+[_./-])*[A-Za-z]+[_./-]?\d{0,4}"
_ALGORITHM = r"sha-?\d+|md5|argon2\w*|base64|utf-?8|oauth-?2?|bcrypt|pbkdf2\w*|aes-?\d*|\dfa|.*['’]s|v\d.*"
_HEXADECIMAL = r"(?:0x)?[0-9a-f]+(?:-[0-9a-f]+)*"
_GENERATED_LENGTH = 20
_GENERATED_CHANGES = 0.26
_GENERATED_CHANGES_ONE_DIGIT = 0.4
_PATH_OR_DATE = r"https?:|/|\./|\.\./|\d{4}-\d\d-\d\d|\d+\.\d+\.\d+"


@cache
def _compiled(source: str, *, ignore_case: bool = True) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE if ignore_case else 0)


def is_stand_in(value: str) -> bool:
    """Whether the value is a placeholder, a variable or a type rather than a literal credential."""
    return _compiled(_STAND_IN).match(value) is not None or _compiled(_CODE).match(value) is not None


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
    if len(body) < 20 and _compiled(_JOINED_WORDS).fullmatch(body):
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
    return _compiled(_HEXADECIMAL).fullmatch(value) is not None


def _sort(character: str) -> int:
    return 0 if character.isdecimal() else 1 if character.islower() else 2


def _looks_like_digitless_base64(body: str) -> bool:
    if len(body) < 24 or any(mark in body for mark in "_./-") or entropy(body) < 4.0:
        return False
    changes = sum(left.isupper() != right.isupper() for left, right in pairwise(body))
    return changes >= len(body) / 4


def _is_path_or_date(body: str) -> bool:
    return _compiled(_PATH_OR_DATE).match(body) is not None or (
        body.count("/") >= 2 and max(map(len, body.split("/"))) < 16
    )


def is_mixed(value: str) -> bool:
    """Whether letters and digits are mixed as in a chosen password, and no algorithm is named."""
    letters, digits = sum(map(str.isalpha, value)), sum(map(str.isdecimal, value))
    if letters < 2 or not digits or len(value) < 6:
        return False
    return _compiled(_ALGORITHM).fullmatch(value) is None and not is_stand_in(value)


def looks_like_password(value: str, *, assigned: bool, quoted: bool, ends_clause: bool) -> bool:
    """Whether the word after `password=` (assigned) or "the password is" (prose) is the password itself."""
    if is_stand_in(value) or value.startswith(("http://", "https://", "/", "--")):
        return False
    if quoted:
        return True
    if _compiled(_IDENTIFIER, ignore_case=False).fullmatch(value.replace(".", "_")):
        return False
    has_digit = any(map(str.isdecimal, value))
    has_symbol = any(not character.isalnum() and character not in "_-.,'’/" for character in value)
    if has_digit or has_symbol or re.search(r"[a-z][A-Z]", value):
        return not value.replace(".", "").replace(",", "").isdecimal() or len(value) >= 6 or assigned
    return ends_clause and value.isalpha() and _compiled(_ORDINARY).match(value) is None
