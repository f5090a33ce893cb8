"""The predicted pitch of the root in flight is the simulated one."""

import numpy as np
import pytest

from poise.body.body import Body
from poise.control.rotation.actor import RotationActor, rotation_pose_line
from poise.control.rotation.flight import FlightTuckOpening
from poise.dynamics.actuation import Actuation
from poise.dynamics.momentum import whole_body_rotation
from poise.library.authoring.figure import SourceFigure
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.world import World

TUCK = {"trunk_flexion": 40.0, "hip": 125.0, "knee": 130.0}
RATE = 240.0


def poses(body, count):
    """Poses from a tuck to straight."""
    share = np.linspace(0.0, 1.0, count)
    limbs = {
        f"{side}_{name}_flexion": (1 - share) * TUCK[name] for side in ("left", "right") for name in ("hip", "knee")
    }
    return SourceFigure(body).poses({"trunk_flexion": (1 - share) * TUCK["trunk_flexion"], **limbs})


@pytest.fixture(scope="module")
def body():
    return Body.named("human43")


def test_inertia_of_a_tuck_is_small(body):
    line = rotation_pose_line(body, poses(body, 5))
    assert line.inertia[0] < 0.5 * line.inertia[-1]
    assert line.height[-1] > 0.9
    assert abs(line.tilt[-1]) < 1e-9


@pytest.mark.parametrize("momentum", [0.0, -30.0])
def test_arrival(body, momentum):
    """A body that opens along the line, without gravity, arrives at the predicted pitch."""
    count = 61
    path = poses(body, count)
    opening = FlightTuckOpening(rotation_pose_line(body, path), 1 / RATE)
    world = World(Scene((body,), gravity=0.0), WorldSettings(step=1 / RATE))
    start = np.array(path[0])
    start[2] += 5.0
    world.reset(start, np.zeros(body.nv))
    inertia = whole_body_rotation(world.state.mass, world.qvel, world.state.data).inertia[1, 1]
    qvel = np.zeros(body.nv)
    qvel[4] = momentum / inertia
    world.reset(start, qvel)
    actor = RotationActor(world)
    pitch = 0.0
    predicted = opening.arrival_pitch(0.0, momentum, (count - 1 + 24) / RATE, 0)
    for k in range(count - 1 + 24):
        torque = np.zeros(body.nv)
        torque[6:] = actor.pose_torques(world.state, path[None, min(k + 4, count - 1)], 2e4)[0]
        world.step(Actuation(torque=torque))
        turn = world.terms.data.xmat[1].reshape(3, 3)
        now = np.arctan2(-turn[2, 0], turn[0, 0])
        pitch += (now - pitch + np.pi) % (2 * np.pi) - np.pi
    assert pitch == pytest.approx(predicted, abs=0.12)
    assert abs(predicted) > 0.15


def test_the_tuck_is_left_at_the_right_time(body):
    opening = FlightTuckOpening(rotation_pose_line(body, poses(body, 13)), 1 / 60)
    target = opening.arrival_pitch(0.0, -40.0, 0.5, 0, wait=0.2)
    assert not opening.due(0.0, -40.0, 0.5, target)
    later = 0.2 * -40.0 / rotation_pose_line(body, poses(body, 13)).inertia[0]
    assert opening.due(later - 0.01, -40.0, 0.3, target)
    assert opening.due(0.0, -40.0, 0.1, target)  # no time is left


def test_an_arch_is_left_later_if_the_body_turns_too_fast(body):
    """A squat turns faster than an arch, so leaving the arch later reduces the rotation."""
    line = rotation_pose_line(body, poses(body, 13)[::-1])
    opening = FlightTuckOpening(line, 1 / 60)
    target = opening.arrival_pitch(0.0, 40.0, 0.5, 0, wait=0.15)
    assert target < opening.arrival_pitch(0.0, 40.0, 0.5, 0)
    assert not opening.due(0.0, 40.0, 0.5, target)
    assert opening.due(0.15 * 40.0 / line.inertia[0] - 0.01, 40.0, 0.35, target)
