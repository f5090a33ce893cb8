"""Pose-controlled motion from scratch [Fattal2006]: nonlinearly damped springs pull every joint along its keys."""

from poise.control.entry import ControllerEntry

ENTRY = ControllerEntry(
    name="poses",
    home="poise.control.poses.poses:Poses",
    what="springs towards poses, the trunk held up by declared torques; for scripts [Fattal2006]",
    performs="scripts",
)
