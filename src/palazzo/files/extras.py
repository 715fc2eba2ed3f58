"""What is asked for an extra that is not installed: the words that name it and the command that brings it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from palazzo.errors import PartUnavailable


@contextmanager
def encryption() -> Iterator[None]:
    """Around the import of what seals and signs: its package is an eighth of the base install, so it is an extra.

    Raises: PartUnavailable.
    """
    try:
        yield
    except ImportError:
        raise PartUnavailable(
            "encryption and signatures need the package cryptography, which is not installed",
            part="encryption",
            hint="pip install 'palazzo[encryption]'",
        ) from None
