"""Experiments with rotation."""
