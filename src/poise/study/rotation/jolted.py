"""A flip that is disturbed when it takes off: its joints get another velocity, by torques within their limits."""

from __future__ import annotations

import numpy as np

from poise.control.controller import Stage
from poise.control.rotation import Rotation, RotationSettings
from poise.control.rotation.flip import Flip
from poise.dynamics import Actuation, State
from poise.reference import Reference
from poise.reference.behaviours import Behaviour


class Jolted(Rotation):
    """The controller, whose torques in the first step of a flight are off by what gives joints so much velocity."""

    def __init__(self, settings: RotationSettings, behaviour: Behaviour, jolt: float, seed: int) -> None:
        """`jolt` is in rad/s, one standard deviation."""
        super().__init__(settings, behaviour)
        self._jolt, self._seed = jolt, seed

    def reset(self, world: Stage, reference: Reference) -> None:
        """Get ready to perform a reference from the start."""
        super().reset(world, reference)
        self._limit, self._jolted = np.array(world.torque_limit), False

    def act(self, state: State) -> Actuation:
        """Torques of the coming step."""
        actuation = super().act(state)
        performing = self.performing
        if self._jolted or not (isinstance(performing, Flip) and performing.stage == "flight"):
            return actuation
        self._jolted = True
        assert actuation.torque is not None
        wanted = self._jolt * np.random.default_rng(self._seed).standard_normal(len(self._limit) - 6)
        follows = np.linalg.inv(state.mass)[6:, 6:]  # accelerations of joints by torques, in the air
        torque = np.array(actuation.torque)
        torque[6:] += np.linalg.solve(state.step * follows, wanted)
        return Actuation(torque=np.clip(torque, -self._limit, self._limit))
