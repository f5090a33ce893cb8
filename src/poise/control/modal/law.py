"""The control law in compiled code: contact forces of the window, then slow modes [Jain2011] section 5.

All is told against the reference: where the paper has states, there are differences from the reference's, and where it
has forces, what they differ from those that bring the reference about. In exact arithmetic that is the same; but what
the reference's own forces and torques do is then not linearised, and a plan of any length begins with them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.control.modal.modes import ROOT
from poise.control.modal.window import tell_along, window_forces
from poise.kernel import kernel

# How a mode moves: by itself, and after an impulse, in closed form [Jain2011] Eqs. (4)-(9).
#
# A mode of unit mass obeys  p'' + 2 xi omega p' + omega^2 p = b + impulses.

_CRITICAL = 1e-6


@kernel
def responses(square: float, damping: float, time: float) -> Any:
    """(a, a', c, c'): place and speed after a unit impulse, and after a unit displacement, a time (s) ago.

    ``square`` is omega^2, ``damping`` 2 xi omega, both at least 0: rigid, undamped, underdamped and overdamped alike.
    """
    half = 0.5 * damping
    rest = square - half * half
    fade = np.exp(-half * time)
    if rest > _CRITICAL * (1.0 + square):
        w = np.sqrt(rest)
        s, c = np.sin(w * time) / w, np.cos(w * time)
    elif rest < -_CRITICAL * (1.0 + square):
        w = np.sqrt(-rest)
        s, c = np.sinh(w * time) / w, np.cosh(w * time)
    else:
        s, c = time * (1.0 - rest * time * time / 6.0), 1.0 - 0.5 * rest * time * time
    a = fade * s
    a_rate = fade * (c - half * s)
    return a, a_rate, fade * (c + half * s), -square * a


@kernel
def rigid_error(whole: Any, place: Any, turn: Any, mass: Any, qvel: Any, away: Any, ahead: Any, shift: Any) -> Any:
    """(12,) how far the rigid modes are from the reference: places, turns, and their rates.

    ``whole`` is `Whole`, place (3,) and turn (3, 3) are the root's, ``mass`` (nv, nv) is of what moves now. ``away``
    (nv,) is the way from the reference's pose to the present one, ``shift`` (3,) m by how much it was moved.
    """
    com, total, inertia = whole
    inverse = np.linalg.inv(inertia)
    moving = np.ascontiguousarray(mass[:ROOT])
    momentum, moved = moving @ qvel, moving @ away
    arm = com - place
    out = np.empty(12)
    out[:3] = com - ahead.com[0] - shift
    out[3:6] = inverse @ (turn @ moved[3:] - np.cross(arm, moved[:3]))
    out[6:9] = momentum[:3] / total - ahead.velocity[0]
    out[9:] = inverse @ (turn @ momentum[3:] - np.cross(arm, momentum[:3]) - ahead.spin[0])
    return out


@kernel
def planned_forces(
    ahead: Any,
    error: Any,
    corner: Any,
    whole: Any,
    weights: Any,
    effort: float,
    scale: Any,
    held: Any,
    friction: float,
    dual: Any,
    shift: Any,
    moved: Any,
) -> Any:
    """(n, C, 3) contact forces of the window in weights [Jain2011] Eq. (16), and the passes that they took.

    ``corner`` (C, 3) is where points are now, ``whole`` is `Whole`; ``scale`` is (step, gravity); ``held`` (C,) are
    those that may pull, others press within ``friction``; ``shift`` (3,) and ``moved`` (C, 3) are how far the
    reference's body and points were moved, m.
    """
    step, gravity = scale
    mass = whole.mass
    n, points = ahead.force.shape[0], ahead.force.shape[1]
    wanted = np.empty(12)
    for i in range(6):
        wanted[i] = -(error[i] + n * step * error[6 + i])
        wanted[6 + i] = -error[6 + i]
    wanted[:3] += ahead.lean[n - 1]
    inverse = np.linalg.inv(whole.inertia)
    effect, usual = np.zeros((n * points, 12, 3)), np.zeros((n * points, 3))
    frame, point = np.empty(n * points, np.int64), np.empty(n * points, np.int64)
    standing = ahead.down[0].copy()
    rows = 0
    arm, lean, sway = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    tips = tipping_response(ahead, mass, step, gravity)
    for k in range(n):
        left = (n - k) * step
        pull = (ahead.velocity[k + 1] - ahead.velocity[k]) / step
        pull -= gravity * ahead.burden[k, :3]
        pull[2] += gravity
        away = error[:3] + k * step * error[6:9]
        twist = (ahead.spin[k + 1] - ahead.spin[k]) / step - mass * gravity * (
            ahead.burden[k, 3:] - np.cross(away, ahead.burden[k, :3])
        )
        cross_matrix_into(tips[k, 1], lean)
        cross_matrix_into(tips[k, 0], sway)
        lean[:], sway[:] = inverse @ lean, inverse @ sway
        twist = inverse @ twist
        leaning, swaying = lean @ pull, sway @ pull
        for i in range(3):
            wanted[i] += step * left * pull[i]
            wanted[3 + i] += step * (left * twist[i] + leaning[i])
            wanted[6 + i] += step * pull[i]
            wanted[9 + i] += step * (twist[i] + swaying[i])
        for c in range(points):
            standing[c] = standing[c] and ahead.down[k, c]
            if not ahead.down[k, c]:
                continue
            cross_matrix_into(
                (corner[c] if standing[c] else ahead.corner[k, c] + moved[c]) - ahead.com[k] - shift - away, arm
            )
            turning = inverse @ arm * (mass * gravity * step)
            for i in range(3):
                effect[rows, i, i] = gravity * step * left
                effect[rows, 6 + i, i] = gravity * step
                for j in range(3):
                    effect[rows, 3 + i, j] = left * turning[i, j] + gravity * step * lean[i, j]
                    effect[rows, 9 + i, j] = turning[i, j] + gravity * step * sway[i, j]
            usual[rows] = ahead.force[k, c]
            tell_along(ahead.axes[k, c], effect[rows])
            tell_along(ahead.axes[k, c], usual[rows : rows + 1])
            frame[rows], point[rows] = k, c
            rows += 1
    out = np.zeros((n, points, 3))
    if rows == 0:
        return out, 0
    forces = np.empty((rows, 3))
    rough = np.full(rows, friction)
    passes = window_forces(
        effect[:rows], held[point[:rows]], rough, wanted, usual[:rows], weights, effort, dual, forces
    )
    for row in range(rows):
        out[frame[row], point[row]] = ahead.axes[frame[row], point[row]] @ forces[row]
    return out, passes


@kernel
def tipping_response(ahead: Any, mass: float, step: float, gravity: float) -> Any:
    """(n, 2, 3) how who moves out of the reference's way tips over, by the end of the window.

    A centre of mass that is d beside the reference's feels -d x F, F (N) being all that bears it. So a velocity v from
    frame k on becomes the spin G x v, and the turn H x v, with inertia left out: ``[k, 0]`` is G, ``[k, 1]`` H.
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
def cross_matrix_into(arm: Any, out: Any) -> None:
    """out (3, 3): what makes arm x f of f."""
    x, y, z = arm
    out[0, 0], out[0, 1], out[0, 2] = 0.0, -z, y
    out[1, 0], out[1, 1], out[1, 2] = z, 0.0, -x
    out[2, 0], out[2, 1], out[2, 2] = -y, x, 0.0


@kernel
def low_forces(frequency: Any, count: int, off: Any, rate: Any, pushed: Any, weights: Any, step: float) -> Any:
    """(count,) modal forces now that bring slow modes to the reference at the end of the window [Jain2011] Eq. (21).

    ``off`` and ``rate`` (n,) are places and speeds against the reference, ``pushed`` (window, n) the impulses of
    contact forces beyond the reference's.
    """
    window = pushed.shape[0]
    place, speed, effort = weights
    out = np.empty(count)
    for m in range(count):
        square = frequency[m]
        xx, xv, vv = effort / place, 0.0, effort / speed
        a, v, c, d = responses(square, 0.0, window * step)
        x_end, v_end = c * off[m] + a * rate[m], d * off[m] + v * rate[m]
        first_a, first_v = a, v
        for k in range(window):
            a, v, c, d = responses(square, 0.0, (window - k) * step)
            xx += a * a
            xv += a * v
            vv += v * v
            x_end += a * pushed[k, m]
            v_end += v * pushed[k, m]
        bottom = xx * vv - xv * xv
        along_x, along_v = (vv * x_end - xv * v_end) / bottom, (xx * v_end - xv * x_end) / bottom
        out[m] = -(first_a * along_x + first_v * along_v) / step - square * off[m]
    return out
