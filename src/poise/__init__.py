"""Poise: articulated characters that perform motions under exact physics.

    import poise
    run = poise.stage("walk", controller="pendulum", terrain="stairs:0.1:0.3:8")
    run.step()

Names are loaded when they are first used, so that importing poise costs nothing.
"""

from importlib import import_module

from poise.errors import PoiseError
from poise.version import __version__

TYPE_CHECKING = False  # checkers of types read True; the module `typing` is slow to import
if TYPE_CHECKING:
    from typing import Any

    from poise.body.body import Body as Body
    from poise.control.catalogue import named_controller as named_controller
    from poise.control.commands import parse_steer as parse_steer
    from poise.control.entry import ControllerEntry as ControllerEntry
    from poise.dynamics.actuation import Actuation as Actuation, Motors as Motors
    from poise.dynamics.state import Contacts as Contacts, State as State
    from poise.edit.parse import parse_edit as parse_edit
    from poise.edit.take import Live as Live, edited as edited
    from poise.library.motions import named_motion as named_motion
    from poise.library.repertoire import Roaming as Roaming, shipped_repertoire as shipped_repertoire
    from poise.measure.audit import audit as audit
    from poise.measure.metrics import metrics as metrics
    from poise.motion.clip import Clip as Clip
    from poise.motion.repair.finding import ImportSettings as ImportSettings
    from poise.motion.repair.importer import import_motion as import_motion
    from poise.motion.skeleton import Skeleton as Skeleton
    from poise.performance.cues import Cue as Cue, edit_cue as edit_cue, steer_cue as steer_cue
    from poise.performance.performance import Bones as Bones, Performance as Performance
    from poise.performance.request import stage as stage
    from poise.performance.run import Run as Run
    from poise.performance.stage import perform as perform
    from poise.physics.certificate import certify as certify
    from poise.physics.dynamic_motion import Variation as Variation, with_physics as with_physics
    from poise.reference.archive import (
        load_prepared as load_prepared,
        load_reference as load_reference,
        save_prepared as save_prepared,
    )
    from poise.reference.body_clip import BodyClip as BodyClip
    from poise.reference.dynamic import Dynamic as Dynamic
    from poise.reference.played import Played as Played
    from poise.reference.reference import Still as Still
    from poise.retarget.contact_detection import find_contacts as find_contacts
    from poise.retarget.foot_cleanup import clean_feet as clean_feet
    from poise.retarget.prepare import prepare as prepare
    from poise.world.pushes import Push as Push, parse_push as parse_push
    from poise.world.recording import Recording as Recording
    from poise.world.scene import Scene as Scene
    from poise.world.settings import WorldSettings as WorldSettings
    from poise.world.terrain_kinds import parse_terrain as parse_terrain
    from poise.world.world import World as World

_NAMES = {
    "poise.body.body": "Body",
    "poise.control.catalogue": "named_controller",
    "poise.control.commands": "parse_steer",
    "poise.control.entry": "ControllerEntry",
    "poise.dynamics.actuation": "Actuation Motors",
    "poise.dynamics.state": "Contacts State",
    "poise.edit.parse": "parse_edit",
    "poise.edit.take": "Live edited",
    "poise.library.motions": "named_motion",
    "poise.library.repertoire": "Roaming shipped_repertoire",
    "poise.measure.audit": "audit",
    "poise.measure.metrics": "metrics",
    "poise.motion.clip": "Clip",
    "poise.motion.repair.importer": "import_motion",
    "poise.motion.repair.finding": "ImportSettings",
    "poise.motion.skeleton": "Skeleton",
    "poise.performance.cues": "Cue edit_cue steer_cue",
    "poise.performance.performance": "Bones Performance",
    "poise.performance.request": "stage",
    "poise.performance.run": "Run",
    "poise.performance.stage": "perform",
    "poise.physics.certificate": "certify",
    "poise.physics.dynamic_motion": "Variation with_physics",
    "poise.reference.archive": "load_prepared load_reference save_prepared",
    "poise.reference.body_clip": "BodyClip",
    "poise.reference.dynamic": "Dynamic",
    "poise.reference.played": "Played",
    "poise.reference.reference": "Still",
    "poise.retarget.contact_detection": "find_contacts",
    "poise.retarget.foot_cleanup": "clean_feet",
    "poise.retarget.prepare": "prepare",
    "poise.world.pushes": "Push parse_push",
    "poise.world.recording": "Recording",
    "poise.world.scene": "Scene",
    "poise.world.settings": "WorldSettings",
    "poise.world.terrain_kinds": "parse_terrain",
    "poise.world.world": "World",
}
"""Public names by the module that defines them."""
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = ["PoiseError", "__version__", *_HOMES]


def __getattr__(name: str) -> "Any":
    """Load a public name from the module that defines it when the name is first used (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'poise' has no attribute '{name}'")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
