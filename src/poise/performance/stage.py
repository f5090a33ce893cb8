"""Staging: create a run from a body, a motion, a scene and a controller. All performances are staged here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from poise.body.body import Body
from poise.control.catalogue import named_controller
from poise.control.commands import SteerCommand
from poise.control.controller import Controller, ReportsProgress, Steerable
from poise.control.entry import entry_from_object
from poise.edit.live import Live
from poise.edit.take import Edit
from poise.errors import PoiseError
from poise.library.motions import named_motion
from poise.performance.arguments import list_argument, number_argument, optional_text, text_or_object
from poise.performance.cues import Cue, edit_cue, grip_cues, steer_cue
from poise.performance.performance import Performance
from poise.performance.run import Run, check_run_arguments
from poise.physics.recorded import scene_of_motion
from poise.progress import Say, Steps, no_progress
from poise.reference.body_clip import BodyClip
from poise.reference.dynamic import Dynamic
from poise.reference.played import Played
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
    body: Body, reference: Reference, terrain: Terrain | str = "flat", friction: float = 1.0
) -> Scene:
    """A scene of one body on a terrain, with the bar that the motion holds, if any."""
    held = _gripping_motion(reference)
    return Scene.of(body, terrain, () if held is None else scene_of_motion(held).props, friction)


def grip_cues_of(reference: Reference) -> list[Cue]:
    """Cues that grip and release the prop that the motion's hands hold; none if the hands hold nothing."""
    held = _gripping_motion(reference)
    return [] if held is None else grip_cues(held)


def _gripping_motion(reference: Reference) -> Dynamic | None:
    """The first of the reference's motions in which hands hold a prop; None if there is no such motion."""
    return next((motion for motion in reference.motions.values() if motion.contacts.held.any()), None)


def stage(
    motion: str | Path | Reference | BodyClip,
    *,
    body: str | Path | Body | None = None,
    controller: str | Controller | type = "hold",
    settings: Mapping[str, Any] | None = None,
    terrain: str | Path | Terrain = "flat",
    friction: float = 1.0,
    limits: str | None = None,
    loads: str | Sequence[str] = (),
    pushes: str | Push | Sequence[str | Push] = (),
    edits: str | Edit | Sequence[str | Edit] = (),
    steer: str | None = None,
    then: str | None = None,
    catch: str | None = None,
    step: float | None = None,
    seed: int = 0,
    noise: float = 0.0,
    record: bool | float = True,
    say: Say = no_progress,
) -> Run:
    """A live run: step it, push it, steer it, edit it, mark it and go back. The arguments are those of `poise perform`.

    Motion, body, controller, terrain, pushes and edits may be names and short forms, or objects. `record` is True to
    record everything, False to record nothing, or the number of most recent seconds to keep.
    """
    from poise.performance.request import Request

    motion = Played(motion) if isinstance(motion, BodyClip) else motion
    if not isinstance(settings, Mapping | None):
        raise PoiseError(f"settings {settings!r}: must be a mapping, such as {{'damping': 0.1}}")
    if isinstance(controller, type):
        controller, settings = entry_from_object(controller, controller.__name__).make(settings), None
    request = Request(
        motion=text_or_object("motion", motion, "at", "a name, a file or a Reference"),
        body=None if body is None else text_or_object("body", body, "dof_names", "a name, a file or a Body"),
        controller=text_or_object("controller", controller, "act", "a name, a class or a controller"),
        settings=settings or {},
        terrain=text_or_object("terrain", terrain, "height", "a short form such as 'slope:5', a file or a Terrain"),
        friction=number_argument("friction", friction),
        limits=optional_text("limits", limits, "athlete"),
        loads=list_argument("loads", loads, "", "texts such as 'right_hand=15'"),
        pushes=list_argument("pushes", pushes, "direction", "short forms such as '150@2', or of Push objects"),
        edits=list_argument("edits", edits, "on", "short forms such as 'stride:+0.1', or of edits"),
        steer=optional_text("steer", steer, "0s:0 3s:90"),
        then=optional_text("then", then, "MOTION:CONTROLLER"),
        catch=optional_text("catch", catch, "CONTROLLER"),
        step=step if step is None else number_argument("step", step, "a number of seconds"),
        seed=seed,
        noise=noise,
    )
    return request.stage(say, live=True, record=record).run
