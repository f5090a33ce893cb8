"""Objective controllers: sensors that lead joints, in place of the control poses [Fattal2006] section 7."""

from poise.control.poses.objectives.correct import Correct
from poise.control.poses.objectives.follow import Follow
from poise.control.poses.objectives.objective import Objective
from poise.control.poses.objectives.place import Place
from poise.control.poses.objectives.point import Point
from poise.control.poses.objectives.touch import Touch

__all__ = ["Correct", "Follow", "Objective", "Place", "Point", "Touch"]
