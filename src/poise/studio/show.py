"""A live performance for a visitor, who can push, steer and edit it and return to any earlier time, and its judge."""

import hashlib
import math
import time as clock
from bisect import bisect_right
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from poise.arrays import Array, Frozen
from poise.body.body import Body
from poise.control.catalogue import named_controller
from poise.control.controller import ReusesPreparation
from poise.edit.blend import Blend
from poise.edit.parse import parse_edit
from poise.edit.take import Span
from poise.errors import PoiseError
from poise.library.motions import dynamic_reference, named_motion
from poise.measure.audit import audit
from poise.measure.verdict import Verdict, Word
from poise.performance.cast import Cast, cast
from poise.performance.marks import Mark
from poise.performance.report import recording_likeness
from poise.performance.run import Run
from poise.progress import Say, no_progress
from poise.reference.played import Played
from poise.rotations import yaw_of
from poise.studio.choices import Choice, refuse_file_edits
from poise.world.profile import SHORT, GroundProfile
from poise.world.recorder import Recorder
from poise.world.result import StepResult

MOST_CASTS = 8  # Number of motions on bodies that `ShowMemory` keeps
LONGEST = 600.0  # Longest performance (s), to bound the memory
OFTEN, SELDOM, RECENT = 1.0, 5.0, 30.0  # Time (s) between marks: in the most recent `RECENT` seconds, and before them
AHEAD = 1.3  # Distance, in standing root heights, beyond all visited places from which the ground may change
ACROSS = 0.5  # Smallest |cosine| of the heading against the initial one at which the ground ahead may change
NO_COMMAND = Frozen({"heading_deg": 0.0, "speed": None, "lift": None, "step": None})  # Values before any steering
RETIMED_BY = ("edit", "steer")  # Kinds of events after which time t is no longer time t of the file
STRONGEST = 5000.0  # Largest force (N) of a push

Interaction = Callable[[Run], object]


class ShowMemory:
    """Slow results that one visitor's performances share: motions on bodies, and preparations of controllers."""

    def __init__(self) -> None:
        self._casts: dict[Hashable, Cast] = {}
        self._prepared: dict[type, dict[Hashable, Any]] = {}

    def prepared(self, controller: object) -> dict[Hashable, Any]:
        """Preparations of controllers of the same class."""
        return self._prepared.setdefault(type(controller), {})

    def cast(
        self, motion: str, body: str | Body | None, say: Say, physics: bool, usual: str | None, changed: bool = False
    ) -> Cast:
        """`poise.performance.cast.cast` with cached results; a file is prepared again only if its content changed.

        With `physics` the reference of a file obeys physics, unless an edit or a load will have `changed` it.
        """
        if not Path(motion).suffix:
            say(f"putting {motion} on {body}")
            return self._cached((motion, body, physics, usual), lambda: cast(motion, body, no_progress, physics, usual))
        key = (motion, hashlib.sha256(Path(motion).read_bytes()).digest(), body)
        found = self._cached(key, lambda: cast(motion, body, say, physics, usual))
        if not physics or changed:
            return found
        obey = partial(dynamic_reference, found.reference, found.body, found.ships, say)
        return self._cached((*key, "physics"), lambda: replace(found, reference=obey()))

    def _cached(self, key: Hashable, make: Callable[[], Cast]) -> Cast:
        """The cast of a key; of all, the MOST_CASTS that were used last are kept."""
        found = self._casts[key] if key in self._casts else make()
        self._casts.pop(key, None)
        self._casts[key] = found  # the last
        if len(self._casts) > MOST_CASTS:
            del self._casts[next(iter(self._casts))]
        return found


class Show:
    """The live performance that a `Choice` describes."""

    def __init__(self, choice: Choice, say: Say = no_progress, memory: ShowMemory | None = None) -> None:
        self.choice = choice
        memory = memory or ShowMemory()
        controller = named_controller(choice.controller)
        if isinstance(controller, ReusesPreparation):
            controller.memory = memory.prepared(controller)
        self.live = choice.edits_live
        casting = partial(memory.cast, changed=bool(choice.edits or choice.loads))
        staged = replace(choice.request(), controller=controller).stage(say, casting, live=self.live)
        self.run = staged.run
        self.judge = Judge(self.run)
        self.imported = staged.imported
        self.last: StepResult | None = None
        self.real_time_factor = 0.0  # simulated seconds per wall-clock second, smoothed
        self._commanded = final_command(())
        self._steps = 0
        self._done: list[tuple[int, Interaction]] = []  # number of the step before which each interaction took place
        self._marks: list[Mark] = [self.run.mark()]

    def step(self) -> None:
        """Advance by one step; raise `BlowUp` if the simulation blows up."""
        if self.run.time >= LONGEST:
            raise PoiseError(f"a performance lasts at most {LONGEST / 60:.0f} minutes: start again, or go back in time")
        self._step_and_watch()
        if self._steps % round(OFTEN / self.run.step_s) == 0:
            self._marks.append(self.run.mark())
            old, seldom = self._steps - round(RECENT / self.run.step_s), round(SELDOM / self.run.step_s)
            self._marks = [mark for mark in self._marks if mark.steps > old or mark.steps % seldom == 0]

    def _step_and_watch(self) -> None:
        began = clock.perf_counter()
        self.last = self.run.step()
        factor = self.run.step_s / max(clock.perf_counter() - began, 1e-6)
        self.real_time_factor += (0.02 if self.real_time_factor else 1.0) * (factor - self.real_time_factor)
        self._steps += 1
        self.judge.watch(self.run, self.last)

    def branch(self, time: float) -> None:
        """Return to the exact state at an earlier time (s); everything after it is deleted."""
        goal = min(max(round(time / self.run.step_s), 0), self._steps)
        mark = self._marks[bisect_right(self._marks, goal, key=lambda mark: mark.steps) - 1]
        self.run.go_back(mark)
        self.judge.go_back(self.run)
        done = [each for each in self._done if mark.steps <= each[0] < goal]
        self.last, self._steps = None, mark.steps
        while self._steps < goal:
            while done and done[0][0] == self._steps:
                done.pop(0)[1](self.run)
            self._step_and_watch()
        self.run.let_go()
        self._done = [each for each in self._done if each[0] < goal]
        self._marks = [each for each in self._marks if each.steps <= goal]
        self._commanded = final_command(self.run.events)

    def interact(self, act: Interaction) -> None:
        """Do something to the run, and store it; `branch` repeats it when it simulates again from an earlier mark."""
        act(self.run)  # raises before it is stored
        self._done.append((self._steps, act))

    def push_towards(self, newtons: float, degrees: float, duration: float, body: str | None = None) -> None:
        """Push a link horizontally; 0 degrees is the heading of the performer, 90 to its left."""
        world = self.run.world
        angle = math.radians(degrees) + float(yaw_of(world.qpos[world.scene.coordinates(0)][3:7]))
        force = newtons * np.array([math.cos(angle), math.sin(angle), 0.0])
        self.interact(lambda run: run.push(force, duration, body))

    def steer(self, heading: float | None, speed: float | None, lift: float | None, step: float | None) -> None:
        """Command a heading (rad, to the left of the initial one), speed (m/s), foot lift (m) and step duration (s)."""
        if not self.choice.steers:
            raise PoiseError(f"{self.choice.controller} cannot be steered in {self.choice.motion}")
        if speed is not None and self.fastest is not None and speed > self.fastest:
            raise PoiseError(f"{self.choice.controller} falls when it runs uphill: it runs on level ground only")
        self.interact(lambda run: run.steer(heading, speed, lift, step))
        self._commanded = final_command(self.run.events[-1:], self._commanded)

    def edit(self, text: str) -> None:
        """Edit the motion from now on."""
        if not self.live:
            name = self.choice.controller
            raise PoiseError(f"{name} tracks a motion that obeys physics: edit it from the beginning instead")
        refuse_file_edits(text)
        edit = parse_edit(text)
        self.interact(lambda run: run.edit(edit))

    def slope(self, degrees: float) -> None:
        """Set the slope of the ground ahead (degrees); the ground walked on so far does not change."""
        if not self.choice.bends_ground:
            raise PoiseError(f"the ground ahead cannot change for {self.choice.motion} with {self.choice.controller}")
        fastest = self.choice.entry.fastest_uphill
        if fastest is not None and (self._commanded["speed"] or 0.0) > fastest:
            raise PoiseError(f"{self.choice.controller} falls when it runs uphill: have it walk first")
        self.interact(lambda run: _bend_ground(run, degrees))

    @property
    def rise(self) -> float | None:
        """Slope of the ground ahead (degrees); None if the terrain has no such profile."""
        profile = GroundProfile.of(self.run.world.scene.terrain)
        return None if profile is None else profile.rise(_heading_cosine(self.run) > 0)

    @property
    def fastest(self) -> float | None:
        """Highest speed (m/s) that the ground allows; None for no bound."""
        profile = GroundProfile.of(self.run.world.scene.terrain)
        return self.choice.entry.fastest_uphill if profile is not None and not profile.level else None

    def blend_into(self, name: str) -> None:
        """Blend into another shipped motion from now on."""
        if name not in self.choice.transitions:
            raise PoiseError(f"{self.choice.controller} cannot blend into '{name}' live: choose it instead")
        motion = named_motion(name, self.run.world.scene.body)
        assert isinstance(motion, Played)
        blend = Blend(motion.clip, span=Span(self.run.time))
        self.interact(lambda run: run.edit(blend))

    def likeness(self) -> list[str]:
        """The likeness of the performance so far to its file, in lines of text; none if there is no file."""
        if self.imported is None:
            return []
        keeps_time = self.choice.request().keeps_time and not any(e["kind"] in RETIMED_BY for e in self.run.events)
        like = recording_likeness(self.imported.clip, self.run.so_far().recording, keeps_time)
        return [] if like is None else like.lines()

    def status(self) -> dict[str, Any]:
        """Commanded and measured values, for the page."""
        heading, speed, lift, step = self._commanded.values()
        steering = {"heading": heading, "speed": speed, "lift": lift, "step": step, "fastest": self.fastest}
        return {
            "fell_at": self.run.fell_at,
            **self.judge.status(),
            **steering,
            "rise": self.rise,
            "real_time_factor": self.real_time_factor,
            "steps": self._steps,
        }


def final_command(events: Sequence[Mapping[str, Any]], before: Mapping[str, Any] = NO_COMMAND) -> dict[str, Any]:
    """The values after all steering commands among the events; None keeps the value before."""
    now = dict(before)
    for event in events:
        if event["kind"] == "steer":
            now |= {key: event[key] for key in now if event.get(key) is not None}
    return now


def _heading_cosine(run: Run) -> float:
    """Cosine of the heading of the performer against the initial one."""
    return math.cos(float(yaw_of(run.world.qpos[run.world.scene.coordinates(0)][3:7])))


def _bend_ground(run: Run, degrees: float) -> None:
    scene, facing = run.world.scene, _heading_cosine(run)
    before = GroundProfile.of(scene.terrain)
    assert before is not None
    if abs(facing) < ACROSS:
        raise PoiseError("the ground can change only along the initial heading: turn it to about 0° or 180° first")
    onward = math.copysign(1.0, facing)
    edge = onward * (float(np.max(onward * run.path[:, 0])) + AHEAD * float(scene.body.standing[2]) + SHORT)
    laid = before.bent(edge, degrees, facing > 0)
    begins = abs(laid.knots[-1 if facing > 0 else 0][0])
    run.lay(laid, f"{degrees:+g}° from {begins:.1f} m on")


PIECE = 1.0  # Duration (s) of the pieces that are audited


class Judge:
    """Measures a run step by step."""

    def __init__(self, run: Run) -> None:
        span = run.world.scene.dofs(0)
        self._joints = slice(span.start + 6, span.stop)
        self._error = np.zeros(run.world.model.nv)
        self._verdicts: list[tuple[float, Verdict]] = []  # of the pieces that are not physical, with their ends (s)
        self.judged = 0.0  # s: end of the last audited piece
        self.track_deg = self.power = self.strain = 0.0  # degrees, W, largest ratio of torque to limit
        self._begin(run)

    def _begin(self, run: Run) -> None:
        self._piece = Recorder(run.world, with_reference=False)

    def watch(self, run: Run, result: StepResult) -> None:
        """Evaluate a step that has just been simulated."""
        world, joints = run.world, self._joints
        torque = result.torque[joints]
        self.power = float(np.abs(torque * world.qvel[joints]).sum())
        limit = world.torque_limit[joints]
        self.strain = float(np.max(np.abs(torque) / np.where(limit > 0, limit, np.inf), initial=0.0))
        self._piece.world = world  # the terrain may have changed
        self._piece.add(result)
        if len(self._piece.torque) * world.settings.step >= PIECE - 1e-9:
            self._audit(run)

    def update_tracking_error(self, run: Run, ghost: Array) -> None:
        """Update the tracking error (degrees) of the joints against the reference pose `ghost` (nq,)."""
        mujoco.mj_differentiatePos(run.world.model, self._error, 1.0, run.world.qpos, ghost)
        self.track_deg = float(np.degrees(np.sqrt(np.mean(self._error[self._joints] ** 2))))

    def _audit(self, run: Run) -> None:
        found = audit(self._piece.finish(run.meta)).verdict
        if not found.physical:
            self._verdicts.append((run.world.time, found))
        self.judged = run.world.time
        self._begin(run)

    def go_back(self, run: Run) -> None:
        """Drop all results later than the time of the run, which went back or was replaced."""
        now = run.world.time
        self._verdicts = [(time, verdict) for time, verdict in self._verdicts if time <= now]
        self.judged = min(self.judged, now)
        self._begin(run)

    def status(self) -> Mapping[str, Any]:
        """Numbers for the page."""
        own = {name: getattr(self, name) for name in ("judged", "track_deg", "power", "strain")}
        return {**self._summary(), **own}

    def _summary(self) -> dict[str, str]:
        """The verdict on all pieces so far, and its reason: that of the first failure, else of the strongest help."""
        failures = [found for _, found in self._verdicts if found.word is Word.NOT_PHYSICAL]
        helped = [found for _, found in self._verdicts if found.assistance is not None]
        strongest = max(helped, key=lambda found: found.assistance.peak_nm if found.assistance else 0.0, default=None)
        found = failures[0] if failures else strongest
        if found is None:
            return {"verdict": str(Word.PHYSICAL) if self.judged else "", "reason": ""}
        return {"verdict": str(found.word), "reason": found.reasons[0]}
