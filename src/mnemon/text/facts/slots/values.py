"""Values of slots side by side: are two the same, does one only say the other more exactly?

Owns the reading of a value into words and figures. Knows nothing of who holds a value or which one is newer.
"""

from __future__ import annotations

from mnemon.text.facts.quantities import find_quantities, stem
from mnemon.text.words.grammar import COORD, DET, PREP, PUNCT, tokenize
from mnemon.text.words.remembered import remembered


@remembered(4096)
def _value_words(value: str) -> frozenset[str]:
    tokens = tokenize(value)
    words = []
    for quantity in find_quantities(tokens):
        words.append(f"{quantity.value:g}{quantity.unit if quantity.unit in ('clock', 'date', '%') else ''}")
    taken = {k for quantity in find_quantities(tokens) for k in range(quantity.first, quantity.last)}
    for at, (word, bit) in enumerate(zip(tokens.lower, tokens.bits, strict=True)):
        if at not in taken and not bit & (PUNCT | DET | PREP | COORD):
            version = len(word) > 1 and word[0] == "v" and word[1].isdigit()
            words.append(word[1:] if version else stem(word))
    return frozenset(words) or frozenset(tokens.lower)


def same_value(a: str, b: str) -> bool:
    """Whether two values say the same, in their words or in all their figures."""
    left, right = _value_words(a), _value_words(b)
    if left == right or _same_hour(a, b):
        return True
    figures_left = {w for w in left if w[0].isdigit()}
    figures_right = {w for w in right if w[0].isdigit()}
    return bool(figures_left) and figures_left == figures_right


def _same_hour(a: str, b: str) -> bool:
    """Whether one is an hour without its half of the day, and the other that hour: "9", "9 am"."""
    for bare, told in ((a, b), (b, a)):
        if bare.isdigit() and len(bare) <= 2:
            return _figures(told) in ({(60.0 * int(bare), "clock")}, {(60.0 * (int(bare) + 12), "clock")})
    return False


def leading_word(value: str) -> str:
    """The first word of a value."""
    words = value.lower().replace("'s", "").split()
    return words[0] if words else ""


def refines(a: str, b: str) -> bool:
    """Whether one value only says the other more exactly ("Berlin", "Berlin, Germany")."""
    left, right = _value_words(a), _value_words(b)
    return left <= right or right <= left


def same_moment(earlier: str, later: str) -> bool:
    """Whether the later one names the earlier day or hour again and adds to it ("May 4", "May 4 at 9 am")."""
    told, tells = _figures(earlier), _figures(later)
    return bool(told) and told <= tells and all(unit in ("date", "clock") for _, unit in told)


def _figures(value: str) -> frozenset[tuple[float, str]]:
    return frozenset((quantity.value, quantity.unit) for quantity in find_quantities(tokenize(value)))
