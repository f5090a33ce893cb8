"""Gravity as a clock: closed-form motions give away the rate they were sampled at."""

import numpy as np
import pytest
from figures import G, hop, stroll
from hypothesis import given, settings, strategies as st

from poise.arrays import true_runs
from poise.motion.repair.bones import leg_length
from poise.motion.repair.finding import ImportSettings
from poise.motion.repair.point_masses import Extremities, FootTrack, MassPoints, local_parabolas, mass_points
from poise.motion.repair.rate import (
    BELIEVED,
    RateEvidence,
    RateReading,
    find_rate,
    rate_evidence,
    rate_verdict,
    standard_frame_rate,
)
from poise.motion.repair.support_evidence import (
    ROLL,
    AirbornePhase,
    SingleSupportEvidence,
    fastest_fall,
    flights_in_imported_file,
    single_support_evidence,
    tipping_distance,
)
from poise.motion.roles import find_roles
from skeletons import PEOPLE

RATES = st.sampled_from([24.0, 30.0, 48.0, 60.0, 90.0, 100.0, 120.0, 144.0])


@given(st.integers(1, 12), st.lists(st.floats(-5, 5), min_size=3, max_size=3))
def test_parabolas_are_smoothed_exactly(half, coefficients):
    frame = np.arange(40.0)
    a, b, c = coefficients
    curve = np.stack([a + b * frame + c * frame**2 / 2, frame], axis=1)
    seen = local_parabolas(curve, half)
    inside = frame[half : 40 - half]
    np.testing.assert_allclose(seen.value[:, 0], curve[half : 40 - half, 0], atol=1e-9)
    np.testing.assert_allclose(seen.speed[:, 0], b + c * inside, atol=1e-9)
    np.testing.assert_allclose(seen.acceleration[:, 0], c, atol=1e-9)
    np.testing.assert_allclose(seen.acceleration[:, 1], 0, atol=1e-9)


@pytest.mark.parametrize("family", sorted(PEOPLE))
def test_the_centre_of_mass_is_where_people_have_it(family):
    clip = stroll(family, frames=2)
    mass = mass_points(clip, find_roles(clip.skeleton))
    assert mass.share.sum() == pytest.approx(1)
    high = mass.centre[0, 2] - clip.places.position[0, :, 2].min()
    assert 0.5 * 1.75 < high < 0.6 * 1.75  # [Winter2009]: 0.56 of stature
    assert abs(mass.centre[0, 1]) < 0.01


@settings(max_examples=30)
@given(RATES, st.floats(0.15, 0.5))
def test_flights_tell_the_rate(rate, height):
    clip = hop(rate, height)
    roles = find_roles(clip.skeleton)
    found = flights_in_imported_file(
        mass_points(clip, roles), clip.places.position, leg_length(clip, roles), near=round(rate)
    )
    assert len(found) == 1
    assert found[0].rate == pytest.approx(rate, rel=0.02)


@settings(max_examples=25)
@given(RATES, st.sampled_from([-1, 0, 1, 2]))
def test_a_hop_finds_its_rate_whatever_the_file_states(rate, lie):
    clip = hop(rate)
    seen = rate_verdict(rate_evidence(clip, find_roles(clip.skeleton), rate * 2.0**lie))
    assert seen.rate == pytest.approx(rate)
    assert seen.confidence > 0.9


def fallen(rate, seconds=0.8):
    """A rod of two masses that falls over a fixed foot while the other foot swings: (mass, motion, limbs)."""
    length, angle, speed = 1.0, 0.05, 0.0
    angles, fine = [], 50
    for _ in range(round(seconds * rate)):
        angles.append(angle)
        for _ in range(fine):  # a point mass on a rod: angle'' = g/l sin(angle)
            speed += G / length * np.sin(angle) / (rate * fine)
            angle += speed / (rate * fine)
    angles = np.array(angles)
    tip = length * np.stack([np.sin(angles), 0 * angles, np.cos(angles)], axis=1)
    mass = MassPoints(np.array([0.5, 0.5]), np.stack([tip, tip], axis=1))
    half = max(2, round(0.05 * rate))
    motion = local_parabolas(mass.place, half)
    count = len(motion.value)
    still, fast, zero = np.zeros(count), np.full(count, 2.0 / rate), np.zeros((count, 3))
    stands = FootTrack(zero, np.zeros((count, 2, 3)), still, still)
    swings = FootTrack(zero + [0, 1, 0.1], np.zeros((count, 2, 3)), fast, fast)
    return mass, motion, Extremities((stands, swings), (zero, zero), (fast, fast))


@settings(max_examples=20)
@given(RATES)
def test_a_falling_rod_tells_the_rate(rate):
    mass, motion, limbs = fallen(rate)
    seen = single_support_evidence(mass, motion, limbs, rate)
    assert seen.rate * ROLL == pytest.approx(rate, rel=0.02)
    assert seen.agreement > 0.999
    assert seen.supports == 1


def test_a_hand_that_holds_on_makes_it_no_pendulum():
    mass, motion, limbs = fallen(120.0)
    held = Extremities(limbs.feet, limbs.hands, (np.zeros_like(limbs.hand_paces[0]), limbs.hand_paces[1]))
    assert single_support_evidence(mass, motion, held, 120.0) is None


@given(RATES)
def test_free_fall_is_one_g(rate):
    time = np.arange(40) / rate
    drop = np.stack([0 * time, 0 * time, -G * time**2 / 2], axis=1)
    mass = MassPoints(np.array([0.3, 0.7]), np.stack([drop + [0, 0, 0.5], drop], axis=1))
    motion = local_parabolas(mass.place, 3)
    assert fastest_fall(mass, motion, rate) == pytest.approx(1.0, rel=1e-6)
    assert fastest_fall(mass, motion, 2 * rate) == pytest.approx(4.0, rel=1e-6)


@given(st.floats(-6, 6))
def test_the_force_of_standing_acts_where_it_must(push):
    """Of a point mass at height h that accelerates with a, the force acts at x - h a / g."""
    rate, frames, high = 60.0, 60, 1.0
    time = np.arange(frames) / rate
    place = np.stack([push * time**2 / 2, 0 * time, high + 0 * time], axis=1)
    mass = MassPoints(np.array([0.5, 0.5]), np.stack([place, place], axis=1))
    motion = local_parabolas(mass.place, 3)
    under = motion.value[:, 0] * [1, 1, 0] + [0, 0, 0.05]  # feet that go along, their soles at z = 0
    sole = np.stack([under - [0.1, 0, 0], under + [0.1, 0, 0]], axis=1)
    foot = FootTrack(under, sole, 0 * under[:, 0], 0 * under[:, 0])
    limbs = Extremities((foot, foot), (under + [0, 0, 1], under + [0, 0, 1]), (time, time))
    outside = tipping_distance(mass, motion, limbs, leg=0.8, still=0.01, rate=rate)
    diagonal = np.sqrt(0.5)  # with no width of feet, the compass sees no less outside than at 45 degrees
    reach = high * abs(push) / G
    assert outside == pytest.approx(max(reach - 0.1, (reach - 0.1) * diagonal, 0.0), abs=1e-9)


def reading(**known):
    return RateReading(**({"pendulum": None, "fall": 0.0, "outside": None} | known))


def evidence(flights=(), rise=0.05, **known):
    readings = {120.0 * 2.0**k: reading(**known) for k in (0, -1, 1)}
    return RateEvidence(120.0, tuple(AirbornePhase(0, 9, rate, rise) for rate in flights), readings)


def test_without_evidence_the_file_is_believed():
    seen = rate_verdict(evidence())
    assert (seen.rate, seen.decided_by) == (120.0, "header")


def test_clear_evidence_outvotes_the_file():
    assert rate_verdict(evidence(flights=(61.0, 58.0))).rate == 60.0
    seen = rate_verdict(evidence(pendulum=SingleSupportEvidence(64.0, 0.8, 4)))
    assert (seen.rate, seen.decided_by) == (60.0, "pendulum")


def test_vague_evidence_does_not():
    assert rate_verdict(evidence(pendulum=SingleSupportEvidence(64.0, 0.3, 4))).rate == 120.0
    assert rate_verdict(evidence(pendulum=SingleSupportEvidence(95.0, 0.9, 4))).rate == 120.0


def test_one_wrong_flight_does_not_outvote_a_walk():
    assert rate_verdict(evidence(flights=(240.0,), pendulum=SingleSupportEvidence(118.0, 0.8, 5))).rate == 120.0


def test_a_small_flight_is_worth_little():
    assert rate_verdict(evidence(flights=(60.0,), rise=0.05)).rate == 60.0
    assert rate_verdict(evidence(flights=(60.0,), rise=0.005)).rate == 120.0


def test_rates_that_nobody_captures_at_need_more():
    """Whoever is let down slowly by something unseen falls as if the rate were higher."""
    seen = rate_verdict(evidence(flights=(240.0,)))
    assert seen.rate == 120.0 or seen.confidence < BELIEVED
    assert rate_verdict(evidence(flights=(60.0,))).confidence > 0.95


def test_rounded_frame_times_mean_standard_rates():
    assert standard_frame_rate(1 / 0.0083333) == 120.0
    assert standard_frame_rate(1 / 0.033333) == 30.0
    assert standard_frame_rate(1 / 0.0416667) == 24.0
    assert standard_frame_rate(117.0) == 117.0


@given(st.lists(st.booleans(), max_size=30))
def test_runs_are_the_stretches_of_true(mask):
    rebuilt = np.zeros(len(mask), bool)
    for start, stop in true_runs(np.array(mask, bool)):
        assert start < stop
        assert not rebuilt[max(start - 1, 0) : stop].any()
        rebuilt[start:stop] = True
    assert rebuilt.tolist() == mask


def test_the_finding_says_what_was_seen():
    clip = hop(60.0)
    roles = find_roles(clip.skeleton)
    lying = type(clip)(clip.name, clip.skeleton, 120.0, clip.position, clip.rotation)
    found = find_rate(lying, roles, ImportSettings())
    assert found.value["rate"] == 60.0
    assert "states 120" in found.found
    assert "1 flight falls with g at 60" in found.found
    assert find_rate(lying, roles, ImportSettings(rate=100.0)).value == {"rate": 100.0}
    assert find_rate(lying, None, ImportSettings()).value == {"rate": 120.0}
