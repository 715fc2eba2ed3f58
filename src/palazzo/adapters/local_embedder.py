"""An embedder from a model folder on disk: better vectors than the built-in one, still no network and no
torch.

Owns the way from text to a unit vector (prompt, tokens, encoder, pooling, normalising). The folder's layout
is `model_folder`'s, the arithmetic `bert_encoder`'s or `onnx_encoder`'s. onnxruntime is used when it is
installed and the folder has an export, numpy otherwise; both give the same vectors, so the name does not say
which.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

from palazzo.adapters.bert_encoder import BertEncoder
from palazzo.adapters.lazy import Lazy
from palazzo.adapters.model_folder import ModelFolder, Pooling, lowercases, read_model_folder
from palazzo.adapters.onnx_encoder import OnnxEncoder, onnxruntime_is_installed
from palazzo.adapters.safetensors_file import SafetensorsFile
from palazzo.adapters.tokenizer_file import encode, load_tokenizer, load_word_pieces
from palazzo.errors import PartUnavailable

if TYPE_CHECKING:
    from palazzo.ports import Vector, Vectors

Backend: TypeAlias = Literal["auto", "numpy", "onnx"]


class _Encoder(Protocol):
    def states(self, sequences: Sequence[Sequence[int]]) -> Iterator[tuple[int, Vectors]]: ...


class _Model(NamedTuple):
    found: ModelFolder
    tokenizer: Any
    encoder: _Encoder


class LocalEmbedder:
    """Embeds with the model in `folder`; texts beyond the model's length are cut at it."""

    def __init__(
        self,
        folder: Path,
        *,
        name: str | None = None,
        backend: Backend = "auto",
        pooling: Pooling | None = None,
        onnx_file: str | None = None,
    ) -> None:
        """Remember where the model is; nothing is read before the first use.

        `name` replaces the folder's name in the space's name. `pooling` is needed only where the folder does
        not say it. `onnx_file` picks an export that holds other weights than the folder's, a quantised one
        for instance.
        """
        self._folder = folder
        self._given_name = name
        self._backend = backend
        self._part = f"local embedder {name or folder.name}"
        self._found = Lazy(lambda: read_model_folder(folder, part=self._part, pooling=pooling, onnx_file=onnx_file))
        self._name = Lazy(self._make_name)
        # An onnxruntime session does not outlive a fork; the numpy weights would, and mapping them again is
        # cheap.
        self._model = Lazy(self._load, per_process=True)

    @property
    def name(self) -> str:
        """The folder's name and a fingerprint of the model in it.

        Raises: PartUnavailable.
        """
        return self._name.get()

    @property
    def dimensions(self) -> int:
        """Length of the vectors, from config.json.

        Raises: PartUnavailable.
        """
        return self._found.get().dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text.

        Raises: PartUnavailable.
        """
        return self._embed(texts, self._found.get().text_prompt)

    def embed_query(self, text: str) -> Vector:
        """A unit vector, with the model's query prompt if it has one.

        Raises: PartUnavailable.
        """
        row: Vector = self._embed((text,), self._found.get().query_prompt)[0]
        return row

    def embed_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        """One array of unit rows per text, a row per token, special tokens left out; none for a blank text.

        Raises: PartUnavailable.
        """
        import numpy as np

        model = self._model.get()
        prompt = model.found.text_prompt
        arrays: list[Vectors] = [np.zeros((0, model.found.dimensions), dtype=np.float32) for _ in texts]
        kept, encodings = _tokens(model, texts, prompt)
        for position, states in model.encoder.states([encoding.ids for encoding in encodings]):
            plain = np.asarray(encodings[position].special_tokens_mask, dtype=np.int8) == 0
            arrays[kept[position]] = _normalised(states[plain])
        return arrays

    def _embed(self, texts: Sequence[str], prompt: str) -> Vectors:
        import numpy as np

        model = self._model.get()
        rows = np.zeros((len(texts), model.found.dimensions), dtype=np.float32)
        kept, encodings = _tokens(model, texts, prompt)
        for position, states in model.encoder.states([encoding.ids for encoding in encodings]):
            rows[kept[position]] = _pool(states, model.found.pooling)
        return _normalised(rows)

    def _make_name(self) -> str:
        found = self._found.get()
        return f"{self._given_name or self._folder.name}-{found.dimensions}-{found.fingerprint()}"

    def _load(self) -> _Model:
        found = self._found.get()
        part = self._part
        if found.tokenizer.suffix == ".json":
            tokenizer = load_tokenizer(found.tokenizer, part=part, max_tokens=found.max_tokens)
        else:
            tokenizer = load_word_pieces(
                found.tokenizer,
                part=part,
                lowercase=lowercases(found.folder, part),
                max_tokens=found.max_tokens,
            )
        if self._uses_onnx(found):
            if found.onnx is None:
                raise PartUnavailable(f"the model folder {found.folder.name} has no ONNX file", part=part)
            return _Model(found, tokenizer, OnnxEncoder(found.onnx, part=part))
        if found.weights is None:
            raise PartUnavailable(
                f"the model folder {found.folder.name} has no model.safetensors for numpy to run",
                part=part,
                hint="pip install onnxruntime tokenizers to run its ONNX file",
            )
        encoder = BertEncoder(found.config, SafetensorsFile(found.weights, part=part), part=part)
        if tokenizer.get_vocab_size() > encoder.vocabulary_size:
            raise PartUnavailable("the tokenizer has more tokens than the model", part=part)
        if found.max_tokens > encoder.longest_sequence:
            raise PartUnavailable(
                f"the folder promises {found.max_tokens} tokens, the model takes {encoder.longest_sequence}",
                part=part,
            )
        return _Model(found, tokenizer, encoder)

    def _uses_onnx(self, found: ModelFolder) -> bool:
        if self._backend == "auto":
            return found.onnx is not None and onnxruntime_is_installed()
        return self._backend == "onnx"


def _tokens(model: _Model, texts: Sequence[str], prompt: str) -> tuple[list[int], list[Any]]:
    """Positions of the texts that are not blank, and their encodings."""
    kept = [position for position, text in enumerate(texts) if text and not text.isspace()]
    encodings = []
    for position in kept:
        text = prompt + texts[position]
        encodings.append(encode(model.tokenizer, text.lower() if model.found.lowercase else text))
    return kept, encodings


def _pool(states: Vectors, pooling: Pooling) -> Vector:
    pooled: Vector
    if pooling == "cls":
        pooled = states[0]
    elif pooling == "last":
        pooled = states[-1]
    else:
        pooled = states.max(axis=0) if pooling == "max" else states.mean(axis=0)
    return pooled


def _normalised(rows: Vectors) -> Vectors:
    import numpy as np

    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    lengths[lengths == 0.0] = 1.0
    unit: Vectors = rows / lengths[:, None]
    return unit
