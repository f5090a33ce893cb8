"""Trajectory optimisation: sparse least squares with constraints, and motions that obey physics as one such problem."""
