"""The pelvis of a motion that rolls: what is lowest touches the ground and does not slip.

Limbs and trunk touch with the round ends of their shapes, as balls. The pelvis is so high that the lowest balls rest on
the ground, and goes its way so that they roll. Where the source says what is down, that is what touches, lowest or not.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from poise.body import Body
from poise.frozen import readonly
from poise.reference.contacts_runs import hysteresis, without_short
from poise.reference.ik_kinematics import Kinematics
from poise.reference.supports import Support
from poise.spatial import Array, quat_conjugate, quat_log, quat_multiply, quat_rotate

_CAPSULE, _SPHERE = int(mujoco.mjtGeom.mjGEOM_CAPSULE), int(mujoco.mjtGeom.mjGEOM_SPHERE)
_SOFT = 0.004  # m: balls so much higher than the lowest bear less, by a factor of e
_CALM = 0.03  # s over which weight goes over from ball to ball
_TOUCHING, _LIFTED = 0.008, 0.016  # m above the ground: nearer bears, farther does not, between both as before
_SHORTEST = 5  # frames


@dataclass(frozen=True, eq=False)
class Balls:
    """The round ends of a body's solid shapes."""

    links: tuple[str, ...]  # (B)
    names: tuple[str, ...]  # (B)
    centres: Array  # (B, 3) m in the link frames
    radii: Array  # (B,) m

    def take(self, which: NDArray[np.bool_]) -> Balls:
        """Some of the balls."""
        chosen = np.flatnonzero(which)
        return Balls(
            tuple(self.links[b] for b in chosen),
            tuple(self.names[b] for b in chosen),
            readonly(self.centres[chosen]),
            readonly(self.radii[chosen]),
        )


def balls_of(body: Body) -> Balls:
    """Both ends of each solid capsule, and all spheres."""
    model = body.model
    links, names, centres, radii = [], [], [], []
    for g in range(model.ngeom):
        solid = model.geom_contype[g] or model.geom_conaffinity[g]
        if not solid or model.geom_type[g] not in (_CAPSULE, _SPHERE):
            continue
        radius, half = model.geom_size[g, :2]
        ends = (-half, half) if model.geom_type[g] == _CAPSULE else (0.0,)
        for number, end in enumerate(ends):
            links.append(model.body(model.geom_bodyid[g]).name)
            names.append(f"{model.geom(g).name}_{number}")
            centres.append(model.geom_pos[g] + quat_rotate(model.geom_quat[g], (0.0, 0.0, end)))
            radii.append(radius)
    return Balls(tuple(links), tuple(names), readonly(centres), readonly(radii))


def rolled(body: Body, wished: Array, balls: Balls, rate: float, told: NDArray[np.bool_]) -> Array:
    """(T, 3) m: where the pelvis is so that the lowest balls touch the ground and roll on it.

    In frames in which any ball is `told` (T, B) to be down, those touch instead.
    """
    places, turns = _kinematics(body, balls).at(wished)
    low = places[..., 2] - balls.radii  # (T, B) m
    share = np.exp(-(low - low.min(axis=1, keepdims=True)) / _SOFT)
    share = np.where(told.any(axis=1, keepdims=True), told, share)
    share = gaussian_filter1d(share / share.sum(axis=1, keepdims=True), _CALM * rate, axis=0, mode="nearest")
    slip = np.diff(places, axis=0)[..., :2] + _rolling(turns, balls.radii)
    root = np.array(wished[:, :3])
    root[1:, :2] -= np.cumsum(np.sum((share[1:] + share[:-1])[..., None] / 2 * slip, axis=1), axis=0)
    root[:, 2] -= np.sum(share * low, axis=1)
    return root


def _rolling(turns: Array, radii: Array) -> Array:
    """(T - 1, B, 2) m by which the lowest points of turning balls (T, B, 4) go along with them, back over ground."""
    turn = quat_log(quat_multiply(turns[1:], quat_conjugate(turns[:-1])))  # rad per frame, in the world
    return np.asarray(radii[:, None] * np.stack([-turn[..., 1], turn[..., 0]], axis=-1))


def rolling_supports(body: Body, qpos: Array, balls: Balls) -> tuple[Support, ...]:
    """The balls that touch the ground, while they do."""
    places, _ = _kinematics(body, balls).at(qpos)
    out = []
    for b, (name, link) in enumerate(zip(balls.names, balls.links, strict=True)):
        down = _touching(places[:, b, 2] - balls.radii[b])
        if down.any():
            radius = float(balls.radii[b])
            out.append(Support(name, link, readonly(balls.centres[b]), readonly(down, bool), radius=radius))
    return tuple(out)


def _touching(gap: Array) -> NDArray[np.bool_]:
    return without_short(hysteresis(gap, _TOUCHING, _LIFTED), _SHORTEST, _SHORTEST)


def _kinematics(body: Body, balls: Balls) -> Kinematics:
    return Kinematics(body, list(zip(balls.links, balls.centres, strict=True)), balls.links)
