"""Motions from source files: gaits, turns, changes of gait and timed key poses for any humanoid body."""
