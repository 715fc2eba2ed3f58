"""Keys derived from passphrases and from each other: always the same, never from altered parameters."""

from __future__ import annotations

import hashlib
import hmac
from io import BytesIO
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.adapters import key_file, palace_keys
from palazzo.adapters.ciphers import (
    PURPOSES,
    PassphraseParameters,
    master_key,
    new_master_key,
    new_parameters,
    subkey,
)
from palazzo.errors import InvalidInput
from palazzo.model.ids import LABEL
from palazzo.porting import bundle
from palazzo.testing.palace import everything_said

QUICK = PassphraseParameters(salt=bytes(range(16)), memory_kib=64, time_cost=1, lanes=1)
MASTER = bytes(range(32))


def test_a_passphrase_gives_the_same_key_on_every_machine_and_release() -> None:
    found = master_key("correct horse battery staple", QUICK)
    assert found.hex() == "92dc5d67019623868bde079275e522f4b7e8213d3414ed85cbc2ac8a41117288"
    assert len(found) == 32


@pytest.mark.parametrize(
    "other",
    [
        PassphraseParameters(salt=bytes(range(1, 17)), memory_kib=64, time_cost=1, lanes=1),
        PassphraseParameters(salt=bytes(range(16)), memory_kib=128, time_cost=1, lanes=1),
        PassphraseParameters(salt=bytes(range(16)), memory_kib=64, time_cost=2, lanes=1),
        PassphraseParameters(salt=bytes(range(16)), memory_kib=64, time_cost=1, lanes=2),
    ],
)
def test_every_parameter_matters(other: PassphraseParameters) -> None:
    assert master_key("x", other) != master_key("x", QUICK)


def test_letters_composed_otherwise_are_the_same_passphrase() -> None:
    assert master_key("caf\u00e9", QUICK) == master_key("cafe\u0301", QUICK)
    assert master_key("cafe", QUICK) != master_key("caf\u00e9", QUICK)


def test_case_and_spaces_belong_to_the_passphrase() -> None:
    keys = {master_key(phrase, QUICK) for phrase in ("open sesame", "Open sesame", "open sesame ", "opensesame")}
    assert len(keys) == 4


@pytest.mark.parametrize("passphrase", ["", "secret\ud800part"])
def test_a_passphrase_that_is_none_is_refused_and_not_repeated(passphrase: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        master_key(passphrase, QUICK)
    assert caught.value.field == "passphrase"
    assert "secret" not in everything_said(caught.value)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"salt": b"short"}, "salt"),
        ({"salt": bytes(65)}, "salt"),
        ({"memory_kib": 2**40}, "memory_kib"),
        ({"memory_kib": 8}, "memory_kib"),
        ({"time_cost": 0}, "time_cost"),
        ({"time_cost": 10**6}, "time_cost"),
        ({"lanes": 0}, "lanes"),
        ({"lanes": 10**6}, "lanes"),
        ({"version": 16}, "version"),
    ],
)
def test_parameters_that_are_weak_or_would_exhaust_the_machine_are_refused(change: dict[str, int], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        PassphraseParameters(**{"salt": bytes(16), **change})  # type: ignore[arg-type]
    assert caught.value.field == field


def test_new_parameters_have_a_fresh_salt_and_the_recommended_cost() -> None:
    first, second = new_parameters(), new_parameters()
    assert first.salt != second.salt
    assert (first.memory_kib, first.time_cost, first.lanes) == (65_536, 3, 4)


def test_parameters_survive_being_kept_as_json() -> None:
    kept = msgspec.json.encode(QUICK)
    assert msgspec.json.decode(kept, type=PassphraseParameters) == QUICK


def plain_hkdf(master: bytes, info: bytes) -> bytes:
    """RFC 5869 with SHA-256 for one block of output and no salt."""
    extracted = hmac.new(bytes(32), master, hashlib.sha256).digest()
    return hmac.new(extracted, info + b"\x01", hashlib.sha256).digest()


@given(st.binary(min_size=32, max_size=32), st.sampled_from(sorted(PURPOSES)))
def test_subkeys_are_hkdf_sha256_of_the_master_key(master: bytes, purpose: str) -> None:
    found = subkey(master, purpose)  # type: ignore[arg-type]
    assert found == plain_hkdf(master, LABEL + f"/1/{purpose}".encode())


def test_every_purpose_has_its_own_key() -> None:
    assert {"database", "archive", "fields", "export", "projection", "hidden"} == PURPOSES
    keys = {subkey(MASTER, purpose) for purpose in PURPOSES}  # type: ignore[arg-type]
    assert len(keys | {MASTER}) == 7


def test_an_unknown_purpose_and_a_short_master_key_are_refused() -> None:
    with pytest.raises(InvalidInput, match="no such purpose"):
        subkey(MASTER, "everything")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="32 bytes"):
        subkey(MASTER[:16], "database")


def test_a_new_master_key_is_random() -> None:
    assert len({new_master_key() for _ in range(8)}) == 8
    assert len(new_master_key()) == 32


@pytest.mark.parametrize("phrase", ["x", "1234567", "       ", "       x"])
def test_a_new_key_rests_on_no_short_passphrase_and_an_old_one_still_opens(phrase: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as caught:
        palace_keys.prepare(tmp_path, palace_keys.KeySource(passphrase=phrase))
    assert (caught.value.field, list(tmp_path.iterdir())) == ("passphrase", [])
    assert caught.value.hint
    key_file.write(tmp_path / key_file.NAME, key_file.KeyFile("passphrase", QUICK))
    (found,) = palace_keys.candidates(tmp_path, palace_keys.KeySource(passphrase=phrase))
    assert found.keys.of("database") == subkey(master_key(phrase, QUICK), "database")


def test_an_archive_is_sealed_with_no_short_passphrase() -> None:
    handle = BytesIO()
    with pytest.raises(InvalidInput):
        bundle.write_sealed(handle, [b"line"], "1234567")
    assert handle.getvalue() == b""
