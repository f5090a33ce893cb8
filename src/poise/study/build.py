"""Bodies that studies try besides those that come with Poise: of other proportions and strength, or under a load."""

from __future__ import annotations

from dataclasses import dataclass

from poise.body import Body


@dataclass(frozen=True)
class Build:
    """How a body differs from the one that it is named after; see `poise.body.scale` for what else that changes."""

    legs: float = 1.0  # times as long
    mass: float = 1.0  # times as heavy, and no stronger
    load: float = 0.0  # kg in the right hand
    limits: str | None = None  # a named set of torque limits

    @property
    def of_other_proportions(self) -> bool:
        """Whether a motion must be made for it."""
        return self.legs != 1.0 or self.mass != 1.0

    def of(self, body: Body) -> Body:
        """The body, built so."""
        if self.legs != 1.0:
            body = body.scaled(legs=self.legs)
        if self.limits is not None:
            body = body.with_torque_limits(self.limits)
        if self.mass != 1.0:
            body = body.scaled(mass=self.mass * body.mass).with_torque_limits(body.torque_limit)
        return body.loaded({body.hands[-1].link: self.load}) if self.load else body


AS_NAMED = Build()
"""Not at all."""
