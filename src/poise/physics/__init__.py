"""Trajectory optimisation: motions that obey physics, found by sparse least squares with constraints."""
