"""The pose controller: springs towards moving control poses, objectives in place of some, and a declared brace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import hypot, radians
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Ints
from poise.body.body import Body
from poise.body.contact_parts import foot_links
from poise.control.controller import ResetFirst, Stage
from poise.control.poses import ENTRY
from poise.control.poses.objectives import Objective
from poise.control.poses.rig import Gains, Rig, Strengthening, TimeSpan
from poise.control.poses.springs import Springs, as_motors, draw_to_pose
from poise.dynamics.actuation import Actuation, Motors
from poise.dynamics.state import State
from poise.errors import PoiseError
from poise.kernel import kernel
from poise.reference.reference import Reference

# Whether a body stands: on its feet, on something firm, and not leaning over too far to be called so.

Flags = NDArray[np.bool_]


class StandingSensor:
    """Looks at the feet of the first body of a scene."""

    def __init__(self, body: Body, model: Any, lean: float) -> None:
        """``lean`` is how far it may lean over, rad, from a foot to the centre of mass."""
        self._own: Flags = model.body_rootid == 1
        self._fixed: Flags = model.body_weldid == 0
        self._is_foot: Flags = np.zeros(model.nbody, bool)
        self._is_foot[_feet(body)] = True
        self._least = float(np.cos(min(lean, np.pi)))

    def of(self, state: State) -> bool:
        """Whether it stands now."""
        contacts = state.contacts
        return bool(
            _stands(
                contacts.body,
                contacts.other,
                contacts.touching,
                contacts.point,
                self._own,
                self._fixed,
                self._is_foot,
                state.data.subtree_com[1],
                self._least,
            )
        )


@kernel
def _stands(
    body: Any, other: Any, touching: Any, point: Any, own: Any, fixed: Any, is_foot: Any, com: Any, least: float
) -> bool:
    """Whether a foot bears on what is firm: fixed, or on something else than this body; below the centre of mass."""
    for c in range(body.shape[0]):
        if not touching[c]:
            continue
        foot, thing = (body[c], other[c]) if own[body[c]] else (other[c], body[c])
        if is_foot[foot] and (fixed[thing] or _borne(thing, body, other, touching, own)):
            way = com - point[c]
            if way[2] >= least * np.sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]):
                return True
    return False


@kernel
def _borne(thing: int, body: Any, other: Any, touching: Any, own: Any) -> bool:
    """Whether a thing lies on another than this body."""
    for c in range(body.shape[0]):
        if touching[c] and not own[body[c]] and not own[other[c]] and (body[c] == thing or other[c] == thing):
            return True
    return False


def _feet(body: Body) -> Ints:
    """Ids of the links that may bear: feet with their toes; a root that is a foot by itself; without feet all."""
    if not body.feet:
        return np.arange(1, body.model.nbody)
    if body.feet[0].link == body.links[0]:
        return np.array([1])
    return np.concatenate(foot_links(body))


LARGEST = 1e6
"""Of any setting."""
POSITIVE = ("reach", "rate")
"""Settings that must not be 0."""


@dataclass(frozen=True)
class PosesSettings:
    """How poses are tracked."""

    reach: float = 1.0
    """Error beyond which damping gives way, degrees. [Fattal2006] lambda."""
    rate: float = 1.0
    """How much damping is left just beyond it. [Fattal2006] alpha."""
    stiffness: float = 1.0
    """Of all joints, as a multiple of the rig's."""
    damping: float = 1.0
    """Of all joints, as a multiple of the rig's."""
    stabilise: float = 1.0
    """Of the torques on the root's orientation, as a multiple of the rig's; 0 for none."""
    let_go: float = 60.0
    """A root that is off by more than this, or whose body leans over its feet by more, is not stabilised any more,
    degrees: it has fallen."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not 0 <= value <= LARGEST or (value == 0 and name in POSITIVE):
                least = "more than" if name in POSITIVE else "at least"
                raise PoiseError(f"poses: {name} must be {least} 0 and at most {LARGEST:g}, not {value:g}")


class Poses(ResetFirst):
    """Feedback control towards control poses [Fattal2006].

    Deviations: the damping of a step is the mean along it, springs and dampers are solved implicitly, with the
    contacts, and torques keep their limits. The root is stabilised only while a foot bears, and not once it has
    fallen: nobody is held in the air or lifted off the ground. See docs/poses.md.
    """

    name = "poses"
    entry = ENTRY

    def __init__(
        self,
        settings: PosesSettings | None = None,
        changes: Sequence[Strengthening] = (),
        stabilised: Sequence[TimeSpan] = (TimeSpan(),),
        objectives: Sequence[Objective] = (),
        rig: Rig | None = None,
    ) -> None:
        self._settings = settings or PosesSettings()
        self.settings: dict[str, Any] = asdict(self._settings)
        self._changes, self._stabilised = tuple(changes), tuple(stabilised)
        self._objectives, self._rig = tuple(objectives), rig

    def reset(self, world: Stage, reference: Reference) -> None:
        """Gains of the body, and what feet are."""
        scene, body = world.scene, world.scene.body
        rig = self._rig or Rig.of(body)
        self._model, self._reference = scene.model, reference
        self._nq, self._nv = body.nq, body.nv
        scale, smooth = np.full(body.nv, self._settings.stiffness), np.full(body.nv, self._settings.damping)
        scale[:6] = smooth[:6] = self._settings.stabilise
        self._gains = Gains(Rig(scale * rig.stiffness, smooth * rig.damping), self._changes)
        self._standing = StandingSensor(body, self._model, radians(self._settings.let_go))
        self._target = np.array(self._model.qpos0)
        self._error = np.zeros(self._model.nv)
        for objective in self._objectives:
            objective.reset(scene)
        self.act(world.state)  # so that the first step does not wait for kernels

    def act(self, state: State) -> Actuation:
        """Springs and dampers towards the pose at the end of the step; objectives instead of them where they rule."""
        n, h, settings = self._nv, state.step, self._settings
        self._target[: self._nq] = self._reference.at(state.time + h).qpos
        mujoco.mj_differentiatePos(self._model, self._error, 1.0, state.qpos, self._target)
        springs = Springs(np.empty(n), np.empty(n), *self._gains.at(state.time))
        draw_to_pose(
            self._error, state.qvel, springs.stiffness, springs.damping, h, radians(settings.reach), settings.rate,
            springs.push, springs.gain,
        )  # fmt: skip
        for objective in self._objectives:
            objective.on(springs, state)
        brace = self._motors(springs, 3, 6) if self._upright(state) else None
        return Actuation(motors=self._motors(springs, 6, n), brace=brace)

    def target(self, time: float) -> Array:
        """The control poses in between."""
        return self._reference.at(time).qpos

    def _upright(self, state: State) -> bool:
        """Whether the root is to be stabilised: now, on its feet, and not fallen."""
        if self._settings.stabilise == 0 or not any(state.time in span for span in self._stabilised):
            return False
        if not hypot(*self._error[3:6]) < radians(self._settings.let_go):
            return False
        return self._standing.of(state)

    def _motors(self, springs: Springs, first: int, last: int) -> Motors:
        """Springs at some freedoms as motors of the scene, which has no others."""
        motors = Motors(velocity=np.zeros(self._model.nv), gain=np.zeros(self._model.nv))
        as_motors(springs.push, springs.gain, first, last, motors.velocity, motors.gain)
        return motors
