"""Motion as animators keep it: skeletons, clips, the files they come in."""

from typing import TYPE_CHECKING

from poise.lazy import lazy_names

if TYPE_CHECKING:
    from poise.motion.archive import load_clip, save_clip
    from poise.motion.bvh import bvh_text, read_bvh, write_bvh
    from poise.motion.clip import Clip, clip_from
    from poise.motion.convention import converted
    from poise.motion.files import RawMotion, read_motion
    from poise.motion.skeleton import Convention, End, Skeleton

_HOMES = {
    "Clip": "poise.motion.clip",
    "Convention": "poise.motion.skeleton",
    "End": "poise.motion.skeleton",
    "RawMotion": "poise.motion.files",
    "Skeleton": "poise.motion.skeleton",
    "bvh_text": "poise.motion.bvh",
    "clip_from": "poise.motion.clip",
    "converted": "poise.motion.convention",
    "load_clip": "poise.motion.archive",
    "read_bvh": "poise.motion.bvh",
    "read_motion": "poise.motion.files",
    "save_clip": "poise.motion.archive",
    "write_bvh": "poise.motion.bvh",
}

__all__ = [
    "Clip",
    "Convention",
    "End",
    "RawMotion",
    "Skeleton",
    "bvh_text",
    "clip_from",
    "converted",
    "load_clip",
    "read_bvh",
    "read_motion",
    "save_clip",
    "write_bvh",
]

# The command line reads `poise.motion.repair.settings` for its help and must not load the rest for it.
__getattr__ = lazy_names(__name__, _HOMES)
