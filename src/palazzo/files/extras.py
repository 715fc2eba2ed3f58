"""What is asked for an extra that is not installed: the words that name it and the command that brings it.

Owns the command. It names the packages of the extra themselves, so that it is true wherever Palazzo came from: a
checkout, a wheel file or an index. Refuses to know what an extra is for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from palazzo.errors import PartUnavailable


def command(extra: str) -> str:
    """The command that brings what an extra needs."""
    from importlib.metadata import PackageNotFoundError, requires  # thirty modules, for an error alone

    try:
        told = requires("palazzo") or []
    except PackageNotFoundError:  # run from a folder that nobody installed
        told = []
    asked = re.compile(rf"(.+?)\s*;.*\bextra == ['\"]{extra}['\"]")
    packages = [f"'{found[1]}'" for line in told if (found := asked.fullmatch(line))]
    return " ".join(("pip install", *packages))


def need(package: str, extra: str, missing: str, part: str = "") -> None:
    """Raises: PartUnavailable where the package of an extra is not installed; `missing` says so in words."""
    if find_spec(package) is None:
        raise PartUnavailable(missing, part=part or extra, hint=command(extra))


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
            hint=command("encryption"),
        ) from None
