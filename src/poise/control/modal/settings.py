"""Settings of modal-space control."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from poise.errors import PoiseError

LARGEST = 1e6  # Largest value of any setting but the window
LONGEST_WINDOW = 240  # Longest window, frames


@dataclass(frozen=True)
class ModalSettings:
    """Settings of `Modal`. W1 to W6 are symbols of [Jain2011]; docs/modal-method.md lists the paper's values."""

    window: int = 12
    """Frames of the planning window; 0 chooses a number that fits the motion."""
    threshold: float = 100.0
    """Squared natural frequency, (rad/s)^2, below which a mode is a low-frequency mode, planned over the window."""
    place: float = 3.0
    """W1: weight of the position error of the rigid body modes at the end of the window."""
    turn: float = 60.0
    """W1: weight of the orientation error of the rigid body modes at the end of the window."""
    speed: float = 1.0
    """W2: weight of the velocity errors of the rigid body modes at the end of the window."""
    force: float = 0.3
    """W3: weight of contact forces, here of their difference from the reference's contact forces."""
    low_place: float = 5.0
    """w4: weight of the position errors of low-frequency modes at the end of the window."""
    low_speed: float = 2.0
    """w5: weight of the velocity errors of low-frequency modes at the end of the window."""
    low_effort: float = 5e-3
    """W6: weight of the actuation of low-frequency modes."""
    adapt: float = 0.0
    """Share of unplanned contact forces that high-frequency modes compensate, Eq. (28); 1 in the paper."""
    capture: float = 0.3
    """Share of the capture point's error by which the next foothold is moved; 0 keeps the reference's footholds."""
    latency: float = 0.2
    """Time (s) from the beginning of a push until the controller reacts to it."""
    believed: float = 1.0
    """Until the controller reacts to a push, it plans with this share of the errors before the push; 0 in the paper."""
    soft: float = 0.03
    """Weight (m^2/kg) of changing low-frequency modes to keep planted points at rest; a lower weight is firmer."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            most = LONGEST_WINDOW if name == "window" else LARGEST
            if not 0 <= value <= most:
                raise PoiseError(f"modal: {name} {value} must be at least 0 and at most {most:g}")
        for name in ("place", "turn", "speed", "force", "low_place", "low_speed", "low_effort"):
            if getattr(self, name) == 0:
                raise PoiseError(f"modal: {name} must be more than 0")
