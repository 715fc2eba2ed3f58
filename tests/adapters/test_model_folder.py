"""A model folder is read as sentence-transformers would read it, or refused with the reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.adapters.model_folder import HIDDEN, bert_config, bert_tensors, write_json, write_model_folder
from tests.adapters.model_folder import write_safetensors as write_weights

from palazzo.adapters.local_embedder import ModelFolder, lowercases, read_model_folder
from palazzo.errors import PartUnavailable


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_model_folder(tmp_path / "tiny")


def read(folder: Path, **choices: Any) -> ModelFolder:
    return read_model_folder(folder, part="test part", **choices)


def test_everything_that_shapes_the_vectors_is_found(folder: Path) -> None:
    found = read(folder)
    assert (found.dimensions, found.pooling, found.max_tokens, found.lowercase) == (HIDDEN, "mean", 16, False)
    assert (found.weights, found.onnx, found.tokenizer) == (
        folder / "model.safetensors",
        None,
        folder / "vocab.txt",
    )
    assert (found.text_prompt, found.query_prompt) == ("", "")


def test_tokenizer_json_goes_before_vocab_txt(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("{}", encoding="utf-8")
    assert read(folder).tokenizer.name == "tokenizer.json"


@pytest.mark.parametrize(
    ("config", "pooling"),
    [
        ({"pooling_mode_cls_token": True}, "cls"),
        ({"pooling_mode_max_tokens": True, "pooling_mode_mean_tokens": False}, "max"),
        ({"pooling_mode_mean_sqrt_len_tokens": True}, "mean"),
        ({"pooling_mode_lasttoken": True, "include_prompt": True}, "last"),
        ({"pooling_mode": "cls"}, "cls"),
    ],
)
def test_each_pooling_mode_is_recognised(folder: Path, config: dict[str, object], pooling: str) -> None:
    write_json(folder / "1_Pooling" / "config.json", config)
    assert read(folder).pooling == pooling


@pytest.mark.parametrize(
    "config",
    [
        None,
        {},
        {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True},
        {"pooling_mode_weightedmean_tokens": True},
        {"pooling_mode": "attention"},
    ],
)
def test_pooling_is_never_guessed(folder: Path, config: dict[str, object] | None) -> None:
    path = folder / "1_Pooling" / "config.json"
    path.unlink()
    if config is not None:
        write_json(path, config)
    with pytest.raises(PartUnavailable, match="how to pool"):
        read(folder)
    assert read(folder, pooling="cls").pooling == "cls"


def test_a_step_that_is_not_run_here_is_refused(folder: Path) -> None:
    write_json(folder / "modules.json", [{"type": "sentence_transformers.models.Dense", "path": "3_Dense"}])
    with pytest.raises(PartUnavailable, match="Dense"):
        read(folder)


def test_the_shortest_of_the_lengths_counts(folder: Path) -> None:
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": 9999})
    assert read(folder).max_tokens == 40
    write_json(folder / "config.json", bert_config(model_type="roberta", pad_token_id=1))
    assert read(folder).max_tokens == 38
    (folder / "sentence_bert_config.json").unlink()
    write_json(folder / "tokenizer_config.json", {"model_max_length": 12})
    assert read(folder).max_tokens == 12


def test_prompts_are_taken_for_texts_and_queries(folder: Path) -> None:
    write_json(
        folder / "config_sentence_transformers.json",
        {"prompts": {"query": "query: ", "passage": "passage: "}, "default_prompt_name": None},
    )
    found = read(folder)
    assert (found.text_prompt, found.query_prompt) == ("passage: ", "query: ")


def test_a_default_prompt_serves_for_both(folder: Path) -> None:
    write_json(
        folder / "config_sentence_transformers.json", {"prompts": {"all": "say: "}, "default_prompt_name": "all"}
    )
    found = read(folder)
    assert (found.text_prompt, found.query_prompt) == ("say: ", "say: ")


def test_an_export_is_found_beside_the_weights_or_alone(folder: Path) -> None:
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model.onnx").write_bytes(b"graph")
    (folder / "onnx" / "small.onnx").write_bytes(b"quantised")
    assert read(folder).onnx == folder / "onnx" / "model.onnx"
    chosen = read(folder, onnx_file="onnx/small.onnx")
    assert (chosen.weights, chosen.onnx) == (None, folder / "onnx" / "small.onnx")
    with pytest.raises(PartUnavailable, match=r"no onnx/absent\.onnx"):
        read(folder, onnx_file="onnx/absent.onnx")
    (folder / "model.safetensors").unlink()
    assert read(folder).weights is None


def test_pickled_weights_are_not_opened(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(b"pickle")
    with pytest.raises(PartUnavailable) as caught:
        read(folder)
    assert "pickle" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "said"),
    [("config.json", "config"), ("vocab.txt", "neither tokenizer"), ("model.safetensors", "no model")],
)
def test_a_missing_file_is_named(folder: Path, name: str, said: str) -> None:
    (folder / name).unlink()
    with pytest.raises(PartUnavailable, match=said):
        read(folder)


@pytest.mark.parametrize("content", ["{", "[1]", "\x00"])
def test_a_damaged_config_is_named(folder: Path, content: str) -> None:
    (folder / "config.json").write_text(content, encoding="utf-8")
    with pytest.raises(PartUnavailable, match=r"config\.json"):
        read(folder)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(PartUnavailable, match="no model folder"):
        read(tmp_path / "nowhere")


def test_pooling_for_another_width_is_refused(folder: Path) -> None:
    write_json(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": 99, "pooling_mode_cls_token": True})
    with pytest.raises(PartUnavailable, match="99 dimensions"):
        read(folder)


def test_bert_lower_cases_unless_told_not_to(folder: Path) -> None:
    write_json(folder / "tokenizer_config.json", {"do_lower_case": False})
    assert not lowercases(folder, "test part")
    (folder / "tokenizer_config.json").unlink()
    assert lowercases(folder, "test part")


def test_the_fingerprint_is_the_same_for_a_copy(folder: Path, tmp_path: Path) -> None:
    assert read(write_model_folder(tmp_path / "copy")).fingerprint() == read(folder).fingerprint()


CHANGES: list[Callable[[Path], object]] = [
    lambda folder: write_weights(folder / "model.safetensors", bert_tensors(seed=1)),
    lambda folder: write_json(folder / "1_Pooling" / "config.json", {"pooling_mode_cls_token": True}),
    lambda folder: write_json(folder / "sentence_bert_config.json", {"max_seq_length": 8}),
    lambda folder: write_json(folder / "config.json", bert_config(hidden_act="relu")),
    lambda folder: write_json(folder / "config_sentence_transformers.json", {"prompts": {"query": "q: "}}),
    lambda folder: (folder / "vocab.txt").write_text("[UNK]\n[CLS]\n[SEP]\n", encoding="utf-8"),
]


@pytest.mark.parametrize("change", CHANGES)
def test_the_fingerprint_changes_with_whatever_shapes_the_vectors(folder: Path, change: Callable[[Path], None]) -> None:
    before = read(folder).fingerprint()
    change(folder)
    assert read(folder).fingerprint() != before
