"""The built-in embedder: static token vectors from the WordLlama wheel, averaged. No download, no key, no
network.

Reads the wheel's two files itself and never imports the package: its loader looks in the wrong folder and then
downloads, and it brings pydantic and requests along. The weights are mapped and only the rows of the tokens seen are
converted (the whole matrix costs 120 ms and 32 MB, a query touches a dozen rows). The real tokenizer, 75 ms to parse,
is loaded at the first text that `cold_tokenizer` leaves to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mnemon.adapters.cold_tokenizer import ColdTokenizer
from mnemon.adapters.lazy import Lazy
from mnemon.adapters.safetensors_file import SafetensorsFile
from mnemon.adapters.tokenizer_file import encode, load_tokenizer
from mnemon.errors import PartUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mnemon.ports import Vector, Vectors

_PART = "wordllama"
_DIMENSIONS = 256
_WEIGHTS = Path("weights") / "l2_supercat_256.safetensors"
_TOKENIZER = Path("tokenizers") / "l2_supercat_tokenizer_config.json"
_TENSOR = "embedding.weight"
_ROWS_AT_ONCE = 4096  # 4 MB of float32: keeps a book-long text from taking memory in proportion


class _Model(NamedTuple):
    cold_tokenizer: ColdTokenizer | None
    tokenizer: Lazy[Any]
    table: NDArray[np.float16]


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
        """One unit row per text.

        Raises: PartUnavailable.
        """
        import numpy as np

        model = self._model.get()
        rows = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            _add_tokens(model, text, row)
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        lengths[lengths == 0.0] = 1.0
        rows /= lengths[:, None]
        return rows

    def embed_query(self, text: str) -> Vector:
        """The same as a row of `embed`: the model has no query prompt.

        Raises: PartUnavailable.
        """
        row: Vector = self.embed((text,))[0]
        return row


def _add_tokens(model: _Model, text: str, row: Vector) -> None:
    if not text or text.isspace():
        return
    ids = _token_numbers(model, text)
    for start in range(0, len(ids), _ROWS_AT_ONCE):
        # The sum points where the mean points; normalising removes the difference.
        row += model.table[ids[start : start + _ROWS_AT_ONCE]].sum(axis=0, dtype="float32")


def _token_numbers(model: _Model, text: str) -> list[int]:
    if model.cold_tokenizer is not None and not model.tokenizer.is_made:
        numbers = model.cold_tokenizer.encode(text)
        if numbers is not None:
            return numbers
    found: list[int] = encode(model.tokenizer.get(), text, special_tokens=False).ids
    return found


def _load() -> _Model:
    folder = _package_folder()
    tensors = SafetensorsFile(folder / _WEIGHTS, part=_PART)
    tensors.expect_shape(_TENSOR, (None, _DIMENSIONS))
    table = tensors.mapped(_TENSOR)
    path = folder / _TOKENIZER
    return _Model(ColdTokenizer.read(path), Lazy(lambda: _load_tokenizer(path, table.shape[0])), table)


def _load_tokenizer(path: Path, rows: int) -> Any:
    tokenizer = load_tokenizer(path, part=_PART)
    if tokenizer.get_vocab_size() > rows:
        raise PartUnavailable("the wordllama wheel's tokenizer has more tokens than its table", part=_PART)
    return tokenizer


def _package_folder() -> Path:
    spec = find_spec("wordllama")
    if spec is None or not spec.submodule_search_locations:
        raise PartUnavailable(
            "the built-in embedder needs the wordllama package, which is not installed",
            part=_PART,
            hint="pip install wordllama (Python 3.11 to 3.13) or configure another; text search goes on",
        )
    return Path(spec.submodule_search_locations[0])
