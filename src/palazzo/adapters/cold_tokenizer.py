"""Tokenizes the first few texts of a process while the real tokenizer is not loaded.

Parsing the WordLlama wheel's tokenizer takes 75 ms of CPU, most of it for 61,249 merge rules; a command that embeds one
query spends more on that than on everything else after numpy. But its rules follow from the vocabulary: every token
that splits into two tokens may be merged from them, lower numbers first, ties by the numbers of the halves. That holds
for the one file named here by its digest, and for texts without runs of spaces or special tokens. Invariant: what this
returns is what the real tokenizer returns; for any other file or word it returns None.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

_DIGEST = "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68"
_SPACE = "\u2581"  # stands for a space in the vocabulary; no token has one after another character
_LONGEST_TEXT = 2000
_LONGEST_WORD = 40  # merging takes time in proportion to the square of a word's length


class ColdTokenizer:
    """Token numbers of short, ordinary texts."""

    def __init__(self, vocabulary: dict[str, int]) -> None:
        self._vocabulary = vocabulary
        self.openers = frozenset(number for token, number in vocabulary.items() if token.startswith(_SPACE))
        """Numbers of the tokens that begin a word."""

    @classmethod
    def read(cls, path: Path) -> ColdTokenizer | None:
        """The tokenizer of this file, or None if it is not the file whose rules are known."""
        try:
            content = path.read_bytes()
        except OSError:
            return None
        if hashlib.sha256(content).hexdigest() != _DIGEST:
            return None
        start = content.index(b"{", content.index(b'"vocab"'))
        end = content.index(b'"merges"', start)
        vocabulary, _ = json.JSONDecoder().raw_decode(content[start:end].decode("utf-8"))
        return cls(vocabulary)

    def has_plain_words(self, text: str) -> bool:
        """Whether a text's token numbers are those of its words, cut at spaces, one after another."""
        return not (
            len(text) > _LONGEST_TEXT
            or "<" in text
            or _SPACE in text
            or "  " in text
            or text[:1] in ("", " ")
            or text[-1] == " "
        )

    def encode_word(self, word: str) -> list[int] | None:
        """The token numbers of a word with the space before it, or None if it is the real tokenizer's business."""
        whole = self.whole(word)
        return self._merged(_SPACE + word) if whole is None else [whole]

    def whole(self, word: str) -> int | None:
        """The number of the one token a word is with the space before it; merging always arrives there."""
        return self._vocabulary.get(_SPACE + word)

    def _merged(self, word: str) -> list[int] | None:
        vocabulary = self._vocabulary
        if len(word) > _LONGEST_WORD:
            return None
        parts: list[str] = []
        for character in word:
            if character in vocabulary:
                parts.append(character)
            elif "\ud800" <= character <= "\udfff":
                return None
            else:
                parts.extend(f"<0x{byte:02X}>" for byte in character.encode("utf-8"))
        while True:
            best: tuple[int, int, int, int] | None = None
            for place in range(len(parts) - 1):
                left, right = parts[place], parts[place + 1]
                number = vocabulary.get(left + right)
                if number is not None and (best is None or number <= best[0]):
                    found = (number, vocabulary[left], vocabulary[right], place)
                    best = found if best is None else min(best, found)
            if best is None:
                return [vocabulary[part] for part in parts]
            place = best[3]
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
