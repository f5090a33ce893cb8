"""The missing thorax, the floor, and the story that is told of both."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from figures import filed, marked, reframed, seated, standing, stroll
from hypothesis import given, settings, strategies as st

from poise.arrays import readonly
from poise.motion.bvh import read_bvh, write_bvh
from poise.motion.clip import clip_from, save_clip
from poise.motion.repair.bones import leg_length
from poise.motion.repair.finding import UNITS, ImportSettings, import_report
from poise.motion.repair.floor import ANKLE, LEG, TOES, find_floor
from poise.motion.repair.importer import import_motion, repair_motion
from poise.motion.repair.unit_and_axes import poise_axes
from poise.motion.roles import find_roles
from poise.motion.skeleton import Skeleton
from skeletons import CREATURES, cmu

MOCAP = Path(__file__).resolve().parents[3] / "../shared/mocap/bvh"
Y_UP = poise_axes("+y", "+z")
HELPERS = ("Neck", "LeftShoulder", "RightShoulder")
ANYTHING = ImportSettings()


def without_thorax():
    """A person of the CMU conversion: neck and shoulders a bone too low."""
    whole = cmu()
    offsets = np.array(whole.offsets)
    for side in ("Left", "Right"):
        offsets[whole.index(f"{side}Arm")] -= [0, 0, 0.12]
    offsets[whole.index("Neck1")] -= [0, 0, 0.12]
    skeleton = Skeleton(whole.names, whole.parents, readonly(offsets), whole.ends, whole.convention)
    return clip_from("bent", skeleton, 60.0, stroll("cmu").position, stroll("cmu").rotation)


def test_the_missing_thorax_is_put_back():
    clip = without_thorax()
    found = repair_motion(filed(clip, UNITS["cmu"], Y_UP))
    assert found.finding("thorax").value is True
    skeleton = found.clip.skeleton
    for name in HELPERS:
        np.testing.assert_allclose(skeleton.offsets[skeleton.index(name)], skeleton.offsets[skeleton.index("Spine1")])
    lifted = (
        found.clip.places.position
        - repair_motion(filed(clip, UNITS["cmu"], Y_UP), ImportSettings(thorax=False)).clip.places.position
    )
    moved = np.linalg.norm(lifted, axis=-1).max(axis=0) > 1e-9
    arms = {
        "Neck",
        "Neck1",
        "Head",
        *(n for n in skeleton.names if n.startswith(("Left", "Right", "LThumb", "RThumb"))),
    }
    legs = {n for n in skeleton.names if any(part in n for part in ("UpLeg", "Leg", "Foot", "ToeBase"))}
    assert {skeleton.names[k] for k in np.flatnonzero(moved)} == arms - legs


def test_the_missing_thorax_is_put_back_along_the_chest_however_its_frame_is_turned():
    clip = without_thorax()
    plain, heap = (
        repair_motion(filed(c, UNITS["cmu"], Y_UP), ImportSettings(floor=0.0)) for c in (clip, reframed(clip, 4))
    )
    assert heap.finding("thorax").value is True
    np.testing.assert_allclose(heap.clip.places.position, plain.clip.places.position, atol=1e-9)


def test_a_trunk_of_full_length_is_left_alone():
    found = repair_motion(filed(stroll("cmu"), UNITS["cmu"], Y_UP))
    assert found.finding("thorax").value is False
    forced = repair_motion(filed(stroll("cmu"), UNITS["cmu"], Y_UP), ImportSettings(thorax=True))
    assert forced.finding("thorax").value is True


def test_a_mended_skeleton_is_written_as_mended(tmp_path):
    found = repair_motion(filed(without_thorax(), UNITS["cmu"], Y_UP))
    again = read_bvh(write_bvh(found.clip, tmp_path / "mended.bvh"))
    spine, neck = (again.skeleton.offsets[again.skeleton.index(name)] for name in ("Spine1", "Neck"))
    np.testing.assert_allclose(neck, spine, atol=1e-6)
    assert np.linalg.norm(neck) > 1


@settings(max_examples=20)
@given(st.floats(-2, 2), st.floats(-0.5, 0.5))
def test_the_floor_moves_with_the_figure(lift, aside):
    clip = stroll(frames=90, drift=0.05)
    moved = clip_from("up", clip.skeleton, 60.0, clip.position + [aside, 0, lift], clip.rotation)
    roles = find_roles(clip.skeleton)
    low, high = (find_floor(c, roles, 60.0, ANYTHING).value for c in (clip, moved))
    assert high - low == pytest.approx(lift, abs=1e-9)


def test_the_floor_is_as_far_below_flat_feet_as_the_tables_say():
    clip = stroll(frames=90, drift=0.0)
    roles = find_roles(clip.skeleton)
    stature = leg_length(clip, roles) / LEG
    ankle, toes = (np.median(clip.places.position[:, roles.joints[f"left_{role}"], 2]) for role in ("foot", "toes"))
    floor = find_floor(clip, roles, 60.0, ANYTHING).value
    assert toes - TOES * stature - 0.02 < floor < ankle - ANKLE * stature + 0.02


def leaning_walk(rise):
    """A figure that stands at six places along x on a floor that rises by `rise` (m per m)."""
    clip = stroll(frames=360, drift=0.0)
    along = 0.5 * (np.arange(360) // 60)[:, None] * [1.0, 0.0, rise]
    return clip_from("leaning", clip.skeleton, 60.0, clip.position + along, clip.rotation)


@pytest.mark.parametrize("rise", [0.015, -0.01])
def test_a_leaning_floor_is_levelled_and_told(rise):
    raw = filed(leaning_walk(rise), UNITS["cmu"], Y_UP)
    found = repair_motion(raw, ImportSettings(rate=60.0))
    assert found.finding("lean").value[0] == pytest.approx(rise, abs=2e-3)
    level = repair_motion(filed(leaning_walk(0.0), UNITS["cmu"], Y_UP), ImportSettings(rate=60.0)).clip
    np.testing.assert_allclose(found.clip.position[:, 2], level.position[:, 2], atol=8e-3)


@pytest.mark.skipif(not MOCAP.is_dir(), reason="needs the motion-capture folder")
def test_a_run_shows_the_lean_that_a_walk_in_the_same_room_shows():
    walk, run = (import_motion(MOCAP / f"{name}.bvh").finding("lean").value for name in ("02_01", "02_03"))
    assert walk[0] == pytest.approx(0.015, abs=0.002)
    np.testing.assert_allclose(run, walk, atol=0.002)


def test_a_ramp_is_no_fault_of_the_capture():
    found = repair_motion(filed(leaning_walk(0.08), UNITS["cmu"], Y_UP), ImportSettings(rate=60.0))
    assert found.finding("lean").value == [0.0, 0.0]


def test_soles_are_the_heights_of_the_joints_of_flat_feet():
    found = repair_motion(filed(stroll(frames=90, drift=0.0), UNITS["cmu"], Y_UP), ImportSettings(rate=60.0))
    where, joints = found.clip.places.position, find_roles(found.clip.skeleton).joints
    for row, side in zip(found.clip.skeleton.soles, ("left", "right"), strict=True):
        heights = [np.median(where[:, joints[f"{side}_{part}"], 2]) for part in ("foot", "toes")]
        np.testing.assert_allclose(row, heights, atol=0.01)


def test_on_stairs_the_floor_is_the_lowest_step():
    clip = stroll(frames=300, drift=0.0)
    steps = 0.2 * (np.arange(300) // 100)
    climbing = clip_from("steps", clip.skeleton, 60.0, clip.position + steps[:, None] * [1.5, 0, 1], clip.rotation)
    roles = find_roles(clip.skeleton)
    floors = [find_floor(c, roles, 60.0, ANYTHING).value for c in (clip, climbing)]
    assert floors[1] == pytest.approx(floors[0], abs=0.015)


def test_a_short_dip_below_the_ground_is_no_floor():
    clip = stroll(frames=300, drift=0.0)
    dip = np.where((np.arange(300) > 140) & (np.arange(300) < 155), -0.3, 0.0)
    glitch = clip_from("dip", clip.skeleton, 60.0, clip.position + dip[:, None] * [0, 0, 1], clip.rotation)
    roles = find_roles(clip.skeleton)
    floors = [find_floor(c, roles, 60.0, ANYTHING).value for c in (clip, glitch)]
    assert floors[1] == pytest.approx(floors[0], abs=0.01)


def test_whoever_lies_has_a_floor_under_the_trunk():
    clip = stroll(frames=90, drift=0.0)
    rotation = standing(clip.skeleton, 90)
    rotation[:, 0] = [np.sqrt(0.5), 0, -np.sqrt(0.5), 0]  # on the back
    position = np.tile([0.0, 0.0, 5.1], (90, 1))
    lying = clip_from("lie", clip.skeleton, 60.0, position, rotation)
    found = find_floor(lying, find_roles(clip.skeleton), 60.0, ANYTHING)
    assert "never stands" in found.found
    assert 4.95 < found.value < 5.1


def test_whoever_sits_has_a_floor_under_the_feet():
    clip = seated(stroll(frames=90, drift=0.0))
    roles = find_roles(clip.skeleton)
    found = find_floor(clip, roles, 60.0, ANYTHING)
    ankle = np.median(clip.places.position[:, roles.joints["left_foot"], 2])
    assert found.value == pytest.approx(ankle - ANKLE * leg_length(clip, roles) / LEG, abs=0.02)


def test_a_mark_on_the_ground_is_not_what_a_runner_stands_on():
    clip = stroll(frames=90, drift=8.0)  # feet never rest
    below = marked(clip_from("run", clip.skeleton, 60.0, clip.position + [0, 0, 1.0], clip.rotation))
    floors = [find_floor(c, find_roles(c.skeleton), 60.0, ANYTHING).value for c in (clip, below)]
    assert floors[1] - floors[0] == pytest.approx(1.0, abs=1e-9)


def test_the_lowest_joint_of_a_creature_is_its_floor():
    skeleton = CREATURES["dog"]()
    clip = clip_from("dog", skeleton, 30.0, np.full((50, 3), 2.0), np.tile([1.0, 0, 0, 0], (50, skeleton.count, 1)))
    low = min(clip.places.position[..., 2].min(), clip.places.ends[..., 2].min())
    assert find_floor(clip, None, 30.0, ANYTHING).value == pytest.approx(low)


def test_the_imported_figure_stands_on_zero():
    found = repair_motion(filed(stroll(drift=0.1), 0.01, Y_UP))
    moved = find_floor(found.clip, find_roles(found.clip.skeleton), found.clip.rate, ANYTHING).value
    assert moved == pytest.approx(0, abs=1e-9)


def test_everything_is_reported_and_fits_json():
    found = repair_motion(filed(without_thorax(), UNITS["cmu"], Y_UP))
    names = {finding.name for finding in found.findings}
    assert names == {
        "unit", "up", "facing", "upright", "tpose", "leading", "leaps", "rate", "offsets", "thorax", "lean", "floor",
        "soles", "wraps", "zero_length",
    }  # fmt: skip
    text = import_report(found)
    assert all(f"\n{name} " in text for name in names)
    assert "override: --floor=METRES" in text
    assert max(map(len, text.splitlines())) <= 120
    assert json.loads(json.dumps(found.as_dict()))["unit"]["value"] == pytest.approx(UNITS["cmu"])
    assert found.finding("zero_length").value == [
        "LHipJoint", "RHipJoint", "LowerBack", "LeftFingerBase", "LThumb", "RightFingerBase", "RThumb",
    ]  # fmt: skip


def test_all_notes_of_a_reader_are_findings():
    raw = replace(filed(stroll(), 0.01, Y_UP), notes=("one thing", "another"))
    told = [finding["found"] for finding in repair_motion(raw).as_dict().values()]
    assert {"one thing", "another"} <= set(told)


def test_a_clip_of_ours_is_taken_as_it_is(tmp_path):
    clip = repair_motion(filed(stroll("lafan1"), 0.01, Y_UP)).clip
    path = tmp_path / "own.npz"
    save_clip(clip, path)
    again = import_motion(path)
    np.testing.assert_array_equal(again.clip.position, clip.position)
    np.testing.assert_array_equal(again.clip.rotation, clip.rotation)
    np.testing.assert_array_equal(again.clip.skeleton.upright, clip.skeleton.upright)
    assert again.clip.rate == clip.rate
    assert import_motion(path, ImportSettings(floor=1.0)).clip.position[0, 2] == pytest.approx(clip.position[0, 2] - 1)
