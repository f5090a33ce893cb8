"""All kinds of bodies by name, to be checked alike: those that come with Poise, and those built for skeletons."""

from functools import cache

import skeletons
from poise.body.assemble import body_names
from poise.body.body import Body

BUILT = {**skeletons.PEOPLE, **skeletons.CREATURES}
NAMES = (*body_names(), *BUILT)


@cache
def body_of(name):
    """A bundled body, or one for the skeleton of that name."""
    return Body.from_skeleton(BUILT[name](), name=name) if name in BUILT else Body.named(name)
