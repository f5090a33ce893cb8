"""Behaviours of each kind: performed once, judged and scored."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from poise.control.rotation.handspring import Handspring
from poise.control.rotation.leaps import Dive, Flip
from poise.control.rotation.rise import Rise
from poise.control.rotation.roll import Roll
from poise.measure.audit import EARTH
from poise.study.rotation.stage import (
    FEET,
    HANDS,
    BehaviourTrial,
    BehaviourTrialAttempt,
    BehaviourTrialOutcome,
    only_links_in_trial,
)
from poise.world.recorder import SELF
from poise.world.world import World

ENOUGH = 0.6
"""Turns per second beyond which the score of a roll does not grow, because faster rolls slam onto the ground."""
ROUND = 0.4  # Variation of the load, relative to the weight, up to which a roll counts as round
STALLED = 2.5  # A roll that gains less than a tenth of a turn in this time (s) has stalled
FULL = 270.0  # Least pitch (degrees) of the pelvis at touch-down of a full flip
STANDING = 2.0  # Least time (s) that counts as standing after a flip


def behaviour_trial_score(trial: BehaviourTrial) -> float:
    """The score of a behaviour of any kind; higher is better."""
    air = {"flip": flip_trial_score, "kip": kip_trial_score, "dive": dive_trial_score}
    ground = {"roll": roll_trial_score, "rise": rise_trial_score}
    return {**ground, **air, "handspring": handspring_trial_score}[trial.behaviour.kind](trial)


@dataclass(frozen=True)
class RollTrialOutcome(BehaviourTrialOutcome):
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
        pressing[recording.contact_kind == SELF] = 0.0
        weight = EARTH * float(recording.model.body_mass.sum())
        load = np.bincount(recording.contact_step, pressing, minlength=recording.steps) / weight
        return float(np.sqrt(np.mean((load - 1.0) ** 2)))


def run_roll_trial(trial: BehaviourTrial) -> RollTrialOutcome:
    """Roll until the time is up or the roll stalls."""
    attempt = BehaviourTrialAttempt(trial, Roll)
    patience = round(STALLED * trial.hertz)
    turned: list[float] = []
    stalled = False
    for step, _ in zip(range(round(trial.seconds * trial.hertz)), attempt.steps(), strict=False):
        turned.append(attempt.performing.turned)
        if step >= patience and max(turned[-patience:]) < max(turned[:-patience]) + 0.1:
            stalled = True
            break
    phase, seconds = attempt.performing.phase, attempt.world.time
    return RollTrialOutcome(max(turned, default=0.0), phase, seconds, stalled, **attempt.outcome())


def roll_trial_score(trial: BehaviourTrial) -> float:
    """The number of turns, less penalties for effort, rough rolling, friction that drives slips and blowing up."""
    rolled = run_roll_trial(trial)
    torque = rolled.performance.recording.torque[:, 6:]
    limit = np.array(rolled.performance.recording.meta["torque_limits"], float)[6:]
    effort = float(np.mean((torque / limit) ** 2)) if len(torque) else 0.0
    turns = min(rolled.turns, ENOUGH * trial.seconds)
    faults = 60.0 * rolled.driven_excess + 3.0 * max(rolled.roughness - ROUND, 0.0) + 0.5 * rolled.blew_up
    return turns - 2.0 * effort - faults


@dataclass(frozen=True)
class FlipTrialOutcome(BehaviourTrialOutcome):
    """The outcome of a flip."""

    turned: float = 0.0  # pitch of the pelvis at touch-down, degrees
    on_feet: bool = False  # whether only feet touched down
    stood: float = 0.0  # time from touch-down until anything but feet touched the ground, or to the end, s
    flew: float = 0.0  # duration of the flight, s

    @property
    def succeeded(self) -> bool:
        """Whether the body made a full turn, landed on its feet and stood."""
        return self.on_feet and abs(self.turned) > FULL and self.stood >= STANDING and not self.blew_up


def run_flip_trial(trial: BehaviourTrial) -> FlipTrialOutcome:
    """Flip until something other than feet touches the ground, or the body has stood for long enough."""
    attempt = BehaviourTrialAttempt(trial, Flip)
    world, performing = attempt.world, attempt.performing
    up = down = fell = None
    turned, on_feet = 0.0, False
    for links in attempt.contact_links():
        if up is None and performing.stage == "flight" and not links:
            up = world.time
        if up is not None and down is None and links:
            down, turned = world.time, float(np.degrees(performing.plane.pitch))
            on_feet = only_links_in_trial(links, FEET)
        if up is not None and not only_links_in_trial(links, FEET):
            fell = world.time
            break
        if down is not None and world.time >= down + STANDING + 1e-9:
            break
    if up is None or down is None:
        return FlipTrialOutcome(**attempt.outcome())
    return FlipTrialOutcome(turned, on_feet, (fell or world.time) - down, down - up, **attempt.outcome())


def flip_trial_score(trial: BehaviourTrial) -> float:
    """Score of a flip: 6 for a full turn, a landing on the feet and standing; less for friction that drives slips."""
    flipped = run_flip_trial(trial)
    round_ = min(abs(flipped.turned) / 320.0, 1.0)
    stood = min(flipped.stood / STANDING, 1.0) if flipped.on_feet else 0.0
    landed = 1.0 if flipped.on_feet and abs(flipped.turned) > FULL else 0.0
    return 2.0 * round_ + landed + 3.0 * stood * round_ - 30.0 * flipped.driven_excess


UPRIGHT = 0.8  # Height (m) of the centre of mass above the ground beyond which a body stands rather than crouches

DIVE_AIRBORNE = 0.15  # Least time (s) without contact of a dive that counts as a flight
ROLLED = 0.6  # Least number of turns, from the hands onto the feet, that count as a roll
ROLLED_ON = 2.0  # Least number of turns of a roll that continues after a leap down
DIVE_STANDING = 1.0  # Least time (s) on the feet alone that counts as standing after a dive


@dataclass(frozen=True)
class DiveTrialOutcome(BehaviourTrialOutcome):
    """The outcome of a dive roll."""

    flew: float  # time without contact, s
    on_hands: bool  # whether only hands or forearms touched the ground first
    turns: float  # of the roll after the dive
    height: float  # final height of the centre of mass above the ground, m
    stood: float  # time of standing at the end, s

    @property
    def succeeded(self) -> bool:
        """Whether the body flew, landed on the hands, rolled and stood up."""
        rolled = self.flew >= DIVE_AIRBORNE and self.on_hands and self.turns >= ROLLED
        return rolled and self.stood >= DIVE_STANDING and not self.blew_up

    @property
    def rolled_on(self) -> bool:
        """Whether the body landed on the hands and went on rolling."""
        return self.on_hands and self.turns >= ROLLED_ON and not self.blew_up


def run_dive_trial(trial: BehaviourTrial) -> DiveTrialOutcome:
    """Dive and roll until the body has stood for long enough or the time is up."""
    attempt = BehaviourTrialAttempt(trial, Dive)
    world, performing = attempt.world, attempt.performing
    on_hands, landed, flew, turns, stood = False, False, 0.0, 0.0, 0.0
    for links in attempt.contact_links():
        if performing.stage not in ("squat", "push") and not landed:
            flew += world.settings.step if not links else 0.0
            landed = bool(links) and performing.stage == "roll"
            on_hands = landed and only_links_in_trial(links, HANDS)
        turns = max(turns, performing.roll.turned)
        up = landed and _com_height_in_trial(world) > UPRIGHT and only_links_in_trial(links, FEET)
        stood = stood + world.settings.step if up else 0.0
        if stood >= DIVE_STANDING:
            break
    return DiveTrialOutcome(flew, on_hands, turns, _com_height_in_trial(world), stood, **attempt.outcome())


def _com_height_in_trial(world: World) -> float:
    """Height (m) of the centre of mass above the ground vertically below."""
    x, y, z = world.state.data.subtree_com[1]
    return float(z - world.scene.terrain.height(x, y))


def dive_trial_score(trial: BehaviourTrial) -> float:
    """Score of a dive: 6 for a flight onto the hands, a roll and standing up; less for friction that drives slips."""
    dived = run_dive_trial(trial)
    flew, over = min(dived.flew / DIVE_AIRBORNE, 1.0), min(dived.turns / ROLLED, 1.0)
    up, stood = min(dived.height / UPRIGHT, 1.0), min(dived.stood / DIVE_STANDING, 1.0)
    return flew + (1.0 + over + up + 2.0 * stood) * dived.on_hands * flew - 30.0 * dived.driven_excess


def rise_trial_score(trial: BehaviourTrial) -> float:
    """The score of a rise: the time (s) left when the body stands, less penalties for friction that drives slips."""
    attempt = BehaviourTrialAttempt(trial, Rise)
    stood = next((attempt.world.time for _ in attempt.steps() if attempt.performing.stands()), trial.seconds)
    return trial.seconds - stood - 30.0 * BehaviourTrialOutcome(**attempt.outcome()).driven_excess


KIP_AIRBORNE = 0.1  # Least time (s) without contact of a kip-up that counts as a flight
KIP_STANDING = 2.0  # Least time (s) on the feet alone that counts as standing after a kip-up
FAR = 0.5  # Distance (m) of the centre of mass behind the ankles at touch-down from which no body can stand up


@dataclass(frozen=True)
class KipTrialOutcome(BehaviourTrialOutcome):
    """The outcome of a kip-up."""

    flew: float  # time without contact, s
    on_feet: bool  # whether only feet touched the ground first
    behind: float  # distance of the centre of mass behind the ankles at the first touch, m
    stood: float  # time from the first touch until anything but feet touched the ground, or to the end, s
    height: float  # final height of the centre of mass, m

    @property
    def succeeded(self) -> bool:
        """Whether the body flew, landed on the feet and stood up."""
        up = self.flew >= KIP_AIRBORNE and self.on_feet and self.stood >= KIP_STANDING and self.height >= UPRIGHT
        return up and not self.blew_up


def run_kip_trial(trial: BehaviourTrial) -> KipTrialOutcome:
    """Kip up until something other than feet touches the ground, or the body has stood for long enough."""
    attempt = BehaviourTrialAttempt(trial, Flip)
    world, performing = attempt.world, attempt.performing
    down, fell, on_feet, behind, flew = None, None, False, FAR, 0.0
    for links in attempt.contact_links():
        feet = only_links_in_trial(links, FEET)
        if performing.stage in ("flight", "land") and down is None:
            flew += world.settings.step if not links else 0.0
            if links and flew >= KIP_AIRBORNE:
                down, on_feet, behind = world.time, feet, performing.behind
        if down is not None and not feet:
            fell = world.time
        if fell is not None or (down is not None and world.time >= down + KIP_STANDING + 1e-9):
            break
    stood = 0.0 if down is None else (fell or world.time) - down
    height = float(world.state.data.subtree_com[1, 2])
    return KipTrialOutcome(flew, on_feet, behind, stood, height, **attempt.outcome())


def kip_trial_score(trial: BehaviourTrial) -> float:
    """The score of a kip-up: 7 for a flight onto the feet and standing upright; less for friction that drives slips."""
    kipped = run_kip_trial(trial)
    flew, stood = min(kipped.flew / KIP_AIRBORNE, 1.0), min(kipped.stood / KIP_STANDING, 1.0)
    near = 1.0 - min(max(kipped.behind, 0.0) / FAR, 1.0)
    up = min(kipped.height / UPRIGHT, 1.0) if stood == 1.0 else 0.0
    landed = (1.0 + near + 3.0 * stood + up) * kipped.on_feet
    return flew + landed - 30.0 * kipped.driven_excess


SPRING_AIRBORNE = 0.03  # Least time (s) without contact of a handspring that counts as a flight
SPRING_STANDING = 2.0  # Least time (s) on the feet alone that counts as standing after handsprings


@dataclass(frozen=True)
class SupportPhase:
    """A time span on the feet, on the hands, or on other links, including short losses of contact."""

    on: str  # feet, hands or else
    start: float  # s
    end: float  # s


@dataclass(frozen=True)
class HandspringTrialOutcome(BehaviourTrialOutcome):
    """The outcome of one or more handsprings in a row."""

    springs: int  # number of handsprings in the behaviour
    supports: tuple[SupportPhase, ...]
    turned: float  # pitch of the pelvis when the last support began, degrees
    height: float  # final height of the centre of mass, m

    @property
    def flights(self) -> tuple[float, ...]:
        """Duration (s) of each flight between supports."""
        return tuple(after.start - before.end for before, after in pairwise(self.supports))

    @property
    def flew(self) -> float:
        """Total duration (s) of the flights."""
        return sum(self.flights)

    @property
    def supports_in_order(self) -> int:
        """Number of supports after the first that are reached by a flight and in order: hands, feet, hands, feet."""
        wanted = self.springs * ("hands", "feet")
        flown = zip(self.supports[1:], wanted, self.flights, strict=False)
        good = [support.on == on and flight >= SPRING_AIRBORNE for support, on, flight in flown]
        return good.index(False) if False in good else len(good)

    @property
    def stood(self) -> float:
        """Time (s) on the feet after the last handspring, until anything else touched the ground."""
        whole = 2 * self.springs
        return self.supports[whole].end - self.supports[whole].start if self.supports_in_order == whole else 0.0

    @property
    def succeeded(self) -> bool:
        """Whether each handspring flew onto the hands and onto the feet, and the body stood in the end."""
        return self.stood >= SPRING_STANDING and self.height > UPRIGHT and not self.blew_up


def run_handspring_trial(trial: BehaviourTrial) -> HandspringTrialOutcome:
    """Spring until the body has stood for long enough, or something other than hands and feet touches the ground."""
    attempt = BehaviourTrialAttempt(trial, Handspring)
    world, performing = attempt.world, attempt.performing
    supports: list[SupportPhase] = []
    turned = 0.0
    for links in attempt.contact_links():
        if not links:
            continue
        start = world.time
        on = "feet" if only_links_in_trial(links, FEET) else "hands" if only_links_in_trial(links, HANDS) else "else"
        if supports and supports[-1].on == on:
            start = supports.pop().start
        else:
            turned = float(np.degrees(performing.plane.pitch))
        supports.append(SupportPhase(on, start, world.time))
        last = len(supports) == 2 * performing.springs + 1
        if on == "else" or (last and world.time - start >= SPRING_STANDING):
            break
    height = float(world.state.data.subtree_com[1, 2])
    return HandspringTrialOutcome(performing.springs, tuple(supports), turned, height, **attempt.outcome())


def handspring_trial_score(trial: BehaviourTrial) -> float:
    """The score of handsprings: supports in the right order, turn, standing; less for friction that drives slips."""
    sprung = run_handspring_trial(trial)
    round_ = min(abs(sprung.turned) / (310.0 + 360.0 * (sprung.springs - 1)), 1.0)
    stood, up = min(sprung.stood / SPRING_STANDING, 1.0), min(sprung.height / UPRIGHT, 1.0)
    return sprung.supports_in_order + round_ + 2.0 * stood + up * (stood == 1.0) - 30.0 * sprung.driven_excess


FlightOutcome = DiveTrialOutcome | KipTrialOutcome | HandspringTrialOutcome
