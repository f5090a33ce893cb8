"""What of the method is switched on: all of it, unless someone asks what a part is good for."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from poise.errors import PoiseError


@dataclass(frozen=True)
class RotationSettings:
    """Switches: 1 for on, 0 for off."""

    momentum: int = 1
    """The objectives of linear and angular momentum [Zordan2014] section V-A."""
    blend: int = 1
    """Blending between two poses [Zordan2014] Eq. (7); else the one between them."""
    inclusion: int = 1
    """The second pass with those contacts only that bear [Zordan2014] section VI."""
    planning: int = 1
    """Plans for flights [Zordan2014] section VII; else poses in time."""
    placing: int = 1
    """Feet are placed for landings."""
    replanning: int = 1
    """Landings are planned anew at touch-down."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value not in (0, 1):
                raise PoiseError(f"rotation: {name} {value} must be 0 or 1")
