"""Default rigs of bodies."""

import numpy as np
import pytest

from bodies import NAMES, body_of
from poise.body.body import Body
from poise.control.poses.rig import LAMP, LAMP_ROOT, PEOPLE, PERSON_ROOT, PoseControlRig


@pytest.mark.parametrize("name", NAMES)
def test_every_body_has_gains(name):
    body = body_of(name)
    rig = PoseControlRig.of(body)
    for gains in (rig.stiffness, rig.damping):
        assert gains.shape == (body.nv,)
        assert np.all(np.isfinite(gains))
        assert np.all(gains[:3] == 0)  # nothing holds the root's position
        assert np.all(gains[3:] > 0)
    assert np.ptp(rig.stiffness[3:6]) == 0


@pytest.mark.parametrize("name", NAMES)
def test_both_sides_have_the_same_gains(name):
    body = body_of(name)
    rig = PoseControlRig.of(body)
    for gains in (rig.stiffness, rig.damping):
        np.testing.assert_allclose(gains[3:], gains[body.mirror_dofs[3:]])


def test_a_person_has_the_tuned_gains():
    body = Body.named("human37")
    rig = PoseControlRig.of(body)
    knee, root = body.index("left_knee")[0], 3
    share = rig.stiffness[root] / PERSON_ROOT.stiffness
    assert 0.9 < share < 1.1
    assert rig.stiffness[knee] == pytest.approx(share * PEOPLE["knee_y"].stiffness)
    assert rig.damping[knee] == pytest.approx(share * PEOPLE["knee_y"].damping)


@pytest.mark.parametrize("name", ["human37", "lamp14"])
def test_gains_scale_with_mass(name):
    light = Body.named(name)
    one, two = PoseControlRig.of(light), PoseControlRig.of(light.scaled(mass=2 * light.mass))
    np.testing.assert_allclose(two.stiffness, 2 * one.stiffness, rtol=1e-6)
    np.testing.assert_allclose(two.damping, 2 * one.damping, rtol=1e-6)


def test_the_lamp_has_the_tuned_gains():
    rig = PoseControlRig.of(Body.named("lamp14"))
    np.testing.assert_allclose(rig.stiffness[6:], LAMP.stiffness, rtol=1e-4)
    np.testing.assert_allclose(rig.damping[6:], LAMP.damping, rtol=1e-4)
    np.testing.assert_allclose(rig.stiffness[3:6], LAMP_ROOT.stiffness, rtol=1e-4)


def test_a_rig_is_read_only():
    with pytest.raises(ValueError, match="read-only"):
        PoseControlRig.of(Body.named("lamp14")).stiffness[7] = 0.0
