"""The initial poses of behaviours."""

import pytest

from poise.body.body import Body
from poise.body.self_contact import SelfDistances
from poise.library.behaviours.behaviour import BehaviourReference
from poise.library.behaviours.files import behaviour_names, read_behaviour


@pytest.mark.parametrize("name", behaviour_names())
def test_no_links_overlap_deeply_at_the_start(name):
    """Rolls once began with thighs 12 mm in the arms, or 50 mm in each other, and failed the audit by that alone."""
    behaviour = read_behaviour(name)
    body = Body.named(behaviour.body)
    first = BehaviourReference(behaviour, body).at(0.0).qpos
    assert SelfDistances(body, 0.02).at(first[None], moves=False).distance.min(initial=0.0) > -0.01
