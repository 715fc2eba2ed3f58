"""The numpy forward pass against a second implementation, written here token by token with the standard library."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.adapters.model_folder import (
    HEADS,
    HIDDEN,
    LAYERS,
    POSITIONS,
    WORDS,
    bert_config,
    bert_tensors,
    write_safetensors,
)

from palazzo.adapters.bert import BertEncoder, batches_by_length, gelu
from palazzo.adapters.model_files import SafetensorsFile
from palazzo.errors import PartUnavailable

Tensors = dict[str, Any]
SEQUENCES = [[2, 5, 7, 13, 3], [2, 3], [2, 9, 9, 9, 9, 10, 11, 3], [2, 6, 8, 15, 3], [4]]


def encoder(folder: Path, tensors: Tensors, **config: object) -> BertEncoder:
    write_safetensors(folder / "model.safetensors", tensors)
    file = SafetensorsFile(folder / "model.safetensors", part="test part")
    return BertEncoder(bert_config(**config), file, part="test part")


def plain_dense(tensors: Tensors, name: str, vector: Any) -> Any:
    return tensors[f"{name}.weight"].astype(np.float64) @ vector + tensors[f"{name}.bias"]


def plain_norm(tensors: Tensors, name: str, vector: Any) -> Any:
    centred = vector - vector.mean()
    scaled = centred / math.sqrt((centred**2).mean() + 1e-12)
    return scaled * tensors[f"{name}.weight"] + tensors[f"{name}.bias"]


def plain_activation(kind: str, value: float) -> float:
    if kind == "relu":
        return max(0.0, value)
    if kind == "gelu":
        return 0.5 * value * (1.0 + math.erf(value / math.sqrt(2.0)))
    return 0.5 * value * (1.0 + math.tanh(math.sqrt(2.0 / math.pi) * (value + 0.044715 * value**3)))


def plain_attention(tensors: Tensors, layer: str, states: list[Any]) -> list[Any]:
    """Attention of every token, one head and one pair of tokens at a time."""
    width = HIDDEN // HEADS
    parts = {
        kind: [plain_dense(tensors, f"{layer}.attention.self.{kind}", state) for state in states]
        for kind in ("query", "key", "value")
    }
    mixed = []
    for query in parts["query"]:
        heads = []
        for head in range(HEADS):
            own = slice(head * width, (head + 1) * width)
            scores = [math.exp(float(query[own] @ key[own]) / math.sqrt(width)) for key in parts["key"]]
            shares = [score / sum(scores) for score in scores]
            heads.append(sum(share * value[own] for share, value in zip(shares, parts["value"], strict=True)))
        mixed.append(np.concatenate(heads))
    return mixed


def plain_states(tensors: Tensors, tokens: list[int], *, first: int = 0, activation: str = "gelu") -> Any:
    words, places, segments = (
        tensors[f"embeddings.{name}_embeddings.weight"].astype(np.float64)
        for name in ("word", "position", "token_type")
    )
    states = [
        plain_norm(tensors, "embeddings.LayerNorm", words[token] + places[place + first] + segments[0])
        for place, token in enumerate(tokens)
    ]
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        following = []
        for state, mixed in zip(states, plain_attention(tensors, layer, states), strict=True):
            attended = plain_dense(tensors, f"{layer}.attention.output.dense", mixed) + state
            attended = plain_norm(tensors, f"{layer}.attention.output.LayerNorm", attended)
            wide = plain_dense(tensors, f"{layer}.intermediate.dense", attended)
            wide = np.array([plain_activation(activation, float(value)) for value in wide])
            narrow = plain_dense(tensors, f"{layer}.output.dense", wide) + attended
            following.append(plain_norm(tensors, f"{layer}.output.LayerNorm", narrow))
        states = following
    return np.array(states)


def test_states_agree_with_a_plain_implementation_whatever_their_neighbours(tmp_path: Path) -> None:
    tensors = bert_tensors()
    found = dict(encoder(tmp_path, tensors).states(SEQUENCES))
    assert sorted(found) == list(range(len(SEQUENCES)))
    for index, tokens in enumerate(SEQUENCES):
        assert found[index].shape == (len(tokens), HIDDEN)
        assert np.allclose(found[index], plain_states(tensors, tokens), atol=2e-5)


@pytest.mark.parametrize("activation", ["relu", "gelu_new", "gelu_pytorch_tanh"])
def test_other_activations_agree_too(tmp_path: Path, activation: str) -> None:
    tensors = bert_tensors(seed=3)
    ((_, states),) = encoder(tmp_path, tensors, hidden_act=activation).states([SEQUENCES[0]])
    assert np.allclose(states, plain_states(tensors, SEQUENCES[0], activation=activation), atol=2e-5)


@pytest.mark.parametrize("kind", ["roberta", "xlm-roberta", "camembert"])
def test_roberta_counts_positions_from_after_the_padding(tmp_path: Path, kind: str) -> None:
    tensors = bert_tensors(seed=4)
    found = encoder(tmp_path, bert_tensors(seed=4, prefix="roberta."), model_type=kind, pad_token_id=1)
    ((_, states),) = found.states([SEQUENCES[0]])
    assert np.allclose(states, plain_states(tensors, SEQUENCES[0], first=2), atol=2e-5)
    assert found.longest_sequence == POSITIONS - 2


def test_distilbert_is_the_same_arithmetic_under_other_names(tmp_path: Path) -> None:
    tensors = bert_tensors(seed=5)
    tensors["embeddings.token_type_embeddings.weight"][:] = 0.0
    names = {
        "encoder.layer": "transformer.layer",
        "attention.self.query": "attention.q_lin",
        "attention.self.key": "attention.k_lin",
        "attention.self.value": "attention.v_lin",
        "attention.output.dense": "attention.out_lin",
        "attention.output.LayerNorm": "sa_layer_norm",
        "intermediate.dense": "ffn.lin1",
        "output.dense": "ffn.lin2",
        "output.LayerNorm": "output_layer_norm",
    }
    renamed = {}
    for name, tensor in tensors.items():
        if "token_type" in name:
            continue
        for old, new in names.items() if name.startswith("encoder") else ():
            name = name.replace(old, new)  # noqa: PLW2901
        renamed[name] = tensor
    sizes = {"dim": HIDDEN, "n_layers": LAYERS, "n_heads": HEADS, "activation": "gelu"}
    ((_, states),) = encoder(tmp_path, renamed, model_type="distilbert", **sizes).states([SEQUENCES[0]])
    assert np.allclose(states, plain_states(tensors, SEQUENCES[0]), atol=2e-5)


def test_half_precision_weights_are_used_as_they_are(tmp_path: Path) -> None:
    halves = {name: tensor.astype("<f2") for name, tensor in bert_tensors(seed=6).items()}
    ((_, states),) = encoder(tmp_path, halves).states([SEQUENCES[0]])
    assert states.dtype == np.float32
    assert np.allclose(states, plain_states(halves, SEQUENCES[0]), atol=2e-5)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"model_type": "modernbert"}, "modernbert"),
        ({"model_type": None}, "None"),
        ({"hidden_act": "swish"}, "swish"),
        ({"position_embedding_type": "relative_key"}, "relative_key"),
        ({"num_attention_heads": 5}, "5 heads"),
        ({"num_attention_heads": 0}, "0 heads"),
        ({"hidden_size": "32"}, "sizes"),
        ({"hidden_size": 48}, "shape"),
        ({"num_hidden_layers": 3}, "no tensor"),
    ],
)
def test_a_model_that_is_not_understood_is_refused_by_name(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    with pytest.raises(PartUnavailable, match=said):
        encoder(tmp_path, bert_tensors(), **change)


def test_an_unknown_architecture_is_told_what_would_help(tmp_path: Path) -> None:
    with pytest.raises(PartUnavailable) as caught:
        encoder(tmp_path, bert_tensors(), model_type="mpnet")
    assert "onnx" in caught.value.hint


def test_the_vocabulary_is_as_large_as_the_table(tmp_path: Path) -> None:
    assert encoder(tmp_path, bert_tensors()).vocabulary_size == len(WORDS)


@given(st.lists(st.floats(-30, 30, width=32), min_size=1, max_size=50))
def test_gelu_is_within_a_millionth_of_the_exact_function(values: list[float]) -> None:
    exact = [0.5 * value * (1.0 + math.erf(value / math.sqrt(2.0))) for value in values]
    assert np.allclose(gelu(np.array(values, dtype=np.float32)), exact, rtol=1e-6, atol=1e-6)


def test_gelu_covers_arrays_larger_than_its_block() -> None:
    values = np.linspace(-7, 7, 40_001, dtype=np.float32)
    exact = [0.5 * value * (1.0 + math.erf(value / math.sqrt(2.0))) for value in values.tolist()]
    assert np.allclose(gelu(values.copy()), exact, rtol=1e-6, atol=1e-6)


@settings(deadline=None)
@given(st.lists(st.integers(1, 30), max_size=60), st.integers(1, 64))
def test_batches_hold_every_sequence_once_in_order_of_length(lengths: list[int], limit: int) -> None:
    sequences = [[0] * length for length in lengths]
    batches = list(batches_by_length(sequences, tokens_at_once=limit))
    flat = [index for batch in batches for index in batch]
    assert sorted(flat) == list(range(len(lengths)))
    assert [lengths[index] for index in flat] == sorted(lengths)
    assert all(len(batch) == 1 or sum(lengths[index] for index in batch) <= limit for batch in batches)
