"""Forward kinematics and Jacobians of points and links of a body, for many poses at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, Ints, Mask
from poise.body.body import Body
from poise.rotations import quat_rotate


@dataclass(frozen=True, eq=False)
class LinkPoses:
    """Positions of P points and orientations of L links in the world in T poses, and the Jacobians of both."""

    places: Array  # (T, P, 3) m, positions of the points
    turns: Array  # (T, L, 4), orientations of the links
    place_rows: Array  # (T, P, 3, nv) Jacobian of the points
    turn_rows: Array  # (T, L, 3, nv) Jacobian of the links' rotation vectors in the world


class LinkKinematics:
    """Positions of points, given in the frames of their links, and orientations of links (`turns`), for many poses."""

    def __init__(self, body: Body, points: Sequence[tuple[str, ArrayLike]], turns: Sequence[str] = ()) -> None:
        self._model = body.model
        self._data = mujoco.MjData(self._model)
        self._carriers = np.array([body.link_id(link) for link, _ in points], int)
        self._offsets = np.array([offset for _, offset in points], float).reshape(-1, 3)
        links = np.array([body.link_id(link) for link in turns], int)
        self._both = np.concatenate([self._carriers, links])
        moves = links_moved_by_dofs(self._model)
        self._moves_points, self._moves_links = moves[self._carriers], moves[links]

    def moving_dofs(self, points: Mask, links: Mask) -> Ints:
        """Indices of the degrees of freedom that move any of the selected points (P,) or links (L,)."""
        moved = np.concatenate([self._moves_points[points], self._moves_links[links]])
        return np.flatnonzero(moved.any(axis=0))

    def at(self, qpos: Array) -> tuple[Array, Array]:
        """Positions (T, P, 3) m of the points and orientations (T, L, 4) of the links in poses (T, nq)."""
        where, facing, _, _ = self._link_frames(qpos, axes=False)
        points = len(self._carriers)
        return where + quat_rotate(facing[:, :points], self._offsets), facing[:, points:]

    def posed(self, qpos: Array) -> LinkPoses:
        """Positions, orientations and their Jacobians for poses (T, nq)."""
        where, facing, axes, centre = self._link_frames(qpos, axes=True)
        points = len(self._carriers)
        places = where + quat_rotate(facing[:, :points], self._offsets)
        spin, shift = axes[..., :3], axes[..., 3:]  # twist of each degree of freedom at the centre of mass
        (sx, sy, sz), arms = (spin[:, None, :, i] for i in range(3)), places - centre
        ax, ay, az = (arms[:, :, None, i] for i in range(3))
        place_rows = np.stack([sy * az - sz * ay, sz * ax - sx * az, sx * ay - sy * ax], axis=2)
        place_rows += np.swapaxes(shift, 1, 2)[:, None]
        place_rows *= self._moves_points[:, None, :]
        turn_rows = np.swapaxes(spin, 1, 2)[:, None] * self._moves_links[:, None, :]
        return LinkPoses(places, facing[:, points:], place_rows, turn_rows)

    def _link_frames(self, qpos: Array, axes: bool) -> tuple[Array, Array, Array, Array]:
        """Positions (T, P, 3) m of the points' links; orientations (T, P + L, 4) of the points' and the chosen links.

        Then, if `axes`, the twists (T, nv, 6) of the degrees of freedom and the centre of mass (T, 1, 3) m.
        """
        model, data, both = self._model, self._data, self._both
        where, facing = np.empty((len(qpos), len(self._carriers), 3)), np.empty((len(qpos), len(both), 4))
        motion, centre = np.empty((len(qpos), model.nv, 6)), np.empty((len(qpos), 1, 3))
        for k, pose in enumerate(qpos):
            data.qpos[:] = pose
            mujoco.mj_kinematics(model, data)
            where[k], facing[k] = data.xpos[self._carriers], data.xquat[both]
            if axes:
                mujoco.mj_comPos(model, data)
                motion[k], centre[k] = data.cdof, data.subtree_com[1]
        return where, facing, motion, centre


def links_moved_by_dofs(model: mujoco.MjModel) -> Array:
    """Matrix (nbody, nv), 1 where a degree of freedom moves a link."""
    out = np.zeros((model.nbody, model.nv))
    for b in range(1, model.nbody):
        out[b] = out[model.body_parentid[b]]
        out[b, model.dof_bodyid == b] = 1.0
    return out
