"""Compiled functions."""

import importlib.util

import numpy as np

from poise.kernel import fingerprint

SOURCE = """
from poise.kernel import kernel

FIRST, SECOND = 1, 2

@kernel
def entry(values, which, really):
    return values[which] if really else 0.0

@kernel
def total(values):
    return entry(values, FIRST, True) + entry(values, SECOND, True) + entry(values, SECOND, False)
"""


def test_constants_do_not_make_a_function_compile_again(tmp_path):
    path = tmp_path / "sums.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("sums", path)
    sums = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sums)
    assert sums.total(np.array([1.0, 2.0, 4.0])) == 6.0
    assert len(sums.entry.signatures) == 1


def test_a_room_looks_different_when_any_of_its_files_does(tmp_path):
    rooms = [tmp_path / name for name in ("one", "same", "other")]
    for room, constant in zip(rooms, ("1", "1", "2"), strict=True):
        room.mkdir()
        (room / "numbers.py").write_text(f"NUMBER = {constant}")
        (room / "sums.py").write_text("from numbers import NUMBER")
    one, same, other = map(fingerprint, rooms)
    assert one == same
    assert one != other
