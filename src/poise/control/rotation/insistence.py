"""Poses that insist: they go on in time ahead of a body that turns too slowly, and try again where it is stuck.

[Zordan2014] section VIII-A plays a roll's poses either by phase or by time. By phase alone a body that is stuck keeps
still; by time alone poses run away from it. Here the phase leads, and time goes on a little way from there.
"""

from __future__ import annotations

STUCK = 0.03
"""Turns: a body that gets no further in a while is stuck."""


class Insistence:
    """How far poses are ahead of the phase, or behind it, in turns."""

    def __init__(self, lead: float, swing: float, again: float, phase: float) -> None:
        """At most `lead` turns ahead; after `again` s without getting on from `phase` back by `swing`, and on again."""
        self._lead, self._swing, self._again = lead, swing, again
        self._pace = (lead + swing) / again  # turns/s of a body that does not turn at all
        self._furthest, self._waited = phase, 0.0  # turns, and s since it got there
        self.ahead = 0.0  # turns

    def watch(self, phase: float, share: float, step: float) -> None:
        """After a step (s) in which the body turned by a share of what is wanted, to a phase (turns)."""
        moved = self.ahead + (1.0 - share) * self._pace * step
        self.ahead = min(max(moved, min(self.ahead, 0.0)), self._lead)
        if phase > self._furthest + STUCK:
            self._furthest, self._waited = phase, 0.0
        self._waited += step
        if self._waited > self._again:
            self.ahead, self._furthest, self._waited = -self._swing, phase, 0.0
