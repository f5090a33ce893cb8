"""Where points and links of a body are, and how they move with its joints, for many poses at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.arrays import Array
from poise.body.body import Body
from poise.rotations import quat_rotate


@dataclass(frozen=True, eq=False)
class LinkPoses:
    """Points and links in the world, and their Jacobians."""

    places: Array  # (T, P, 3) m
    turns: Array  # (T, L, 4)
    place_rows: Array  # (T, P, 3, nv) d place / d step
    turn_rows: Array  # (T, L, 3, nv) rotation of the link in the world / step


class Kinematics:
    """Chosen points, told in the frames of their links, and chosen links of a body.

    MuJoCo supplies places and joint axes; the rows follow from them for all frames at once.
    """

    def __init__(
        self, body: Body, points: Sequence[tuple[str, ArrayLike]], turns: Sequence[str] = ()
    ) -> None:  # fmt: skip
        self._model = body.model
        self._data = mujoco.MjData(self._model)
        self._carriers = np.array([body.link_id(link) for link, _ in points], int)
        self._offsets = np.array([offset for _, offset in points], float).reshape(-1, 3)
        links = np.array([body.link_id(link) for link in turns], int)
        self._both = np.concatenate([self._carriers, links])
        moves = _movers(self._model)
        self._moves_points, self._moves_links = moves[self._carriers], moves[links]

    def movers(self, points: NDArray[np.bool_], links: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The degrees of freedom that move any of the points (P,) or links (L,) told."""
        moved = np.concatenate([self._moves_points[points], self._moves_links[links]])
        return np.flatnonzero(moved.any(axis=0))

    def at(self, qpos: Array) -> tuple[Array, Array]:
        """Places (T, P, 3) of the points and turns (T, L, 4) of the links."""
        where, facing, _, _ = self._read(qpos, axes=False)
        points = len(self._carriers)
        return where + quat_rotate(facing[:, :points], self._offsets), facing[:, points:]

    def posed(self, qpos: Array) -> LinkPoses:
        """Places, turns and their Jacobians."""
        where, facing, axes, centre = self._read(qpos, axes=True)
        points = len(self._carriers)
        places = where + quat_rotate(facing[:, :points], self._offsets)
        spin, shift = axes[..., :3], axes[..., 3:]  # motion of each degree of freedom, told at the centre of mass
        place_rows = _cross_rows(spin, places - centre)
        place_rows += np.swapaxes(shift, 1, 2)[:, None]
        place_rows *= self._moves_points[:, None, :]
        turn_rows = np.swapaxes(spin, 1, 2)[:, None] * self._moves_links[:, None, :]
        return LinkPoses(places, facing[:, points:], place_rows, turn_rows)

    def _read(self, qpos: Array, axes: bool) -> tuple[Array, Array, Array, Array]:
        """Of each frame: carriers' places, all links' turns, and if wanted joint axes and the centre of mass."""
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


def _movers(model: mujoco.MjModel) -> Array:
    """(nbody, nv) 1 where a degree of freedom moves a link."""
    out = np.zeros((model.nbody, model.nv))
    for b in range(1, model.nbody):
        out[b] = out[model.body_parentid[b]]
        own = np.flatnonzero(model.dof_bodyid == b)
        out[b, own] = 1.0
    return out


def _cross_rows(spin: Array, arms: Array) -> Array:
    """(T, P, 3, nv) spin (T, nv, 3) x arms (T, P, 3)."""
    sx, sy, sz = (spin[:, None, :, i] for i in range(3))
    ax, ay, az = (arms[:, :, None, i] for i in range(3))
    return np.stack([sy * az - sz * ay, sz * ax - sx * az, sx * ay - sy * ax], axis=2)
