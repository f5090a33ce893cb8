"""A link that points somewhere: a tray held level, a head that looks at a ball."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import mujoco
import numpy as np

from poise.control.controller import Setting
from poise.control.poses.objectives.objective import weighted
from poise.control.poses.objectives.place import Place
from poise.control.poses.schedule import Span
from poise.control.poses.springs import Pull, Springs, pull_joints
from poise.dynamics import State
from poise.errors import PoiseError
from poise.frozen import Array
from poise.kernel import kernel
from poise.spatial import cross

ORIGIN = np.zeros(3)
UPWARDS = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
"""A way to point, and that it does not turn."""


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
        self._joints = weighted(scene.body, self.joints)
        self._axis = np.array(self.axis)
        self._turning = np.zeros((3, scene.model.nv))
        self._here = Place(link=self.link)
        for place in (self._here, self.towards):
            if place is not None:
                place.reset(scene)

    def on(self, springs: Springs, state: State) -> None:
        """Torques that turn the axis, against whatever else turns it."""
        if state.time not in self.when:
            return
        data = state.data
        mujoco.mj_jac(self._model, data, None, self._turning, ORIGIN, self._id)
        error, rate = np.empty((2, 3))
        way, sweep = self._way(state)
        _aim(
            data.xmat[self._id],
            self._axis,
            way,
            sweep,
            data.cvel[self._id],
            self._turning,
            self._joints.dofs,
            error,
            rate,
        )
        pull = Pull(error, rate, self._turning, self.stiffness, self.damping)
        pull_joints(springs, self._joints, self.kept, pull, state)

    def _way(self, state: State) -> Array:
        """(2, 3) where to point, as a unit vector, and how fast that turns, rad/s."""
        if self.towards is None:
            return UPWARDS
        way, moving = self.towards.moving(state) - self._here.moving(state)
        far = max(math.hypot(*way), 1e-9)
        return np.array([way / far, cross(way, moving) / far**2])


@kernel
def _aim(turn: Any, axis: Any, way: Any, sweep: Any, spin: Any, turning: Any, dofs: Any, error: Any, rate: Any) -> None:
    """Error and rate (3,) of an axis that is to point a way which turns by ``sweep`` rad/s, while its link spins.

    Turning about the axis itself changes nothing, and is taken out of the Jacobian (3, nv) at some freedoms.
    """
    here = np.empty(3)
    for i in range(3):
        here[i] = turn[3 * i] * axis[0] + turn[3 * i + 1] * axis[1] + turn[3 * i + 2] * axis[2]
    about = 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        error[i] = here[j] * way[k] - here[k] * way[j]
        rate[i] = spin[i] - sweep[i]
        about += here[i] * rate[i]
    for i in range(3):
        rate[i] -= about * here[i]
    for dof in dofs:
        about = here[0] * turning[0, dof] + here[1] * turning[1, dof] + here[2] * turning[2, dof]
        for i in range(3):
            turning[i, dof] -= about * here[i]
