"""Bodies of other proportions, strength and load."""

import numpy as np
import pytest

from poise.body.body import Body
from poise.study.experiment.trial import AS_NAMED, BodyVariant, Trial, cached_build

BODY = Body.named("human58")


def test_as_named_it_is_the_same():
    assert AS_NAMED.applied_to(BODY) is BODY


def test_legs_grow_and_the_trunk_does_not():
    tall = BodyVariant(legs=2.0).applied_to(BODY)
    assert tall.standing[2] > 1.8 * BODY.standing[2]
    assert tall.model.body(BODY.trunk).mass == pytest.approx(BODY.model.body(BODY.trunk).mass)


def test_a_heavier_body_is_not_stronger():
    heavy = BodyVariant(mass=2.0, limits="human").applied_to(BODY)
    assert heavy.mass == pytest.approx(2 * BODY.mass)
    np.testing.assert_array_equal(heavy.torque_limit, BODY.torque_limits["human"])


def test_limits_suit_the_legs():
    tall = BodyVariant(legs=2.0, limits="human").applied_to(BODY)
    np.testing.assert_array_equal(tall.torque_limit, tall.torque_limits["human"])
    assert tall.torque_limit[6] > BODY.torque_limits["human"][6]


def test_a_load_is_in_one_hand():
    loaded = BodyVariant(load=15.0).applied_to(BODY)
    assert loaded.mass == pytest.approx(BODY.mass + 15.0)
    hands = [loaded.model.body(hand.link).mass[0] - BODY.model.body(hand.link).mass[0] for hand in BODY.hands]
    assert sorted(hands) == pytest.approx([0.0, 15.0])
    assert loaded.model.body("right_hand").mass[0] > 15.0


def test_motions_are_made_for_other_proportions_and_edited():
    short, reference = cached_build("walk", "human58", BodyVariant(legs=0.5), (), False)
    assert reference.at(0.0).qpos[2] < 0.6 * BODY.standing[2]
    assert short.nq == len(reference.at(0.0).qpos)
    _, plain = cached_build("walk", "human58", AS_NAMED, (), False)
    _, bent = cached_build("walk", "human58", AS_NAMED, ("carry:side_right",), False)
    elbow = list(BODY.joint("right_elbow").qpos)
    moving, held = ([each.at(t).qpos[elbow][0] for t in (0.1, 0.3, 0.6)] for each in (plain, bent))
    assert np.ptp(held) < 0.5 * np.ptp(moving)


def test_a_trial_may_start_behind_the_origin():
    from poise import named_controller
    from poise.study.experiment.trial import stage_trial

    trial = Trial("stand", "human58", approach=2.5, terrain="stairs:-0.1:0.3:8")
    world = stage_trial(trial, named_controller("hold")).world
    assert world.qpos[0] == pytest.approx(BODY.standing[0] - 2.5)
