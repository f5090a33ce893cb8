"""Behaviours: motions told by a few poses and by what a controller aims for, in a small file that can be tuned."""

from poise.reference.behaviours.behaviour import Behaviour, Freedom
from poise.reference.behaviours.reading import behaviour_names, read_behaviour
from poise.reference.behaviours.staged import Staged

__all__ = ["Behaviour", "Freedom", "Staged", "behaviour_names", "read_behaviour"]
