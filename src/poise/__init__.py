"""Poise: articulated characters that perform motions under exact physics.

    import poise
    body = poise.Body.named("human37")
    world = poise.World(poise.Scene.of(body))
    performance = poise.perform(world, poise.named_controller("hold"), poise.named_motion("stand", body), seconds=2)

Names are loaded when they are first used, so that importing poise costs nothing.
"""

from typing import TYPE_CHECKING

from poise.errors import PoiseError
from poise.lazy import lazy_names
from poise.version import __version__

if TYPE_CHECKING:
    from poise.body import Body
    from poise.control import named_controller
    from poise.dynamics import Actuation, Motors
    from poise.measure import audit, metrics
    from poise.performance import Performance, perform
    from poise.reference import named_motion
    from poise.world import Cue, Push, Recording, Scene, World, WorldSettings, parse_push, parse_terrain

_HOMES = {
    "Actuation": "poise.dynamics",
    "Body": "poise.body",
    "Cue": "poise.world",
    "Motors": "poise.dynamics",
    "Performance": "poise.performance",
    "Push": "poise.world",
    "Recording": "poise.world",
    "Scene": "poise.world",
    "World": "poise.world",
    "WorldSettings": "poise.world",
    "audit": "poise.measure",
    "metrics": "poise.measure",
    "named_controller": "poise.control",
    "named_motion": "poise.reference",
    "parse_push": "poise.world",
    "parse_terrain": "poise.world",
    "perform": "poise.performance",
}

__all__ = [
    "Actuation",
    "Body",
    "Cue",
    "Motors",
    "Performance",
    "PoiseError",
    "Push",
    "Recording",
    "Scene",
    "World",
    "WorldSettings",
    "__version__",
    "audit",
    "metrics",
    "named_controller",
    "named_motion",
    "parse_push",
    "parse_terrain",
    "perform",
]

__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
