"""Behaviours: poses given by angles in degrees, numbers for the controller, and which numbers a search may change."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np
from scipy.interpolate import CubicSpline, PchipInterpolator

from poise.arrays import Array, Frozen, readonly
from poise.body.body import Body
from poise.body.surface import lowest_geom_height
from poise.library.authoring.figure import SourceFigure, both_sides_of_source_angle
from poise.reference.body_clip import posed_data
from poise.reference.dynamic import Dynamic
from poise.reference.reference import Start, Target
from poise.retarget.figure import SIDES


@dataclass(frozen=True)
class Freedom:
    """How widely a search initially varies a free number, or each number of a free list."""

    spread: float  # in the number's unit, or a share of the number if relative
    relative: bool  # if true, numbers vary by a factor and keep their sign


@dataclass(frozen=True, eq=False)
class Behaviour:
    """The content of a behaviour file."""

    name: str
    title: str
    kind: str  # roll, flip, kip, dive, handspring or rise: selects the controller's program
    body: str
    path: Path
    control: Mapping[str, float]  # numbers for the controller, by name
    at: tuple[float, ...]  # position of each pose: in turns for a roll, else in seconds
    poses: Mapping[str, tuple[float, ...]]  # degrees at each position, by angle
    start: Mapping[str, float]  # numbers of the initial state
    free: Mapping[str, Freedom] = field(default_factory=Frozen)  # free numbers of control, poses and start, by name
    rate: float = 60.0  # Hz, default rate of control and simulation
    into: str | None = None  # the roll that follows a dive
    limits: str | None = None  # name of a set of torque limits; by default the body's own

    def angles(self, at: Mapping[str, Array]) -> dict[str, Array]:
        """The angles `at` by full name: a limb angle without a side becomes two entries, left and right."""
        names = sorted(at, key=lambda word: word.startswith(SIDES))
        return {each: at[name] for name in names for each in both_sides_of_source_angle(name)}

    @cached_property
    def _free_places(self) -> tuple[tuple[str, str, int], ...]:
        """For each free number: its table ("poses", "control" or "start"), its name, and its index.

        A free entry of "poses" is a list, all of whose numbers are free; the index of other numbers is 0.
        """
        out = []
        for name in self.free:
            if name in self.poses:
                out += [("poses", name, k) for k in range(len(self.poses[name]))]
            else:
                out.append(("control" if name in self.control else "start", name, 0))
        return tuple(out)

    @property
    def freedom(self) -> int:
        """Number of free numbers of the file."""
        return len(self._free_places)

    @property
    def free_numbers(self) -> dict[tuple[str, str], float | tuple[float, ...]]:
        """The value or list of values of each free entry of the file, by its table and name."""
        return {(table, name): getattr(self, table)[name] for table, name, _ in self._free_places}

    def varied(self, by: Array) -> Self:
        """Return a copy whose free numbers are changed by `by` (n,), in units of their spreads."""
        numbers = {"control": dict(self.control), "start": dict(self.start)}
        poses = {name: list(values) for name, values in self.poses.items()}
        for (table, name, k), steps in zip(self._free_places, by, strict=True):
            freedom, old = self.free[name], self.poses[name][k] if table == "poses" else getattr(self, table)[name]
            new = old * float(np.exp(freedom.spread * steps)) if freedom.relative else old + freedom.spread * steps
            if table == "poses":
                poses[name][k] = float(new)
            else:
                numbers[table][name] = float(new)
        control, start = (Frozen(values) for values in numbers.values())
        changed = Frozen({name: tuple(values) for name, values in poses.items()})
        return replace(self, control=control, start=start, poses=changed)


RISE_TIME = 25.0  # Time (s) in which nearly every body that falls has risen, also on slopes
SAMPLES = 512  # Samples of the pose cycle of a roll: one per 0.7 degrees of rotation


class BehaviourReference:
    """A reference with the poses and the initial state of a behaviour on a body. The controller decides the rest."""

    begin = 0.0
    motions: Mapping[str, Dynamic] = Frozen()

    def __init__(self, behaviour: Behaviour, body: Body) -> None:
        self.behaviour, self.body = behaviour, body
        self.name = behaviour.name
        self._figure = SourceFigure(body)
        self._first = Target(self._initial_pose(), readonly(np.zeros(body.nv)))

    @property
    def start(self) -> Start:
        """A rise begins with a fall; everything else where its first pose is."""
        return "thrown" if self.behaviour.kind == "rise" else "origin"

    @property
    def duration(self) -> float | None:
        """Duration (s) of a rise, which ends standing; other behaviours have no end."""
        return RISE_TIME if self.behaviour.kind == "rise" else None

    def at(self, time: float) -> Target:  # noqa: ARG002
        """The initial state, at rest; the same at any time."""
        return self._first

    @cached_property
    def cycle(self) -> Array:
        """(SAMPLES, nq) poses over one turn of a roll: a periodic cubic spline through the behaviour's poses."""
        at = np.array(self.behaviour.at)
        around = np.append(at, at[0] + 1.0)
        where = at[0] + (np.arange(SAMPLES) / SAMPLES - at[0]) % 1.0
        curves = {
            name: CubicSpline(around, np.append(values, values[0]), bc_type="periodic")(where)
            for name, values in self.behaviour.poses.items()
        }
        return readonly(self._figure.poses(self.behaviour.angles(curves)))

    def line(self, times: Array) -> Array:
        """(T, nq) poses at times (T,) s: interpolated between the behaviour's poses without overshoot, else held."""
        at = np.array(self.behaviour.at)
        where = np.clip(times, at[0], at[-1])
        curves = {name: PchipInterpolator(at, values)(where) for name, values in self.behaviour.poses.items()}
        return self._figure.poses(self.behaviour.angles(curves))

    def key_poses(self) -> Array:
        """(P, nq) the behaviour's poses."""
        angles = self.behaviour.angles({name: np.array(values) for name, values in self.behaviour.poses.items()})
        return self._figure.poses(angles)

    def _initial_pose(self) -> Array:
        """(nq,) the behaviour's pose at `at` of [start], pelvis turned as [start] says, lowest point on the ground.

        The soles of a flip are made flat, whatever clip the pose comes from: from its heels a body could not take off.
        """
        start = self.behaviour.start
        where = start.get("at", 0.0)
        if self.behaviour.kind == "roll":
            pose = np.array(self.cycle[round(where * SAMPLES) % SAMPLES])
        else:
            pose = self.line(np.array([where]))[0]
        if self.behaviour.kind == "flip":
            pose = self._figure.bent(pose[None], {"pelvis_tilt": -self._sole_pitch(pose)})[0]
        turned = {name: value for name, value in start.items() if name.startswith("pelvis_")}
        pose = self._figure.bent(pose[None], turned)[0]
        pose[2] -= lowest_geom_height(self.body.model, pose)
        return readonly(pose)

    def _sole_pitch(self, pose: Array) -> float:
        """Angle (degrees) by which the first foot points down in a pose (nq,)."""
        data = next(posed_data(self.body, pose[None]))
        ahead = data.xmat[self.body.link_id(self.body.feet[0].link)].reshape(3, 3)[:, 0]
        return float(np.degrees(np.arctan2(-ahead[2], ahead[0])))
