"""A behaviour put on a body: its poses, and where it begins."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import mujoco
import numpy as np
from scipy.interpolate import CubicSpline, PchipInterpolator

from poise.body import Body
from poise.body.ground import lowest
from poise.frozen import Array, Frozen, readonly
from poise.reference.authoring.figure import Figure
from poise.reference.behaviours.behaviour import Behaviour
from poise.reference.dynamic import Dynamic
from poise.reference.reference import Start, Target

SAMPLES = 512
"""Poses of a turn that are kept: nearer ones are 0.7 degrees of a roll apart."""


class Staged:
    """A behaviour as something to be performed: it begins at rest, and the controller decides what follows."""

    start: Start = "origin"
    duration: float | None = None
    begin = 0.0
    motions: Mapping[str, Dynamic] = Frozen()

    def __init__(self, behaviour: Behaviour, body: Body) -> None:
        self.behaviour, self.body = behaviour, body
        self.name = behaviour.name
        self._figure = Figure(body)
        self._first = Target(self._begin(), readonly(np.zeros(body.nv)))

    def at(self, time: float) -> Target:  # noqa: ARG002
        """How it begins."""
        return self._first

    @cached_property
    def cycle(self) -> Array:
        """(SAMPLES, nq) poses of a turn, whose keys are joined smoothly all around."""
        at = np.array(self.behaviour.at)
        around = np.append(at, at[0] + 1.0)
        where = at[0] + (np.arange(SAMPLES) / SAMPLES - at[0]) % 1.0
        curves = {
            name: CubicSpline(around, np.append(values, values[0]), bc_type="periodic")(where)
            for name, values in self.behaviour.poses.items()
        }
        return readonly(self._posed(curves))

    def line(self, times: Array) -> Array:
        """(T, nq) poses at times (T,) s of a line of keys, held before the first and after the last; never overshot."""
        at = np.array(self.behaviour.at)
        where = np.clip(times, at[0], at[-1])
        curves = {name: PchipInterpolator(at, values)(where) for name, values in self.behaviour.poses.items()}
        return self._posed(curves)

    def _posed(self, curves: Mapping[str, Array]) -> Array:
        return self._figure.poses(self.behaviour.angles(curves))

    def _begin(self) -> Array:
        """The pose at `at` (turns or seconds; 0 if not told), its pelvis tilted, lowest point on the ground.

        A flip's soles are flat there, whatever clip its pose is from: who begins on the heels never gets off them.
        """
        told = self.behaviour.start
        where = told.get("at", 0.0)
        if self.behaviour.kind == "roll":
            pose = np.array(self.cycle[round(where * SAMPLES) % SAMPLES])
        else:
            pose = self.line(np.array([where]))[0]
        if self.behaviour.kind == "flip":
            pose = self._figure.bent(pose[None], {"pelvis_tilt": -self._soles(pose)})[0]
        turned = {name: value for name, value in told.items() if name.startswith("pelvis_")}
        pose = self._figure.bent(pose[None], turned)[0]
        pose[2] -= lowest(self.body.model, pose)
        return readonly(pose)

    def _soles(self, pose: Array) -> float:
        """degrees by which feet of a pose (nq,) point down."""
        data = mujoco.MjData(self.body.model)
        data.qpos[:] = pose
        mujoco.mj_kinematics(self.body.model, data)
        ahead = data.xmat[self.body.link_id(self.body.feet[0].link)].reshape(3, 3)[:, 0]
        return float(np.degrees(np.arctan2(-ahead[2], ahead[0])))
