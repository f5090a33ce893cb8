"""Rehearsing a script: simulated from any state, without a recording, as often as solving needs it."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from poise.animate.direct import Change, direct
from poise.animate.script import Script, ScriptHold
from poise.errors import PoiseError
from poise.performance.cues import Cue
from poise.performance.forces import ScenePush, total_push
from poise.performance.start import PlacedReference, start
from poise.world.result import BlowUp, StepResult
from poise.world.settings import WorldSettings
from poise.world.world import World

# Holds of a script as cues: grips that are made and released.


def hold_cues(script: Script) -> list[Cue]:
    """What takes hold and lets go, at their times."""
    return [cue for hold in script.holds for cue in _cues(hold)]


def _cues(hold: ScriptHold) -> list[Cue]:
    def take(world: World) -> None:
        for point in hold.points:
            world.grip(hold.link, world.point(hold.link, point), hold.what)

    def leave(world: World) -> None:  # whatever world took hold: rehearsals go on from snapshots of others
        ends = world.scene.link_id(hold.link), world.scene.link_id(hold.what)
        for grip in world.grips:
            if (grip.body, grip.other) == ends:
                world.release(grip)

    what = f"{hold.link} {{}} {hold.what}"
    cues = [Cue(hold.when.start, what.format("holds"), take)]
    return [*cues, Cue(hold.when.end, what.format("lets go of"), leave)] if isfinite(hold.when.end) else cues


def stage(script: Script) -> World:
    """The world of a script."""
    return World(script.scene, WorldSettings(step=script.step))


class Rehearsal:
    """A world in which a script is tried."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.world = stage(script)
        reference, _ = direct(script)
        self._place = start(self.world, reference, 0, 0.0, script.beginning.stand)
        self._pushes = [ScenePush(push, self.world, self._place) for push in script.pushes]
        self._cues: list[Cue] = sorted(hold_cues(script), key=lambda cue: cue.time)
        self.direct(())

    def direct(self, changes: Iterable[Change]) -> None:
        """Have the script performed with changes, from now on."""
        reference, self._controller = direct(self.script, changes)
        self._controller.reset(self.world, PlacedReference(reference, self._place))

    def step(self) -> StepResult:
        """Go on by a step."""
        world = self.world
        for cue in self._cues:
            if world.time - 1e-9 <= cue.time + 1e-12 < world.time + world.settings.step - 1e-9:
                cue.do(world)
        return world.step(self._controller.act(world.state), total_push(self._pushes, world))

    def run_until(self, time: float) -> None:
        """Go on to the last step that ends no later than a time, s."""
        try:
            while self.world.time + self.world.settings.step <= time + 1e-9:
                self.step()
        except BlowUp as error:
            raise PoiseError(f"{self.script.name} cannot be solved: it {error}") from None


def touching(result: StepResult, own: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Ids of what bore on each other in a step, one of two among the body's `own` (nbody,); maybe more than once."""
    bears = result.impulse[:, 0] > 0
    body, other = result.body[bears], result.other[bears]
    apart = own[body] != own[other]
    return np.concatenate([body[apart], other[apart]])
