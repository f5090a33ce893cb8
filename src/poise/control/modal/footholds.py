"""Footholds that move: every step edits the reference, so that it follows the real feet and steps to catch the body.

Each foot has an offset along the ground from its place in the reference. The offset of a stance foot follows the foot's
real place. The offset of a swing foot moves the landing towards the capture point [Pratt2006]. The root moves with the
feet that bear it, and the legs follow by inverse kinematics.
"""

import mujoco
import numpy as np

from poise.arrays import Array, Ints
from poise.body.body import Body
from poise.body.surface import foot_links
from poise.control.controller import GroundView
from poise.control.modal.frames import ModalWindowFrames, WindowFrame
from poise.dynamics.state import Contacts
from poise.edit.limbs import chain_joints
from poise.kernel import kernel
from poise.rotations import yaw_of

FURTHEST, INWARD = 0.3, 0.06  # Largest offset (m) of a landing, in any direction and towards the other foot
STANCE_RATE, SWING_RATE, ROOT_RATE = 0.1, 0.15, 0.15
"""In each frame, the offsets of stance feet, of swing feet and of the root move by this share of their way left."""
CREEP_RATE = 0.005
"""Replaces STANCE_RATE for flat feet while the motion has never lifted a foot: such feet do not step, but creep."""
DEAD_ZONE = 0.02
"""Error (m) of the capture point that only contact forces correct: steps would disturb a steady walk."""
LONGEST_PREDICTION = 1.0
"""Longest time, in time constants of the pendulum, over which the growth of the capture point's error is predicted."""
LOOK_AHEAD = 120  # Frames within which the landing of a swing foot is looked for
FLAT = 0.002  # Largest vertical error (m) of the points of a foot that stands flat
LEAST_HEIGHT = 0.1  # Least height (m) of the pendulum
TURN_ARM, DAMPING = 0.3, 1e-4
"""Inverse kinematics of the legs: length (m) that converts rotation into displacement, and damping (m^2)."""


class ModalFootholds:
    """Offsets (m) from the reference of feet (F, 3) and root (3,); landings correct the share `capture` of errors."""

    def __init__(
        self, body: Body, ground: GroundView, frames: ModalWindowFrames, step: float, gravity: float, capture: float
    ) -> None:
        self._body, self._frames, self._step, self._gravity = body, frames, step, gravity
        self._ground, self._capture = ground, capture
        self._feet = [body.link_id(foot.link) for foot in body.feet]
        self._links = [set(links.tolist()) for links in foot_links(body)]
        self._corners = [np.flatnonzero(np.isin(frames.link, links)) for links in foot_links(body)]
        chains = [chain_joints(body, foot.link) for foot in body.feet]
        self._legs: list[Ints] = [np.array([dof for joint in chain for dof in joint.dofs]) for chain in chains]
        self.offset, self.root = np.zeros((len(self._feet), 3)), np.zeros(3)
        self._landing = [0] * len(self._feet)  # frame in which each foot comes down next
        self._edition = 0
        self._steps = False  # whether a foot has ever left the ground
        self._data = mujoco.MjData(body.model)
        self._bend = np.zeros(body.nv)  # (nv,) rad: change of the leg angles against the reference
        self._moving, self._turning = np.zeros((3, body.nv)), np.zeros((3, body.nv))
        for leg in self._legs[:1]:  # compiles the kernel before the first timed step
            rows = self._moving[:, leg]
            modal_leg_step(rows, rows, np.zeros(3), np.zeros(9), np.zeros(3), np.eye(3))

    def update(self, index: int, error: Array, corner: Array, contacts: Contacts, load: Array) -> None:
        """Update the offsets in frame `index` from the error (12,) of the rigid body modes and the present contacts.

        `corner` (C, 3) m are the body's contact points. `load` (C, 3) are the reference's contact forces at these
        points: the root follows the mean of the feet's offsets, weighted by these forces.
        """
        if not self._feet or not self._capture:
            return
        frame = self._frames.at(index)
        touching = set(contacts.body[contacts.touching].tolist())
        down = [bool(frame.down[own].any()) for own in self._corners]
        self._steps = self._steps or not all(down)
        planned = np.array([_modal_feet_centre(frame.corner[own]) for own in self._corners])
        base = _modal_feet_centre(self.offset[down]) if any(down) else self.root[:2]
        for k, own in enumerate(self._corners):
            along = self.offset[k, :2]  # a view
            if not down[k]:
                along += SWING_RATE * (base + self._landing_offset(k, index, error) - along)
            elif touching & self._links[k]:
                rate = STANCE_RATE if self._steps else CREEP_RATE * self._stands_flat(k, frame, corner)
                along += rate * (_modal_feet_centre(corner[own]) - planned[k] - along)
        x, y = np.concatenate([planned, planned + self.offset[:, :2]]).T
        high = np.asarray(self._ground.heights(x, y))
        self.offset[:, 2] = high[len(planned) :] - high[: len(planned)]
        share = np.array([load[own, 2].sum() for own in self._corners])
        if share.sum() > 0:
            self.root += ROOT_RATE * (share @ self.offset / share.sum() - self.root)

    def corner_offsets(self) -> Array:
        """(C, 3) m: offsets of the contact points from the reference; zero for points that are not on a foot."""
        out = np.zeros((len(self._frames.link), 3))
        for own, offset in zip(self._corners, self.offset, strict=True):
            out[own] = offset
        return out

    def edited_pose(self, qpos: Array) -> Array:
        """(nq,) a pose with root and feet moved by their offsets; each call adds one step of inverse kinematics."""
        if not (self.offset.any() or self.root.any()):
            return qpos
        model, data, out = self._body.model, self._data, np.array(qpos)
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        goals = [data.xpos[foot] + way for foot, way in zip(self._feet, self.offset, strict=True)]
        turns = [data.xmat[foot].reshape(3, 3).copy() for foot in self._feet]
        out[:3] += self.root
        data.qpos[:] = out
        mujoco.mj_integratePos(model, data.qpos, self._bend, 1.0)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        for foot, leg, goal, turn in zip(self._feet, self._legs, goals, turns, strict=True):
            mujoco.mj_jacBody(model, data, self._moving, self._turning, foot)
            moving, turning = self._moving[:, leg], self._turning[:, leg]
            self._bend[leg] += modal_leg_step(moving, turning, data.xpos[foot], data.xmat[foot], goal, turn)
        mujoco.mj_integratePos(model, out, self._bend, 1.0)
        return out

    def _stands_flat(self, k: int, frame: WindowFrame, corner: Array) -> bool:
        """Whether foot k stands flat; a foot that tips is not a foothold."""
        own = self._corners[k]
        return bool(np.abs(corner[own, 2] - frame.corner[own, 2] - self.offset[k, 2]).max() < FLAT)

    def _landing_offset(self, k: int, index: int, error: Array) -> Array:
        """(2,) m: wanted landing of foot k, from the stance feet's mean offset; zero if foot k does not land soon."""
        wait = self._landing_frame(k, index) - index
        if wait >= LOOK_AHEAD:
            return np.zeros(2)
        frame = self._frames.at(index)
        rate = self._pendulum_rate(frame.com)
        off = modal_capture_error(error[:2] + error[6:8] / rate)
        growth = np.exp(min(rate * wait * self._step, LONGEST_PREDICTION))
        wanted = self._capture * growth * off
        size = float(np.linalg.norm(wanted))
        return self._keep_feet_apart(wanted if size <= FURTHEST else wanted * (FURTHEST / size), k, frame)

    def _landing_frame(self, k: int, index: int) -> int:
        """Number of the frame in which swing foot k lands; `index` + LOOK_AHEAD if the foot does not land by then."""
        if self._edition != self._frames.edition:
            self._edition, self._landing = self._frames.edition, [0] * len(self._feet)
        if self._landing[k] <= index:
            ahead = range(index, index + LOOK_AHEAD)
            down = (frame for frame in ahead if self._frames.at(frame).down[self._corners[k]].any())
            self._landing[k] = next(down, ahead.stop)
        return self._landing[k]

    def _pendulum_rate(self, com: Array) -> float:
        """Rate sqrt(g / height), 1/s, of the inverted pendulum from the ground to a centre of mass (3,) m."""
        high = float(com[2]) - self._ground.height(float(com[0]), float(com[1]))
        return float(np.sqrt(self._gravity / max(high, LEAST_HEIGHT)))

    def _keep_feet_apart(self, wanted: Array, k: int, frame: WindowFrame) -> Array:
        """(2,) m: the `wanted` landing offset of foot k, with at most INWARD of it towards the other foot."""
        if len(self._corners) != 2:
            return wanted
        yaw = float(yaw_of(frame.qpos[3:7]))
        across = np.array([-np.sin(yaw), np.cos(yaw)])
        mine, other = (_modal_feet_centre(frame.corner[own]) for own in (self._corners[k], self._corners[1 - k]))
        outward = across if float((mine - other) @ across) > 0 else -across
        return np.asarray(wanted + outward * max(-float(wanted @ outward) - INWARD, 0.0))


def _modal_feet_centre(points: Array) -> Array:
    """(2,) m: x and y of the mean of points (k, 3) m."""
    return np.asarray(points[:, :2].sum(axis=0) / len(points))


def modal_capture_error(error: Array) -> Array:
    """(2,) m: the part of a capture point's error (2,) that exceeds the dead zone."""
    return np.asarray(error * max(1.0 - DEAD_ZONE / max(float(np.linalg.norm(error)), 1e-9), 0.0))


@kernel
def modal_leg_step(moving: Array, turning: Array, place: Array, now: Array, goal: Array, turn: Array) -> Array:
    """(n,) rad: change of the n angles of a leg in one damped step of inverse kinematics.

    The step moves the foot from ``place`` (3,) m and orientation ``now`` (9,) to ``goal`` (3,) m and orientation
    ``turn`` (3, 3). ``moving`` and ``turning`` (3, n) are the foot's Jacobians of translation and rotation.
    """
    n = moving.shape[1]
    rows, error = np.empty((6, n)), np.empty(6)
    rows[:3], rows[3:] = moving, TURN_ARM * turning
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        twist = 0.0
        for axis in range(3):
            twist += now[3 * j + axis] * turn[k, axis] - now[3 * k + axis] * turn[j, axis]
        error[i], error[3 + i] = goal[i] - place[i], TURN_ARM * 0.5 * twist
    square = rows @ rows.T
    for i in range(6):
        square[i, i] += DAMPING
    return rows.T @ np.linalg.solve(square, error)
