"""Contact-aware nonlinear control of dynamic characters [Muico2009]: the controller."""

import math
from collections.abc import Hashable, MutableMapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from poise.arrays import Array, Mask
from poise.body.pose_space import PoseDisplacement, PoseSpace, planar_displacement
from poise.control.controller import ResetFirst, WorldView
from poise.control.nqr import ENTRY
from poise.control.nqr.footholds import LONGEST_WAIT, is_segment_landing_late, segment_steps_landed_early
from poise.control.nqr.ground_levels import NqrGroundLevels, no_nqr_leg_adjustment
from poise.control.nqr.law import MotionFrame, NqrOutput, NqrState, nqr_control_law
from poise.control.nqr.lookahead import law_tables
from poise.control.nqr.segment import (
    NqrSegment,
    NqrSegmentCourse,
    NqrSteering,
    nqr_segment_sequence,
    repertoire_segments,
)
from poise.control.nqr.weights import nqr_weights
from poise.dynamics.actuation import PASSIVE, Actuation
from poise.dynamics.state import State
from poise.errors import PoiseError
from poise.library.repertoire import Repertoire
from poise.progress import Say, no_progress
from poise.reference.dynamic import Dynamic
from poise.reference.reference import Reference

LOST_HEIGHT, LOST_TURN = 0.4, 1.3
"""Deviation of the root beyond which the character counts as falling: in height, as a share of the standing root's
height, and in orientation (rad)."""

_SAME_RATE = 1e-3  # relative difference allowed between the rates of motion and world: 1/120 s may be given as 0.00833


@dataclass(frozen=True)
class NqrSettings:
    """Settings of `Nqr`."""

    gamma: float = 0.005
    """Adaptation parameter [Muico2009] Eq. (17): how much torques adapt to the contacts; 0 is no adaptation."""
    law: str = "nonlinear"
    """"nonlinear" is the NQR, Eq. (11); "linear" the LQR that the paper compares with, Eq. (10)."""
    cycles: int = 0
    """Number of cycles that the policy looks ahead; 0 looks ahead until the cost-to-go converges."""
    effort: str = "change"
    """Penalise the "change" of torques and contact forces against the motion, or their "size" as in the paper."""
    force: float = 1.0
    """Factor that multiplies the weight of contact forces in [Muico2009] Table 2."""
    planted: float = 10.0
    """Weight of the speed of planted contacts, s^2/m^2; 0 in the paper."""
    relocate: float = 1.0
    """When a motion or cycle begins, it moves along the ground by this share of its distance from the body."""
    phase: str = "clock"
    """The motion runs with the world's "clock", or adapts to feet that land "early", "late", or "both"."""
    ground: str = "seen"
    """The level on which a foot will land is "seen" ahead, or "felt": the level of the foot that landed last."""

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
    """Looks ahead through a motion's contacts, and adapts to those of the step; deviations: docs/nqr-method.md."""

    name = "nqr"
    entry = ENTRY

    def __init__(self, settings: NqrSettings | None = None) -> None:
        self._settings = settings or NqrSettings()
        self.settings: dict[str, Any] = asdict(self._settings)
        self._steering: NqrSteering | None = None
        self.say: Say = no_progress
        self.memory: MutableMapping[Hashable, Any] = {}

    def reset(self, world: WorldView, reference: Reference) -> None:
        """Compute the look-ahead policies of the reference's motions, and prepare to begin at the reference's start."""
        motions = _motions_nqr_can_perform(reference, world.state.step)
        s, body = self._settings, world.scene.body
        weights = nqr_weights(body, s.effort, s.force, s.planted)
        contacts = max(len(motion.contacts.links) for motion in motions)
        self._law_tables = law_tables(body, weights, 3 * contacts, s.gamma)
        self._linear, cycles = s.law == "linear", s.cycles or None
        self.frame = round(reference.begin / motions[0].step) % (len(motions[0].clip.qpos) - 1)
        self._place(PoseDisplacement.between(motions[0].clip.qpos[self.frame], reference.at(0.0).qpos))
        self._steering = None
        if isinstance(reference.motions, Repertoire):
            key = (body.name, s)
            if key not in self.memory:
                self.memory[key] = repertoire_segments(reference.motions, weights, cycles, self._linear, self.say)
            self._steering = NqrSteering(reference.motions, self.memory[key], self.frame, self._carriage.yaw)
        self._course = self._steering or NqrSegmentCourse(nqr_segment_sequence(motions, weights, cycles, self._linear))
        self._terrain = world.scene.terrain  # an attribute, so that marks of a run can share or replace it
        heights = self._heights if s.ground == "seen" else None
        self._levels = NqrGroundLevels(body, float(self._carriage.way[2]), heights)
        self._levels.set_standing_feet(self.segment.footholds, self.frame, world.state.qpos[:3], self._carriage.yaw)
        self._space, self._legs = PoseSpace(body), no_nqr_leg_adjustment(body.nv)
        self._adjusted = self._legs.now  # (nv,) difference of the target pose from the motion's
        self._waited = 0  # steps
        self._lost, self._standing_height = False, float(body.standing[2])
        self._law_output(world.state)  # compiles the law before the first timed step

    @property
    def segment(self) -> NqrSegment:
        """The segment being performed."""
        return self._course.now.segment

    def steer(self, heading: float | None = None, speed: float | None = None) -> None:
        """From the next step of the gait on, seek a heading (rad, left of the initial heading) or a speed (m/s)."""
        if self._steering is None:
            which = "only a repertoire of walks and turns can (poise.library.repertoire.Roaming)"
            raise PoiseError(f"nqr: this motion cannot be steered; {which}")
        self._steering.steer(heading, speed)

    def act(self, state: State) -> Actuation:
        """Actuation of the coming step; passive once the character falls, since further torques only thrash."""
        if self._lost:
            return PASSIVE
        if self.frame >= self._course.now.stop:
            self._proceed(state.qpos)
        touching = self._levels.feel_contacts(state.contacts)
        if self._settings.phase in ("early", "both"):
            self._skip(segment_steps_landed_early(self.segment.footholds, self.frame, touching, state.step))
        self._follow_ground(state)
        self.output = self._law_output(state)
        rise, *turns = map(abs, self.output.deviation[2:6].tolist())
        self._lost = rise > LOST_HEIGHT * self._standing_height or max(turns) > LOST_TURN
        if self._settings.phase in ("late", "both") and self._waits(touching, state.step):
            self._stay()
        else:
            self.frame += 1
            self._adjusted = self._legs.ahead
        return Actuation(torque=self.output.torque, feedback=self.output.feedback)

    def target(self, time: float) -> Array:  # noqa: ARG002
        """(nq,) the pose that is tracked now, whatever `time` is."""
        pose = self._pose(self.frame)
        return np.asarray(self._space.moved(pose[None], self._adjusted[None])[0]) if self._adjusted.any() else pose

    def _law_output(self, state: State) -> NqrOutput:
        data, terms = state.data, (state.qpos, state.qvel, state.mass, state.bias)
        now = NqrState(*terms, data.cdof, data.subtree_com[1], data.xpos, data.xmat, state.contacts.jacobian)
        tables, policy, frame = self._law_tables, self.segment.tables, self._motion_frame
        return nqr_control_law(tables, policy, self.frame, now, frame, self._legs, state.step, self._linear)

    def _heights(self, x: Array, y: Array) -> Array:
        """(N,) m: heights of the ground at places (N,) m."""
        return self._terrain.heights(x, y)

    def _follow_ground(self, state: State) -> None:
        """Move the motion to the level of the ground, and adjust its legs to the levels of its feet."""
        holds, levels = self.segment.footholds, self._levels
        levels.update(holds, self.frame, state.qpos[:3], self._carriage.yaw)
        rise = levels.motion_level(holds, self.frame) - float(self._carriage.way[2])
        if rise:
            self._place(self._carriage.shifted(np.array([0.0, 0.0, rise])))
        self._legs = levels.leg_adjustment(holds, self.frame, state.step)

    def _pose(self, frame: int) -> Array:
        """(nq,) the pose of the motion in a frame, moved to where the motion takes place in the world."""
        return self._carriage.pose(self.segment.motion.clip.qpos[frame])

    def _skip(self, steps: int) -> None:
        """Advance the motion's phase by some steps, but not its place along the ground."""
        if steps and self.frame + steps < self._course.now.stop:
            here, there = self._pose(self.frame), self._pose(self.frame + steps)
            self.frame += steps
            self._shift(here[:3] - there[:3])

    def _waits(self, touching: Mask, step: float) -> bool:
        """Whether the motion waits for a late foot, for LONGEST_WAIT (s) at most. Also counts the steps waited."""
        inside = self.frame + 1 < self._course.now.stop
        late = inside and is_segment_landing_late(self.segment.footholds, self.frame, touching)
        self._waited = self._waited + 1 if late and self._waited < LONGEST_WAIT / step else 0
        return self._waited > 0

    def _stay(self) -> None:
        """For one time step, move the motion's place along the ground but hold its phase."""
        self._shift(self._pose(self.frame + 1)[:3] - self._pose(self.frame)[:3])
        self._levels.repeat_step()
        self._adjusted = self._legs.now

    def _proceed(self, qpos: Array) -> None:
        """Go on to the next span. Move it along the ground to the body by the share `relocate` of their distance."""
        ended = self.segment.motion.clip.qpos[self.frame]
        self._course.proceed(self._carriage.yaw)
        self.frame = self._course.now.first
        begun = self.segment.motion.clip.qpos[self.frame]
        self._place(self._carriage.then(*planar_displacement(begun, ended)))
        self._shift(self._settings.relocate * (qpos[:3] - self._carriage.pose(begun)[:3]))

    def _shift(self, way: Array) -> None:
        """Shift the motion along the ground by the horizontal part of `way` (3,) m."""
        self._place(self._carriage.shifted(way * [1.0, 1.0, 0.0]))

    def _place(self, carriage: PoseDisplacement) -> None:
        """Set where the motion takes place in the world."""
        self._carriage = carriage
        self._motion_frame = MotionFrame(math.cos(carriage.yaw), math.sin(carriage.yaw), carriage.way)


def _motions_nqr_can_perform(reference: Reference, step: float) -> tuple[Dynamic, ...]:
    """The motions of a reference; raise unless all obey physics at the world's `step` (s) and no hand holds a prop."""
    motions = tuple(reference.motions.values())
    if not motions:
        raise PoiseError(f"nqr needs a motion that obeys physics: poise prepare {reference.name} --dynamic")
    for motion in motions:
        if (motion.contacts.held & motion.contacts.down).any():
            raise PoiseError(f"nqr: {motion.clip.name} holds on to something; nqr performs only what stands on feet")
        if abs(motion.clip.rate * step - 1.0) > _SAME_RATE:
            rates = f"{motion.clip.rate:g} states a second, the world {1.0 / step:g} steps"
            how = "resample it with poise.reference.played.reference_at_rate"
            raise PoiseError(f"nqr: {motion.clip.name} has {rates}; {how}")
    return motions
