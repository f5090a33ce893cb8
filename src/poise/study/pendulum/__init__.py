"""Studies of walking by an inverted pendulum [Tsai2010]."""
