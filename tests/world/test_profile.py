"""Ground in straight pieces: its slabs are where its heights say, and bending it leaves what lies before."""

import mujoco
import numpy as np
import pytest

from poise import Body
from poise.world.profile import GroundProfile
from poise.world.scene import Scene
from poise.world.terrain_kinds import Flat, Rough, Slope

HILLS = GroundProfile.of(Flat()).bent(3.0, 8.0, onward=True).bent(6.0, -5.0, onward=True).bent(-2.0, 4.0, onward=False)


def test_slabs_are_where_the_heights_are():
    model = Scene.of(Body.named("biped29"), HILLS).model
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    for x in (-40.0, -5.0, -2.01, 0.0, 2.99, 3.01, 5.0, 5.99, 6.01, 30.0):
        ray = np.array([x, 7.0, 100.0]), np.array([0.0, 0.0, -1.0])
        down = mujoco.mj_ray(model, data, *ray, None, 1, -1, np.zeros(1, np.int32))
        assert 100.0 - down == pytest.approx(HILLS.height(x, 7.0), abs=1e-9)


def test_who_goes_on_rises_whichever_way_he_goes():
    assert HILLS.height(4.0, 0.0) == pytest.approx(np.tan(np.radians(8.0)))
    assert HILLS.height(-3.0, 0.0) == pytest.approx(np.tan(np.radians(4.0)))
    assert HILLS.height(7.0, 0.0) < HILLS.height(6.0, 0.0)


def test_what_lies_before_the_bend_stays():
    x = np.linspace(-50.0, 5.0, 200)
    again = HILLS.bent(5.0, -10.0, onward=True)
    assert again.heights(x, 0 * x) == pytest.approx(HILLS.heights(x, 0 * x))
    assert len(again.knots) == len(HILLS.knots), "the bend at 6 m lies beyond the new one"


def test_a_bend_hardly_further_on_is_the_same_bend():
    again = HILLS.bent(6.2, 0.0, onward=True)
    assert [x for x, _ in again.knots] == [x for x, _ in HILLS.knots]
    assert again.height(20.0, 0.0) == pytest.approx(again.height(6.0, 0.0))


def test_which_ground_is_a_profile():
    x = np.linspace(-5.0, 5.0, 11)
    for terrain in (Flat(), Slope(7.0)):
        assert GroundProfile.of(terrain).heights(x, x) == pytest.approx(terrain.heights(x, x))
    assert GroundProfile.of(Rough(0.1)) is None


def test_ground_that_is_even_has_no_seam_where_nothing_bends():
    assert [x for x, _ in GroundProfile.of(Flat()).bent(3.0, 5.0, onward=True).knots] == [3.0]
    assert [x for x, _ in GroundProfile.of(Slope(4.0)).bent(-3.0, 5.0, onward=False).knots] == [-3.0]
