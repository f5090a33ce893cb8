"""Motion as animators keep it: skeletons, clips, the files they come in."""

from poise.motion.clip import Clip, clip_from
from poise.motion.skeleton import Convention, End, Skeleton

__all__ = ["Clip", "Convention", "End", "Skeleton", "clip_from"]
