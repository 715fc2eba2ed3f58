"""The encrypted archive: what goes in comes out, and whatever was done to it in between is found."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palazzo.errors import InvalidInput, PalazzoError, WrongKey
from palazzo.porting.bundle import MAGIC, Cost, Sealed, write_sealed

LIGHT = Cost(n=1 << 12)
LINES = [b'{"a": 1}\n', b"x" * 150_000 + b"\n", b"end\n"]


def sealed(path: Path, lines: list[bytes] = LINES, passphrase: str = "open sesame") -> Path:
    handle = io.BytesIO()
    write_sealed(handle, lines, passphrase, LIGHT)
    path.write_bytes(handle.getvalue())
    return path


def content(path: Path, passphrase: str = "open sesame") -> bytes:
    return b"".join(Sealed(path, passphrase).pieces())


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000])
def test_what_was_sealed_opens_with_its_passphrase(tmp_path: Path, size: int) -> None:
    path = sealed(tmp_path / "a", [b"y" * size])
    assert content(path) == b"y" * size


def test_nothing_of_the_content_or_the_passphrase_stands_in_the_file(tmp_path: Path) -> None:
    data = sealed(tmp_path / "a", [b"the heron stands in the reeds\n" * 50]).read_bytes()
    assert b"heron" not in data
    assert b"sesame" not in data


def test_the_passphrase_is_the_same_however_its_letters_are_composed(tmp_path: Path) -> None:
    path = sealed(tmp_path / "a", passphrase="caf\u00e9 noir")
    assert content(path, "cafe\u0301 noir") == b"".join(LINES)


@pytest.mark.parametrize("passphrase", ["", "open sesam", "Open sesame", "open sesame "])
def test_another_passphrase_is_a_wrong_key(tmp_path: Path, passphrase: str) -> None:
    with pytest.raises(WrongKey):
        content(sealed(tmp_path / "a"), passphrase)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_bit_flipped_anywhere_is_found(tmp_path: Path, place: float, bit: int) -> None:
    path = sealed(tmp_path / "a")
    data = bytearray(path.read_bytes())
    data[int(place * len(data))] ^= 1 << bit
    path.write_bytes(bytes(data))
    with pytest.raises(PalazzoError):
        content(path)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0, 1, exclude_max=True))
def test_an_archive_that_was_cut_off_anywhere_is_found(tmp_path: Path, share: float) -> None:
    path = sealed(tmp_path / "a")
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    with pytest.raises(PalazzoError):
        content(path)


def test_pieces_cannot_be_swapped_or_left_out(tmp_path: Path) -> None:
    path = sealed(tmp_path / "a", [b"z" * 200_000])
    data = path.read_bytes()
    head = data.index(b"\n", len(MAGIC)) + 1
    piece = 65_536 + 16
    first, second = data[head : head + piece], data[head + piece : head + 2 * piece]
    for altered in (second + first, first + first, second):
        path.write_bytes(data[:head] + altered + data[head + 2 * piece :])
        with pytest.raises(PalazzoError):
            content(path)


@pytest.mark.parametrize(
    "told",
    [
        b'{"salt":"AAAAAAAAAAAAAAAAAAAAAA==","nonce":"AAAAAAAAAA==","n":1073741824,"r":8,"p":1}',
        b'{"salt":"AAAAAAAAAAAAAAAAAAAAAA==","nonce":"AAAAAAAAAA==","n":131072,"r":1000000,"p":1}',
        b'{"salt":"AAAAAAAAAAAAAAAAAAAAAA==","nonce":"AAAAAAAAAA==","n":2,"r":8,"p":1}',
        b'{"salt":"","nonce":"","n":131072,"r":8,"p":1}',
        b"[[[[",
        b"",
    ],
)
def test_a_head_meant_to_exhaust_the_machine_or_to_weaken_the_key_is_refused(tmp_path: Path, told: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(MAGIC + told + b"\n" + b"\x00" * 100)
    with pytest.raises(InvalidInput):
        content(path)
