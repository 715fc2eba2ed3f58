"""The encoder behind every learned judgement: from texts, or pairs of texts, to the numbers its heads ask for.

Owns the cutting of words into pieces, the arithmetic from pieces to states, and how pairs are read; the weights lie in
`weights`. Refuses to know what the heads mean (`judgements`, and `safety.wording`, whose encoder is of the same make)
and how the weights were learned (`training/reader` and `training/injection` make the files with this same cutting). A
token is a row, and all texts of a call stand in one table; weights are bytes with one step a row. The compiled kernel
reads with those bytes; without it numpy does, with weights opened to floats at the first reading, and says the same to
four digits (`tests/kernel` compares them). Invariants: what stands beside a text in a call changes nothing of its
logits; no text stays in this module; without a file of weights there is no encoder.
"""

from __future__ import annotations

import pkgutil
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from palazzo import kernel
from palazzo.files.blas_threads import one_blas_thread
from palazzo.text.reader.weights import Encoder, Layer, Translated, Weights, unpacked
from palazzo.text.words.lexicon import EVERY_LANGUAGE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

WEIGHTS: Final = f"data/{EVERY_LANGUAGE}/reader.bin"
SECOND: Final = f"data/{EVERY_LANGUAGE}/second.bin"
"""Layers that were learned apart over the words of the others: slower, and asked where those are in doubt."""
CHANGE: Final = "change"
"""The judgement of what a later statement does to an earlier one."""
IN_DOUBT: Final = {"change": (0.03, 1.0), "answers": (0.05, 0.95), "plans": (0.05, 1.0)}
"""Between which odds of the first reader a pair is read by the second as well: that something is taken back, that a
text answers, that something becomes of a plan."""
LONGEST: Final = 96
"""Pieces read of one text; a pair has room for two such."""
OTHER_LANGUAGE: Final = 0.4
"""Share of the words of a text that the table of a language must know, for the text to be read by it."""
UNKNOWN, OPENING, CLOSING = 0, 1, 2
"""The first pieces of every vocabulary."""

HAN: Final = "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff"
_PLAIN_PART: Final = re.compile(r"[a-zA-Z0-9]+|[^\w\s]|_")
_PACKAGE: Final = "palazzo.text"
_LONGEST_WORD: Final = 32
Span = tuple[int, int]
"""Where the pieces of a text begin and end in the table of a call."""
Pair = tuple[str, str]
"""Two texts that are read together; the second is empty where one is read alone."""


def encoder() -> Encoder | None:
    """The encoder that judgements are read with; nothing where its file is missing."""
    return installed(WEIGHTS)


def second() -> Encoder | None:
    """The encoder that is asked in doubt; nothing where its file is missing."""
    return installed(SECOND, lent=True)


@cache
def installed(weights: str, lent: bool = False) -> Encoder | None:
    """The encoder in a file of this package, over words of its own or `lent`; nothing where it is missing."""
    try:
        return unpacked(pkgutil.get_data(_PACKAGE, weights) or b"", encoder() if lent else None)
    except FileNotFoundError:
        return None


@cache
def _signs() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """How a text in other letters is cut, and a sign of a script without spaces: both take long to be made."""
    return re.compile(rf"[{HAN}]+|[^\W_{HAN}]+|[^\w\s]|_"), re.compile(rf"[{HAN}]")


def parts_of(text: str) -> list[str]:
    """Words, runs of signs without spaces, and single marks."""
    return (_PLAIN_PART if text.isascii() else _signs()[0]).findall(text)


def cut(text: str, vocabulary: Mapping[str, int], translated: Translated) -> list[int]:
    """Numbers of the pieces of a text, as many as are read."""
    parts = parts_of(text.lower())
    read_as = _language_of(parts, vocabulary, translated)
    numbers: list[int] = []
    for part in parts:
        numbers += read_as.get(folded(part)) or pieces(part, vocabulary, folded)
        if len(numbers) >= LONGEST:
            break
    return numbers[:LONGEST]


def in_another_language(of: Encoder, text: str) -> bool:
    """Whether a text is read by the table of another language, or sign by sign."""
    parts = parts_of(text.lower())
    unspaced = not text.isascii() and any(map(_signs()[1].match, parts))
    return bool(_language_of(parts, of.vocabulary, of.translated)) or unspaced


def _language_of(
    parts: Sequence[str], vocabulary: Mapping[str, int], translated: Translated
) -> Mapping[str, tuple[int, ...]]:
    """The table of the language that knows most of the words; none where English knows more."""
    words = [folded(part) for part in parts[:LONGEST] if part[0].isalpha()]
    best: Mapping[str, tuple[int, ...]] = {}
    most = max(len(words) * OTHER_LANGUAGE, sum(map(vocabulary.__contains__, words)), 1)
    for table in translated.values():
        count = sum(map(table.__contains__, words))
        if count >= most:
            best, most = table, count + 1
    return best


def folded(word: str) -> str:
    """A word without accents."""
    if word.isascii():
        return word
    return "".join(sign for sign in unicodedata.normalize("NFD", word) if not unicodedata.combining(sign))


def pieces(part: str, vocabulary: Mapping[str, int], folded: Callable[[str], str]) -> list[int]:
    """The longest known pieces of a word, from its beginning; of a script without spaces every sign."""
    if not part.isascii() and _signs()[1].match(part):
        return [vocabulary.get(sign, UNKNOWN) for sign in part]
    word = folded(part)[:_LONGEST_WORD]
    if (whole := vocabulary.get(word)) is not None:
        return [whole]
    found: list[int] = []
    start = 0
    while start < len(word):
        before = "##" if start else ""
        for end in range(len(word), start, -1):
            number = vocabulary.get(before + word[start:end])
            if number is not None:
                found.append(number)
                start = end
                break
        else:
            return [UNKNOWN]
    return found


def logits(of: Encoder, head: str, pairs: Sequence[Pair]) -> Floats:
    """What a head says of each pair, a row each."""
    import numpy as np

    weights, offset = of.heads[head]
    if not pairs:
        return np.zeros((0, weights.shape[1]), np.float32)
    with one_blas_thread():
        found: Floats = _features(of, pairs) @ weights + offset
    return found


def voiced(
    of: Encoder, head: str, pairs: Sequence[Pair], other: Encoder | None = None, *, closely: Sequence[int] = ()
) -> Floats:
    """What a judgement says of each pair: where the first reader is in doubt, and of those at `closely` in any case,
    what both say in the mean."""
    import numpy as np

    found = logits(of, head, pairs)
    other = other or second()
    if other is None or head not in other.heads or not pairs:
        return found
    least, most = IN_DOUBT[head]
    odds = _odds_of_something(found, head)
    doubted = (odds >= least) & (odds <= most)
    doubted[list(closely)] = True
    unsure = np.flatnonzero(doubted).tolist()
    if unsure:
        found[unsure] = (found[unsure] + logits(other, head, [pairs[at] for at in unsure])) / np.float32(2)
    return found


def _odds_of_something(found: Floats, head: str) -> Floats:
    """How likely a pair is what is looked for: the first outcome, or of a plan any but the first."""
    import numpy as np

    if found.shape[1] == 1:
        likely: Floats = np.float32(1) / (np.float32(1) + np.exp(-found[:, 0]))
        return likely
    shares = _shares(found.copy())[:, 0]
    return np.float32(1) - shares if head == "plans" else shares


def _features(of: Encoder, pairs: Sequence[Pair]) -> Floats:
    """What a head looks at, a row for each pair."""
    import numpy as np

    known: dict[str, list[int]] = {text: cut(text, of.vocabulary, of.translated) for pair in pairs for text in pair}
    rows: list[int] = []
    sides: list[int] = []
    spans: list[tuple[int, int, int]] = []
    for first, second in pairs:
        start, one, other = len(rows), known[first], known[second]
        rows += [OPENING, *one, CLOSING]
        middle = len(rows)
        rows += [*other, CLOSING] if second else []
        sides += [0] * (middle - start) + [1] * (len(rows) - middle)
        spans.append((start, middle, len(rows)))
    if kernel.compiled() is not None and of.compiled is not None:
        return _by_kernel(of, rows, [1 << side for side in sides], spans, openings=True)
    bounds = [(start, end) for start, _, end in spans]
    states = entered(of, rows, bounds, of.marks[np.array(sides)])
    for layer in of.layers[:-1]:
        states = through(states, bounds, layer, of.attention_heads)
    return _summed(states, spans, _openings(states, bounds, of.layers[-1], of.attention_heads))


def read_alone(of: Encoder, rows: Sequence[int], masks: Sequence[int], spans: Sequence[Span]) -> Floats:
    """The opening piece after every layer and the mean of all pieces, a row for each text; a bit a mark in `masks`."""
    import numpy as np

    if kernel.compiled() is not None and of.compiled is not None:
        return _by_kernel(of, rows, masks, [(start, start, end) for start, end in spans], openings=False)
    bits = np.array(masks)[:, None] >> np.arange(len(of.marks)) & 1
    with one_blas_thread():
        states = entered(of, rows, spans, bits.astype(np.float32) @ of.marks)
        for layer in of.layers:
            states = through(states, spans, layer, of.attention_heads)
    return np.array([np.concatenate([states[start], states[start:end].mean(0)]) for start, end in spans])


def _by_kernel(
    of: Encoder, rows: Sequence[int], masks: Sequence[int], spans: Sequence[tuple[int, int, int]], *, openings: bool
) -> Floats:
    """The same by the kernel."""
    import numpy as np

    made = np.empty((len(spans), (3 if openings else 2) * of.words.shape[1]), np.float32)
    texts = kernel.Texts(np.array(rows, np.int32), np.array(masks, np.uint64), np.array(spans, np.int32))
    kernel.read_texts(of.compiled, texts, made, openings=openings)
    return made


def entered(of: Encoder, rows: Sequence[int], spans: Sequence[Span], marks: Floats) -> Floats:
    """Pieces as they enter the layers: their own vectors, their places in each text, and what marks them."""
    import numpy as np

    numbers = np.array(rows)
    places = np.concatenate([np.arange(end - start) for start, end in spans])
    return _normed(of.words[numbers] * of.steps[numbers, None] + of.places[places] + marks, of.norm)


def through(states: Floats, spans: Sequence[Span], layer: Layer, heads: int) -> Floats:
    """The states after a layer; the pieces of a text look at one another."""
    import numpy as np

    asked = _summed_up(states, layer.asked)
    mixed = np.empty_like(states)
    for start, end in spans:
        mixed[start:end] = _attended(asked[start:end], heads)
    return _finished(states, mixed, layer)


def _openings(states: Floats, spans: Sequence[Span], layer: Layer, heads: int) -> Floats:
    """The opening piece of each pair after the last layer, which is asked of nothing else.

    With one question a pair, keys and values of its pieces need not be made: the question goes through the weights of
    the keys, the states are mixed as they are, and the mixture goes through the weights of the values. What keys are
    offset by is the same for all pieces of a pair, so it decides nothing.
    """
    import numpy as np

    width = states.shape[1]
    size = width // heads
    weights, offset = layer.asked.opened, layer.asked.offset
    first = states[[start for start, _ in spans]]
    query = first @ weights[:, :width] + offset[:width]
    keys = weights[:, width : 2 * width].reshape(width, heads, size)
    wanted: Floats = np.matmul(query.reshape(-1, heads, size).transpose(1, 0, 2), keys.transpose(1, 2, 0))
    wanted *= np.float32(size**-0.5)
    looked = np.empty((heads, len(spans), width), np.float32)
    for at, (start, end) in enumerate(spans):
        scores: Floats = wanted[:, at] @ states[start:end].T
        looked[:, at] = _shares(scores) @ states[start:end]
    values = weights[:, 2 * width :].reshape(width, heads, size).transpose(1, 0, 2)
    mixed = (looked @ values).transpose(1, 0, 2).reshape(len(spans), width)
    return _finished(first, mixed + offset[2 * width :], layer)


def _summed(states: Floats, spans: Sequence[tuple[int, int, int]], openings: Floats) -> Floats:
    """The opening piece, the difference of the two texts and their product, of each pair."""
    import numpy as np

    width = states.shape[1]
    found = np.zeros((len(spans), 3 * width), np.float32)
    found[:, :width] = openings
    for at, (start, middle, end) in enumerate(spans):
        first = states[start + 1 : middle - 1].mean(0) if middle - start > 2 else np.zeros(width, np.float32)
        found[at, width : 2 * width] = first
        if end - middle > 1:
            second = states[middle : end - 1].mean(0)
            found[at, width : 2 * width] -= second
            found[at, 2 * width :] = first * second
    return found


def _finished(states: Floats, mixed: Floats, layer: Layer) -> Floats:
    states = _normed(_summed_up(mixed, layer.mixed, states), layer.mixed_norm)
    return _normed(_summed_up(_gelu(_summed_up(states, layer.wide)), layer.narrow, states), layer.narrow_norm)


def _summed_up(states: Floats, by: Weights, beside: Floats | None = None) -> Floats:
    """What weights and their offset make of states, with those it goes beside."""
    found: Floats = states @ by.opened
    found += by.offset
    if beside is not None:
        found += beside
    return found


def _attended(asked: Floats, heads: int) -> Floats:
    import numpy as np

    count, width = asked.shape[0], asked.shape[1] // 3
    size = width // heads
    query, key, value = asked.reshape(count, 3, heads, size).transpose(1, 2, 0, 3)
    weights: Floats = query @ key.transpose(0, 2, 1)
    weights *= np.float32(size**-0.5)
    mixed: Floats = _shares(weights) @ value
    return mixed.transpose(1, 0, 2).reshape(count, width)


def _shares(scores: Floats) -> Floats:
    """Scores as shares of one, along the last axis; in their own place."""
    import numpy as np

    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores


def _normed(states: Floats, norm: tuple[Floats, Floats]) -> Floats:
    """Rows brought to one size, in their own place."""
    import numpy as np

    part = np.float32(1 / states.shape[1])
    states -= states.sum(axis=-1, keepdims=True) * part
    spread = np.einsum("ij,ij->i", states, states)[:, None] * part
    states /= np.sqrt(spread + np.float32(1e-12))
    states *= norm[0]
    states += norm[1]
    return states


def _gelu(states: Floats) -> Floats:
    """The quick form, x / (1 + exp(-1.702 x)), with which the weights were learned; in its own place."""
    import numpy as np

    inner = states * np.float32(-1.702)
    np.exp(inner, out=inner)
    inner += np.float32(1)
    states /= inner
    return states
