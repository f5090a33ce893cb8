"""Poses that insist: they go on in time ahead of a body that turns too slowly, and try again where it is stuck.

[Zordan2014] section VIII-A plays a roll's poses either by phase or by time. By phase alone a body that is stuck keeps
still; by time alone poses run away from it. Here the phase leads, and time goes on a little way from there.
"""

from __future__ import annotations

STUCK = 0.03
"""Turns: a body that gets no further in a while is stuck."""
LONGEST = 3
"""Swings: after a try that takes so long a one, it begins with a short one again."""


class Insistence:
    """How far poses are ahead of the phase, or behind it, in turns."""

    def __init__(self, lead: float, swing: float, again: float, phase: float) -> None:
        """At most `lead` turns ahead; after `again` s without getting on from `phase` back by `swing`, and on again.

        Each try in a row takes a longer swing than the one before, by as much: the same one would end where that did.
        """
        self._lead, self._swing, self._again = lead, swing, again
        self._best = self._reached = phase  # turns, ever and since the last try
        self._waited, self._swings = 0.0, 1  # s since it got on, and how long a swing the next try takes
        self.ahead = 0.0  # turns

    def watch(self, phase: float, share: float, step: float) -> None:
        """After a step (s) in which the body turned by a share of what is wanted, to a phase (turns)."""
        back = self._swings * self._swing
        moved = self.ahead + (1.0 - share) * (self._lead + back) / self._again * step
        self.ahead = min(max(moved, min(self.ahead, 0.0)), self._lead)
        self._waited += step
        if phase > self._reached + STUCK:
            self._reached, self._waited = phase, 0.0
        if phase > self._best + STUCK:
            self._best, self._swings = phase, 1
        if self._waited > self._again:
            self.ahead, self._reached, self._waited = -back, phase, 0.0
            self._swings = self._swings % LONGEST + 1
