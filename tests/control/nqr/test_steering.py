"""Steering: chosen steps, performances, and refused commands."""

from dataclasses import replace
from math import radians

import numpy as np
import pytest

from poise.body.body import Body
from poise.control.commands import parse_steer
from poise.control.nqr.nqr import Nqr
from poise.control.nqr.segment import NqrSteering, repertoire_segments
from poise.control.nqr.weights import nqr_weights
from poise.errors import PoiseError
from poise.library.motions import shipped_dynamic
from poise.library.repertoire import Roaming, build_repertoire
from poise.measure.metrics import fell_at
from poise.performance.cues import steer_cue
from poise.performance.run import Run
from poise.performance.stage import perform
from poise.reference.played import Played
from poise.rotations import yaw_of
from poise.world.scene import Scene
from poise.world.world import World

MOTIONS = ("walk", "walk-fast", "walk-to-fast", "fast-to-walk", "turn-90")


@pytest.fixture(scope="module")
def body():
    return Body.named("biped29")


@pytest.fixture(scope="module")
def small():
    """Two walks, the transitions between them, and a turn."""
    return build_repertoire({name: shipped_dynamic(name, "biped29") for name in MOTIONS}, {})


@pytest.fixture(scope="module")
def segments(small, body):
    return repertoire_segments(small, nqr_weights(body))


def taken(steering, count, heading=0.0):
    """Names of the next steps if all are performed exactly, from a heading (rad) in the world on."""
    names = []
    for _ in range(count):
        turned = steering.step.turn
        steering.proceed(heading)
        heading += turned
        names.append(steering.step.name)
    return names


def test_without_commands_it_walks_on(small, segments):
    assert taken(NqrSteering(small, segments, 0, 0.3), 3, heading=0.3) == [
        "walk right",
        "walk left",
        "walk right",
    ]


def test_a_turn_to_the_left_waits_for_the_left_foot(small, segments):
    steering = NqrSteering(small, segments, 0, 0.0)
    steering.steer(radians(90), None)
    assert taken(steering, 4) == ["walk right", "turn-90 left", "walk left", "walk right"]


def test_a_turn_to_the_right_waits_for_the_right_foot(small, segments):
    steering = NqrSteering(small, segments, 70, 0.0)
    steering.steer(radians(-90), None)
    assert taken(steering, 3) == ["walk left", "turn-90 right", "walk right"]


@pytest.mark.parametrize("begin", [0.05, 0.5])
def test_standing_may_begin_anywhere(body, begin):
    """Also in a frame after the short step that standing is."""
    stands = build_repertoire(
        {name: shipped_dynamic(name, "biped29") for name in ("walk", "stand", "start", "stop")}, {}
    )
    controller = Nqr()
    run = Run(World(Scene.of(body)), controller, Roaming(stands, "stand", begin))
    controller.steer(speed=1.3)
    for _ in range(120):
        run.step()
    assert controller.segment.motion.clip.name.startswith("start")
    assert fell_at(run.take().recording) is None


def test_a_step_that_nothing_can_follow_is_refused(small, segments):
    with pytest.raises(PoiseError, match="nothing can follow 'walk left'"):
        NqrSteering(replace(small, risk=np.full_like(small.risk, np.inf)), segments, 0, 0.0)


def test_headings_are_relative_to_the_first_one(small, segments):
    steering = NqrSteering(small, segments, 0, radians(170))
    steering.steer(radians(90), None)
    assert "turn-90 left" in taken(steering, 2, heading=radians(170))


def test_it_changes_gait_for_another_speed_and_turns_in_the_gait_that_has_turns(small, segments):
    steering = NqrSteering(small, segments, 0, 0.0)
    steering.steer(0.0, 1.6)
    assert taken(steering, 3) == ["walk-to-fast right", "walk-fast right", "walk-fast left"]
    steering.steer(radians(90), None)
    names = taken(steering, 8)
    assert set(names[-2:]) == {"walk-fast left", "walk-fast right"}
    before, after = (names[names.index("turn-90 left") + k] for k in (-1, 1))
    assert before.startswith(("walk ", "fast-to-walk "))
    assert after.startswith(("walk ", "walk-to-fast "))


def test_policies_end_with_the_cost_to_go_of_the_next_motion(small, segments, body):
    """The cost-to-go at the end of a turn to the right is that of the walk's second half, turned with it."""
    ends = segments["turn-90 right"].policy.costs[-1].matrix
    walks = segments["walk"].policy.costs[small.steps[1].first].matrix
    joints = slice(6, body.nv)
    assert ends[joints, joints] == pytest.approx(walks[joints, joints])
    assert ends[2, 2] == pytest.approx(walks[2, 2])
    assert ends[0, 0] == pytest.approx(walks[1, 1], rel=1e-2)  # forward in one frame is sideways in the other
    assert ends[0, 0] != pytest.approx(walks[0, 0], rel=0.1)


@pytest.mark.parametrize("speed", [-1.0, float("nan"), 1e3])
def test_impossible_speeds_are_refused(small, segments, speed):
    with pytest.raises(PoiseError, match="speed"):
        NqrSteering(small, segments, 0, 0.0).steer(None, speed)


def test_a_performance_is_steered_by_cues(small, body):
    controller = Nqr()
    cues = [steer_cue(controller, command) for command in parse_steer("0s:90@1.7")]
    done = perform(World(Scene.of(body)), controller, Roaming(small), seconds=4.5, cues=cues, noise=0.02)
    recording = done.recording
    assert fell_at(recording) is None
    assert recording.meta["events"] == [{"kind": "steer", "time": 0.0, "heading_deg": 90.0, "speed": 1.7}]
    ways = np.diff(recording.qpos[-109::108, :2], axis=0)[0]
    assert np.degrees(np.arctan2(ways[1], ways[0])) == pytest.approx(90.0, abs=4.0)
    assert np.abs(recording.qpos - recording.reference_qpos)[:, :3].max() < 0.05
    assert np.degrees(yaw_of(recording.reference_qpos[-1, 3:7])) == pytest.approx(90.0, abs=10.0)


def test_a_single_motion_cannot_be_steered(body):
    controller, walk = Nqr(), shipped_dynamic("walk", "biped29")
    with pytest.raises(PoiseError, match="repertoire"):
        controller.steer(1.0)  # before a reset
    controller.reset(World(Scene.of(body)), Played(walk.clip, walk))
    with pytest.raises(PoiseError, match="repertoire"):
        controller.steer(1.0)
