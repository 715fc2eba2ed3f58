"""Keys in the system keyring: kept, read back, forgotten, and never handed to a keyring that is none."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from palazzo.adapters.keyring_keeper import KeyringKeeper
from palazzo.errors import PartUnavailable
from palazzo.testing.palace import everything_said

KEY = bytes(range(32))


class MemoryBackend:
    """Keeps passwords in memory, as a keyring back end would; may be told to fail or to lose what it is given."""

    def __init__(self, *, fails: bool = False, loses: bool = False) -> None:
        self.kept: dict[tuple[str, str], str] = {}
        self.fails = fails
        self.loses = loses

    def get_password(self, service: str, username: str) -> str | None:
        self._work()
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._work()
        if not self.loses:
            self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._work()
        del self.kept[service, username]

    def _work(self) -> None:
        if self.fails:
            raise OSError("the bus is gone: AAECAwQFBgc=")


def test_a_key_is_kept_per_palace_and_read_back() -> None:
    keeper = KeyringKeeper(MemoryBackend())
    keeper.put("one", KEY)
    keeper.put("two", KEY[::-1])
    assert (keeper.get("one"), keeper.get("two"), keeper.get("three")) == (KEY, KEY[::-1], None)


def test_a_new_key_replaces_the_old_one() -> None:
    keeper = KeyringKeeper(MemoryBackend())
    keeper.put("one", KEY)
    keeper.put("one", KEY[::-1])
    assert keeper.get("one") == KEY[::-1]


def test_a_forgotten_key_is_gone_and_may_be_forgotten_twice() -> None:
    backend = MemoryBackend()
    keeper = KeyringKeeper(backend)
    keeper.put("one", KEY)
    keeper.delete("one")
    keeper.delete("one")
    assert keeper.get("one") is None
    assert backend.kept == {}


def test_a_keyring_that_loses_the_key_is_found_out_at_once() -> None:
    with pytest.raises(PartUnavailable, match="did not keep"):
        KeyringKeeper(MemoryBackend(loses=True)).put("one", KEY)


def test_an_entry_that_is_no_key_is_an_error_and_not_repeated() -> None:
    backend = MemoryBackend()
    backend.kept["palazzo", "one"] = "not base64!"
    with pytest.raises(PartUnavailable, match="not a key") as caught:
        KeyringKeeper(backend).get("one")
    assert "base64!" not in everything_said(caught.value)


def test_a_keyring_that_fails_is_unavailable_with_a_way_out() -> None:
    keeper = KeyringKeeper(MemoryBackend(fails=True))
    uses: list[Callable[[], object]] = [
        lambda: keeper.get("one"),
        lambda: keeper.put("one", KEY),
        lambda: keeper.delete("one"),
    ]
    for use in uses:
        with pytest.raises(PartUnavailable) as caught:
            use()
        assert "passphrase" in caught.value.hint
        assert "AAECAwQFBgc" not in str(caught.value)


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(PartUnavailable) as caught:
        KeyringKeeper().get("one")
    assert caught.value.part == "keyring"
    assert "pip install keyring" in caught.value.hint


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("keyring.backends.null", "Keyring"),
        ("keyring.backends.fail", "Keyring"),
        ("keyrings.alt.file", "PlaintextKeyring"),
    ],
)
@pytest.mark.parametrize("chained", [False, True])
def test_a_keyring_that_keeps_nothing_or_keeps_it_in_clear_is_refused(module: str, name: str, chained: bool) -> None:
    backend = type(name, (MemoryBackend,), {"__module__": module})()
    given = backend
    if chained:
        given = MemoryBackend()
        given.backends = [MemoryBackend(), backend]  # type: ignore[attr-defined]
    with pytest.raises(PartUnavailable, match="no keyring that keeps a key safely"):
        KeyringKeeper(given).put("one", KEY)
    assert backend.kept == {}


def test_the_real_package_is_used_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    keyring = pytest.importorskip("keyring", reason="the keyring package is not installed")
    backend = MemoryBackend()
    monkeypatch.setattr(keyring, "get_keyring", lambda: backend)
    keeper = KeyringKeeper()
    keeper.put("one", KEY)
    assert keeper.get("one") == KEY
    assert list(backend.kept) == [("palazzo", "one")]
    errors = pytest.importorskip("keyring.errors")

    def locked(service: str, username: str) -> str:
        raise errors.KeyringLocked(service + username)

    monkeypatch.setattr(backend, "get_password", locked)
    with pytest.raises(PartUnavailable, match="KeyringLocked"):
        keeper.get("one")


def test_a_key_that_cannot_be_forgotten_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = MemoryBackend()
    keeper = KeyringKeeper(backend)
    keeper.put("one", KEY)

    def locked(service: str, username: str) -> None:
        raise OSError(service + username)

    monkeypatch.setattr(backend, "delete_password", locked)
    with pytest.raises(PartUnavailable, match="could not be changed"):
        keeper.delete("one")
    assert keeper.get("one") == KEY
