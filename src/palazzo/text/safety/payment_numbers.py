"""Card numbers and bank details in prose.

Owns: which runs of digits are a payment card (issuer prefix, length, Luhn), an IBAN (mod 97), or an account or
routing number named as such. A number that fails its own check is never reported, so order numbers and
timestamps pass. Knows nothing of what becomes of a finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from palazzo.text.safety.checksums import IBAN_LENGTHS, aba_routing, iban, luhn

_CARD_WORD_REACH = 48

# Groups as they are printed on cards and typed by people; one group is a number typed without breaks.
_CARD_GROUPINGS = frozenset(
    {
        (4, 4, 4, 4),
        (4, 4, 4, 4, 3),
        (4, 4, 4, 3),
        (4, 4, 4, 2),
        (4, 4, 4, 1),
        (4, 6, 5),
        (4, 6, 4),
        (4, 5, 6),
        (6, 13),
        (8, 8),
        (4, 4, 5),
        (4, 4, 4),
        (4, 12),
        (6, 10),
    }
)


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    sources = {
        "digit_groups": r"(?<![A-Za-z0-9_.])\d{4,19}(?!\d)(?:[ .\-/_]\d{1,13}(?!\d))*",
        "group": r"\d+",
        "card_word": r"\b(?:cards?|cc|visa|master ?card|maestro|amex|american express|discover|diners|jcb|union ?pay"
        r"|credit|debit|karte|kreditkarte|carte|tarjeta|carta|cartão|pan)\b|カード|信用卡|银行卡|карт",
        "iban": r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}",
        "account": r"\b(?:account|acct|a/c|konto|kontonummer|cuenta|compte|conto|口座)\b\.?"
        r"(?:[ -]?(?:number|num|no|nummer|número|番号|#)\b\.?)?[ :#=]{0,4}(?:is |was |ist |es |est )?[ :#]{0,3}"
        r"(\d[\d -]{4,20}\d)(?![\w-])",
        "bank_word": r"\b(?:bank|checking|savings|routing|sort code|iban|swift|bic|wire transfer|direct deposit"
        r"|beneficiary|blz|payee)\b|銀行|банк|银行",
        "routing": r"\b(?:routing|aba|rtn|transit)\b\D{0,24}?(\d{9})(?!\d)",
        "sort_code": r"\bsort[ -]?code\b\D{0,16}?(\d\d[ -]?\d\d[ -]?\d\d)(?!\d)",
        "card_code": r"\b(?:cvv2?|cvc2?|cvn|card (?:verification|security) (?:value|code|"
        r"number))\b\D{0,12}?(\d{3,4})(?!\d)",
    }
    return {name: re.compile(source, re.IGNORECASE) for name, source in sources.items()}


def card_issuer(digits: str) -> str:
    """The card network by issuer prefix and length, or an empty string."""
    size, two, four, six = len(digits), int(digits[:2]), int(digits[:4]), int(digits[:6])
    if digits[0] == "4" and size in (13, 16, 19):
        return "visa"
    if size == 16 and (51 <= two <= 55 or 2221 <= four <= 2720):
        return "mastercard"
    if size == 15 and two in (34, 37):
        return "amex"
    if size == 14 and (300 <= int(digits[:3]) <= 305 or two in (36, 38, 39)):
        return "diners"
    if size in (16, 19) and (four == 6011 or 644 <= int(digits[:3]) <= 649 or two == 65 or 622126 <= six <= 622925):
        return "discover"
    if (size in (16, 19) and 3528 <= four <= 3589) or (size == 15 and four in (2131, 1800)):
        return "jcb"
    if 16 <= size <= 19 and two == 62:
        return "unionpay"
    if size == 16 and 2200 <= four <= 2204:
        return "mir"
    if 12 <= size <= 19 and (two == 50 or 56 <= two <= 69):
        return "maestro"
    return ""


def find_cards(text: str) -> Iterator[tuple[int, int]]:
    """The spans of Luhn-valid card numbers."""
    patterns = _patterns()
    for run in patterns["digit_groups"].finditer(text):
        groups = [(match.start(), match.end()) for match in patterns["group"].finditer(text, *run.span())]
        position = 0
        while position < len(groups):
            taken = _card_at(text, groups, position)
            if taken:
                yield groups[position][0], groups[position + taken - 1][1]
            position += taken or 1


def _card_at(text: str, groups: list[tuple[int, int]], first: int) -> int:
    """How many groups from `first` form a card number; the longest reading wins."""
    for count in (5, 4, 3, 2, 1):
        chosen = groups[first : first + count]
        if len(chosen) < count:
            continue
        sizes = tuple(end - start for start, end in chosen)
        if count > 1 and (sizes not in _CARD_GROUPINGS or not _one_separator(text, chosen)):
            continue
        digits = "".join(text[start:end] for start, end in chosen)
        if 12 <= len(digits) <= 19 and _is_card(text, digits, chosen[0][0]):
            return count
    return 0


def _one_separator(text: str, groups: list[tuple[int, int]]) -> bool:
    return len({text[left[1] : right[0]] for left, right in pairwise(groups)}) == 1


def _is_card(text: str, digits: str, start: int) -> bool:
    if not digits.isascii() or not luhn(digits) or len(set(digits)) < 2:
        return False
    issuer = card_issuer(digits)
    # Twelve- and thirteen-digit numbers and unknown issuers pass Luhn one time in ten: barcodes and order
    # numbers do. They count only when the sentence speaks of a card.
    if issuer and issuer != "maestro" and len(digits) > 13:
        return True
    return _patterns()["card_word"].search(text, max(0, start - _CARD_WORD_REACH), start) is not None


def find_bank_details(text: str) -> Iterator[tuple[int, int, str]]:
    """The spans of IBANs, named account, routing and sort-code numbers."""
    patterns = _patterns()
    match = patterns["iban"].search(text)
    while match is not None:
        # The candidate may run on into following words, so the next search starts where this number ends.
        length = _iban_length(match.group())
        if length:
            yield match.start(), match.start() + length, "bank_account"
        match = patterns["iban"].search(text, match.start() + (length or 2))
    if patterns["bank_word"].search(text):
        for match in patterns["account"].finditer(text):
            yield match.start(1), match.end(1), "bank_account"
        for match in patterns["routing"].finditer(text):
            if aba_routing(match.group(1)):
                yield match.start(1), match.end(1), "bank_account"
        for match in patterns["sort_code"].finditer(text):
            yield match.start(1), match.end(1), "bank_account"


def find_card_codes(text: str) -> Iterator[tuple[int, int, str]]:
    """The spans of card security codes (CVV, CVC) named as such."""
    for match in _patterns()["card_code"].finditer(text):
        yield match.start(1), match.end(1), "card_code"


def _iban_length(candidate: str) -> int:
    """The length of the IBAN at the start of `candidate`, spaces included; 0 when there is none."""
    wanted = IBAN_LENGTHS.get(candidate[:2].upper(), 0)
    if not wanted:
        return 0
    seen = 0
    for index, character in enumerate(candidate):
        seen += character not in " -"
        if seen == wanted:
            following = candidate[index + 1 : index + 2]
            compact = candidate[: index + 1].replace(" ", "").replace("-", "")
            return index + 1 if not following.isalnum() and iban(compact) else 0
    return 0
