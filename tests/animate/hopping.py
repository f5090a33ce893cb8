"""A small script with goals, for tests."""

HOP = """# A hop.
title = "A hop"
body = "lamp14"
seconds = 1.2
settings = { stabilise = 0 }

[[pose]] # anticipation
time = 0.25
name = "crouch"
angles = { base_joint_y = -53, elbow_y = 122, neck_y = -55 }

[[pose]]
time = 0.35
name = "hold" # wait for it
angles = { base_joint_y = -53, elbow_y = 122, neck_y = -55 }

[[pose]]
time = 0.43
name = "stretch"
angles = { base_joint_y = -10, elbow_y = 15, neck_y = 9 }

[[pose]]
time = 0.60
name = "tuck"
angles = { base_joint_y = -55, elbow_y = 100, neck_y = -35 }

[[goal]] # where to
name = "hop"
free = ["hold.base_joint_y", "stretch.base_joint_y", "stretch.elbow_y", "stretch.neck_y"]
want = [
    { what = "flight.height", is = 0.26, within = 0.005 },
    { what = "flight.x", is = 0.23, within = 0.01 }, # a hand's breadth
]
"""
