"""Walking by an inverted pendulum model [Tsai2010].

Values marked "adult" hold for a leg of `legs.ADULT` metres. For other legs, lengths are multiplied by `Legs.scale`, and
times and speeds by `Legs.time_scale`. Values "in leg lengths" are multiplied by the length of the leg.
"""

from poise.control.entry import ControllerEntry, StudioWords

ENTRY = ControllerEntry(
    name="pendulum",
    home="poise.control.pendulum.pendulum:Pendulum",
    what="walks by an inverted pendulum: any clip's style, any speed and heading [Tsai2010]",
    body="human58",
    step=0.02,
    frame_step=1 / 60,
    steered="freely",
    speeds=(-0.6, 1.8),
    walks=True,
    check_body="poise.control.pendulum.legs:walker_legs",
    catches=True,
    bends_ground="all",
    moves=(("walk", "walk"),),
    studio=StudioWords(
        brief="walks where you steer it, steps when pushed",
        paces=(("Stand", 0.0), ("Back", -0.4), ("Walk", 1.2), ("Fast", 1.7)),
        not_live=("slope", "turn"),
        live_note="Takes effect with the next step.",
    ),
)
