"""The pose controller: feedback towards control poses, objective controllers, and stabilising torques on the root."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import hypot, radians
from typing import Any

import mujoco
import numpy as np

from poise.arrays import Array, Ints, Mask
from poise.body.body import Body
from poise.body.surface import foot_links
from poise.control.controller import ResetFirst, WorldView
from poise.control.poses import ENTRY
from poise.control.poses.objectives import PoseControlObjective
from poise.control.poses.rig import GainChange, PoseControlGains, PoseControlRig, Springs, TimeSpan, fill_pose_springs
from poise.dynamics.actuation import Actuation, Motors
from poise.dynamics.state import State
from poise.errors import PoiseError
from poise.kernel import kernel
from poise.reference.reference import Reference

LARGEST = 1e6  # Upper bound of every setting
POSITIVE = ("reach", "rate")  # Settings that must not be 0


@dataclass(frozen=True)
class PosesSettings:
    """Settings of the pose controller."""

    reach: float = 1.0
    """Angle error (degrees) of a DOF above which its damping is reduced: lambda of [Fattal2006]."""
    rate: float = 1.0
    """Share of the damping that is left just above `reach`: alpha of [Fattal2006]."""
    stiffness: float = 1.0
    """Factor by which the rig's stiffness of all joints is multiplied."""
    damping: float = 1.0
    """Factor by which the rig's damping of all joints is multiplied."""
    stabilise: float = 1.0
    """Factor by which the rig's gains of the stabilising torques on the root are multiplied; 0 for no such torques."""
    let_go: float = 60.0
    """Error of the root's orientation, or lean of the body over its feet (degrees), above which the body counts as
    fallen and is no longer stabilised."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not 0 <= value <= LARGEST or (value == 0 and name in POSITIVE):
                least = "more than" if name in POSITIVE else "at least"
                raise PoiseError(f"poses: {name} must be {least} 0 and at most {LARGEST:g}, not {value:g}")


class Poses(ResetFirst):
    """Feedback control towards control poses [Fattal2006].

    Deviations from the paper: the damping is averaged over a step; springs and dampers are implicit and solved together
    with the contacts; torques keep their limits; the root is stabilised only while a foot bears and the body has not
    fallen, so that the body is never held in the air or lifted off the ground. See docs/poses-method.md.
    """

    name = "poses"
    entry = ENTRY

    def __init__(
        self,
        settings: PosesSettings | None = None,
        changes: Sequence[GainChange] = (),
        stabilised: Sequence[TimeSpan] = (TimeSpan(),),
        objectives: Sequence[PoseControlObjective] = (),
        rig: PoseControlRig | None = None,
    ) -> None:
        """`stabilised`: time spans in which the root is stabilised; `rig` is by default `PoseControlRig.of` a body."""
        self._settings = settings or PosesSettings()
        self.settings: dict[str, Any] = asdict(self._settings)
        self._changes, self._stabilised = tuple(changes), tuple(stabilised)
        self._objectives, self._rig = tuple(objectives), rig

    def reset(self, world: WorldView, reference: Reference) -> None:
        """Prepare the gains, the standing sensor and the objectives for a run, and compile the kernels."""
        scene, body = world.scene, world.scene.body
        rig = self._rig or PoseControlRig.of(body)
        self._model, self._reference = scene.model, reference
        self._nq, self._nv = body.nq, body.nv
        scale, smooth = np.full(body.nv, self._settings.stiffness), np.full(body.nv, self._settings.damping)
        scale[:6] = smooth[:6] = self._settings.stabilise
        self._gains = PoseControlGains(PoseControlRig(scale * rig.stiffness, smooth * rig.damping), self._changes)
        self._standing = StandingSensor(body, self._model, radians(self._settings.let_go))
        self._target = np.array(self._model.qpos0)
        self._error = np.zeros(self._model.nv)
        for objective in self._objectives:
            objective.reset(scene)
        self.act(world.state)  # compile the kernels before the first step

    def act(self, state: State) -> Actuation:
        """Motors: springs and dampers towards the pose at the end of the step, changed by the objectives."""
        n, h, settings = self._nv, state.step, self._settings
        self._target[: self._nq] = self._reference.at(state.time + h).qpos
        mujoco.mj_differentiatePos(self._model, self._error, 1.0, state.qpos, self._target)
        springs = Springs(np.empty(n), np.empty(n), *self._gains.at(state.time))
        fill_pose_springs(springs, self._error, state.qvel, h, radians(settings.reach), settings.rate)
        for objective in self._objectives:
            if state.time in objective.when:
                objective.change_springs(springs, state)
        brace = self._spring_motors(springs, 3, 6) if self._is_stabilised(state) else None
        return Actuation(motors=self._spring_motors(springs, 6, n), brace=brace)

    def target(self, time: float) -> Array:
        """(nq,) control pose, interpolated at a time (s)."""
        return self._reference.at(time).qpos

    def _is_stabilised(self, state: State) -> bool:
        """Whether the root is stabilised now: this is asked for, the body stands on its feet and has not fallen."""
        wanted = self._settings.stabilise != 0 and any(state.time in span for span in self._stabilised)
        tilted = not hypot(*self._error[3:6]) < radians(self._settings.let_go)
        return wanted and not tilted and self._standing.stands(state)

    def _spring_motors(self, springs: Springs, first: int, last: int) -> Motors:
        """Motors that apply the springs of DOFs `first` to `last` - 1; for all other DOFs of the scene they are 0."""
        velocity, gain = np.zeros(self._model.nv), np.zeros(self._model.nv)
        gain[first:last] = springs.gain[first:last]
        np.divide(springs.push, springs.gain, out=velocity[: self._nv], where=gain[: self._nv] > 0.0)
        return Motors(velocity, gain)


class StandingSensor:
    """Senses whether the first body of a scene stands on its feet."""

    def __init__(self, body: Body, model: mujoco.MjModel, lean: float) -> None:
        """``lean`` (rad) is the largest angle between the vertical and the line from a foot to the centre of mass."""
        self._own: Mask = model.body_rootid == 1
        self._fixed: Mask = model.body_weldid == 0
        self._is_foot: Mask = np.zeros(model.nbody, bool)
        self._is_foot[_pose_control_foot_ids(body)] = True
        self._least = float(np.cos(min(lean, np.pi)))

    def stands(self, state: State) -> bool:
        """Whether the body stands on its feet in a state."""
        contacts, com = state.contacts, state.data.subtree_com[1]
        touched = contacts.body, contacts.other, contacts.touching, contacts.point
        return bool(_stands_on_feet(*touched, self._own, self._fixed, self._is_foot, com, self._least))


@kernel
def _stands_on_feet(
    body: Ints, other: Ints, touching: Mask, point: Array, own: Mask, fixed: Mask, is_foot: Mask, com: Array,
    least: float,
) -> bool:  # fmt: skip
    """Whether a foot touches something firm from where the centre of mass is upward, with a cosine >= ``least``."""
    for c in range(body.shape[0]):
        if not touching[c]:
            continue
        foot, thing = (body[c], other[c]) if own[body[c]] else (other[c], body[c])
        if is_foot[foot] and (fixed[thing] or _is_supported(thing, body, other, touching, own)):
            up = com - point[c]
            if up[2] >= least * np.sqrt(up[0] * up[0] + up[1] * up[1] + up[2] * up[2]):
                return True
    return False


@kernel
def _is_supported(thing: int, body: Ints, other: Ints, touching: Mask, own: Mask) -> bool:
    """Whether the link with id ``thing`` touches something that is not part of this body."""
    for c in range(body.shape[0]):
        if touching[c] and not own[body[c]] and not own[other[c]] and (body[c] == thing or other[c] == thing):
            return True
    return False


def _pose_control_foot_ids(body: Body) -> Ints:
    """Ids of links that count as feet: feet and toes; only the root if it is the foot; all links without any feet."""
    if not body.feet:
        return np.arange(1, body.model.nbody)
    if body.feet[0].link == body.links[0]:
        return np.array([1])
    return np.concatenate(foot_links(body))
