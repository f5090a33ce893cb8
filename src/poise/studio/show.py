"""A performance that goes on while somebody watches: pushed, steered, edited, and taken up again from any moment."""

from __future__ import annotations

import math
import time as clock
from bisect import bisect_right
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array, Frozen
from poise.control.catalogue import named_controller
from poise.control.controller import ReusesPreparation
from poise.edit.blend import Blend
from poise.edit.parse import parse_edit
from poise.edit.span import Span
from poise.errors import PoiseError
from poise.library.motions import named_motion
from poise.performance.cast import Cast, cast
from poise.performance.marks import Mark
from poise.performance.run import Performance, Run
from poise.progress import Say, in_silence
from poise.reference.played import Played
from poise.rotations import yaw_of
from poise.studio.choices import Choice, check_edit
from poise.studio.judge import Judge
from poise.world.profile import SHORT, Profile
from poise.world.result import StepResult

# What takes seconds to find and is asked for again and again, such as whenever the ground is changed.

MOST = 8  # Motions on bodies that are kept


class Memory:
    """What one visitor's performances share: motions on bodies, and what controllers prepared for them."""

    def __init__(self) -> None:
        self._shipped = lru_cache(maxsize=MOST)(_cast_in_silence)
        self.prepared: dict[Hashable, Any] = {}

    def cast(self, motion: str, body: str | None, say: Say, physics: bool, usual: str | None) -> Cast:
        """The body and its reference, as `poise.performance.cast.cast` finds them; files are read each time."""
        if Path(motion).suffix:
            return cast(motion, body, say, physics, usual)
        say(f"putting {motion} on {body}")
        return self._shipped(motion, body, physics, usual)


def _cast_in_silence(motion: str, body: str | None, physics: bool, usual: str | None) -> Cast:
    return cast(motion, body, physics=physics, usual=usual)


LONGEST = 600.0  # s: then it has to begin anew; memory is not endless
OFTEN, SELDOM, RECENT = 1.0, 5.0, 30.0  # s between marks: of the last `RECENT` seconds, and of what is longer ago
AHEAD = 1.3
"""Of the root's height when standing: the ground is only changed further away than this from wherever it has been."""
ACROSS = 0.5
"""Cosine of the heading against the first: who walks more across than this has no ground ahead that can be bent."""
NOTHING_WANTED = Frozen({"heading_deg": 0.0, "speed": None, "lift": None, "step": None})  # Of whoever is not steered
STRONGEST = 5000.0  # N that a visitor can push with

Act = Callable[[Run], object]


class Show:
    """One choice, performed."""

    def __init__(self, choice: Choice, say: Say = in_silence, memory: Memory | None = None) -> None:
        self.choice = choice
        memory = memory or Memory()
        controller = named_controller(choice.controller)
        if isinstance(controller, ReusesPreparation):
            controller.memory = memory.prepared
        self.live = choice.edits_live
        staged = replace(choice.request(), controller=controller).stage(say, memory.cast, live=self.live)
        self.run = staged.run
        self.judge = Judge(self.run)
        self.imported = staged.imported
        self.last: StepResult | None = None
        self.speed = 0.0  # times real time that it could go
        self._wanted = final_command(())
        self._steps = 0
        self._done: list[tuple[int, Act]] = []  # what was done, and after how many steps
        self._marks: list[Mark] = [self.run.mark()]

    @property
    def time(self) -> float:
        """s."""
        return float(self.run.world.time)

    @property
    def step_s(self) -> float:
        """Duration of a step, s."""
        return float(self.run.world.settings.step)

    def step(self) -> None:
        """Go on by a step. A world that blows up raises it."""
        if self.time >= LONGEST:
            raise PoiseError(f"after {LONGEST / 60:.0f} minutes the tape is full: begin again, or go on from earlier")
        began = clock.perf_counter()
        self.last = self.run.step()
        spent = clock.perf_counter() - began
        self.speed += 0.02 * (self.step_s / max(spent, 1e-6) - self.speed) if self.speed else self.step_s / spent
        self._steps += 1
        self.judge.watch(self.run, self.last)
        if self._steps % round(OFTEN / self.step_s) == 0:
            self._marks.append(self.run.mark())
            self._thin()

    def _thin(self) -> None:
        """Older marks are kept more seldom."""
        old, seldom = self._steps - round(RECENT / self.step_s), round(SELDOM / self.step_s)
        self._marks = [mark for mark in self._marks if mark.steps > old or mark.steps % seldom == 0]

    def branch(self, time: float) -> None:
        """Be at a time that has been, exactly as it was then; what came after it is forgotten."""
        goal = min(max(round(time / self.step_s), 0), self._steps)
        mark = self._marks[bisect_right(self._marks, goal, key=lambda mark: mark.steps) - 1]
        self.run.go_back(mark)
        self.judge.go_back(self.run)
        done = [each for each in self._done if mark.steps <= each[0] < goal]
        self.last, self._steps = None, mark.steps
        while self._steps < goal:
            while done and done[0][0] == self._steps:
                done.pop(0)[1](self.run)
            self.last = self.run.step()
            self._steps += 1
            self.judge.watch(self.run, self.last)
        self.run.let_go()
        self._done = [each for each in self._done if each[0] < goal]
        self._marks = [each for each in self._marks if each.steps <= goal]
        self._wanted = final_command(self.run.events)

    def _do(self, act: Act) -> None:
        act(self.run)  # refused things are not remembered
        self._done.append((self._steps, act))

    def push(self, force: Array, duration: float, body: str | None = None) -> None:
        """Push a link (N, in the world)."""
        self._do(lambda run: run.push(force, duration, body))

    def push_towards(self, newtons: float, degrees: float, duration: float, body: str | None = None) -> None:
        """Push a link along the ground; 0 degrees is where the performer is heading, 90 to its left."""
        world = self.run.world
        angle = math.radians(degrees) + float(yaw_of(world.qpos[world.scene.coordinates(0)][3:7]))
        self.push(newtons * np.array([math.cos(angle), math.sin(angle), 0.0]), duration, body)

    def pull(self, force: Array, body: str) -> None:
        """Pull a link (N, in the world) until let go."""
        self._do(lambda run: run.pull(force, body))

    def let_go(self) -> None:
        """End a pull."""
        self._do(lambda run: run.let_go())

    def hang(self, link: str, mass: float) -> None:
        """Hang a weight (kg) on a link."""
        self._do(lambda run: run.hang(link, mass))

    def take_off(self) -> None:
        """Take off what hangs on it."""
        self._do(lambda run: run.take_off())

    def steer(self, heading: float | None, speed: float | None, lift: float | None, step: float | None) -> None:
        """Go elsewhere (rad, to the left of the first heading; m/s), or with other steps (m, s)."""
        if not self.choice.steers:
            raise PoiseError(f"{self.choice.controller} cannot be steered here")
        if speed is not None and self.fastest is not None and speed > self.fastest:
            raise PoiseError(f"{self.choice.controller} falls when it runs uphill: it runs on level ground only")
        heading = math.radians(self._wanted["heading_deg"]) if heading is None else heading

        self._do(lambda run: run.steer(heading, speed, lift, step))
        self._wanted = final_command(self.run.events[-1:], self._wanted)

    def edit(self, text: str) -> None:
        """Edit what is performed, from now on."""
        if not self.live:
            name = self.choice.controller
            raise PoiseError(f"{name} follows a motion that obeys physics: edit it from the beginning instead")
        check_edit(text)
        edit = parse_edit(text)
        self._do(lambda run: run.edit(edit))

    def slope(self, degrees: float) -> None:
        """Have the ground ahead rise by so much, for whoever goes there; what it has walked on stays as it is."""
        if not self.choice.bends_ground:
            raise PoiseError(
                f"the ground ahead of {self.choice.motion} with {self.choice.controller} cannot change here"
            )
        fastest = self.choice.entry.fastest_uphill
        if fastest is not None and (self._wanted["speed"] or 0.0) > fastest:
            raise PoiseError(f"{self.choice.controller} falls when it runs uphill: have it walk first")
        self._do(lambda run: _bend_ground(run, degrees))

    @property
    def rise(self) -> float | None:
        """Degrees by which the ground ahead rises, or None where it is of another kind."""
        profile = Profile.of(self.run.world.scene.terrain)
        return None if profile is None else profile.rise(_facing(self.run) > 0)

    @property
    def fastest(self) -> float | None:
        """m/s that it can be steered at because of the ground, or None if that does not matter."""
        profile = Profile.of(self.run.world.scene.terrain)
        return self.choice.entry.fastest_uphill if profile is not None and not profile.level else None

    @property
    def terrain(self) -> str:
        """The ground in words, as it is now."""
        ground = self.run.world.scene.terrain
        return str(ground) if isinstance(ground, Profile) else self.choice.terrain

    def go_over(self, name: str) -> None:
        """Go over to another motion that comes with Poise from now on."""
        if name not in self.choice.transitions:
            raise PoiseError(
                f"{self.choice.controller} cannot go over to '{name}' while it performs: choose it instead"
            )
        motion = named_motion(name, self.run.world.scene.body)
        assert isinstance(motion, Played)
        blend = Blend(motion.clip, span=Span(self.time))
        self._do(lambda run: run.edit(blend))

    def performance(self) -> Performance:
        """All of it so far."""
        return self.run.so_far()

    def told(self) -> dict[str, Any]:
        """What is wanted and measured now, for the page."""
        heading, pace, lift, step = self._wanted.values()
        steering = {"heading": heading, "pace": pace, "lift": lift, "step": step, "fastest": self.fastest}
        return {**self.judge.told(), **steering, "rise": self.rise, "speed": self.speed, "steps": self._steps}


def final_command(events: Sequence[Mapping[str, Any]], before: Mapping[str, Any] = NOTHING_WANTED) -> dict[str, Any]:
    """What commands to steer ask for in the end; what one leaves open stays as it was before."""
    now = dict(before)
    for event in events:
        if event["kind"] == "steer":
            now |= {key: event[key] for key in now if event.get(key) is not None}
    return now


def _facing(run: Run) -> float:
    """Cosine of where the performer faces, against where it first went."""
    return math.cos(float(yaw_of(run.world.qpos[run.world.scene.coordinates(0)][3:7])))


def _bend_ground(run: Run, degrees: float) -> None:
    scene, facing = run.world.scene, _facing(run)
    before = Profile.of(scene.terrain)
    assert before is not None
    if abs(facing) < ACROSS:
        raise PoiseError("the ground rises along the way it first went: turn it to about 0° or 180° for that")
    onward = math.copysign(1.0, facing)
    edge = onward * (float(np.max(onward * run.path[:, 0])) + AHEAD * float(scene.body.standing[2]) + SHORT)
    laid = before.bent(edge, degrees, facing > 0)
    begins = abs(laid.knots[-1 if facing > 0 else 0][0])
    run.lay(laid, f"{degrees:+g}° from {begins:.1f} m on")
