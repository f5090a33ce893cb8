"""Studies of steering: chains of steps, random commands, and the time from a command to its heading."""

from math import inf, radians

import numpy as np
import pytest

from poise.control.commands import SteerCommand
from poise.library.motions import shipped_dynamic
from poise.library.repertoire import AT_REST, BoundaryStance, build_repertoire
from poise.study.experiment.study import NamedCase
from poise.study.nqr.steering import (
    BETWEEN,
    SPEEDS,
    command_latencies,
    random_steering_commands,
    repertoire_of_steering_case,
    steady_gait_steps_for_cases,
)

RATE = 120.0


@pytest.fixture(scope="module")
def small():
    return build_repertoire(
        {name: shipped_dynamic(name, "biped29") for name in ("walk", "stand", "stop", "turn-15")}, {}
    )


def test_steady_steps_go_from_a_stance_back_to_it(small):
    assert [step.name for step in steady_gait_steps_for_cases(small.steps, BoundaryStance("walk", "right"))] == [
        "walk right",
        "walk left",
    ]
    assert [step.name for step in steady_gait_steps_for_cases(small.steps, AT_REST)] == ["stand"]


def test_in_a_chain_there_is_nothing_to_choose(small):
    by_name = {step.name: step for step in small.steps}
    names = ("walk left", "walk right", "stop left", "stand", "stand")
    found = repertoire_of_steering_case(small, [by_name[name] for name in names])
    assert [step.name for step in found.steps[:5]] == list(names)
    follows = found.risk < inf
    assert follows.sum(axis=1).tolist() == [1] * len(found.steps)
    assert [int(np.argmax(row)) for row in follows[:5]] == [1, 2, 3, 4, 3]


def test_commands_are_drawn_from_the_seed():
    once, again, other = (random_steering_commands(NamedCase("turns and speeds", 60.0, seed)) for seed in (1, 1, 2))
    assert once == again != other
    gaps = np.diff([command.time for command in once])
    assert gaps.min() >= BETWEEN[0]
    assert gaps.max() <= BETWEEN[1]
    assert {command.speed for command in once} <= set(SPEEDS["turns and speeds"])


def test_latency_is_the_time_until_the_heading_is_near():
    """A steady turn of 30 degrees per second to 90 degrees is within 10 of it after 8/3 s."""
    times = np.arange(0.0, 12.0, 1 / RATE)
    yaw = np.radians(np.clip(30.0 * (times - 2.0), 0.0, 90.0)) + 0.1 * np.sin(2 * np.pi * times / 1.05)
    commands = [
        SteerCommand(2.0, radians(90.0)),
        SteerCommand(7.0, radians(-90.0)),
        SteerCommand(8.0, radians(90.0 + 360.0)),
    ]
    assert command_latencies(yaw, commands, RATE) == pytest.approx(
        [8 / 3], abs=0.05
    )  # a mean over a stride rounds corners


def test_less_than_a_stride_has_no_latencies():
    assert len(command_latencies(np.linspace(0.0, 3.0, 60), [SteerCommand(0.0, 1.0)], RATE)) == 0
    assert len(command_latencies(np.zeros(0), [SteerCommand(0.0, 1.0)], RATE)) == 0


def test_a_command_to_stand_is_not_timed():
    yaw = np.linspace(0.0, 3.0, 1200)
    assert len(command_latencies(yaw, [SteerCommand(1.0, 2.0, speed=0.0)], RATE)) == 0
    assert len(command_latencies(yaw, [SteerCommand(1.0, 2.0)], RATE)) == 1
