"""Edits: the animator's levers on a motion, from clip to clip and while it is performed."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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
    "Blend": "blend",
    "Carry": "carry",
    "Edit": "take",
    "Goal": "reach",
    "Heights": "ground",
    "Live": "live",
    "Loop": "cycle",
    "Mirror": "mirror",
    "Offset": "pose",
    "Path": "travel",
    "Reach": "reach",
    "Slope": "ground",
    "Span": "span",
    "Stairs": "ground",
    "Stride": "travel",
    "Take": "take",
    "Trunk": "pose",
    "Turn": "travel",
    "Warp": "warp",
    "edited": "take",
    "extract_cycle": "cycle",
    "parse_edit": "parse",
    "take_of": "take",
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


def __getattr__(name: str) -> Any:
    # Lazy: the command line reads `poise.reference.edit.forms` for its help and must not load the simulator for it.
    if name not in _HOMES:
        raise AttributeError(f"module 'poise.reference.edit' has no attribute '{name}'")
    return getattr(import_module(f"poise.reference.edit.{_HOMES[name]}"), name)
