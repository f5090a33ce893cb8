"""Shooting on problems whose answers are known."""

import numpy as np
import pytest

from poise.animate import shooting
from poise.animate.shooting import (
    Shot,
    SimulationOutcome,
    least_norm_shooting_step,
    shoot,
    shooting_jacobian_update,
)

G = 9.81


def shot(function, target, tolerance=1e-6, count=2, **other):
    """The problem of a smooth function of `count` parameters of usual size 1."""

    def simulate(changes, slopes):
        return [SimulationOutcome(*2 * (np.asarray(function(change), float),)) for change in changes]

    target = np.atleast_1d(np.asarray(target, float))
    values = {"unit": np.ones(count), "most": np.full(count, 10.0), "first": np.zeros(count), **other}
    return Shot(simulate, target, np.full(len(target), tolerance), **values)


def cannon(change):
    """Height and distance of a cannon that points up steeply, by changes of its speed (m/s) and angle (rad)."""
    speed, angle = 10 + change[0], 1.2 + change[1]
    return [(speed * np.sin(angle)) ** 2 / (2 * G), speed**2 * np.sin(2 * angle) / G]


def test_a_linear_problem_is_met_by_the_least_change(monkeypatch):
    matrix = np.array([[1.0, 2.0, -1.0], [0.5, 0.0, 1.0]])
    wanted = np.array([0.7, -0.3])
    monkeypatch.setattr(shooting, "DAMPING", 1e-9)
    hit = shoot(shot(lambda u: matrix @ u, wanted, count=3))
    assert hit.converged
    assert (hit.iterations, hit.simulations) == (1, 1 + 3 + 1)
    assert hit.change == pytest.approx(np.linalg.pinv(matrix) @ wanted, abs=1e-6)


def test_the_least_change_is_least_in_units(monkeypatch):
    monkeypatch.setattr(shooting, "DAMPING", 1e-9)
    hit = shoot(shot(lambda u: [u[0] + u[1]], 1.1, unit=np.array([1.0, 0.1])))
    assert hit.change == pytest.approx([1.1 / 1.01, 0.011 / 1.01], rel=1e-6)


def test_what_moves_no_target_goes_back_to_the_animators_value(monkeypatch):
    monkeypatch.setattr(shooting, "DAMPING", 1e-9)
    hit = shoot(shot(lambda u: [u[0]], 0.5, first=np.array([0.0, 0.8])))
    assert hit.change == pytest.approx([0.5, 0.0], abs=1e-6)


def test_a_cannon_hits_height_and_distance():
    target = cannon([0.9, -0.15])
    hit = shoot(shot(cannon, target, tolerance=1e-4))
    assert hit.converged
    assert hit.iterations <= 3
    assert hit.change == pytest.approx([0.9, -0.15], abs=1e-3)  # two targets and two parameters: only this
    assert hit.reached == pytest.approx(target, abs=1e-4)


def test_jacobians_are_used_again(monkeypatch):
    target = cannon([0.9, -0.15])
    again = shoot(shot(cannon, target, tolerance=1e-4))
    monkeypatch.setattr(shooting, "NEARER", 0.0)
    never = shoot(shot(cannon, target, tolerance=1e-4))
    assert never.converged
    assert again.simulations < never.simulations


def test_a_problem_like_the_last_one_needs_no_jacobian_of_its_own():
    first = shoot(shot(cannon, cannon([0.9, -0.15]), tolerance=1e-3))
    second = shoot(shot(cannon, cannon([1.0, -0.13]), tolerance=1e-3, first=first.change, slopes=first.slopes))
    assert second.converged
    assert second.iterations == 0 < first.iterations


def test_parameters_keep_within_bounds_and_others_make_up_for_them(monkeypatch):
    monkeypatch.setattr(shooting, "DAMPING", 1e-9)
    hit = shoot(shot(lambda u: [2 * u[0] + u[1]], 2.0, most=np.array([0.5, 10.0])))
    assert hit.converged
    assert hit.change == pytest.approx([0.5, 1.0], abs=1e-6)


def test_bounds_narrower_than_a_nudge_are_kept_as_well():
    hit = shoot(shot(lambda u: [u[0] ** 2 + u[1]], 3.0, most=np.array([0.05, 0.02])))
    assert not hit.converged
    assert np.all(np.abs(hit.change) <= np.array([0.05, 0.02]) + 1e-8)


def test_targets_out_of_reach_are_reported_with_the_best_there_is():
    hit = shoot(shot(lambda u: [u[0] + u[1]], 3.0, tolerance=0.01, most=np.array([0.5, 1.0])))
    assert not hit.converged
    assert hit.change == pytest.approx([0.5, 1.0])
    assert hit.reached == pytest.approx([1.5])
    assert hit.off == pytest.approx([-150.0])


def test_what_is_out_of_reach_from_here_may_be_met_from_elsewhere(monkeypatch):
    flat = shot(lambda u: [u[0] if abs(u[0]) > 0.6 else 0.0], 0.8, count=1)
    with monkeypatch.context() as here_only:
        here_only.setattr(shooting, "DEPARTURES", 0)
        here = shoot(flat)
    assert not here.converged
    told = []
    hit = shoot(flat, watch=told.append)
    assert hit.converged
    assert hit.simulations > here.simulations
    for counts in ([each.iterations for each in told], [each.simulations for each in told]):
        assert counts == sorted(counts)  # they do not begin anew
    assert (hit.iterations, hit.simulations) == (told[-1].iterations, told[-1].simulations)


def test_what_is_met_already_is_left_alone():
    hit = shoot(shot(lambda u: u, [0.05, 0.0], tolerance=0.1))
    assert (hit.converged, hit.iterations, hit.simulations) == (True, 0, 1)
    assert not hit.change.any()


def test_a_simulation_that_fails_at_the_beginning_ends_it():
    hit = shoot(shot(lambda u: [np.nan], 1.0))
    assert (hit.converged, hit.simulations) == (False, 1)


def test_ways_on_which_simulations_fail_are_avoided():
    hit = shoot(shot(lambda u: [u[0] + u[1] if u[0] < 0.2 else np.nan], 0.5, first=np.array([0.0, -1.0])))
    assert hit.converged
    assert hit.change[0] < 0.2


def test_steps_are_not_longer_than_a_stride(monkeypatch):
    tried = []

    def watched(change):
        tried.append(np.array(change))
        return [change[0]]

    monkeypatch.setattr(shooting, "STRIDE", 0.7)
    shoot(shot(watched, 5.0, tolerance=0.01, count=1))
    assert np.abs(np.diff([0.0, *(change[0] for change in tried)])).max() <= 0.7 + 0.25  # and a nudge


def test_kinks_do_not_stop_it():
    hit = shoot(shot(lambda u: [u[0] + 0.8 * abs(u[0] - 0.3) + u[1] ** 3], 1.3, tolerance=0.001))
    assert hit.converged


def test_noise_is_survived_where_something_smooth_goes_along_with_it():
    def noise(change):
        return 0.8 * np.sin(1e3 * change.sum())

    def simulate(changes, slopes):
        return [SimulationOutcome(3 * change + noise(change), 3 * change) for change in changes]

    tolerance, unit = np.full(2, 0.9), np.ones(2)
    hit = shoot(Shot(simulate, np.array([4.0, -5.0]), tolerance, unit, 10 * unit, 0 * unit))
    assert hit.converged
    assert hit.iterations <= 2


def test_a_corrected_jacobian_leads_to_what_was_seen_and_changes_nothing_across():
    jacobian, step, change = np.arange(6.0).reshape(2, 3), np.array([1.0, 2.0, 0.0]), np.array([3.0, -1.0])
    new = shooting_jacobian_update(jacobian, step, change)
    assert new @ step == pytest.approx(change)
    across = np.array([[2.0, -1.0, 0.0], [0.0, 0.0, 1.0]]).T
    assert new @ across == pytest.approx(jacobian @ across)
    assert np.array_equal(shooting_jacobian_update(jacobian, step, np.array([np.nan, 0.0])), jacobian)


def test_steps_are_damped_where_large_changes_would_move_little(monkeypatch):
    jacobian, bound = np.diag([10.0, 0.05]), np.full(2, 100.0)
    monkeypatch.setattr(shooting, "STRIDE", 100.0)
    step = least_norm_shooting_step(jacobian, np.zeros(2), np.array([-1.0, -1.0]), bound)
    assert step[0] == pytest.approx(0.1, rel=0.01)
    assert abs(step[1]) < 0.3  # 20 without damping
