"""Where fetched motions are kept, and how they are found by name."""

import sys
from pathlib import Path

import pytest
from hosts import SECRET, capture

from poise.arrays import Frozen
from poise.errors import PoiseError
from poise.motion.captures import MocapArchive, mocap_cache_folder, motion_file


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache, and a database with one capture."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    library = MocapArchive("ours", "", "", Frozen({"01_01": capture()}))
    monkeypatch.setattr("poise.motion.captures.cmu_mocap_archive", lambda: library)
    return tmp_path / "poise/motions"


def test_the_cache_is_where_the_platform_has_it(monkeypatch):
    monkeypatch.setenv("HOME", "/home/someone")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert mocap_cache_folder() == Path("/home/someone/.cache/poise/motions")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert mocap_cache_folder() == Path("/home/someone/Library/Caches/poise/motions")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/cache")
    assert mocap_cache_folder() == Path("/var/cache/poise/motions")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # the standard says to ignore it
    assert mocap_cache_folder() == Path("/home/someone/Library/Caches/poise/motions")


def test_someone_without_a_home_is_told(monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(PoiseError, match="XDG_CACHE_HOME"):
        mocap_cache_folder()


def test_a_fetched_motion_is_found_by_its_name(cache):
    cache.mkdir(parents=True)
    (cache / "01_01.bvh").write_bytes(SECRET)
    assert motion_file("01_01") == motion_file(Path("01_01")) == cache / "01_01.bvh"


@pytest.mark.parametrize("damage", [None, SECRET[:100]])
def test_one_that_is_not_there_or_damaged_is_to_be_fetched(cache, damage):
    if damage is not None:
        cache.mkdir(parents=True)
        (cache / "01_01.bvh").write_bytes(damage)
    with pytest.raises(PoiseError, match=r"01_01 \(walk\).*poise motions get 01_01"):
        motion_file("01_01")


@pytest.mark.parametrize("path", ["walk.bvh", "01_01.bvh", "walk", "a/01_01", "", "../01_01"])
def test_all_else_is_a_path(cache, path):
    assert motion_file(path) == Path(path)
