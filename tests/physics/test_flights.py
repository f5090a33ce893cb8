import numpy as np
import pytest

from poise.arrays import readonly
from poise.body.body import Body
from poise.errors import PoiseError
from poise.physics.optimise import check_flights
from poise.reference.body_clip import BodyClip
from poise.reference.supports import Sketch

BODY = Body.named("biped29")


def path(height, rate=100.0):
    qpos = np.tile(BODY.standing, (len(height), 1))
    qpos[:, 2] += height
    return Sketch(BodyClip("path", BODY, rate, readonly(qpos)), ())


@pytest.mark.parametrize("fall", [9.81, 7.0, 12.0])
def test_what_falls_flies(fall):
    """Not quite as gravity has it, but that can be mended."""
    times = np.arange(101) / 100
    check_flights(path(0.5 * fall * times * (1 - times)), 0.25)


def test_what_is_shaken_or_hovers_does_not():
    times = np.arange(101) / 100
    for height in (np.zeros(101), 0.5 * times, 30 * times * (1 - times)):
        with pytest.raises(PoiseError, match=r"motion 'path' .* it has no support from 0\.00 to 1\.00 s"):
            check_flights(path(height), 0.25)


def test_a_moment_in_the_air_is_long_enough_to_be_mended():
    check_flights(path(np.zeros(40)), 0.25)
    check_flights(path(np.zeros(1)), 0.25)
