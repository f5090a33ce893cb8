"""The pelvis of a motion that is borne by feet or hands: balance tells where the centre of mass is.

While something bears, the centre of mass is above (or hangs below) the middle of it, as far ahead as the poses say, at
the height the poses have; between take-off and landing it flies, and the body turns with constant angular momentum.
Limbs that bear follow by inverse kinematics.
"""

from __future__ import annotations

import mujoco
import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.body.link_kinematics import Kinematics
from poise.library.authoring.curves import Keys, Passing, passing, through
from poise.library.authoring.prints import KeyedPins
from poise.reference.body_clip import BodyClip
from poise.retarget.contact_detection import GRAVITY
from poise.retarget.ik import Goals, PoseSolver
from poise.retarget.ik_path import solve_path
from poise.rotations import quat_conjugate, quat_exp, quat_multiply, quat_rotate

# Where the mass of a body is and how it turns, for many poses.

_Y = np.array([0.0, 1.0, 0.0])


def centres(body: Body, qpos: Array) -> Array:
    """(T, 3) m: centres of mass."""
    data = mujoco.MjData(body.model)
    out = np.empty((len(qpos), 3))
    for k, pose in enumerate(qpos):
        data.qpos[:] = pose
        mujoco.mj_kinematics(body.model, data)
        mujoco.mj_comPos(body.model, data)
        out[k] = data.subtree_com[1]
    return out


def pitching(body: Body, qpos: Array, qvel: Array) -> tuple[Array, Array]:
    """(T,) kg m^2/s angular momentum about the lateral axis through the centre of mass, (T,) kg m^2 its inertia."""
    data = mujoco.MjData(body.model)
    matrix = np.empty((3, body.nv))
    momentum, inertia = np.empty(len(qpos)), np.empty(len(qpos))
    for k, pose in enumerate(qpos):
        data.qpos[:] = pose
        mujoco.mj_kinematics(body.model, data)
        mujoco.mj_comPos(body.model, data)
        mujoco.mj_angmomMat(body.model, data, matrix, 1)
        rigid = quat_rotate(quat_conjugate(pose[3:7]), _Y)  # a turn of the whole body about y, as the root's velocity
        momentum[k], inertia[k] = _Y @ matrix @ qvel[k], _Y @ matrix[:, 3:6] @ rigid
    return momentum, inertia


# The pelvis of a body that hangs from its hands, and how fast it swings by itself.


def hung(body: Body, wished: Array, pins: KeyedPins) -> Array:
    """(T, 3) m: where the pelvis is so that, on average, the points that are down are in their places."""
    here, _ = Kinematics(body, pins.points).at(wished)
    held = pins.down[..., None]
    off = np.sum(held * (pins.places - here), axis=1) / np.maximum(held.sum(axis=1), 1)
    return np.asarray(wished[:, :3] + off)


def swing_period(body: Body, poses: Array) -> float:
    """s: of a pendulum that hangs from its hands in the mean of these poses and swings as far as the pelvis is pitched.

    To the first order an amplitude of a rad prolongs the period by a factor 1 + a^2 / 16.
    """
    hands, _ = Kinematics(body, [(hand.link, hand.point) for hand in body.hands]).at(poses)
    length = np.linalg.norm(hands.mean(axis=1) - centres(body, poses), axis=1)
    _, inertia = pitching(body, poses, np.zeros((len(poses), body.nv)))
    small = 2 * np.pi * np.sqrt(np.mean(inertia + body.mass * length**2) / (body.mass * GRAVITY * length.mean()))
    pitch = 2 * np.arctan2(poses[:, 5], poses[:, 3])
    return float(small * (1 + (np.ptp(pitch) / 2) ** 2 / 16))


_EASE = 0.35  # s in which the body takes up the turning of a flight, or gives it up
_FADE = 0.06  # s in which corrections of the limbs fade in and out
_ROUNDS = 4  # shifts of the pelvis until limbs and centre of mass agree
_PIN, _ROOT, _JOINT = 10.0, 10.0, 0.02  # weights: of points that stay (1/m), of the pelvis and of joints (1/m, 1/rad)


def centre_path(body: Body, wished: Array, pins: KeyedPins, keys: list[int], offset: Array, rate: float) -> Array:
    """(T, 3) m: the way of the centre of mass through the poses at frames `keys`, `offset` (T, 2) m from the middle."""
    flights = pins.flights()
    airborne = {k for start, stop in flights for k in range(start + 1, stop)}
    frames = np.array(sorted({k for k in keys if k not in airborne} | {k for flight in flights for k in flight}))
    at = np.stack([_resting(body, wished[k], pins, k, offset[k]) for k in frames])
    time = np.arange(len(wished)) / rate
    return np.stack([_axis(Keys(frames / rate, at[:, i]), i, frames, flights, time) for i in range(3)], axis=1)


def _axis(keys: Keys, axis: int, frames: Array, flights: list[tuple[int, int]], time: Array) -> Array:
    """(T,) one coordinate: smooth where something bears, a parabola in flight."""
    how = passing(keys)
    fall = GRAVITY if axis == 2 else 0.0
    speed, acceleration = np.array(how.speed), np.array(how.acceleration)
    for flight in flights:
        off, on = np.searchsorted(frames, flight)
        lasting = keys.times[on] - keys.times[off]
        mean = (keys.values[on] - keys.values[off]) / lasting
        speed[off], speed[on] = mean + fall * lasting / 2, mean - fall * lasting / 2
        acceleration[[off, on]] = -fall
    return through(keys, Passing(speed, acceleration), time)


def _resting(body: Body, pose: Array, pins: KeyedPins, frame: int, offset: Array) -> Array:
    """(3,) m: the centre of mass of a pose on the points that are down in a frame."""
    down = pins.down[frame]
    here, _ = Kinematics(body, pins.points).at(pose[None])
    middle = pins.middle(frame)
    lift = (pins.places[frame, down, 2] - here[0, down, 2]).mean()
    return np.array([middle[0] + offset[0], middle[1] + offset[1], centres(body, pose[None])[0, 2] + lift])


def turning(body: Body, wished: Array, found: Array, pins: KeyedPins, rate: float) -> Array:
    """(T, 4) turns of the pelvis, as wished but so pitched that angular momentum is constant in each flight.

    A pitch of the whole body by s adds I s' to the momentum H about the lateral axis, so s' = (L - H) / I; the
    constant L is such that the body lands as it is wished to. `found` are the joints as they are to be.
    """
    posed = np.concatenate([wished[:, :7], found[:, 7:]], axis=1)
    qvel = BodyClip("", body, rate, posed).qvel
    pitch = np.zeros(len(wished))
    for start, stop in pins.flights():
        span = slice(start, stop + 1)
        momentum, inertia = pitching(body, posed[span], qvel[span])
        share, drift = _integral(1 / inertia, rate), _integral(momentum / inertia, rate)
        level = drift[-1] / share[-1]
        pitch[span] += level * share - drift
        speed = (level - momentum) / inertia
        pitch[: start + 1] += speed[0] * _run_up(np.arange(-start, 1) / rate)
        pitch[stop:] -= speed[-1] * _run_up(-np.arange(len(wished) - stop) / rate)
    return quat_multiply(quat_exp(pitch[:, None] * (0.0, 1.0, 0.0)), wished[:, 3:7])


def _integral(values: Array, rate: float) -> Array:
    """(T,) from the first frame to each, by trapezoids."""
    return np.concatenate([[0.0], np.cumsum((values[1:] + values[:-1]) / (2 * rate))])


def _run_up(time: Array) -> Array:
    """A curve that leaves 0 smoothly at -_EASE s and comes back to it at 0 with speed 1."""
    share = np.clip(1 + time / _EASE, 0.0, 1.0)
    return np.asarray(time * share**3)


def borne(body: Body, wished: Array, near: Array, pins: KeyedPins, centre: Array, rate: float) -> Array:
    """Poses whose pins hold and whose centre of mass goes its way (T, 3); joints are about as they are in `near`."""
    given, found = np.array(wished), np.concatenate([wished[:, :7], near[:, 7:]], axis=1)
    for _ in range(_ROUNDS):
        missing = centre - centres(body, found)
        given[:, :3] += missing
        found[:, :3] += missing
        found = following(body, given, pins, rate, found)
    return found


def following(body: Body, given: Array, pins: KeyedPins, rate: float, start: Array | None = None) -> Array:
    """Poses (T, nq) with the pelvis as given and the limbs that bear at their pins; `start` is near them."""
    solver = PoseSolver(body, pins.points)
    weights = np.full(body.nv, _JOINT)
    weights[:6] = _ROOT
    held = np.repeat(np.where(pins.down, _PIN, 0.0)[..., None], 3, axis=2)
    goals = Goals(pins.places, held, np.zeros((len(given), 0, 4)), np.zeros((len(given), 0)))
    return solve_path(solver, given, goals, rate=rate, fade=_FADE, weights=weights, start=start)
