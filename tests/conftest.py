"""Machines are noisy: property tests are judged by their result, not by their time."""

from hypothesis import settings

settings.register_profile("poise", deadline=None)
settings.load_profile("poise")
