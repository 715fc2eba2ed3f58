"""The built-in embedder reads its files itself, quickly, with the tokenizer library or without."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from tests.adapters.model_folder import write_safetensors

from palazzo.adapters import wordllama_embedder
from palazzo.adapters.model_files import SafetensorsFile, load_tokenizer
from palazzo.adapters.wordllama_embedder import WordLlamaEmbedder
from palazzo.errors import PartUnavailable

TEXTS = [
    "The ferry to the island leaves at nine.",
    "When does the boat go to the island?",
    "Quarterly figures of the printing works",
    "東京で会いましょう 🎈",
    "x",
]


@pytest.fixture(scope="module")
def embedder() -> WordLlamaEmbedder:
    return WordLlamaEmbedder()


def test_a_text_is_the_mean_of_its_token_vectors(embedder: WordLlamaEmbedder) -> None:
    root = wordllama_embedder.FOLDER
    weights = SafetensorsFile(root / wordllama_embedder.WEIGHTS, part="test part")
    table = weights.float32("embedding.weight") * weights.float32("embedding.step")[:, None]
    tokenizer = load_tokenizer(root / wordllama_embedder.TOKENIZER, part="test part")
    for row, text in zip(embedder.embed(TEXTS), TEXTS, strict=True):
        mean = table[tokenizer.encode(text, add_special_tokens=False).ids].mean(axis=0)
        assert np.allclose(row, mean / np.linalg.norm(mean), atol=1e-6)


def test_texts_about_the_same_thing_are_nearer(embedder: WordLlamaEmbedder) -> None:
    rows = embedder.embed(TEXTS)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.2


def test_a_book_long_text_is_the_mean_of_its_pages(embedder: WordLlamaEmbedder) -> None:
    page = "the river runs past the mill and the old bridge "
    long, short = embedder.embed([page * 2000, page * 2])
    assert float(long @ short) > 0.999


def test_text_that_is_not_valid_unicode_is_embedded_all_the_same(embedder: WordLlamaEmbedder) -> None:
    assert np.allclose(*embedder.embed(["boat \ud800 here", "boat ? here"]))


def test_vectors_are_the_same_before_and_after_the_real_tokenizer_is_loaded() -> None:
    fresh = WordLlamaEmbedder()
    before = fresh.embed(TEXTS)
    fresh.embed(["two  spaces <s>"])
    assert np.array_equal(fresh.embed(TEXTS), before)


def test_the_real_tokenizer_is_loaded_once_the_cold_one_has_read_many_words(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[Path] = []

    def load(path: Path, part: str) -> object:
        loaded.append(path)
        return load_tokenizer(path, part=part)

    texts = ["zorbitane quivex", "plinthward moxuli", "gravnosti berrelin"]
    expected = WordLlamaEmbedder().embed(texts)
    monkeypatch.setattr(wordllama_embedder, "load_tokenizer", load)
    monkeypatch.setattr(wordllama_embedder, "_COLD_ALL_TOLD", 3)
    fresh = WordLlamaEmbedder()
    made = [(fresh.embed_query(text), len(loaded)) for text in texts]
    assert [count for _, count in made] == [0, 0, 1]
    assert np.array_equal(np.stack([vector for vector, _ in made]), expected)


def test_without_the_tokenizer_library_every_text_has_the_same_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = [
        "two  spaces <s>",
        " ",
        "  lead",
        "end ",
        "\ud800",
        "x" * 300,
        "word " * 900,
        "a<unk>b </s>",
        "\u2581\u2581 a",
    ]
    expected = WordLlamaEmbedder().embed([*TEXTS, *odd])
    monkeypatch.setattr(wordllama_embedder, "find_spec", lambda _: None)
    assert np.array_equal(WordLlamaEmbedder().embed([*TEXTS, *odd]), expected)


def test_threads_that_come_first_together_get_the_same_vector() -> None:
    fresh = WordLlamaEmbedder()
    together = threading.Barrier(4)
    got: list[np.ndarray] = []

    def ask() -> None:
        together.wait()
        got.append(fresh.embed_query(TEXTS[0]))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 4
    assert all(np.array_equal(vector, got[0]) for vector in got)


def test_a_cold_start_imports_neither_the_package_nor_its_dependencies() -> None:
    script = (
        "import sys\n"
        "from palazzo.adapters.wordllama_embedder import WordLlamaEmbedder\n"
        "WordLlamaEmbedder().embed_query('boat')\n"
        "unwanted = {'wordllama', 'pydantic', 'requests', 'safetensors', 'tokenizers', 'urllib.request'}\n"
        "print(sorted(unwanted & sys.modules.keys()))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="this system cannot fork")
def test_a_forked_child_embeds_with_what_its_parent_loaded_and_nobody_complains() -> None:
    script = (
        "import os, sys\n"
        "from palazzo.adapters.wordllama_embedder import WordLlamaEmbedder\n"
        "embedder = WordLlamaEmbedder()\n"
        "before = embedder.embed(['boat', 'river', 'two  spaces'] * 50)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(0 if (embedder.embed(['boat', 'river', 'two  spaces'] * 50) == before).all() else 1)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def altered_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the test's own making in place of the files that come with the package."""
    (tmp_path / "weights").mkdir()
    (tmp_path / "tokenizers").mkdir()
    monkeypatch.setattr(wordllama_embedder, "FOLDER", tmp_path)
    return tmp_path


def test_a_file_that_is_missing_is_named(altered_files: Path) -> None:
    with pytest.raises(PartUnavailable, match=r"l2_supercat_256\.safetensors is missing"):
        WordLlamaEmbedder().embed(["boat"])


def test_another_table_is_refused(altered_files: Path) -> None:
    table = np.zeros((10, 64), dtype="<f2")
    write_safetensors(altered_files / "weights" / "l2_supercat_256.safetensors", {"embedding.weight": table})
    with pytest.raises(PartUnavailable, match="shape"):
        WordLlamaEmbedder().embed(["boat"])
