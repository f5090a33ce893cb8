"""Joints that answer a sensor: lean into the wind, turn back to a heading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import remainder, tau

import numpy as np

from poise.control.controller import Setting
from poise.control.poses.objectives.objective import weighted
from poise.control.poses.schedule import Span
from poise.control.poses.sensors import Sensor
from poise.control.poses.springs import Springs
from poise.dynamics import State


@dataclass
class Correct:
    """Shifts the targets of joints in proportion to how far a sensor is from what it should read."""

    sensor: Sensor
    wanted: float  # in the sensor's SI unit
    joints: Mapping[str, float]  # by name: rad per unit that the sensor reads too little
    most: float = 0.5  # rad: no target is shifted by more
    when: Span = field(default_factory=Span)

    def reset(self, scene: Setting) -> None:
        """Ids of the joints and of what is sensed."""
        self._dofs, self._weight = weighted(scene.body, self.joints)
        self.sensor.reset(scene)

    def on(self, springs: Springs, state: State) -> Springs:
        """Springs whose targets are shifted."""
        if state.time not in self.when:
            return springs
        missing = self.wanted - self.sensor.read(state)
        if self.sensor.turns:
            missing = remainder(missing, tau)
        shift = np.clip(self._weight * missing, -self.most, self.most)
        push = np.array(springs.push)
        push[self._dofs] += springs.stiffness[self._dofs] * shift
        return springs._replace(push=push)
