"""The motion graph: steps meet where they say they do, and risky ones are not there."""

from math import inf, radians

import numpy as np
import pytest

from poise.body.body import Body
from poise.body.pose_space import PoseDisplacement, PoseSpace
from poise.errors import PoiseError
from poise.library.motions import shipped_dynamic
from poise.library.repertoire import (
    AT_REST,
    RISK,
    TURNS,
    BoundaryStance,
    Roaming,
    build_repertoire,
    canonical_repertoire_transition,
    is_symmetric_gait,
    shipped_repertoire,
)


@pytest.fixture(scope="module")
def body():
    return Body.named("biped29")


@pytest.fixture(scope="module")
def shipped(body):
    return shipped_repertoire(body)


def by_name(found):
    return {step.name: step for step in found.steps}


def test_steps_end_in_the_state_in_which_those_begin_that_they_join(shipped, body):
    space = PoseSpace(body)
    pairs = [(a, b) for a in shipped.steps for b in shipped.steps if a.joins(b) and not (a.steady and b.steady)]
    assert len(pairs) > 60
    for one, other in pairs:
        ending, beginning = shipped[one.motion], shipped[other.motion]
        last, first = ending.clip.qpos[one.stop], beginning.clip.qpos[other.first]
        there = PoseDisplacement.between(first, last)
        assert np.abs(space.difference(there.pose(first)[None], last[None])).max() < 3e-3, (one.name, other.name)
        assert there.velocity(beginning.qvel[other.first]) == pytest.approx(ending.qvel[one.stop], abs=0.05)


def test_turns_go_both_ways_by_as_much_as_they_say(shipped):
    steps = by_name(shipped)
    for name in TURNS:
        degrees = float(name.removeprefix("turn-"))
        assert steps[f"{name} left"].turn == pytest.approx(radians(degrees), abs=1e-3)
        assert steps[f"{name} right"].turn == pytest.approx(-radians(degrees), abs=1e-3)
        assert steps[f"{name} left"].begins == steps[f"{name} left"].ends == BoundaryStance("walk", "left")


def test_a_walk_is_two_steps(shipped):
    left, right = by_name(shipped)["walk left"], by_name(shipped)["walk right"]
    assert left.joins(right)
    assert right.joins(left)
    assert not left.joins(left)
    assert left.turn == 0.0
    assert left.speed == pytest.approx(1.3, rel=0.01)


def test_standing_is_between_stop_and_start(shipped):
    steps = by_name(shipped)
    assert steps["stop right"].ends == steps["stand"].begins == steps["start left"].begins == AT_REST
    assert steps["stand"].speed == 0.0


def test_what_fell_when_it_was_tried_does_not_follow():
    motions = {name: shipped_dynamic(name, "biped29") for name in ("walk", "walk-slow", "turn-15")}
    tried = {
        canonical_repertoire_transition("turn-15 right", "turn-15 right"): inf,
        canonical_repertoire_transition("walk right", "walk-slow left"): 0.004,
    }
    found = build_repertoire(motions, tried)
    names = [step.name for step in found.steps]

    def risk(one, other):
        return found.risk[names.index(one), names.index(other)]

    assert risk("turn-15 left", "turn-15 left") == risk("turn-15 right", "turn-15 right") == inf
    assert risk("walk left", "turn-15 right") == 0.0  # untried, but the one ends where the other begins
    assert risk("walk left", "turn-15 left") == inf  # on the wrong foot
    assert risk("walk left", "walk-slow right") == risk("walk right", "walk-slow left") == pytest.approx(RISK * 0.004)
    assert risk("walk-slow left", "walk right") == inf  # a switch that was not tried


def test_a_limp_is_not_taken_for_a_symmetric_walk():
    walk = shipped_dynamic("walk", "biped29")
    assert is_symmetric_gait(walk)
    assert not is_symmetric_gait(shipped_dynamic("turn-45", "biped29"))


def test_roaming_begins_with_the_motion_that_it_is_told(shipped, body):
    stands = Roaming(shipped, "stand")
    assert next(iter(stands.motions)) == "stand"
    assert stands.at(0.0).qpos == pytest.approx(shipped["stand"].clip.qpos[0])
    for name in ("jump", "turn-45 left"):
        with pytest.raises(PoiseError, match=name):
            Roaming(shipped, name)


def test_what_leads_to_a_motion_that_is_not_there_is_left_out():
    found = build_repertoire(
        {name: shipped_dynamic(name, "biped29") for name in ("walk", "stop", "walk-to-fast", "turn-15")}, {}
    )
    assert set(found) == {"walk", "turn-15 left", "turn-15 right"}


def test_a_body_without_walks_says_so():
    with pytest.raises(PoiseError, match="lamp14"):
        shipped_repertoire(Body.named("lamp14"))
