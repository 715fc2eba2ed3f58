"""Tensors come out as they went in, and no file, however damaged, does worse than PartUnavailable."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.adapters.model_folder import write_safetensors

from palazzo.adapters.model_files import SafetensorsFile
from palazzo.errors import PartUnavailable

ANY_TMP = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)


def opened(path: Path) -> SafetensorsFile:
    return SafetensorsFile(path, part="test part")


@pytest.mark.parametrize("dtype", ["<f8", "<f4", "<f2"])
def test_floats_of_every_width_are_read_as_float32(tmp_path: Path, dtype: str) -> None:
    array = np.arange(12, dtype=dtype).reshape(3, 4) / 8
    write_safetensors(tmp_path / "x", {"first": np.ones(5, dtype="<f4"), "second": array})
    file = opened(tmp_path / "x")
    assert file.names == {"first", "second"}
    read = file.float32("second")
    assert read.dtype == np.float32
    assert np.array_equal(read, array.astype(np.float32))
    assert file.mapped("second").dtype == np.dtype(dtype)


def test_bfloat16_is_widened(tmp_path: Path) -> None:
    values = np.array([0.0, 1.0, -2.5, 1024.0], dtype=np.float32)
    upper = (values.view(np.uint32) >> 16).astype("<u2")
    write_safetensors(tmp_path / "x", {"w": upper})
    assert np.array_equal(opened(tmp_path / "x").float32("w"), values)
    assert np.array_equal(opened(tmp_path / "x").mapped("w"), values)


def test_a_float32_tensor_is_not_copied_and_cannot_be_written(tmp_path: Path) -> None:
    write_safetensors(tmp_path / "x", {"w": np.ones((2, 2), dtype="<f4")})
    read = opened(tmp_path / "x").float32("w")
    assert not read.flags.writeable
    assert not read.flags.owndata


def test_a_tensor_at_an_odd_place_in_the_file_is_made_usable(tmp_path: Path) -> None:
    values = np.array([1.5, -2.0], dtype="<f4")
    header = json.dumps({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
    header += b" " * (1 - len(header) % 4 + 4)
    (tmp_path / "x").write_bytes(struct.pack("<Q", len(header)) + header + values.tobytes())
    read = opened(tmp_path / "x").float32("w")
    assert read.flags.aligned
    assert np.array_equal(read, values)


def test_arrays_outlive_the_file_object(tmp_path: Path) -> None:
    write_safetensors(tmp_path / "x", {"w": np.full(1000, 7, dtype="<f4")})
    read = opened(tmp_path / "x").float32("w")
    (tmp_path / "x").unlink()
    assert read.sum() == 7000


def test_a_missing_tensor_and_a_wrong_shape_are_named(tmp_path: Path) -> None:
    write_safetensors(tmp_path / "x", {"w": np.ones((2, 3), dtype="<f4")})
    file = opened(tmp_path / "x")
    file.expect_shape("w", (None, 3))
    with pytest.raises(PartUnavailable, match="no tensor v"):
        file.float32("v")
    for shape in ((3, 2), (2,), (2, 3, 1), (None, 4)):
        with pytest.raises(PartUnavailable, match="shape"):
            file.expect_shape("w", shape)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(PartUnavailable, match=r"model\.safetensors is missing"):
        opened(tmp_path / "model.safetensors")


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]},
        {"dtype": "F32", "shape": [2], "data_offsets": [-8, 0]},
        {"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]},
        {"dtype": "F32", "shape": [2], "data_offsets": [8, 0]},
        {"dtype": "F32", "shape": "2", "data_offsets": "08"},
        {"dtype": "Q9", "shape": [2], "data_offsets": [0, 8]},
        {"shape": [2], "data_offsets": [0, 8]},
        {"dtype": "F32", "shape": [2**62], "data_offsets": [0, 8]},
        [],
        None,
    ],
)
def test_a_header_that_lies_is_refused(tmp_path: Path, entry: object) -> None:
    header = json.dumps({"w": entry}).encode()
    (tmp_path / "x").write_bytes(struct.pack("<Q", len(header)) + header + b"\0" * 8)
    with pytest.raises(PartUnavailable, match="not usable"):
        opened(tmp_path / "x")


@ANY_TMP
@given(start=st.binary(max_size=40), rest=st.binary(max_size=40))
def test_no_bytes_do_worse_than_part_unavailable(tmp_path: Path, start: bytes, rest: bytes) -> None:
    path = tmp_path / "x"
    for content in (start + rest, struct.pack("<Q", len(start)) + start + rest):
        path.write_bytes(content)
        try:
            names = opened(path).names
        except PartUnavailable:
            continue
        assert all(isinstance(name, str) for name in names)


@ANY_TMP
@given(data=st.data())
def test_a_cut_file_is_refused_or_whole(tmp_path: Path, data: st.DataObject) -> None:
    write_safetensors(tmp_path / "whole", {"w": np.arange(6, dtype="<f4")})
    whole = (tmp_path / "whole").read_bytes()
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    (tmp_path / "cut").write_bytes(cut)
    with pytest.raises(PartUnavailable):
        opened(tmp_path / "cut")
