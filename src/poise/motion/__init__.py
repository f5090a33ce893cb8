"""Motion as animators keep it: skeletons, clips, the files they come in."""

from poise.motion.archive import load_clip, save_clip
from poise.motion.bvh import bvh_text, read_bvh, write_bvh
from poise.motion.clip import Clip, clip_from
from poise.motion.convention import converted
from poise.motion.files import RawMotion, read_motion
from poise.motion.skeleton import Convention, End, Skeleton

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
