"""Retargeting: put the motion of a skeleton on a body by inverse kinematics, find its contacts, clean its feet."""
