"""After going back to a mark a run repeats itself to the last bit, or differs if it is pushed."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import poise
from poise import Body, PoiseError, Scene, World, WorldSettings, named_controller, named_motion
from poise.control.commands import SteerCommand
from poise.control.plain import Hold
from poise.performance.cues import steer_cue
from poise.performance.run import Run
from poise.rotations import yaw_of
from poise.world.profile import GroundProfile

CASES = [
    ("hold", "stand", "human37", 1 / 120),
    ("pendulum", "walk", "human58", 0.02),
    ("nqr", "walk", "biped29", 1 / 120),
    ("modal", "walk", "human42", 1 / 120),
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
    run = run_of("pendulum", "walk", "human58", 0.02)
    mark = run.mark()
    assert mark.controller._posture._data is run.controller._posture._data
    assert mark.controller._walker.model is run.controller._walker.model


def commanded(then):
    """A walk with a cue to turn, which must still fire after `then` is applied to the run."""
    body = Body.named("human58")
    controller = named_controller("pendulum")
    world = World(Scene.of(body), WorldSettings(step=0.02))
    run = Run(world, controller, named_motion("walk", body), cues=[steer_cue(controller, SteerCommand(0.6, 1.0))])
    steps(run, 20)
    then(run)
    steps(run, 80)
    return run


def test_pending_cues_steer_the_controller_after_going_back_and_on_new_ground():
    def lay(run):
        run.lay(GroundProfile(((50.0, 0.0),), 0.0, 0.1), "steeper far away")

    def go_back(run):
        mark = run.mark()
        steps(run, 15)
        run.go_back(mark)

    plain = commanded(lambda run: None)
    turned = abs(float(yaw_of(plain.world.qpos[3:7])))
    assert turned > 0.3, "a cue that does nothing shows nothing"
    for then in (lay, go_back):
        run = commanded(then)
        assert abs(float(yaw_of(run.world.qpos[3:7]))) == pytest.approx(turned, abs=0.05), then.__name__
        assert [event for event in run.events if event["kind"] == "steer"] == plain.events
    assert (run.world.qpos == plain.world.qpos).all()


def test_new_ground_is_recorded():
    run = run_of("hold", "stand", "human37", 1 / 120)
    steps(run, 3)
    run.lay(GroundProfile(((5.0, 0.0),), 0.0, 0.1), "steeper")
    assert run.events == [{"kind": "ground", "time": pytest.approx(3 / 120), "text": "steeper"}]


def test_the_recorded_direction_of_a_push_is_relative_to_the_initial_heading():
    run = poise.stage("fall", body="lamp14", controller="limp", terrain="slope:5")  # faces -x
    run.push([3.0, 4.0, 0.0])
    event = run.meta["events"][0]
    assert event["direction"] == pytest.approx((-0.6, -0.8, 0.0))
    assert event["world_force"] == [3.0, 4.0, 0.0]


def test_a_push_without_force_is_refused():
    run = run_of("hold", "stand", "human37", 1 / 120)
    with pytest.raises(PoiseError, match="0"):
        run.push(np.zeros(3), 0.1)


def test_a_steady_pull_is_one_push_that_is_noticed_once():
    run = run_of("hold", "stand", "human37", 1 / 120)
    noticed = []
    run.controller.note_push, run.controller.is_unaware = noticed.append, lambda time: False
    for force in (20.0, 20.1, 20.2, 20.5, 40.0, 41.0):
        run.pull([0.0, force, 0.0])
        steps(run, 1)
    run.let_go()
    assert [(event["force"], event["duration"]) for event in run.events] == [
        (20.0, pytest.approx(4 / 120)),
        (40.0, pytest.approx(2 / 120)),
    ]
    pushed = np.abs(run.recording.external).max(axis=1)
    assert pushed[:4] == pytest.approx(20.0, rel=0.1)
    assert noticed == [0.0]
    run.pull([0.0, 20.0, 0.0])
    run.pull([0.0, 60.0, 0.0])
    steps(run, 1)
    assert len(run.events) == 3, "what lasted no time leaves no event"
    assert len(noticed) == 2


def test_letting_go_does_not_change_what_a_mark_holds():
    run = run_of("hold", "stand", "human37", 1 / 120)
    run.pull([0.0, 20.0, 0.0])
    steps(run, 1)
    mark = run.mark()
    steps(run, 1)
    run.let_go()
    assert run.events[0]["duration"] == pytest.approx(2 / 120)
    run.go_back(mark)
    assert run.events[0]["duration"] == 1.0
    steps(run, 1)
    run.let_go()
    assert [event["duration"] for event in run.events] == pytest.approx([2 / 120])


@dataclass(frozen=True)
class Diary:
    entries: list


class Diarist(Hold):
    def __init__(self):
        super().__init__()
        self.diary = Diary([])

    def act(self, state):
        self.diary.entries.append(state.time)
        return super().act(state)


def test_lists_in_a_frozen_dataclass_of_a_users_controller_are_gone_back_to():
    body = Body.named("human37")
    run = Run(World(Scene.of(body)), Diarist(), named_motion("stand", body))
    steps(run, 1)
    mark = run.mark()
    steps(run, 2)
    assert len(run.controller.diary.entries) == 3
    run.go_back(mark)
    assert len(run.controller.diary.entries) == 1


class Lifted(Hold):
    """Hold with a stabiliser that lifts the root for a short time, and then only turns it."""

    def act(self, state):
        stabiliser = np.zeros(len(state.qvel))
        stabiliser[2:5] = 20.0 * (0.02 < state.time < 0.05), 0.0, 1.0
        return replace(super().act(state), external=stabiliser)


def test_a_stabiliser_is_declared_by_all_that_it_gave_and_no_longer_after_going_back():
    performer = Body.named("human37")
    run = Run(World(Scene.of(performer)), Lifted(), named_motion("stand", performer))
    steps(run, 1)
    mark = run.mark()
    steps(run, 9)
    lifted = run.so_far().recording
    assert lifted.meta["stabiliser"] == "force and torque"
    assert poise.audit(lifted).verdict.word == "assisted"
    run.go_back(mark)
    assert run.so_far().recording.meta["stabiliser"] == "torque"
