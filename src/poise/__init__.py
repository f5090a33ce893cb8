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
    from poise.body.body import Body
    from poise.control.catalogue import named_controller
    from poise.control.commands import parse_steer
    from poise.dynamics.actuation import Actuation, Motors
    from poise.edit.live import Live
    from poise.edit.parse import parse_edit
    from poise.edit.take import edited
    from poise.library.motions import named_motion
    from poise.library.repertoire import Roaming, shipped_repertoire
    from poise.measure.audit import audit
    from poise.measure.metrics import metrics
    from poise.motion.clip import Clip
    from poise.motion.repair.importer import import_motion
    from poise.motion.repair.settings import ImportSettings
    from poise.motion.skeleton import Skeleton
    from poise.performance.cues import Cue, edit_cue, steer_cue
    from poise.performance.run import Performance, perform
    from poise.physics.consistent import Variation, with_physics
    from poise.reference.body_clip import BodyClip
    from poise.reference.played import Played
    from poise.retarget.prepare import prepare
    from poise.world.pushes import Push, parse_push
    from poise.world.recording import Recording
    from poise.world.scene import Scene
    from poise.world.settings import WorldSettings
    from poise.world.terrain_kinds import parse_terrain
    from poise.world.world import World

_HOMES = {
    "Actuation": "poise.dynamics.actuation",
    "Body": "poise.body.body",
    "BodyClip": "poise.reference.body_clip",
    "Clip": "poise.motion.clip",
    "Cue": "poise.performance.cues",
    "ImportSettings": "poise.motion.repair.settings",
    "Live": "poise.edit.live",
    "Motors": "poise.dynamics.actuation",
    "Performance": "poise.performance.run",
    "Played": "poise.reference.played",
    "Push": "poise.world.pushes",
    "Recording": "poise.world.recording",
    "Roaming": "poise.library.repertoire",
    "Scene": "poise.world.scene",
    "Skeleton": "poise.motion.skeleton",
    "Variation": "poise.physics.consistent",
    "World": "poise.world.world",
    "WorldSettings": "poise.world.settings",
    "audit": "poise.measure.audit",
    "edit_cue": "poise.performance.cues",
    "edited": "poise.edit.take",
    "import_motion": "poise.motion.repair.importer",
    "metrics": "poise.measure.metrics",
    "named_controller": "poise.control.catalogue",
    "named_motion": "poise.library.motions",
    "parse_edit": "poise.edit.parse",
    "parse_push": "poise.world.pushes",
    "parse_steer": "poise.control.commands",
    "parse_terrain": "poise.world.terrain_kinds",
    "perform": "poise.performance.run",
    "prepare": "poise.retarget.prepare",
    "shipped_repertoire": "poise.library.repertoire",
    "steer_cue": "poise.performance.cues",
    "with_physics": "poise.physics.consistent",
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
