"""Gravity as a clock: what a motion shows about the rate it was captured at."""
