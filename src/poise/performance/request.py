"""A request: everything that determines a performance, as names and short forms or as objects; `stage` for users."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from poise.body.body import Body
from poise.body.load import parse_body_load
from poise.control.catalogue import controller_entry, entry_of_controller, fallback_controller, named_controller
from poise.control.commands import SteerCommand, parse_steer
from poise.control.controller import Controller, ReportsEnding, Steerable
from poise.control.entry import ControllerEntry, entry_from_object
from poise.edit.parse import parse_edit
from poise.edit.take import Edit, eased, take_of
from poise.errors import PoiseError, known_name
from poise.library.behaviours.behaviour import BehaviourReference
from poise.library.bodies import load_shipped_or_own_body
from poise.library.motions import dynamic_reference, motion_names, named_motion
from poise.library.repertoire import Roaming, shipped_repertoire
from poise.motion.repair.finding import Imported
from poise.performance.arguments import list_argument, number_argument, optional_text, text_or_object
from poise.performance.cast import Cast, cast, default_controller
from poise.performance.catch import CatchController
from poise.performance.cues import check_cue_speed
from poise.performance.hand_over import Handover, stand_after_motion
from poise.performance.performance import Performance
from poise.performance.report import Outcome, check_performance_folder, write_performance
from poise.performance.run import Run, check_run_arguments
from poise.performance.stage import grip_cues_of, scene_with_held_prop, set_up_run
from poise.progress import Say, Steps, no_progress
from poise.reference.body_clip import BodyClip
from poise.reference.played import Played, reference_at_rate
from poise.reference.reference import Reference
from poise.world.pushes import Push, parse_push
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.terrain import Terrain
from poise.world.terrain_kinds import parse_terrain

ENDLESS = 5.0  # Default duration (s) of a motion without an end, and after the last steering command
Casting = Callable[[str, str | Body | None, Say, bool, str | None], Cast]
"""A function like `poise.performance.cast.cast`, which finds the body and the reference."""


@dataclass(frozen=True, eq=False)
class Staged:
    """A run at its start, with its duration and the findings of the import."""

    run: Run
    seconds: float  # duration of the performance
    imported: Imported | None  # findings, if the motion was read from a file


@dataclass(frozen=True)
class Request:
    """Everything that determines a performance; the fields are the arguments of `poise.stage`."""

    motion: str | Reference
    body: str | Body | None = None
    controller: str | Controller | None = None  # None for the controller that suits the motion
    settings: Mapping[str, Any] = field(default_factory=dict)
    terrain: str | Terrain = "flat"
    friction: float = 1.0
    limits: str | None = None
    loads: tuple[str, ...] = ()
    pushes: tuple[str | Push, ...] = ()
    edits: tuple[str | Edit, ...] = ()
    steer: str | None = None
    then: str | None = None
    catch: str | None = None
    seconds: float | None = None
    step: float | None = None
    seed: int = 0
    noise: float = 0.0
    self_contact: bool = True

    def perform(self, say: Say = no_progress, progress: Steps = range) -> Performance:
        """Stage and perform; `say` is called with a line at each stage of work; `progress` as in `poise.perform`."""
        staged = self.stage(say)
        return staged.run.perform(staged.seconds, progress)

    def perform_and_write(self, folder: Path, say: Say = no_progress, progress: Steps = range) -> Outcome:
        """Stage, perform, and write the files of the performance into a folder."""
        check_performance_folder(folder, Path(self.motion) if isinstance(self.motion, str) else None)
        staged = self.stage(say)
        performance = staged.run.perform(staged.seconds, progress)
        say("writing")
        return write_performance(performance, folder, staged.imported, self.keeps_time)

    @property
    def keeps_time(self) -> bool:
        """Whether time t of the performance is time t of the motion, as far as is known before it."""
        asked = self.edits or self.steer or self.then or self.catch
        chosen = self._chosen_controller
        entry = controller_entry(chosen) if isinstance(chosen, str) else entry_of_controller(chosen)
        return not asked and entry.steered != "freely"

    @property
    def _chosen_controller(self) -> str | Controller:
        """The controller, or the name of the one that suits the motion if none is given."""
        if self.controller is None:
            return default_controller(self.motion)
        return self.controller

    def stage(
        self, say: Say = no_progress, casting: Casting = cast, live: bool = False, record: bool | float = True
    ) -> Staged:
        """Create the run; arguments that are invalid for every body and motion raise before any work is done.

        `casting` finds the body and its motion; a caller that stages often may give a function that caches them. With
        `live`, the motion can be edited during the run, if the controller supports edits. `record` as in `Run`.
        """
        check_run_arguments(ENDLESS if self.seconds is None else self.seconds, self.seed, self.noise)
        edits = [parse_edit(edit) if isinstance(edit, str) else edit for edit in self.edits]
        pushes = [parse_push(push) if isinstance(push, str) else push for push in self.pushes]
        loads = [parse_body_load(text) for text in self.loads]
        controller = self._chosen_controller
        if self.settings and not isinstance(controller, str):
            raise PoiseError("settings go with a controller's name: give them to the controller object itself")
        if isinstance(controller, str):
            entry, controller = controller_entry(controller), named_controller(controller, self.settings)
        else:
            entry = entry_of_controller(controller)
        commands = self._commands(controller, entry)
        controller = self._with_catcher(controller, entry)
        successor = self._successor()
        terrain = parse_terrain(self.terrain) if isinstance(self.terrain, str) else self.terrain
        Scene((), terrain, friction=self.friction)  # raises if the friction is invalid
        WorldSettings(step=entry.step if self.step is None else self.step)
        chosen = self._cast(casting, entry, say)
        for link, mass in loads:
            chosen = chosen.with_load(link, mass)
        if self.limits is not None:
            chosen = replace(chosen, body=chosen.body.with_torque_limits(self.limits))
        step = self._step_duration(chosen.reference, entry)
        before, after = ((), edits) if entry.tracks_edits else (edits, ())
        tracked = self._tracked_reference(chosen, before, entry.needs_physics, say)
        if entry.needs_physics:
            tracked = reference_at_rate(tracked, 1 / step)
        reference = _edited_reference(tracked, after, chosen.body, say)
        if successor is not None:
            then, motion = successor
            if reference.duration is None and not isinstance(controller, ReportsEnding):
                raise PoiseError(f"motion '{reference.name}' has no end: leave out then")
            controller = Handover(controller, then, named_motion(motion, chosen.body))
        elif tracked.motions and self._goes_on_after(reference.duration, live):
            stand = stand_after_motion(tuple(tracked.motions.values())[-1])
            if stand is not None and controller_entry(fallback_controller()).refusal(chosen.body) is None:
                controller = Handover(controller, named_controller(fallback_controller()), stand)
        say("setting up (the first time on a machine, compiling takes half a minute)")
        run = set_up_run(
            scene_with_held_prop(chosen.body, tracked, terrain, self.friction, self.self_contact),
            reference,
            controller,
            step,
            pushes=pushes,
            commands=commands,
            cues=grip_cues_of(tracked),
            live=live and entry.edits_live,
            seed=self.seed,
            noise=self.noise,
            record=record,
            events=[
                *(_edit_event(str(edit), reference) for edit in self.edits),
                *({"kind": "load", "text": load} for load in self.loads),
            ],
            say=say,
        )
        steered = ENDLESS + commands[-1].time if commands else 0.0
        return Staged(run, self.seconds or max(reference.duration or ENDLESS, steered), chosen.imported)

    def _cast(self, casting: Casting, entry: ControllerEntry, say: Say) -> Cast:
        """The body and its reference, before any edit and load."""
        if isinstance(self.motion, str):
            return casting(self.motion, self.body, say, entry.needs_physics, entry.body)
        body = self.body or getattr(getattr(self.motion, "clip", None), "body", None)
        if body is None:
            raise PoiseError("a Reference object needs body=..., the body that it was made for")
        return Cast(load_shipped_or_own_body(body), self.motion)

    def _step_duration(self, reference: Reference, entry: ControllerEntry) -> float:
        """Duration of a step of the world (s)."""
        if self.step is not None:
            return self.step
        return 1.0 / reference.behaviour.rate if isinstance(reference, BehaviourReference) else entry.step

    def _goes_on_after(self, end: float | None, live: bool) -> bool:
        """Whether the performance can go on after the `end` (s) of its motion."""
        return end is not None and (live if self.seconds is None else self.seconds > end)

    def _successor(self) -> tuple[Controller, str] | None:
        """The controller and the motion that `then` names; None without `then`."""
        if self.then is None:
            return None
        motion, colon, name = self.then.partition(":")
        if not colon:
            raise PoiseError(
                f"then '{self.then}' is not of the form MOTION:CONTROLLER, such as walk:{fallback_controller()}"
            )
        if not controller_entry(name).takes_over:
            raise PoiseError(f"then '{self.then}': {name} cannot take over, use {fallback_controller()}")
        then = named_controller(name)
        if self.steer is not None and not isinstance(then, Steerable):
            raise PoiseError(f"then '{self.then}': {name} cannot be steered, use {fallback_controller()}")
        return then, known_name("motion", motion, motion_names())

    def _with_catcher(self, first: Controller, entry: ControllerEntry) -> Controller:
        """The controller; with `catch` wrapped so that the controller of this name takes over when the body topples."""
        if self.catch is None:
            return first
        if not entry.resumes:
            raise PoiseError(f"controller '{entry.name}' cannot resume its motion after a catch: leave out catch")
        rescuer = named_controller(name := self.catch)
        if not isinstance(rescuer, ReportsEnding) or not controller_entry(name).catches:
            raise PoiseError(f"catch '{name}': {name} cannot catch, use {fallback_controller()}")
        return CatchController(first, rescuer)

    def _tracked_reference(self, chosen: Cast, edits: Sequence[Edit], physics: bool, say: Say) -> Reference:
        """The edited motion, made to obey physics if `physics`; with `physics` and `steer`, the repertoire of steps."""
        if physics and self.steer is not None:  # without edits: see `_commands`
            return Roaming(shipped_repertoire(chosen.body), str(self.motion))
        reference = _edited_reference(chosen.reference, edits, chosen.body, say)
        return dynamic_reference(reference, chosen.body, chosen.ships, say) if physics else reference

    def _commands(self, controller: Controller, entry: ControllerEntry) -> tuple[SteerCommand, ...]:
        """The steering commands, checked against what the controller can do."""
        if self.steer is None:
            return ()
        commands = parse_steer(self.steer)
        if not isinstance(controller, Steerable):
            raise PoiseError(f"controller '{entry.name}' cannot be steered: use {fallback_controller()}")
        if (self.edits or self.loads) and entry.needs_physics:
            raise PoiseError(f"{entry.name} cannot be steered with edits or loads: leave out one or the other")
        guide = controller_entry(self.then.partition(":")[2]) if self.then and ":" in self.then else entry
        for command in commands:
            check_cue_speed(guide, command.speed)
        return commands


def _edited_reference(reference: Reference, edits: Sequence[Edit], body: Body, say: Say) -> Reference:
    for edit in edits:
        say(f"editing: {edit}")
        take = take_of(reference, body)
        reference = eased(edit, take).on(take)
    return reference


def _edit_event(text: str, edited: Reference) -> dict[str, str]:
    """The event of an edit made before the run, with what the edit found in the motion."""
    notes = [note.removeprefix(f"{text}: ") for note in getattr(edited, "notes", ()) if note.startswith(f"{text}: ")]
    return {"kind": "edit", "text": text, **({"note": notes[0]} if notes else {})}


def stage(
    motion: str | Path | Reference | BodyClip,
    *,
    body: str | Path | Body | None = None,
    controller: str | Controller | type | None = None,
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
    self_contact: bool = True,
    record: bool | float = True,
    say: Say = no_progress,
) -> Run:
    """A live run: step it, push it, steer it, edit it, mark it and go back. The arguments are those of `poise perform`.

    Motion, body, controller, terrain, pushes and edits may be names and short forms, or objects. `record` is True to
    record everything, False to record nothing, or the number of most recent seconds to keep. Without `self_contact`,
    links of the body pass through each other.
    """
    motion = Played(motion) if isinstance(motion, BodyClip) else motion
    if not isinstance(settings, Mapping | None):
        raise PoiseError(f"settings {settings!r}: must be a mapping, such as {{'damping': 0.1}}")
    if isinstance(controller, type):
        controller, settings = entry_from_object(controller, controller.__name__).make(settings), None
    request = Request(
        motion=text_or_object("motion", motion, "at", "a name, a file or a Reference"),
        body=None if body is None else text_or_object("body", body, "dof_names", "a name, a file or a Body"),
        controller=None
        if controller is None
        else text_or_object("controller", controller, "act", "a name, a class or a controller"),
        settings=settings or {},
        terrain=text_or_object("terrain", terrain, "height", "a short form such as 'slope:5', a file or a Terrain"),
        friction=number_argument("friction", friction),
        limits=optional_text("limits", limits, "athlete"),
        loads=list_argument("loads", loads, None, "texts such as 'right_hand=15'"),
        pushes=list_argument("pushes", pushes, "direction", "short forms such as '150@2', or of Push objects"),
        edits=list_argument("edits", edits, "on", "short forms such as 'stride:+0.1', or of edits"),
        steer=optional_text("steer", steer, "0s:0 3s:90"),
        then=optional_text("then", then, "MOTION:CONTROLLER"),
        catch=optional_text("catch", catch, "CONTROLLER"),
        step=step if step is None else number_argument("step", step, "a number of seconds"),
        seed=seed,
        noise=noise,
        self_contact=self_contact,
    )
    return request.stage(say, live=True, record=record).run
