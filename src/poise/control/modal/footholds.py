"""Footholds that move: the reference goes on from where feet really stand, and steps to where the body can be caught.

An online edit of the reference. Each foot has an offset along the ground from where the reference has it: one that
stands, where it really is; one that swings, what brings the capture point [Pratt2006] over its place. The root goes
along with the feet that bear it, and legs follow.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.body import Body
from poise.control.modal.frames import Frames
from poise.reference.edit.limbs import chain_joints
from poise.spatial import Array, yaw_of

Ints = NDArray[np.int64]


class Stride(NamedTuple):
    """How footholds move."""

    capture: float = 0.3  # share of the capture point's error that a foothold makes up for
    furthest: float = 0.3  # m
    inward: float = 0.06  # m, towards the other foot
    anchor: float = 0.1  # per frame, towards where a standing foot is
    haste: float = 0.15  # per frame, of a swinging foot


class Footholds:
    """Offsets of the feet and of the root."""

    def __init__(self, body: Body, frames: Frames, step: float, gravity: float, stride: Stride) -> None:
        self._body, self._frames, self._step, self._stride = body, frames, step, stride
        self._gravity = gravity
        feet = [body.link_id(foot.link) for foot in body.feet]
        self._corners = [np.flatnonzero(frames.link == foot) for foot in feet]
        self._feet = feet
        self._legs = [np.array([d for j in chain_joints(body, foot.link) for d in j.dofs], np.int64) for foot in body.feet]
        self.offset = np.zeros((len(feet), 2))  # m
        self.root = np.zeros(2)  # m
        self._landing = [0] * len(feet)
        self._data = mujoco.MjData(body.model)
        self._moving, self._turning = np.zeros((3, body.nv)), np.zeros((3, body.nv))

    def follow(self, index: int, com: Array, velocity: Array, corner: Array, touching: list[bool]) -> None:
        """Take in where the body is; ``touching`` tells of each foot whether it does."""
        frame, s = self._frames.at(index), self._stride
        yaw = float(yaw_of(frame.qpos[3:7]))
        self._heading = np.array([np.cos(yaw), np.sin(yaw)])
        down = [bool(frame.down[own].any()) for own in self._corners]
        pace = np.sqrt(self._gravity / max(float(frame.com[2]), 0.1))
        off = (com - frame.com)[:2] - self.root + (velocity - frame.velocity)[:2] / pace
        standing = [k for k in range(len(down)) if down[k]]
        base = self.offset[standing].mean(axis=0) if standing else self.root
        for k, own in enumerate(self._corners):
            if down[k]:
                if touching[k]:
                    away = (corner[own] - frame.corner[own]).mean(axis=0)[:2]
                    self.offset[k] += s.anchor * (away - self.offset[k])
                continue
            wait = (self._lands(k, index) - index) * self._step
            wanted = s.capture * np.exp(min(pace * wait, 1.0)) * off
            size = float(np.linalg.norm(wanted))
            wanted *= min(1.0, s.furthest / size) if size > 0 else 1.0
            wanted = self._outward(wanted, k, frame.corner)
            self.offset[k] += s.haste * (base + wanted - self.offset[k])

    def _outward(self, wanted: Array, k: int, corner: Array) -> Array:
        """Not too far towards the other foot."""
        if len(self._corners) != 2:
            return wanted
        side = (corner[self._corners[k]].mean(axis=0) - corner[self._corners[1 - k]].mean(axis=0))[:2]
        heading = self._heading
        across = np.array([-heading[1], heading[0]])
        sign = 1.0 if float(side @ across) > 0 else -1.0
        inward = -sign * float(wanted @ across)
        return wanted + sign * across * max(inward - self._stride.inward, 0.0)

    def _lands(self, k: int, index: int) -> int:
        """The frame in which a foot that swings comes down."""
        if self._landing[k] <= index:
            at = index
            while at < index + 120 and not self._frames.at(at).down[self._corners[k]].any():
                at += 1
            self._landing[k] = at
        return self._landing[k]

    def shift_root(self, share: Array) -> None:
        """Take the root along with the feet, by their shares of the load."""
        total = float(share.sum())
        if total > 0:
            self.root += 0.15 * (share @ self.offset / total - self.root)

    def moved(self) -> Array:
        """(C, 3) m: how far points that may bear are from where the reference has them."""
        out = np.zeros((len(self._frames.link), 3))
        for own, offset in zip(self._corners, self.offset, strict=True):
            out[own, :2] = offset
        return out

    def edited(self, qpos: Array) -> Array:
        """A pose of the reference with its root and feet moved."""
        out = np.array(qpos)
        out[:2] += self.root
        model, data = self._body.model, self._data
        for k, foot in enumerate(self._feet):
            way = np.append(self.offset[k] - self.root, 0.0)
            if float(way @ way) < 1e-8:
                continue
            for _ in range(2):
                data.qpos[:] = out
                mujoco.mj_kinematics(model, data)
                mujoco.mj_comPos(model, data)
                if _ == 0:
                    goal, turn = data.xpos[foot] + way, data.xmat[foot].reshape(3, 3).copy()
                mujoco.mj_jacBody(model, data, self._moving, self._turning, foot)
                rows = np.vstack([self._moving[:, self._legs[k]], 0.3 * self._turning[:, self._legs[k]]])
                now = data.xmat[foot].reshape(3, 3)
                twist = 0.5 * sum(np.cross(now[:, i], turn[:, i]) for i in range(3))
                error = np.concatenate([goal - data.xpos[foot], 0.3 * twist])
                step = np.zeros(self._body.nv)
                step[self._legs[k]] = rows.T @ np.linalg.solve(rows @ rows.T + 1e-4 * np.eye(6), error)
                mujoco.mj_integratePos(model, out, step, 1.0)
        return out
