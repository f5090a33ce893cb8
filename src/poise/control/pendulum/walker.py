"""What the pendulum knows of its body, and what it sees of it at a moment: legs, feet and centre of mass."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.body.body import Body
from poise.body.contact_parts import links_from
from poise.body.parts import Joint
from poise.control.controller import Stage
from poise.control.pendulum.legs import Legs, chain_of, feet_of, legs_of
from poise.control.pendulum.vectors import rotated
from poise.dynamics.state import State
from poise.kernel import kernel

SLOPED = 0.04
"""m, of an adult, to all sides that tell how the ground slopes."""
STEEP = 0.7
"""Of run: what is steeper is no slope to set a foot on."""
WEAKEST = 0.1
"""m/s^2: with less gravity there is no walking, and no pendulum."""
LANDED = 0.003
"""m, of an adult: a foot that is nearer to the ground goes no further; what just struck it may be off it by this."""
UPRIGHT = 0.9
"""Of a unit axis, along z: what points less upward is not upright."""
PRESSED = 0.25
"""Of the way from ankle to ball: the middle of where a standing foot presses."""


class Seen(NamedTuple):
    """A moment. Feet and hips: left first."""

    com: Array  # (3,) m
    velocity: Array  # (3,) m/s of the centre of mass
    spin: Array  # (2,) m^2/s: angular momentum about it, by mass: what tips it along x, and along y
    ankle: Array  # (2, 3) m
    foot: Array  # (2, 3, 3) how the feet are turned
    hip: Array  # (2, 3) m
    ball: Array  # (2, 3) m
    pressed: Array  # (2, 3) m: the middle of where the feet press
    touching: NDArray[np.bool_]  # (2,) or about to

    def yaw(self, side: int) -> float:
        """rad: where a foot points to."""
        return math.atan2(self.foot[side, 1, 0], self.foot[side, 0, 0])


class Walker:
    """A body with two legs in a scene."""

    def __init__(self, world: Stage) -> None:
        body, model = world.scene.body, world.scene.model
        self.body: Body = body
        self.model = model
        self.legs: Legs = legs_of(body)
        feet = [foot.link for foot in feet_of(body)]
        self.feet = np.array([model.body(name).id for name in feet])
        self._thighs = model.body_parentid[model.body_parentid[self.feet]]
        self._sides = np.full(model.nbody, -1)  # which foot a link belongs to
        for side, foot in enumerate(self.feet):
            self._sides[links_from(model, int(foot))] = side
        chains = [chain_of(body, name)[:3] for name in feet]
        self.ankle_dofs = [np.array(ankle.dofs) for _, _, ankle in chains]
        self.hip_twists, self.ankle_twists = ([_twists(chain[joint]) for chain in chains] for joint in (0, 2))
        self.toe_dofs = [[d for j in body.joints if j.parent_link == name for d in j.dofs] for name in feet]
        self.leg_dofs = [
            np.array([*(dof for joint in chain for dof in joint.dofs), *toes])
            for chain, toes in zip(chains, self.toe_dofs, strict=True)
        ]
        self.longest = float(np.abs(self.legs.sole[:, :, 0]).max())  # m from an ankle to heel or toes
        self._ball, self._pressed = self.legs.ball, self.legs.ball * [PRESSED, 0.0, 1.0]  # (2, 3) m in the feet
        self._terrain = world.scene.terrain  # not its methods: over other ground it is another
        self.gravity = max(-float(model.opt.gravity[2]), WEAKEST)  # m/s^2

    def see(self, state: State) -> Seen:
        """What there is now."""
        data, contacts = state.data, state.contacts
        com, velocity, spin = _moving(
            data.subtree_com[1], data.xpos, data.xmat, state.mass, state.qvel, self.body.nv, self.body.mass
        )
        legs = _placed(data.xpos, data.xmat, self.feet, self._thighs, self._ball, self._pressed)
        touching = _touching(self._sides, contacts.body, contacts.gap, LANDED * self.legs.scale)
        return Seen(com, velocity, spin, *legs, touching)

    def height(self, x: float, y: float) -> float:
        """m: how high the ground is at a place."""
        return self._terrain.height(x, y)

    def heights(self, x: Array, y: Array) -> Array:
        """(N,) m: the same at many places at once."""
        return self._terrain.heights(x, y)

    def ground(self, place: Any) -> float:
        """m: how high the ground is under a point."""
        return float(self.height(float(place[0]), float(place[1])))

    def upward(self, place: Any) -> Array:
        """(3,) the normal of the ground under a point, with 1 for its last number; of an edge, the vertical."""
        x, y, far = float(place[0]), float(place[1]), SLOPED * self.legs.scale
        ahead = (self.height(x + far, y) - self.height(x - far, y)) / (2 * far)
        aside = (self.height(x, y + far) - self.height(x, y - far)) / (2 * far)
        return np.array([-ahead, -aside, 1.0]) if math.hypot(ahead, aside) < STEEP else np.array([0.0, 0.0, 1.0])

    def footing(self, seen: Seen, side: int) -> Array:
        """(3,) m: where the ball of a standing foot is, on the ground; on the ankle's, if it hangs over an edge."""
        (x, y, z), ankle = seen.ball[side].tolist(), seen.ankle[side].tolist()
        here, behind = self.ground((x, y)), self.ground(ankle)
        hangs = here < behind - STEEP * math.hypot(x - ankle[0], y - ankle[1])
        return np.array([x, y, min(behind if hangs else here, z)])


def _twists(joint: Joint) -> NDArray[np.int64]:
    """Which freedoms of a joint are turns about a vertical leg."""
    return np.array([dof for dof, axis in zip(joint.dofs, joint.axes, strict=True) if abs(axis[2]) > UPRIGHT], int)


@kernel
def _moving(com: Any, xpos: Any, xmat: Any, mass: Any, qvel: Any, nv: int, heavy: float) -> tuple[Array, Array, Array]:
    """Centre of mass, its velocity, and spin of a body of nv freedoms and a mass (kg), as `Seen` tells them."""
    momentum = np.zeros(6)  # by mass: linear, and about the root in its frame
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
def _placed(
    xpos: Any, xmat: Any, feet: Any, thighs: Any, balls: Any, pressed: Any
) -> tuple[Array, Array, Array, Array, Array]:
    """Ankles, feet, hips, balls and what is pressed, as `Seen` tells them; the last two are told in the feet (2, 3)."""
    foot, (ankle, hip, ball, press) = np.empty((2, 3, 3)), np.empty((4, 2, 3))
    for side in range(2):
        ankle[side], hip[side] = xpos[feet[side]], xpos[thighs[side]]
        foot[side] = xmat[feet[side]].reshape(3, 3)
        ball[side] = ankle[side] + rotated(foot[side], balls[side])
        press[side] = ankle[side] + rotated(foot[side], pressed[side])
    return ankle, foot, hip, ball, press


@kernel
def _touching(sides: Any, body: Any, gap: Any, near: float) -> NDArray[np.bool_]:
    """(2,) whether feet have contacts that are near (m), by the side that each link belongs to."""
    out = np.zeros(2, np.bool_)
    for k in range(body.shape[0]):
        if gap[k] < near and sides[body[k]] >= 0:
            out[sides[body[k]]] = True
    return out


@kernel
def turned(yaw: float, way: Any) -> Array:
    """(2,) a horizontal vector turned to the left."""
    c, s = math.cos(yaw), math.sin(yaw)
    out = np.empty(2)
    out[0], out[1] = c * way[0] - s * way[1], s * way[0] + c * way[1]
    return out


@kernel
def along(yaw: float, way: Any) -> float:
    """Of a horizontal vector, what points to where `yaw` does."""
    return float(math.cos(yaw) * way[0] + math.sin(yaw) * way[1])


@kernel
def eased(share: float) -> float:
    """From 0 to 1 without a jerk."""
    u = min(max(share, 0.0), 1.0)
    return u * u * (3.0 - 2.0 * u)
