"""Contact-aware nonlinear control of dynamic characters [Muico2009]."""

from __future__ import annotations

import math
from collections.abc import Hashable, MutableMapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.body.carriage import Carriage, advance
from poise.body.pose_space import PoseSpace
from poise.control.controller import ResetFirst, Stage
from poise.control.nqr import ENTRY
from poise.control.nqr.footholds import LATE, Bools, is_late, steps_early
from poise.control.nqr.ground_levels import GroundLevels, no_reach
from poise.control.nqr.law import LawOutput, LawState, MotionFrame, answer
from poise.control.nqr.plan import body_tables
from poise.control.nqr.segment import Given, MotionSegment, SegmentCourse, cyclic_segment, leading_segment, resting
from poise.control.nqr.steering import Steering, segments_of
from poise.control.nqr.weights import Weights, weights_for
from poise.dynamics.actuation import PASSIVE, Actuation
from poise.dynamics.state import State
from poise.errors import PoiseError
from poise.library.repertoire import Repertoire
from poise.progress import Say, in_silence
from poise.reference.dynamic import Dynamic
from poise.reference.reference import Reference

_SAME_RATE = 1e-3  # of the motion's and the world's, relative: steps may be written 0.00833

LOST_HEIGHT, LOST_TURN = 0.4, 1.3
"""Of the standing root's height, and rad: a root further from the motion's than this is not brought back."""


@dataclass(frozen=True)
class NqrSettings:
    """How it controls."""

    gamma: float = 0.005
    """How readily torques change to adapt to contacts; 0 for not at all."""
    law: str = "nonlinear"
    """Or "linear": the regulator that the paper compares with."""
    cycles: int = 0
    """How many cycles are looked ahead; 0 for as many as matter."""
    effort: str = "change"
    """What torques and forces are kept small: their "change" against the motion's, or their "size" as in the paper."""
    force: float = 1.0
    """Weight of contact forces, against the paper's."""
    planted: float = 10.0
    """Weight of the speed of contacts that stay where they are, s^2/m^2; the paper has none."""
    relocate: float = 1.0
    """Share of the distance from the motion's place that is forgiven with each cycle."""
    phase: str = "clock"
    """Time is the world's; or it gives way to feet that land "early", "late", or "both"."""
    ground: str = "seen"
    """How it knows the level on which a foot will land; or "felt": as that of the foot that landed last."""

    def __post_init__(self) -> None:
        for name in ("gamma", "force", "planted"):
            if not 0 <= getattr(self, name) < math.inf:
                raise PoiseError(f"nqr: {name} {getattr(self, name)} must be finite and at least 0")
        if not 0 <= self.relocate <= 1:
            raise PoiseError(f"nqr: relocate {self.relocate} must be between 0 and 1")
        if not 0 <= self.cycles <= 1000:
            raise PoiseError(f"nqr: cycles {self.cycles} must be between 0 and 1000")
        words = {
            "law": ("nonlinear", "linear"),
            "effort": ("change", "size"),
            "phase": ("clock", "early", "late", "both"),
            "ground": ("seen", "felt"),
        }
        for name, choices in words.items():
            if getattr(self, name) not in choices:
                raise PoiseError(f"nqr: {name} '{getattr(self, name)}' must be one of {', '.join(choices)}")


class Nqr(ResetFirst):
    """Looks ahead through the contacts of a motion to come, then adapts to the contacts there are.

    Deviations from the paper, with their reasons and measurements, are in docs/nqr.md.
    """

    name = "nqr"
    entry = ENTRY

    def __init__(self, settings: NqrSettings | None = None) -> None:
        self._settings = settings or NqrSettings()
        self.settings: dict[str, Any] = asdict(self._settings)
        self._steering: Steering | None = None
        self.say: Say = in_silence
        self.memory: MutableMapping[Hashable, Any] = {}

    def reset(self, world: Stage, reference: Reference) -> None:
        """Look ahead along the whole motion."""
        motions = _motions_of(reference, world.state.step)
        s, body = self._settings, world.scene.body
        weights = weights_for(body, s.effort, s.force, s.planted)
        self._figure = body_tables(body, weights, 3 * max(len(motion.contacts.links) for motion in motions), s.gamma)
        self._linear = s.law == "linear"
        self.frame = round(reference.begin / motions[0].step) % (len(motions[0].clip.qpos) - 1)
        self._carry(Carriage.between(motions[0].clip.qpos[self.frame], reference.at(0.0).qpos))
        self._steering = None
        if isinstance(reference.motions, Repertoire):
            key = (body.name, s)
            if key not in self.memory:
                self.memory[key] = segments_of(reference.motions, weights, s.cycles or None, self._linear, self.say)
            segments = self.memory[key]
            self._steering = Steering(reference.motions, segments, self.frame, self._carriage.yaw)
        self._course: SegmentCourse = self._steering or Given(self._sequence(motions, weights))
        self._terrain = world.scene.terrain
        seen = self._heights if s.ground == "seen" else None
        self._footing = GroundLevels(body, float(self._carriage.way[2]), seen)
        self._footing.stand(self.segment.footholds, self.frame, world.state.qpos[:3], self._carriage.yaw)
        self._space, self._reach = PoseSpace(body), no_reach(body.nv)
        self._bent = self._reach.now  # (nv,) by which the pose that is tracked now differs from the motion's
        self._waited = 0
        self._lost, self._tall = False, float(body.standing[2])
        self._answered(world.state)  # compiles it, before time counts

    def _sequence(self, motions: Sequence[Dynamic], weights: Weights) -> list[MotionSegment]:
        """The motions one after the other; the last again and again, or if it is no cycle, then its last pose."""
        *leading, last = motions if motions[-1].clip.cyclic else (*motions, resting(motions[-1]))
        segments = [cyclic_segment(last, weights, self._settings.cycles or None, self._linear)]
        for motion in reversed(leading):
            segments.insert(0, leading_segment(motion, segments[0], weights, self._linear))
        return segments

    @property
    def segment(self) -> MotionSegment:
        """What is being performed."""
        return self._course.now.segment

    def steer(self, heading: float | None = None, speed: float | None = None) -> None:
        """Go in a direction (rad, to the left of where it first went) at a speed (m/s), from the next step on."""
        if self._steering is None:
            raise PoiseError("only a repertoire of walks and turns can be steered: poise.library.repertoire.Roaming")
        self._steering.steer(heading, speed)

    def act(self, state: State) -> Actuation:
        """Look ahead from here, and adapt to the contacts there are; once lost, nothing."""
        if self._lost:
            return PASSIVE
        if self.frame >= self._course.now.stop:
            self._go_on(state.qpos)
        stands = self._footing.feel(state.contacts)
        if self._settings.phase in ("early", "both"):
            self._pass_over(steps_early(self.segment.footholds, self.frame, stands, state.step))
        self._suit_ground(state)
        self.answer = self._answered(state)
        self._lost = _is_lost(self.answer.deviation, self._tall)
        if self._settings.phase in ("late", "both") and self._waits(stands, state.step):
            self._stay()
        else:
            self.frame += 1
            self._bent = self._reach.ahead
        return Actuation(torque=self.answer.torque, feedback=self.answer.feedback)

    def _heights(self, x: Array, y: Array) -> Array:
        """(N,) m of the ground at places."""
        return self._terrain.heights(x, y)

    def _suit_ground(self, state: State) -> None:
        """Bring the motion to the level of the ground, and its legs to those of its feet."""
        holds, footing = self.segment.footholds, self._footing
        footing.look(holds, self.frame, state.qpos[:3], self._carriage.yaw)
        rise = footing.level(holds, self.frame) - float(self._carriage.way[2])
        if rise:
            self._carry(self._carriage.shifted(np.array([0.0, 0.0, rise])))
        self._reach = footing.reach(holds, self.frame, state.step)

    def _pose(self, frame: int) -> Array:
        """(nq,) of the motion, where it takes place."""
        return self._carriage.pose(self._course.now.poses[frame])

    def _pass_over(self, steps: int) -> None:
        """Go on in the motion at once, but not along the ground."""
        if steps and self.frame + steps < self._course.now.stop:
            here, there = self._pose(self.frame), self._pose(self.frame + steps)
            self.frame += steps
            self._shift(here[:3] - there[:3])

    def _waits(self, stands: Bools, step: float) -> bool:
        """Whether a foot is late, and has not been waited for too long."""
        late = is_late(self.segment.footholds, self.frame, stands) and self.frame + 1 < self._course.now.stop
        self._waited = self._waited + 1 if late and self._waited < LATE / step else 0
        return self._waited > 0

    def _stay(self) -> None:
        """Go on along the ground, but not in the motion."""
        self._shift(self._pose(self.frame + 1)[:3] - self._pose(self.frame)[:3])
        self._footing.wait()
        self._bent = self._reach.now

    def _shift(self, way: Array) -> None:
        """Along the ground, m."""
        self._carry(self._carriage.shifted(way * [1.0, 1.0, 0.0]))

    def _answered(self, state: State) -> LawOutput:
        data = state.data
        now = LawState(
            state.qpos,
            state.qvel,
            state.mass,
            state.bias,
            data.cdof,
            data.subtree_com[1],
            data.xpos,
            data.xmat,
            state.contacts.jacobian,
        )
        found: LawOutput = answer(
            self._figure, self.segment.plan, self.frame, now, self._view, self._reach, state.step, self._linear
        )
        return found

    def target(self, time: float) -> Array:  # noqa: ARG002
        """(nq,) the pose that is tracked now."""
        pose = self._pose(self.frame)
        return np.asarray(self._space.moved(pose[None], self._bent[None])[0]) if self._bent.any() else pose

    def _go_on(self, qpos: Array) -> None:
        """What follows, nearer to where the body is along the ground: places are not tracked, steps are."""
        ended = self._course.now.poses[self.frame]
        self._course.proceed(self._carriage.yaw)
        self.frame = self._course.now.first
        begun = self._course.now.poses[self.frame]
        self._carry(self._carriage.then(*advance(begun, ended)))
        away = qpos[:3] - self._carriage.pose(begun)[:3]
        self._shift(self._settings.relocate * away)

    def _carry(self, carriage: Carriage) -> None:
        self._carriage = carriage
        self._view = MotionFrame(math.cos(carriage.yaw), math.sin(carriage.yaw), carriage.way)


def _is_lost(deviation: Array, height: float) -> bool:
    """Whether the root is so far from the motion's that it is falling; from there on, struggling only thrashes."""
    high, *turns = deviation[2:6].tolist()
    return bool(abs(high) > LOST_HEIGHT * height or max(map(abs, turns)) > LOST_TURN)


def _motions_of(reference: Reference, step: float) -> tuple[Dynamic, ...]:
    """What a reference is made of, if it obeys physics in steps (s) of the world."""
    motions = tuple(reference.motions.values())
    if not motions:
        raise PoiseError(f"nqr needs a motion that obeys physics: poise prepare {reference.name} --dynamic")
    for motion in motions:
        if (motion.contacts.held & motion.contacts.down).any():
            raise PoiseError(f"nqr: {motion.clip.name} holds on to something: nqr only stands, on feet")
        if abs(motion.clip.rate * step - 1.0) > _SAME_RATE:
            raise PoiseError(
                f"nqr: {motion.clip.name} has {motion.clip.rate:g} states a second, the world {1.0 / step:g} steps: "
                "poise.reference.resampling.in_steps"
            )
    return motions
