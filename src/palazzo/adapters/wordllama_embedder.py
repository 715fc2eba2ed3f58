"""The built-in embedder: static token vectors of WordLlama, averaged. No download, no key, no network.

Reads WordLlama's vectors and tokenizer, which lie beside this module with their licence, made small by
`scripts/wordllama.py`: the package they come from brings thirty others along, a client of a model hub among them. The
weights are bytes with a step for each row; they are mapped and only the rows of the tokens seen are converted (a query
touches a dozen). The real tokenizer takes 75 ms of CPU to parse, most of it for 61,249 merge rules; a command that
embeds one query would spend more on that than on everything else after numpy. It is loaded at the first text that
`ColdTokenizer` leaves to it, or at the first call that brings some hundred new words: the library `tokenizers` where it
is installed, ten times as fast, else `BytePairs`: special tokens first, a mark for every space, then the pair of the
best rank merged until none is left. Invariant: all three give a text the same token numbers.
"""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from palazzo.adapters.model_files import SafetensorsFile, encode, load_tokenizer, read_text
from palazzo.errors import PartUnavailable
from palazzo.files.forks import Lazy
from palazzo.text.words.parsed import parsed
from palazzo.text.words.remembered import kept_in

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from palazzo.ports import Vector, Vectors

_PART = "wordllama"
FOLDER = Path(__file__).parent / "wordllama"
_DIMENSIONS = 256
WEIGHTS = Path("weights") / "l2_supercat_256.safetensors"
TOKENIZER = Path("tokenizers") / "l2_supercat_tokenizer_config.json.gz"
VOCABULARY = Path("tokenizers") / "l2_supercat_vocabulary.txt"
TABLE, STEPS = "embedding.weight", "embedding.step"
_ROWS_AT_ONCE = 4096  # 4 MB of float32: keeps a book-long text from taking memory in proportion
_FEW_TOKENS = 512  # so few are converted sooner than sorted
_COLD_WORDS = 200  # with more new words at once the real tokenizer, ten times as fast, earns its 75 ms
_COLD_ALL_TOLD = 2000  # by then the cold one has cost as much as loading the real one
_MOST_WORDS = 1 << 15


class _Model(NamedTuple):
    words: _Words
    table: NDArray[np.int8]
    steps: NDArray[np.float32]

    def vectors(self, tokens: NDArray[np.intp]) -> Vectors:
        """The vectors of tokens, a row each."""
        import numpy as np

        found: Vectors = self.table[tokens].astype(np.float32)
        found *= self.steps[tokens, None]
        return found


class WordLlamaEmbedder:
    """Averages the vectors of a text's tokens; a blank text gives zeros."""

    def __init__(self) -> None:
        self._model = Lazy(_load)

    @property
    def name(self) -> str:
        """The space's name."""
        return "wordllama-256"

    @property
    def dimensions(self) -> int:
        """256."""
        return _DIMENSIONS

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text. The vectors are of English: of another language they are of what a glossary says.

        Raises: PartUnavailable.
        """
        import numpy as np

        rows = self.word_vectors([parsed(text).gloss for text in texts])
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        lengths[lengths == 0.0] = 1.0
        rows /= lengths[:, None]
        return rows

    def word_vectors(self, words: Sequence[str]) -> Vectors:
        """One row per word, as long as the word says much: rare words have long vectors, small ones short ones.

        Raises: PartUnavailable.
        """
        import numpy as np

        model = self._model.get()
        rows = np.zeros((len(words), _DIMENSIONS), dtype=np.float32)
        for batch in _batches(model.words.numbers(words)):
            _add_tokens(model, batch, rows)
        return rows

    def embed_query(self, text: str) -> Vector:
        """The same as a row of `embed`: the model has no query prompt.

        Raises: PartUnavailable.
        """
        row: Vector = self.embed((text,))[0]
        return row


def _batches(numbers: Sequence[list[int]]) -> Iterator[list[tuple[int, list[int]]]]:
    """Places of texts with their token numbers, about `_ROWS_AT_ONCE` of them together; long texts come in pieces."""
    batch: list[tuple[int, list[int]]] = []
    size = 0
    for place, ids in enumerate(numbers):
        for start in range(0, len(ids), _ROWS_AT_ONCE):
            piece = ids[start : start + _ROWS_AT_ONCE]
            if size + len(piece) > _ROWS_AT_ONCE:
                yield batch
                batch, size = [], 0
            batch.append((place, piece))
            size += len(piece)
    if batch:
        yield batch


def _add_tokens(model: _Model, batch: Sequence[tuple[int, list[int]]], rows: Vectors) -> None:
    """Adds each text's token rows to its own; the sum points where the mean points, and normalising comes later."""
    import numpy as np

    flat = np.fromiter(chain.from_iterable([ids for _, ids in batch]), np.intp)
    few = len(flat) <= _FEW_TOKENS
    distinct, places = (flat, flat) if few else np.unique(flat, return_inverse=True)
    vectors = model.vectors(distinct)
    start = 0
    for place, ids in batch:
        end = start + len(ids)
        own = vectors[start:end] if few else vectors.take(places[start:end], 0)
        rows[place] += np.add.reduce(own, axis=0)
        start = end


class _Words:
    """Token numbers of texts, put together from those of their words, which come again and again."""

    def __init__(self, cold: ColdTokenizer | None, tokenizer: Lazy[Callable[[str], list[int]]]) -> None:
        self._cold = cold
        self._tokenizer = tokenizer
        self._known: dict[str, list[int]] = {}
        self._cold_words = 0
        kept_in(self)

    def forget(self) -> None:
        """Forgets the words of texts that were embedded."""
        self._known = {}

    def numbers(self, texts: Sequence[str]) -> list[list[int]]:
        """The token numbers of each text, none for a blank one."""
        cold = self._cold
        split = [self._split(text) for text in texts]
        if cold is None:
            return [self._encoded(text) if words is None else [] for text, words in zip(texts, split, strict=True)]
        if len(self._known) >= _MOST_WORDS:
            self._known = {}
        known = self._known
        fresh = set(chain.from_iterable(filter(None, split))) - known.keys()
        if fresh:
            known.update(self._learnt(fresh, cold))
        return [
            self._encoded(text) if words is None else list(chain.from_iterable(map(known.__getitem__, words)))
            for text, words in zip(texts, split, strict=True)
        ]

    def _split(self, text: str) -> list[str] | None:
        """The words of a text, none of a blank one; None where only the tokenizer can tell."""
        if not text or text.isspace():
            return []
        return text.split(" ") if self._cold is not None and self._cold.has_plain_words(text) else None

    def _learnt(self, words: AbstractSet[str], cold: ColdTokenizer) -> dict[str, list[int]]:
        """The token numbers of words; of many at once by the real tokenizer, cut where a token begins a word."""
        single = {word: [number] for word in words if (number := cold.whole(word)) is not None}
        order = [word for word in words if word not in single]
        if not order:
            return single
        if len(words) <= _COLD_WORDS and self._cold_words < _COLD_ALL_TOLD and not self._tokenizer.is_made:
            self._cold_words += len(order)
            found = {word: cold.encode_word(word) for word in order}
            return single | {word: self._encoded(word) if ids is None else ids for word, ids in found.items()}
        ids = self._encoded(" ".join(order))
        cuts = [at for at, number in enumerate(ids) if number in cold.openers]
        if len(cuts) != len(order):  # a word of bytes or marks that the tokenizer joins with its neighbour
            return single | {word: self._encoded(word) for word in order}
        return single | {word: ids[a:b] for word, a, b in zip(order, cuts, [*cuts[1:], len(ids)], strict=True)}

    def _encoded(self, text: str) -> list[int]:
        return self._tokenizer.get()(text)


def _load() -> _Model:
    tensors = SafetensorsFile(FOLDER / WEIGHTS, part=_PART)
    tensors.expect_shape(TABLE, (None, _DIMENSIONS))
    table = tensors.mapped(TABLE)
    tensors.expect_shape(STEPS, table.shape[:1])
    tokenizer = Lazy(lambda: _load_tokenizer(FOLDER / TOKENIZER, table.shape[0]))
    words = _Words(ColdTokenizer.read(FOLDER / VOCABULARY), tokenizer)
    return _Model(words, table, tensors.float32(STEPS))


def _load_tokenizer(path: Path, rows: int) -> Callable[[str], list[int]]:
    if find_spec("tokenizers") is None:
        pairs = BytePairs.read(path, part=_PART)
        size, numbers = len(pairs), pairs.encode
    else:
        tokenizer = load_tokenizer(path, part=_PART)
        size, numbers = tokenizer.get_vocab_size(), lambda text: list(encode(tokenizer, text, special_tokens=False).ids)
    if size > rows:
        raise PartUnavailable("the tokenizer of wordllama has more tokens than its table", part=_PART)
    return numbers


_SPACE = "\u2581"  # stands for a space in the vocabulary; no token has one after another character
_LONGEST_TEXT = 2000
_LONGEST_WORD = 40  # merging takes time in proportion to the square of a word's length


class ColdTokenizer:
    """Token numbers of short, ordinary texts, while the real tokenizer is not loaded.

    The rules follow from the vocabulary: every token that splits into two tokens may be merged from them, lower numbers
    first, ties by the numbers of the halves. That holds for the one vocabulary in the package, and for texts without
    runs of spaces or special tokens. Invariant: what this returns is what the real tokenizer returns; for any other
    word it returns None.
    """

    def __init__(self, vocabulary: dict[str, int]) -> None:
        self._vocabulary = vocabulary

    @cached_property
    def openers(self) -> frozenset[int]:
        """Numbers of the tokens that begin a word."""
        return frozenset(number for token, number in self._vocabulary.items() if token.startswith(_SPACE))

    @classmethod
    def read(cls, path: Path) -> ColdTokenizer | None:
        """The tokenizer of a vocabulary with a token a line, or None where there is none."""
        try:
            tokens = path.read_bytes().decode("utf-8").split("\n")
        except OSError:
            return None
        return cls({token: number for number, token in enumerate(tokens)})

    def has_plain_words(self, text: str) -> bool:
        """Whether a text's token numbers are those of its words, cut at spaces, one after another."""
        return not (
            len(text) > _LONGEST_TEXT
            or "<" in text
            or _SPACE in text
            or "  " in text
            or text[:1] in ("", " ")
            or text[-1] == " "
        )

    def encode_word(self, word: str) -> list[int] | None:
        """The token numbers of a word with the space before it, or None if it is the real tokenizer's business."""
        whole = self.whole(word)
        return self._merged(_SPACE + word) if whole is None else [whole]

    def whole(self, word: str) -> int | None:
        """The number of the one token a word is with the space before it; merging always arrives there."""
        return self._vocabulary.get(_SPACE + word)

    def _merged(self, word: str) -> list[int] | None:
        vocabulary = self._vocabulary
        if len(word) > _LONGEST_WORD:
            return None
        parts: list[str] = []
        for character in word:
            if character in vocabulary:
                parts.append(character)
            elif "\ud800" <= character <= "\udfff":
                return None
            else:
                parts.extend(f"<0x{byte:02X}>" for byte in character.encode("utf-8"))
        while True:
            best: tuple[int, int, int, int] | None = None
            for place in range(len(parts) - 1):
                left, right = parts[place], parts[place + 1]
                number = vocabulary.get(left + right)
                if number is not None and (best is None or number <= best[0]):
                    found = (number, vocabulary[left], vocabulary[right], place)
                    best = found if best is None else min(best, found)
            if best is None:
                return [vocabulary[part] for part in parts]
            place = best[3]
            parts[place : place + 2] = [parts[place] + parts[place + 1]]


SPACE: Final = "\u2581"


class BytePairs:
    """Token numbers of any text."""

    def __init__(self, vocabulary: dict[str, int], merges: list[str], special: dict[str, int]) -> None:
        self._vocabulary = vocabulary
        self._ranks = {tuple(pair.split(" ")): rank for rank, pair in enumerate(merges)}
        self._special = special
        self._cut = re.compile("(" + "|".join(map(re.escape, sorted(special, key=len, reverse=True))) + ")")

    @classmethod
    def read(cls, path: Path, *, part: str) -> BytePairs:
        """The tokenizer of a file of this sort.

        Raises: PartUnavailable.
        """
        try:
            told: dict[str, Any] = json.loads(read_text(path, part))
            special = {token["content"]: token["id"] for token in told["added_tokens"]}
            return cls(told["model"]["vocab"], told["model"]["merges"], special)
        except (ValueError, KeyError, TypeError) as error:
            raise PartUnavailable(f"the tokenizer file {path.name} is not usable: {error}", part=part) from None

    def __len__(self) -> int:
        return len(self._vocabulary)

    def encode(self, text: str) -> list[int]:
        """The token numbers of a text; a lone surrogate counts as a question mark."""
        text = text.encode("utf-8", "replace").decode("utf-8")
        found: list[int] = []
        for piece in self._cut.split(text):
            if piece in self._special:
                found.append(self._special[piece])
            elif piece:
                found += self._merged(SPACE + piece.replace(" ", SPACE))
        return found

    def _merged(self, text: str) -> list[int]:
        parts = [part for character in text for part in self._letters(character)]
        after, before = list(range(1, len(parts) + 1)), list(range(-1, len(parts) - 1))
        heap: list[tuple[int, int, str, str]] = []
        for place in range(len(parts) - 1):
            self._push(heap, place, parts[place], parts[place + 1])
        while heap:
            _, place, left, right = heapq.heappop(heap)
            other = after[place]
            if parts[place] != left or other >= len(parts) or parts[other] != right:
                continue  # one of the two was merged meanwhile
            parts[place], parts[other] = left + right, ""
            after[place] = after[other]
            if after[place] < len(parts):
                before[after[place]] = place
                self._push(heap, place, parts[place], parts[after[place]])
            if before[place] >= 0:
                self._push(heap, before[place], parts[before[place]], parts[place])
        return [self._vocabulary[part] for part in parts if part]

    def _push(self, heap: list[tuple[int, int, str, str]], place: int, left: str, right: str) -> None:
        rank = self._ranks.get((left, right))
        if rank is not None:
            heapq.heappush(heap, (rank, place, left, right))

    def _letters(self, character: str) -> list[str]:
        if character in self._vocabulary:
            return [character]
        return [f"<0x{byte:02X}>" for byte in character.encode("utf-8")]
