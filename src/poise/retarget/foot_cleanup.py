"""Foot cleanup: pin contact points to the ground by inverse kinematics over the whole clip.

Each contact of a foot gets one rigid footprint. The corners of the heel stay on the footprint while the heel is down,
the corners of the ball while the ball is down, so that the foot rolls. Hands in contact stay in place. The body follows
by corrections that change slowly (`ik_path`), within joint limits.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from poise.arrays import Array, readonly, true_runs
from poise.body.link_kinematics import LinkKinematics
from poise.body.parts import Joint
from poise.body.pose_space import PoseSpace
from poise.errors import PoiseError
from poise.reference.body_clip import BodyClip
from poise.retarget.footprints import (
    ContactPins,
    Footprint,
    contact_pins,
    footprints,
    kept_swing_pins,
    raised_swing_pins,
)
from poise.retarget.ik import PoseGoals, PoseSolver
from poise.retarget.ik_path import solve_path
from poise.retarget.smooth import smooth_clip

_STILL = 0.1  # rad/s: lower bound of a joint's usual speed
_STAY, _TILT = 30.0, 10.0  # weights of the root's horizontal shifts (per hip height) and rotations; joints have 1
_BUOYANCY = 0.3  # weight that keeps swing feet above the ground, as a fraction of the weight of the pins
_AROUND = 0.08  # s before and after over which a speed peak is spread
_SUNK = 0.01  # m: toes this far below the ground point into it
_UNSEEN = 0.06  # rad: larger displacements of a joint would be visible
_ROUNDING = 1e-9  # rad: smaller displacements are rounding
_PASSES = 200  # most iterations of spreading speed peaks
_MARGIN = 0.95  # peaks are spread to this fraction of the bound: rotations do not add exactly, and IK follows


@dataclass(frozen=True)
class FootSettings:
    """Parameters of foot cleanup."""

    clearance: float | None = None  # m: least height of swing feet at mid-swing; None to leave their heights unchanged
    smoothing: float | None = 6.0  # Hz: cutoff of smoothing, except at impacts; None for no smoothing
    fade: float = 0.04  # s over which corrections fade in and out
    peak: float | None = 1.25  # bound of each joint's speed, as a factor of its 99th percentile; None for no bound
    grip: float = 3000.0  # 1/m: weight of pins relative to joint corrections of 1 rad
    knee: float = 2.0  # weight of knees: a straight one must bend much to shorten its leg a little, which is seen
    toe: float = 0.3  # weight of toe joints: toes lie on the ground while heels rise
    swing: bool = True  # whether swing feet keep their height at mid-swing
    heave: float = 10.0  # weight of vertical shifts of the root by a hip height, relative to joint corrections of 1 rad


def clean_feet(
    clip: BodyClip, settings: FootSettings | None = None, prints: Sequence[Footprint] | None = None
) -> BodyClip:  # fmt: skip
    """The clip with contacts fixed, on `prints` or those that fit best, and no part of the feet below the ground."""
    chosen = settings or FootSettings()
    if clip.down is None:
        raise PoiseError(f"clip '{clip.name}' has no contacts: find them first (find_contacts)")
    smooth = clip if chosen.smoothing is None else smooth_clip(clip, chosen.smoothing)
    pins = contact_pins(clip, footprints(clip) if prints is None else prints)
    if chosen.clearance is not None:
        pins = raised_swing_pins(clip, pins, chosen.clearance)
    if chosen.swing:
        pins = kept_swing_pins(clip, pins)
    solver = PoseSolver(clip.body, pins.points)
    no_turns = np.zeros((clip.frames, 0, 4)), np.zeros((clip.frames, 0))
    goals = PoseGoals(pins.places, chosen.grip * pins.held, *no_turns, pins.ground, _BUOYANCY * chosen.grip)
    weights = _correction_weights(clip, chosen)
    search = partial(solve_path, solver, rate=clip.rate, fade=chosen.fade, weights=weights)
    standing = search(smooth.qpos, replace(goals, floors=None))
    # points below the ground are detected at the solution without floors
    clean = replace(clip, qpos=readonly(search(smooth.qpos, goals, start=_with_level_toes(clip, pins, standing))))
    if chosen.peak is None or clip.frames < 2:
        return clean
    tempered = limit_joint_speeds(clean, chosen.peak * np.maximum(usual_joint_speeds(clip), _STILL))
    body = clip.body
    legs = [k for joint in body.joints if joint.kind == "free" or joint.name in body.groups["legs"] for k in joint.qpos]
    if np.array_equal(tempered.qpos[:, legs], clean.qpos[:, legs]):  # root and legs stayed: no second cleanup is needed
        return tempered
    return replace(clip, qpos=readonly(search(tempered.qpos, goals)))


def _with_level_toes(clip: BodyClip, pins: ContactPins, qpos: Array) -> Array:
    """Poses `qpos` (T, nq) with level toes where the clip's toes point into the ground although the ball bears.

    From such toes the search would fold them under the foot.
    """
    assert clip.down is not None
    out, names = np.array(qpos), [part.name for part in clip.parts]
    now, _ = LinkKinematics(clip.body, pins.points).at(clip.qpos)
    sunk = now[..., 2] < pins.ground - _SUNK
    for foot in clip.body.feet:
        places, _ = LinkKinematics(clip.body, [(foot.link, point) for point in foot.points]).at(qpos)
        forward = places[:, 2:].mean(axis=1) - places[:, :2].mean(axis=1)
        raised = -np.arctan2(forward[:, 2], np.linalg.norm(forward[:, :2], axis=1))  # rad, the heel above the ball
        bears = clip.down[:, names.index(f"{foot.link}_ball")]
        for toe in (joint for joint in clip.body.joints if joint.parent_link == foot.link and joint.kind == "hinge"):
            some = bears & sunk[:, [link == toe.link for link, _ in pins.points]].any(axis=1)
            bend, address = toe.axes[0, 1] * out[:, toe.qpos[0]], toe.qpos[0]
            out[:, address] = toe.axes[0, 1] * np.where(some, np.minimum(bend, -raised), bend)
    return out


def _correction_weights(clip: BodyClip, settings: FootSettings) -> Array:
    """(nv,) costs of corrections: least for joints, more for the root's rotation and height, most for its path."""
    weights = np.ones(clip.body.nv)
    for ending, weight in (("knee", settings.knee), ("toe", settings.toe)):
        weights[[dof for joint in clip.body.joints if joint.name.endswith(ending) for dof in joint.dofs]] = weight
    height = clip.body.standing[2]
    weights[:2], weights[2], weights[3:6] = _STAY / height, settings.heave / height, _TILT
    return weights


def joint_speeds(clip: BodyClip) -> Array:
    """(T - 1, J) rad/s: speed of each of the J joints from frame to frame; for the root, its angular speed."""
    steps = PoseSpace(clip.body).difference(clip.qpos[:-1], clip.qpos[1:]) * clip.rate
    return np.stack([np.linalg.norm(steps[:, _rotational_dofs(joint)], axis=1) for joint in clip.body.joints], axis=1)


def usual_joint_speeds(clip: BodyClip) -> Array:
    """(J,) rad/s: 99th percentile of the speed of each of the J joints over the clip."""
    turning = [np.linalg.norm(clip.qvel[:, _rotational_dofs(joint)], axis=1) for joint in clip.body.joints]
    return np.asarray(np.percentile(turning, 99, axis=1))


def limit_joint_speeds(clip: BodyClip, bounds: Array) -> BodyClip:
    """The clip with the speeds of J joints limited to `bounds` (J,) rad/s where no joint moves by more than _UNSEEN.

    Excess speed is moved to neighbouring frames, so that the joint arrives at the same angle. Where the change would
    be visible, the peak is not a flaw of the data but part of the motion, such as a punch or a kick, and stays.
    """
    around = min(round(_AROUND * clip.rate), clip.frames // 2 - 1)
    if around < 1:
        return clip
    space = PoseSpace(clip.body)
    steps = space.difference(clip.qpos[:-1], clip.qpos[1:])
    moves = np.zeros((clip.frames, clip.body.nv))
    for joint, bound in zip(clip.body.joints, bounds, strict=True):
        here = _rotational_dofs(joint)
        most = bound / clip.rate
        if np.any(np.linalg.norm(steps[:, here], axis=1) > most):
            spread = _spread_speed_peaks(steps[:, here], _MARGIN * most, around)
            moves[1:, here] = _without_visible_moves(np.cumsum(spread - steps[:, here], axis=0), around)
    return replace(clip, qpos=readonly(space.moved(clip.qpos, moves))) if moves.any() else clip


def _rotational_dofs(joint: Joint) -> list[int]:
    return list(joint.dofs[-3:])


def _spread_speed_peaks(steps: Array, most: float, around: int) -> Array:
    """The steps (T, k) with lengths limited to `most`. The excess moves to steps up to `around` rows away."""
    window = np.hanning(2 * around + 3)[1:-1]
    inside = np.convolve(np.ones(len(steps)), window, mode="same")[:, None]  # smaller at the ends, so nothing is lost
    out = np.array(steps)
    for _ in range(_PASSES):
        length = np.linalg.norm(out, axis=1)
        over = length > most
        if not over.any():
            break
        excess = np.where(over, 1 - most / np.maximum(length, most), 0.0)[:, None] * out
        out += np.stack([np.convolve(column, window, mode="same") for column in (excess / inside).T], axis=1) - excess
    return out


def _without_visible_moves(moves: Array, around: int) -> Array:
    """Displacements (T, k), set to 0 in intervals with a visible one. Intervals within `around` rows are merged."""
    size = np.linalg.norm(moves, axis=1)
    moved = size > _ROUNDING
    near = np.convolve(moved, np.ones(2 * around + 1), mode="same") > 0
    out = np.where(moved[:, None], moves, 0.0)
    for start, stop in true_runs(near):
        if size[start:stop].max() > _UNSEEN:
            out[start:stop] = 0.0
    return out
