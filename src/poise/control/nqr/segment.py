"""Motions with their look-ahead policies, and the order in which they are performed: fixed, or steered.

Steering is the choice of the next step in a motion graph of steps, whenever a step ends [Muico2009] section 5.5. A
value function over steps and headings decides the choice [Treuille2007], [McCann2007]. Its state is the step just taken
and the angle from the present to the wanted heading. The cost of step b after step a is the error of heading and speed
during b, the risk of the transition from a to b, and the cost of all that follows b, discounted by time.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array
from poise.body.pose_space import PoseDisplacement, planar_displacement
from poise.control.commands import TOP_SPEED
from poise.control.nqr.footholds import (
    NqrContactPreview,
    SegmentFootContacts,
    nqr_contact_preview,
    segment_foot_contacts,
)
from poise.control.nqr.lookahead import Policy, PolicyTables, displaced_cost, look_ahead, policy_tables
from poise.control.nqr.weights import NqrWeights
from poise.errors import PoiseError
from poise.library.repertoire import Repertoire, RepertoireStep
from poise.progress import Say, no_progress
from poise.reference.dynamic import Dynamic


@dataclass(frozen=True, eq=False)
class NqrSegment:
    """A motion with its look-ahead policy, its `footholds`, and the `track` of contacts in this and later motions."""

    policy: Policy
    tables: PolicyTables
    track: NqrContactPreview
    footholds: SegmentFootContacts

    @property
    def motion(self) -> Dynamic:
        """The motion that the policy follows."""
        return self.policy.motion


def cyclic_segment(motion: Dynamic, weights: NqrWeights, cycles: int | None = None, linear: bool = False) -> NqrSegment:
    """The segment of a cycle, which is followed by itself; `cycles` as in `look_ahead`."""
    return _new_segment(look_ahead(motion, weights, cycles), nqr_contact_preview(motion), linear)


def leading_segment(
    motion: Dynamic, then: NqrSegment, weights: NqrWeights, linear: bool = False, frame: int = 0
) -> NqrSegment:
    """The segment of a motion that is performed once and ends in the state in which segment `then` is at `frame`.

    A motion that moves at its end is not at rest a step later: then nothing that follows is known, and only the state
    at the end counts.
    """
    entered, ended = then.motion.clip.qpos[frame], motion.clip.qpos[-1]
    once = replace(motion, clip=replace(motion.clip, cyclic=False))
    joins = motion.ends_at_rest() or not then.motion.ends_at_rest()
    later = displaced_cost(then.policy.costs[frame], entered, ended) if joins else None
    policy = look_ahead(once, weights, then=later)
    carriage = PoseDisplacement(*planar_displacement(entered, ended))
    track = nqr_contact_preview(once, then.track.entered_at(frame, carriage))
    return _new_segment(policy, track, linear)


def nqr_segment_sequence(
    motions: Sequence[Dynamic], weights: NqrWeights, cycles: int | None, linear: bool
) -> list[NqrSegment]:
    """Segments of motions in order; if the last motion is not a cycle, a segment that holds its last pose follows."""
    *leading, last = motions if motions[-1].clip.cyclic else (*motions, last_pose_as_nqr_segment(motions[-1]))
    segments = [cyclic_segment(last, weights, cycles, linear)]
    for motion in reversed(leading):
        segments.insert(0, leading_segment(motion, segments[0], weights, linear))
    return segments


def _new_segment(policy: Policy, track: NqrContactPreview, linear: bool) -> NqrSegment:
    return NqrSegment(policy, policy_tables(policy, linear), track, segment_foot_contacts(policy.motion, track))


def last_pose_as_nqr_segment(motion: Dynamic) -> Dynamic:
    """The last pose of a motion as a cycle of one second, held by the torques and forces of the motion's last step."""
    clip, contacts = motion.clip, motion.contacts
    steps = round(clip.rate)
    poses, last = np.full(steps + 1, -1), np.full(steps, -1)
    down = None if clip.down is None else clip.down[poses]
    held = replace(contacts, down=contacts.down[poses], force=contacts.force[last], ground=contacts.ground[poses])
    pose = replace(clip, qpos=clip.qpos[poses], down=down, cyclic=True)
    still = np.zeros((steps + 1, clip.body.nv))
    return replace(motion, clip=pose, qvel=still, torque=motion.torque[last], contacts=held)


@dataclass(frozen=True, eq=False)
class SegmentSpan:
    """A part of a segment, from frame `first` to frame `stop`. Another span may follow it."""

    segment: NqrSegment
    first: int
    stop: int


class NqrSegmentCourse:
    """Performs segments in a given order and repeats the last segment; `now` is the span being performed."""

    def __init__(self, segments: Sequence[NqrSegment]) -> None:
        self.now, *self._later = (SegmentSpan(segment, 0, len(segment.motion.torque)) for segment in segments)

    def proceed(self, heading: float) -> None:  # noqa: ARG002
        """Go on to the next segment, or repeat the last segment."""
        if self._later:
            self.now = self._later.pop(0)


HEADING = 1.0  # Cost of a wrong heading, per rad and second
SPEED = 1.0  # Cost of a wrong speed, per m/s and second
EFFORT = 0.05  # Cost of turning, per rad; it prevents needless turns
DISCOUNT = 0.8  # Factor by which a cost counts less for each second that it lies ahead
BINS = 72  # Number of headings at which the value function is stored; it is interpolated in between

_ANGLES = np.arange(0.0, 2 * np.pi, 2 * np.pi / BINS)  # rad, from the present heading to the wanted one, to the left
_MOMENTS = np.linspace(0.0, 1.0, 9)  # shares of a step at which its heading error is sampled
_SETTLED = 1e-6  # change of the value function at which its iteration ends


class NqrSteering:
    """Chooses the steps of a repertoire that lead to the wanted heading and speed at the least cost."""

    def __init__(self, repertoire: Repertoire, segments: Mapping[str, NqrSegment], frame: int, heading: float) -> None:
        """Begin in a frame of the repertoire's first motion, at a heading (rad) in the world."""
        self._steps = repertoire.steps
        self._spans = [SegmentSpan(segments[step.motion], step.first, step.stop) for step in self._steps]
        first = next(iter(repertoire))
        begun = [i for i, step in enumerate(self._steps) if step.motion == first and step.first <= frame]
        self._now = max(begun, key=lambda i: self._steps[i].first)  # the step that contains the frame, or the last one
        self._speeds = {step.motion: step.speed for step in self._steps if step.steady}
        speeds, risk = self._speeds.items(), repertoire.risk
        self._values = {gait: nqr_step_value_function(self._steps, risk, speed) for gait, speed in speeds}
        self._origin, self._heading, self._gait = heading, 0.0, self._gait_for(self.step.speed)
        if not math.isfinite(self._values[self._gait].costs_after(self._now, 0.0).min()):
            raise PoiseError(f"nothing can follow '{self.step.name}' without a dead end: it cannot be steered")

    @property
    def step(self) -> RepertoireStep:
        """The step being performed."""
        return self._steps[self._now]

    @property
    def now(self) -> SegmentSpan:
        """The span of the step being performed."""
        return self._spans[self._now]

    def steer(self, heading: float | None, speed: float | None) -> None:
        """Set the wanted heading (rad, left of the initial heading) or speed (m/s); None keeps the last value."""
        if heading is not None and not math.isfinite(heading):
            raise PoiseError(f"heading {heading} must be finite")
        if speed is not None and not 0 <= speed <= TOP_SPEED:
            raise PoiseError(f"speed {speed} m/s must be between 0 and {TOP_SPEED:g}")
        self._heading = self._heading if heading is None else heading
        self._gait = self._gait if speed is None else self._gait_for(speed)

    def _gait_for(self, speed: float) -> str:
        """Name of the steady motion, a gait or standing, whose speed is nearest to `speed` (m/s)."""
        return min(self._speeds, key=lambda gait: abs(self._speeds[gait] - speed))

    def proceed(self, heading: float) -> None:
        """Choose the next step; the present step began at `heading` (rad, in the world)."""
        away = self._origin + self._heading - heading - self.step.turn
        self._now = self._values[self._gait].best_step(self._now, away)


def repertoire_segments(
    repertoire: Repertoire, weights: NqrWeights, cycles: int | None = None, linear: bool = False, say: Say = no_progress
) -> dict[str, NqrSegment]:
    """By name: the segment of each motion of a repertoire. Motions that are not cycles lead into a cycle."""
    steady = [step for step in repertoire.steps if step.steady]
    count, made = len(repertoire), dict[str, NqrSegment]()
    for name in dict.fromkeys(step.motion for step in steady):
        say(f"looking ahead along {name}, {len(made) + 1} of {count} motions")
        made[name] = cyclic_segment(repertoire[name], weights, cycles, linear)
    for step in repertoire.steps:
        if step.motion not in made:
            say(f"looking ahead along {step.motion}, {len(made) + 1} of {count} motions")
            after = next(each for each in steady if step.joins(each))
            motion, then = repertoire[step.motion], made[after.motion]
            made[step.motion] = leading_segment(motion, then, weights, linear, after.first)
    return made


@dataclass(frozen=True, eq=False)
class NqrStepValues:
    """Costs of S steps, each including the cost of all that follows the step, for one wanted speed."""

    risk: Array  # (S, S) [a, b] is the risk of step b after step a; infinite where b cannot follow a
    onward: Array  # (S, BINS) cost of a step and all that follows, for each wanted heading as the step begins

    def costs_after(self, step: int, away: float) -> Array:
        """(S,) cost of taking each step after `step`, if the wanted heading is `away` (rad) to the left."""
        return np.asarray(self.risk[step] + [_value_at_angles(row, np.array(away)) for row in self.onward])

    def best_step(self, after: int, away: float) -> int:
        """Index of the step of least cost after step `after`, if the wanted heading is `away` (rad) to the left."""
        return int(np.argmin(self.costs_after(after, away)))


def nqr_step_value_function(steps: Sequence[RepertoireStep], risk: Array, speed: float) -> NqrStepValues:
    """Compute the value function for a wanted speed (m/s) by iteration; at speed 0 any heading is right."""
    own = np.array([_nqr_steering_costs(step, speed) for step in steps])
    discount = np.array([[DISCOUNT**step.seconds] for step in steps])
    onward = own
    while True:
        best = np.min(risk[:, :, None] + onward, axis=1)  # (S, BINS) after each step
        later = np.array([_value_at_angles(row, _ANGLES - step.turn) for row, step in zip(best, steps, strict=True)])
        before, onward = onward, own + discount * later
        if np.allclose(onward, before, rtol=0.0, atol=_SETTLED):
            return NqrStepValues(risk, onward)


def _nqr_steering_costs(step: RepertoireStep, speed: float) -> Array:
    """(BINS,) cost of a step's own errors for a wanted speed (m/s) and each wanted heading as the step begins."""
    away = _ANGLES[:, None] - _MOMENTS * step.turn
    wrong = np.abs(np.angle(np.exp(1j * away))).mean(axis=1)
    rate = HEADING * (speed > 0) * wrong + SPEED * abs(step.speed - speed)
    return np.asarray(step.seconds * rate + EFFORT * abs(step.turn))


def _value_at_angles(row: Array, away: Array) -> Array:
    """A row (BINS,) of the value function, interpolated at angles (rad)."""
    return np.asarray(np.interp(away, _ANGLES, row, period=2 * np.pi))
