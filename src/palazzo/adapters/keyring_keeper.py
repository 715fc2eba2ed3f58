"""Keeps master keys in the operating system's keyring, through the optional `keyring` package.

Owns the form in which a key is kept: base64 text under the service "palazzo" and the palace's id. Knows
nothing of what the key opens. Invariant: a key is never given to a back end that would write it to a disk in
clear, and `put` returns only once the key can be read back.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from typing import Any, NamedTuple, Protocol

from palazzo.errors import PartUnavailable
from palazzo.files.forks import Lazy
from palazzo.model.ids import NAMES

_PART = "keyring"
_SERVICE, _FORMER = NAMES
# Module and class of back ends that keep nothing, or keep it in clear.
_UNFIT = (("keyring.backends.null", ""), ("keyring.backends.fail", ""), ("keyrings.alt", "Plaintext"))


class SecretBackend(Protocol):
    """The part of the keyring package's back ends that is used."""

    def get_password(self, service: str, username: str, /) -> str | None: ...
    def set_password(self, service: str, username: str, password: str, /) -> None: ...
    def delete_password(self, service: str, username: str, /) -> None: ...


class _Keyring(NamedTuple):
    backend: SecretBackend
    failures: tuple[type[BaseException], ...]


class KeyringKeeper:
    """Keeps the master key of a palace outside its folder, in the keyring the system offers, or on a given back end."""

    def __init__(self, backend: SecretBackend | None = None) -> None:
        self._given = backend
        self._keyring = Lazy(self._open)

    def get(self, palace_id: str) -> bytes | None:
        """The key kept for this palace, None if there is none.

        Raises: PartUnavailable.
        """
        keyring = self._keyring.get()
        try:
            text = keyring.backend.get_password(_SERVICE, palace_id)
            if text is None:
                text = keyring.backend.get_password(_FORMER, palace_id)
        except keyring.failures as error:
            raise _failed("read", error) from None
        if text is None:
            return None
        try:
            return base64.b64decode(text, validate=True)
        except binascii.Error:
            raise PartUnavailable("the keyring's entry for this palace is not a key", part=_PART) from None

    def put(self, palace_id: str, key: bytes) -> None:
        """Keep the key and read it back.

        Raises: PartUnavailable.
        """
        keyring = self._keyring.get()
        try:
            keyring.backend.set_password(_SERVICE, palace_id, base64.b64encode(key).decode("ascii"))
        except keyring.failures as error:
            raise _failed("written", error) from None
        kept = self.get(palace_id)
        if kept is None or not hmac.compare_digest(kept, key):
            raise PartUnavailable("the keyring did not keep the key", part=_PART, hint=_HINT)

    def delete(self, palace_id: str) -> None:
        """Forget the key, if there is one.

        Raises: PartUnavailable.
        """
        keyring = self._keyring.get()
        if self.get(palace_id) is None:
            return
        try:
            for service in (_SERVICE, _FORMER):
                if keyring.backend.get_password(service, palace_id) is not None:
                    keyring.backend.delete_password(service, palace_id)
        except keyring.failures as error:
            raise _failed("changed", error) from None

    def _open(self) -> _Keyring:
        failures: tuple[type[BaseException], ...] = (OSError, RuntimeError)
        backend: Any = self._given
        try:
            import keyring
            import keyring.errors
        except ImportError:
            if backend is None:
                raise PartUnavailable(
                    "keeping a key in the system keyring needs the keyring package, which is not installed",
                    part=_PART,
                    hint="pip install keyring, or use a passphrase",
                ) from None
        else:
            failures = (keyring.errors.KeyringError, *failures)
            backend = backend if backend is not None else keyring.get_keyring()
        _refuse_unfit(backend)
        return _Keyring(backend, failures)


_HINT = "unlock or install a keyring (Secret Service, KWallet, Keychain, Credential Locker), or use a passphrase"


def _refuse_unfit(backend: Any) -> None:
    # A chained back end writes to the first member that takes the key, so each of them must be fit.
    for member in getattr(backend, "backends", None) or (backend,):
        kind = type(member)
        for module, name in _UNFIT:
            if kind.__module__.startswith(module) and name in kind.__name__:
                raise PartUnavailable(
                    f"this system has no keyring that keeps a key safely (found {kind.__module__})",
                    part=_PART,
                    hint=_HINT,
                )


def _failed(what: str, error: BaseException) -> PartUnavailable:
    return PartUnavailable(f"the system keyring could not be {what} ({type(error).__name__})", part=_PART, hint=_HINT)
