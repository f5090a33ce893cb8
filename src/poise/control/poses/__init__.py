"""Pose-controlled motion [Fattal2006]: nonlinear PD feedback drives every joint through control poses."""

from poise.control.entry import ControllerEntry, StudioWords

ENTRY = ControllerEntry(
    name="poses",
    home="poise.control.poses.poses:Poses",
    what="springs towards poses, the trunk held up by declared torques; for scripts [Fattal2006]",
    performs="scripts",
    studio=StudioWords("poses · key poses", "performs scripts"),
)
