"""A script (a body in a scene, timed control poses and goals) and its run, repeatable with changed parameters."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from poise.body.surface import lowest_geom_height
from poise.control.poses.objectives import PoseControlObjective
from poise.control.poses.poses import Poses, PosesSettings
from poise.control.poses.rig import GainChange, PoseControlRig, TimeSpan
from poise.errors import PoiseError
from poise.performance.cues import Cue, grip_cue, release_cue
from poise.performance.run import Run
from poise.performance.stage import set_up_run
from poise.reference.key_poses import KeyPoseReference, PoseKeys, pose_from_coordinates, standing_coordinates
from poise.world.pushes import Push
from poise.world.result import BlowUp, StepResult
from poise.world.scene import Scene
from poise.world.terrain import ORIGIN, Place

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

    stand: Place = ORIGIN  # on the terrain
    velocity: Vector = (0.0, 0.0, 0.0)  # m/s: ahead, to the left and up
    lift: float = 0.0  # m above the ground


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
    objectives: tuple[PoseControlObjective, ...]
    pushes: tuple[Push, ...]
    holds: tuple[ScriptHold, ...]
    goals: tuple[Goal, ...]

    @cached_property
    def rig(self) -> PoseControlRig:
        """The default rig of the script's body."""
        return PoseControlRig.of(self.scene.body)

    @cached_property
    def root_rise(self) -> float:
        """Height (m) to add to the root so that the initial pose stands on the ground, or `lift` above it."""
        body = self.scene.body
        coordinates = standing_coordinates(body)
        for pose in self.poses:
            if pose.time == 0:
                coordinates[list(pose.angles)] = list(pose.angles.values())
        return self.beginning.lift - lowest_geom_height(body.model, pose_from_coordinates(body, coordinates))


Change = tuple[Free, float]  # A free parameter and its change: rad, s or a share of the gain


def solved_changes(goals: Iterable[Goal]) -> list[Change]:
    """All free parameters of the goals, each with its solved change; the change is 0 if the goal is not solved yet."""
    return [pair for goal in goals for pair in zip(goal.free, goal.solved, strict=True)]


def script_reference_and_controller(script: Script, changes: Iterable[Change] = ()) -> tuple[KeyPoseReference, Poses]:
    """The reference and the controller of a script with changed parameters."""
    changed, gains, body = list(changes), list(script.gain_changes), script.scene.body
    for free, by in changed:
        if free.kind in ("stiffness", "damping"):
            for place in free.places:
                value = getattr(gains[place], free.kind) * (1.0 + by)
                gains[place] = replace(gains[place], **{free.kind: value})
    controller = Poses(script.settings, gains, script.stabilised, script.objectives, script.rig)
    velocity = np.zeros(body.nv)
    velocity[:3] = script.beginning.velocity
    keys, first = script_keys(script, changed), standing_coordinates(body)
    reference = KeyPoseReference(body, script.name, keys, first, velocity, script.seconds)
    return reference.raised(script.root_rise), controller


def script_keys(script: Script, changes: Iterable[Change] = ()) -> PoseKeys:
    """The keys (time, DOF, angle) of all poses of a script with changed parameters."""
    poses = _changed_control_poses(script, changes)
    triples = [(pose.time, dof, angle) for pose in poses for dof, angle in pose.angles.items()]
    time, dof, value = (np.array(column) for column in zip(*triples, strict=True))
    return PoseKeys(time.astype(float), dof.astype(np.int64), value.astype(float))


def parameter_effect_time(script: Script, free: Free, known: Iterable[Change] = ()) -> float:
    """Time (s) from which a parameter affects the motion with the `known` changes: the preceding key of its DOF."""
    if free.kind in ("stiffness", "damping"):
        return min(script.gain_changes[place].when.start for place in free.places)
    first, poses = np.inf, _changed_control_poses(script, known)
    for place in free.places:
        pose = poses[place]
        margin = free.most if free.kind == "time" else 0.0
        for dof in free.shares or pose.angles:
            earlier = [other.time for other in poses if dof in other.angles and other.time < pose.time - margin]
            first = min(first, max(earlier, default=0.0))
    return max(float(first), 0.0)


def goal_start(script: Script, goal: Goal, known: Sequence[Change] = ()) -> float:
    """Time (s) from which a goal's parameters affect the motion; raise if a constraint has an earlier time."""
    start = min(parameter_effect_time(script, free, known) for free in goal.free)
    for want in goal.wants:
        if want.when.event == "time" and want.when.time < start:
            late = f"its parameters have no effect before {start:g} s"
            raise PoiseError(f"{goal.name} wants {want.what} at {want.when.time:g} s, but {late}")
    return start


def _changed_control_poses(script: Script, changes: Iterable[Change]) -> list[ControlPose]:
    """The poses of a script with changed angles and times."""
    poses = list(script.poses)
    for free, by in changes:
        for place in free.places if free.kind in ("angle", "time") else ():
            pose = poses[place]
            if free.kind == "time":
                poses[place] = replace(pose, time=pose.time + by)
            else:
                shifted = {dof: pose.angles[dof] + share * by for dof, share in free.shares.items()}
                poses[place] = replace(pose, angles={**pose.angles, **shifted})
    return poses


def hold_cues(script: Script) -> list[Cue]:
    """Cues that grip and release the props of the script's holds."""
    cues = []
    for hold in script.holds:
        link, prop = hold.link, hold.what
        cues.append(grip_cue(hold.when.start, f"{link} holds {prop}", link, hold.points, prop))
        if isfinite(hold.when.end):
            cues.append(release_cue(hold.when.end, f"{link} lets go of {prop}", link, prop))
    return cues


def script_run(script: Script, changes: Iterable[Change] = (), record: bool = True) -> Run:
    """Set up a run of a script with changed parameters; no step is made yet."""
    reference, controller = script_reference_and_controller(script, changes)
    pushes, cues, stand = script.pushes, hold_cues(script), script.beginning.stand
    return set_up_run(
        script.scene, reference, controller, script.step, pushes=pushes, cues=cues, stand=stand, record=record
    )


class ScriptRehearsal:
    """A run of a script without a recording; the solver restarts it from any state."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.run = script_run(script, record=False)

    def continue_with(self, changes: Iterable[Change]) -> None:
        """Continue with changed parameters from the present state."""
        reference, controller = script_reference_and_controller(self.script, changes)
        self.run.redirect(controller, reference)

    def run_until(self, time: float) -> None:
        """Advance while the next step ends no later than a time (s); raise if the simulation blows up."""
        try:
            while self.run.time + self.run.step_s <= time + 1e-9:
                self.run.step()
        except BlowUp as error:
            raise PoiseError(f"{self.script.name} cannot be solved: it {error}") from None


def links_touching_in_script(result: StepResult, own: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Ids of both bodies of each contact in a step between the character's links, `own` (nbody,), and other bodies."""
    bears = result.impulse[:, 0] > 0
    body, other = result.body[bears], result.other[bears]
    apart = own[body] != own[other]
    return np.concatenate([body[apart], other[apart]])
