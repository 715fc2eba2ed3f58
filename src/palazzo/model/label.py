"""What a palace's keys, seals and files are labelled with.

A label is part of a format: keys are derived from it and seals are bound to it, so another value would open no palace
that exists. It is given as bytes because it is no name anybody reads. Files that people do read (bundles, folders of
notes, sealed archives) carry the product's name, and one that carries the earlier label is read as well.
"""

from __future__ import annotations

from typing import Final

LABEL: Final = bytes.fromhex("6d6e656d6f6e")
NAMES: Final = ("palazzo", LABEL.decode())
"""What a file of ours may call itself, the name it is written under first."""
