"""Objective controllers: their effect on the springs of a step."""

import mujoco
import numpy as np
import pytest

from poise import Still
from poise.control.poses.objectives import (
    PoseControlAim,
    PoseControlCorrection,
    PoseControlFollower,
    PoseControlPoint,
    PoseControlTouch,
)
from poise.control.poses.poses import Poses
from poise.control.poses.rig import Springs, TimeSpan
from poise.control.poses.sensors import PoseControlSensor
from poise.errors import PoiseError

ARM = {"left_shoulder": 1.0, "left_elbow": 0.5, "left_wrist": 2.0}
EPS = 1e-6


def slack(world):
    """Springs without torque, with stiffness and damping of 100 and 20."""
    nv = world.model.nv
    return Springs(np.zeros(nv), np.zeros(nv), np.full(nv, 100.0), np.full(nv, 20.0))


def torque(objective, world):
    """(nv,) torque of an objective alone at the present velocity."""
    objective.reset(world.scene)
    springs = slack(world)
    objective.change_springs(springs, world.state)
    return springs.push - springs.gain * world.qvel


def downhill(world, energy, dofs):
    """(k,) negative gradient of an energy with respect to some DOFs."""
    data = mujoco.MjData(world.model)

    def moved(dof, by):
        way = np.zeros(world.model.nv)
        way[dof] = by
        data.qpos[:] = world.qpos
        mujoco.mj_integratePos(world.model, data.qpos, way, 1.0)
        mujoco.mj_kinematics(world.model, data)
        return energy(data)

    return [(moved(dof, -EPS) - moved(dof, EPS)) / (2 * EPS) for dof in dofs]


def weights(world):
    """Weights of the arm's DOFs."""
    return {dof: weight for name, weight in ARM.items() for dof in world.scene.body.index(name)}


@pytest.fixture
def still(world):
    world.reset(world.qpos.copy(), np.zeros(world.model.nv))
    return world


@pytest.mark.parametrize("link", ["left_hand", "ball", None])
def test_points_move_with_their_links(world, link):
    place = PoseControlPoint((0.1, -0.2, 0.3), link)
    place.reset(world.scene)

    def at(time):
        data = mujoco.MjData(world.model)
        data.qpos[:] = world.qpos
        mujoco.mj_integratePos(world.model, data.qpos, np.array(world.qvel), time)
        mujoco.mj_kinematics(world.model, data)
        return place.position_and_velocity(world.state._replace(data=data))[0]

    assert place.position_and_velocity(world.state)[1] == pytest.approx((at(EPS) - at(-EPS)) / (2 * EPS), abs=1e-6)


@pytest.mark.parametrize("towards", [None, PoseControlPoint(link="ball"), PoseControlPoint((1.0, -2.0, 0.5))])
def test_pointing_follows_the_gradient_of_the_angle(still, towards):
    """The energy is K (1 - cos) of the angle between axis and direction, with the position of the hand fixed."""
    hand = still.scene.link_id("left_hand")
    axis, stiffness = (0.0, -1.0, 0.0), 70.0
    here = still.state.data.xpos[hand].copy()
    way = np.array([0.0, 0, 1])
    if towards is not None:
        towards.reset(still.scene)
        there = towards.position_and_velocity(still.state)[0]
        way = (there - here) / np.linalg.norm(there - here)

    def energy(data):
        return stiffness * (1.0 - data.xmat[hand].reshape(3, 3) @ axis @ way)

    felt = torque(PoseControlAim("left_hand", ARM, axis, towards, stiffness, kept=0.0), still)
    expected = weights(still)
    slope = downhill(still, energy, expected)
    assert felt[list(expected)] == pytest.approx(np.array(slope) * list(expected.values()), abs=1e-5)
    assert set(np.flatnonzero(felt)) <= set(expected)


def test_touching_follows_the_gradient_of_the_distance(still):
    hand, target, point = still.scene.link_id("left_hand"), np.array([0.5, 0.6, 2.2]), np.array([0.0, 0.0, -0.1])

    def energy(data):
        there = data.xpos[hand] + data.xmat[hand].reshape(3, 3) @ point
        return 0.5 * 300.0 * float((target - there) @ (target - there))

    felt = torque(
        PoseControlTouch(
            PoseControlPoint(tuple(point), "left_hand"), PoseControlPoint(tuple(target)), ARM, 300.0, kept=0.0
        ),
        still,
    )
    expected = weights(still)
    assert felt[list(expected)] == pytest.approx(
        np.array(downhill(still, energy, expected)) * list(expected.values()), abs=1e-4
    )


def test_pulls_dissipate_energy(world):
    """Damping takes energy: without stiffness the power of a pull through unweighted joints is never positive."""
    even = dict.fromkeys(ARM, 1.0)
    arm = list(weights(world))
    for objective in (
        PoseControlAim("left_hand", even, stiffness=0.0, damping=5.0, kept=0.0),
        PoseControlTouch(
            PoseControlPoint(link="left_hand"), PoseControlPoint(), even, stiffness=0.0, damping=5.0, kept=0.0
        ),
    ):
        velocity = np.zeros(world.model.nv)
        velocity[arm] = world.qvel[arm]
        world.reset(world.qpos.copy(), velocity)
        assert torque(objective, world) @ world.qvel < -1.0


def test_pulls_scale_only_the_springs_of_their_joints(world):
    springs = slack(world)._replace(push=np.ones(world.model.nv), gain=np.full(world.model.nv, 2.0))
    objective = PoseControlAim("left_hand", ARM, stiffness=0.0, damping=0.0, kept=0.3)
    objective.reset(world.scene)
    objective.change_springs(springs, world.state)
    arm = np.isin(np.arange(world.model.nv), list(weights(world)))
    assert springs.push == pytest.approx(np.where(arm, 0.3, 1.0))
    assert springs.gain == pytest.approx(np.where(arm, 0.6, 2.0))


def test_correcting_shifts_targets_in_proportion_to_the_error(world):
    body = world.scene.body
    objective = PoseControlCorrection(PoseControlSensor("com.vy"), 0.2, {"left_hip_x": -0.5, "spine": 0.1}, most=0.3)
    missing = 0.2 - float(world.state.mass[1] @ world.qvel) / body.mass
    felt = torque(objective, world)
    assert felt[body.index("left_hip_x")] == pytest.approx(100.0 * np.clip(-0.5 * missing, -0.3, 0.3))
    assert felt[list(body.index("spine"))] == pytest.approx(100.0 * np.clip(0.1 * missing, -0.3, 0.3))
    assert np.count_nonzero(felt) == 4


def test_the_shift_of_a_target_is_bounded(world):
    felt = torque(PoseControlCorrection(PoseControlSensor("com.z"), 1000.0, {"spine_y": 1.0}, most=0.3), world)
    assert np.abs(felt).max() == pytest.approx(100.0 * 0.3)


@pytest.mark.parametrize("turn", ["yaw", "roll"])
def test_angles_take_the_shorter_way_round(still, turn):
    """At 170 degrees, the errors to 190 and to -170 degrees are both 20."""
    qpos = still.qpos.copy()
    qpos[3:7] = 0.0
    qpos[[3, 6 if turn == "yaw" else 4]] = np.cos(np.radians(85.0)), np.sin(np.radians(85.0))
    still.reset(qpos, np.zeros(still.model.nv))
    spine = still.scene.body.index("spine_y")
    for target in (190.0, -170.0):
        felt = torque(
            PoseControlCorrection(PoseControlSensor(f"root.{turn}"), np.radians(target), {"spine_y": 0.5}, most=9.0),
            still,
        )
        assert felt[spine] == pytest.approx(100.0 * 0.5 * np.radians(20.0))


def test_followers_have_the_springs_of_the_step(world):
    """The error is relative to the leader's angle, and the damping relative to its velocity."""
    body = world.scene.body
    own, led = (body.index(f"{side}_elbow_y")[0] for side in ("left", "right"))
    places = [next(joint.qpos[0] for joint in body.joints if dof in joint.dofs) for dof in (own, led)]
    objective = PoseControlFollower({"left_elbow_y": "right_elbow_y"}, -0.5, 0.1)
    objective.reset(world.scene)
    springs = slack(world)
    objective.change_springs(springs, world.state)
    error = -0.5 * world.qpos[places[1]] + 0.1 - world.qpos[places[0]]
    assert springs.push[own] == pytest.approx(100.0 * error + 20.0 * -0.5 * world.qvel[led])
    assert springs.gain[own] == pytest.approx(20.0 + world.state.step * 100.0)
    assert np.count_nonzero(springs.push) == 1


def test_axes_may_have_any_length_except_zero(still):
    short, long = (torque(PoseControlAim("left_hand", ARM, axis), still) for axis in ((0.0, 0.6, 0.8), (0.0, 3.0, 4.0)))
    np.testing.assert_allclose(long, short)
    with pytest.raises(PoiseError, match="must not be zero"):
        PoseControlAim("left_hand", ARM, (0.0, 0.0, 0.0))


def test_objectives_act_only_in_their_time_span(world):
    body = world.scene.body
    still = Still("standing", body.standing, np.zeros(body.nv))

    def motors(when, *kinds):
        controller = Poses(objectives=[make(when) for make in kinds])
        controller.reset(world, still)
        return controller.act(world.state).motors.velocity

    kinds = (
        lambda when: PoseControlAim("left_hand", ARM, when=when),
        lambda when: PoseControlTouch(PoseControlPoint(link="left_hand"), PoseControlPoint(), ARM, when=when),
        lambda when: PoseControlCorrection(PoseControlSensor("com.z"), 9.0, {"spine_y": 1.0}, when=when),
        lambda when: PoseControlFollower({"left_elbow_y": "right_elbow_y"}, when=when),
    )
    for kind in kinds:
        assert np.array_equal(motors(TimeSpan(5.0, 6.0), kind), motors(TimeSpan()))
        assert not np.array_equal(motors(TimeSpan(), kind), motors(TimeSpan()))
