"""Strides of a walk, at phases that are alike: 0 is a strike of the left foot, 1 the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import mujoco
import numpy as np

from poise.body import Body
from poise.body.carrying import Carriage
from poise.body.poses import PoseSpace
from poise.control.pendulum.hearing import RATE, hear, strikes
from poise.frozen import Array
from poise.reference import Reference
from poise.spatial import yaw_of

PHASES = 24
HEARD = 6.0
"""s of a reference that are compared with."""


@dataclass(frozen=True)
class Strides:
    """n strides at PHASES phases."""

    qpos: Array  # (n, PHASES, nq)
    com: Array  # (n, PHASES, 3) m about its steady progress, ahead and to the left; above the ground


@dataclass(frozen=True)
class Errors:
    """How strides differ from one of a clip, at each phase: root mean squares over strides and joints."""

    upper: Array  # (PHASES,) rad
    legs: Array  # (PHASES,) rad
    com: Array  # (PHASES,) m


def strides_of(body: Body, qpos: Array, struck: Sequence[int]) -> Strides:
    """Those between strikes of the left foot, at frames of poses (T, nq)."""
    space = PoseSpace(body)
    phases = np.arange(PHASES) / PHASES
    poses, coms = [], []
    for a, b in pairwise(struck):
        own = qpos[a : b + 1]
        frames = space.smooth(own, np.append(phases, 1.0) * (b - a))
        poses.append(frames[:-1])
        coms.append(_steadied(_com(body, frames), float(np.mean(np.unwrap(yaw_of(own[:, 3:7]))))))
    return Strides(np.reshape(poses, (-1, PHASES, body.nq)), np.reshape(coms, (-1, PHASES, 3)))


def _com(body: Body, frames: Array) -> Array:
    """(T, 3) m."""
    data = mujoco.MjData(body.model)
    out = np.zeros((len(frames), 3))
    for frame, place in zip(frames, out, strict=True):
        data.qpos[:] = frame
        mujoco.mj_kinematics(body.model, data)
        mujoco.mj_comPos(body.model, data)
        place[:] = data.subtree_com[1]
    return out


def _steadied(com: Array, yaw: float) -> Array:
    """(PHASES, 3) of a stride's centre of mass (PHASES + 1, 3), its last that of the next stride."""
    way = Carriage(-yaw, np.zeros(3)).vector(com)
    progress = np.linspace(0.0, 1.0, len(way))[:, None] * (way[-1] - way[0])
    out = (way - progress)[:-1]
    out[:, :2] -= out[:, :2].mean(axis=0)
    return np.asarray(out)


def reference_strides(body: Body, reference: Reference) -> Strides:
    """Those of what is imitated; none if it does not walk, or does not tell when its feet bear."""
    heard = hear(reference, body, HEARD)
    return strides_of(body, heard.poses, strikes(heard.down[:, 0], RATE))


def compared(body: Body, walked: Strides, clip: Strides) -> Errors:
    """How a walk differs from the one stride of a clip that it is nearest to."""
    space, count = PoseSpace(body), len(walked.qpos)
    flat = walked.qpos.reshape(-1, body.nq)
    off = np.stack([space.difference(np.tile(stride, (count, 1)), flat) for stride in clip.qpos])
    nearest = int(np.argmin(np.mean(off[:, :, 6:] ** 2, axis=(1, 2))))
    angles = off[nearest].reshape(count, PHASES, body.nv)
    legs = [dof for name in body.groups["legs"] for dof in body.joint(name).dofs]
    upper = np.setdiff1d(np.arange(6, body.nv), legs)
    away = np.sum((walked.com - clip.com[nearest]) ** 2, axis=2)
    return Errors(
        np.sqrt(np.mean(angles[:, :, upper] ** 2, axis=(0, 2))),
        np.sqrt(np.mean(angles[:, :, legs] ** 2, axis=(0, 2))),
        np.sqrt(np.mean(away, axis=0)),
    )
