"""Pairs of geoms of one body that can touch: symmetric, apart when standing, of different limbs."""

import mujoco
import pytest

from poise.body.body import Body
from poise.body.self_contact import SLACK, self_contact_pairs


def touching_links(body):
    def link(geom):
        return body.model.body(body.model.geom(geom).bodyid[0]).name

    return {frozenset((link(pair.first), link(pair.second))) for pair in self_contact_pairs(body)}


def test_no_pair_presses_in_the_standing_pose(body):
    data = mujoco.MjData(body.model)
    data.qpos[:] = body.standing
    mujoco.mj_kinematics(body.model, data)
    pairs = self_contact_pairs(body)
    assert pairs
    for pair in pairs:
        ids = (body.model.geom(name).id for name in (pair.first, pair.second))
        assert mujoco.mj_geomDistance(body.model, data, *ids, 1.0, None) + pair.slack >= SLACK - 1e-9


def test_pairs_are_symmetric(body):
    if body.symmetry is None:
        pytest.skip("no mirror")
    mirror = body.link_mirror
    links = touching_links(body)
    assert links == {frozenset(mirror[link] for link in pair) for pair in links}


def test_limbs_touch_each_other_but_not_their_neighbours():
    body = Body.named("human58")
    links = touching_links(body)
    for touching in ("left_shank right_foot", "left_hand head", "left_thigh thorax", "right_forearm lower_back",
                     "left_thumb right_thigh", "left_foot left_hand"):  # fmt: skip
        assert frozenset(touching.split()) in links
    for apart in ("pelvis left_thigh", "left_thigh left_foot", "left_hand left_forearm", "head thorax",
                  "thorax left_upper_arm", "left_clavicle thorax"):  # fmt: skip
        assert frozenset(apart.split()) not in links


def test_a_lamp_touches_its_base():
    assert frozenset(("base", "shade")) in touching_links(Body.named("lamp14"))


LEG = '<body name="{0}_foot" pos="0 {1} -.5"><joint axis="0 1 0" range="-1 1"/><geom size=".05"/></body>'
ROBOT = f"""<mujoco><worldbody><body name="torso" pos="0 0 1"><freejoint/><geom size=".1"/>
  {LEG.format("left", 0.1)}{LEG.format("right", -0.1)}</body></worldbody>{{}}</mujoco>"""


def test_excluded_links_of_mjcf_do_not_touch():
    feet = '<contact><exclude body1="right_foot" body2="left_foot"/></contact>'
    assert len(self_contact_pairs(Body.from_mjcf(ROBOT.format("")))) == 1
    assert not self_contact_pairs(Body.from_mjcf(ROBOT.format(feet)))
