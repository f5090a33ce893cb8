"""Walking by an inverted pendulum [Tsai2010]."""
