"""Load bodies by name or from a file, or build them for the skeleton of a motion file."""

from poise.body.body import Body
from poise.errors import PoiseError
from poise.motion.captures import motion_file
from poise.motion.repair.importer import import_motion

OWN = "own"  # Name of the body that is built for the skeleton of a motion file
_SKELETONS = (".bvh", ".amc", ".npz")


def load_shipped_or_own_body(text: str | Body, mass: float | None = None) -> Body:
    """Load a body by name or from an MJCF file, or build a body of `mass` (kg) for the skeleton of a motion file."""
    if isinstance(text, Body):
        return text
    path = motion_file(text)
    suffix = path.suffix.lower()
    if suffix in _SKELETONS:
        clip = import_motion(path).clip
        return Body.from_skeleton(clip.skeleton, mass=mass, rate=clip.rate, name=clip.name)
    if mass is not None:
        raise PoiseError(f"body '{text}' has a fixed mass: a mass can be given only to a body built for a skeleton")
    if text == OWN:
        raise PoiseError(f"body '{OWN}' is built for the skeleton of a motion file, and this motion has no skeleton")
    return Body.from_mjcf(path) if suffix == ".xml" else Body.named(text)
