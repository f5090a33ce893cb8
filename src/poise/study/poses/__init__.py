"""Studies of the pose controller."""
