"""A clip on a body: inverse kinematics, contact detection, feet."""
