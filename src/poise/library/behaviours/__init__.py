"""Behaviours: a few poses and controller settings in a small file whose numbers can be tuned."""
