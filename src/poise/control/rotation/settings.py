"""Switches that turn parts of the rotation controller off, for ablation studies."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from poise.errors import PoiseError


@dataclass(frozen=True)
class RotationSettings:
    """Parts of the method: 1 is on, 0 is off."""

    momentum: int = 1
    """Objectives of linear and angular momentum, [Zordan2014] section V-A."""
    blend: int = 1
    """Blend tracking between two poses, [Zordan2014] Eq. (7); if off, the pose midway between them is tracked."""
    inclusion: int = 1
    """Inclusion test: a second pass with the contacts that the first one uses, [Zordan2014] section VI."""
    planning: int = 1
    """Flight plans, [Zordan2014] section VII; if off, take-off and landing follow poses in time."""
    placing: int = 1
    """Foot placement in flight, before a landing."""
    replanning: int = 1
    """A new landing plan at touch-down, from the simulated state."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value not in (0, 1):
                raise PoiseError(f"rotation: {name} {value} must be 0 or 1")
