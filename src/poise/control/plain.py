"""Controllers without balance: `hold` keeps the joints at the reference's pose, `limp` applies no torques."""

from dataclasses import asdict, dataclass
from typing import Any

import mujoco
import numpy as np

from poise.arrays import Array
from poise.control.controller import ResetFirst, WorldView
from poise.control.entry import ControllerEntry, StudioWords
from poise.dynamics.actuation import PASSIVE, Actuation, Motors
from poise.dynamics.state import State
from poise.errors import PoiseError
from poise.reference.reference import Reference

_LARGEST = 1e12  # Upper bound of every setting of `hold`; larger values overflow in products


class Limp(ResetFirst):
    """A rag doll: joints move freely within their limits, with their passive damping alone."""

    name = "limp"

    def __init__(self) -> None:
        self.settings: dict[str, Any] = {}

    def reset(self, world: WorldView, reference: Reference) -> None:  # noqa: ARG002
        """Keep the reference for `target`."""
        self._reference = reference

    def act(self, state: State) -> Actuation:  # noqa: ARG002
        """Apply no torques."""
        return PASSIVE

    def target(self, time: float) -> Array:
        """(nq,) the reference's pose at a time (s), although the joints do not track this pose."""
        return self._reference.at(time).qpos


@dataclass(frozen=True)
class HoldSettings:
    """Gains of `Hold`."""

    stiffness: float = 4.0
    """Stiffness of a joint, as a multiple (1/rad) of the joint's torque limit."""
    damping: float = 0.1
    """Damping of a joint, as a multiple (s) of the joint's stiffness."""
    unlimited: float = 15.0
    """Stiffness of joints without torque limits, N m/rad per kg of body mass; multiplied by `stiffness` / 4."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not 0 <= value <= _LARGEST:
                raise PoiseError(f"hold: {name} {value} must be between 0 and {_LARGEST:g}")


class Hold(ResetFirst):
    """Proportional-derivative control of every joint within the torque limits, integrated implicitly."""

    name = "hold"

    def __init__(self, settings: HoldSettings | None = None) -> None:
        self._settings = settings or HoldSettings()
        self.settings: dict[str, Any] = asdict(self._settings)

    def reset(self, world: WorldView, reference: Reference) -> None:
        """Derive the gains of all joints from the body's torque limits."""
        body, self._model, self._reference = world.scene.body, world.scene.model, reference
        limit = np.where(np.isfinite(body.torque_limit), body.torque_limit, self._settings.unlimited * body.mass / 4)
        self._nq, self._nv = body.nq, body.nv
        self._stiffness, self._target = np.zeros(self._model.nv), np.array(self._model.qpos0)
        self._stiffness[6 : self._nv] = self._settings.stiffness * limit[6:]
        self._error, self._rest = np.zeros(self._model.nv), np.zeros(self._model.nv)

    def act(self, state: State) -> Actuation:
        """Springs and dampers that drive the joints to the reference's pose at the end of the step."""
        self._target[: self._nq] = self._reference.at(state.time + state.step).qpos
        mujoco.mj_differentiatePos(self._model, self._error, 1.0, state.qpos, self._target)
        damping = self._settings.damping * self._stiffness
        return Actuation(motors=Motors.spring_damper(self._error, self._rest, self._stiffness, damping, state.step))

    def target(self, time: float) -> Array:
        """(nq,) the reference's pose at a time (s)."""
        return self._reference.at(time).qpos


LIMP = ControllerEntry(
    "limp",
    Limp,
    "no control: a falling rag doll",
    balances=False,
    studio=StudioWords("limp · rag doll", "no control", "Only gravity moves this body."),
)
HOLD = ControllerEntry(
    "hold",
    Hold,
    "joint springs hold the pose; no balance",
    balances=False,
    studio=StudioWords(
        title="hold · springs",
        brief="joints hold the pose; no balance",
        drive="Springs hold the joints of this body; nothing balances it.",
        not_live=("slope",),
    ),
)
