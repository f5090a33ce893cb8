"""Studies of contact-aware nonlinear control [Muico2009]."""
