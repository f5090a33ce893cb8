"""A prepared motion made to obey physics, and what to tell people about it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from poise.optimize.interior import Progress, unwatched
from poise.reference.bodyclip import BodyClip
from poise.reference.certificate import Certificate, Likeness, certify, likeness
from poise.reference.dynamic import Dynamic
from poise.reference.optimising import DynamicSettings, Optimised, optimise
from poise.reference.supports import Sketch, supports_of
from poise.reference.varying import Variation, varied


@dataclass(frozen=True, eq=False)
class Physics:
    """A motion that obeys physics, with its certificate."""

    dynamic: Dynamic
    certificate: Certificate
    likeness: Likeness
    iterations: int
    solve_s: float

    @classmethod
    def timed(cls, search: Callable[[], Optimised]) -> Physics:
        """What a search finds, and how long it takes."""
        began = time.perf_counter()
        found = search()
        spent = time.perf_counter() - began
        like = likeness(found.dynamic, found.wished)
        return cls(found.dynamic, certify(found.dynamic), like, found.iterations, spent)

    def brief(self) -> str:
        """In a line."""
        sure, like = self.certificate, self.likeness
        return (
            f"{self.solve_s:.1f} s, equations {sure.equations:.0e} body weights, slip {sure.slip_mm:.1g} mm, "
            f"root {100 * like.root_rms_m:.1f} cm and joints {like.joint_rms_deg:.1f} degrees from the source"
        )

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        found = {"iterations": self.iterations, "solve_s": self.solve_s}
        return {**found, **self.certificate.as_dict(), **self.likeness.as_dict()}

    def lines(self) -> list[str]:
        """For people."""
        sure, like = self.certificate, self.likeness
        return [
            f"physics: {self.iterations} iterations in {self.solve_s:.1f} s; equations of motion within "
            f"{sure.equations:.1e} body weights, contacts slip {sure.slip_mm:.4f} mm and sink "
            f"{sure.penetration_mm:.4f} mm",
            f"forces outside friction cones {sure.cone:.2g} N, torques beyond limits {sure.torque_excess:.2g} N m, "
            f"joints beyond limits {sure.joint_excess_deg:.2g} degrees",
            f"likeness: root {100 * like.root_rms_m:.1f} cm, joints {like.joint_rms_deg:.1f} degrees off, "
            f"{like.worst_joint.replace('_', ' ')} most with {like.worst_joint_rms_deg:.1f}; peak force "
            f"{sure.peak_force:.1f} body weights, peak torque {100 * sure.peak_torque_ratio:.0f} % of its limit",
        ]


def with_physics(
    clip: BodyClip,
    variation: Variation | None = None,
    watch: Callable[[Progress], None] = unwatched,
    settings: DynamicSettings | None = None,
) -> Physics:
    """A clip, varied if asked for, as torques and contacts can bring it about."""
    chosen, change = settings or DynamicSettings(), variation or Variation()
    if change.lift is not None:
        chosen = replace(chosen, lift=change.lift)
    sketch = varied(Sketch(clip, supports_of(clip)), change)
    return Physics.timed(lambda: optimise(sketch, chosen, watch=watch))
