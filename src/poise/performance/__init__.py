"""Performances: a motion on a body in a scene, staged, stepped and recorded."""
