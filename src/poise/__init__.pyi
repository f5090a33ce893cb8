"""The public names of Poise and the modules that define them. `__init__.py` reads this list, and loads what is used."""

from poise.body.body import Body as Body
from poise.control.catalogue import named_controller as named_controller
from poise.control.commands import parse_steer as parse_steer
from poise.control.entry import ControllerEntry as ControllerEntry
from poise.dynamics.actuation import Actuation as Actuation, Motors as Motors
from poise.dynamics.state import Contacts as Contacts, State as State
from poise.edit.parse import parse_edit as parse_edit
from poise.edit.take import Live as Live, edited as edited
from poise.errors import PoiseError as PoiseError
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
from poise.version import __version__ as __version__
from poise.world.pushes import Push as Push, parse_push as parse_push
from poise.world.recording import Recording as Recording
from poise.world.scene import Scene as Scene
from poise.world.settings import WorldSettings as WorldSettings
from poise.world.terrain_kinds import parse_terrain as parse_terrain
from poise.world.world import World as World
