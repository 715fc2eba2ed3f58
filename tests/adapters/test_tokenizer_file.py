"""Tokenizers are loaded ready for use: cut at the length asked for, unpadded, and without a memory of texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.adapters.model_folder import WORDS

from palazzo.adapters.model_files import encode, load_tokenizer, load_word_pieces
from palazzo.errors import PartUnavailable

tokenizers = pytest.importorskip("tokenizers", reason="the tokenizers package is not installed")


@pytest.fixture
def vocabulary(tmp_path: Path) -> Path:
    path = tmp_path / "vocab.txt"
    path.write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    return path


def numbers(*words: str) -> list[int]:
    return [WORDS.index(word) for word in words]


def test_word_pieces_are_split_lower_cased_and_framed(vocabulary: Path) -> None:
    tokenizer = load_word_pieces(vocabulary, part="test part", lowercase=True)
    found = encode(tokenizer, "The cats walking, Zanzibar!")
    wanted = ("[CLS]", "the", "cat", "##s", "walk", "##ing", "[UNK]", "[UNK]", "!", "[SEP]")
    assert found.ids == numbers(*wanted)
    assert found.special_tokens_mask == [1, *[0] * 8, 1]


def test_case_counts_where_the_model_says_so(vocabulary: Path) -> None:
    tokenizer = load_word_pieces(vocabulary, part="test part", lowercase=False)
    assert encode(tokenizer, "The cat").ids == numbers("[CLS]", "[UNK]", "cat", "[SEP]")


def test_texts_are_cut_with_their_frame_kept(vocabulary: Path) -> None:
    tokenizer = load_word_pieces(vocabulary, part="test part", lowercase=True, max_tokens=4)
    assert encode(tokenizer, "the cat goes to sleep").ids == numbers("[CLS]", "the", "cat", "[SEP]")


def test_padding_and_truncation_of_the_file_are_replaced(vocabulary: Path, tmp_path: Path) -> None:
    tokenizer = load_word_pieces(vocabulary, part="test part", lowercase=True)
    tokenizer.enable_padding(length=30)
    tokenizer.enable_truncation(3)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    loaded = load_tokenizer(tmp_path / "tokenizer.json", part="test part", max_tokens=5)
    assert encode(loaded, "the cat goes to sleep").ids == numbers("[CLS]", "the", "cat", "goes", "[SEP]")
    assert encode(loaded, "cat", special_tokens=False).ids == numbers("cat")


def test_text_that_is_not_valid_unicode_is_encoded_all_the_same(vocabulary: Path) -> None:
    tokenizer = load_word_pieces(vocabulary, part="test part", lowercase=True)
    assert encode(tokenizer, "cat \ud800 dog").ids == numbers("[CLS]", "cat", "[UNK]", "dog", "[SEP]")


@pytest.mark.parametrize("content", ["", "{", "{}", "[]", '{"version": "1.0"}', json.dumps({"model": {"type": "X"}})])
def test_a_damaged_tokenizer_file_is_refused_by_name(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(PartUnavailable, match=r"tokenizer\.json is not usable"):
        load_tokenizer(path, part="test part")


def test_missing_and_unreadable_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(PartUnavailable, match=r"tokenizer\.json is missing"):
        load_tokenizer(tmp_path / "tokenizer.json", part="test part")
    (tmp_path / "tokenizer.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PartUnavailable, match="UnicodeDecodeError"):
        load_tokenizer(tmp_path / "tokenizer.json", part="test part")


def test_a_vocabulary_without_its_frame_is_refused(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("cat\ndog\n", encoding="utf-8")
    with pytest.raises(PartUnavailable, match=r"vocab\.txt lacks"):
        load_word_pieces(tmp_path / "vocab.txt", part="test part", lowercase=True)


def test_without_the_package_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "tokenizers", None)
    with pytest.raises(PartUnavailable) as caught:
        load_tokenizer(tmp_path / "tokenizer.json", part="test part")
    assert "pip install tokenizers" in caught.value.hint
