"""Pose-controlled motion from scratch [Fattal2006]: springs with nonlinear damping pull every joint along its keys."""
