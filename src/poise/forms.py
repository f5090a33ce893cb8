"""The syntax of pushes, terrains, edits and variations, as --help shows it; imports nothing, so that --help is fast."""

PUSH_FORM = "FORCE[@TIME][,duration=S][,dir=DEG|x:y:z][,body=NAME]"

TERRAIN_FORMS = {
    "flat": ("flat", "without numbers"),
    "slope": ("slope:DEG", "with |DEG| < 80"),
    "stairs": ("stairs:RISE:RUN:COUNT", "with RISE other than 0, RUN > 0 and COUNT from 1 to 200"),
    "rough": ("rough:AMPLITUDE[:SEED]", "with AMPLITUDE > 0 and a whole SEED >= 0"),
    "drop": ("drop:HEIGHT[:EVERY]", "with HEIGHT other than 0 and EVERY > 0"),
    "hurdle": ("hurdle:HEIGHT[:EVERY]", "with HEIGHT > 0 and EVERY > 0.1"),
    "spiral": (
        "spiral:HEIGHT:DEGREES:RADIUS:COUNT",
        "with HEIGHT > 0, 0 < DEGREES <= 60, RADIUS > 0 and COUNT from 1 to 300 / DEGREES",
    ),
}
"""For each terrain: its form, and which numbers are valid, in metres and degrees."""
TERRAIN_FORM = ", ".join(form for form, _ in TERRAIN_FORMS.values())

EDIT_FORM = "NAME[:VALUE][@START[-END]][,key=value...]"

CARRY_POSES = {
    "front": "a box held in front of the body, elbows bent",
    "low": "a box held low in front, arms nearly straight",
    "overhead": "something held over the head",
    "sides": "a bag in each hand",
    "side_left": "a bag in the left hand",
    "side_right": "a bag in the right hand",
    "shoulder_left": "something on the left shoulder, the hand steadying it",
    "shoulder_right": "something on the right shoulder, the hand steadying it",
}

EDIT_FORMS = {
    "offset": (
        "offset:JOINT=DEG[:DEG:DEG][@START[-END]][,ease=S]",
        "rotates a joint on top of the motion: one angle per degree of freedom, or one that is named in place of JOINT",
    ),
    "reach": (
        "reach:PART=X:Y:Z[/PART=X:Y:Z...][@START[-END]][,to=world][,point=X:Y:Z][,ease=S]",
        "moves a hand, foot, head or link X m forward, Y m left and Z m up (or to a point in the world); feet stay",
    ),
    "trunk": ("trunk:M[@START[-END]][,ease=S]", "raises the trunk by M m, or lowers it if negative; feet stay"),
    "carry": ("carry:POSE[@START[-END]][,ease=S]", f"holds the arms in a pose: {', '.join(CARRY_POSES)}"),
    "warp": (
        "warp:FACTOR[@START[-END]][,ease=S]",
        "plays at FACTOR times the speed; START and END are times of the result",
    ),
    "stride": (
        "stride:+M|-M|xFACTOR[@START[-END]][,ease=S]",
        "makes each step M m longer or shorter, or FACTOR times as long; contacts keep their times",
    ),
    "turn": ("turn:DEG[@START[-END]]", "turns the path by DEG to the left between START and END"),
    "path": ("path:X:Y[/X:Y...][@START]", "leads the walk through points on the ground (m)"),
    "slope": (
        "slope:DEG[@START]",
        "puts the steps on a slope that rises along +x from the origin or, with START, ahead of the feet then",
    ),
    "stairs": (
        "stairs:RISE:RUN:COUNT[@START][,edge=M]",
        "puts each step on its own stair; the first edge is 0.6 m ahead of the origin, or of the position at START",
    ),
    "mirror": ("mirror[@START][,over=S]", "swaps left and right; with START, through a transition of S seconds"),
    "loop": (
        "loop[:COUNT][@START][,over=S][,straight=yes]",
        "finds one cycle and repeats it COUNT times, or for ever; with START, through a transition of S seconds; "
        "straightened, it does not go in a circle",
    ),
    "blend": (
        "blend:FILE@START[,over=S][,from=SECONDS]",
        "blends into another motion, aligned in position, heading and phase; `from` enters it at its time SECONDS",
    ),
}

VARIATION_FORMS = {"speed": "speed:FACTOR", "stride": "stride:FACTOR", "turn": "turn:DEG", "lift": "lift:M"}
VARIATION_FORM = ", ".join(VARIATION_FORMS.values())
