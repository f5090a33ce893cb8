"""Who is pushed notices it late [Jain2011] section 6: until then it plans from where it believes to be."""

from __future__ import annotations

from typing import NamedTuple

from poise.frozen import Array


class Errors(NamedTuple):
    """How far the body is from the reference."""

    rigid: Array  # (12,) places and turns of the rigid modes, then their rates
    joints: Array  # (n,) rad
    speeds: Array  # (n,) rad/s


class Reaction:
    """Errors as they are believed: the present ones, or for a while after a push those that there were before it.

    In the paper's own form a pushed body believes itself in the reference's very state: without any error. That is a
    push by itself for one that is not, and a share of 0 is it.
    """

    def __init__(self, latency: float, share: float) -> None:
        """`latency` in s, `share` of the errors before the push that is believed in."""
        self._latency, self._share = latency, share
        self._noticed: list[float] = []  # s at which pushes will be
        self._kept: Errors | None = None

    def startle(self, time: float) -> None:
        """A push begins to act."""
        if self._latency:
            self._noticed.append(time + self._latency)

    def dazed(self, time: float) -> bool:
        """Whether a push has begun that is not noticed yet at a time, s."""
        return any(time < noticed - 1e-9 for noticed in self._noticed)

    def believed(self, time: float, errors: Errors) -> Errors:
        """Of the errors that there are at a time, s; when a push is noticed, those of that time."""
        coming = [noticed for noticed in self._noticed if time < noticed - 1e-9]
        if len(coming) < len(self._noticed):
            self._kept = None
        self._noticed = coming
        if not coming:
            return errors
        if self._kept is None:
            self._kept = Errors(*(self._share * error for error in errors))
        return self._kept
