"""Motion goes back into BVH as its file has it: the skeleton, the place, and the part and rate that are asked for."""

from pathlib import Path

import numpy as np
import pytest

from poise.errors import PoiseError
from poise.export.clips import ExportPart, performer_clip
from poise.export.formats import export
from poise.motion.bvh import read_bvh
from poise.motion.skeleton import Skeleton
from poise.reference.archive import load_prepared, save_prepared
from poise.retarget.prepare import prepare

ROOT = Path(__file__).resolve().parents[2]
WALK, MOCAP = ROOT / "examples/motions/walk.bvh", ROOT / "../shared/mocap/bvh"


@pytest.fixture(scope="module")
def prepared():
    return prepare(WALK).clip


def distances(there, back):
    """Distances (T, J) cm between the joints of two BVH files in cm."""
    return np.linalg.norm(there.places.position - back.places.position[: there.frames], axis=-1)


def test_a_motion_comes_out_where_it_came_from(prepared, tmp_path):
    there, back = read_bvh(WALK), read_bvh(export(prepared, tmp_path / "walk.bvh"))
    assert np.sqrt(np.mean(distances(there, back) ** 2)) < 2.0
    origin = read_bvh(export(prepared, tmp_path / "origin.bvh", place="origin"))
    assert np.abs(origin.position[0, [0, 2]]).max() < 0.5
    assert np.abs(there.position[0, [0, 2]]).max() > 1.0


def test_a_saved_motion_knows_its_place(prepared, tmp_path):
    loaded = load_prepared(save_prepared(prepared, tmp_path / "walk.npz"))
    first, again = (read_bvh(export(clip, tmp_path / f"{k}.bvh")) for k, clip in enumerate((prepared, loaded)))
    np.testing.assert_allclose(first.position, again.position, atol=1e-5)


@pytest.mark.skipif(not MOCAP.is_dir(), reason="needs the motion-capture folder")
def test_a_repaired_skeleton_goes_back_to_the_files_offsets(tmp_path):
    there, clip = read_bvh(MOCAP / "02_01.bvh"), prepare(MOCAP / "02_01.bvh").clip
    own, repaired = (
        read_bvh(export(clip, tmp_path / f"{skeleton}.bvh", skeleton=skeleton)) for skeleton in ("file", "repaired")
    )
    np.testing.assert_allclose(own.skeleton.offsets, there.skeleton.offsets, atol=1e-5)
    moved = np.linalg.norm(repaired.skeleton.offsets - there.skeleton.offsets, axis=1)
    assert {there.skeleton.names[k] for k in np.flatnonzero(moved > 1e-5)} == {"Neck", "LeftShoulder", "RightShoulder"}
    captured = there.cut(1, there.frames)  # without its T-pose
    assert 5.6 * np.sqrt(np.mean(distances(captured, own) ** 2)) < 1.5  # cm


def test_a_part_has_the_rate_that_is_asked_for(prepared, tmp_path):
    whole, part = performer_clip(prepared), performer_clip(prepared, ExportPart(0.5, 1.5, 30.0))
    assert (part.rate, part.frames) == (30.0, 31)
    np.testing.assert_allclose(part.position, whole.position[30:91:2], atol=1e-9)
    written = read_bvh(export(prepared, tmp_path / "part.bvh", part=ExportPart(0.5, 1.5, 30.0)))
    assert (written.frames, written.rate) == (31, pytest.approx(30.0))
    assert export(prepared, tmp_path / "part.glb", part=ExportPart(0.5, 1.5)).stat().st_size > 1000


@pytest.mark.parametrize(
    "part", [(-1.0, None, None), (2.0, 1.0, None), (0.0, None, 0.0), (0.0, None, 1e9), (0.0, float("nan"), None)]
)
def test_parts_that_are_none_are_refused(part):
    with pytest.raises(PoiseError):
        ExportPart(*part)


def test_parts_beyond_the_motion_and_of_other_formats_are_refused(prepared, tmp_path):
    with pytest.raises(PoiseError, match=r"lasts 4\.32 s"):
        performer_clip(prepared, ExportPart(0.0, 9.0))
    with pytest.raises(PoiseError, match=r"only, not for html"):
        export(prepared, tmp_path / "x.html", part=ExportPart(1.0))
    assert list(tmp_path.iterdir()) == []


def test_files_of_older_versions_have_no_place(prepared):
    told = prepared.body.rigging.skeleton.as_dict()
    for name in ("place", "filed_offsets", "breadth"):
        del told[name]
    old = Skeleton.from_dict(told)
    assert old.fault() is None
    assert old.convention.place.x == 0.0
