"""When feet land: earlier or later than the motion has it [Muico2009] section 5.4.

A foot that ends a flight before its time takes the motion to where it lands; one that is late makes it wait. A foot
that only touches while another stands means little: captured feet often brush the ground shortly before they land.
"""

from __future__ import annotations

from poise.control.nqr.footholds import Footholds
from poise.control.nqr.track import Bools

NOTICED, EARLY, LATE = 0.02, 0.1, 0.1
"""s: how early a landing is noticed, how much of a motion is passed over for one, how long it waits for a late one."""


def steps_early(holds: Footholds, frame: int, stands: Bools, step: float) -> int:
    """How many steps of a flight are to be passed over, since a foot has landed; 0 for none."""
    if holds.down[frame].any():
        return 0
    until = step * holds.until[frame, stands]  # s
    early = until[(until >= NOTICED) & (until <= EARLY)]
    return round(float(early.max(initial=0.0)) / step)


def is_late(holds: Footholds, frame: int, stands: Bools) -> bool:
    """Whether a foot should have landed by now and has not."""
    return bool((holds.lands[frame] & ~stands).any())
