"""Inverse kinematics: Jacobians, exact solutions, limits, slow corrections."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from poise.body.body import Body
from poise.body.link_kinematics import LinkKinematics
from poise.body.pose_space import PoseSpace
from poise.retarget.ik import PoseSolver
from poise.retarget.ik_path import solve_banded_ik_system, solve_path
from poise.rotations import quat_conjugate, quat_log, quat_multiply

HUMAN = Body.named("human42")
ENDS = [
    ("left_foot", (0.1, 0.0, -0.05)),
    ("right_foot", (0.0, 0.02, 0.0)),
    ("left_hand", (0.0, 0.0, -0.1)),
    ("head", (0.0, 0.0, 0.1)),
]
LINKS = ("pelvis", "thorax", "left_hand")


def random_poses(body, count, size, seed):
    space, rng = PoseSpace(body), np.random.default_rng(seed)
    return space.clamped(space.moved(np.tile(body.standing, (count, 1)), size * rng.normal(size=(count, body.nv))))


def test_jacobians_are_the_derivatives_of_places_and_turns():
    kinematics, space, step = LinkKinematics(HUMAN, ENDS, LINKS), PoseSpace(HUMAN), 1e-6
    qpos = random_poses(HUMAN, 3, 0.5, 1)
    posed = kinematics.posed(qpos)
    for dof in range(HUMAN.nv):
        ahead = kinematics.at(space.moved(qpos, np.tile(step * np.eye(HUMAN.nv)[dof], (3, 1))))
        assert np.allclose((ahead[0] - posed.places) / step, posed.place_rows[..., dof], atol=1e-5)
        turned = quat_log(quat_multiply(ahead[1], quat_conjugate(posed.turns))) / step
        assert np.allclose(turned, posed.turn_rows[..., dof], atol=1e-5)


def test_reachable_goals_are_reached_in_all_frames():
    solver = PoseSolver(HUMAN, ENDS, LINKS)
    places, turns = solver.kinematics.at(random_poses(HUMAN, 20, 0.1, 4))
    found = solver.solve(np.tile(HUMAN.standing, (20, 1)), places=places, turns=turns, prior_weights=1e-5)
    assert found.converged.all()
    assert found.place_error.max() < 1e-4
    assert found.turn_error.max() < 1e-3


def test_one_pose_is_solved_as_many_are():
    solver = PoseSolver(HUMAN, ENDS)
    places, _ = solver.kinematics.at(random_poses(HUMAN, 2, 0.15, 5))
    one = solver.solve(HUMAN.standing, places=places[1])
    both = solver.solve(np.tile(HUMAN.standing, (2, 1)), places=places)
    assert one.qpos.shape == (HUMAN.nq,)
    assert one.place_error.shape == (len(ENDS),)
    assert np.allclose(one.qpos, both.qpos[1], atol=1e-5)


def test_limits_hold_where_the_goal_is_beyond_them():
    body = Body.named("human37")
    solver = PoseSolver(body, [("left_foot", np.zeros(3))])
    hip = solver.kinematics.at(body.standing[None])[0][0, 0] + [0.0, 0.0, 0.86]
    fixed = np.full(body.nv, 1e-3)
    fixed[:6] = 1e3
    bent = body.qpos_from({"left_knee": 0.6, "left_hip": (0.0, -0.3, 0.0)})
    found = solver.solve(bent, places=[hip], prior_weights=fixed, iterations=100)
    space = PoseSpace(body)
    assert np.allclose(space.clamped(found.qpos[None]), found.qpos[None], atol=1e-12)
    knee = found.qpos[body.joint("left_knee").qpos[0]]
    assert knee == pytest.approx(body.joint("left_knee").upper[0])
    assert found.place_error[0] > 0.05


def test_prior_decides_what_goals_leave_open():
    solver = PoseSolver(HUMAN, [("head", np.zeros(3))])
    place = solver.kinematics.at(HUMAN.standing[None])[0]
    wanted = HUMAN.qpos_from({"left_elbow": -1.0})
    found = solver.solve(HUMAN.standing, places=place, prior=wanted, prior_weights=1e-2)
    assert np.allclose(found.qpos, wanted, atol=1e-3)


@given(st.integers(1, 40), st.integers(1, 9), st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_banded_systems_are_solved(size, width, seed):
    rng = np.random.default_rng(seed)
    factor = np.tril(np.triu(rng.normal(size=(size, size)), 1 - width))
    matrix = factor @ factor.T + np.eye(size)
    columns = np.zeros((size, width))
    for d in range(min(width, size)):
        columns[: size - d, d] = np.diagonal(matrix, -d)
    right = rng.normal(size=size)
    found = np.array(right)
    solve_banded_ik_system(columns, found)
    assert np.allclose(matrix @ found, right)


class TestPath:
    frames, rate = 80, 60.0

    def solve(self, fade=0.1):
        solver = PoseSolver(HUMAN, [("left_foot", np.zeros(3))])
        given = np.tile(HUMAN.standing, (self.frames, 1))
        places = solver.kinematics.at(given)[0] + [0.05, 0.0, 0.04]
        weights = np.zeros((self.frames, 1))
        weights[35:45] = 1000.0
        goals = solver.goals(self.frames, places=places, place_weights=weights)
        qpos = solve_path(solver, given, goals, rate=self.rate, fade=fade, weights=np.ones(HUMAN.nv))
        reached = np.linalg.norm(solver.kinematics.at(qpos)[0] - places, axis=-1)[:, 0]
        return solver.space.difference(given, qpos), reached

    def test_goals_of_some_frames_are_met_and_others_hardly_touched(self):
        correction, missed = self.solve()
        assert missed[35:45].max() < 5e-4
        assert np.abs(correction[:10]).max() < 0.1 * np.abs(correction).max()
        assert np.abs(correction[-10:]).max() < 0.1 * np.abs(correction).max()

    def test_corrections_change_slowly(self):
        slow, fast = (np.abs(np.diff(self.solve(fade)[0], axis=0)).max() for fade in (0.2, 0.05))
        assert slow < 0.6 * fast

    def test_minimum_is_one(self):
        """Disturbed, the sum that is minimised grows."""
        solver = PoseSolver(HUMAN, [("left_foot", np.zeros(3))])
        given = np.tile(HUMAN.standing, (12, 1))
        places = solver.kinematics.at(given)[0] + [0.03, 0.0, 0.03]
        goals = solver.goals(12, places=places, place_weights=10.0)
        qpos = solve_path(solver, given, goals, rate=30.0, fade=0.1, weights=np.ones(HUMAN.nv), tolerance=1e-9)

        def cost(poses):
            correction = solver.space.difference(given, poses)
            bent = np.diff(correction, 2, axis=0) * (0.1 * 30.0) ** 2
            missing = 10.0 * (solver.kinematics.at(poses)[0] - places)
            return np.sum(correction**2) + np.sum(bent**2) + np.sum(missing**2)

        rng, least = np.random.default_rng(6), cost(qpos)
        for size in (1e-2, 1e-3):
            disturbed = solver.space.clamped(solver.space.moved(qpos, size * rng.normal(size=(12, HUMAN.nv))))
            assert cost(disturbed) > least

    def test_floors_lift_only_what_sinks(self):
        solver = PoseSolver(HUMAN, [("left_foot", np.zeros(3)), ("right_foot", np.zeros(3))])
        given = np.tile(HUMAN.standing, (20, 1))
        now = solver.kinematics.at(given)[0]
        floors = now[..., 2] + [0.03, -0.03]
        goals = solver.goals(20)
        goals = type(goals)(goals.places, goals.place_weights, goals.turns, goals.turn_weights, floors, 1000.0)
        weights = np.ones(HUMAN.nv)
        weights[:6] = 100.0
        lifted = solver.kinematics.at(solve_path(solver, given, goals, rate=60.0, fade=0.1, weights=weights))[0]
        assert np.all(lifted[:, 0, 2] > floors[:, 0] - 1e-3)
        assert np.all(lifted[:, 0, 2] < floors[:, 0] + 5e-3)
        assert np.allclose(lifted[:, 1], now[:, 1], atol=5e-3)
