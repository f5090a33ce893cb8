"""Sketches become motions that obey physics, certified without the optimiser; impossible ones are refused."""

from dataclasses import replace
from functools import cache

import mujoco
import numpy as np
import pytest

from poise.arrays import readonly
from poise.body.body import Body
from poise.body.surface import contact_parts
from poise.errors import PoiseError
from poise.library.motions import shipped_dynamic
from poise.physics.certificate import certify, deviation_from
from poise.physics.interior import InteriorSettings
from poise.physics.optimise import (
    DynamicSettings,
    end_state_of,
    optimise,
    resampled_sketch,
    spacetime_task,
)
from poise.physics.task import EndState
from poise.reference.body_clip import BodyClip
from poise.reference.supports import Support, sketch_of_clip

BODY = Body.named("biped29")
RATE = 120.0
GRAVITY = 9.81


def standing_still(qpos):
    """The state at rest in a pose."""
    return EndState(qpos, qpos, np.zeros(6))


def sketch(name, height, down, body=BODY):
    """The standing pose at heights (T,) m above the ground, on both feet where `down` (T,)."""
    qpos = np.tile(body.standing, (len(height), 1))
    qpos[:, 2] += height
    feet = [part.limb.endswith("foot") for part in contact_parts(body)]
    clip = BodyClip(name, body, RATE, readonly(qpos), readonly(np.outer(down, feet), bool))
    return sketch_of_clip(clip)


def stand(frames=25):
    return sketch("stand", np.zeros(frames), np.ones(frames, bool))


def hop(before=30, air=24, after=30, body=BODY):
    """A ballistic arc between two stands."""
    flight = np.arange(1, air + 1) / RATE
    arc = 0.5 * GRAVITY * flight * ((air + 1) / RATE - flight)
    down = np.repeat([True, False, True], [before, air, after])
    return sketch("hop", np.concatenate([np.zeros(before), arc, np.zeros(after)]), down, body)


@cache
def hopped():
    return optimise(hop())


def check(optimised):
    found = certify(optimised.dynamic)
    assert found.equations < 1e-6
    assert found.slip_mm < 0.5
    assert found.gap_mm < 0.01
    assert found.cone == 0.0
    assert found.torque_excess == 0.0
    assert found.joint_excess_deg == 0.0
    return found


def test_standing_still_is_held_by_its_own_weight():
    found = optimise(stand(), start=standing_still(BODY.standing), end=standing_still(BODY.standing))
    check(found)
    assert deviation_from(found.dynamic, found.desired).joint_rms_deg < 0.5
    weight = BODY.mass * GRAVITY
    assert np.allclose(found.dynamic.contacts.force[..., 2].sum(axis=1), weight, rtol=0.05)


def test_a_hop_obeys_physics_and_stays_near_its_sketch():
    found = hopped()
    certificate, near = check(found), deviation_from(found.dynamic, found.desired)
    assert certificate.penetration_mm < 1.0
    assert near.root_rms_m < 0.05
    assert near.joint_rms_deg < 6.0


def test_a_hop_whose_cost_creeps_ends_where_all_constraints_hold():
    check(optimise(hop(10, 6, 10)))


def test_momentum_changes_by_gravity_alone_in_the_air():
    dynamic = hopped().dynamic
    step = dynamic.step
    in_air = ~dynamic.contacts.down.any(axis=1)
    free = np.flatnonzero(in_air[1:-1]) + 1  # steps from a frame in the air to another
    free = free[in_air[free + 1]]
    assert len(free) > 15
    assert np.array_equal(dynamic.contacts.force[free], np.zeros_like(dynamic.contacts.force[free]))
    com = centres_of_mass(dynamic)
    acceleration = np.diff(com, n=2, axis=0)[free[1:] - 1] / step**2
    assert np.allclose(acceleration, [0.0, 0.0, -GRAVITY], atol=1e-4)


def centres_of_mass(dynamic):
    """(T, 3) m, by MuJoCo."""
    data, out = mujoco.MjData(BODY.model), []
    for pose in dynamic.clip.qpos:
        data.qpos[:] = pose
        mujoco.mj_kinematics(BODY.model, data)
        mujoco.mj_comPos(BODY.model, data)
        out.append(np.array(data.subtree_com[1]))
    return np.array(out)


def test_the_same_sketch_twice_is_identical_to_the_bit():
    one, other = (optimise(hop(16, 16, 16)).dynamic for _ in range(2))
    assert np.array_equal(one.clip.qpos, other.clip.qpos)
    assert np.array_equal(one.torque, other.torque)
    assert np.array_equal(one.contacts.force, other.contacts.force)


def test_a_second_in_the_air_between_two_stands_is_refused_with_what_and_when():
    down = np.repeat([True, False, True], [30, 120, 30])
    with pytest.raises(PoiseError, match=r"motion 'hover' .*: it has no support from 0\.25 to 1\.24 s, but does not"):
        optimise(sketch("hover", np.zeros(180), down))


def test_who_has_no_time_to_push_off_is_refused_with_what_and_when():
    still = standing_still(BODY.standing)
    settings = DynamicSettings(search=InteriorSettings(iterations=30))
    with pytest.raises(PoiseError, match=r"motion 'hop' .*: .+ at \d\.\d\d s cannot be kept"):
        optimise(hop(3, 48, 30), settings, start=still, end=still)


def test_nothing_but_flight_is_a_motion_too():
    times = np.arange(40) / RATE
    found = optimise(sketch("thrown", 0.6 + 2.0 * times - 0.5 * GRAVITY * times**2, np.zeros(40, bool)))
    check(found)
    assert not found.dynamic.contacts.names
    assert deviation_from(found.dynamic, found.desired).root_rms_m < 0.002  # the arc of continuous time, in steps


def test_who_stands_on_nothing_is_refused_and_not_thrown():
    with pytest.raises(
        PoiseError, match=r"motion 'hover' .* at \d\.\d\d s the root is \d+ cm off and it has no support"
    ):
        optimise(sketch("hover", np.full(75, 0.3), np.zeros(75, bool)))


def test_one_frame_is_no_motion():
    with pytest.raises(PoiseError, match="motion 'stand' is too short: 1 frames in 0 s"):
        optimise(stand(1))
    check(optimise(stand(2)))


def test_supports_that_never_bear_are_left_out():
    never = Support("head", "head", np.zeros(3), readonly(np.zeros(25), bool))
    found = optimise(replace(stand(), supports=(*stand().supports, never)))
    check(found)
    assert "head" not in found.dynamic.contacts.names


def boxer_leg(side: str, y: float) -> str:
    return f"""
  <body name="{side}_leg" pos="0 {y} -.1"><joint name="{side}_hip" type="ball" damping=".5"/>
    <geom type="capsule" size=".05" fromto="0 0 0 0 0 -.35" mass="6"/>
    <body name="{side}_shin" pos="0 0 -.4"><joint name="{side}_knee" axis="0 1 0"/>
      <geom type="capsule" size=".04" fromto="0 0 -.05 0 0 -.3" mass="3"/>
      <body name="{side}_foot" pos="0 0 -.4">
        <joint name="{side}_ankle" axis="0 1 0" range="-200 200"/>
        <joint name="{side}_tilt" axis="1 0 0" range="-.5 .5"/>
        <geom name="{side}_sole" type="box" size=".12 .05 .03" pos=".04 0 -.03" mass="1"/></body></body></body>"""


BOXER = f"""
<mujoco model="boxer"><worldbody><body name="pelvis" pos="0 0 1"><freejoint/>
  <geom type="box" size=".12 .15 .1" mass="30"/>{boxer_leg("left", 0.1)}{boxer_leg("right", -0.1)}
</body></worldbody></mujoco>"""


def test_a_body_of_boxes_without_hands_and_torque_limits_hops():
    """Its ankles tilt by half a degree only, less than the usual distance from limits."""
    body = Body.from_mjcf(BOXER)
    assert np.isinf(body.torque_limit[6:]).all()
    found = optimise(hop(body=body))
    assert check(found).penetration_mm < 1e-3
    assert not found.dynamic.contacts.radius.any()


def test_a_state_can_be_joined_wherever_it_is_in_a_motion():
    motion = hopped().dynamic
    for frame in (0, 1, 40):
        state = end_state_of(motion, frame)
        assert np.array_equal(state.qpos, motion.clip.qpos[frame])
        assert np.array_equal(state.root_velocity, motion.qvel[frame, :6])
        if frame:  # hinges alone: differences of poses are those of coordinates
            assert np.allclose(state.before[7:], motion.clip.qpos[frame - 1, 7:], atol=1e-12)
    cycle = shipped_dynamic("walk", "biped29")
    assert np.allclose(end_state_of(cycle, 0).before[7:], cycle.clip.qpos[-2, 7:], atol=1e-6)


def test_few_frames_per_second_ask_for_no_jolts():
    """Between the frames of a slow clip the wished motion is as smooth as it was."""
    walk = shipped_dynamic("walk", "biped29").clip
    slow = replace(walk, qpos=readonly(walk.qpos[::3]), down=readonly(walk.down[::3], bool), rate=40.0)
    again = resampled_sketch(sketch_of_clip(slow), 120.0).clip
    assert again.frames == walk.frames
    assert np.abs(again.qpos[:, 7:] - walk.qpos[:, 7:]).max() < 0.01
    jolts = [np.abs(np.diff(clip.qpos[:, 7:], n=3, axis=0)).mean() for clip in (again, walk)]
    assert jolts[0] < 1.5 * jolts[1]


def test_feet_that_swing_over_the_end_of_a_cycle_keep_off_the_ground():
    clip = shipped_dynamic("walk", "biped29").clip
    least = spacetime_task(sketch_of_clip(clip), DynamicSettings(lift=0.05)).balls
    over = ~least.down[1] & ~least.down[-1] & least.down.any(axis=0)
    assert over.any()
    assert np.array_equal(least.least[1], least.least[-1])
    assert (least.least[:, over].max(axis=0) > 0.049).all()
    assert (least.least[1, over] > 0).all()
