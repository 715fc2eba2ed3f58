"""Loads tokenizers with the `tokenizers` package and readies them for use inside a long-lived process.

Owns what every local embedder needs from one: no padding, an explicit truncation, no memory of past texts
(the library's cache would keep remembered content in clear), and an answer to text that is not valid Unicode.
Knows nothing of models. Texts are encoded one by one on the calling thread, because a batch starts a thread
pool that does not outlive a fork; a single text releases the interpreter lock all the same.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from palazzo.errors import PartUnavailable


def load_tokenizer(path: Path, *, part: str, max_tokens: int | None = None) -> Any:
    """A tokenizer from a tokenizer.json, truncating at `max_tokens` (special tokens included) if given.

    Raises: PartUnavailable.
    """
    library = _library(part)
    text = _read(path, part)
    with _RefusingBadFile(path, part):
        tokenizer = library.Tokenizer.from_str(text)
    return _ready(tokenizer, max_tokens)


def load_word_pieces(path: Path, *, part: str, lowercase: bool, max_tokens: int | None = None) -> Any:
    """A BERT tokenizer from a vocab.txt, one word piece a line.

    Raises: PartUnavailable.
    """
    library = _library(part)
    pieces = {piece: number for number, piece in enumerate(_read(path, part).splitlines())}
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


def _read(path: Path, part: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise PartUnavailable(f"the tokenizer file {path.name} is missing", part=part) from None
    except (OSError, UnicodeDecodeError) as error:
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
