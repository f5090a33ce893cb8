"""Sketches become motions that obey physics, certified without the optimiser; impossible ones are refused."""

from functools import cache

import mujoco
import numpy as np
import pytest

from poise.body import Body
from poise.errors import PoiseError
from poise.frozen import readonly
from poise.optimize.interior import InteriorSettings
from poise.reference.bodyclip import BodyClip
from poise.reference.certificate import certify, likeness
from poise.reference.optimising import DynamicSettings, at_rest, optimise
from poise.reference.parts import contact_parts
from poise.reference.supports import Sketch, supports_of

BODY = Body.named("biped29")
RATE = 120.0
GRAVITY = 9.81


def sketch(name, height, down):
    """The standing pose at heights (T,) m above the ground, on both feet where `down` (T,)."""
    qpos = np.tile(BODY.standing, (len(height), 1))
    qpos[:, 2] += height
    feet = [part.limb.endswith("foot") for part in contact_parts(BODY)]
    clip = BodyClip(name, BODY, RATE, readonly(qpos), readonly(np.outer(down, feet), bool))
    return Sketch(clip, supports_of(clip))


def stand(frames=25):
    return sketch("stand", np.zeros(frames), np.ones(frames, bool))


def hop(before=30, air=24, after=30):
    """A ballistic arc between two stands."""
    flight = np.arange(1, air + 1) / RATE
    arc = 0.5 * GRAVITY * flight * ((air + 1) / RATE - flight)
    down = np.repeat([True, False, True], [before, air, after])
    return sketch("hop", np.concatenate([np.zeros(before), arc, np.zeros(after)]), down)


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
    found = optimise(stand(), start=at_rest(BODY.standing), end=at_rest(BODY.standing))
    check(found)
    assert likeness(found.dynamic, found.wished).joint_rms_deg < 0.5
    weight = BODY.mass * GRAVITY
    assert np.allclose(found.dynamic.contacts.force[..., 2].sum(axis=1), weight, rtol=0.05)


def test_a_hop_obeys_physics_and_stays_near_its_sketch():
    found = hopped()
    certificate, near = check(found), likeness(found.dynamic, found.wished)
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
    frames = 180
    down = np.repeat([True, False, True], [30, 120, 30])
    impossible = sketch("hover", np.zeros(frames), down)
    still = at_rest(BODY.standing)
    settings = DynamicSettings(search=InteriorSettings(iterations=30))
    with pytest.raises(PoiseError, match=r"motion 'hover' .*: .+ at \d\.\d\d s cannot be kept"):
        optimise(impossible, settings, start=still, end=still)
