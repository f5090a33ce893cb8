"""Footholds that move: the reference goes on from where feet really stand, and steps to where the body can be caught.

An online edit of the reference. Each foot has an offset along the ground from where the reference has it: one that
stands, where it really is; one that swings, what brings the capture point [Pratt2006] over its place. The root goes
along with the feet that bear it, and legs follow.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from poise.arrays import Array, Ints
from poise.body.body import Body
from poise.body.contact_parts import foot_links
from poise.control.controller import Ground
from poise.control.modal.frames import Frames, ReferenceFrame
from poise.dynamics.state import Contacts
from poise.edit.limbs import chain_joints
from poise.kernel import kernel
from poise.rotations import yaw_of

FURTHEST, INWARD = 0.3, 0.06
"""m: how far a foothold is moved at most, and how far towards the other foot."""
ANCHOR, HASTE, FOLLOW = 0.1, 0.15, 0.15
"""Per frame: towards where a standing foot is, of a swinging foot, and of the root."""
CALM = 0.02
"""m: smaller errors of the capture point are left to contact forces; steps that answer them shake a calm walk."""
SOON = 1.0
"""Of the pendulum's time: a capture point further ahead than this is not believed."""
LOOK = 120
"""Frames in which a foot that swings is expected to come down."""
CREEP = 0.005
"""Per frame, towards where a flat foot is of who only stands: he has nowhere else to stand, but feet creep in time."""
FLAT = 0.002
"""m: points of a foot that stands flat are no further up or down than this from where they should be."""
LOWEST = 0.1
"""m: a pendulum is never taken to be lower."""
TURNED, LOOSE = 0.3, 1e-4
"""Of inverse kinematics: m that a radian counts, and damping."""


class FootholdOffsets:
    """Offsets of the feet and of the root along the ground, and up and down with it."""

    def __init__(self, body: Body, ground: Ground, frames: Frames, step: float, gravity: float, capture: float) -> None:
        self._body, self._frames, self._step, self._gravity = body, frames, step, gravity
        self._ground, self._capture = ground, capture
        self._feet = [body.link_id(foot.link) for foot in body.feet]
        self._links = [set(links.tolist()) for links in foot_links(body)]
        self._corners = [np.flatnonzero(np.isin(frames.link, links)) for links in foot_links(body)]
        chains = [chain_joints(body, foot.link) for foot in body.feet]
        self._legs: list[Ints] = [np.array([dof for joint in chain for dof in joint.dofs]) for chain in chains]
        self.offset = np.zeros((len(self._feet), 3))  # m
        self.root = np.zeros(3)  # m
        self._landing = [0] * len(self._feet)
        self._edition = 0
        self._steps = False  # whether a foot has ever left the ground
        self._data = mujoco.MjData(body.model)
        self._bend = np.zeros(body.nv)  # rad: of the legs, against the reference
        self._moving, self._turning = np.zeros((3, body.nv)), np.zeros((3, body.nv))
        for leg in self._legs[:1]:  # compiles it, before time counts
            bend_to(self._moving[:, leg], self._turning[:, leg], np.zeros(3), np.zeros(9), np.zeros(3), np.eye(3))

    def follow(self, index: int, error: Array, corner: Array, contacts: Contacts, load: Array) -> None:
        """Take in how far off the body is, (12,), where its points are and what bears on the reference's, (C, 3)."""
        if not self._feet or not self._capture:
            return
        frame = self._frames.at(index)
        touching = set(contacts.body[contacts.touching].tolist())
        down = [bool(frame.down[own].any()) for own in self._corners]
        self._steps = self._steps or not all(down)
        meant = np.array([_middle(frame.corner[own]) for own in self._corners])
        base = _middle(self.offset[down]) if any(down) else self.root[:2]
        for k, own in enumerate(self._corners):
            along = self.offset[k, :2]  # a view
            if not down[k]:
                along += HASTE * (base + self._wanted(k, index, error) - along)
            elif touching & self._links[k]:
                haste = ANCHOR if self._steps else CREEP * self._flat(k, frame, corner)
                along += haste * (_middle(corner[own]) - meant[k] - along)
        self._rise(meant)
        share = np.array([load[own, 2].sum() for own in self._corners])
        if share.sum() > 0:
            self.root += FOLLOW * (share @ self.offset / share.sum() - self.root)

    def _flat(self, k: int, frame: ReferenceFrame, corner: Array) -> bool:
        """Whether a foot stands flat: one that tips is no foothold."""
        own = self._corners[k]
        return bool(np.abs(corner[own, 2] - frame.corner[own, 2] - self.offset[k, 2]).max() < FLAT)

    def _pace(self, com: Array) -> float:
        """1/s, of a pendulum as high as a centre of mass (3,) m is above the ground."""
        high = float(com[2]) - self._ground.height(float(com[0]), float(com[1]))
        return float(np.sqrt(self._gravity / max(high, LOWEST)))

    def _rise(self, meant: Array) -> None:
        """Go up and down with the ground, from where feet (F, 2) are meant to be."""
        x, y = np.concatenate([meant, meant + self.offset[:, :2]]).T
        high = np.asarray(self._ground.heights(x, y))
        self.offset[:, 2] = high[len(meant) :] - high[: len(meant)]

    def moved(self) -> Array:
        """(C, 3) m: how far points that may bear are from where the reference has them."""
        out = np.zeros((len(self._frames.link), 3))
        for own, offset in zip(self._corners, self.offset, strict=True):
            out[own] = offset
        return out

    def edited(self, qpos: Array) -> Array:
        """A pose of the reference, the next after the one before, with its root and feet moved."""
        if not (self.offset.any() or self.root.any()):
            return qpos
        model, data, out = self._body.model, self._data, np.array(qpos)
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        goals = [(data.xpos[foot] + way, data.xmat[foot].reshape(3, 3).copy())
                 for foot, way in zip(self._feet, self.offset, strict=True)]  # fmt: skip
        out[:3] += self.root
        data.qpos[:] = out
        mujoco.mj_integratePos(model, data.qpos, self._bend, 1.0)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        for foot, leg, (goal, turn) in zip(self._feet, self._legs, goals, strict=True):
            mujoco.mj_jacBody(model, data, self._moving, self._turning, foot)
            self._bend[leg] += bend_to(
                self._moving[:, leg], self._turning[:, leg], data.xpos[foot], data.xmat[foot], goal, turn
            )
        mujoco.mj_integratePos(model, out, self._bend, 1.0)
        return out

    def _lands(self, k: int, index: int) -> int:
        """The frame in which a foot that swings comes down."""
        if self._edition != self._frames.edition:
            self._edition, self._landing = self._frames.edition, [0] * len(self._feet)
        if self._landing[k] <= index:
            at = index
            while at < index + LOOK and not self._frames.at(at).down[self._corners[k]].any():
                at += 1
            self._landing[k] = at
        return self._landing[k]

    def _wanted(self, k: int, index: int, error: Array) -> Array:
        """(2,) m: how far aside a swinging foot is to land; one that does not come down stays as it is."""
        wait = self._lands(k, index) - index
        if wait >= LOOK:
            return np.zeros(2)
        frame = self._frames.at(index)
        pace = self._pace(frame.com)
        off = beyond_calm(error[:2] + error[6:8] / pace)
        ahead = min(pace * wait * self._step, SOON)
        return self._kept_apart(_bounded(self._capture * np.exp(ahead) * off), k, frame)

    def _kept_apart(self, wanted: Array, k: int, frame: ReferenceFrame) -> Array:
        """Not too far towards the other foot."""
        if len(self._corners) != 2:
            return wanted
        yaw = float(yaw_of(frame.qpos[3:7]))
        across = np.array([-np.sin(yaw), np.cos(yaw)])
        mine, other = (_middle(frame.corner[own]) for own in (self._corners[k], self._corners[1 - k]))
        outward = across if float((mine - other) @ across) > 0 else -across
        return np.asarray(wanted + outward * max(-float(wanted @ outward) - INWARD, 0.0))


def _middle(points: Array) -> Array:
    """(2,) along the ground, of points (k, 3)."""
    return np.asarray(points[:, :2].sum(axis=0) / len(points))


def beyond_calm(way: Array) -> Array:
    """(2,) m: what of an error of the capture point (2,) steps answer."""
    return np.asarray(way * max(1.0 - CALM / max(float(np.linalg.norm(way)), 1e-9), 0.0))


def _bounded(way: Array) -> Array:
    size = float(np.linalg.norm(way))
    return way if size <= FURTHEST else way * (FURTHEST / size)


@kernel
def bend_to(moving: Any, turning: Any, place: Any, now: Any, goal: Any, turn: Any) -> Any:
    """(n,) rad by which joints with the Jacobians (3, n) bring a link from a place and turn (9,) to others."""
    n = moving.shape[1]
    rows, error = np.empty((6, n)), np.empty(6)
    rows[:3], rows[3:] = moving, TURNED * turning
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        twist = 0.0
        for axis in range(3):
            twist += now[3 * j + axis] * turn[k, axis] - now[3 * k + axis] * turn[j, axis]
        error[i], error[3 + i] = goal[i] - place[i], TURNED * 0.5 * twist
    bottom = rows @ rows.T
    for i in range(6):
        bottom[i, i] += LOOSE
    return rows.T @ np.linalg.solve(bottom, error)
