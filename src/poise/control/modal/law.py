"""The control law in compiled code: contact forces of the window, then low-frequency modes [Jain2011] section 5.

The law plans differences of states and forces from the reference, where the paper plans whole states and forces. For
linear dynamics both are the same. But with differences, the effect of the reference's own forces and torques is not
linearised, and a plan of any length begins with these forces and torques.
"""

from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Mask
from poise.control.modal.frames import CompositeInertia
from poise.control.modal.horizon import Horizon
from poise.control.modal.modes import ROOT
from poise.control.modal.window import rows_in_window_cone_axes, window_forces, write_cross_matrix
from poise.kernel import kernel

_RIGID = 1e-6  # Where omega^2 / (1 + omega^2) is smaller, the response of a mode is computed as a series


class ModalState(NamedTuple):
    """The body in its present state, with C contact points."""

    total: CompositeInertia
    place: Array  # (3,) m, of the root
    turn: Array  # (3, 3) of the root
    mass: Array  # (nv, nv) mass matrix, with the loads that the body carries
    bias: Array  # (nv,) bias forces, with the loads that the body carries
    qvel: Array  # (nv,)
    corner: Array  # (C, 3) m: points that may bear


class ModalDeviation(NamedTuple):
    """Deviation of the body from the reference as edited by the footholds; n deformations, C contact points."""

    rigid: Array  # (12,) position and orientation of the rigid body modes, then their velocities
    position: Array  # (n,) of the deformations
    velocity: Array  # (n,) of the deformations
    acceleration: Array  # (n,) of the deformations in the reference, not a deviation
    velocity_change: Array  # (n,) of the deformations, with which one step leads to the reference's next pose
    shift: Array  # (3,) m: offset of the reference's root by the footholds
    moved: Array  # (C, 3) m: offsets of the reference's contact points by the footholds


@kernel
def rigid_mode_error(view: ModalState, away: Array, ahead: Horizon, shift: Array) -> Array:
    """(12,) errors of the rigid modes; ``away`` (nv,) from the reference's pose, its root shifted by ``shift`` m."""
    com, total_mass, inertia = view.total
    inverse = np.linalg.inv(inertia)
    moving = np.ascontiguousarray(view.mass[:ROOT])
    momentum, moved = moving @ view.qvel, moving @ away
    arm = com - view.place
    out = np.empty(12)
    out[:3] = com - ahead.com[0] - shift
    out[3:6] = inverse @ (view.turn @ moved[3:] - np.cross(arm, moved[:3]))
    out[6:9] = momentum[:3] / total_mass - ahead.velocity[0]
    out[9:] = inverse @ (view.turn @ momentum[3:] - np.cross(arm, momentum[:3]) - ahead.angmom[0])
    return out


@kernel
def plan_window_forces(
    ahead: Horizon,
    deviation: ModalDeviation,
    view: ModalState,
    weights: Array,
    effort: float,
    scale: tuple[float, float],
    held: Mask,
    friction: float,
    dual: Array,
) -> Array:
    """(n, C, 3) contact forces of the window in body weights [Jain2011] Eq. (16).

    ``weights`` (12,) are W1 and W2, ``effort`` is W3, ``scale`` is (step, gravity). Points that are ``held`` (C,) may
    pull, others push within their friction cones. ``dual`` (12,) is the first guess of the dual solution, and becomes
    that solution.
    """
    step, gravity = scale
    error, mass = deviation.rigid, view.total.mass
    n, points = ahead.force.shape[0], ahead.force.shape[1]
    wanted = np.empty(12)  # change by all contact forces until the end of the window, the reference's included
    for i in range(6):
        wanted[i] = -(error[i] + n * step * error[6 + i])
        wanted[6 + i] = -error[6 + i]
    wanted[:3] += ahead.lean[n - 1]
    inverse = np.linalg.inv(view.total.inertia)
    effect, reference = np.zeros((n * points, 12, 3)), np.zeros((n * points, 3))
    frame, point = np.empty(n * points, np.int64), np.empty(n * points, np.int64)
    standing = ahead.down[0].copy()
    rows = 0
    arm, tilt, tilt_rate = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    tips = window_tipping(ahead, mass, step, gravity)
    for k in range(n):
        left = (n - k) * step
        pull = (ahead.velocity[k + 1] - ahead.velocity[k]) / step
        pull -= gravity * ahead.load_wrench[k, :3]
        pull[2] += gravity
        away = error[:3] + k * step * error[6:9]
        twist = (ahead.angmom[k + 1] - ahead.angmom[k]) / step - mass * gravity * (
            ahead.load_wrench[k, 3:] - np.cross(away, ahead.load_wrench[k, :3])
        )
        write_cross_matrix(tips[k, 1], tilt)
        write_cross_matrix(tips[k, 0], tilt_rate)
        tilt[:], tilt_rate[:] = inverse @ tilt, inverse @ tilt_rate
        twist = inverse @ twist
        tilted, tilted_rate = tilt @ pull, tilt_rate @ pull
        for i in range(3):
            wanted[i] += step * left * pull[i]
            wanted[3 + i] += step * (left * twist[i] + tilted[i])
            wanted[6 + i] += step * pull[i]
            wanted[9 + i] += step * (twist[i] + tilted_rate[i])
        for c in range(points):
            standing[c] = standing[c] and ahead.down[k, c]
            if not ahead.down[k, c]:
                continue
            place = view.corner[c] if standing[c] else ahead.corner[k, c] + deviation.moved[c]
            write_cross_matrix(place - ahead.com[k] - deviation.shift - away, arm)
            turning = inverse @ arm * (mass * gravity * step)
            for i in range(3):
                effect[rows, i, i] = gravity * step * left
                effect[rows, 6 + i, i] = gravity * step
                for j in range(3):
                    effect[rows, 3 + i, j] = left * turning[i, j] + gravity * step * tilt[i, j]
                    effect[rows, 9 + i, j] = turning[i, j] + gravity * step * tilt_rate[i, j]
            reference[rows] = ahead.force[k, c]
            rows_in_window_cone_axes(ahead.axes[k, c], effect[rows])
            rows_in_window_cone_axes(ahead.axes[k, c], reference[rows : rows + 1])
            frame[rows], point[rows] = k, c
            rows += 1
    out = np.zeros((n, points, 3))
    if rows == 0:
        return out
    forces = np.empty((rows, 3))
    pulls = held[point[:rows]]
    window_forces(effect[:rows], pulls, friction, wanted, reference[:rows], weights, effort, dual, forces)
    for row in range(rows):
        out[frame[row], point[row]] = ahead.axes[frame[row], point[row]] @ forces[row]
    return out


@kernel
def window_tipping(ahead: Horizon, mass: float, step: float, gravity: float) -> Array:
    """(n, 2, 3) vectors G and H for each frame k of the planning window: ``[k, 0]`` is G, ``[k, 1]`` is H.

    If the centre of mass leaves the reference at frame k with constant velocity v, its offset d grows, and the
    contact forces F (N) exert the moment -d x F. At the end of the window, this moment has produced the angular
    momentum G x v, and a rotation whose angle times the inertia is H x v.
    """
    n = ahead.force.shape[0]
    out, sums = np.zeros((n, 2, 3)), np.zeros((3, 3))
    for k in range(n - 1, -1, -1):
        now, end = k * step, n * step
        out[k, 0] = sums[1] - now * sums[0]
        out[k, 1] = end * sums[1] - sums[2] - now * (end * sums[0] - sums[1])
        bears = mass * (ahead.velocity[k + 1] - ahead.velocity[k])
        bears[2] += mass * gravity * step
        for i in range(3):
            sums[i] += now**i * bears
    return out


@kernel
def low_frequency_modal_forces(
    squares: Array, count: int, position: Array, velocity: Array, pushed: Array, weights: tuple[float, ...], step: float
) -> Array:
    """(count,) modal forces of the coming step in the plan that brings low-frequency modes to the reference, Eq. (21).

    The plan ends with the window. ``squares`` (n,) are omega^2; ``position``, ``velocity`` (n,) the modes' deviations;
    ``pushed`` (window, n) the modal impulses of contact forces beyond the reference's; ``weights`` w4, w5 and W6.
    """
    window = pushed.shape[0]
    place, speed, effort = weights
    out = np.empty(count)
    for m in range(count):
        square = squares[m]
        xx, xv, vv = effort / place, 0.0, effort / speed
        first_a, first_v = mode_response(square, window * step)
        x_end = first_v * position[m] + first_a * velocity[m]
        v_end = -square * first_a * position[m] + first_v * velocity[m]
        for k in range(window):
            a, v = mode_response(square, (window - k) * step)
            xx += a * a
            xv += a * v
            vv += v * v
            x_end += a * pushed[k, m]
            v_end += v * pushed[k, m]
        bottom = xx * vv - xv * xv
        along_x, along_v = (vv * x_end - xv * v_end) / bottom, (xx * v_end - xv * x_end) / bottom
        out[m] = -(first_a * along_x + first_v * along_v) / step - square * position[m]
    return out


@kernel
def mode_response(square: float, time: float) -> tuple[float, float]:
    """Position and velocity of an undamped mode a time (s) after a unit impulse; ``square`` is omega^2, at least 0.

    The mode has unit mass and obeys p'' + omega^2 p = impulse [Jain2011] Eqs. (4)-(9). After a unit displacement, the
    mode's position equals the velocity returned here, and its velocity is -omega^2 times the position returned here.
    """
    if square > _RIGID * (1.0 + square):
        w = np.sqrt(square)
        return np.sin(w * time) / w, np.cos(w * time)
    return time * (1.0 - square * time * time / 6.0), 1.0 - 0.5 * square * time * time
