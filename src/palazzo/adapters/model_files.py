"""The files of local models, read without trust: tensors out of a mapped safetensors file, tokenizers readied for use.

Owns the format (eight bytes of header length, a JSON header, raw little-endian data), of which only the rows touched
are ever read from disk and every offset and size is checked before an array is made; the `safetensors` package is not
used because it copies whole tensors where a mapping suffices. Owns also what every local embedder needs from a
tokenizer: no padding, an explicit truncation, no memory of past texts (the library's cache would keep remembered
content in clear), and an answer to text that is not valid Unicode. Knows nothing of models. Texts are encoded one by
one on the calling thread, because a batch starts a thread pool that does not outlive a fork; a single text releases the
interpreter lock all the same.
"""

from __future__ import annotations

import json
import mmap
import zlib
from collections.abc import Sequence
from math import prod
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, TypeGuard

import msgspec

from palazzo.errors import PartUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# BF16 has no numpy type: it is the upper half of a float32, and is widened when read.
_DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2",
    "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1", "U8": "|u1", "BOOL": "|b1",
}  # fmt: skip
_LONGEST_HEADER = 100_000_000  # the format's own limit
_GZIP = 31  # what zlib calls that format


class _Entry(msgspec.Struct, frozen=True):
    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


class SafetensorsFile:
    """A mapped file. Arrays given out are read-only and keep the mapping alive."""

    def __init__(self, path: Path, *, part: str) -> None:
        """Map the file and check its header.

        Raises: PartUnavailable.
        """
        self._path = path
        self._part = part
        try:
            with path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except FileNotFoundError:
            raise PartUnavailable(f"the weights file {path.name} is missing", part=part) from None
        except (OSError, ValueError) as error:
            raise PartUnavailable(f"the weights file {path.name} cannot be read: {error}", part=part) from None
        self._entries = self._read_header()

    @property
    def names(self) -> frozenset[str]:
        """Names of the tensors in the file."""
        return frozenset(self._entries)

    def expect_shape(self, name: str, shape: Sequence[int | None]) -> None:
        """Check a tensor's shape; None stands for any side.

        Raises: PartUnavailable.
        """
        found = self._entry(name).shape
        if len(found) != len(shape) or any(want not in (None, side) for side, want in zip(found, shape, strict=True)):
            raise self._damaged(f"tensor {name} has the shape {found}, expected {tuple(shape)}")

    def mapped(self, name: str) -> NDArray[Any]:
        """The tensor in the precision of the file, nothing read yet; only BF16, unknown to numpy, is widened
        at once.

        Raises: PartUnavailable.
        """
        entry = self._entry(name)
        return self.float32(name) if entry.dtype == "BF16" else self._array(entry)

    def float32(self, name: str) -> NDArray[np.float32]:
        """The tensor as float32; a float32 tensor that is aligned in the file is not copied.

        Raises: PartUnavailable.
        """
        import numpy as np

        entry = self._entry(name)
        stored = self._array(entry)
        if entry.dtype == "BF16":
            return (stored.astype(np.uint32) << 16).view(np.float32)
        return np.require(stored, dtype=np.float32, requirements="A")

    def _array(self, entry: _Entry) -> NDArray[Any]:
        import numpy as np

        count = prod(entry.shape)
        flat = np.frombuffer(self._map, dtype=np.dtype(_DTYPES[entry.dtype]), count=count, offset=entry.begin)
        return flat.reshape(entry.shape)

    def _entry(self, name: str) -> _Entry:
        entry = self._entries.get(name)
        if entry is None:
            raise self._damaged(f"there is no tensor {name}")
        return entry

    def _damaged(self, what: str) -> PartUnavailable:
        return PartUnavailable(
            f"the weights file {self._path.name} is not usable: {what}",
            part=self._part,
            hint="fetch the file again, or use another model",
        )

    def _read_header(self) -> dict[str, _Entry]:
        size = len(self._map)
        length = int.from_bytes(self._map[:8], "little")
        if size < 8 or length > min(_LONGEST_HEADER, size - 8):
            raise self._damaged("it does not begin as a safetensors file")
        try:
            header = json.loads(self._map[8 : 8 + length])
        except ValueError:
            raise self._damaged("its header is not JSON") from None
        if not isinstance(header, dict):
            raise self._damaged("its header is not an object")
        data = 8 + length
        return {name: self._checked(name, value, data) for name, value in header.items() if name != "__metadata__"}

    def _checked(self, name: str, value: object, data: int) -> _Entry:
        entry = value if isinstance(value, dict) else {}
        dtype, shape, offsets = str(entry.get("dtype")), entry.get("shape"), entry.get("data_offsets")
        if not (_are_sizes(shape) and _are_sizes(offsets) and len(offsets) == 2):
            raise self._damaged(f"the entry of tensor {name} is malformed")
        begin, end = offsets
        if dtype not in _DTYPES:
            raise self._damaged(f"tensor {name} has the unknown type {dtype[:16]}")
        width = int(_DTYPES[dtype][2:])
        if not begin <= end <= len(self._map) - data or end - begin != prod(shape) * width:
            raise self._damaged(f"tensor {name} does not fit its place in the file")
        return _Entry(dtype, tuple(shape), data + begin, data + end)


def _are_sizes(value: object) -> TypeGuard[list[int]]:
    """Whether a header's value is a list of whole numbers, none below zero."""
    return isinstance(value, list) and all(type(side) is int and side >= 0 for side in value)


def load_tokenizer(path: Path, *, part: str, max_tokens: int | None = None) -> Any:
    """A tokenizer from a tokenizer.json, truncating at `max_tokens` (special tokens included) if given.

    Raises: PartUnavailable.
    """
    library = _library(part)
    text = read_text(path, part)
    with _RefusingBadFile(path, part):
        tokenizer = library.Tokenizer.from_str(text)
    return _ready(tokenizer, max_tokens)


def load_word_pieces(path: Path, *, part: str, lowercase: bool, max_tokens: int | None = None) -> Any:
    """A BERT tokenizer from a vocab.txt, one word piece a line.

    Raises: PartUnavailable.
    """
    library = _library(part)
    pieces = {piece: number for number, piece in enumerate(read_text(path, part).splitlines())}
    if not {"[UNK]", "[CLS]", "[SEP]"} <= pieces.keys():
        raise PartUnavailable(f"{path.name} lacks one of [UNK], [CLS], [SEP]", part=part)
    unknown = "[UNK]"
    tokenizer = library.Tokenizer(library.models.WordPiece(pieces, unk_token=unknown))
    tokenizer.add_special_tokens([piece for piece in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]") if piece in pieces])
    tokenizer.normalizer = library.normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = library.processors.BertProcessing(("[SEP]", pieces["[SEP]"]), ("[CLS]", pieces["[CLS]"]))
    return _ready(tokenizer, max_tokens)


def encode(tokenizer: Any, text: str, *, special_tokens: bool = True) -> Any:
    """The encoding of one text; lone surrogates, which no tokenizer takes, count as question marks."""
    try:
        return tokenizer.encode(text, add_special_tokens=special_tokens)
    except TypeError:
        repaired = text.encode("utf-8", "replace").decode("utf-8")
        return tokenizer.encode(repaired, add_special_tokens=special_tokens)


class _RefusingBadFile:
    """Turns the library's complaint about a file into ours: it raises `Exception` itself, no subclass."""

    def __init__(self, path: Path, part: str) -> None:
        self._path = path
        self._part = part

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is Exception:
            raise PartUnavailable(
                f"the tokenizer file {self._path.name} is not usable: {error}", part=self._part
            ) from None


def _ready(tokenizer: Any, max_tokens: int | None) -> Any:
    tokenizer.no_padding()
    tokenizer.no_truncation()
    if max_tokens is not None:
        tokenizer.enable_truncation(max_tokens)
    if hasattr(tokenizer.model, "_resize_cache"):
        tokenizer.model._resize_cache(0)
    return tokenizer


def read_text(path: Path, part: str) -> str:
    """What a file of a tokenizer says, pressed or not.

    Raises: PartUnavailable.
    """
    try:
        raw = path.read_bytes()
        return (zlib.decompress(raw, _GZIP) if path.suffix == ".gz" else raw).decode("utf-8")
    except FileNotFoundError:
        raise PartUnavailable(f"the tokenizer file {path.name} is missing", part=part) from None
    except (OSError, UnicodeDecodeError, zlib.error) as error:
        raise PartUnavailable(
            f"the tokenizer file {path.name} cannot be read ({type(error).__name__})", part=part
        ) from None


def _library(part: str) -> ModuleType:
    try:
        import tokenizers
    except ImportError:
        raise PartUnavailable(
            "local embedders need the tokenizers package, which is not installed",
            part=part,
            hint="pip install tokenizers safetensors",
        ) from None
    library: ModuleType = tokenizers
    return library
