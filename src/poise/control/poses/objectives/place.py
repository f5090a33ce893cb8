"""Places in a scene: fixed ones, and points of links and props."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from poise.control.controller import Setting
from poise.dynamics import State
from poise.frozen import Array
from poise.kernel import kernel


@dataclass
class Place:
    """A point in the frame of a link or prop, or of the world."""

    at_point: tuple[float, float, float] = (0.0, 0.0, 0.0)  # m
    link: str | None = None  # of the world if none

    def reset(self, scene: Setting) -> None:
        """The link's id."""
        self._id = 0 if self.link is None else int(scene.model.body(self.link).id)
        self._root = int(scene.model.body_rootid[self._id])
        self._point = np.array(self.at_point, float)

    def moving(self, state: State) -> Array:
        """(2, 3) m and m/s in the world: where it is, and how fast."""
        data, out = state.data, np.empty((2, 3))
        link = self._id
        _move(data.xpos[link], data.xmat[link], data.cvel[link], data.subtree_com[self._root], self._point, out)
        return out


@kernel
def _move(origin: Any, turn: Any, velocity: Any, centre: Any, point: Any, out: Any) -> None:
    """Where a point of a link is and how it moves; ``velocity`` (6,) is the link's, about ``centre``."""
    for i in range(3):
        out[0, i] = origin[i] + turn[3 * i] * point[0] + turn[3 * i + 1] * point[1] + turn[3 * i + 2] * point[2]
    x, y, z = out[0, 0] - centre[0], out[0, 1] - centre[1], out[0, 2] - centre[2]
    out[1, 0] = velocity[3] + velocity[1] * z - velocity[2] * y
    out[1, 1] = velocity[4] + velocity[2] * x - velocity[0] * z
    out[1, 2] = velocity[5] + velocity[0] * y - velocity[1] * x
