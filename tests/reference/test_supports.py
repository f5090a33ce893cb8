"""What bears of what is down."""

import numpy as np
import pytest

from poise.body.body import Body
from poise.body.surface import contact_parts
from poise.library.motions import sketch_of_source
from poise.reference.supports import bearing_supports_of_reference


@pytest.mark.parametrize("name", ["biped29", "human37", "human58"])
def test_toes_bear_with_a_flat_foot_or_alone_but_not_while_the_foot_rolls_on_its_ball(name):
    parts = contact_parts(Body.named(name))
    heel, ball, tip = (np.array([part.name.endswith(end) for part in parts]) for end in ("heel", "ball", "tip"))
    flat, rolling, leaving = heel | ball | tip, ball | tip, tip
    found = bearing_supports_of_reference(parts, np.stack([flat, rolling, leaving]))
    assert np.array_equal(found, np.stack([flat, ball, tip]))


def test_of_a_walk_on_hinged_toes_something_bears_all_the_time():
    made = sketch_of_source("walk", Body.named("human37"))
    down = {support.name: support.down for support in made.supports}
    assert not np.any(down["left_toes_tip_0"] & down["left_foot_ball_0"] & ~down["left_foot_heel_0"])
    assert np.array_equal(np.any(list(down.values()), axis=0), made.clip.down.any(axis=1))
