"""Motion from scratch: scripts of control poses, solved for what they are to achieve, and performed [Fattal2006]."""

from poise.animation.animating import Animation, animate, animate_to
from poise.animation.reading import read_script, shipped_scripts, shipped_titles
from poise.animation.script import Script
from poise.animation.solving import Solution, solve

__all__ = [
    "Animation",
    "Script",
    "Solution",
    "animate",
    "animate_to",
    "read_script",
    "shipped_scripts",
    "shipped_titles",
    "solve",
]
