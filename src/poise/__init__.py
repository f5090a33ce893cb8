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
    from poise.cueing import edit_cue, steer_cue
    from poise.dynamics import Actuation, Motors
    from poise.measure import audit, metrics
    from poise.motion import Clip, Skeleton
    from poise.motion.repair import ImportSettings, import_motion
    from poise.performance import Performance, perform
    from poise.reference import BodyClip, Played, Variation, named_motion, prepare, with_physics
    from poise.reference.commands import parse_steer
    from poise.reference.edit import Live, edited, parse_edit
    from poise.reference.repertoire import Roaming, shipped_repertoire
    from poise.world import Cue, Push, Recording, Scene, World, WorldSettings, parse_push, parse_terrain

_HOMES = {
    "Actuation": "poise.dynamics",
    "Body": "poise.body",
    "BodyClip": "poise.reference",
    "Clip": "poise.motion",
    "Cue": "poise.world",
    "ImportSettings": "poise.motion.repair",
    "Live": "poise.reference.edit",
    "Motors": "poise.dynamics",
    "Performance": "poise.performance",
    "Played": "poise.reference",
    "Push": "poise.world",
    "Recording": "poise.world",
    "Roaming": "poise.reference.repertoire",
    "Scene": "poise.world",
    "Skeleton": "poise.motion",
    "Variation": "poise.reference",
    "World": "poise.world",
    "WorldSettings": "poise.world",
    "audit": "poise.measure",
    "edit_cue": "poise.cueing",
    "edited": "poise.reference.edit",
    "import_motion": "poise.motion.repair",
    "metrics": "poise.measure",
    "named_controller": "poise.control",
    "named_motion": "poise.reference",
    "parse_edit": "poise.reference.edit",
    "parse_push": "poise.world",
    "parse_steer": "poise.reference.commands",
    "parse_terrain": "poise.world",
    "perform": "poise.performance",
    "prepare": "poise.reference",
    "shipped_repertoire": "poise.reference.repertoire",
    "steer_cue": "poise.cueing",
    "with_physics": "poise.reference",
}

__all__ = [
    "Actuation",
    "Body",
    "BodyClip",
    "Clip",
    "Cue",
    "ImportSettings",
    "Live",
    "Motors",
    "Performance",
    "Played",
    "PoiseError",
    "Push",
    "Recording",
    "Roaming",
    "Scene",
    "Skeleton",
    "Variation",
    "World",
    "WorldSettings",
    "__version__",
    "audit",
    "edit_cue",
    "edited",
    "import_motion",
    "metrics",
    "named_controller",
    "named_motion",
    "parse_edit",
    "parse_push",
    "parse_steer",
    "parse_terrain",
    "perform",
    "prepare",
    "shipped_repertoire",
    "steer_cue",
    "with_physics",
]

__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
