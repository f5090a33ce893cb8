"""Settings of modal-space control."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from poise.errors import PoiseError

LARGEST = 1e6  # Largest value of any setting but the window
LONGEST_WINDOW = 240  # Longest window, frames


@dataclass(frozen=True)
class ModalSettings:
    """Weights are given with their symbols in [Jain2011]; docs/modal-method.md lists the paper's values beside ours."""

    window: int = 12
    """Frames of the planning window; 0 chooses a number that fits the motion."""
    threshold: float = 100.0
    """Squared natural frequency, (rad/s)^2, below which a mode is a low-frequency mode, planned over the window."""
    place: float = 3.0
    """W1: of the position of the rigid body modes at the end of the window."""
    turn: float = 60.0
    """W1: of their orientation."""
    speed: float = 1.0
    """W2: of their velocities."""
    force: float = 0.3
    """W3: of contact forces, here of their difference from the reference's."""
    low_place: float = 5.0
    """w4: of the positions of low-frequency modes at the end of the window."""
    low_speed: float = 2.0
    """w5: of their velocities."""
    low_effort: float = 5e-3
    """W6: of their actuation."""
    adapt: float = 0.0
    """Share of unplanned contact forces that high-frequency modes compensate, Eq. (28); 1 in the paper."""
    capture: float = 0.3
    """Share of the capture point's error by which the next foothold is moved; 0 keeps the reference's footholds."""
    latency: float = 0.2
    """Time (s) from the beginning of a push until the controller reacts to it."""
    believed: float = 1.0
    """Share of the errors before a push from which the controller plans until it reacts; 0 in the paper."""
    soft: float = 0.03
    """Weight (m^2/kg) of the change of low-frequency modes that keeps planted points at rest; less is firmer."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            most = LONGEST_WINDOW if name == "window" else LARGEST
            if not 0 <= value <= most:
                raise PoiseError(f"modal: {name} {value} must be at least 0 and at most {most:g}")
        for name in ("place", "turn", "speed", "force", "low_place", "low_speed", "low_effort"):
            if getattr(self, name) == 0:
                raise PoiseError(f"modal: {name} must be more than 0")
