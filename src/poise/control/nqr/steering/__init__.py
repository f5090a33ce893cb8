"""Steering by a motion graph and a value function [Muico2009] section 5.5."""

from poise.control.nqr.steering.steering import LookAhead, Steering, segments_of

__all__ = ["LookAhead", "Steering", "segments_of"]
