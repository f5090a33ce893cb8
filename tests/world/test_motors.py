"""Torques, motors and contact feedback: exact within the limits, never beyond them, never on a root."""

import mujoco
import numpy as np
import pytest

from poise import Actuation, Body, Motors, PoiseError, Scene, World
from poise.world.props import Box

STEP = 1 / 120


def standing(name="biped29", limit=None, lift=0.0):
    body = Body.named(name)
    if limit is not None:
        body = body.with_torque_limits(np.full(body.nv, limit))
    world = World(Scene.of(body))
    qpos = np.array(body.standing)
    qpos[2] += lift
    world.reset(qpos, np.zeros(body.nv))
    return world


def motors(world, gain, target):
    """The same gain on all joints; targets per DOF."""
    gains = np.full(world.model.nv, float(gain))
    gains[:6] = 0
    return Motors(velocity=np.broadcast_to(np.asarray(target, float), (world.model.nv,)).copy(), gain=gains)


@pytest.mark.parametrize("seed", range(3))
def test_an_unsaturated_motor_obeys_its_implicit_law(seed):
    random = np.random.default_rng(seed)
    world = standing(limit=np.inf)
    for _ in range(10):
        wanted = motors(world, 5.0, 0.2 * random.standard_normal(world.model.nv))
        result = world.step(Actuation(motors=wanted))
        law = wanted.gain * (wanted.velocity - world.qvel)
        np.testing.assert_allclose(result.torque[6:], law[6:], atol=1e-9)
        assert np.abs(law[6:]).max() > 0.1


def test_a_strong_motor_reaches_its_target():
    world = standing(limit=np.inf, lift=5)
    target = np.linspace(-1, 1, world.model.nv)
    world.step(Actuation(motors=motors(world, 1e7, target)))
    np.testing.assert_allclose(world.qvel[6:], target[6:], atol=1e-4)


@pytest.mark.parametrize("gain", [1.0, 1e3, 1e12])
@pytest.mark.parametrize("target", [1e3, -1e9])
def test_torque_never_exceeds_its_limit_under_absurd_targets(gain, target):
    world = standing(limit=7.0)
    for _ in range(15):
        result = world.step(Actuation(motors=motors(world, gain, target)))
        assert np.abs(result.torque).max() <= 7.0 * (1 + 1e-9)
    assert np.abs(result.torque[6:]).max() == pytest.approx(7.0)


def test_every_joint_keeps_its_own_limit_under_wild_commands():
    world = standing("human37")
    random = np.random.default_rng(1)
    limit = world.torque_limit
    for _ in range(30):
        torque = 5 * limit * random.standard_normal(world.model.nv)
        both = Actuation(torque=torque, motors=motors(world, 50.0, 20 * random.standard_normal(world.model.nv)))
        result = world.step(both)
        assert (np.abs(result.torque) <= limit * (1 + 1e-9)).all()
        assert result.solution.ok


def test_a_saturated_motor_wanted_even_more_and_an_unsaturated_one_obeys():
    world = standing("human37")
    random = np.random.default_rng(2)
    limit = world.torque_limit
    saturated = 0
    for _ in range(20):
        wanted = motors(world, 40.0, 6 * random.standard_normal(world.model.nv))
        result = world.step(Actuation(motors=wanted))
        # The root's velocities are corrected after the solve; the joints' are those of the solve.
        law = wanted.gain * (wanted.velocity - world.qvel)
        full = np.abs(result.torque) >= limit * (1 - 1e-9)
        full[:6] = False
        free = ~full
        free[:6] = False
        saturated += full.sum()
        np.testing.assert_allclose(result.torque[free], law[free], atol=1e-8)
        assert (law[full] * np.sign(result.torque[full]) >= limit[full] * (1 - 1e-6)).all()
    assert saturated > 10


def test_motors_drive_ball_joints():
    body = Body.named("human37").with_torque_limits(np.full(37, np.inf))
    ball = next(joint for joint in body.joints if joint.kind == "ball")
    world = World(Scene.of(body))
    qpos = np.array(body.standing)
    qpos[2] += 5
    world.reset(qpos, np.zeros(body.nv))
    gain, target = np.zeros(body.nv), np.zeros(body.nv)
    gain[6:] = 1e5
    target[list(ball.dofs)] = [0.4, -0.3, 0.2]
    result = world.step(Actuation(motors=Motors(target, gain)))
    dofs = list(ball.dofs)
    np.testing.assert_allclose(result.torque[dofs], 1e5 * (target[dofs] - world.qvel[dofs]), atol=1e-6)
    np.testing.assert_allclose(world.qvel[dofs], target[dofs], atol=1e-3)


def test_spring_dampers_pull_a_ball_joint_to_its_target_pose():
    body = Body.named("human37")
    ball = next(joint for joint in body.joints if joint.kind == "ball" and "shoulder" in joint.name)
    world = World(Scene.of(body))
    qpos = np.array(body.standing)
    qpos[2] += 30
    target = body.qpos_from({ball.name: (0.3, -0.4, 0.2)})
    world.reset(qpos, np.zeros(body.nv))
    stiffness = np.where(np.arange(body.nv) < 6, 0.0, 200.0)
    error = np.zeros(body.nv)
    for _ in range(150):
        mujoco.mj_differentiatePos(world.model, error, 1.0, world.qpos, target)
        drive = Motors.spring_damper(error, np.zeros(body.nv), stiffness, 0.1 * stiffness, STEP)
        world.step(Actuation(motors=drive))
    mujoco.mj_differentiatePos(world.model, error, 1.0, world.qpos, target)
    assert np.abs(error[6:]).max() < 0.01


def test_a_spring_damper_of_no_stiffness_is_no_motor():
    zero = np.zeros(4)
    drive = Motors.spring_damper(np.ones(4), zero, zero, zero, STEP)
    assert not drive.gain.any()
    assert np.isfinite(drive.velocity).all()


# -- given torques -----------------------------------------------------------------------------------------------


def test_a_torque_within_the_limit_is_applied_as_it_is():
    world = standing()
    torque = 0.3 * world.torque_limit * np.cos(np.arange(world.model.nv))
    result = world.step(Actuation(torque=torque))
    np.testing.assert_array_equal(result.torque, torque)


def test_a_torque_beyond_the_limit_is_cut_to_it():
    world = standing(limit=5.0)
    torque = np.full(world.model.nv, 30.0)
    torque[10] = -30.0
    torque[:6] = 0
    result = world.step(Actuation(torque=torque))
    np.testing.assert_allclose(np.abs(result.torque[6:]), 5.0)
    assert result.torque[10] == pytest.approx(-5.0)


@pytest.mark.parametrize("limit", [None, np.inf])
def test_roots_are_never_driven(limit):
    free, driven = standing(limit=limit), standing(limit=limit)
    nv = free.model.nv
    torque = np.zeros(nv)
    torque[:6] = [100, 200, 300, 40, 50, 60]
    gain = np.zeros(nv)
    gain[:6] = 1e4
    contacts = 3 * len(driven.state.contacts.gap)
    assert contacts > 0
    feedback = np.zeros((nv, contacts))
    feedback[:6] = 10.0
    free.step()
    result = driven.step(Actuation(torque=torque, motors=Motors(np.ones(nv), gain), feedback=feedback))
    assert not result.torque[:6].any()
    np.testing.assert_allclose(driven.qvel, free.qvel, atol=1e-9)


def test_props_are_never_driven():
    world = World(Scene.of("lamp14", props=(Box(at=(3, 0, 0.2)),)))
    nv = world.model.nv
    result = world.step(Actuation(torque=np.full(nv, 50.0), motors=Motors(np.ones(nv), np.full(nv, 1e3))))
    assert not result.torque[-6:].any()
    assert np.abs(world.qvel[-6:]).max() < 1e-6


@pytest.mark.parametrize("part", ["torque", "motors", "feedback", "external"])
def test_not_a_number_in_an_actuation_stops_the_step_and_keeps_the_state(part):
    from poise.world.result import BlowUp

    world = standing()
    nv = world.model.nv
    bad = np.zeros(nv)
    bad[8] = np.nan
    feedback = np.zeros((nv, 3 * len(world.state.contacts.gap)))
    feedback[8] = np.nan
    actuation = {
        "torque": Actuation(torque=bad),
        "motors": Actuation(motors=Motors(bad, np.ones(nv))),
        "feedback": Actuation(feedback=feedback),
        "external": Actuation(external=np.where(np.arange(nv) == 2, np.nan, 0.0)),
    }[part]
    before = world.qpos.copy()
    with pytest.raises(BlowUp, match="step 0"):
        world.step(actuation)
    np.testing.assert_array_equal(world.qpos, before)
    world.step()
    assert np.isfinite(world.qvel).all()


def test_a_stabiliser_acts_on_the_root_only():
    world = standing()
    external = np.zeros(world.model.nv)
    external[8] = 1.0
    with pytest.raises(PoiseError, match="free roots only"):
        world.step(Actuation(external=external))


# -- contact feedback --------------------------------------------------------------------------------------------


def feedback_for(world, size, seed=0):
    nv, rows = world.model.nv, 3 * len(world.state.contacts.gap)
    out = size * np.random.default_rng(seed).standard_normal((nv, rows))
    out[:6] = 0
    return out


@pytest.mark.parametrize("seed", range(4))
def test_feedback_adds_torque_in_proportion_to_the_impulses_of_the_same_step(seed):
    world = standing(limit=np.inf)
    for _ in range(3):
        world.step(Actuation(motors=motors(world, 20.0, 0.0)))
    feedback = feedback_for(world, 0.05, seed)
    torque = np.where(np.arange(world.model.nv) < 6, 0.0, 0.5)
    result = world.step(Actuation(torque=torque, feedback=feedback))
    assert result.feedback_kept == 1.0
    impulse = result.impulse.ravel()
    assert np.abs(impulse).max() > 0.1
    answer = feedback @ impulse
    assert np.abs(answer).max() > 1e-3
    np.testing.assert_allclose(result.torque, torque + answer, atol=1e-9)


def test_feedback_stays_within_the_limits():
    world = standing(limit=4.0)
    for _ in range(10):
        feedback = feedback_for(world, 3.0, 1)
        result = world.step(Actuation(feedback=feedback))
        assert np.abs(result.torque).max() <= 4.0 * (1 + 1e-9)
        asked = result.feedback_kept * (feedback @ result.impulse.ravel())
        free = np.abs(result.torque) < 4.0 * (1 - 1e-9)
        np.testing.assert_allclose(result.torque[free][6:], asked[free][6:], atol=1e-8)


def test_feedback_of_zero_changes_nothing_but_rounding():
    with_zero, without = standing(), standing()
    for _ in range(30):
        drive = motors(without, 20.0, 0.0)
        zero = np.zeros((without.model.nv, 3 * len(with_zero.state.contacts.gap)))
        with_zero.step(Actuation(motors=drive, feedback=zero))
        without.step(Actuation(motors=drive))
        np.testing.assert_allclose(with_zero.qpos, without.qpos, rtol=0, atol=1e-12)
        np.testing.assert_allclose(with_zero.qvel, without.qvel, rtol=0, atol=1e-10)


def test_a_declared_external_wrench_is_applied_and_recorded_as_such():
    world = standing(lift=5)
    wrench = np.zeros(world.model.nv)
    wrench[:3] = [0, 0, 9.81 * world.model.body_mass.sum()]
    result = world.step(Actuation(external=wrench))
    np.testing.assert_array_equal(result.external, wrench)
    assert not result.torque.any()
    data = mujoco.MjData(world.model)
    data.qpos[:], data.qvel[:] = world.qpos, world.qvel
    mujoco.mj_fwdPosition(world.model, data)
    mujoco.mj_comVel(world.model, data)
    mujoco.mj_subtreeVel(world.model, data)
    np.testing.assert_allclose(data.subtree_linvel[1], 0, atol=1e-10)  # it just carries the weight


@pytest.mark.parametrize("columns", [3, 24, 33])
def test_feedback_for_other_contacts_is_refused(columns):
    world = standing()
    assert 3 * len(world.state.contacts.gap) not in (3, 24, 33)
    with pytest.raises(PoiseError, match="feedback"):
        world.step(Actuation(feedback=np.ones((world.model.nv, columns))))


def test_a_brace_obeys_its_implicit_law_and_is_declared_as_external():
    world = standing(lift=5)
    world.qvel[3:6] = [0.5, -1.0, 2.0]
    world.reset(world.qpos.copy(), world.qvel.copy())
    spin = np.zeros((2, 3))
    brace = Motors(velocity=np.zeros(world.model.nv), gain=np.where(np.arange(world.model.nv) < 3, 0.0, 500.0))
    for k in range(2):
        momentum = world.state.mass[3:6] @ world.qvel
        result = world.step(Actuation(brace=brace if k == 0 else None))
        assert not result.torque.any()
        assert not result.external[6:].any()
        assert not result.external[:3].any()
        spin[k] = result.external[3:6]
        if k == 0:  # all but stops the root, against what it has in momentum
            assert np.all(result.external[3:6] * momentum < 0)
            np.testing.assert_allclose(result.external[3:6], -500 * world._work.velocity[3:6], atol=1e-9)
    assert not spin[1].any()  # and is gone when it is not asked for


def test_torque_asked_of_a_braced_root_is_not_given():
    world = standing(lift=5)
    nv = world.model.nv
    brace = Motors(np.zeros(nv), np.zeros(nv))
    result = world.step(Actuation(torque=np.full(nv, 3.0), brace=brace))
    assert not result.torque[:6].any()
    assert not result.external.any()
