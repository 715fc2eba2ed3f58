"""Files that others name: found without guessing.

Owns the way from what somebody wrote down to a path. Opens nothing: what is at the path is read by
`palazzo.files.raw_files`, for it may be a palace's own file, or none that ever ends.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from palazzo.errors import InvalidInput


def named(text: str, field: str = "file") -> Path:
    """The path somebody wrote, as a path or a file URL, with the home it may begin with.

    Raises: InvalidInput for a home nobody has.
    """
    path = unquote(urlsplit(text).path) if text.startswith("file:") else text
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise InvalidInput(
            f"there is no home {path.split('/', 1)[0]}", field=field, hint="write the path from /"
        ) from error
