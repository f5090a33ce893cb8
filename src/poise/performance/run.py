"""The whole program in one function."""

from __future__ import annotations

import copy
import math
import time as clock
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.control.controller import Controller, Startled
from poise.errors import PoiseError
from poise.performance.cues import Cue, done
from poise.performance.forces import MOST, HungWeight, ScenePush, hung_force, total_push
from poise.performance.marks import Mark, fixed_parts, replaced_parts
from poise.performance.start import PlacedReference, carriage_of, start
from poise.reference.reference import Reference
from poise.version import __version__
from poise.world.pushes import Push
from poise.world.recorder import Recorder
from poise.world.recording import Recording
from poise.world.result import BlowUp, StepResult
from poise.world.terrain import Place, Terrain
from poise.world.world import World

# What a recording says about its making.


def describe(
    world: World,
    controller: Controller,
    reference: Reference,
    events: Sequence[dict[str, Any]],
    seed: int,
    noise: float,
) -> dict[str, Any]:
    """As JSON has it."""
    body = world.scene.body
    return {
        "version": __version__,
        "body": body.name,
        "motion": reference.name,
        "controller": controller.name,
        "settings": controller.settings,
        "seed": seed,
        "noise": noise,
        "step": world.settings.step,
        "world": asdict(world.settings),
        "torque_limits": [limit if math.isfinite(limit) else None for limit in world.torque_limit.tolist()],
        "dof_names": [world.scene.dof_name(i) for i in range(world.model.nv)],
        "root": body.links[0],
        "rigging": None if body.rigging is None else body.rigging.as_dict(),
        "feet": [foot.link for foot in body.feet],
        "hands": [hand.link for hand in body.hands],
        "events": list(events),
    }


LONGEST = 1e5
"""s: the longest performance that is simulated in one go."""
PATIENCE = 1.0
"""s after which a pull ends of which nothing more was heard."""


@dataclass(frozen=True)
class Performance:
    """A recording, and how long it took to make."""

    recording: Recording
    setup_s: float
    step_s: Array  # (T,) wall-clock seconds of each step, control included
    blow_up: BlowUp | None = None

    @property
    def real_time_factor(self) -> float:
        """Simulated seconds per wall-clock second, set-up excluded."""
        spent = float(self.step_s.sum())
        return self.recording.steps * self.recording.step / spent if spent else 0.0


def perform(
    world: World,
    controller: Controller,
    reference: Reference,
    *,
    seconds: float,
    pushes: Sequence[Push] = (),
    cues: Sequence[Cue] = (),
    seed: int = 0,
    noise: float = 0.0,
    stand: Place | None = None,
    progress: Callable[[int], Iterable[int]] = range,
) -> Performance:
    """Let a controller perform a reference in a world, and record it.

    ``noise`` (rad/s) perturbs the initial joint velocities, drawn from ``seed``. ``cues`` act on the world at their
    times. ``stand`` is where the character begins, unless the motion decides. ``progress`` turns the number of steps
    into something to loop over, such as tqdm's trange. A world that blows up ends the performance; the recording up
    to there is returned with the cause.
    """
    check(seconds, seed, noise)
    run = Run(world, controller, reference, pushes, cues, seed, noise, stand)
    try:
        for _ in progress(max(1, round(seconds / world.settings.step))):
            run.step()
    except BlowUp as error:
        return run.take(error)
    return run.take()


class Run:
    """A performance under way, to be had step by step and in pieces."""

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
    ) -> None:
        """Put the world and the controller at the beginning; the arguments are those of `perform`."""
        started = clock.perf_counter()
        place = start(world, reference, seed, noise, stand)
        self.world, self.controller, self.reference = world, controller, reference
        self._place = place
        self._forces = [ScenePush(push, world, place) for push in pushes]
        self._weights: tuple[HungWeight, ...] = ()
        controller.reset(world, PlacedReference(reference, place))
        world.load()
        self._waiting = sorted(cues, key=lambda cue: cue.time)
        self.events: list[dict[str, Any]] = [force.event for force in self._forces]
        self._seed, self._noise = seed, noise
        self._begin_piece()
        self._setup_s = clock.perf_counter() - started

    def _begin_piece(self) -> None:
        self._recorder = Recorder(self.world, with_reference=True)
        self._recorder.track(self.ghost)
        self._spent: list[float] = []

    @property
    def ghost(self) -> Array:
        """(nq,) the pose that is tracked now, in the layout of the scene, with the props where the scene put them."""
        qpos = np.array(self.world.model.qpos0)
        qpos[self.world.scene.coordinates(0)] = self.controller.target(self.world.time)
        return qpos

    def step(self) -> StepResult:
        """Go on by a step. A world that blows up raises it."""
        world = self.world
        while self._waiting and self._waiting[0].time <= world.time + 1e-9:
            self.events.append(done(self._waiting.pop(0), world))
        began = clock.perf_counter()
        if self._begins() and isinstance(self.controller, Startled):
            self.controller.startle(world.time)
        actuation, push = self.controller.act(world.state), total_push(self._forces, world)
        if self._weights:
            push = hung_force(self._weights, world, actuation, push) + (0.0 if push is None else push)
        result = world.step(actuation, push)
        self._recorder.add(result)
        self._recorder.track(self.ghost)
        self._spent.append(clock.perf_counter() - began)
        return result

    def _begins(self) -> bool:
        """Whether a push begins in the coming step."""
        now = self.world.time
        return any(now <= force.push.time < now + self.world.settings.step for force in self._forces)

    def take(self, blow_up: BlowUp | None = None) -> Performance:
        """What was performed since it was last taken, or since the beginning; with what ended it, if it blew up."""
        events = list(self.events)
        if blow_up is not None:
            events.append({"kind": "blow-up", "step": blow_up.step, "culprit": blow_up.culprit})
        taken = self._performance(events, blow_up)
        self._begin_piece()
        return taken

    def so_far(self) -> Performance:
        """The same, and it is not taken: what comes is added to it."""
        return self._performance(self.events, None)

    def _performance(self, events: Sequence[dict[str, Any]], blow_up: BlowUp | None) -> Performance:
        meta = describe(self.world, self.controller, self.reference, list(events), self._seed, self._noise)
        return Performance(self._recorder.finish(meta), self._setup_s, np.array(self._spent), blow_up)

    def push(self, force: Array, duration: float, body: str | None = None) -> ScenePush:
        """Push a link, the trunk unless told, with a force (3,) N in the world from now on, for so long (s)."""
        size = float(np.linalg.norm(force))
        if not 0 < size < math.inf:
            raise PoiseError(f"a push of {size} N: it must be finite and more than 0")
        x, y, z = carriage_of(replace(self._place, yaw=-self._place.yaw)).vector(np.asarray(force) / size)
        unit = math.hypot(x, y, z)
        made = ScenePush(
            Push(size, self.world.time, duration, (x / unit, y / unit, z / unit), body), self.world, self._place
        )
        self._forces = [*(f for f in self._forces if f.push.time + f.push.duration > self.world.time), made]
        self.events.append(made.event)
        return made

    def pull(self, force: Array, body: str | None = None) -> None:
        """Pull a link from now on, and no other; it is let go after `PATIENCE` without another word."""
        self.let_go()
        self.push(force, PATIENCE, body).held = True

    def let_go(self) -> None:
        """End what is pulled; how long it was is put down."""
        now = self.world.time
        for force in self._forces:
            if force.held:
                force.event["duration"] = min(now - force.push.time, force.push.duration)
        self._forces = [force for force in self._forces if not force.held]

    def hang(self, link: str, mass: float) -> None:
        """Hang a weight (kg) on a link, from now on."""
        made = HungWeight.on(self.world, link, mass)
        if len(self._weights) >= MOST:
            raise PoiseError(f"at most {MOST} weights hang at once: take some off")
        self._weights = (*self._weights, made)
        self.note({"kind": "weight", "time": self.world.time, "body": link, "mass": mass, "point": list(made.point)})

    def take_off(self) -> None:
        """Take off all weights that hang on it, if any do."""
        if not self._weights:
            return
        self._weights = ()
        self.note({"kind": "weights off", "time": self.world.time})

    def note(self, event: Mapping[str, Any]) -> None:
        """Put down in the recording what was just done to the controller or its reference."""
        self.events.append(dict(event))

    def lay(self, terrain: Terrain, text: str) -> None:
        """Go on over another ground, which has to be the same as before wherever anything has been.

        So the recording, which knows only the last ground, is true from its beginning; `text` says there what changed.
        """
        old, parts = self.world, (self.controller, self.reference, self._waiting)
        new = World(replace(old.scene, terrain=terrain), old.settings)
        new.take_over(old)
        kept = copy.deepcopy(parts, fixed_parts(parts, old) | replaced_parts(old, new))
        self.controller, self.reference, self._waiting = kept
        self.world = self._recorder.world = new
        self.note({"kind": "ground", "time": new.time, "text": text})

    @property
    def way(self) -> Array:
        """(T+1, 3) m: where the performer's root has been since it was last taken."""
        root = self.world.scene.coordinates(0).start
        return np.array([qpos[root : root + 3] for qpos in self._recorder.qpos])

    def mark(self) -> Mark:
        """Where it is now, to go back to."""
        parts = (self.controller, self.reference, self._waiting)
        controller, reference, waiting = copy.deepcopy(parts, fixed_parts(parts, self.world))
        return Mark(
            world=self.world,
            snapshot=self.world.snapshot,
            controller=controller,
            reference=reference,
            waiting=tuple(waiting),
            forces=tuple(self._forces),
            weights=self._weights,
            events=len(self.events),
            steps=len(self._spent),
        )

    def go_back(self, to: Mark) -> None:
        """Be where it was at a mark, to the last bit; what was recorded since is forgotten."""
        if to.steps > len(self._spent):
            raise PoiseError("cannot go back to a mark of another piece")
        parts = (to.controller, to.reference, list(to.waiting))
        self.controller, self.reference, self._waiting = copy.deepcopy(parts, fixed_parts(parts, to.world))
        self.world = self._recorder.world = to.world
        self.world.go_back(to.snapshot)
        self._forces, self._weights = list(to.forces), to.weights
        del self.events[to.events :], self._spent[to.steps :]
        self._recorder.cut(to.steps)


def check(seconds: float, seed: int, noise: float) -> None:
    """Refuse numbers that make no performance."""
    if not 0 < seconds <= LONGEST:
        raise PoiseError(f"{seconds} seconds: the time to simulate must be positive and at most {LONGEST:.0f} s")
    if not 0 <= noise < math.inf:
        raise PoiseError(f"noise {noise}: must be finite and at least 0")
    if seed < 0:
        raise PoiseError(f"seed {seed}: must be at least 0")
