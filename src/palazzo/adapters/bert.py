"""BERT-like encoders (BERT, RoBERTa, DistilBERT and their kin) in numpy: their weights and their forward pass.

Owns tensor names, shapes and the arithmetic from token numbers to hidden states. Knows nothing of text, pooling or
folders. Sequences are laid end to end instead of padded: dense layers see one matrix, attention runs over groups of
equal length, so there is no mask and a sequence's states do not depend on its neighbours (up to rounding). Inside, a
token is a column: that way a product reads the weights as they lie in the file, at twice the speed of multiplying by
their transpose, and they stay mapped, one copy for all processes.
Invariant: a layer that was read has tensors of the shapes the config promises.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import msgspec

from palazzo.errors import PartUnavailable
from palazzo.files.blas_threads import one_blas_thread

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from palazzo.adapters.model_files import SafetensorsFile
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

    def _attend(self, layer: BertLayer, states: Vectors, groups: Sequence[tuple[int, int]]) -> Vectors:
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


_GELU_BLOCK = 16_384  # floats; two scratch blocks stay in the first-level caches
_GELU_COEFFICIENTS = (
    1.87113823e-09, -1.36418795e-07, 4.01844427e-06, -5.56159151e-05, -3.17827980e-05, 3.63322128e-02,
    7.97885216e-01,
)  # fmt: skip


class Architecture(msgspec.Struct, frozen=True):
    """Where an architecture keeps its tensors and its sizes."""

    prefixes: tuple[str, ...]
    layer: str
    query: str
    key: str
    value: str
    attention_output: str
    attention_norm: str
    widen: str
    narrow: str
    output_norm: str
    sizes: tuple[str, str, str, str]  # config keys: hidden size, layers, heads, activation


_BERT = Architecture(
    prefixes=("", "bert.", "roberta."),
    layer="encoder.layer.{}.",
    query="attention.self.query",
    key="attention.self.key",
    value="attention.self.value",
    attention_output="attention.output.dense",
    attention_norm="attention.output.LayerNorm",
    widen="intermediate.dense",
    narrow="output.dense",
    output_norm="output.LayerNorm",
    sizes=("hidden_size", "num_hidden_layers", "num_attention_heads", "hidden_act"),
)
_DISTILBERT = Architecture(
    prefixes=("", "distilbert."),
    layer="transformer.layer.{}.",
    query="attention.q_lin",
    key="attention.k_lin",
    value="attention.v_lin",
    attention_output="attention.out_lin",
    attention_norm="sa_layer_norm",
    widen="ffn.lin1",
    narrow="ffn.lin2",
    output_norm="output_layer_norm",
    sizes=("dim", "n_layers", "n_heads", "activation"),
)
_ROBERTA_KIN = frozenset({"roberta", "xlm-roberta", "camembert"})
ARCHITECTURES: Mapping[str, Architecture] = {
    "bert": _BERT,
    "distilbert": _DISTILBERT,
    **dict.fromkeys(sorted(_ROBERTA_KIN), _BERT),
}


class Dense(msgspec.Struct, frozen=True, kw_only=True):
    weight: Vectors  # (outputs, inputs), as stored
    bias: Vectors  # (outputs, 1)

    def __call__(self, states: Vectors, out: Vectors | None = None) -> Vectors:
        import numpy as np

        product: Vectors = np.matmul(self.weight, states, out=out)
        product += self.bias
        return product


class Norm(msgspec.Struct, frozen=True, kw_only=True):
    weight: Vectors  # (size, 1)
    bias: Vectors
    epsilon: float

    def __call__(self, states: Vectors) -> Vectors:
        """Normalise each column, in place."""
        import numpy as np

        states -= states.mean(axis=0)
        variance = np.einsum("ij,ij->j", states, states) / np.float32(states.shape[0])
        states *= 1.0 / np.sqrt(variance + np.float32(self.epsilon))
        states *= self.weight
        states += self.bias
        return states


class BertLayer(msgspec.Struct, frozen=True, kw_only=True):
    query: Dense
    key: Dense
    value: Dense
    attention_output: Dense
    attention_norm: Norm
    widen: Dense
    narrow: Dense
    output_norm: Norm


def first_position(config: Mapping[str, object]) -> int:
    """The position number of the first token: RoBERTa and its kin count from after the padding's number."""
    if config.get("model_type") not in _ROBERTA_KIN:
        return 0
    padding = config.get("pad_token_id")
    return padding + 1 if isinstance(padding, int) else 2


class WeightReader:
    """Fetches tensors by their place in the architecture and checks their shapes."""

    def __init__(self, tensors: SafetensorsFile, names: Architecture, hidden: int, epsilon: float) -> None:
        self._tensors = tensors
        self._names = names
        self._hidden = hidden
        self._epsilon = epsilon
        marker = "embeddings.word_embeddings.weight"
        self._prefix = next((prefix for prefix in names.prefixes if prefix + marker in tensors.names), "")

    def table(self, name: str) -> NDArray[np.floating[Any]]:
        # Kept as stored: a call reads a few rows of many thousands, and half precision widens on use.
        full = f"{self._prefix}embeddings.{name}.weight"
        self._tensors.expect_shape(full, (None, self._hidden))
        return self._tensors.mapped(full)

    def segment(self) -> NDArray[np.floating[Any]] | float:
        name = f"{self._prefix}embeddings.token_type_embeddings.weight"
        return self.table("token_type_embeddings")[0] if name in self._tensors.names else 0.0

    def norm(self, name: str) -> Norm:
        weight, bias = (self._column(f"{name}.{kind}", self._hidden) for kind in ("weight", "bias"))
        return Norm(weight=weight, bias=bias, epsilon=self._epsilon)

    def layer(self, number: int) -> BertLayer:
        names = self._names
        prefix = names.layer.format(number)
        hidden = self._hidden
        widen = self._dense(prefix + names.widen, None, hidden)
        return BertLayer(
            query=self._dense(prefix + names.query, hidden, hidden),
            key=self._dense(prefix + names.key, hidden, hidden),
            value=self._dense(prefix + names.value, hidden, hidden),
            attention_output=self._dense(prefix + names.attention_output, hidden, hidden),
            attention_norm=self.norm(prefix + names.attention_norm),
            widen=widen,
            narrow=self._dense(prefix + names.narrow, hidden, widen.bias.shape[0]),
            output_norm=self.norm(prefix + names.output_norm),
        )

    def _dense(self, name: str, outputs: int | None, inputs: int) -> Dense:
        full = f"{self._prefix}{name}.weight"
        self._tensors.expect_shape(full, (outputs, inputs))
        weight = self._tensors.float32(full)
        return Dense(weight=weight, bias=self._column(f"{name}.bias", weight.shape[0]))

    def _column(self, name: str, size: int) -> Vectors:
        self._tensors.expect_shape(self._prefix + name, (size,))
        return self._tensors.float32(self._prefix + name)[:, None]


def gelu(states: Vectors) -> Vectors:
    """x·Φ(x) of every element, in place, within 6e-7 of the exact value.

    numpy has no error function. erf(x/√2) = tanh(x·P(x²)) with a P of degree 6 fitted by least squares on [0,
    5.8], where the product is exact to 8e-8; beyond it Φ is 0 or 1 in float32. Four times as fast as the
    usual rational forms.
    """
    import numpy as np

    flat = states.reshape(-1)
    if not np.shares_memory(flat, states):
        raise ValueError("gelu works in place and needs a contiguous array")
    squares = np.empty(min(_GELU_BLOCK, flat.size), dtype=np.float32)
    inner = np.empty_like(squares)
    last, *rest = (np.float32(value) for value in _GELU_COEFFICIENTS)
    for start in range(0, flat.size, _GELU_BLOCK):
        block = flat[start : start + _GELU_BLOCK]
        square, poly = squares[: block.size], inner[: block.size]
        np.multiply(block, block, out=square)
        np.minimum(square, np.float32(33.64), out=square)
        np.multiply(square, last, out=poly)
        for value in rest[:-1]:
            poly += value
            poly *= square
        poly += rest[-1]
        poly *= block
        np.tanh(poly, out=poly)
        poly += 1.0
        block *= poly
        block *= np.float32(0.5)
    return states
