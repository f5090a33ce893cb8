"""Retargeting: put a skeleton's motion on a body by inverse kinematics, find contacts, and fix feet to the ground."""
