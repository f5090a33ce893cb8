"""The simulated world: scenes, terrain, props, grips, pushes, the step, and recordings of what happened."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from poise.world.cues import Cue
    from poise.world.pushes import Push, parse_push
    from poise.world.recording import Recording
    from poise.world.scene import Scene
    from poise.world.settings import WorldSettings
    from poise.world.terrain import parse_terrain
    from poise.world.world import World

_HOMES = {
    "Cue": "cues",
    "Push": "pushes",
    "Recording": "recording",
    "Scene": "scene",
    "World": "world",
    "WorldSettings": "settings",
    "parse_push": "pushes",
    "parse_terrain": "terrain",
}

__all__ = ["Cue", "Push", "Recording", "Scene", "World", "WorldSettings", "parse_push", "parse_terrain"]


def __getattr__(name: str) -> Any:
    # Lazy: the command line reads `poise.world.forms` for its help and must not load the simulator for it.
    if name not in _HOMES:
        raise AttributeError(f"module 'poise.world' has no attribute '{name}'")
    return getattr(import_module(f"poise.world.{_HOMES[name]}"), name)
