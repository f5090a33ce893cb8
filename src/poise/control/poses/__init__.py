"""Pose-controlled motion [Fattal2006]: nonlinear PD feedback drives every joint along its control poses."""
