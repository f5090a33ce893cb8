"""Contact-aware nonlinear control [Muico2009]: a look-ahead policy (NQR), and its adaptation to contacts."""

from poise.control.entry import ControllerEntry, StudioWords

ENTRY = ControllerEntry(
    name="nqr",
    home="poise.control.nqr.nqr:Nqr",
    what="looks ahead along a motion that obeys physics, and adapts to contacts [Muico2009]",
    needs_physics=True,
    steered="by steps",
    fastest_uphill=2.3,  # commanded faster, it runs, and it falls when it runs uphill
    grips=False,
    bends_ground="gaits",
    moves=(("run", "run"),),
    studio=StudioWords(
        title="nqr · look-ahead",
        brief="keeps close to the motion, recovers from pushes",
        speeds=(0.0, 3.0),
        paces=(("Stand", 0.0), ("Slow", 0.9), ("Walk", 1.3), ("Fast", 1.7), ("Run", 3.0)),
    ),
)
