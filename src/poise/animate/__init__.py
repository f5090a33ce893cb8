"""Motion from scratch [Fattal2006]: scripts of control poses are solved to meet their goals, and performed."""
