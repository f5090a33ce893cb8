"""The paper's weights, for bodies of any size."""

import numpy as np
import pytest

from poise.body.body import Body
from poise.control.nqr.weights import FORCE, JOINTS, PAPER_HEIGHT, PAPER_MASS, ROOT, nqr_weights


@pytest.fixture(scope="module")
def bodies():
    body = Body.named("biped29")
    return body, body.scaled(size=1.6, mass=2.2 * body.mass)


@pytest.mark.parametrize("effort", ["change", "size"])
def test_a_scaled_motion_of_a_scaled_body_costs_the_same(bodies, effort):
    """Lengths scale with size, times with its square root, forces with mass, torques with mass and size."""
    small, large = bodies
    ratio = large.standing[2] / small.standing[2]
    heavier = large.mass / small.mass
    assert (ratio, heavier) == pytest.approx((1.6, 2.2))
    one, other = (nqr_weights(body, effort, force=0.3, planted=10.0) for body in bodies)
    n = small.nv
    pose = np.concatenate([np.full(3, ratio), np.ones(n - 3)])
    unit = np.concatenate([pose, pose / np.sqrt(ratio)])  # a deviation of the small body's state, for the large one
    np.testing.assert_allclose(other.state * unit**2, one.state)
    assert other.planted * ratio == pytest.approx(one.planted)
    controls = np.concatenate([np.full(n - 6, heavier * ratio), np.full(12, heavier)])
    for scaled, plain in zip(other.control_weights(12), one.control_weights(12), strict=True):
        np.testing.assert_allclose(scaled * controls**2, plain)
    np.testing.assert_allclose(other.joints / ratio**2, one.joints)  # angular accelerations
    np.testing.assert_allclose(other.torso, one.torso)  # accelerations do not scale
    assert other.effort * (heavier * ratio) ** 2 == pytest.approx(one.effort)


def test_the_papers_character_has_the_papers_weights():
    body = Body.named("biped29")
    body = body.scaled(size=PAPER_HEIGHT / float(body.standing[2]), mass=PAPER_MASS)
    weights = nqr_weights(body, "size")
    np.testing.assert_allclose(weights.state[:6], ROOT[0])
    np.testing.assert_allclose(weights.state[body.nv : body.nv + 6], 1e-2 * np.array(ROOT[1]))
    for joint in ("knee", "elbow", "ankle"):
        row = JOINTS[joint]
        for dof in body.index(f"left_{joint}"):
            assert weights.state[dof] == pytest.approx(row[0])
            assert weights.state[body.nv + dof] == pytest.approx(1e-2 * row[1])
            assert weights.change[dof - 6] == pytest.approx(1e-7 * row[2])
            assert weights.size[dof - 6] == pytest.approx(1e-5 * row[3])
            assert weights.joints[dof - 6] == pytest.approx(row[4])
    assert (weights.force_change, weights.force_size) == pytest.approx((0.0, FORCE))


def test_effort_by_change_has_the_sum_of_the_weights():
    body = Body.named("biped29")
    by_size, by_change = nqr_weights(body, "size"), nqr_weights(body, "change")
    np.testing.assert_allclose(by_change.change, by_size.change + by_size.size)
    assert not by_change.size.any()
    assert (by_change.force_change, by_change.force_size) == (by_size.force_size, 0.0)
