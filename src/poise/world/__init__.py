"""The simulated world: scenes, terrain, props, grips, pushes, the step, and recordings of what happened."""

from typing import TYPE_CHECKING

from poise.lazy import lazy_names

if TYPE_CHECKING:
    from poise.world.cues import Cue
    from poise.world.pushes import Push, parse_push
    from poise.world.recording import Recording
    from poise.world.scene import Scene
    from poise.world.settings import WorldSettings
    from poise.world.terrain import parse_terrain
    from poise.world.world import World

_HOMES = {
    "Cue": "poise.world.cues",
    "Push": "poise.world.pushes",
    "Recording": "poise.world.recording",
    "Scene": "poise.world.scene",
    "World": "poise.world.world",
    "WorldSettings": "poise.world.settings",
    "parse_push": "poise.world.pushes",
    "parse_terrain": "poise.world.terrain",
}

__all__ = ["Cue", "Push", "Recording", "Scene", "World", "WorldSettings", "parse_push", "parse_terrain"]

# The command line reads `poise.world.forms` for its help and must not load the simulator for it.
__getattr__ = lazy_names(__name__, _HOMES)
