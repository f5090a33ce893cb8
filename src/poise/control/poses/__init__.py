"""Pose-controlled motion from scratch [Fattal2006]: springs with nonlinear damping pull every joint along its keys."""

from poise.control.poses.poses import Poses, PosesSettings

__all__ = ["Poses", "PosesSettings"]
