"""A link that points somewhere: a tray held level, a head that looks at a ball."""

from __future__ import annotations

import math
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
from poise.errors import PoiseError
from poise.spatial import Array, cross

UP = np.array([0.0, 0.0, 1.0])


@dataclass
class Point:
    """Turns an axis of a link upwards, or towards a place, with the joints it is given.

    [Fattal2006] replaces the pose controllers there; a share of them is kept by default, or a laden arm sags.
    """

    link: str
    joints: Mapping[str, float]  # by name, with weights
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)  # of the link, in its frame; made a unit vector
    towards: Place | None = None  # where to; upwards if nowhere
    stiffness: float = 400.0  # N m/rad
    damping: float = 80.0  # N m s/rad
    kept: float = 0.3  # share of the pose springs
    when: Span = field(default_factory=Span)

    def __post_init__(self) -> None:
        size = math.hypot(*self.axis)
        if size == 0:
            raise PoiseError(f"an axis of '{self.link}' that points somewhere must not be zero")
        x, y, z = self.axis
        self.axis = (x / size, y / size, z / size)

    def reset(self, scene: Setting) -> None:
        """Ids of the link and the joints."""
        self._model = scene.model
        self._id = scene.model.body(self.link).id
        self._dofs, self._weight = weighted(scene.body, self.joints)
        self._turning = np.zeros((3, scene.model.nv))
        self._here = Place(link=self.link)
        for place in (self._here, self.towards):
            if place is not None:
                place.reset(scene)

    def on(self, springs: Springs, state: State) -> Springs:
        """Torques that turn the axis, against whatever else turns it."""
        if state.time not in self.when:
            return springs
        axis = state.data.xmat[self._id].reshape(3, 3) @ np.asarray(self.axis)
        mujoco.mj_jac(self._model, state.data, None, self._turning, np.zeros(3), self._id)
        across = np.eye(3) - np.outer(axis, axis)  # turning about the axis itself changes nothing
        turning = across @ self._turning
        way, sweep = self._way(state)
        rate = turning @ state.qvel - across @ sweep
        pull = Pull(cross(axis, way), rate, turning[:, self._dofs], self.stiffness, self.damping)
        left = springs.kept(self._dofs, self.kept)
        return pulled(left, self._dofs, self._weight, pull, state.qvel[self._dofs], state.step)

    def _way(self, state: State) -> tuple[Array, Array]:
        """Where to point, as a unit vector, and how fast that turns, rad/s."""
        if self.towards is None:
            return UP, np.zeros(3)
        way = self.towards.at(state) - self._here.at(state)
        far = max(float(np.linalg.norm(way)), 1e-9)
        moving = self.towards.velocity(state) - self._here.velocity(state)
        return way / far, cross(way, moving) / far**2
