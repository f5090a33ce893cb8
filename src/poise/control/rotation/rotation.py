"""The rotation controller: rolls and flights by control of whole-body rotation [Zordan2014]."""

from dataclasses import asdict
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.control.controller import ResetFirst, WorldView
from poise.control.rotation import ENTRY
from poise.control.rotation.actor import RotationActor
from poise.control.rotation.handspring import Handspring
from poise.control.rotation.leaps import Dive, Flip
from poise.control.rotation.rise import Rise
from poise.control.rotation.roll import Roll
from poise.control.rotation.settings import RotationSettings
from poise.dynamics.actuation import Actuation
from poise.dynamics.state import State
from poise.errors import PoiseError, unknown_name
from poise.library.behaviours.behaviour import Behaviour, BehaviourReference
from poise.library.behaviours.files import read_behaviour
from poise.reference.reference import Reference

PERFORMERS: dict[str, type[Roll | Flip | Dive | Handspring | Rise]] = {
    "roll": Roll,
    "flip": Flip,
    "kip": Flip,
    "dive": Dive,
    "handspring": Handspring,
    "rise": Rise,
}
"""The class that performs a behaviour, by the kind of behaviour."""


class Rotation(ResetFirst):
    """Performs behaviours: rolls, flips, kip-ups, dives and handsprings."""

    name = "rotation"
    entry = ENTRY

    def __init__(self, settings: RotationSettings | None = None, behaviour: Behaviour | None = None) -> None:
        """`behaviour`, if given, is performed instead of the behaviour that the reference names; searches vary it."""
        self._settings = settings or RotationSettings()
        self.settings: dict[str, Any] = asdict(self._settings)
        self._behaviour = behaviour

    def reset(self, world: WorldView, reference: Reference) -> None:
        """Read the behaviour and prepare to perform it with the body of the world."""
        behaviour = self._behaviour or read_behaviour(reference.name)
        staged = BehaviourReference(behaviour, world.scene.body)
        if behaviour.kind not in PERFORMERS:
            raise unknown_name(f"kind of behaviour in {behaviour.path.name}", behaviour.kind, PERFORMERS)
        self._root = np.array(world.state.qpos[:7])
        self.performing = PERFORMERS[behaviour.kind](RotationActor(world, self._settings), staged)

    def act(self, state: State) -> Actuation:
        """Torques of the coming step."""
        self._root = np.array(state.qpos[:7])
        return self.performing.act(state)

    def steer(self, heading: float | None = None, speed: float | None = None) -> None:
        """Set the direction of a roll (rad, to the left of its first direction) and its speed (m/s), unless None."""
        if not isinstance(self.performing, Roll):
            raise PoiseError("rotation: only rolls can be steered, not flips, kip-ups, dives or handsprings")
        if heading is not None:
            self.performing.heading = heading
        if speed is not None:
            self.performing.speed = speed

    def stands(self) -> bool:
        """Whether the behaviour is over and the body stands at rest, so that another controller may take over."""
        return self.performing.stands()

    def target(self, time: float) -> Array:  # noqa: ARG002
        """(nq,) the pose that is tracked now, with the body's present root position and turn; `time` is ignored."""
        pose = np.array(self.performing.pose)
        pose[:7] = self._root
        return pose
