"""Out of a roll onto the feet: when to end it, and how to stand up from there."""

from __future__ import annotations

import mujoco
import numpy as np

from poise.body import Body
from poise.control.rotation.actor import Actor
from poise.control.rotation.footing import TOUCHED, Footing
from poise.control.rotation.landing import Landing, LandingNumbers
from poise.control.rotation.plan import Planner
from poise.control.rotation.poseline import pose_line
from poise.control.rotation.settings import RotationSettings
from poise.dynamics import Actuation, State
from poise.dynamics.rotation import Rotation
from poise.frozen import Array

SECONDS = 1.3
"""s from a crouch to standing."""
CALM = 17.5
"""kg m^2/s: a body that turns faster has not yet come down onto its feet with all its weight."""
SIDEWAYS = 0.2
"""m/s to either side: plans know of none, and feet side by side bear little of it."""
NEAR = 0.08
"""m: a plan to come to rest that ends further away from standing would take a step."""


class Rising:
    """Standing up at the end of a roll, once the body comes up over its feet."""

    def __init__(self, actor: Actor, settings: RotationSettings, step: float, crouch: Array) -> None:
        """`crouch` (nq,) is the pose of the roll when it is on its feet."""
        self._actor = actor
        self._footing = Footing(actor, settings, step)
        planner = Planner(actor.body.mass, step, -float(actor.model.opt.gravity[2]))
        line = pose_line(actor.body, _between(actor.body, crouch, round(SECONDS / step) + 1))
        self._landing = Landing(self._footing, planner, line, LandingNumbers())
        self._tilt = float(line.tilt[0])
        self.begun = False

    @property
    def pose(self) -> Array:
        """(nq,) that is tracked."""
        return np.asarray(self._landing.pose)

    def due(self, state: State, rotation: Rotation) -> bool:
        """Whether to stand up now: feet alone bear, and forces on them can bring the body to rest."""
        footing = self._footing
        footing.watch(state)
        touched = state.contacts.gap < TOUCHED
        if not footing.touching(state) or np.any(touched & self._actor.trunk[state.contacts.body]):
            return False
        if float(footing.axis @ rotation.angular_momentum) > CALM or abs(footing.axis @ rotation.velocity) > SIDEWAYS:
            return False
        end = self._landing.plan(state, rotation).state[-1]
        ahead = float(end[0] - footing.forward @ footing.ankles(state))
        return abs(ahead - LandingNumbers.stand_ahead) < NEAR

    def begin(self, state: State, rotation: Rotation) -> None:
        """From here on."""
        self.begun = True
        self._landing.begin(state, rotation, self._tilt, True)

    def act(self, state: State, rotation: Rotation) -> Actuation:
        """Torques of the coming step."""
        self._footing.watch(state)
        return self._landing.act(state, rotation)

    def stands(self) -> bool:
        """Whether it is over, and the body at rest."""
        return self.begun and self._landing.stands()


def _between(body: Body, crouch: Array, count: int) -> Array:
    """(T, nq) poses from a crouch to standing, first and last slowly."""
    way, out = np.zeros(body.nv), np.tile(crouch, (count, 1))
    mujoco.mj_differentiatePos(body.model, way, 1.0, crouch, body.standing)
    way[:6] = 0.0
    for k, share in enumerate(np.linspace(0.0, 1.0, count)):
        mujoco.mj_integratePos(body.model, out[k], way, share * share * (3.0 - 2.0 * share))
    return out
