"""How modal-space control plans."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from poise.errors import PoiseError

LARGEST = 1e6
"""Of any setting."""
LONGEST_WINDOW = 240
"""Frames."""


@dataclass(frozen=True)
class ModalSettings:
    """Weights are told with their names in [Jain2011]; docs/modal.md has its values beside ours."""

    window: int = 12
    """Frames that are planned ahead; 0 for as many as fit the motion."""
    threshold: float = 100.0
    """Modes whose squared frequency is below this are planned ahead, (rad/s)^2."""
    place: float = 3.0
    """W1: of where the body is at the end of the window."""
    turn: float = 60.0
    """W1: of how it is turned."""
    speed: float = 1.0
    """W2: of its velocities."""
    force: float = 0.3
    """W3: of contact forces, here of their difference from the reference's."""
    low_place: float = 5.0
    """w4: of places of slow modes at the end of the window."""
    low_speed: float = 2.0
    """w5: of their speeds."""
    low_effort: float = 5e-3
    """W6: of their actuation."""
    adapt: float = 0.0
    """Share of contact forces beyond the planned ones that fast modes make up for; 1 in the paper."""
    capture: float = 0.3
    """Share of the capture point's error that the next foothold makes up for; 0 has footholds stay."""
    latency: float = 0.2
    """s after the beginning of a push before it is noticed."""
    believed: float = 1.0
    """Share of its errors before a push that it meanwhile believes in; 0 in the paper."""
    soft: float = 0.03
    """How little it counts that what bears stays where it is, against changes of slow modes, m^2/kg."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            most = LONGEST_WINDOW if name == "window" else LARGEST
            if not 0 <= value <= most:
                raise PoiseError(f"modal: {name} {value} must be at least 0 and at most {most:g}")
        for name in ("place", "turn", "speed", "force", "low_place", "low_speed", "low_effort"):
            if getattr(self, name) == 0:
                raise PoiseError(f"modal: {name} must be more than 0")
