"""The control law of one step: what it minimises, and its invariances."""

from dataclasses import dataclass

import mujoco
import numpy as np
import pytest
from scipy.optimize import lsq_linear

from poise.body.body import Body
from poise.body.pose_space import PoseDisplacement
from poise.control.nqr.ground_levels import no_nqr_leg_adjustment
from poise.control.nqr.law import LegAdjustment, MotionFrame, NqrState, nqr_control_law
from poise.control.nqr.lookahead import LawTables, law_tables
from poise.control.nqr.segment import NqrSegment, cyclic_segment
from poise.control.nqr.weights import NqrWeights, nqr_weights
from poise.library.motions import shipped_dynamic
from poise.reference.played import reference_motion_at_rate
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.world import World

GAMMA = 0.02
HERE = PoseDisplacement(0.0, np.zeros(3))
FRAMES = (0, 20, 50, 90)  # with both feet down, a heel, a sole, and a toe


@dataclass(frozen=True, eq=False)
class Walker:
    """A segment of a walk, and a world that can be put into any state."""

    world: World
    segment: NqrSegment
    weights: NqrWeights
    figure: LawTables

    def answer(self, k, qpos, qvel, *, linear=False, figure=None, carriage=HERE, reach=None):
        """Output of the law in frame k."""
        self.world.reset(carriage.pose(qpos), carriage.velocity(qvel))
        state, view = self.world.state, MotionFrame(np.cos(carriage.yaw), np.sin(carriage.yaw), carriage.way)
        data = state.data
        now = NqrState(
            state.qpos, state.qvel, state.mass, state.bias, data.cdof, data.subtree_com[1], data.xpos, data.xmat,
            state.contacts.jacobian,
        )  # fmt: skip
        reach = reach or no_nqr_leg_adjustment(len(qvel))
        return nqr_control_law(figure or self.figure, self.segment.tables, k, now, view, reach, state.step, linear)

    def own(self, k):
        """The motion's state."""
        return self.segment.motion.clip.qpos[k], self.segment.motion.qvel[k]

    def strayed(self, k, size, seed=0):
        """A state near the motion's."""
        random = np.random.default_rng(seed)
        qpos, qvel = (np.array(part) for part in self.own(k))
        mujoco.mj_integratePos(self.world.model, qpos, 0.1 * size * random.standard_normal(len(qvel)), 1.0)
        return qpos, qvel + size * random.standard_normal(len(qvel))


@pytest.fixture(scope="module")
def walker():
    body, motion = Body.named("biped29"), shipped_dynamic("walk", "biped29")
    weights = nqr_weights(body, force=0.3, planted=10.0)
    segment = cyclic_segment(motion, weights, linear=True)
    return Walker(World(Scene.of(body)), segment, weights, law_tables(body, weights, 24, GAMMA))


@pytest.mark.parametrize("k", FRAMES)
@pytest.mark.parametrize("linear", [False, True])
def test_on_the_motion_its_own_controls_are_best(walker, k, linear):
    found = walker.answer(k, *walker.own(k), linear=linear)
    np.testing.assert_allclose(found.control, walker.segment.policy.control[k], atol=1e-8)
    np.testing.assert_allclose(found.deviation, 0.0, atol=1e-9)


@pytest.mark.parametrize("linear", [False, True])
def test_the_adjusted_pose_is_tracked(walker, linear):
    """A pose that differs from the motion's by the leg adjustment has no deviation."""
    qpos, qvel = (np.array(part) for part in walker.own(20))
    bent, moving = np.zeros(len(qvel)), np.zeros(len(qvel))
    bent[9], moving[9] = 1e-4, 1e-3  # rad, rad/s: a knee
    mujoco.mj_integratePos(walker.world.model, qpos, bent, 1.0)
    ahead = bent + walker.world.settings.step * moving
    meant = walker.answer(20, qpos, qvel + moving, linear=linear, reach=LegAdjustment(bent, ahead, moving))
    unmeant = walker.answer(20, qpos, qvel + moving, linear=linear)
    planned = walker.segment.policy.control[20]
    np.testing.assert_allclose(meant.deviation, 0.0, atol=1e-9)
    assert np.linalg.norm(meant.control - planned) < 0.3 * np.linalg.norm(unmeant.control - planned)


@pytest.mark.parametrize("k", FRAMES)
def test_near_the_motion_both_laws_agree(walker, k):
    """Not exactly: the linear law includes the world's momentum correction, Eq. (11) does not."""
    planned = walker.segment.policy.control[k]
    state = walker.strayed(k, 1e-4)
    curved, straight = (walker.answer(k, *state, linear=linear).control for linear in (False, True))
    assert np.linalg.norm(curved - straight) < 0.12 * np.linalg.norm(straight - planned)


@pytest.mark.parametrize("k", [5, 20, 40])
def test_both_laws_compensate_defects(k):
    """At half the rate the motion's controls miss its next states: Eqs. (10) and (11) compensate the same d_k."""
    body, motion = Body.named("biped29"), reference_motion_at_rate(shipped_dynamic("walk", "biped29"), 60.0)
    weights = nqr_weights(body)
    segment = cyclic_segment(motion, weights, linear=True)
    world = World(Scene.of(body), WorldSettings(step=motion.step))
    walker = Walker(world, segment, weights, law_tables(body, weights, 24, GAMMA))
    curved, straight = (walker.answer(k, *walker.own(k), linear=linear).control for linear in (False, True))
    made_up = np.linalg.norm(straight - segment.policy.control[k])
    assert made_up > 1.0  # N m, N
    assert np.linalg.norm(curved - straight) < 0.1 * made_up


def test_far_from_the_motion_the_laws_differ(walker):
    planned, state = walker.segment.policy.control[0], walker.strayed(0, 0.3)
    curved, straight = (walker.answer(0, *state, linear=linear).control for linear in (False, True))
    assert np.linalg.norm(curved - straight) > 0.3 * np.linalg.norm(straight - planned)


@pytest.mark.parametrize("k", FRAMES)
def test_the_look_ahead_minimises_the_cost_to_go(walker, k):
    """[Muico2009] Eq. (11), with the velocity after the step from MuJoCo's terms."""
    qpos, qvel = walker.strayed(k, 0.1)
    found = walker.answer(k, qpos, qvel)
    segment, weights, world = walker.segment, walker.weights, walker.world
    nv, h, on = len(qvel), world.settings.step, segment.policy.used[k]
    damped = world.terms.mass + h * np.diag(world.model.dof_damping)
    by_control = np.linalg.solve(damped, h * _efforts(world, segment))[:, on]
    free = np.linalg.solve(damped, world.terms.mass @ qvel - h * world.terms.bias)
    change, size = (part[on] for part in weights.control_weights(24))
    later, planned = segment.policy.costs[k + 1], segment.policy.control[k, on]

    def paid(control):
        velocity = free + by_control @ control
        pose, deviation = qpos.copy(), np.zeros(2 * nv)
        mujoco.mj_integratePos(world.model, pose, velocity, h)
        mujoco.mj_differentiatePos(world.model, deviation[:nv], 1.0, segment.policy.next_pose[k], pose)
        deviation[nv:] = velocity - segment.policy.velocity[k]
        future = 0.5 * deviation @ later.matrix @ deviation + later.slope @ deviation
        return future + 0.5 * (change @ (control - planned) ** 2 + size @ control**2)

    least = paid(found.control[on])
    assert least < paid(planned)
    random = np.random.default_rng(k)
    for scale in (0.3, 3.0, 30.0):  # N m, N
        for _ in range(20):
            assert least < paid(found.control[on] + scale * random.standard_normal(on.sum()))


@pytest.mark.parametrize("k", FRAMES)
def test_the_adaptation_keeps_the_features_accelerations(walker, k):
    """[Muico2009] Eq. (12), minimised numerically for given contact forces instead of by Eqs. (14) and (15)."""
    found = walker.answer(k, *walker.strayed(k, 0.05))
    world, contacts = walker.world, walker.world.contacts
    nv, h = world.model.nv, world.settings.step
    inverse = np.linalg.inv(world.terms.mass + h * np.diag(world.model.dof_damping))
    features, roots = _features(walker)
    by_muscle = roots[:, None] * (features @ inverse[:, 6:])
    planned = roots * (features @ inverse @ _efforts(world, walker.segment)[:, nv - 6 :] @ found.control[nv - 6 :])
    impulse = np.random.default_rng(k).uniform(0, 3, len(contacts.jacobian))  # N s
    there = roots * (features @ inverse @ contacts.jacobian.T @ impulse) / h
    effort = np.sqrt(walker.figure.effort) * np.eye(nv - 6)
    best = lsq_linear(
        np.concatenate([by_muscle, effort]), np.concatenate([planned - there, np.zeros(nv - 6)]), tol=1e-14
    )
    torque = found.torque + found.feedback @ impulse
    assert not torque[:6].any()
    np.testing.assert_allclose(torque[6:] - found.control[: nv - 6], best.x, rtol=1e-5, atol=1e-6)


def test_without_gamma_there_is_no_adaptation(walker):
    state = walker.strayed(20, 0.1)
    body, weights = walker.segment.motion.clip.body, walker.weights
    none, little = (walker.answer(20, *state, figure=law_tables(body, weights, 24, gamma)) for gamma in (0.0, 1e-12))
    assert not none.feedback.any()
    np.testing.assert_array_equal(none.torque[6:], none.control[: len(none.torque) - 6])
    np.testing.assert_allclose(little.torque, none.torque, atol=1e-5)
    assert np.abs(little.feedback).max() < 1e-4


@pytest.mark.parametrize("k", FRAMES)
def test_the_law_does_not_depend_on_where_the_motion_takes_place(walker, k):
    state = walker.strayed(k, 0.1)
    here = walker.answer(k, *state)
    there = walker.answer(k, *state, carriage=PoseDisplacement(2.3, np.array([3.0, -7.0, 0.0])))
    np.testing.assert_allclose(there.deviation, here.deviation, atol=1e-9)
    np.testing.assert_allclose(there.control, here.control, atol=1e-6)
    np.testing.assert_allclose(there.torque, here.torque, atol=1e-6)
    np.testing.assert_allclose(there.feedback[:, ::3], here.feedback[:, ::3], atol=1e-6)  # tangents may differ


def _efforts(world, segment):
    """(nv, m) generalised forces of unit controls, by MuJoCo's Jacobians."""
    model, data, contacts = world.model, world.terms.data, segment.motion.contacts
    columns, jacobian = [np.eye(model.nv)[:, 6:]], np.zeros((3, model.nv))
    for link, centre, radius in zip(contacts.links, contacts.centre, contacts.radius, strict=True):
        index = model.body(link).id
        point = data.xpos[index] + data.xmat[index].reshape(3, 3) @ centre - [0.0, 0.0, radius]
        mujoco.mj_jac(model, data, jacobian, None, point, index)
        columns.append(jacobian.T.copy())
    return np.concatenate(columns, axis=1)


def _features(walker):
    """(f, nv) Jacobians of torso, shoulders and joints from MuJoCo, and the square roots of their weights."""
    model, data, weights = walker.world.model, walker.world.terms.data, walker.weights
    rows, jacobian = [], np.zeros((3, model.nv))
    mujoco.mj_jacBodyCom(model, data, jacobian, None, model.body("torso").id)
    rows.append(jacobian.copy())
    for side in ("left", "right"):
        mujoco.mj_jacBody(model, data, jacobian, None, model.body(f"{side}_upper_arm").id)
        rows.append(jacobian.copy())
    rows.append(np.eye(model.nv)[6:])
    costs = np.concatenate([weights.torso, weights.shoulder, weights.shoulder, weights.joints])
    return np.concatenate(rows), np.sqrt(costs)
