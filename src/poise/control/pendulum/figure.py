"""What the pendulum knows of its body, and what it sees of it at a moment: legs, feet and centre of mass."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.body import Body
from poise.body.feet import links_from
from poise.control.controller import Stage
from poise.control.pendulum.chain import chain_of
from poise.control.pendulum.legs import Legs, feet_of, legs_of
from poise.dynamics import State
from poise.spatial import Array

SLOPED = 0.04
"""m, of an adult, to all sides that tell how the ground slopes."""
STEEP = 0.7
"""Of run: what is steeper is no slope to set a foot on."""
WEAKEST = 0.1
"""m/s^2: with less gravity there is no walking, and no pendulum."""
LANDED = 0.003
"""m, of an adult: a foot that is nearer to the ground goes no further; what just struck it may be off it by this."""
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


class Figure:
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
        self.toe_dofs = [[d for j in body.joints if j.parent_link == name for d in j.dofs] for name in feet]
        self.leg_dofs = [
            np.array([*(dof for joint in chain for dof in joint.dofs), *toes])
            for chain, toes in zip(chains, self.toe_dofs, strict=True)
        ]
        self.leg_places = [np.array([q for joint in chain for q in joint.qpos]) for chain in chains]
        ball = self.legs.ball
        self._marks = np.stack([ball, ball * [PRESSED, 0.0, 1.0]], axis=1)[..., None]  # (2, 2, 3, 1) in the feet
        self.height, self.heights = world.scene.terrain.height, world.scene.terrain.heights
        self.gravity = max(-float(model.opt.gravity[2]), WEAKEST)  # m/s^2

    def see(self, state: State) -> Seen:
        """What there is now."""
        data, nv = state.data, self.body.nv
        foot = data.xmat[self.feet].reshape(2, 3, 3)
        ankle = data.xpos[self.feet]
        marks = ankle[:, None] + (foot[:, None] @ self._marks)[..., 0]
        contacts = state.contacts
        touching = np.zeros(2, bool)
        sides = self._sides[contacts.body[contacts.gap < LANDED * self.legs.scale]]
        touching[sides[sides >= 0]] = True
        com = np.array(data.subtree_com[1])
        momentum = state.mass[:6, :nv] @ state.qvel[:nv] / self.body.mass  # linear, and about the root in its frame
        about_root, arm = data.xmat[1].reshape(3, 3) @ momentum[3:], com - data.xpos[1]
        tips = [
            about_root[1] - arm[2] * momentum[0] + arm[0] * momentum[2],
            arm[1] * momentum[2] - arm[2] * momentum[1] - about_root[0],
        ]
        return Seen(
            com,
            momentum[:3],
            np.array(tips),
            ankle,
            foot,
            data.xpos[self._thighs],
            marks[:, 0],
            marks[:, 1],
            touching,
        )

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
        out, ankle = np.array(seen.ball[side]), seen.ankle[side]
        here, behind = self.ground(out), self.ground(ankle)
        out[2] = min(behind if here < behind - STEEP * math.dist(out[:2], ankle[:2]) else here, out[2])
        return out


def turned(yaw: float, way: Any) -> Array:
    """(2,) a horizontal vector turned to the left."""
    c, s = math.cos(yaw), math.sin(yaw)
    return np.array([c * way[0] - s * way[1], s * way[0] + c * way[1]])


def eased(share: float) -> float:
    """From 0 to 1 without a jerk."""
    u = min(max(share, 0.0), 1.0)
    return u * u * (3.0 - 2.0 * u)
