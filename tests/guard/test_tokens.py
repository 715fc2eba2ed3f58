"""Tokens: shown once, kept as a hash, of one subject and scope, ended at once."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from palazzo.errors import InvalidInput, NotFound
from palazzo.guard import access
from palazzo.guard.access import subject_of_peer
from palazzo.model.scope import Scope
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import file_bytes, make_store, options_for


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return make_store(tmp_path / "palace", clock=FixedClock())


def test_a_token_is_its_subject_in_its_scope(store: SqliteStore) -> None:
    text, made = access.create_token(store, "mcp:desk", label="laptop", scope=Scope.of(user="anna"))
    found = access.token_of(store, text)
    assert found == made
    assert (made.subject, made.scope, made.label) == ("mcp:desk", Scope.of(user="anna"), "laptop")


@pytest.mark.parametrize("wrong", ["", "palazzo_", "x" * 4096, "palazzo_\ud800", "ключ"])
def test_a_text_nobody_was_given_is_nobody(store: SqliteStore, wrong: str) -> None:
    text, _ = access.create_token(store, "mcp:desk")
    assert access.token_of(store, wrong) is None
    assert access.token_of(store, text[:-1]) is None
    assert access.token_of(store, text.upper()) is None


def test_the_text_is_in_no_file_of_the_palace(store: SqliteStore) -> None:
    text, made = access.create_token(store, "mcp:desk")
    assert text not in repr(made)
    secret = text.removeprefix(access.PREFIX).encode()
    assert not any(secret in data for data in file_bytes(store.folder).values())


def test_an_expired_or_revoked_token_is_nobody_in_every_process(store: SqliteStore, tmp_path: Path) -> None:
    clock = store.clock
    assert isinstance(clock, FixedClock)
    short, _ = access.create_token(store, "mcp:desk", days=1)
    long, made = access.create_token(store, "mcp:desk")
    with SqliteStore.open(tmp_path / "palace", clock, options_for("sqlite")) as other:
        assert access.token_of(other, long) is not None
        access.revoke_token(store, made.id)
        assert access.token_of(other, long) is None
    clock.advance(days=1)
    assert access.token_of(store, short) is None
    assert [token.holds(clock.now_us()) for token in access.every_token(store)] == [False, False]
    with pytest.raises(NotFound):
        access.revoke_token(store, made.id)
    with pytest.raises(NotFound):
        access.revoke_token(store, uuid4())


@pytest.mark.parametrize("subject", ["", "mcp:\n", "x" * 201])
def test_a_token_of_nobody_is_not_made(store: SqliteStore, subject: str) -> None:
    with pytest.raises(InvalidInput):
        access.create_token(store, subject)


def test_a_peer_is_the_operator_only_with_the_owners_number() -> None:
    assert subject_of_peer(1000, 1000) == "operator"
    assert subject_of_peer(0, 1000) == "local:0"
    assert subject_of_peer(1001, 1000, {1001: "agent:primary"}) == "agent:primary"
    with pytest.raises(InvalidInput):
        subject_of_peer(-1, 1000)
