"""Staging: create a run from a body, a motion, a scene and a controller. All performances are staged here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from poise.body.body import Body
from poise.control.commands import Command
from poise.control.controller import Controller, ReportsProgress, Steerable
from poise.edit.live import Live
from poise.edit.take import Edit
from poise.errors import PoiseError
from poise.performance.cues import Cue, edit_cue, grip_cues, steer_cue
from poise.performance.run import Run
from poise.physics.recorded import scene_of_motion
from poise.progress import Say, in_silence
from poise.reference.dynamic import Dynamic
from poise.reference.reference import Reference
from poise.world.pushes import Push
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.terrain import Place, Terrain
from poise.world.world import World


def set_up(
    scene: Scene,
    reference: Reference,
    controller: Controller,
    step: float,
    *,
    pushes: Sequence[Push] = (),
    commands: Sequence[Command] = (),
    edits: Sequence[tuple[float, Edit]] = (),
    live: bool = False,
    cues: Sequence[Cue] = (),
    stand: Place | None = None,
    seed: int = 0,
    noise: float = 0.0,
    record: bool | float = True,
    events: Sequence[Mapping[str, Any]] = (),
    world: type[World] = World,
    say: Say = in_silence,
) -> Run:
    """Create a run from objects.

    `step` (s) is the time step of the world. `commands` steer and `edits` (time in s, edit) change the motion during
    the run; `live` allows further edits. The other arguments are those of `Run`. A motion whose hands hold a prop needs
    the scene of `scene_for` and the cues of `grips_of`.
    """
    steers = [steer_cue(_steerable(controller), command) for command in commands]
    changes: list[Cue] = []
    if live or edits:
        reference = editable = Live(reference, scene.body)
        changes = [edit_cue(editable, edit, time) for time, edit in edits]
    if isinstance(controller, ReportsProgress):
        controller.say = say
    made = world(scene, WorldSettings(step=step))
    all_cues = (*steers, *cues, *changes)
    return Run(made, controller, reference, pushes, all_cues, seed, noise, stand, record=record, events=events)


def scene_for(body: Body, reference: Reference, terrain: Terrain | str = "flat", friction: float = 1.0) -> Scene:
    """A scene of one body on a terrain, with the bar that the motion holds, if any."""
    held = _held(reference)
    return Scene.of(body, terrain, () if held is None else scene_of_motion(held).props, friction)


def grips_of(reference: Reference) -> list[Cue]:
    """Cues that grip and release the prop that the motion's hands hold; none if they hold nothing."""
    held = _held(reference)
    return [] if held is None else grip_cues(held)


def _held(reference: Reference) -> Dynamic | None:
    """The first of the reference's motions in which hands hold a prop."""
    return next((motion for motion in reference.motions.values() if motion.contacts.held.any()), None)


def _steerable(controller: Controller) -> Steerable:
    if not isinstance(controller, Steerable):
        raise PoiseError(f"controller '{controller.name}' cannot be steered")
    return controller


def stage(
    motion: str | Path | Reference,
    *,
    body: str | Body | None = None,
    controller: str | Controller = "hold",
    settings: Mapping[str, Any] | None = None,
    terrain: str | Terrain = "flat",
    friction: float = 1.0,
    limits: str | None = None,
    loads: Sequence[str] = (),
    pushes: Sequence[str | Push] = (),
    edits: Sequence[str | Edit] = (),
    steer: str | None = None,
    then: str | None = None,
    catch: str | None = None,
    step: float | None = None,
    seed: int = 0,
    noise: float = 0.0,
    record: bool | float = True,
    say: Say = in_silence,
) -> Run:
    """A live run: step it, push it, steer it, edit it, mark it and go back. The arguments are those of `poise perform`.

    Motion, body, controller, terrain, pushes and edits may be names and short forms, or objects. `record` is True to
    record everything, False to record nothing, or the number of most recent seconds to keep.
    """
    from poise.performance.request import Request

    request = Request(
        motion=str(motion) if isinstance(motion, Path) else motion,
        body=body,
        controller=controller,
        settings=settings or {},
        terrain=terrain,
        friction=friction,
        limits=limits,
        loads=_sequence("loads", loads),
        pushes=_sequence("pushes", pushes),
        edits=_sequence("edits", edits),
        steer=steer,
        then=then,
        catch=catch,
        step=step,
        seed=seed,
        noise=noise,
    )
    return request.stage(say, live=True, record=record).run


def _sequence(what: str, values: Any) -> tuple[Any, ...]:
    if isinstance(values, str):
        raise PoiseError(f"{what} must be a list, such as {what}=['{values}']")
    return tuple(values)
