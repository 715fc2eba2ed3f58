"""Who is at the other end of a Unix socket: from the peer's user number to a subject.

A pure function; the socket surface reads the credentials. Invariant: only the user who owns the palace file is the
operator, for that user can open the file anyway; root is not, whatever it could do by other means.
"""

from __future__ import annotations

from collections.abc import Mapping

from palazzo.errors import InvalidInput


def subject_of_peer(uid: int, owner_uid: int, names: Mapping[int, str] | None = None) -> str:
    """The subject a peer with this user number is: a name given to it, the operator, or `local:UID` without a grant.

    Raises: InvalidInput for a negative number, which some systems give for "unknown".
    """
    if uid < 0:
        raise InvalidInput("the peer has no user number", field="uid")
    if names and uid in names:
        return names[uid]
    return "operator" if uid == owner_uid else f"local:{uid}"
