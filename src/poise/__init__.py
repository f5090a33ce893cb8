"""Poise: articulated characters that perform motions under exact physics.

    import poise
    run = poise.stage("walk", controller="pendulum", terrain="stairs:0.1:0.3:8")
    run.step()

Names are loaded when they are first used, so that importing poise costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from poise.errors import PoiseError
from poise.version import __version__

if TYPE_CHECKING:
    from poise.body.body import Body
    from poise.control.catalogue import named_controller
    from poise.control.commands import parse_steer
    from poise.control.entry import ControllerEntry
    from poise.dynamics.actuation import Actuation, Motors
    from poise.dynamics.state import Contacts, State
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
    from poise.performance.run import Bones, Performance, Run, perform
    from poise.performance.stage import stage
    from poise.physics.certificate import certify
    from poise.physics.consistent import Variation, with_physics
    from poise.reference.archive import load_prepared, load_reference, save_prepared
    from poise.reference.body_clip import BodyClip
    from poise.reference.dynamic import Dynamic
    from poise.reference.played import Played
    from poise.reference.reference import Still
    from poise.retarget.contact_detection import find_contacts
    from poise.retarget.foot_cleanup import clean_feet
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
    "Bones": "poise.performance.run",
    "Clip": "poise.motion.clip",
    "Contacts": "poise.dynamics.state",
    "ControllerEntry": "poise.control.entry",
    "Cue": "poise.performance.cues",
    "Dynamic": "poise.reference.dynamic",
    "ImportSettings": "poise.motion.repair.settings",
    "Live": "poise.edit.live",
    "Motors": "poise.dynamics.actuation",
    "Performance": "poise.performance.run",
    "Played": "poise.reference.played",
    "Push": "poise.world.pushes",
    "Recording": "poise.world.recording",
    "Roaming": "poise.library.repertoire",
    "Run": "poise.performance.run",
    "Scene": "poise.world.scene",
    "Skeleton": "poise.motion.skeleton",
    "State": "poise.dynamics.state",
    "Still": "poise.reference.reference",
    "Variation": "poise.physics.consistent",
    "World": "poise.world.world",
    "WorldSettings": "poise.world.settings",
    "audit": "poise.measure.audit",
    "certify": "poise.physics.certificate",
    "clean_feet": "poise.retarget.foot_cleanup",
    "edit_cue": "poise.performance.cues",
    "edited": "poise.edit.take",
    "find_contacts": "poise.retarget.contact_detection",
    "import_motion": "poise.motion.repair.importer",
    "load_prepared": "poise.reference.archive",
    "load_reference": "poise.reference.archive",
    "metrics": "poise.measure.metrics",
    "named_controller": "poise.control.catalogue",
    "named_motion": "poise.library.motions",
    "parse_edit": "poise.edit.parse",
    "parse_push": "poise.world.pushes",
    "parse_steer": "poise.control.commands",
    "parse_terrain": "poise.world.terrain_kinds",
    "perform": "poise.performance.run",
    "prepare": "poise.retarget.prepare",
    "save_prepared": "poise.reference.archive",
    "shipped_repertoire": "poise.library.repertoire",
    "stage": "poise.performance.stage",
    "steer_cue": "poise.performance.cues",
    "with_physics": "poise.physics.consistent",
}

# fmt: off
__all__ = [
    "Actuation", "Body", "BodyClip", "Bones", "Clip", "Contacts", "ControllerEntry", "Cue", "Dynamic",
    "ImportSettings", "Live", "Motors", "Performance", "Played", "PoiseError", "Push", "Recording", "Roaming",
    "Run", "Scene", "Skeleton", "State", "Still", "Variation", "World", "WorldSettings", "__version__", "audit",
    "certify", "clean_feet", "edit_cue", "edited", "find_contacts", "import_motion", "load_prepared",
    "load_reference", "metrics", "named_controller", "named_motion", "parse_edit", "parse_push", "parse_steer",
    "parse_terrain", "perform", "prepare", "save_prepared", "shipped_repertoire", "stage", "steer_cue",
    "with_physics",
]
# fmt: on


def __getattr__(name: str) -> Any:
    """A public name, loaded from its home when it is first used (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'poise' has no attribute '{name}'")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
