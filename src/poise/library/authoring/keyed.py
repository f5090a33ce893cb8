"""Build motions from poses at key times: jumps, squats, punches, flips, hanging from a bar, rolls.

If the body stands on its feet or hangs from its hands, its centre of mass is above (or hangs below) the middle of the
supports, shifted by the offset in the source, at the height that the poses have. In flight the centre of mass follows a
parabola and the body rotates with constant angular momentum. Supporting limbs are solved by inverse kinematics.
"""

import mujoco
import numpy as np

from poise.arrays import Array, Mask, readonly
from poise.body.body import Body
from poise.body.link_kinematics import LinkKinematics
from poise.library.authoring import keyed_roll
from poise.library.authoring.curves import (
    CurveKeys,
    KeyDerivatives,
    authored_curve,
    authored_curve_derivatives,
    authored_curve_values,
)
from poise.library.authoring.figure import SourceFigure
from poise.library.authoring.prints import KeyedSourcePins, parts_down_in_source, pins_of_keyed_source
from poise.library.authoring.source import (
    PATH,
    RATE,
    KeyedSource,
    MotionSource,
    read_keyed_source,
    stretched_keyed_source,
)
from poise.reference.body_clip import BodyClip, centres_of_mass, posed_data
from poise.reference.supports import Sketch, sketch_of_clip
from poise.retarget.contact_detection import GRAVITY
from poise.retarget.figure import figure_of_body
from poise.retarget.ik import PoseGoals, PoseSolver
from poise.retarget.ik_path import solve_path
from poise.rotations import quat_conjugate, quat_exp, quat_multiply, quat_rotate

_EASE = 0.35  # s over which the body takes up the rotation of a flight before take-off, and stops it after landing
_FADE = 0.06  # s over which limb corrections fade in and out
_PIN_ROUNDS = 4
"""Iterations in which the pelvis shifts until limbs are at their pins and the centre of mass on its path."""
_PIN, _ROOT, _JOINT = 10.0, 10.0, 0.02  # weights of pinned points (1/m), pelvis (1/m, 1/rad) and joints (1/rad)
_Y = np.array([0.0, 1.0, 0.0])


def keyed_source_pitch_momentum(body: Body, qpos: Array, qvel: Array) -> tuple[Array, Array]:
    """Angular momentum (T,) kg m^2/s and inertia (T,) kg m^2 about the lateral (y) axis at the centre of mass."""
    matrix = np.empty((3, body.nv))
    momentum, inertia = np.empty(len(qpos)), np.empty(len(qpos))
    for k, data in enumerate(posed_data(body, qpos)):
        mujoco.mj_angmomMat(body.model, data, matrix, 1)
        rigid = quat_rotate(quat_conjugate(qpos[k, 3:7]), _Y)  # root velocity of a unit rotation of the body about y
        momentum[k], inertia[k] = _Y @ matrix @ qvel[k], _Y @ matrix[:, 3:6] @ rigid
    return momentum, inertia


def keyed_source_hanging_pelvis(body: Body, desired: Array, pins: KeyedSourcePins) -> Array:
    """Pelvis positions (T, 3) m with which the points in contact are, on average, at their pins."""
    here, _ = LinkKinematics(body, pins.points).at(desired)
    held = pins.down[..., None]
    off = np.sum(held * (pins.places - here), axis=1) / np.maximum(held.sum(axis=1), 1)
    return np.asarray(desired[:, :3] + off)


def keyed_source_swing_period(body: Body, poses: Array) -> float:
    """Period (s) of the body as a pendulum that hangs from its hands, averaged over poses (T, nq).

    The amplitude a is half the range of the pelvis pitch (rad); it lengthens the period by the factor 1 + a^2 / 16.
    """
    hands, _ = LinkKinematics(body, [(hand.link, hand.point) for hand in body.hands]).at(poses)
    length = np.linalg.norm(hands.mean(axis=1) - centres_of_mass(body, poses), axis=1)
    _, inertia = keyed_source_pitch_momentum(body, poses, np.zeros((len(poses), body.nv)))
    small = 2 * np.pi * np.sqrt(np.mean(inertia + body.mass * length**2) / (body.mass * GRAVITY * length.mean()))
    pitch = 2 * np.arctan2(poses[:, 5], poses[:, 3])
    return float(small * (1 + (np.ptp(pitch) / 2) ** 2 / 16))


def keyed_source_com_path(body: Body, desired: Array, pins: KeyedSourcePins, keys: list[int], offset: Array) -> Array:
    """Path (T, 3) m of the centre of mass, which passes through its positions in the poses at the frames `keys`.

    `offset` (T, 2) m: horizontal vector from the middle of the supports to the centre of mass.
    """
    flights = pins.flights()
    airborne = {k for start, stop in flights for k in range(start + 1, stop)}
    frames = np.array(sorted({k for k in keys if k not in airborne} | {k for flight in flights for k in flight}))
    at = np.stack([_keyed_source_com_over_pins(body, desired[k], pins, k, offset[k]) for k in frames])
    time, curves = np.arange(len(desired)) / RATE, [CurveKeys(frames / RATE, values) for values in at.T]
    path = [_keyed_source_com_axis(keys, axis, frames, flights, time) for axis, keys in enumerate(curves)]
    return np.stack(path, axis=1)


def _keyed_source_com_axis(
    keys: CurveKeys, axis: int, frames: Array, flights: list[tuple[int, int]], time: Array
) -> Array:
    """One coordinate (T,) m of the path of the centre of mass: smooth during support, a parabola in flight."""
    slopes = authored_curve_derivatives(keys)
    fall = GRAVITY if axis == 2 else 0.0
    speed, acceleration = np.array(slopes.speed), np.array(slopes.acceleration)
    for flight in flights:
        off, on = np.searchsorted(frames, flight)
        lasting = keys.times[on] - keys.times[off]
        mean = (keys.values[on] - keys.values[off]) / lasting
        speed[off], speed[on] = mean + fall * lasting / 2, mean - fall * lasting / 2
        acceleration[[off, on]] = -fall
    return authored_curve_values(keys, KeyDerivatives(speed, acceleration), time)


def _keyed_source_com_over_pins(body: Body, pose: Array, pins: KeyedSourcePins, frame: int, offset: Array) -> Array:
    """Wanted centre of mass (3,) m in a frame.

    Horizontally it is at `offset` (2,) m from the middle of the supports. Its height is that of the `pose` (nq,) after
    the pose is lifted until its contacts are on average as high as the supports.
    """
    down = pins.down[frame]
    here, _ = LinkKinematics(body, pins.points).at(pose[None])
    middle = pins.middle(frame)
    lift = (pins.places[frame, down, 2] - here[0, down, 2]).mean()
    return np.array([middle[0] + offset[0], middle[1] + offset[1], centres_of_mass(body, pose[None])[0, 2] + lift])


def keyed_source_flight_rotation(body: Body, desired: Array, found: Array, pins: KeyedSourcePins) -> Array:
    """Pelvis orientations (T, 4): as in `desired` (T, nq), pitched so that each flight has constant angular momentum.

    A pitch of the whole body by s adds I s' to the momentum H about the lateral axis (inertia I). So s' = (L - H) / I;
    the constant L makes the body land in the desired orientation. Joint angles are those of `found` (T, nq).
    """
    posed = np.concatenate([desired[:, :7], found[:, 7:]], axis=1)
    qvel = BodyClip("", body, RATE, posed).qvel
    pitch = np.zeros(len(desired))
    for start, stop in pins.flights():
        span = slice(start, stop + 1)
        momentum, inertia = keyed_source_pitch_momentum(body, posed[span], qvel[span])
        share, drift = _time_integral(1 / inertia), _time_integral(momentum / inertia)
        level = drift[-1] / share[-1]
        pitch[span] += level * share - drift
        speed = (level - momentum) / inertia
        pitch[: start + 1] += speed[0] * _source_pitch_run_up(np.arange(-start, 1) / RATE)
        pitch[stop:] -= speed[-1] * _source_pitch_run_up(-np.arange(len(desired) - stop) / RATE)
    return quat_multiply(quat_exp(pitch[:, None] * (0.0, 1.0, 0.0)), desired[:, 3:7])


def _time_integral(values: Array) -> Array:
    """(T,) integral of `values` (T,) over time (s) from the first frame to each frame, by the trapezoidal rule."""
    return np.concatenate([[0.0], np.cumsum((values[1:] + values[:-1]) / (2 * RATE))])


def _source_pitch_run_up(time: Array) -> Array:
    """Values, at times (s) up to 0, of a curve that is 0 until -_EASE, dips smoothly, and returns to 0 with slope 1."""
    share = np.clip(1 + time / _EASE, 0.0, 1.0)
    return np.asarray(time * share**3)


def keyed_source_supported_poses(
    body: Body, desired: Array, near: Array, pins: KeyedSourcePins, centre: Array
) -> Array:
    """Poses (T, nq) with limbs at their pins and the centre of mass at `centre` (T, 3) m. Joints start from `near`."""
    given, found = np.array(desired), np.concatenate([desired[:, :7], near[:, 7:]], axis=1)
    for _ in range(_PIN_ROUNDS):
        missing = centre - centres_of_mass(body, found)
        given[:, :3] += missing
        found[:, :3] += missing
        found = keyed_source_pinned_limbs(body, given, pins, found)
    return found


def keyed_source_pinned_limbs(body: Body, given: Array, pins: KeyedSourcePins, start: Array | None = None) -> Array:
    """The poses `given` (T, nq), corrected so that supporting limbs are at their pins. `start`: initial guess."""
    solver = PoseSolver(body, pins.points)
    weights = np.full(body.nv, _JOINT)
    weights[:6] = _ROOT
    held = np.repeat(np.where(pins.down, _PIN, 0.0)[..., None], 3, axis=2)
    goals = PoseGoals(pins.places, held, np.zeros((len(given), 0, 4)), np.zeros((len(given), 0)))
    return solve_path(solver, given, goals, rate=RATE, fade=_FADE, weights=weights, start=start)


_FLIGHT_ROUNDS = 4  # iterations of flight rotation and inverse kinematics


def sketch_of_keyed_source(source: MotionSource, body: Body) -> Sketch:
    """Build the motion that a source of kind "keyed" describes, for a humanoid body."""
    motion = read_keyed_source(source)
    seconds = motion.seconds
    if motion.rhythm == "pendulum":  # the period in which the body swings
        some = np.linspace(0.0, seconds, 64, endpoint=False)
        seconds = keyed_source_swing_period(body, _poses_of_keyed_source(motion, body, some))
    motion = stretched_keyed_source(motion, round(seconds * RATE) / RATE / motion.seconds)  # whole frames
    time = np.arange(round(motion.seconds * RATE) + 1) / RATE
    desired, down = _poses_of_keyed_source(motion, body, time), parts_down_in_source(body, motion, time)
    if motion.bearing == "rolling":
        return _sketch_of_rolling_source(motion, body, desired, down)
    if not down[[0, -1]].any(axis=1).all():
        raise source.table.fail("[contacts] must name what supports the body at the start and at the end", "contacts")
    pins = pins_of_keyed_source(body, motion, down, desired[0])
    if motion.bearing == "held":
        desired[:, :3] = keyed_source_hanging_pelvis(body, desired, pins)
        qpos = keyed_source_pinned_limbs(body, desired, pins)
    else:
        curves = (authored_curve(motion.curves[axis], time) if axis in motion.curves else 0.0 * time for axis in PATH)
        offset = figure_of_body(body).leg * np.stack(list(curves), axis=1)
        qpos = _balanced_keyed_source_poses(body, desired, pins, [round(key * RATE) for key in motion.times], offset)
    return sketch_of_clip(_clip_of_keyed_source(motion, body, qpos, down))


def _sketch_of_rolling_source(motion: KeyedSource, body: Body, desired: Array, down: Mask) -> Sketch:
    """The motion of a body that rolls on its lowest parts; `down` (T, P) are the declared contacts."""
    balls = keyed_roll.outer_balls_of_roll_source(body)
    prescribed = keyed_roll.balls_declared_by_source(body, balls, down)
    placed, pins = keyed_roll.poses_of_roll_source(body, desired, balls, prescribed, RATE, motion.cyclic)
    qpos = keyed_source_pinned_limbs(body, placed, pins)
    supports = keyed_roll.supports_of_roll_source(body, qpos, balls, prescribed, motion.cyclic)
    return Sketch(_clip_of_keyed_source(motion, body, qpos, down), supports)


def _clip_of_keyed_source(motion: KeyedSource, body: Body, qpos: Array, down: Mask) -> BodyClip:
    return BodyClip(motion.name, body, RATE, readonly(qpos), readonly(down, bool), motion.cyclic)


def _poses_of_keyed_source(motion: KeyedSource, body: Body, time: Array) -> Array:
    """The poses (T, nq) that the keys give at times (T,) s, with the pelvis above the origin at standing height."""
    angles = {name: authored_curve(keys, time) for name, keys in motion.curves.items() if name not in PATH}
    return SourceFigure(body).poses(angles, np.tile(body.standing[:3], (len(time), 1)))


def _balanced_keyed_source_poses(
    body: Body, desired: Array, pins: KeyedSourcePins, keys: list[int], offset: Array
) -> Array:
    """Poses (T, nq) near `desired` (T, nq), balanced over their pins or in flight. `keys`: frames of the keys."""
    turned, qpos = np.array(desired), desired
    for _ in range(_FLIGHT_ROUNDS if pins.flights() else 1):
        turned[:, 3:7] = keyed_source_flight_rotation(body, desired, qpos, pins)
        centre = keyed_source_com_path(body, turned, pins, keys, offset)
        qpos = keyed_source_supported_poses(body, turned, qpos, pins, centre)
    return qpos
