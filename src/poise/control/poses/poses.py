"""The pose controller: springs towards moving control poses, objectives in place of some, and a declared brace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import radians
from typing import Any

import mujoco
import numpy as np

from poise.body import Body
from poise.body.feet import foot_links
from poise.control.controller import Stage
from poise.control.poses.damping import damping_kept
from poise.control.poses.objectives import Objective
from poise.control.poses.rig import Rig
from poise.control.poses.schedule import Gains, Span, Strengthening
from poise.control.poses.springs import Ints, Springs
from poise.dynamics import Actuation, Contacts, Motors, State
from poise.errors import PoiseError
from poise.reference import Reference
from poise.spatial import Array

LARGEST = 1e6
"""Of any setting."""


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
    """A root that is off by more than this is not stabilised any more, degrees: it has fallen."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not 0 <= value <= LARGEST or (value == 0 and name in ("reach", "rate")):
                raise PoiseError(f"poses: {name} {value} must be positive and at most {LARGEST:g}")


class Poses:
    """Feedback control towards control poses [Fattal2006].

    Deviations: the damping of a step is the mean along it, springs and dampers are solved implicitly, with the
    contacts, and torques keep their limits. The root is stabilised only while a foot bears, and not once it has
    fallen: nobody is held in the air or lifted off the ground. See docs/poses.md.
    """

    name = "poses"
    needs_physics = False

    def __init__(
        self,
        settings: PosesSettings | None = None,
        changes: Sequence[Strengthening] = (),
        stabilised: Sequence[Span] = (Span(),),
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
        self._own, self._fixed = self._model.body_rootid == 1, self._model.body_weldid == 0
        self._is_foot = np.zeros(self._model.nbody, bool)
        self._is_foot[_feet(body)] = True
        self._target = np.array(self._model.qpos0)
        self._error = np.zeros(self._model.nv)
        self._kept = np.zeros(self._nv)
        for objective in self._objectives:
            objective.reset(scene)

    def act(self, state: State) -> Actuation:
        """Springs and dampers towards the pose at the end of the step; objectives instead of them where they rule."""
        n, h, reach = self._nv, state.step, radians(self._settings.reach)
        self._target[: self._nq] = self._reference.at(state.time + h).qpos
        mujoco.mj_differentiatePos(self._model, self._error, 1.0, state.qpos, self._target)
        stiffness, damping = self._gains.at(state.time)
        damping_kept(self._error[:n], h * state.qvel[:n], reach, self._settings.rate, self._kept)
        springs = Springs(stiffness * self._error[:n], self._kept * damping + h * stiffness, stiffness, damping)
        for objective in self._objectives:
            springs = objective.on(springs, state)
        brace = self._motors(springs, slice(3, 6)) if self._upright(state) else None
        return Actuation(motors=self._motors(springs, slice(6, n)), brace=brace)

    def target(self, time: float) -> Array:
        """The control poses in between."""
        return self._reference.at(time).qpos

    def _upright(self, state: State) -> bool:
        """Whether the root is to be stabilised: now, on its feet, and not fallen."""
        if self._settings.stabilise == 0 or not any(state.time in span for span in self._stabilised):
            return False
        if not np.linalg.norm(self._error[3:6]) < radians(self._settings.let_go):
            return False
        return self._stands(state.contacts)

    def _stands(self, contacts: Contacts) -> bool:
        """Whether a foot bears on what is firm: fixed, or on something else than this body."""
        pairs = np.stack([contacts.body, contacts.other])[:, contacts.touching]
        own = self._own[pairs]
        firm = self._fixed.copy()
        firm[pairs[:, ~own.any(axis=0)]] = True
        foot, thing = np.where(own[0], pairs, pairs[::-1])
        return bool((self._is_foot[foot] & firm[thing]).any())

    def _motors(self, springs: Springs, dofs: slice) -> Motors:
        """Springs at some freedoms as motors of the scene, which has no others."""
        velocity, gain = np.zeros(self._model.nv), np.zeros(self._model.nv)
        gain[dofs] = springs.gain[dofs]
        np.divide(springs.push[dofs], gain[dofs], out=velocity[dofs], where=gain[dofs] > 0)
        return Motors(velocity=velocity, gain=gain)


def _feet(body: Body) -> Ints:
    """Ids of the links that may bear: feet with their toes; a root that is a foot by itself; without feet all."""
    if not body.feet:
        return np.arange(1, body.model.nbody)
    if body.feet[0].link == body.links[0]:
        return np.array([1])
    return np.concatenate(foot_links(body))
