"""Any reference made to obey physics, for controllers that need torques and forces."""

from __future__ import annotations

from poise.body import Body
from poise.errors import PoiseError
from poise.progress import Say, in_silence
from poise.reference.authoring import shipped_names
from poise.reference.behaviours import Staged
from poise.reference.edit import Take
from poise.reference.physics import with_physics
from poise.reference.played import Played
from poise.reference.reference import Reference
from poise.reference.shipping import build


def obeying(reference: Reference, body: Body, ships: bool, say: Say = in_silence) -> Reference:
    """The reference itself if it obeys physics; else the like of it that torques and contacts bring about.

    One that `ships` with Poise is built from its source, which knows more than its clip.
    """
    if reference.motions:
        return reference
    say(f"making {reference.name} obey physics")
    if isinstance(reference, Take):
        motion = with_physics(reference.cycle or reference.clip()).dynamic
    elif ships and reference.name in shipped_names():
        motion = build(reference.name, body).dynamic
    elif isinstance(reference, Played):
        motion = with_physics(reference.clip).dynamic
    elif isinstance(reference, Staged):
        raise PoiseError(f"'{reference.name}' is a behaviour, not a motion: perform it with --controller rotation")
    else:
        raise PoiseError(f"'{reference.name}' is a pose, not a motion that can obey physics")
    return Played(motion.clip, motion)
