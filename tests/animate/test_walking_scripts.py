"""The walking scripts that come with Poise; their objectives keep the tray level and the path straight."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from poise.animate.animate import animate
from poise.animate.read_script import read_script
from poise.animate.solve import solve_script
from poise.control.poses.objectives import PoseControlAim, PoseControlCorrection
from poise.measure.audit import audit
from poise.measure.metrics import stabilising_effort
from poise.study.poses.scripts import (
    carried_crate,
    served_glass,
    trial_stayed_upright,
    varied_trial_script,
    walked_along_line,
)


def without(script, kind):
    return replace(script, objectives=tuple(o for o in script.objectives if not isinstance(o, kind)))


def test_strut_takes_long_steps_and_swings_unposed_arms():
    script = read_script("strut")
    recording = animate(varied_trial_script(script, 0)).recording
    assert trial_stayed_upright(recording)
    assert audit(recording).passed
    assert recording.qpos[-1, 0] > 10.0
    assert stabilising_effort(recording)["mean_nm"] < 90.0
    shoulders = [script.scene.body.dof_names.index(f"{side}_shoulder_y") for side in ("left", "right")]
    assert not any(set(shoulders) & set(pose.angles) for pose in script.poses)
    left, right = recording.qvel[400:, shoulders].T
    assert np.corrcoef(left, right)[0, 1] < -0.7  # they swing in opposition
    assert min(np.ptp(left), np.ptp(right)) > 2.0


def test_strut_is_a_caricature():
    """Thighs near the horizontal, a chest that is held back and twists wide, hands that swing far."""
    recording = animate(read_script("strut")).recording
    looks = [pose_of_parts(recording, k) for k in range(400, len(recording.time), 8)]
    thigh, chest, twist, hand = np.array(looks).T  # degrees
    assert thigh.max() > 55
    assert chest.mean() < -5
    assert np.ptp(twist) > 60
    assert np.ptp(hand) > 70


def pose_of_parts(recording, step):
    """Degrees from the vertical: left thigh forward, chest forward, right arm forward; and the chest's turn, third."""
    data = mujoco.MjData(recording.model)
    data.qpos[:] = recording.qpos[step]
    mujoco.mj_kinematics(recording.model, data)
    thigh, chest = (data.body(link).xmat.reshape(3, 3) for link in ("left_thigh", "torso"))
    hand = data.body("right_hand").xpos - data.body("right_upper_arm").xpos
    slopes = np.arctan2(
        [-thigh[0, 2], chest[0, 2], chest[1, 0], hand[0]], [thigh[2, 2], chest[2, 2], chest[0, 0], -hand[2]]
    )
    return np.degrees(slopes)


def test_waiter_is_at_ease():
    """The head stays level and the chest upright; the free hand is behind the back."""
    recording = animate(read_script("waiter"), 5.0).recording
    data, tilts, behind = mujoco.MjData(recording.model), [], []
    for step in range(250, len(recording.time), 8):
        data.qpos[:] = recording.qpos[step]
        mujoco.mj_kinematics(recording.model, data)
        tilts.append(
            np.degrees([np.arctan2(*data.body(link).xmat.reshape(3, 3)[[0, 2], 2]) for link in ("head", "torso")])
        )
        behind.append(data.body("pelvis").xpos[0] - data.body("right_hand").xpos[0])
    head, chest = np.array(tilts).T
    assert np.abs(head).max() < 5
    assert np.abs(chest).max() < 12
    assert min(behind) > 0.05  # m


def test_strut_continues_for_a_longer_duration():
    recording = animate(read_script("strut", seconds=20.0), 20.0).recording
    assert trial_stayed_upright(recording)
    assert recording.qpos[-1, 0] > 21.0


@pytest.mark.parametrize("seed", [None, 3])
def test_the_glass_stays_on_the_tray_under_a_disturbance(seed):
    script = read_script("waiter")
    recording = animate(script if seed is None else varied_trial_script(script, seed)).recording
    assert len(script.pushes) == 2
    assert all(push.force == 30.0 for push in script.pushes)
    assert served_glass(recording)


def test_the_glass_falls_without_the_objective():
    assert not served_glass(animate(without(read_script("waiter"), PoseControlAim), 4.0).recording)


def test_the_glass_falls_from_an_equally_soft_arm_without_the_objective():
    script = read_script("waiter")
    softened = (
        replace(each, stiffness=0.0, damping=0.0)
        if isinstance(each, PoseControlAim) and each.link == "left_hand"
        else each
        for each in script.objectives
    )
    soft = replace(script, objectives=tuple(softened))
    assert soft != script
    assert not served_glass(animate(soft, 4.0).recording)


def test_objectives_keep_the_path_in_gusts():
    script = read_script("gusts")
    recording = animate(varied_trial_script(script, 1)).recording
    assert walked_along_line(recording)
    assert audit(recording).passed
    assert not walked_along_line(animate(without(script, PoseControlCorrection), 6.0).recording)


def test_footprints_are_met_within_a_centimetre():
    script = read_script("footprints")
    few = replace(script, goals=script.goals[:4], seconds=6.0)
    for case in (few, varied_trial_script(few, 4)):
        solution = solve_script(case)
        assert solution.converged
        for answer in solution.answers:
            assert np.abs(answer.hit.off * 0.01).max() <= 0.01
            assert answer.hit.iterations <= 4
        assert trial_stayed_upright(animate(solution.script).recording)


def test_the_crate_is_lifted_level_in_both_hands():
    script = read_script("crate")
    recording = animate(script).recording
    assert carried_crate(recording)
    assert audit(recording).passed
    data, holds = mujoco.MjData(recording.model), []
    for qpos in recording.qpos[np.searchsorted(recording.time, 1.7) :: 8]:
        data.qpos[:] = qpos
        mujoco.mj_kinematics(recording.model, data)
        crate = data.body("crate")
        holds.append(
            [crate.xmat.reshape(3, 3).T @ (data.body(f"{s}_hand").xpos - crate.xpos) for s in ("left", "right")]
        )
    assert np.ptp(np.array(holds), axis=0).max() < 0.01  # m: hands stay where they took hold
    assert stabilising_effort(recording)["mean_nm"] < 40.0
