"""From a script to a run: its reference and controller, with changed parameters, and rehearsals of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from poise.animate.script import Free, Goal, Pose, Script, ScriptHold
from poise.control.poses.poses import Poses
from poise.control.poses.rig import Strengthening
from poise.errors import PoiseError
from poise.performance.cues import Cue
from poise.performance.run import Run
from poise.performance.stage import set_up
from poise.reference.key_poses import KeyPoses, PoseKeys, standing_coordinates
from poise.world.result import BlowUp, Snapshot, StepResult
from poise.world.world import World

Change = tuple[Free, float]  # A parameter and how much it is changed


def solved_changes(goals: Iterable[Goal]) -> list[Change]:
    """All that was found for goals."""
    return [pair for goal in goals for pair in zip(goal.free, goal.solved, strict=True)]


def reference_and_controller(script: Script, changes: Iterable[Change] = ()) -> tuple[KeyPoses, Poses]:
    """The reference and the controller of a script, with changes."""
    changed = list(changes)
    gains = list(script.changes)
    for free, by in changed:
        if free.kind in ("stiffness", "damping"):
            for place in free.places:
                gains[place] = _stronger(gains[place], free.kind, by)
    controller = Poses(script.settings, gains, script.stabilised, script.objectives, script.rig)
    return _reference(script, changed), controller


def keys_of(script: Script, changes: Iterable[Change] = ()) -> PoseKeys:
    """The keys of all poses, with changes."""
    triples = [(pose.time, dof, angle) for pose in _changed(script, changes) for dof, angle in pose.angles.items()]
    time, dof, value = (np.array(column) for column in zip(*triples, strict=True))
    return PoseKeys(time.astype(float), dof.astype(np.int64), value.astype(float))


def affected_from(script: Script, free: Free, known: Iterable[Change] = ()) -> float:
    """When a parameter begins to matter, s: a key draws its freedom from the key before it on.

    `known` are changes that have been made already. A time that is free may pass the key before it.
    """
    if free.kind in ("stiffness", "damping"):
        return min(script.changes[place].when.start for place in free.places)
    first, poses = np.inf, _changed(script, known)
    for place in free.places:
        pose = poses[place]
        margin = free.most if free.kind == "time" else 0.0
        for dof in free.shares or pose.angles:
            earlier = [other.time for other in poses if dof in other.angles and other.time < pose.time - margin]
            first = min(first, max(earlier, default=0.0))
    return max(float(first), 0.0)


def goal_start(script: Script, goal: Goal, known: Sequence[Change] = ()) -> float:
    """When a goal's parameters begin to matter, s; what it wants at an earlier time is refused."""
    start = min(affected_from(script, free, known) for free in goal.free)
    for want in goal.wants:
        if want.when.event == "time" and want.when.time < start:
            told = f"{want.what} at {want.when.time:g} s, before what it may change matters, at {start:g} s"
            raise PoiseError(f"{goal.name} wants {told}")
    return start


def _changed(script: Script, changes: Iterable[Change]) -> list[Pose]:
    """The poses with changes."""
    poses = list(script.poses)
    for free, by in changes:
        if free.kind in ("angle", "time"):
            for place in free.places:
                poses[place] = _bent(poses[place], free, by)
    return poses


def _bent(pose: Pose, free: Free, by: float) -> Pose:
    if free.kind == "time":
        return replace(pose, time=pose.time + by)
    return replace(pose, angles={**pose.angles, **_shifted(pose.angles, free.shares, by)})


def _shifted(angles: Mapping[int, float], shares: Mapping[int, float], by: float) -> dict[int, float]:
    return {dof: angles[dof] + share * by for dof, share in shares.items()}


def _stronger(change: Strengthening, kind: str, by: float) -> Strengthening:
    if kind == "stiffness":
        return replace(change, stiffness=change.stiffness * (1.0 + by))
    return replace(change, damping=change.damping * (1.0 + by))


def _reference(script: Script, changes: Iterable[Change]) -> KeyPoses:
    body = script.scene.body
    velocity = np.zeros(body.nv)
    velocity[:3] = script.beginning.velocity
    first = standing_coordinates(body)
    made = KeyPoses(body, script.name, keys_of(script, changes), first, velocity, script.seconds)
    return made.raised(script.rise)


def hold_cues(script: Script) -> list[Cue]:
    """Cues that grip and release what the script's holds name."""
    return [cue for hold in script.holds for cue in _cues(hold)]


def _cues(hold: ScriptHold) -> list[Cue]:
    def take(world: World) -> None:
        for point in hold.points:
            world.grip(hold.link, world.point(hold.link, point), hold.what)

    def leave(world: World) -> None:  # found by its ends: a rehearsal resumes snapshots of other worlds
        ends = world.scene.link_id(hold.link), world.scene.link_id(hold.what)
        for grip in world.grips:
            if (grip.body, grip.other) == ends:
                world.release(grip)

    what = f"{hold.link} {{}} {hold.what}"
    cues = [Cue(hold.when.start, what.format("holds"), take)]
    return [*cues, Cue(hold.when.end, what.format("lets go of"), leave)] if isfinite(hold.when.end) else cues


def script_run(script: Script, changes: Iterable[Change] = (), record: bool = True) -> Run:
    """A run of a script at its beginning, with changes."""
    reference, controller = reference_and_controller(script, changes)
    return set_up(
        script.scene,
        reference,
        controller,
        script.step,
        pushes=script.pushes,
        cues=hold_cues(script),
        stand=script.beginning.stand,
        record=record,
    )


class Rehearsal:
    """A run of a script without a recording, taken up from any state as often as solving needs it."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self._run = script_run(script, record=False)

    @property
    def world(self) -> World:
        """The world in which it takes place."""
        return self._run.world

    def change(self, changes: Iterable[Change]) -> None:
        """Perform the script with changes, from now on."""
        reference, controller = reference_and_controller(self.script, changes)
        self._run.redirect(controller, reference)

    def resume(self, snapshot: Snapshot) -> None:
        """Return to a state that this rehearsal, or another of the same script, was in; then call `change`."""
        self._run.resume(snapshot)

    def step(self) -> StepResult:
        """Advance by one step."""
        return self._run.step()

    def run_until(self, time: float) -> None:
        """Advance to the last step that ends no later than a time (s)."""
        try:
            while self.world.time + self.world.settings.step <= time + 1e-9:
                self.step()
        except BlowUp as error:
            raise PoiseError(f"{self.script.name} cannot be solved: it {error}") from None


def touching(result: StepResult, own: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Body ids that pressed on each other in a step, where just one of two is among the body's `own` (nbody,)."""
    bears = result.impulse[:, 0] > 0
    body, other = result.body[bears], result.other[bears]
    apart = own[body] != own[other]
    return np.concatenate([body[apart], other[apart]])
