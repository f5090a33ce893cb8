"""Edits: the animator's levers on a motion, from clip to clip and while it is performed."""

from typing import TYPE_CHECKING

from poise.lazy import lazy_names

if TYPE_CHECKING:
    from poise.reference.edit.blend import Blend
    from poise.reference.edit.carry import Carry
    from poise.reference.edit.cycle import Loop, extract_cycle
    from poise.reference.edit.ground import Heights, Slope, Stairs
    from poise.reference.edit.live import Live
    from poise.reference.edit.mirror import Mirror
    from poise.reference.edit.parse import parse_edit
    from poise.reference.edit.pose import Offset, Trunk
    from poise.reference.edit.reach import Goal, Reach
    from poise.reference.edit.span import Span
    from poise.reference.edit.take import Edit, Take, edited, take_of
    from poise.reference.edit.travel import Path, Stride, Turn
    from poise.reference.edit.warp import Warp

_HOMES = {
    "Blend": "poise.reference.edit.blend",
    "Carry": "poise.reference.edit.carry",
    "Edit": "poise.reference.edit.take",
    "Goal": "poise.reference.edit.reach",
    "Heights": "poise.reference.edit.ground",
    "Live": "poise.reference.edit.live",
    "Loop": "poise.reference.edit.cycle",
    "Mirror": "poise.reference.edit.mirror",
    "Offset": "poise.reference.edit.pose",
    "Path": "poise.reference.edit.travel",
    "Reach": "poise.reference.edit.reach",
    "Slope": "poise.reference.edit.ground",
    "Span": "poise.reference.edit.span",
    "Stairs": "poise.reference.edit.ground",
    "Stride": "poise.reference.edit.travel",
    "Take": "poise.reference.edit.take",
    "Trunk": "poise.reference.edit.pose",
    "Turn": "poise.reference.edit.travel",
    "Warp": "poise.reference.edit.warp",
    "edited": "poise.reference.edit.take",
    "extract_cycle": "poise.reference.edit.cycle",
    "parse_edit": "poise.reference.edit.parse",
    "take_of": "poise.reference.edit.take",
}

__all__ = [
    "Blend",
    "Carry",
    "Edit",
    "Goal",
    "Heights",
    "Live",
    "Loop",
    "Mirror",
    "Offset",
    "Path",
    "Reach",
    "Slope",
    "Span",
    "Stairs",
    "Stride",
    "Take",
    "Trunk",
    "Turn",
    "Warp",
    "edited",
    "extract_cycle",
    "parse_edit",
    "take_of",
]

# The command line reads `poise.reference.edit.forms` for its help and must not load the rest for it.
__getattr__ = lazy_names(__name__, _HOMES)
