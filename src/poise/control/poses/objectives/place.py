"""Places in a scene: fixed ones, and points of links and props."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from poise.control.controller import Setting
from poise.dynamics import State
from poise.spatial import Array, cross


@dataclass
class Place:
    """A point in the frame of a link or prop, or of the world."""

    at_point: tuple[float, float, float] = (0.0, 0.0, 0.0)  # m
    link: str | None = None  # of the world if none

    def reset(self, scene: Setting) -> None:
        """The link's id."""
        self._model = scene.model
        self._id = 0 if self.link is None else int(scene.model.body(self.link).id)

    def at(self, state: State) -> Array:
        """(3,) m in the world."""
        data = state.data
        return np.asarray(data.xpos[self._id] + data.xmat[self._id].reshape(3, 3) @ np.asarray(self.at_point))

    def velocity(self, state: State) -> Array:
        """(3,) m/s in the world."""
        moving = np.zeros(6)
        if self._id:
            mujoco.mj_objectVelocity(self._model, state.data, mujoco.mjtObj.mjOBJ_XBODY, self._id, moving, 0)
        return moving[3:] + cross(moving[:3], self.at(state) - state.data.xpos[self._id])
