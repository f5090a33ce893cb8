"""Compiled functions."""

import importlib.util
import os
import subprocess
import sys
import time

import numba
import numpy as np
import pytest

from poise.kernel import kernel_cache_folder, kernel_fingerprint

INDICES = "FIRST, SECOND = 1, 2"
SOURCE = """
import indices as at
from poise.kernel import kernel

@kernel
def entry(values, which):
    return values[which]

@kernel
def total(values):
    return entry(values, at.FIRST) + entry(values, at.SECOND)
"""


@pytest.fixture
def sums(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    (tmp_path / "indices.py").write_text(INDICES)
    (tmp_path / "sums.py").write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("sums", tmp_path / "sums.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.modules.pop("indices", None)


def test_constants_of_a_module_do_not_make_a_function_compile_again(sums):
    assert sums.total(np.array([1.0, 2.0, 4.0])) == 6.0
    assert len(sums.entry.signatures) == 1, (
        f"numba {numba.__version__} types attributes of modules as literals: every table index compiles anew"
    )


def test_compiled_code_is_kept_in_the_folder_of_these_sources(sums, tmp_path):
    sums.total(np.zeros(3))
    folder = kernel_cache_folder(tmp_path)
    assert folder.parent == tmp_path / "__pycache__"
    assert list(folder.rglob("sums.total*.nbc")), f"numba {numba.__version__} does not cache in its config.CACHE_DIR"
    assert not numba.config.CACHE_DIR


def test_a_package_looks_different_when_any_of_its_files_does(tmp_path):
    packages = [tmp_path / name for name in ("one", "same", "other")]
    for package, constant in zip(packages, ("1", "1", "2"), strict=True):
        package.mkdir()
        (package / "numbers.py").write_text(f"NUMBER = {constant}")
        (package / "sums.py").write_text("from numbers import NUMBER")
    one, same, other = map(kernel_fingerprint, packages)
    assert one == same
    assert one != other


def test_code_of_earlier_sources_is_deleted_after_a_day(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    old, recent = (tmp_path / "__pycache__" / f"kernels-{name}" for name in ("old", "recent"))
    for folder in (old, recent):
        folder.mkdir(parents=True)
    os.utime(old, (0, time.time() - 1e6))
    kernel_cache_folder(tmp_path)
    assert not old.exists()
    assert recent.exists()


def test_kernels_run_where_nothing_can_be_written(tmp_path):
    (tmp_path / "__pycache__").write_text("a file where a folder should be")
    (tmp_path / "home").write_text("likewise")
    (tmp_path / "indices.py").write_text(INDICES)
    (tmp_path / "sums.py").write_text(SOURCE)
    code = "import sums, numpy; assert sums.total(numpy.ones(3)) == 2.0; assert not sums.total.stats.cache_path"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(tmp_path)]), "PYTHONDONTWRITEBYTECODE": "1"}
    env |= {"XDG_CACHE_HOME": str(tmp_path / "home")}
    env.pop("NUMBA_CACHE_DIR", None)
    subprocess.run([sys.executable, "-c", code], env=env, check=True)
