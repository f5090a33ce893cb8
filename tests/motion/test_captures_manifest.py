"""The manifest that ships: every entry can be fetched, and none can lead out of the cache."""

import pickle
import re

import pytest

from poise.errors import PoiseError
from poise.motion.captures import cmu_mocap_archive

CAPTURES = cmu_mocap_archive().captures


@pytest.mark.parametrize("name", CAPTURES)
def test_every_capture_is_well_described(name):
    capture = CAPTURES[name]
    subject, _ = re.fullmatch(r"(\d{2,3})_(\d{2})", name).groups()
    assert capture.name == name
    assert capture.path == f"{int(subject):03d}/{name}.bvh"
    assert capture.file == f"{name}.bvh"
    assert re.fullmatch(r"[0-9a-f]{64}", capture.sha256)
    assert 10_000 < capture.size < 10_000_000
    assert 1 < capture.seconds < 60
    assert capture.what


def test_no_two_captures_are_the_same_file():
    assert len({capture.sha256 for capture in CAPTURES.values()}) == len(CAPTURES) == 40


def test_the_host_is_asked_for_one_commit_and_cannot_be_listened_in_on():
    assert re.fullmatch(
        r"https://raw\.githubusercontent\.com/[\w-]+/[\w-]+/[0-9a-f]{40}/data", cmu_mocap_archive().host
    )


def test_the_licence_says_what_the_database_says():
    licence = " ".join(cmu_mocap_archive().licence.split())
    assert "you may not resell this data directly, even in converted form" in licence
    assert "The database was created with funding from NSF EIA-0196217." in licence
    assert "http://mocap.cs.cmu.edu" in licence


@pytest.mark.parametrize("name", ["02_1", "../02_01", "02_01.bvh", "/02_01", "", "02_01\0", "02\n01"])
def test_other_names_are_refused_with_the_likeliest(name):
    with pytest.raises(PoiseError, match=r"unknown captured motion.*02_01") as caught:
        cmu_mocap_archive().capture(name)
    assert "\n" not in str(caught.value)


def test_the_likeliest_is_suggested():
    with pytest.raises(PoiseError, match="Did you mean '132_46'"):
        cmu_mocap_archive().capture("132-46")


def test_captures_cannot_be_changed_and_travel_to_worker_processes():
    library = cmu_mocap_archive()
    with pytest.raises(TypeError):
        library.captures["x"] = None
    assert pickle.loads(pickle.dumps(library)).captures["02_01"] == library.captures["02_01"]
