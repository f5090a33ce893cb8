"""A behaviour performed once and judged: what searches and studies of rotation are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.control.rotation.flip import Flip
from poise.control.rotation.roll import Roll
from poise.measure.audit import EARTH
from poise.performance.run import Performance
from poise.study.rotation.flights import score_of_dive, score_of_kip, score_of_spring
from poise.study.rotation.stage import SOUND, BehaviourTrial, Friction, of_foot, staged, touching_links
from poise.world.result import BlowUp

ENOUGH = 0.6
"""Turns a second: faster rolls score no more, since they slam onto the ground."""
ROUND = 0.4
"""Of the weight: a roll whose load varies no more is round enough."""
STALLED = 2.5
"""s without a tenth of a turn: a roll that will not go on."""


@dataclass(frozen=True)
class Rolled:
    """What came of a roll."""

    turns: float
    phase: float  # turns, of the poses at the end
    seconds: float  # until it stalled, or its time was up
    stalled: bool
    blew_up: bool
    driven: float  # of friction's work, that of the worst second: see the audit's friction_work
    performance: Performance

    @property
    def roughness(self) -> float:
        """Of the weight, root mean square: how far from it the ground presses. A round roll has little."""
        recording = self.performance.recording
        if not recording.steps:
            return 0.0
        pressing = np.einsum("ni,ni->n", recording.contact_force, recording.contact_normal)
        weight = EARTH * float(recording.model.body_mass.sum())
        load = np.bincount(recording.contact_step, pressing, minlength=recording.steps) / weight
        return float(np.sqrt(np.mean((load - 1.0) ** 2)))


def roll(rehearsal: BehaviourTrial) -> Rolled:
    """Roll until the time is up, or until it goes no further."""
    run, world, controller = staged(rehearsal)
    performing = controller.performing
    assert isinstance(performing, Roll)
    patience = round(STALLED * rehearsal.hertz)
    turned: list[float] = []
    stalled, failure, friction = False, None, Friction(world)
    try:
        for step in range(round(rehearsal.seconds * rehearsal.hertz)):
            friction.watch(run.step)
            turned.append(performing.turned)
            if step >= patience and max(turned[-patience:]) < max(turned[:-patience]) + 0.1:
                stalled = True
                break
    except BlowUp as error:
        failure = error
    taken = run.take(failure)
    return Rolled(
        max(turned, default=0.0), performing.phase, world.time, stalled, failure is not None, friction.driven, taken
    )


def score_of_roll(rehearsal: BehaviourTrial) -> float:
    """Turns, less what effort, flopping, friction that drives, and blowing up cost."""
    rolled = roll(rehearsal)
    torque = rolled.performance.recording.torque[:, 6:]
    limit = np.array(rolled.performance.recording.meta["torque_limits"], float)[6:]
    effort = float(np.mean((torque / limit) ** 2)) if len(torque) else 0.0
    turns = min(rolled.turns, ENOUGH * rehearsal.seconds)
    faults = 60.0 * max(rolled.driven - SOUND, 0.0) + 3.0 * max(rolled.roughness - ROUND, 0.0) + 0.5 * rolled.blew_up
    return turns - 2.0 * effort - faults


@dataclass(frozen=True)
class Flipped:
    """What came of a flip."""

    turned: float  # degrees of the pelvis when it first touched the ground again
    on_feet: bool  # whether that was with the feet
    stood: float  # s from there until anything but feet touched the ground, or the time was up
    flew: float  # s
    blew_up: bool
    driven: float  # of friction's work, that of the worst second
    performance: Performance

    @property
    def succeeded(self) -> bool:
        """A full turn, on both feet, and standing."""
        return self.on_feet and abs(self.turned) > FULL and self.stood >= STANDING and not self.blew_up


FULL = 270.0
"""degrees of the pelvis at touch-down, of a flip that went round."""
STANDING = 2.0
"""s that count as standing."""


def flip_trial(rehearsal: BehaviourTrial) -> Flipped:
    """Flip until something other than feet touches the ground, or standing is long enough."""
    run, world, controller = staged(rehearsal)
    performing = controller.performing
    assert isinstance(performing, Flip)
    up = down = fell = None
    turned, failure, friction = 0.0, None, Friction(world)
    try:
        while world.time < rehearsal.seconds:
            links = touching_links(world, friction.watch(run.step))
            if up is None and performing.stage == "flight" and not links:
                up = world.time
            if up is not None and down is None and links:
                down, turned = world.time, float(np.degrees(performing.pitch))
                on_feet = all(of_foot(link) for link in links)
            if up is not None and not all(of_foot(link) for link in links):
                fell = world.time
                break
            if down is not None and world.time >= down + STANDING + 1e-9:
                break
    except BlowUp as error:
        failure = error
    taken = run.take(failure)
    if up is None or down is None:
        return Flipped(0.0, False, 0.0, 0.0, failure is not None, friction.driven, taken)
    stood = (fell or world.time) - down
    return Flipped(turned, on_feet, stood, down - up, failure is not None, friction.driven, taken)


def score_of_flip(rehearsal: BehaviourTrial) -> float:
    """How far round, on what, and how long it stood: 6 for all of it, less for friction that drives."""
    flipped = flip_trial(rehearsal)
    round_ = min(abs(flipped.turned) / 320.0, 1.0)
    stood = min(flipped.stood / STANDING, 1.0) if flipped.on_feet else 0.0
    landed = 1.0 if flipped.on_feet and abs(flipped.turned) > FULL else 0.0
    return 2.0 * round_ + landed + 3.0 * stood * round_ - 30.0 * max(flipped.driven - SOUND, 0.0)


def score(rehearsal: BehaviourTrial) -> float:
    """Of a behaviour of any kind: the higher the better."""
    judges = {
        "roll": score_of_roll,
        "flip": score_of_flip,
        "kip": score_of_kip,
        "dive": score_of_dive,
        "handspring": score_of_spring,
    }
    return judges[rehearsal.behaviour.kind](rehearsal)
