"""Bodies of other proportions are bodies again."""

import mujoco
import numpy as np
import pytest

from bodies import body_of
from poise.body.body import Body
from poise.body.surface import lowest_geom_height
from poise.errors import PoiseError


@pytest.mark.parametrize("name", ["biped29", "human37", "human58", "baby", "cmu", "topology"])
@pytest.mark.parametrize("legs", [0.5, 0.75, 1.5, 2.0])
def test_legs(name, legs):
    body = body_of(name)
    other = body.scaled(legs=legs)
    assert other.symmetry is not None
    assert abs(lowest_geom_height(other.model, other.standing)) < 1e-9
    data = mujoco.MjData(other.model)
    data.qpos[:] = other.standing
    mujoco.mj_forward(other.model, data)
    for foot in other.feet:
        link = data.body(foot.link)
        np.testing.assert_allclose((link.xpos + foot.points @ link.xmat.reshape(3, 3).T)[:, 2], 0, atol=1e-9)
    thigh = other.model.body("left_thigh").mass / body.model.body("left_thigh").mass
    assert thigh == pytest.approx(legs)
    assert other.model.body("left_foot").mass == body.model.body("left_foot").mass
    ratio = legs * other.mass / body.mass
    hip = list(body.index("left_hip"))
    np.testing.assert_allclose(other.torque_limit[hip], ratio * body.torque_limit[hip])


def test_a_stretched_rod_has_a_rods_inertia():
    """A slender thigh twice as long at equal cross-section: second moment along it times eight, across times two."""
    short, long = (b.model.body("left_thigh").inertia for b in _pair(legs=2.0))
    along = lambda i: (i[0] + i[1] - i[2]) / 2  # noqa: E731
    assert along(long) == pytest.approx(8 * along(short))
    assert long[2] == pytest.approx(2 * short[2])


def test_size_scales_all_lengths():
    body, half = _pair(size=0.5)
    assert half.mass == pytest.approx(body.mass / 8)
    assert half.standing[2] == pytest.approx(body.standing[2] / 2)
    np.testing.assert_allclose(half.model.body_inertia, body.model.body_inertia / 32)
    np.testing.assert_allclose(half.torque_limit, body.torque_limit / 16)
    np.testing.assert_allclose(half.feet[0].points, body.feet[0].points / 2)


def test_mass_is_what_was_asked_for():
    body, light = _pair(mass=50.0)
    assert light.mass == pytest.approx(50.0, abs=1e-9)
    np.testing.assert_allclose(light.model.body_inertia, body.model.body_inertia * 50 / body.mass)
    np.testing.assert_allclose(light.standing, body.standing, atol=1e-12)


def test_arms_leave_the_legs_alone():
    body, ape = _pair(arms=1.4)
    assert ape.model.body("left_forearm").mass == pytest.approx(1.4 * body.model.body("left_forearm").mass)
    np.testing.assert_array_equal(ape.standing[:3], body.standing[:3])


@pytest.mark.parametrize("bad", [{"legs": 0.0}, {"size": -1.0}, {"mass": float("nan")}])
def test_impossible_factors_are_refused(bad):
    with pytest.raises(PoiseError, match=next(iter(bad))):
        Body.named("biped29").scaled(**bad)


def _pair(**factors):
    body = Body.named("biped29")
    return body, body.scaled(**factors)
