"""Ground and aerial rotation: rolls and flips [Zordan2014]."""

from poise.control.entry import ControllerEntry, StudioWords

ENTRY = ControllerEntry(
    name="rotation",
    home="poise.control.rotation.rotation:Rotation",
    what="rolls and flips by whole-body momentum and excursion; for behaviours [Zordan2014]",
    body="human43",
    performs="behaviours",
    steered="freely",
    moves=(("roll", "roll-and-stand"), ("dive", "dive-roll"), ("flip", "back-flip")),
    studio=StudioWords("rotation · momentum", "rolls, dives and flips", speeds=(0.5, 2.5)),
)
