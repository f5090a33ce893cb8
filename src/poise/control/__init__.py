"""Controllers: one room per paper, and two plain ones to begin with."""

from poise.control.catalogue import CONTROLLERS, named_controller
from poise.control.controller import Controller, Stage

__all__ = ["CONTROLLERS", "Controller", "Stage", "named_controller"]
