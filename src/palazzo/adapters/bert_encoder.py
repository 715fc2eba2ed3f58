"""The forward pass of BERT-like encoders (BERT, RoBERTa, DistilBERT and their kin) in numpy.

Owns the arithmetic from token numbers to hidden states. Knows nothing of text, pooling or folders. Sequences
are laid end to end instead of padded: dense layers see one matrix, attention runs over groups of equal
length, so there is no mask and a sequence's states do not depend on its neighbours (up to rounding). Inside,
a token is a column: that way a product reads the weights as they lie in the file, at twice the speed of
multiplying by their transpose, and they stay mapped, one copy for all processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from palazzo.adapters.bert_weights import (
    ARCHITECTURES,
    Architecture,
    Layer,
    WeightReader,
    first_position,
    gelu,
)
from palazzo.adapters.blas_threads import one_blas_thread
from palazzo.errors import PartUnavailable

if TYPE_CHECKING:
    from palazzo.adapters.safetensors_file import SafetensorsFile
    from palazzo.ports import Vectors

# Speed is the same from 256 to 2048 tokens at once (175-195 texts a CPU second); more only takes memory.
_TOKENS_AT_ONCE = 1024
_ACTIVATIONS = frozenset({"gelu", "gelu_new", "gelu_pytorch_tanh", "relu"})


class BertEncoder:
    """Hidden states of the last layer for sequences of token numbers."""

    def __init__(self, config: Mapping[str, object], tensors: SafetensorsFile, *, part: str) -> None:
        """Take the weights from the file.

        Raises: PartUnavailable if the architecture is not one of `ARCHITECTURES` or the file lacks a tensor.
        """
        self._part = part
        names = self._names(config)
        hidden, layers, heads, activation = (config.get(key) for key in names.sizes)
        if not (isinstance(hidden, int) and isinstance(layers, int) and isinstance(heads, int)):
            raise PartUnavailable("config.json does not give the sizes of the model", part=part)
        if heads < 1 or hidden % heads:
            raise PartUnavailable(f"config.json asks for {heads} heads over {hidden} dimensions", part=part)
        if activation not in _ACTIVATIONS:
            raise self._unknown(f"activation {activation}")
        self._heads = heads
        self._activation = str(activation)
        self._first_position = first_position(config)
        epsilon = config.get("layer_norm_eps", 1e-12)
        reader = WeightReader(tensors, names, hidden, float(str(epsilon)))
        self._words = reader.table("word_embeddings")
        self._positions = reader.table("position_embeddings")
        self._segment = reader.segment()
        self._norm = reader.norm("embeddings.LayerNorm")
        self._layers = [reader.layer(number) for number in range(layers)]

    @property
    def vocabulary_size(self) -> int:
        """Token numbers below this have a vector."""
        return int(self._words.shape[0])

    @property
    def longest_sequence(self) -> int:
        """Most tokens a sequence may have."""
        return int(self._positions.shape[0]) - self._first_position

    def states(self, sequences: Sequence[Sequence[int]]) -> Iterator[tuple[int, Vectors]]:
        """Yield each sequence's index and states, of shape (tokens, hidden size), short ones first.

        No sequence may be empty.
        """
        for batch in batches_by_length(sequences, tokens_at_once=_TOKENS_AT_ONCE):
            with one_blas_thread():
                states = self._run([sequences[index] for index in batch])
            start = 0
            for index in batch:
                end = start + len(sequences[index])
                yield index, states[:, start:end].T
                start = end

    def _run(self, sequences: Sequence[Sequence[int]]) -> Vectors:
        import numpy as np

        tokens = np.concatenate([np.asarray(sequence, dtype=np.intp) for sequence in sequences])
        places = np.concatenate([np.arange(len(sequence)) for sequence in sequences]) + self._first_position
        # Sorted by length, so equal lengths are neighbours.
        groups = [(length, len(list(group))) for length, group in groupby(len(s) for s in sequences)]
        rows = self._words[tokens].astype(np.float32)
        rows += self._positions[places]
        rows += self._segment
        states = self._norm(np.ascontiguousarray(rows.T))
        for layer in self._layers:
            attended = layer.attention_output(self._attend(layer, states, groups))
            attended += states
            states = layer.attention_norm(attended)
            narrowed = layer.narrow(self._activate(layer.widen(states)))
            narrowed += states
            states = layer.output_norm(narrowed)
        return states

    def _attend(self, layer: Layer, states: Vectors, groups: Sequence[tuple[int, int]]) -> Vectors:
        import numpy as np

        hidden, total = states.shape
        width = hidden // self._heads
        projected = np.empty((3, hidden, total), dtype=np.float32)
        for dense, place in zip((layer.query, layer.key, layer.value), projected, strict=True):
            dense(states, out=place)
        projected[0] *= np.float32(width**-0.5)
        out = np.empty((hidden, total), dtype=np.float32)
        start = 0
        for length, count in groups:
            end = start + length * count
            shape = (self._heads, width, count, length)
            query, key, value = (part[:, start:end].reshape(shape).transpose(0, 2, 1, 3) for part in projected)
            weights = query.transpose(0, 1, 3, 2) @ key
            weights -= weights.max(axis=-1, keepdims=True)
            np.exp(weights, out=weights)
            weights /= weights.sum(axis=-1, keepdims=True)
            mixed = value @ weights.transpose(0, 1, 3, 2)
            out[:, start:end] = mixed.transpose(0, 2, 1, 3).reshape(hidden, end - start)
            start = end
        return out

    def _activate(self, states: Vectors) -> Vectors:
        import numpy as np

        if self._activation == "gelu":
            return gelu(states)
        if self._activation == "relu":
            return np.maximum(states, 0.0, out=states)
        inner: Vectors = states * states
        inner *= np.float32(0.044715)
        inner += 1.0
        inner *= states
        inner *= np.float32(0.7978845608028654)
        np.tanh(inner, out=inner)
        inner += 1.0
        states *= inner
        states *= np.float32(0.5)
        return states

    def _names(self, config: Mapping[str, object]) -> Architecture:
        kind = config.get("model_type")
        names = ARCHITECTURES.get(str(kind))
        if names is None:
            raise self._unknown(f"model type {kind}")
        if config.get("position_embedding_type", "absolute") != "absolute":
            raise self._unknown(f"position embedding {config.get('position_embedding_type')}")
        return names

    def _unknown(self, what: str) -> PartUnavailable:
        return PartUnavailable(
            f"this model cannot be run without an extra: {what} is not known here",
            part=self._part,
            hint=f"known: {', '.join(sorted(ARCHITECTURES))}; or put onnx/model.onnx in the folder and "
            "pip install onnxruntime tokenizers",
        )


def batches_by_length(sequences: Sequence[Sequence[int]], *, tokens_at_once: int) -> Iterator[list[int]]:
    """Indices of sequences, shortest first, in batches of at most this many tokens, or of one sequence."""
    batch: list[int] = []
    tokens = 0
    for index in sorted(range(len(sequences)), key=lambda index: len(sequences[index])):
        length = len(sequences[index])
        if batch and tokens + length > tokens_at_once:
            yield batch
            batch, tokens = [], 0
        batch.append(index)
        tokens += length
    if batch:
        yield batch
