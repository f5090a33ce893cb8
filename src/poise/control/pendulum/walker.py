"""The body as the pendulum observes it: legs, feet, centre of mass and the ground."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Ints, Mask
from poise.body.body import Body
from poise.body.surface import descendant_links
from poise.control.controller import WorldView
from poise.control.pendulum.legs import Legs, leg_joints, walker_feet, walker_legs
from poise.control.pendulum.vectors import rotated
from poise.dynamics.state import State
from poise.kernel import kernel

SLOPE_REACH = 0.04  # Distance (m, adult) to each side over which the slope of the ground is measured
STEEP = 0.7  # Rise over run above which ground is an edge, not a slope to stand on
MIN_GRAVITY = 0.1  # Lower bound (m/s^2) of gravity, which keeps the pendulum's rate above zero
CONTACT_GAP = 0.003
"""Gap (m, adult) below which a foot touches the ground; a foot that has just struck may be this far off it."""
PRESSED = 0.4  # Nominal centre of pressure of a stance foot, as a share of the distance from ankle to ball


class Observed(NamedTuple):
    """State of the body at one moment. Feet and hips: left first."""

    com: Array  # (3,) m
    velocity: Array  # (3,) m/s of the centre of mass
    spin: Array  # (2,) m^2/s: angular momentum per mass about the centre of mass that tips the body along x and y
    ankle: Array  # (2, 3) m
    foot: Array  # (2, 3, 3) rotations of the feet
    hip: Array  # (2, 3) m
    ball: Array  # (2, 3) m
    pressed: Array  # (2, 3) m: nominal centres of pressure
    touching: Mask  # (2,) whether feet touch the ground or are about to

    def foot_yaw(self, side: int) -> float:
        """Direction (rad) in which a foot points."""
        return math.atan2(self.foot[side, 1, 0], self.foot[side, 0, 0])


class Walker:
    """A body with two legs in a scene."""

    def __init__(self, world: WorldView) -> None:
        body, model = world.scene.body, world.scene.model
        self.body: Body = body
        self.model = model
        self.legs: Legs = walker_legs(body)
        feet = [foot.link for foot in walker_feet(body)]
        self.feet = np.array([model.body(name).id for name in feet])
        self._thighs = model.body_parentid[model.body_parentid[self.feet]]
        self._sides = np.full(model.nbody, -1)  # foot of each link
        for side, foot in enumerate(self.feet):
            self._sides[descendant_links(model, int(foot))] = side
        chains = [leg_joints(body, name)[:3] for name in feet]
        self.ankle_dofs = [np.array(ankle.dofs) for _, _, ankle in chains]
        self.toe_dofs = [[d for j in body.joints if j.parent_link == name for d in j.dofs] for name in feet]
        leg_dofs = [[dof for joint in chain for dof in joint.dofs] for chain in chains]
        self.leg_dofs = [np.array([*leg, *toes]) for leg, toes in zip(leg_dofs, self.toe_dofs, strict=True)]
        self.longest = float(np.abs(self.legs.sole[:, :, 0]).max())  # m from an ankle to heel or toes
        self._ball, self._pressed = self.legs.ball, self.legs.ball * [PRESSED, 0.0, 1.0]  # (2, 3) m in the feet
        self._terrain = world.scene.terrain  # looked up anew at each query: terrains change
        self.gravity = max(-float(model.opt.gravity[2]), MIN_GRAVITY)  # m/s^2

    def observe(self, state: State) -> Observed:
        """The state of the body now."""
        data, contacts, body = state.data, state.contacts, self.body
        motion = _com_motion(data.subtree_com[1], data.xpos, data.xmat, state.mass, state.qvel, body.nv, body.mass)
        legs = _leg_positions(data.xpos, data.xmat, self.feet, self._thighs, self._ball, self._pressed)
        touching = _feet_touching(self._sides, contacts.body, contacts.gap, CONTACT_GAP * self.legs.scale)
        return Observed(*motion, *legs, touching)

    def heights(self, x: Array, y: Array) -> Array:
        """Heights (N,) m of the ground at many points."""
        return self._terrain.heights(x, y)

    def ground_height(self, place: Array | Sequence[float]) -> float:
        """Height (m) of the ground under a point."""
        return float(self._terrain.height(float(place[0]), float(place[1])))

    def ground_normal(self, place: Array) -> Array:
        """Normal (3,) of the ground under a point, scaled to z = 1; the vertical at an edge."""
        x, y, far = float(place[0]), float(place[1]), SLOPE_REACH * self.legs.scale
        height = self._terrain.height
        ahead = (height(x + far, y) - height(x - far, y)) / (2 * far)
        aside = (height(x, y + far) - height(x, y - far)) / (2 * far)
        return np.array([-ahead, -aside, 1.0]) if math.hypot(ahead, aside) < STEEP else np.array([0.0, 0.0, 1.0])

    def stance_ball(self, seen: Observed, side: int) -> Array:
        """Ball (3,) m of a stance foot on the ground; at the ankle's ground level if the ball is over an edge."""
        (x, y, z), ankle = seen.ball[side].tolist(), seen.ankle[side].tolist()
        here, behind = self.ground_height((x, y)), self.ground_height(ankle)
        hangs = here < behind - STEEP * math.hypot(x - ankle[0], y - ankle[1])
        return np.array([x, y, min(behind if hangs else here, z)])


@kernel
def _com_motion(
    com: Array, xpos: Array, xmat: Array, mass: Array, qvel: Array, nv: int, heavy: float
) -> tuple[Array, Array, Array]:
    """Centre of mass, velocity and spin, as in `Observed`, of a body with nv DOFs and mass `heavy` (kg)."""
    momentum = np.zeros(6)  # per mass: linear, and about the root in its frame
    for i in range(6):
        for j in range(nv):
            momentum[i] += mass[i, j] * qvel[j]
    momentum /= heavy
    about_root, arm = rotated(xmat[1].reshape(3, 3), momentum[3:]), com - xpos[1]
    spin = np.empty(2)
    spin[0] = about_root[1] - arm[2] * momentum[0] + arm[0] * momentum[2]
    spin[1] = arm[1] * momentum[2] - arm[2] * momentum[1] - about_root[0]
    return com.copy(), momentum[:3].copy(), spin


@kernel
def _leg_positions(
    xpos: Array, xmat: Array, feet: Ints, thighs: Ints, balls: Array, pressed: Array
) -> tuple[Array, Array, Array, Array, Array]:
    """Ankles, feet, hips, balls and centres of pressure as in `Observed`; `balls` and `pressed` are in foot frames."""
    foot, (ankle, hip, ball, press) = np.empty((2, 3, 3)), np.empty((4, 2, 3))
    for side in range(2):
        ankle[side], hip[side] = xpos[feet[side]], xpos[thighs[side]]
        foot[side] = xmat[feet[side]].reshape(3, 3)
        ball[side] = ankle[side] + rotated(foot[side], balls[side])
        press[side] = ankle[side] + rotated(foot[side], pressed[side])
    return ankle, foot, hip, ball, press


@kernel
def _feet_touching(sides: Ints, body: Ints, gap: Array, near: float) -> Mask:
    """Whether each foot (2,) has a contact with a gap below `near` (m); `sides` is the foot of each link, or -1."""
    out = np.zeros(2, np.bool_)
    for k in range(body.shape[0]):
        if gap[k] < near and sides[body[k]] >= 0:
            out[sides[body[k]]] = True
    return out


@kernel
def rotated_xy(yaw: float, way: Array) -> Array:
    """Horizontal vector (2,) rotated to the left by `yaw` (rad)."""
    c, s = math.cos(yaw), math.sin(yaw)
    out = np.empty(2)
    out[0], out[1] = c * way[0] - s * way[1], s * way[0] + c * way[1]
    return out


@kernel
def along_yaw(yaw: float, way: Array) -> float:
    """Component of a horizontal vector in the direction `yaw` (rad)."""
    return float(math.cos(yaw) * way[0] + math.sin(yaw) * way[1])


@kernel
def eased(share: float) -> float:
    """Smooth step 3u^2 - 2u^3 of a share clamped to [0, 1]."""
    u = min(max(share, 0.0), 1.0)
    return u * u * (3.0 - 2.0 * u)
