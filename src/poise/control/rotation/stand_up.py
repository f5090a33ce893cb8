"""Standing up at the end of a roll, once the body has come up over its feet."""

from __future__ import annotations

import mujoco
import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.control.rotation.actor import Actor
from poise.control.rotation.behaviour_numbers import LandingNumbers
from poise.control.rotation.footing import TOUCHED, FootSupportPlane
from poise.control.rotation.landing import Landing
from poise.control.rotation.pose_line import pose_line
from poise.control.rotation.settings import RotationSettings
from poise.dynamics.actuation import Actuation
from poise.dynamics.rotation_indices import RotationIndices
from poise.dynamics.state import State

SECONDS = 1.3
"""Time (s) from the crouch to standing."""
MOST_SPIN = 17.5
"""Angular momentum (kg m^2/s) above which the body has not yet come down onto its feet with its full weight."""
MOST_SIDEWAYS = 0.2
"""Sideways speed (m/s) above which it does not stand up: plans ignore it, and feet side by side resist it little."""
NEAR = 0.08
"""Largest distance (m) between the planned end of the landing and standing; beyond it, a step would be needed."""


class StandUp:
    """Standing up from a crouch on the feet."""

    def __init__(self, actor: Actor, settings: RotationSettings, step: float, crouch: Array) -> None:
        """`crouch` (nq,) is the pose of the roll when it is on its feet."""
        self._actor = actor
        self._footing = FootSupportPlane(actor, settings, step)
        line = pose_line(actor.body, _poses_to_standing(actor.body, crouch, round(SECONDS / step) + 1))
        self._landing = Landing(self._footing, actor.planner(step), line, LandingNumbers())
        self._tilt = float(line.tilt[0])
        self.begun = False

    @property
    def pose(self) -> Array:
        """(nq,) the tracked pose."""
        return np.asarray(self._landing.pose)

    def due(self, state: State, rotation: RotationIndices) -> bool:
        """Whether to stand up now: the trunk is off the ground, and forces at the feet can bring the body to rest."""
        footing = self._footing
        footing.update(state)
        touched = state.contacts.gap < TOUCHED
        if not footing.touching(state) or np.any(touched & self._actor.trunk[state.contacts.body]):
            return False
        spin, sideways = float(footing.axis @ rotation.angular_momentum), abs(footing.axis @ rotation.velocity)
        if spin > MOST_SPIN or sideways > MOST_SIDEWAYS:
            return False
        end = self._landing.plan(state, rotation).state[-1]
        ahead = float(end[0] - footing.forward @ footing.ankles(state))
        return abs(ahead - LandingNumbers.stand_ahead) < NEAR

    def begin(self, state: State, rotation: RotationIndices) -> None:
        """Start to stand up."""
        self.begun = True
        self._landing.begin(state, rotation, self._tilt, True)

    def act(self, state: State, rotation: RotationIndices) -> Actuation:
        """Torques of the coming step."""
        self._footing.update(state)
        return self._landing.act(state, rotation)

    def stands(self) -> bool:
        """Whether the body stands at rest."""
        return self.begun and self._landing.stands()


def _poses_to_standing(body: Body, crouch: Array, count: int) -> Array:
    """(count, nq) poses from a crouch to standing, eased at both ends (3 u^2 - 2 u^3)."""
    displacement, out = np.zeros(body.nv), np.tile(crouch, (count, 1))
    mujoco.mj_differentiatePos(body.model, displacement, 1.0, crouch, body.standing)
    displacement[:6] = 0.0
    for k, share in enumerate(np.linspace(0.0, 1.0, count)):
        mujoco.mj_integratePos(body.model, out[k], displacement, share * share * (3.0 - 2.0 * share))
    return out
