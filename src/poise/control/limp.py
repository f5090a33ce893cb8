"""No control at all: a falling rag doll."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from poise.control.controller import Stage
from poise.dynamics import Actuation, State
from poise.dynamics.actuation import PASSIVE
from poise.frozen import Array
from poise.reference import Reference


@dataclass(frozen=True)
class LimpSettings:
    """Nothing to set."""


class Limp:
    """Joints move freely within their limits, slowed by their passive damping alone."""

    name = "limp"
    needs_physics = False

    def __init__(self, settings: LimpSettings | None = None) -> None:
        self.settings: dict[str, Any] = asdict(settings or LimpSettings())

    def reset(self, world: Stage, reference: Reference) -> None:  # noqa: ARG002
        """Nothing to prepare."""
        self._reference = reference

    def act(self, state: State) -> Actuation:  # noqa: ARG002
        """No actuation."""
        return PASSIVE

    def target(self, time: float) -> Array:
        """The pose that the reference has, which nothing strives for."""
        return self._reference.at(time).qpos
