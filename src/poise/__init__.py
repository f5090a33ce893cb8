"""Poise: articulated characters that perform motions under exact physics."""
