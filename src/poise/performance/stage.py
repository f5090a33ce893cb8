"""Staging: create a run from a body, a motion, a scene and a controller. All performances are staged here."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from poise.body.body import Body
from poise.control.catalogue import named_controller
from poise.control.commands import SteerCommand
from poise.control.controller import Controller, ReportsProgress, Steerable
from poise.edit.take import Edit, Live
from poise.errors import PoiseError
from poise.library.motions import named_motion
from poise.performance.cues import Cue, edit_cue, grip_cues, steer_cue
from poise.performance.performance import Performance
from poise.performance.run import Run, check_run_arguments
from poise.physics.dynamic_motion import scene_of_dynamic
from poise.progress import Say, Steps, no_progress
from poise.reference.dynamic import Dynamic
from poise.reference.reference import Reference
from poise.world.pushes import Push
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.terrain import Place, Terrain
from poise.world.world import World


def set_up_run(
    scene: Scene,
    reference: Reference,
    controller: Controller,
    step: float,
    *,
    pushes: Sequence[Push] = (),
    commands: Sequence[SteerCommand] = (),
    edits: Sequence[tuple[float, Edit]] = (),
    live: bool = False,
    cues: Sequence[Cue] = (),
    stand: Place | None = None,
    seed: int = 0,
    noise: float = 0.0,
    record: bool | float = True,
    events: Sequence[Mapping[str, Any]] = (),
    world: type[World] = World,
    say: Say = no_progress,
) -> Run:
    """Create a run from objects.

    `step` (s) is the time step of the world. `commands` steer and `edits` (time in s, edit) change the motion during
    the run; `live` allows further edits. The other arguments are those of `Run`. For a motion whose hands hold a prop,
    the scene must hold the prop, and cues must grip it: see `scene_with_held_prop` and `grip_cues_of`.
    """
    if commands and not isinstance(controller, Steerable):
        raise PoiseError(f"controller '{controller.name}' cannot be steered")
    steers = [steer_cue(controller, command) for command in commands]  # type: ignore[arg-type]
    changes: list[Cue] = []
    if live or edits:
        reference = editable = Live(reference, scene.body)
        changes = [edit_cue(editable, edit, time) for time, edit in edits]
    if isinstance(controller, ReportsProgress):
        controller.say = say
    made = world(scene, WorldSettings(step=step))
    all_cues = (*steers, *cues, *changes)
    return Run(made, controller, reference, pushes, all_cues, seed, noise, stand, record=record, events=events)


def perform(
    world: World,
    controller: Controller | str,
    reference: Reference | str,
    *,
    seconds: float,
    pushes: Sequence[Push] = (),
    cues: Sequence[Cue] = (),
    seed: int = 0,
    noise: float = 0.0,
    stand: Place | None = None,
    progress: Steps = range,
) -> Performance:
    """Let a controller perform a reference in a world, and record it.

    The controller and the reference may be given by name. ``noise`` (rad/s) perturbs the initial joint velocities,
    drawn from ``seed``. ``cues`` act on the world at their times. ``stand`` is the place where the character starts,
    unless the motion fixes one. ``progress`` turns the number of steps into an iterable, like tqdm's trange. A blow-up
    ends the performance; the recording up to then is returned with the cause. To stage by name, see `poise.stage`.
    """
    if not isinstance(world, World):
        raise PoiseError(f"perform needs a World first, not {world!r}: to perform by name, use poise.stage(...)")
    if isinstance(controller, str):
        controller = named_controller(controller)
    if isinstance(reference, str):
        reference = named_motion(reference, world.scene.body)
    check_run_arguments(seconds, seed, noise)
    return Run(world, controller, reference, pushes, cues, seed, noise, stand).perform(seconds, progress)


def scene_with_held_prop(
    body: Body, reference: Reference, terrain: Terrain | str = "flat", friction: float = 1.0, self_contact: bool = True
) -> Scene:
    """A scene of one body on a terrain, with the bar that the motion holds, if any."""
    held = _gripping_motion(reference)
    scene = Scene.of(body, terrain, () if held is None else scene_of_dynamic(held).props, friction)
    return replace(scene, self_contact=self_contact)


def grip_cues_of(reference: Reference) -> list[Cue]:
    """Cues that grip and release the prop that the motion's hands hold; none if the hands hold nothing."""
    held = _gripping_motion(reference)
    return [] if held is None else grip_cues(held)


def _gripping_motion(reference: Reference) -> Dynamic | None:
    """The first of the reference's motions in which hands hold a prop; None if there is no such motion."""
    return next((motion for motion in reference.motions.values() if motion.contacts.held.any()), None)
