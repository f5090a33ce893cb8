"""A performance that goes back to a mark goes on as it did, to the last bit; or otherwise, if it is pushed."""

import numpy as np
import pytest

from poise import Body, PoiseError, Scene, World, WorldSettings, named_controller, named_motion
from poise.performance import Run

CASES = [
    ("hold", "stand", "human37", 1 / 120),
    ("pendulum", "walk", "human58", 0.02),
    ("nqr", "walk", "biped29", 1 / 120),
]


def run_of(controller, motion, body, step):
    performer = Body.named(body)
    world = World(Scene.of(performer), WorldSettings(step=step))
    return Run(world, named_controller(controller), named_motion(motion, performer))


def steps(run, count):
    for _ in range(count):
        run.step()


@pytest.mark.parametrize(("controller", "motion", "body", "step"), CASES)
def test_what_follows_a_mark_is_the_same_to_the_last_bit(controller, motion, body, step):
    run = run_of(controller, motion, body, step)
    steps(run, 40)
    run.push(np.array([0.0, 60.0, 0.0]), 0.3)
    steps(run, 5)
    mark = run.mark()
    steps(run, 60)
    first = run.so_far().recording
    run.go_back(mark)
    steps(run, 60)
    again = run.so_far().recording
    for name in ("time", "qpos", "qvel", "torque", "external", "contact_force", "contact_step", "reference_qpos"):
        assert np.array_equal(getattr(first, name), getattr(again, name)), name
    run.go_back(mark)
    run.push(np.array([300.0, 0.0, 0.0]), 0.1)
    steps(run, 60)
    other = run.so_far().recording
    assert not np.array_equal(first.qpos[-1], other.qpos[-1])
    assert np.array_equal(first.qpos[:46], other.qpos[:46])
    assert [event["kind"] for event in other.meta["events"]] == ["push", "push"]


def test_marks_share_what_never_changes():
    run = run_of("nqr", "walk", "biped29", 1 / 120)
    mark = run.mark()
    assert mark.controller is not run.controller
    assert mark.controller.segment is run.controller.segment


def test_a_push_without_force_is_refused():
    run = run_of("hold", "stand", "human37", 1 / 120)
    with pytest.raises(PoiseError, match="0"):
        run.push(np.zeros(3), 0.1)
