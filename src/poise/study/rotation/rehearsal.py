"""Rolls and flips: performed once, judged and scored; and the score of any behaviour."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.control.rotation.flip import Flip
from poise.control.rotation.roll import Roll
from poise.measure.audit import EARTH
from poise.study.rotation.flights import dive_score, handspring_score, kip_score
from poise.study.rotation.stage import FEET, BehaviourAttempt, BehaviourOutcome, BehaviourTrial, only_links

ENOUGH = 0.6
"""Turns per second beyond which the score of a roll does not grow, because faster rolls slam onto the ground."""
ROUND = 0.4  # Variation of the load, relative to the weight, up to which a roll counts as round
STALLED = 2.5  # A roll that gains less than a tenth of a turn in this time (s) has stalled
FULL = 270.0  # Least pitch (degrees) of the pelvis at touch-down of a full flip
STANDING = 2.0  # Least time (s) that counts as standing after a flip


def behaviour_score(trial: BehaviourTrial) -> float:
    """The score of a behaviour of any kind; higher is better."""
    air = {"flip": flip_score, "kip": kip_score, "dive": dive_score, "handspring": handspring_score}
    return {"roll": roll_score, **air}[trial.behaviour.kind](trial)


@dataclass(frozen=True)
class RollOutcome(BehaviourOutcome):
    """The outcome of a roll."""

    turns: float
    phase: float  # phase of the poses at the end, in turns
    seconds: float  # time until the roll stalled, or the whole time
    stalled: bool

    @property
    def roughness(self) -> float:
        """Root mean square deviation of the ground's normal force from the weight, relative to the weight."""
        recording = self.performance.recording
        if not recording.steps:
            return 0.0
        pressing = np.einsum("ni,ni->n", recording.contact_force, recording.contact_normal)
        weight = EARTH * float(recording.model.body_mass.sum())
        load = np.bincount(recording.contact_step, pressing, minlength=recording.steps) / weight
        return float(np.sqrt(np.mean((load - 1.0) ** 2)))


def attempt_roll(trial: BehaviourTrial) -> RollOutcome:
    """Roll until the time is up or the roll stalls."""
    attempt = BehaviourAttempt(trial, Roll)
    patience = round(STALLED * trial.hertz)
    turned: list[float] = []
    stalled = False
    for step, _ in zip(range(round(trial.seconds * trial.hertz)), attempt.steps(), strict=False):
        turned.append(attempt.performing.turned)
        if step >= patience and max(turned[-patience:]) < max(turned[:-patience]) + 0.1:
            stalled = True
            break
    phase, seconds = attempt.performing.phase, attempt.world.time
    return RollOutcome(max(turned, default=0.0), phase, seconds, stalled, **attempt.outcome())


def roll_score(trial: BehaviourTrial) -> float:
    """The number of turns, less penalties for effort, rough rolling, friction that drives slips and blowing up."""
    rolled = attempt_roll(trial)
    torque = rolled.performance.recording.torque[:, 6:]
    limit = np.array(rolled.performance.recording.meta["torque_limits"], float)[6:]
    effort = float(np.mean((torque / limit) ** 2)) if len(torque) else 0.0
    turns = min(rolled.turns, ENOUGH * trial.seconds)
    faults = 60.0 * rolled.driven_excess + 3.0 * max(rolled.roughness - ROUND, 0.0) + 0.5 * rolled.blew_up
    return turns - 2.0 * effort - faults


@dataclass(frozen=True)
class FlipOutcome(BehaviourOutcome):
    """The outcome of a flip."""

    turned: float = 0.0  # pitch of the pelvis at touch-down, degrees
    on_feet: bool = False  # whether only feet touched down
    stood: float = 0.0  # time from touch-down until anything but feet touched the ground, or to the end, s
    flew: float = 0.0  # duration of the flight, s

    @property
    def succeeded(self) -> bool:
        """Whether the body made a full turn, landed on its feet and stood."""
        return self.on_feet and abs(self.turned) > FULL and self.stood >= STANDING and not self.blew_up


def attempt_flip(trial: BehaviourTrial) -> FlipOutcome:
    """Flip until something other than feet touches the ground, or the body has stood for long enough."""
    attempt = BehaviourAttempt(trial, Flip)
    world, performing = attempt.world, attempt.performing
    up = down = fell = None
    turned, on_feet = 0.0, False
    for links in attempt.contact_links():
        if up is None and performing.stage == "flight" and not links:
            up = world.time
        if up is not None and down is None and links:
            down, turned = world.time, float(np.degrees(performing.plane.pitch))
            on_feet = only_links(links, FEET)
        if up is not None and not only_links(links, FEET):
            fell = world.time
            break
        if down is not None and world.time >= down + STANDING + 1e-9:
            break
    if up is None or down is None:
        return FlipOutcome(**attempt.outcome())
    return FlipOutcome(turned, on_feet, (fell or world.time) - down, down - up, **attempt.outcome())


def flip_score(trial: BehaviourTrial) -> float:
    """Score of a flip: 6 for a full turn, a landing on the feet and standing; less for friction that drives slips."""
    flipped = attempt_flip(trial)
    round_ = min(abs(flipped.turned) / 320.0, 1.0)
    stood = min(flipped.stood / STANDING, 1.0) if flipped.on_feet else 0.0
    landed = 1.0 if flipped.on_feet and abs(flipped.turned) > FULL else 0.0
    return 2.0 * round_ + landed + 3.0 * stood * round_ - 30.0 * flipped.driven_excess
