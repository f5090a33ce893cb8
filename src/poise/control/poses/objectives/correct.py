"""Joints that answer a sensor: lean into the wind, turn back to a heading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import remainder, tau
from typing import Any

from poise.control.controller import Setting
from poise.control.poses.objectives.objective import weighted
from poise.control.poses.schedule import Span
from poise.control.poses.sensors import Sensor
from poise.control.poses.springs import Springs
from poise.dynamics import State
from poise.kernel import kernel


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
        self._joints = weighted(scene.body, self.joints)
        self.sensor.reset(scene)

    def on(self, springs: Springs, state: State) -> None:
        """Shifts the targets."""
        if state.time not in self.when:
            return
        missing = self.wanted - self.sensor.read(state)
        if self.sensor.turns:
            missing = remainder(missing, tau)
        _shift(springs.push, springs.stiffness, *self._joints, missing, self.most)


@kernel
def _shift(push: Any, stiffness: Any, dofs: Any, weight: Any, missing: float, most: float) -> None:
    """Add what springs give whose targets are shifted by so much for each unit that is missing."""
    for k in range(dofs.shape[0]):
        push[dofs[k]] += stiffness[dofs[k]] * min(max(weight[k] * missing, -most), most)
