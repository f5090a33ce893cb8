"""Motions from readable source files: poses of any humanoid body, and what supports them."""
