"""A point of a link that goes to a place: a hand on a rail, a fist at a ball."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import mujoco
import numpy as np

from poise.control.controller import Setting
from poise.control.poses.objectives.objective import weighted
from poise.control.poses.objectives.place import Place
from poise.control.poses.schedule import Span
from poise.control.poses.springs import Pull, Springs, pulled
from poise.dynamics import State


@dataclass
class Touch:
    """Draws a point of a link to a place with the joints it is given."""

    point: Place
    to: Place
    joints: Mapping[str, float]  # by name, with weights
    stiffness: float = 800.0  # N/m
    damping: float = 120.0  # N s/m
    kept: float = 0.3  # share of the pose springs
    when: Span = field(default_factory=Span)

    def reset(self, scene: Setting) -> None:
        """Ids of the link and the joints."""
        self._model = scene.model
        self._id = scene.model.body(self.point.link).id
        self._dofs, self._weight = weighted(scene.body, self.joints)
        self._moving = np.zeros((3, scene.model.nv))
        self.point.reset(scene)
        self.to.reset(scene)

    def on(self, springs: Springs, state: State) -> Springs:
        """Torques that draw it there."""
        if state.time not in self.when:
            return springs
        here = self.point.at(state)
        mujoco.mj_jac(self._model, state.data, self._moving, None, here, self._id)
        lever = self._moving[:, self._dofs]
        rate = self._moving @ state.qvel - self.to.velocity(state)
        pull = Pull(self.to.at(state) - here, rate, lever, self.stiffness, self.damping)
        left = springs.kept(self._dofs, self.kept)
        return pulled(left, self._dofs, self._weight, pull, state.qvel[self._dofs], state.step)
