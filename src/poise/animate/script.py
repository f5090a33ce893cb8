"""What a script says: a body in a scene, its control poses in time, and what they are to achieve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from poise.body.surface import lowest
from poise.control.poses.objectives import Objective
from poise.control.poses.poses import PosesSettings
from poise.control.poses.rig import Rig, Strengthening, TimeSpan
from poise.reference.key_poses import posed, standing_coordinates
from poise.world.pushes import Push
from poise.world.scene import Scene
from poise.world.terrain import Place

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Pose:
    """Angles of some degrees of freedom at a time."""

    name: str
    time: float  # s
    angles: Mapping[int, float]  # rad by freedom; those of the root are its roll, pitch and yaw


@dataclass(frozen=True)
class Beginning:
    """How the body begins."""

    place: tuple[float, float] = (0.0, 0.0)  # m
    heading: float = 0.0  # rad
    velocity: Vector = (0.0, 0.0, 0.0)  # m/s, ahead, to the left and up
    lift: float = 0.0  # m above the ground

    @property
    def stand(self) -> Place:
        """Where it stands."""
        return Place(x=self.place[0], y=self.place[1], yaw=self.heading)


@dataclass(frozen=True)
class ScriptHold:
    """A prop or a place of the world held by a link, at points."""

    link: str
    what: str  # a prop, or `world`
    points: tuple[Vector, ...]  # m, in the link's frame
    when: TimeSpan


@dataclass(frozen=True)
class ScriptMoment:
    """When something is wanted: at a time, or so long after an event of the goal's own time."""

    event: Literal["time", "flight", "apex", "down"]
    time: float = 0.0  # s: the time itself, or how long after the event
    link: str | None = None  # whose touch-down; any


@dataclass(frozen=True)
class Want:
    """A kinematic constraint."""

    what: str  # a sensor, or what flight leads to
    when: ScriptMoment
    value: float  # SI units and rad
    within: float  # the same, the tolerance
    range: float = 0.0  # the same: how far the value may be moved, and the script still solves


@dataclass(frozen=True)
class Free:
    """A parameter that may be changed to meet constraints."""

    name: str
    kind: Literal["angle", "time", "stiffness", "damping"]
    places: tuple[int, ...]  # of the poses, or of the changes of gains
    shares: Mapping[int, float]  # freedoms of an angle, each with a sign
    unit: float  # a usual change: rad, s, or part of what it was
    most: float  # the largest change


@dataclass(frozen=True)
class Goal:
    """Constraints that are met together, by changing some parameters."""

    name: str
    wants: tuple[Want, ...]
    free: tuple[Free, ...]
    patience: float  # s after which an event that did not come counts as missed
    origin: tuple[int, int]  # where in the file: the how-manieth goal, and which of its repetitions
    solved: tuple[float, ...]  # changes of the parameters that were found before, or zeros


@dataclass(frozen=True, eq=False)
class Script:
    """All of it."""

    name: str
    title: str
    path: Path | None
    scene: Scene
    seconds: float
    step: float  # s
    beginning: Beginning
    settings: PosesSettings
    poses: tuple[Pose, ...]
    changes: tuple[Strengthening, ...]
    stabilised: tuple[TimeSpan, ...]
    objectives: tuple[Objective, ...]
    pushes: tuple[Push, ...]
    holds: tuple[ScriptHold, ...]
    goals: tuple[Goal, ...]

    @cached_property
    def rig(self) -> Rig:
        """The springs of its body."""
        return Rig.of(self.scene.body)

    @cached_property
    def rise(self) -> float:
        """m: what puts the first pose onto the ground, or so high above it as is told."""
        body = self.scene.body
        coordinates = standing_coordinates(body)
        for pose in self.poses:
            if pose.time == 0:
                coordinates[list(pose.angles)] = list(pose.angles.values())
        return self.beginning.lift - lowest(body.model, posed(body, coordinates))
