"""Which links make up a foot."""

import numpy as np
import pytest

from poise.body.body import Body
from poise.body.surface import descendant_links, foot_links


@pytest.mark.parametrize("name", ["biped29", "human42", "human58"])
def test_a_foot_has_its_link_and_its_toes(name):
    body = Body.named(name)
    left, right = foot_links(body)
    assert not set(left) & set(right)
    for foot, links in zip(body.feet, (left, right), strict=True):
        side = foot.link.split("_")[0]
        assert body.link_id(foot.link) == links[0]
        assert all(body.model.body(link).name.startswith(side) for link in links)
        ends = [link for link in range(1, body.model.nbody) if link not in body.model.body_parentid]
        assert np.isin(links, ends).any()


def test_everything_hangs_on_the_root():
    model = Body.named("biped29").model
    np.testing.assert_array_equal(descendant_links(model, 1), np.arange(1, model.nbody))
