"""What is tracked: motions on bodies, how files become them, and the motions that come with Poise."""

from typing import TYPE_CHECKING

from poise.lazy import lazy_names

if TYPE_CHECKING:
    from poise.reference.archive import load_prepared, load_reference, save_prepared
    from poise.reference.bodyclip import BodyClip
    from poise.reference.certificate import certify
    from poise.reference.contacts import find_contacts
    from poise.reference.dynamic import Dynamic
    from poise.reference.feet import clean_feet
    from poise.reference.motions import motion_names, named_motion
    from poise.reference.physics import with_physics
    from poise.reference.played import Played
    from poise.reference.preparing import Prepared, prepare
    from poise.reference.reference import Reference, Still, Target
    from poise.reference.varying import Variation

_HOMES = {
    "BodyClip": "poise.reference.bodyclip",
    "Dynamic": "poise.reference.dynamic",
    "Played": "poise.reference.played",
    "Prepared": "poise.reference.preparing",
    "Reference": "poise.reference.reference",
    "Still": "poise.reference.reference",
    "Target": "poise.reference.reference",
    "Variation": "poise.reference.varying",
    "certify": "poise.reference.certificate",
    "clean_feet": "poise.reference.feet",
    "find_contacts": "poise.reference.contacts",
    "load_prepared": "poise.reference.archive",
    "load_reference": "poise.reference.archive",
    "motion_names": "poise.reference.motions",
    "named_motion": "poise.reference.motions",
    "prepare": "poise.reference.preparing",
    "save_prepared": "poise.reference.archive",
    "with_physics": "poise.reference.physics",
}

__all__ = [
    "BodyClip",
    "Dynamic",
    "Played",
    "Prepared",
    "Reference",
    "Still",
    "Target",
    "Variation",
    "certify",
    "clean_feet",
    "find_contacts",
    "load_prepared",
    "load_reference",
    "motion_names",
    "named_motion",
    "prepare",
    "save_prepared",
    "with_physics",
]

# The command line reads `poise.reference.edit.forms` for its help and must not load the rest for it.
__getattr__ = lazy_names(__name__, _HOMES)
