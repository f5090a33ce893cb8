"""Clips played as references that controllers track, and motions converted to the rate of the simulation."""

from dataclasses import replace
from functools import lru_cache

import mujoco
import numpy as np

from poise.arrays import Array, Frozen, readonly
from poise.body.pose_space import PoseDisplacement, planar_displacement
from poise.errors import PoiseError
from poise.reference.body_clip import BodyClip
from poise.reference.dynamic import Dynamic
from poise.reference.reference import Reference, Start, Target
from poise.rotations import quat_conjugate, quat_exp, quat_multiply, quat_rotate, yaw_of

_WHOLE = 1e-3  # relative tolerance for a whole ratio of rates, so that a step may be written as 0.00833
_STRAIGHT = 1e-9  # below this |exp(i yaw) - 1| a cycle counts as going straight


class Played:
    """A clip as a reference; it holds its last pose, or repeats if cyclic. `dynamic`: the clip with its forces."""

    start: Start = "origin"

    def __init__(
        self, clip: BodyClip, dynamic: Dynamic | None = None, begin: float = 0.0, then: Dynamic | None = None
    ) -> None:
        """`begin` (s): time within the clip at time 0. `then`: a motion that starts in the last state of `dynamic`."""
        self.clip = clip
        self.dynamic = dynamic
        self.begin = begin
        known = [motion for motion in (dynamic, then) if motion is not None] if dynamic is not None else []
        self.motions = Frozen({motion.clip.name: motion for motion in known})
        self.name = clip.name
        self.duration = None if clip.cyclic else clip.seconds - begin
        self._model = clip.body.model
        self._difference = np.zeros(clip.body.nv)
        turn = quat_multiply(clip.qpos[-1, 3:7], quat_conjugate(clip.qpos[0, 3:7]))
        self._turn = float(yaw_of(turn))  # rad of yaw per cycle
        first, last = (complex(x, y) for x, y in clip.qpos[[0, -1], :2])
        self._origin_shift = last - first * np.exp(1j * self._turn)  # m, x + iy: where one cycle carries the origin
        self._cycle_move = lru_cache(maxsize=8)(self._cycle_displacement)

    def at(self, time: float) -> Target:
        """The pose interpolated between the two frames around a time (s), and the velocity between these frames."""
        clip = self.clip
        lap, within = self._cycle_and_time(time + self.begin)
        here = min(int(within * clip.rate), max(clip.frames - 2, 0))
        there = min(here + 1, clip.frames - 1)
        share = min(within * clip.rate - here, 1.0)
        mujoco.mj_differentiatePos(self._model, self._difference, 1.0, clip.qpos[here], clip.qpos[there])
        qpos = np.array(clip.qpos[here])
        mujoco.mj_integratePos(self._model, qpos, self._difference, share)
        ended = not clip.cyclic and within >= clip.seconds
        qvel = np.zeros(clip.body.nv) if ended else clip.rate * self._difference
        down = None if clip.down is None else clip.down[here if share < 0.5 else there]
        target = Target(qpos, qvel, down)
        if self.dynamic is not None and not ended:  # velocity of the states, torques and forces of the step
            torque, force = self.dynamic.torque[here], self.dynamic.contacts.force[here]
            qvel = (1.0 - share) * self.dynamic.qvel[here] + share * self.dynamic.qvel[here + 1]
            target = replace(target, qvel=qvel, torque=torque, force=force)
        return self._carried_by_cycles(target, lap)

    def _cycle_and_time(self, time: float) -> tuple[int, float]:
        """Split a time (s) since the clip's first frame into completed cycles and the time (s) in the current cycle."""
        if not self.clip.cyclic:
            return 0, min(max(time, 0.0), self.clip.seconds)
        lap = int(np.floor(time / self.clip.seconds + 1e-9))
        return lap, max(time - lap * self.clip.seconds, 0.0)

    def _carried_by_cycles(self, target: Target, laps: int) -> Target:
        """Move a target of the first cycle along the ground to the same moment `laps` cycles later."""
        if not laps:
            return target
        turn, way = self._cycle_move(laps)
        qpos, qvel = np.array(target.qpos), np.array(target.qvel)
        mujoco.mju_rotVecQuat(qpos[:3], target.qpos[:3], turn)
        qpos[:2] += way
        mujoco.mju_mulQuat(qpos[3:7], turn, target.qpos[3:7])
        mujoco.mju_rotVecQuat(qvel[:3], target.qvel[:3], turn)
        force = None if target.force is None else quat_rotate(turn, target.force)
        return replace(target, qpos=qpos, qvel=qvel, force=force)

    def _cycle_displacement(self, laps: int) -> tuple[Array, Array]:
        """Rotation (4,) and shift (2,) m along the ground over `laps` cycles. The shifts form a geometric series."""
        turn = np.exp(1j * self._turn)
        way = self._origin_shift * (laps if abs(turn - 1) < _STRAIGHT else (turn**laps - 1) / (turn - 1))
        return quat_exp(np.array([0.0, 0.0, laps * self._turn])), np.array([way.real, way.imag])

    def __repr__(self) -> str:
        return f"Played({self.clip!r})"


def cycle_from_step(cycle: Dynamic, step: int) -> Played:
    """Play a cyclic motion from frame `step` on, moved along the ground: it starts above the origin, facing forward."""
    yaw, _ = planar_displacement(cycle.clip.qpos[0], cycle.clip.qpos[-1])
    turned = PoseDisplacement(-yaw * step / len(cycle.torque), np.zeros(3))
    away = turned.pose(cycle.clip.qpos[step])[:3] * [1.0, 1.0, 0.0]
    carriage = turned.shifted(-away)
    there = replace(
        cycle,
        clip=replace(cycle.clip, qpos=readonly(carriage.pose(cycle.clip.qpos))),
        qvel=readonly(carriage.velocity(cycle.qvel)),
        contacts=replace(cycle.contacts, force=readonly(carriage.vector(cycle.contacts.force))),
    )
    return Played(there.clip, there, step * cycle.step)


def reference_at_rate(reference: Reference, rate: float) -> Reference:
    """The reference with motions of `rate` (Hz) states per second; the given reference if they have that rate."""
    motions = tuple(reference.motions.values())
    if all(_reference_rate_divisor(motion, rate) == 1 for motion in motions):
        return reference
    if not isinstance(reference, Played):
        rates = f"{motions[0].clip.rate:g} steps a second, not {rate:g}"
        raise PoiseError(f"motion '{reference.name}' can be steered only at {rates}")
    first, *rest = (reference_motion_at_rate(motion, rate) for motion in motions)
    return Played(first.clip, first, reference.begin, *rest)


def _reference_rate_divisor(motion: Dynamic, rate: float) -> int:
    """Number of steps of the motion in one step at `rate` (Hz). Raises a PoiseError if it is not whole."""
    clip = motion.clip
    every = round(clip.rate / rate)
    if every < 1 or abs(every * rate - clip.rate) > _WHOLE * clip.rate:
        raise PoiseError(f"motion '{clip.name}' has {clip.rate:g} states a second, which {rate:g} does not divide")
    return every


def reference_motion_at_rate(motion: Dynamic, rate: float) -> Dynamic:
    """Every second, third ... state at a `rate` (Hz) that divides the motion's; mean forces keep their impulses."""
    clip, contacts, every = motion.clip, motion.contacts, _reference_rate_divisor(motion, rate)
    if every == 1:
        return motion
    if (clip.frames - 1) % every:
        raise PoiseError(f"motion '{clip.name}' has {clip.frames - 1} steps, which cannot be merged {every} at a time")
    down = None if clip.down is None else readonly(clip.down[::every], bool)
    return replace(
        motion,
        clip=replace(clip, rate=clip.rate / every, qpos=readonly(clip.qpos[::every]), down=down),
        qvel=readonly(motion.qvel[::every]),
        torque=_reference_step_means(motion.torque, every),
        contacts=replace(
            contacts,
            down=readonly(contacts.down[::every], bool),
            force=_reference_step_means(contacts.force, every),
            ground=readonly(contacts.ground[::every]),
        ),
    )


def _reference_step_means(steps: Array, every: int) -> Array:
    """Means (K, ...) over K groups of `every` consecutive rows of `steps` (K * every, ...)."""
    return readonly(steps.reshape(-1, every, *steps.shape[1:]).mean(axis=1))
