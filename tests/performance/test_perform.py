"""Steering by cues and by direct calls."""

import numpy as np
import pytest

from poise import Body, Scene, World, WorldSettings, named_controller, named_motion
from poise.control.commands import SteerCommand
from poise.errors import PoiseError
from poise.performance.cues import steer_cue
from poise.performance.run import Run


class Walker:
    """A steerable controller that stores its commands."""

    name = "walker"

    def __init__(self):
        self.commands = []

    def steer(self, heading=None, speed=None):
        self.commands.append(("steer", heading, speed))


class Stepper(Walker):
    """One whose steps can be adjusted too."""

    def adjust(self, lift=None, duration=None):
        self.commands.append(("adjust", lift, duration))


def test_a_cue_steers_and_adjusts_steps():
    stepper = Stepper()
    event = steer_cue(stepper, SteerCommand(1.0, 0.5, -0.2, lift=0.1)).do(None)
    assert stepper.commands == [("steer", 0.5, -0.2), ("adjust", 0.1, None)]
    assert (event["lift"], event["step"]) == (0.1, None)


def test_a_cue_without_lift_and_step_leaves_steps_unchanged():
    stepper = Stepper()
    steer_cue(stepper, SteerCommand(1.0, 0.5)).do(None)
    assert stepper.commands == [("steer", 0.5, None)]


def test_adjusting_fixed_steps_is_refused_before_the_start():
    with pytest.raises(PoiseError, match="walker cannot change its steps"):
        steer_cue(Walker(), SteerCommand(1.0, 0.5, step=0.6))


def test_direct_calls_steer_like_cues():
    """The same commands at the same times have the same result."""
    body, command = Body.named("human58"), SteerCommand(0.2, 0.6, 0.5)
    world = World(Scene.of(body), WorldSettings(step=0.02))
    poses = {}
    for way in ("cue", "hand", "never"):
        controller = named_controller("pendulum")
        cues = [steer_cue(controller, command)] if way == "cue" else []
        run = Run(world, controller, named_motion("stand", body), cues=cues)
        for step in range(40):
            if way == "hand" and step == 10:
                controller.steer(command.heading, command.speed)
            run.step()
        poses[way] = run.take().recording.qpos
    np.testing.assert_array_equal(poses["hand"], poses["cue"])
    np.testing.assert_array_equal(poses["never"][:11], poses["cue"][:11])
    assert np.abs(poses["never"][-1] - poses["cue"][-1]).max() > 1e-3
