"""Behaviours: motions told by a few poses and by what a controller aims for, in a small file that can be tuned."""
