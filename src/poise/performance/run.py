"""A run: a performance in progress, and the only loop that steps the world."""

import copy
import math
import time as clock
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, is_dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, finite_or_null
from poise.control.catalogue import entry_of_controller
from poise.control.commands import SteerCommand
from poise.control.controller import ChangesControl, Controller, PushAware, Steerable
from poise.dynamics.actuation import Actuation
from poise.edit.parse import parse_edit
from poise.edit.take import Edit, Live
from poise.errors import PoiseError
from poise.measure.metrics import links_barred_from_ground
from poise.performance import forces
from poise.performance.arguments import number_argument, text_or_object
from poise.performance.cues import Cue, check_cue_speed, fire_cue, held_pairs, steer_by_cue
from poise.performance.marks import Mark, unchanging_parts_for_mark, world_parts_for_mark
from poise.performance.performance import Bones, Performance
from poise.performance.start import PlacedReference, place_at_start
from poise.progress import Steps
from poise.reference.reference import Reference
from poise.version import __version__
from poise.world.pushes import Push
from poise.world.recorder import Recorder
from poise.world.recording import Recording
from poise.world.result import BlowUp, Snapshot, StepResult
from poise.world.terrain import Place, Terrain
from poise.world.terrain_kinds import parse_terrain
from poise.world.world import World

LONGEST_RUN = 1e5  # Longest duration (s) that is simulated at once
PATIENCE = 1.0  # Time (s) after which a pull ends unless it is renewed
STEADY = 0.05  # A renewed pull keeps the last force if the new force differs from it by at most this share
ON_TIME = 1e-9  # Tolerance (s): a cue fires before a step that begins at most this long before the time of the cue


class Run:
    """A performance in progress: step, push, steer, edit and mark it, and go back to a mark.

    `record` is True to record everything, False to record nothing, or the number of most recent seconds to keep.
    """

    def __init__(
        self,
        world: World,
        controller: Controller,
        reference: Reference,
        pushes: Sequence[Push] = (),
        cues: Sequence[Cue] = (),
        seed: int = 0,
        noise: float = 0.0,
        stand: Place | None = None,
        *,
        record: bool | float = True,
        events: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Set the world and the controller to the start; the arguments are those of `perform`.

        `events` are changes that were made before the run, such as edits and loads. The recording lists the events of
        the run first, then these.
        """
        if not isinstance(record, bool):
            expected = "True, False, or a positive number of seconds"
            if not 0 < number_argument("record", record, expected) < math.inf:
                raise PoiseError(f"record {record}: must be {expected}")
        started = clock.perf_counter()
        self.world, self.controller, self.reference = world, controller, reference
        self.place = place_at_start(world, reference, seed, noise, stand)
        self._cues = sorted(cues, key=lambda cue: cue.time)
        self._waiting = list(self._cues)
        self._pushes = [forces.PushInRun.placed(push, world, self.place) for push in pushes]
        self._weights: tuple[forces.WeightHungInRun, ...] = ()
        self._stabiliser: str | None = None  # what a stabiliser of the root has given so far
        controller.reset(world, PlacedReference(reference, self.place))
        world.warm_up()
        self.events: list[dict[str, Any]] = [push.event for push in self._pushes]
        self._prior = [dict(event) for event in events]
        self._seed, self._noise, self._record = seed, noise, record
        body = world.scene.body
        self._links = np.array([world.scene.link_id(link) for link in body.links])
        feet, hands = ([part.link for part in parts] for parts in (body.feet, body.hands))
        self._barred = links_barred_from_ground(world.model, int(self._links[0]), feet, hands)
        self.fell_at: float | None = None
        """Start (s) of the step in which the performer first touched the ground with more than feet and hands."""
        self._marked: dict[object, int] = {}  # step of each mark that can be gone back to
        self._begin_piece()
        self._setup_s = clock.perf_counter() - started

    def __repr__(self) -> str:
        state = "fell" if self.fell else "up"
        what = f"{self.world.scene.body.name} performs {self.reference.name} with {self.controller.name}"
        return f"Run({what}, {self.time:.2f} s, {state})"

    # -- state --------------------------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """Simulated time (s)."""
        return float(self.world.time)

    @property
    def step_s(self) -> float:
        """Duration of a step (s)."""
        return float(self.world.settings.step)

    @property
    def fell(self) -> bool:
        """Whether the performer has touched the ground with more than feet and hands."""
        return self.fell_at is not None

    @property
    def bones(self) -> Bones:
        """The performer's links in the world, after the last step."""
        data = self.world.terms.data
        return Bones(self.world.scene.body.links, data.xpos[self._links], data.xquat[self._links])

    @property
    def ghost(self) -> Array:
        """(nq,) the tracked pose, in the layout of the scene, with props at their initial places."""
        qpos = np.array(self.world.model.qpos0)
        qpos[self.world.scene.coordinates(0)] = self.controller.target(self.world.time)
        return qpos

    @property
    def path(self) -> Array:
        """(T+1, 3) m: positions of the performer's root in the recorded states."""
        if self._recorder is None:
            raise PoiseError("the path of a run is known only if it is recorded: stage it with record=True")
        root = self.world.scene.coordinates(0).start
        return np.array([qpos[root : root + 3] for qpos in self._recorder.qpos])

    # -- the loop -----------------------------------------------------------------------------------------------------

    def step(self) -> StepResult:
        """Fire cues that are due, and advance by one step of the world; raise `BlowUp` if a number is not finite."""
        world = self.world
        while self._waiting and self._waiting[0].time <= world.time + ON_TIME:
            self.events.append(fire_cue(self._waiting.pop(0), world))
        self._declare_grips()
        began = clock.perf_counter()
        if self._push_begins() and isinstance(self.controller, PushAware):
            self.controller.note_push(world.time)
        time, actuation, external = self.time, self._act(), forces.total_push(self._pushes, world)
        if self._weights:
            others = 0.0 if external is None else external
            external = forces.hung_force(self._weights, world, actuation, external) + others
        if self._stabiliser != forces.FORCE_AND_TORQUE:
            self._stabiliser = forces.stabiliser_kind(actuation, world) or self._stabiliser
        result = world.step(actuation, external)
        grounded = self._barred[result.body] & (result.other == 0)  # more than feet and hands
        if self.fell_at is None and np.any(grounded & result.impulse.any(axis=1)):
            self.fell_at = time
        if self._recorder is not None:
            self._recorder.add(result)
            self._recorder.track(self.ghost)
            self._spent.append(clock.perf_counter() - began)
            self._drop_old_steps(2)
        return result

    def perform(
        self, seconds: float, progress: Steps = range, until: Callable[[StepResult], bool] | None = None
    ) -> Performance:
        """Step for some seconds, until `until(result)` is true, or until a blow-up, and take the performance."""
        check_run_arguments(seconds)
        if self._recorder is None:
            raise PoiseError("this run is not recorded: step it, or stage it with record=True")
        try:
            for _ in progress(max(1, round(seconds / self.world.settings.step))):
                result = self.step()
                if until is not None and until(result):
                    break
        except BlowUp as error:
            return self.take(error)
        return self.take()

    def _act(self) -> Actuation:
        """The controller's actuation; raise if a user's controller returns something else."""
        given: object = self.controller.act(self.world.state)
        if not isinstance(given, Actuation):
            of = f"a value of type {type(given).__name__}"
            raise PoiseError(f"controller '{self.controller.name}': act returns {of}, not a poise.Actuation")
        return given

    def _declare_grips(self) -> None:
        """Add an event if other pairs of links are held than the last such event says."""
        told: list[list[str]] = next(
            (event["pairs"] for event in reversed(self.events) if event.get("kind") == "grips"), []
        )
        if (held := held_pairs(self.world)) != told:
            self.note({"kind": "grips", "time": self.world.time, "pairs": held})

    def _push_begins(self) -> bool:
        """Whether a push begins in the coming step; a renewed pull does not count."""
        now = self.world.time
        new = (each.push.time for each in self._pushes if not each.renews)
        return any(now <= time < now + self.world.settings.step for time in new)

    # -- the recording ------------------------------------------------------------------------------------------------

    def _begin_piece(self) -> None:
        self._recorder = Recorder(self.world, with_reference=True) if self._record is not False else None
        if self._recorder is not None:
            self._recorder.track(self.ghost)
        self._spent: list[float] = []
        self._dropped = 0  # steps of the piece that are no longer kept

    def _drop_old_steps(self, factor: int) -> None:
        """Drop recorded steps older than `record` seconds, if at least `factor` times the steps needed are recorded."""
        if self._recorder is None or isinstance(self._record, bool):
            return
        keep = max(1, round(self._record / self.world.settings.step))
        if len(self._spent) >= factor * keep:
            steps = len(self._spent) - keep
            self._recorder.drop(steps)
            del self._spent[:steps]
            self._dropped += steps

    def take(self, blow_up: BlowUp | None = None) -> Performance:
        """The performance since the last `take`; recording starts a new piece, and earlier marks become invalid."""
        events = self._told
        if blow_up is not None:
            events.append({"kind": "blow-up", "step": blow_up.step, "culprit": blow_up.culprit})
        taken = self._performance(events, blow_up)
        self._begin_piece()
        self._marked.clear()
        return taken

    def so_far(self) -> Performance:
        """The performance since the last `take`, without starting a new piece."""
        return self._performance(self._told, None)

    @property
    def recording(self) -> Recording:
        """The recording since the last `take`."""
        return self.so_far().recording

    def _performance(self, events: Sequence[dict[str, Any]], blow_up: BlowUp | None) -> Performance:
        if self._recorder is None:
            raise PoiseError("this run is not recorded: stage it with record=True or the number of seconds to keep")
        self._drop_old_steps(1)
        meta = {**self.meta, "events": [dict(event) for event in events]}
        return Performance(self._recorder.finish(meta), self._setup_s, np.array(self._spent), blow_up)

    @property
    def meta(self) -> dict[str, Any]:
        """The `meta` of the recording so far, which JSON can represent, without the counts of the solver."""
        world, settings = self.world, self.controller.settings
        body = world.scene.body
        return {
            "version": __version__,
            "body": body.name,
            "motion": self.reference.name,
            "controller": self.controller.name,
            "settings": _plain_settings(settings),
            "seed": self._seed,
            "noise": self._noise,
            "step": world.settings.step,
            "world": asdict(world.settings),
            "torque_limits": finite_or_null(world.torque_limit),
            "dof_names": [world.scene.dof_name(i) for i in range(world.model.nv)],
            "joint_lower": finite_or_null(world.scene.per_dof([each.lower for each in world.scene.bodies], -np.inf)),
            "joint_upper": finite_or_null(world.scene.per_dof([each.upper for each in world.scene.bodies], np.inf)),
            "stabiliser": self._stabiliser,
            "root": body.links[0],
            "rigging": None if body.rigging is None else body.rigging.as_dict(),
            "feet": [foot.link for foot in body.feet],
            "hands": [hand.link for hand in body.hands],
            "terrain": str(world.scene.terrain),
            "self_contact": world.scene.self_contact,
            "fell_at": self.fell_at,
            "events": [dict(event) for event in self._told],
        }

    @property
    def _told(self) -> list[dict[str, Any]]:
        """The events of the recording: of the run, before the run, and those of controllers that take over."""
        changes = self.controller.changes if isinstance(self.controller, ChangesControl) else ()
        return [*self.events, *self._prior, *(change.event for change in changes)]

    def note(self, event: Mapping[str, Any]) -> None:
        """Add an event to the recording."""
        self.events.append(dict(event))

    # -- interaction --------------------------------------------------------------------------------------------------

    def push(self, force: ArrayLike, duration: float = 0.1, body: str | None = None) -> forces.PushInRun:
        """Push a link (default: the trunk) with a force (3,) N in the world frame, from now on for a duration (s)."""
        made = forces.PushInRun.from_now(force, duration, body, self.world, self.place)
        self._add_push(made)
        return made

    def _add_push(self, made: forces.PushInRun) -> None:
        self._pushes = [*(push for push in self._pushes if push.end > self.world.time), made]
        self.events.append(made.event)

    def pull(self, force: ArrayLike, body: str | None = None) -> None:
        """Replace the last pull: pull a link with a force (3,) N, which ends after `PATIENCE` unless renewed."""
        now, made = self.world.time, forces.PushInRun.from_now(force, PATIENCE, body, self.world, self.place, held=True)
        same = (each for each in self._pushes if each.held and each.end > now and each.link_id == made.link_id)
        last = next(same, None)
        if last is not None and np.linalg.norm(made.vector - last.vector) <= STEADY * np.linalg.norm(last.vector):
            longer = last.lasting(now + PATIENCE - last.push.time)
            self._pushes = [longer if each is last else each for each in self._pushes]
            self._replace_event(last.event, [longer.event])
            return
        made.renews = last is not None and (last.renews or last.push.time < now)
        self.let_go()
        self._add_push(made)

    def let_go(self) -> None:
        """End the pull and record its duration."""
        for pull in [each for each in self._pushes if each.held]:
            spent = min(self.world.time - pull.push.time, pull.push.duration)
            self._replace_event(pull.event, [{**pull.event, "duration": spent}] if spent > 0 else [])
        self._pushes = [push for push in self._pushes if not push.held]

    def _replace_event(self, old: dict[str, Any], new: list[dict[str, Any]]) -> None:
        """Replace event `old` in the list by `new`, one event or none; `old` is not changed, since marks hold it."""
        self.events = [each for event in self.events for each in (new if event is old else [event])]

    def hang(self, link: str, mass: float) -> None:
        """Hang a weight (kg) on a link, from now on."""
        made = forces.WeightHungInRun.on(self.world, link, mass)
        if len(self._weights) >= forces.MOST_WEIGHTS:
            raise PoiseError(f"at most {forces.MOST_WEIGHTS} weights can hang at once: take them off first")
        self._weights = (*self._weights, made)
        self.note({"kind": "weight", "time": self.world.time, "body": link, "mass": mass, "point": list(made.point)})

    def take_off(self) -> None:
        """Take off all weights."""
        if not self._weights:
            return
        self._weights = ()
        self.note({"kind": "weights off", "time": self.world.time})

    def steer(
        self,
        heading: float | None = None,
        speed: float | None = None,
        lift: float | None = None,
        step: float | None = None,
    ) -> None:
        """Command a heading (rad, to the left of the initial heading) and a speed (m/s), from now on.

        `lift` (m) raises the swing foot further, `step` (s) is the duration of a step, if the controller is adjustable;
        None keeps the last value.
        """
        if not isinstance(self.controller, Steerable):
            raise PoiseError(f"controller '{self.controller.name}' cannot be steered")
        for name, value in (("heading", heading), ("speed", speed), ("lift", lift), ("step", step)):
            if value is not None:
                number_argument(name, value)
        check_cue_speed(entry_of_controller(self.controller), speed)
        if heading is None:  # as commanded last
            last = (event["heading_deg"] for event in reversed(self.events) if event["kind"] == "steer")
            heading = math.radians(next(last, 0.0))
        self.note(steer_by_cue(self.controller, SteerCommand(self.world.time, heading, speed, lift, step)))

    def edit(self, edit: str | Edit) -> None:
        """Edit the motion from now on; the edit may be a short form, such as 'offset:chest=0:20:0'."""
        if not isinstance(self.reference, Live):
            what = f"motions of {self.controller.name} cannot be edited during a run"
            raise PoiseError(f"{what}: edit the motion before it, or use another controller")
        edit = text_or_object("edit", edit, "on", "a short form such as 'offset:chest=0:20:0', or an edit")
        self.note(self.reference.edit(parse_edit(edit) if isinstance(edit, str) else edit, self.world.time))

    def lay(self, terrain: str | Terrain, text: str) -> None:
        """Continue on another terrain, which must equal the present terrain wherever anything has been.

        The recording holds only the last terrain, which must be valid for the whole recording. `text` is the event's.
        """
        terrain = text_or_object("terrain", terrain, "height", "a short form such as 'slope:5', or a terrain")
        terrain = parse_terrain(terrain) if isinstance(terrain, str) else terrain
        old, parts = self.world, (self.controller, self.reference, self._waiting)
        new = World(replace(old.scene, terrain=terrain), old.settings)
        new.take_over(old)
        kept = copy.deepcopy(parts, unchanging_parts_for_mark(parts, old) | world_parts_for_mark(old, new))
        self.controller, self.reference, self._waiting = kept
        self._move_to(new)
        self.note({"kind": "ground", "time": new.time, "text": text})

    def _move_to(self, world: World) -> None:
        self.world = world
        if self._recorder is not None:
            self._recorder.world = world

    # -- going back ---------------------------------------------------------------------------------------------------

    def mark(self) -> Mark:
        """Save the present state, for `go_back`."""
        parts = (self.controller, self.reference, self._waiting)
        controller, reference, waiting = copy.deepcopy(parts, unchanging_parts_for_mark(parts, self.world))
        token = object()
        self._marked[token] = self._dropped + len(self._spent)
        return Mark(
            world=self.world,
            snapshot=self.world.snapshot,
            controller=controller,
            reference=reference,
            waiting=tuple(waiting),
            pushes=tuple(self._pushes),
            weights=self._weights,
            events=tuple(self.events),
            steps=self._dropped + len(self._spent),
            fell_at=self.fell_at,
            stabiliser=self._stabiliser,
            token=token,
        )

    def go_back(self, to: Mark) -> None:
        """Return exactly to the state of a mark; what was recorded since is deleted, and later marks become invalid."""
        if not isinstance(to, Mark) or to.token not in self._marked:
            raise PoiseError("cannot go back to this mark: it is of another run, or of steps that were taken or undone")
        self._marked = {token: steps for token, steps in self._marked.items() if steps <= to.steps}
        parts = (to.controller, to.reference, list(to.waiting))
        self.controller, self.reference, self._waiting = copy.deepcopy(
            parts, unchanging_parts_for_mark(parts, to.world)
        )
        self._move_to(to.world)
        self.world.go_back(to.snapshot)
        self._pushes, self._weights, self.fell_at = list(to.pushes), to.weights, to.fell_at
        self.events, self._stabiliser = list(to.events), to.stabiliser
        if self._recorder is None:
            return
        if to.steps < self._dropped:  # the steps since the mark are no longer all kept
            self._begin_piece()
            self._dropped = to.steps
        else:
            del self._spent[to.steps - self._dropped :]
            self._recorder.cut(to.steps - self._dropped)

    def resume(self, snapshot: Snapshot) -> None:
        """Restore a state of this or another world of the same scene; the controller keeps its own state.

        Cues that were due before the restored state do not fire again. `redirect` gives another controller.
        """
        self.world.go_back(snapshot)
        done = self.world.time - self.world.settings.step + ON_TIME
        self._waiting = [cue for cue in self._cues if cue.time > done]

    def redirect(self, controller: Controller, reference: Reference) -> None:
        """Continue from the present state with another controller and reference."""
        self.controller, self.reference = controller, reference
        controller.reset(self.world, PlacedReference(reference, self.place))


def check_run_arguments(seconds: float, seed: int = 0, noise: float = 0.0) -> None:
    """Raise if the duration (s), the seed or the noise is out of range."""
    if not 0 < number_argument("seconds", seconds) <= LONGEST_RUN:
        raise PoiseError(f"{seconds} seconds: the duration must be positive and at most {LONGEST_RUN:.0f} s")
    if not 0 <= number_argument("noise", noise) < math.inf:
        raise PoiseError(f"noise {noise}: must be finite and at least 0")
    whole: Any = number_argument("seed", seed)
    if not isinstance(whole, Integral) or whole < 0:
        raise PoiseError(f"seed {seed!r}: must be a whole number of at least 0")


def _plain_settings(settings: Any) -> Any:
    """Settings in a form that JSON can represent: dataclasses become mappings, at any depth."""
    if is_dataclass(settings) and not isinstance(settings, type):
        return asdict(settings)
    return (
        {key: _plain_settings(value) for key, value in settings.items()} if isinstance(settings, Mapping) else settings
    )
