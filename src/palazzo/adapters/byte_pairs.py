"""The tokenizer of the built-in embedder, from the merge rules of its file: byte pairs, and bytes for what has no
token.

Owns the rules: special tokens first, a mark for every space, then the pair of the best rank merged until none is left.
Loads the whole file, which takes a tenth of a second: `ColdTokenizer` answers for ordinary words without it.
Invariant: a text has the token numbers the library `tokenizers` gives it.
"""

from __future__ import annotations

import heapq
import json
import re
from pathlib import Path
from typing import Any, Final

from palazzo.adapters.model_files import read_text
from palazzo.errors import PartUnavailable

SPACE: Final = "\u2581"


class BytePairs:
    """Token numbers of any text."""

    def __init__(self, vocabulary: dict[str, int], merges: list[str], special: dict[str, int]) -> None:
        self._vocabulary = vocabulary
        self._ranks = {tuple(pair.split(" ")): rank for rank, pair in enumerate(merges)}
        self._special = special
        self._cut = re.compile("(" + "|".join(map(re.escape, sorted(special, key=len, reverse=True))) + ")")

    @classmethod
    def read(cls, path: Path, *, part: str) -> BytePairs:
        """The tokenizer of a file of this sort.

        Raises: PartUnavailable.
        """
        try:
            told: dict[str, Any] = json.loads(read_text(path, part))
            special = {token["content"]: token["id"] for token in told["added_tokens"]}
            return cls(told["model"]["vocab"], told["model"]["merges"], special)
        except (ValueError, KeyError, TypeError) as error:
            raise PartUnavailable(f"the tokenizer file {path.name} is not usable: {error}", part=part) from None

    def __len__(self) -> int:
        return len(self._vocabulary)

    def encode(self, text: str) -> list[int]:
        """The token numbers of a text; a lone surrogate counts as a question mark."""
        text = text.encode("utf-8", "replace").decode("utf-8")
        found: list[int] = []
        for piece in self._cut.split(text):
            if piece in self._special:
                found.append(self._special[piece])
            elif piece:
                found += self._merged(SPACE + piece.replace(" ", SPACE))
        return found

    def _merged(self, text: str) -> list[int]:
        parts = [part for character in text for part in self._letters(character)]
        after, before = list(range(1, len(parts) + 1)), list(range(-1, len(parts) - 1))
        heap: list[tuple[int, int, str, str]] = []
        for place in range(len(parts) - 1):
            self._push(heap, place, parts[place], parts[place + 1])
        while heap:
            _, place, left, right = heapq.heappop(heap)
            other = after[place]
            if parts[place] != left or other >= len(parts) or parts[other] != right:
                continue  # one of the two was merged meanwhile
            parts[place], parts[other] = left + right, ""
            after[place] = after[other]
            if after[place] < len(parts):
                before[after[place]] = place
                self._push(heap, place, parts[place], parts[after[place]])
            if before[place] >= 0:
                self._push(heap, before[place], parts[before[place]], parts[place])
        return [self._vocabulary[part] for part in parts if part]

    def _push(self, heap: list[tuple[int, int, str, str]], place: int, left: str, right: str) -> None:
        rank = self._ranks.get((left, right))
        if rank is not None:
            heapq.heappush(heap, (rank, place, left, right))

    def _letters(self, character: str) -> list[str]:
        if character in self._vocabulary:
            return [character]
        return [f"<0x{byte:02X}>" for byte in character.encode("utf-8")]
