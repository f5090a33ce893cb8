"""The level of the ground, as feet tell it."""

from types import SimpleNamespace

import numpy as np
import pytest

from poise.body import Body
from poise.control.nqr.footing import PACE, Footing

BODY = Body.named("biped29")
LEFT, RIGHT = (BODY.link_id(foot.link) for foot in BODY.feet)


def touching(*places, other=0):
    """Contacts of links at levels, m."""
    links, levels = zip(*places, strict=True) if places else ((), ())
    point = np.zeros((len(links), 3))
    point[:, 2] = levels
    return SimpleNamespace(
        touching=np.ones(len(links), bool),
        other=np.full(len(links), other),
        body=np.array(links, np.int64),
        point=point,
    )


def test_a_foot_that_lands_tells_the_level():
    footing = Footing(BODY, 0.0)
    assert footing.rise(touching((LEFT, 0.0), (RIGHT, 0.0)), 0.0) == 0.0
    assert footing.rise(touching((RIGHT, 0.0)), 0.0) == 0.0
    assert footing.rise(touching((LEFT, -0.04), (RIGHT, 0.0)), 0.0) == pytest.approx(-0.04 * PACE)
    assert footing.rise(touching((LEFT, -0.04)), -0.01) == pytest.approx(-0.03 * PACE)


def test_the_level_is_kept_in_the_air():
    footing = Footing(BODY, 0.5)
    assert footing.rise(touching(), 0.5) == 0.0


def test_what_is_not_ground_or_not_a_foot_tells_nothing():
    footing = Footing(BODY, 0.0)
    footing.rise(touching(), 0.0)
    assert footing.rise(touching((LEFT, 0.3), other=7), 0.0) == 0.0
    assert footing.rise(touching((BODY.link_id(BODY.trunk), 0.3)), 0.0) == 0.0
