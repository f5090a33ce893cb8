"""Who performs what: a body and a reference from what a user typed."""

from __future__ import annotations

from pathlib import Path

from poise.body import Body
from poise.errors import PoiseError
from poise.reference.archive import is_prepared, load_prepared
from poise.reference.bodyclip import BodyClip
from poise.reference.motions import named_motion
from poise.reference.played import Played
from poise.reference.reference import Reference

DEFAULT_BODY = "human37"
"""Who performs the motions that come with Poise, unless told otherwise."""
OWN = "own"
"""The body that is built for a motion file's own skeleton."""
MOTION_FILES = (".bvh", ".amc", ".npz")


def cast(motion: str, body: str | None = None) -> tuple[Body, Reference]:
    """The performer and what it performs.

    `motion` is a motion that comes with Poise, a motion file, or a prepared motion; `body` is a body that comes with
    Poise, a MJCF file, a motion file whose skeleton it is built for, or "own", the default for motion files.
    """
    if Path(motion).suffix.lower() in MOTION_FILES:
        clip = load_motion(Path(motion), body)
        return clip.body, Played(clip)
    performer = load_body(body or DEFAULT_BODY)
    return performer, named_motion(motion, performer)


def load_body(text: str, mass: float | None = None) -> Body:
    """A body by name, from MJCF, or built for the skeleton of a motion file."""
    suffix = Path(text).suffix.lower()
    if suffix == ".xml":
        return Body.from_mjcf(Path(text))
    if suffix in MOTION_FILES:
        from poise.motion.repair import import_motion

        clip = import_motion(Path(text)).clip
        return Body.from_skeleton(clip.skeleton, mass=mass, rate=clip.rate, name=clip.name)
    return Body.named(text)


def load_motion(path: Path, body: str | None = None) -> BodyClip:
    """A motion file on a body: as it was prepared, or prepared now."""
    if is_prepared(path):
        clip = load_prepared(path)
        if body not in (None, OWN, clip.body.name):
            raise PoiseError(f"{path.name} was prepared for body '{clip.body.name}': prepare the motion for '{body}'")
        return clip
    from poise.reference.preparing import prepare

    return prepare(path, None if body in (None, OWN) else load_body(str(body))).clip
