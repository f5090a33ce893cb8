"""Bodies: characters as MJCF plus what MJCF does not say, generated from tables or read from a user's file."""

from poise.body.assemble import build
from poise.body.body import Body
from poise.body.catalogue import names
from poise.body.parts import Foot, Hand, Joint
from poise.body.plan import Plan

__all__ = ["Body", "Foot", "Hand", "Joint", "Plan", "build", "names"]
