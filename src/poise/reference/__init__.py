"""What is tracked: references, and the motions that come with Poise."""

from poise.reference.motions import MOTIONS, named_motion
from poise.reference.reference import Reference, Still, Target

__all__ = ["MOTIONS", "Reference", "Still", "Target", "named_motion"]
