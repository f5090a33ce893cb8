"""Anatomical angles: each turns the part it names the way it says, on every humanoid body."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from poise.body.body import Body
from poise.errors import PoiseError
from poise.library.authoring.figure import ANGLES, SourceFigure
from poise.rotations import Array, quat_rotate

BODIES = ("biped29", "human37", "human42", "human58")


@pytest.fixture(params=BODIES, scope="module")
def figure(request: pytest.FixtureRequest) -> SourceFigure:
    return SourceFigure(Body.named(request.param))


def placed(body: Body, qpos: Array) -> mujoco.MjData:
    data = mujoco.MjData(body.model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(body.model, data)
    return data


def way(figure: SourceFigure, angles: dict[str, float], start: str, end: str) -> Array:
    """Unit vector from link to link in the pose of some angles."""
    data = placed(figure.body, figure.poses(angles)[0])
    vector = data.body(end).xpos - data.body(start).xpos
    return np.asarray(vector / np.linalg.norm(vector))


def ahead(figure: SourceFigure, angles: dict[str, float], link: str) -> Array:
    """Where the front of a link points."""
    return quat_rotate(placed(figure.body, figure.poses(angles)[0]).body(link).xquat, [1.0, 0.0, 0.0])


def test_no_angles_are_the_standing_pose(figure: SourceFigure) -> None:
    assert np.allclose(figure.poses({})[0], figure.body.standing, atol=1e-12)


def test_flexion_swings_limbs_forward(figure: SourceFigure) -> None:
    cos, sin = np.cos(np.radians(60)), np.sin(np.radians(60))
    assert np.allclose(way(figure, {"left_hip_flexion": 60}, "left_thigh", "left_shank"), [sin, 0, -cos], atol=1e-6)
    bent = way(figure, {"right_hip_flexion": 60, "right_knee_flexion": 60}, "right_shank", "right_foot")
    assert np.allclose(bent, [0, 0, -1], atol=1e-6)
    arm = way(figure, {"left_shoulder_flexion": 90}, "left_upper_arm", "left_forearm")
    assert arm[0] > 0.98
    fore = way(figure, {"right_elbow_flexion": 90}, "right_forearm", "right_hand")
    assert fore[0] > 0.98


def test_abduction_goes_outward_on_both_sides(figure: SourceFigure) -> None:
    for side, sign in (("left", 1.0), ("right", -1.0)):
        leg = way(figure, {f"{side}_hip_abduction": 30}, f"{side}_thigh", f"{side}_shank")
        assert np.allclose(leg, [0, sign * 0.5, -np.sqrt(0.75)], atol=1e-6)
        arm = way(figure, {f"{side}_shoulder_abduction": 80}, f"{side}_upper_arm", f"{side}_forearm")
        assert sign * arm[1] > 0.99


def test_rotation_about_the_bone_keeps_it_where_it_is(figure: SourceFigure) -> None:
    still = way(figure, {}, "left_upper_arm", "left_forearm")
    assert np.allclose(way(figure, {"left_shoulder_rotation": 50}, "left_upper_arm", "left_forearm"), still, atol=1e-6)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        inward = {f"{side}_shoulder_rotation": 60.0, f"{side}_elbow_flexion": 90.0}
        assert sign * way(figure, inward, f"{side}_forearm", f"{side}_hand")[1] < -0.8
        assert sign * ahead(figure, {f"{side}_hip_rotation": 40}, f"{side}_foot")[1] > 0.6


def test_feet_tilt_up_and_inward(figure: SourceFigure) -> None:
    assert ahead(figure, {"left_ankle_dorsiflexion": 20}, "left_foot")[2] == pytest.approx(np.sin(np.radians(20)))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        data = placed(figure.body, figure.poses({f"{side}_ankle_inversion": 20})[0])
        sole = quat_rotate(data.body(f"{side}_foot").xquat, [0.0, 0.0, -1.0])
        assert sign * sole[1] == pytest.approx(-np.sin(np.radians(20)))


def test_trunk_bends_by_the_angle_however_many_joints_it_has(figure: SourceFigure) -> None:
    head = figure.body.head
    assert head is not None
    up = [0.0, 0.0, 1.0]
    for angles, expected in (
        ({"trunk_flexion": 30.0}, [0.5, 0, np.sqrt(0.75)]),
        ({"trunk_bend": 30.0}, [0, 0.5, np.sqrt(0.75)]),
        ({"pelvis_tilt": 30.0}, [0.5, 0, np.sqrt(0.75)]),
        ({"pelvis_list": -30.0}, [0, 0.5, np.sqrt(0.75)]),
    ):
        data = placed(figure.body, figure.poses(angles)[0])
        assert np.allclose(quat_rotate(data.body(head).xquat, up), expected, atol=1e-6)
    for name in ("trunk_rotation", "pelvis_rotation"):
        assert np.allclose(ahead(figure, {name: 30}, head), [np.sqrt(0.75), 0.5, 0], atol=1e-6)


def test_neck_turns_the_head_where_there_is_one() -> None:
    figure = SourceFigure(Body.named("human58"))
    assert np.allclose(ahead(figure, {"neck_rotation": 30}, "head"), [np.sqrt(0.75), 0.5, 0], atol=1e-6)
    stiff = SourceFigure(Body.named("biped29"))
    assert np.allclose(stiff.poses({"neck_rotation": 30}), stiff.poses({}))


def test_mirrored_angles_are_the_mirrored_pose(figure: SourceFigure) -> None:
    values = dict(zip(ANGLES, 12 + 7 * np.sin(1.0 + np.arange(len(ANGLES))), strict=True))
    swap = {"left": "right", "right": "left"}
    odd = ("rotation", "bend", "list")
    other = {}
    for name, value in values.items():
        side, _, rest = name.partition("_")
        if side in swap:
            other[f"{swap[side]}_{rest}"] = value
        else:
            other[name] = -value if name.endswith(odd) else value
    assert np.allclose(figure.poses(other), figure.body.mirrored(figure.poses(values)), atol=1e-9)


def test_frames_limits_and_names(figure: SourceFigure) -> None:
    root = np.arange(9.0).reshape(3, 3)
    qpos = figure.poses({"left_knee_flexion": np.array([10.0, 170.0, -90.0]), "trunk_flexion": 5}, root)
    assert qpos.shape == (3, figure.body.nq)
    assert np.allclose(qpos[:, :3], root)
    knee = figure.body.joint("left_knee")
    assert np.allclose(np.degrees(qpos[:, knee.qpos[0]]), [10, 150, -5])
    with pytest.raises(PoiseError, match=r"unknown angle 'left_knee_flex'.*left_knee_flexion"):
        figure.poses({"left_knee_flex": 3.0})


def test_lamps_have_no_anatomy() -> None:
    with pytest.raises(PoiseError, match="humanoid"):
        SourceFigure(Body.named("lamp14"))
