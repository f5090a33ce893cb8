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
from poise.control.poses.springs import Pull, Springs, pull_joints
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
        self._joints = weighted(scene.body, self.joints)
        self._moving = np.zeros((3, scene.model.nv))
        self.point.reset(scene)
        self.to.reset(scene)

    def on(self, springs: Springs, state: State) -> None:
        """Torques that draw it there."""
        if state.time not in self.when:
            return
        here, there = self.point.moving(state), self.to.moving(state)
        mujoco.mj_jac(self._model, state.data, self._moving, None, here[0], self._id)
        pull = Pull(there[0] - here[0], here[1] - there[1], self._moving, self.stiffness, self.damping)
        pull_joints(springs, self._joints, self.kept, pull, state)
