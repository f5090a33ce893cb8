"""Levels and leg adjustments are continuous where one motion goes over into another."""

from collections import defaultdict
from copy import deepcopy
from types import SimpleNamespace

import numpy as np
import pytest

from poise.body.body import Body
from poise.body.pose_space import PoseDisplacement, planar_displacement
from poise.control.nqr import segment
from poise.control.nqr.ground_levels import NqrGroundLevels
from poise.control.nqr.segment import repertoire_segments
from poise.control.nqr.weights import nqr_weights
from poise.library.repertoire import shipped_repertoire

BODY = Body.named("biped29")
REPERTOIRE = shipped_repertoire(BODY)
STEP = 1 / 120


def uneven(x, y):
    """Bumps of 3 cm."""
    return 0.03 * np.sin(3 * x) * np.cos(2 * y)


@pytest.fixture(scope="module")
def segments():
    """Segments without policies, which take half a minute to compute and are not needed here."""

    def without_policy(motion, weights, cycles=None, then=None):
        return SimpleNamespace(motion=motion, costs=defaultdict(lambda: None))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segment, "look_ahead", without_policy)
        patch.setattr(segment, "displaced_cost", lambda future, pose, place: future)
        patch.setattr(segment, "policy_tables", lambda policy, linear: None)
        yield repertoire_segments(REPERTOIRE, nqr_weights(BODY))


def gone(footing, segments, step, carriage):
    """Levels and leg adjustments while the body follows a step exactly."""
    holds, poses = segments[step.motion].footholds, segments[step.motion].motion.clip.qpos
    for frame in range(step.first, step.stop):
        footing.update(holds, frame, carriage.pose(poses[frame])[:3], carriage.yaw)
        yield footing.motion_level(holds, frame), footing.leg_adjustment(holds, frame, STEP)


def test_every_step_of_the_repertoire_goes_over_into_every_other_without_a_jump(segments):
    reached = 0.0
    for before, step in enumerate(REPERTOIRE.steps):
        footing, here = NqrGroundLevels(BODY, 0.0, uneven), PoseDisplacement(0.3, np.zeros(3))
        *_, (level, reach) = gone(footing, segments, step, here)
        ended = segments[step.motion].motion.clip.qpos[step.stop]
        for after in np.flatnonzero(np.isfinite(REPERTOIRE.risk[before])):
            other = REPERTOIRE.steps[after]
            there = here.then(*planar_displacement(segments[other.motion].motion.clip.qpos[other.first], ended))
            then, onward = next(gone(deepcopy(footing), segments, other, there))
            assert level + reach.ahead[2] == pytest.approx(then, abs=1e-6), (step.name, other.name)
            np.testing.assert_allclose(
                onward.now[6:], reach.ahead[6:], atol=0.006, err_msg=f"{step.name}, {other.name}"
            )
            reached = max(reached, float(np.abs(onward.now[6:]).max()))
    assert reached > 0.2  # rad: legs were adjusted


@pytest.mark.parametrize("name", ["walk-to-run left", "walk-to-run right", "start left", "stop right", "turn-90 left"])
def test_footprints_agree_with_those_of_the_next_motion(segments, name):
    step = next(step for step in REPERTOIRE.steps if step.name == name)
    then = next(each for each in REPERTOIRE.steps if each.steady and step.joins(each))
    holds, after = segments[step.motion].footholds, segments[then.motion].footholds
    ended = segments[step.motion].motion.clip.qpos[-1]
    there = PoseDisplacement(*planar_displacement(segments[then.motion].motion.clip.qpos[then.first], ended))
    aloft = ~holds.down[-1] & ~after.down[then.first]
    np.testing.assert_array_equal(holds.steps_to_landing[-1, aloft], after.steps_to_landing[then.first, aloft] + 1)
    for foot in np.flatnonzero(aloft):
        ours, theirs = (
            holds.footprints[holds.next_footprint[-1, foot]],
            after.footprints[after.next_footprint[then.first, foot]],
        )
        np.testing.assert_allclose(ours, there.vector(theirs) + there.way, atol=1e-9)
    landing = ~holds.down[-1] & after.down[then.first]
    np.testing.assert_array_equal(holds.steps_to_landing[-1, landing], 1.0)
    assert aloft.any() or landing.any()
