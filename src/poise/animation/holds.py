"""Holds of a script as cues: grips that are made and released."""

from __future__ import annotations

from math import isfinite

from poise.animation.script import Hold, Script
from poise.world.cues import Cue
from poise.world.world import World


def hold_cues(script: Script) -> list[Cue]:
    """What takes hold and lets go, at their times."""
    return [cue for hold in script.holds for cue in _cues(hold)]


def _cues(hold: Hold) -> list[Cue]:
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
