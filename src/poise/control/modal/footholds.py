"""Footholds that move: the reference goes on from where feet really stand, and steps to where the body can be caught.

An online edit of the reference. Each foot has an offset along the ground from where the reference has it: one that
stands, where it really is; one that swings, what brings the capture point [Pratt2006] over its place. The root goes
along with the feet that bear it, and legs follow.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.body import Body
from poise.body.feet import foot_links
from poise.control.modal.frames import Frame, Frames
from poise.dynamics.state import Contacts
from poise.reference.edit.limbs import chain_joints
from poise.spatial import Array, yaw_of

Ints = NDArray[np.int64]

FURTHEST, INWARD = 0.3, 0.06
"""m: how far a foothold is moved at most, and how far towards the other foot."""
ANCHOR, HASTE, FOLLOW = 0.1, 0.15, 0.15
"""Per frame: towards where a standing foot is, of a swinging foot, and of the root."""
SOON = 1.0
"""Of the pendulum's time: a capture point further ahead than this is not believed."""
LOOK = 120
"""Frames in which a foot that swings is expected to come down."""
ROUNDS, TURNED, LOOSE = 2, 0.3, 1e-4
"""Of inverse kinematics: rounds, m that a radian counts, and damping."""


class Footholds:
    """Offsets of the feet and of the root along the ground."""

    def __init__(self, body: Body, frames: Frames, step: float, gravity: float, capture: float) -> None:
        self._body, self._frames, self._step, self._gravity = body, frames, step, gravity
        self._capture = capture
        self._feet = [body.link_id(foot.link) for foot in body.feet]
        self._links = [set(links.tolist()) for links in foot_links(body)]
        self._corners = [np.flatnonzero(np.isin(frames.link, links)) for links in foot_links(body)]
        chains = [chain_joints(body, foot.link) for foot in body.feet]
        self._legs: list[Ints] = [np.array([dof for joint in chain for dof in joint.dofs]) for chain in chains]
        self.offset = np.zeros((len(self._feet), 2))  # m
        self.root = np.zeros(2)  # m
        self._landing = [0] * len(self._feet)
        self._data = mujoco.MjData(body.model)
        self._moving, self._turning = np.zeros((3, body.nv)), np.zeros((3, body.nv))

    def follow(self, index: int, com: Array, velocity: Array, corner: Array, contacts: Contacts, load: Array) -> None:
        """Take in where the body and its points (C, 3) are, and what bears on the reference's points (C, 3)."""
        if not self._feet or not self._capture:
            return
        frame = self._frames.at(index)
        pace = float(np.sqrt(self._gravity / max(float(frame.com[2]), 0.1)))  # 1/s, of a pendulum so high
        off = (com - frame.com)[:2] - self.root + (velocity - frame.velocity)[:2] / pace
        touching = set(contacts.body[contacts.touching].tolist())
        down = [bool(frame.down[own].any()) for own in self._corners]
        base = self.offset[down].mean(axis=0) if any(down) else self.root
        for k, own in enumerate(self._corners):
            if not down[k]:
                self.offset[k] += HASTE * (base + self._wanted(k, index, pace, off) - self.offset[k])
            elif touching & self._links[k]:
                away = (corner[own] - frame.corner[own]).mean(axis=0)[:2]
                self.offset[k] += ANCHOR * (away - self.offset[k])
        share = np.array([load[own, 2].sum() for own in self._corners])
        if share.sum() > 0:
            self.root += FOLLOW * (share @ self.offset / share.sum() - self.root)

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
        for k in range(len(self._feet)):
            way = np.append(self.offset[k] - self.root, 0.0)
            if float(way @ way) > 1e-8:
                self._step_to(out, k, way)
        return out

    def _step_to(self, qpos: Array, k: int, way: Array) -> None:
        """Move a foot of a pose along the ground, as it is turned."""
        model, data, foot, leg = self._body.model, self._data, self._feet[k], self._legs[k]
        goal, turn = None, np.eye(3)
        for _ in range(ROUNDS):
            data.qpos[:] = qpos
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            now = data.xmat[foot].reshape(3, 3)
            if goal is None:
                goal, turn = data.xpos[foot] + way, now.copy()
            mujoco.mj_jacBody(model, data, self._moving, self._turning, foot)
            rows = np.vstack([self._moving[:, leg], TURNED * self._turning[:, leg]])
            twist = 0.5 * np.cross(now.T, turn.T).sum(axis=0)
            error = np.concatenate([goal - data.xpos[foot], TURNED * twist])
            bend = np.zeros(self._body.nv)
            bend[leg] = rows.T @ np.linalg.solve(rows @ rows.T + LOOSE * np.eye(6), error)
            mujoco.mj_integratePos(model, qpos, bend, 1.0)

    def _lands(self, k: int, index: int) -> int:
        """The frame in which a foot that swings comes down."""
        if self._landing[k] <= index:
            at = index
            while at < index + LOOK and not self._frames.at(at).down[self._corners[k]].any():
                at += 1
            self._landing[k] = at
        return self._landing[k]

    def _wanted(self, k: int, index: int, pace: float, off: Array) -> Array:
        """(2,) m: how far aside a swinging foot is to land; one that does not come down stays as it is."""
        wait = self._lands(k, index) - index
        if wait >= LOOK:
            return np.zeros(2)
        ahead = min(pace * wait * self._step, SOON)
        return self._kept_apart(_bounded(self._capture * np.exp(ahead) * off), k, self._frames.at(index))

    def _kept_apart(self, wanted: Array, k: int, frame: Frame) -> Array:
        """Not too far towards the other foot."""
        if len(self._corners) != 2:
            return wanted
        yaw = float(yaw_of(frame.qpos[3:7]))
        across = np.array([-np.sin(yaw), np.cos(yaw)])
        mine, other = (frame.corner[own].mean(axis=0)[:2] for own in (self._corners[k], self._corners[1 - k]))
        outward = across if float((mine - other) @ across) > 0 else -across
        return np.asarray(wanted + outward * max(-float(wanted @ outward) - INWARD, 0.0))


def _bounded(way: Array) -> Array:
    size = float(np.linalg.norm(way))
    return way if size <= FURTHEST else way * (FURTHEST / size)
