"""Ground and aerial rotation: rolls and flips [Zordan2014]."""

from poise.control.rotation.rotation import Rotation
from poise.control.rotation.settings import RotationSettings

__all__ = ["Rotation", "RotationSettings"]
