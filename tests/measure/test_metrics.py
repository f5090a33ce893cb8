"""Metrics: numbers with known values."""

import dataclasses
import json

import mujoco
import numpy as np
import pytest

from poise import metrics
from poise.measure.metrics import fell_at, foot_slip, jitter, limb_links, on_feet_at_end, tracking_errors
from poise.measure.replay import Replay
from poise.performance.request import Request


@pytest.fixture(scope="module")
def standing():
    return Request("stand", "biped29", seconds=1.0).perform().recording


@pytest.fixture(scope="module")
def falling():
    return Request("fall", "human37", "limp", seconds=1.5).perform().recording


def test_a_standing_body_has_not_fallen(standing):
    assert fell_at(standing) is None


def test_a_falling_body_fell_when_its_trunk_came_down(falling):
    when = fell_at(falling)
    assert 0.2 < when < 1.5
    model = falling.model
    feet = limb_links(falling, "feet") | limb_links(falling, "hands")
    loose = ~np.isin(falling.contact_body, sorted(feet)) & (falling.contact_other == 0)
    assert when == falling.time[falling.contact_step[loose].min()]
    assert model.body("pelvis").id not in feet


def test_a_character_without_named_feet_does_not_end_on_them(standing):
    unnamed = dataclasses.replace(standing, meta={**standing.meta, "feet": None, "hands": None})
    told = metrics(unnamed)
    assert (told["fell_at"], told["on_feet_at_end"], told["foot_slip_mm_s"]) == (None, False, 0.0)


def test_who_stands_ends_on_the_feet_and_who_falls_does_not(standing, falling):
    assert on_feet_at_end(standing)
    assert not on_feet_at_end(falling)


def test_feet_include_their_toes(falling):
    names = {falling.model.body(link).name for link in limb_links(falling, "feet")}
    assert {"left_foot", "right_foot", "left_toes", "right_toes"} == names


def test_a_standing_body_does_not_slip(standing):
    assert foot_slip(Replay.of(standing)) < 0.1  # mm/s


def test_a_sliding_body_slips_at_the_speed_it_slides(standing):
    """Every frame a millimetre further along y: 120 mm/s."""
    qpos = standing.qpos.copy()
    qpos[:, 1] += 1e-3 * np.arange(len(qpos))
    point = standing.contact_point.copy()
    point[:, 1] += 1e-3 * standing.contact_step
    sliding = dataclasses.replace(standing, qpos=qpos, contact_point=point)
    assert foot_slip(Replay.of(sliding)) == pytest.approx(120, rel=0.01)


def test_slip_in_the_air_does_not_count(falling):
    none = {name: getattr(falling, name)[:0] for name in vars(falling) if name.startswith("contact_")}
    assert foot_slip(Replay.of(dataclasses.replace(falling, **none))) == 0.0


def test_tracking_is_zero_when_the_reference_is_met(standing):
    met = dataclasses.replace(standing, reference_qpos=standing.qpos)
    assert tracking_errors(met) == {"joint_rms_deg": 0.0, "root_rms_m": 0.0}


def test_tracking_measures_known_errors(standing):
    model = standing.model
    moved = standing.qpos.copy()
    step = np.zeros(model.nv)
    step[:3] = [0.03, 0.0, 0.04]
    step[6:] = np.radians(5)
    for row in moved:
        mujoco.mj_integratePos(model, row, step, 1.0)
    found = tracking_errors(dataclasses.replace(standing, reference_qpos=moved))
    assert found["joint_rms_deg"] == pytest.approx(5)
    assert found["root_rms_m"] == pytest.approx(0.05)


def test_tracking_without_a_reference_is_unknown(standing):
    assert tracking_errors(dataclasses.replace(standing, reference_qpos=None)) == {
        "joint_rms_deg": None,
        "root_rms_m": None,
    }


def test_jitter_of_a_sine_is_its_angular_frequency(standing):
    time = standing.time
    qvel = np.zeros_like(standing.qvel)
    qvel[:, 8] = np.cos(2 * np.pi * 2 * time)
    assert jitter(dataclasses.replace(standing, qvel=qvel)) == pytest.approx(2 * np.pi * 2, rel=0.02)


def test_jitter_is_finite_and_zero_at_rest(standing, falling):
    assert 0 < jitter(falling) < 1000
    assert jitter(dataclasses.replace(standing, qvel=np.zeros_like(standing.qvel))) == 0.0


def test_jitter_tells_buzzing_from_smooth_motion(standing):
    smooth = np.zeros_like(standing.qvel)
    smooth[:, 8] = np.cos(2 * np.pi * 2 * standing.time)
    noise = 0.02 * np.random.default_rng(0).standard_normal(smooth.shape)
    one, two = (jitter(dataclasses.replace(standing, qvel=qvel)) for qvel in (smooth, smooth + noise))
    assert two > 5 * one


def test_penetration_is_the_deepest_overlap(standing):
    qpos = standing.qpos.copy()
    qpos[20, 2] -= 0.004
    assert metrics(standing)["penetration_mm"] < 0.5
    assert metrics(dataclasses.replace(standing, qpos=qpos))["penetration_mm"] == pytest.approx(4, abs=0.2)


def test_all_metrics_are_plain_numbers(standing, falling):
    for recording in (standing, falling):
        found = metrics(recording)
        for key in ("fell_at", "tracking", "foot_slip_mm_s", "penetration_mm", "jitter", "peak_torque_ratio"):
            assert key in found
        json.dumps(found, allow_nan=False)
        assert found["seconds"] == pytest.approx(recording.time[-1])


def test_pushes_show_as_peak_external(standing):
    external = standing.external.copy()
    external[10, 1] = -33.0
    assert metrics(standing)["peak_external_n"] == 0.0
    assert metrics(dataclasses.replace(standing, external=external))["peak_external_n"] == 33.0
