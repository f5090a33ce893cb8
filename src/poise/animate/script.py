"""The contents of a script: a body in a scene, control poses in time, and goals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from poise.body.surface import lowest_geom_height
from poise.control.poses.objectives import Objective
from poise.control.poses.poses import PosesSettings
from poise.control.poses.rig import GainChange, Rig, TimeSpan
from poise.reference.key_poses import pose_from_coordinates, standing_coordinates
from poise.world.pushes import Push
from poise.world.scene import Scene
from poise.world.terrain import Place

FLIGHT_POSITIONS = ("flight.height", "flight.x", "flight.y")
"""Quantities (m): apex of the centre of mass, and its place when it has come down again."""
FLIGHT_TURNS = ("flight.rolled", "flight.pitched", "flight.yawed")
"""Quantities (rad): rotation of the root about its own axes from the start of the goal to the end of the flight, if the
joints stay fixed."""
ROOT_TURNS = ("root.rolled", "root.pitched", "root.yawed")
"""Quantities (rad): rotation of the root about one of its own axes since the start of the goal, full turns included."""

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class ControlPose:
    """A control pose: target angles of some DOFs at a time."""

    name: str
    time: float  # s
    angles: Mapping[int, float]  # rad by DOF; DOFs 3, 4 and 5 are the root's roll, pitch and yaw


@dataclass(frozen=True)
class Beginning:
    """Initial state of the body."""

    place: tuple[float, float] = (0.0, 0.0)  # m: x and y
    heading: float = 0.0  # rad
    velocity: Vector = (0.0, 0.0, 0.0)  # m/s: ahead, to the left and up
    lift: float = 0.0  # m above the ground

    @property
    def stand(self) -> Place:
        """Place and heading of the body on the terrain."""
        return Place(x=self.place[0], y=self.place[1], yaw=self.heading)


@dataclass(frozen=True)
class ScriptHold:
    """A grip: a link holds a prop or the world at points."""

    link: str
    what: str  # name of a prop, or `world`
    points: tuple[Vector, ...]  # m, in the link's frame
    when: TimeSpan


@dataclass(frozen=True)
class ScriptMoment:
    """The moment of a constraint: a time, or a delay after the first event of its kind since the start of the goal."""

    event: Literal["time", "flight", "apex", "down"]
    time: float = 0.0  # s: the time itself, or the delay after the event
    link: str | None = None  # link whose touch-down counts; None is any link


@dataclass(frozen=True)
class Want:
    """A kinematic constraint; its numbers are in SI units and rad."""

    what: str  # a sensor, a rotation of the root, or a prediction of the flight
    when: ScriptMoment
    value: float
    within: float  # tolerance
    range: float = 0.0  # change of the value for which the script can still be solved


@dataclass(frozen=True)
class Free:
    """A parameter that the solver may change to meet constraints."""

    name: str
    kind: Literal["angle", "time", "stiffness", "damping"]
    places: tuple[int, ...]  # indices of the poses, or of the changes of gains
    shares: Mapping[int, float]  # for an angle: its DOFs, each with a sign; otherwise empty
    unit: float  # usual change: rad, s, or a share of the gain
    most: float  # largest change, in the same unit


@dataclass(frozen=True)
class Goal:
    """Constraints that are met together by changing free parameters."""

    name: str
    wants: tuple[Want, ...]
    free: tuple[Free, ...]
    patience: float  # s after which an event that has not happened counts as missed
    origin: tuple[int, int]  # index of the goal in the file, and of its repetition
    solved: tuple[float, ...]  # solved changes of the parameters, or zeros


@dataclass(frozen=True, eq=False)
class Script:
    """A script as read from its file."""

    name: str
    title: str
    path: Path | None
    scene: Scene
    seconds: float
    step: float  # s
    beginning: Beginning
    settings: PosesSettings
    poses: tuple[ControlPose, ...]
    gain_changes: tuple[GainChange, ...]
    stabilised: tuple[TimeSpan, ...]
    objectives: tuple[Objective, ...]
    pushes: tuple[Push, ...]
    holds: tuple[ScriptHold, ...]
    goals: tuple[Goal, ...]

    @cached_property
    def rig(self) -> Rig:
        """The default rig of the script's body."""
        return Rig.of(self.scene.body)

    @cached_property
    def root_rise(self) -> float:
        """Height (m) to add to the root so that the initial pose stands on the ground, or `lift` above it."""
        body = self.scene.body
        coordinates = standing_coordinates(body)
        for pose in self.poses:
            if pose.time == 0:
                coordinates[list(pose.angles)] = list(pose.angles.values())
        return self.beginning.lift - lowest_geom_height(body.model, pose_from_coordinates(body, coordinates))
