"""Modal-space control [Jain2011]: long-horizon plans for rigid body and low-frequency modes, made at every step."""

from poise.control.entry import ControllerEntry, StudioWords

ENTRY = ControllerEntry(
    name="modal",
    home="poise.control.modal.modal:Modal",
    what="plans contact forces and slow modes a window ahead, at every step anew [Jain2011]",
    body="human42",
    needs_physics=True,
    tracks_edits=True,
    resumes=True,
    falls_in={
        "": ("run", "walk-to-run", "run-to-walk", "backflip", "start", "stop")
        + ("walk-to-fast", "fast-to-walk", "walk-to-slow", "slow-to-walk"),
        "biped29": ("sneak", "roll", "log-roll"),
    },
    moves=(("jump", "jump"), ("leap", "broad-jump"), ("squat", "squat"), ("swing", "swing")),
    studio=StudioWords(
        brief="jumps, squats and swings with a short plan ahead",
        not_live=("slope", "turn"),
        live_note="An edit takes effect when it enters the tenth of a second that is planned ahead.",
    ),
)
