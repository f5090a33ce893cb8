"""Poses of a clip made fit for a flip that is planned: over the feet, deep enough, and tucked tightly enough.

A captured athlete pushes off in the middle of other movements, and how far captured feet are turned against the ground
is known to some degrees only. The file's own poses tell what the flip can do with.
"""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np

from poise.body import Body
from poise.frozen import Array
from poise.reference.authoring.figure import LIMB_ANGLES, Figure
from poise.reference.retarget_figure import SIDES

STAND, CROUCH, TUCK, STOOD = 0, 1, 3, 6
"""Places of the poses of a flip."""
ANKLE = "ankle_dorsiflexion"
LEANS = 4
"""Steps of Newton's method."""
LIMITED = 1e-4
"""m for a degree: ankles that move the body less are at their limit."""
LOOSEST = 1.1
"""Of the inertia of the file's own tuck: who is tucked less needs more momentum than legs give."""
HIGHEST = 1.05
"""Of the height of the file's own crouch: who crouches less has no way to push along."""
HALVINGS = 8

Poses = dict[str, tuple[float, ...]]  # degrees by angle


def fitted(poses: Poses, own: Poses, body: Body, places: list[int]) -> Poses:
    """Poses of a clip at some places, bent towards those of `own` no more than they must be."""
    figure = _Bent(body)
    for k in set(places) & {STAND, CROUCH, STOOD}:
        poses = _balanced(poses, own, k, figure)
    for k, most, measure in ((CROUCH, HIGHEST, figure.height), (TUCK, LOOSEST, figure.size)):
        if k in places:
            poses = _blended(poses, own, k, most, measure)
    return poses


class _Bent:
    """A body in poses that are told by angles."""

    def __init__(self, body: Body) -> None:
        self._body, self._figure, self._data = body, Figure(body), mujoco.MjData(body.model)

    def _pose(self, poses: Poses, k: int) -> None:
        angles: dict[str, float] = {}
        for name, values in poses.items():
            names = [f"{side}_{name}" for side in SIDES] if name in LIMB_ANGLES else [name]
            angles |= dict.fromkeys(names, values[k])
        self._data.qpos[:] = self._figure.poses(angles)[0]
        mujoco.mj_kinematics(self._body.model, self._data)
        mujoco.mj_comPos(self._body.model, self._data)

    def _over_foot(self, poses: Poses, k: int) -> Array:
        """(3,) m from an ankle to the centre of mass, the soles flat."""
        self._pose(poses, k)
        foot = self._body.link_id(self._body.feet[0].link)
        turn = self._data.xmat[foot].reshape(3, 3)
        return np.asarray(turn.T @ (self._data.subtree_com[1] - self._data.xpos[foot]))

    def ahead(self, poses: Poses, k: int) -> float:
        """m of the centre of mass before the ankles."""
        return float(self._over_foot(poses, k)[0])

    def height(self, poses: Poses, k: int) -> float:
        """m of the centre of mass above them."""
        return float(self._over_foot(poses, k)[2])

    def size(self, poses: Poses, k: int) -> float:
        """kg m^2 of all links as points, about the left through the centre of mass."""
        self._pose(poses, k)
        arms = self._data.xipos - self._data.subtree_com[1]
        return float(self._body.model.body_mass @ (arms[:, 0] ** 2 + arms[:, 2] ** 2))


def _balanced(poses: Poses, own: Poses, k: int, figure: _Bent) -> Poses:
    """The k-th with ankles bent so far that it leans over its feet as that of `own`: on film it did not fall."""
    wanted = figure.ahead(own, k)
    for _ in range(LEANS):
        here, more = (figure.ahead(_with_ankle(poses, k, by), k) for by in (0.0, 1.0))
        if more - here < LIMITED:
            break
        poses = _with_ankle(poses, k, (wanted - here) / (more - here))
    return poses


def _with_ankle(poses: Poses, k: int, by: float) -> Poses:
    """With ankles of the k-th bent further, by degrees."""
    angles = list(poses[ANKLE])
    angles[k] += by
    return {**poses, ANKLE: tuple(angles)}


def _blended(poses: Poses, own: Poses, k: int, most: float, measure: Callable[[Poses, int], float]) -> Poses:
    """The k-th bent towards that of `own` until its measure is no more than so much of that one's."""
    bound = most * measure(own, k)
    if measure(poses, k) <= bound:
        return poses
    fits, too_much = 0.0, 1.0
    for _ in range(HALVINGS):
        share = 0.5 * (fits + too_much)
        if measure(_between(own, poses, k, share), k) <= bound:
            fits = share
        else:
            too_much = share
    return _between(own, poses, k, fits)


def _between(own: Poses, poses: Poses, k: int, share: float) -> Poses:
    """The k-th as much of a share from that of `own` to its own."""
    out = {}
    for name, values in poses.items():
        at = own[name][k] if name in own else 0.0
        out[name] = (*values[:k], at + share * (values[k] - at), *values[k + 1 :])
    return out
