"""A user's own MJCF: what is read, what is guessed, what is refused and how that is said."""

import numpy as np
import pytest

from poise.body.body import Body
from poise.errors import PoiseError

LEG = """
<body name="{side}_foot" pos="0 {y} -.5">
  <joint name="{side}_hip_y" axis="0 1 0" range="-30 30"/>
  <joint name="{side}_hip_x" axis="{x} 0 0" range="-30 30"/>
  <geom type="box" size=".1 .04 .02"/>
</body>"""
LEGS = LEG.format(side="l", y=0.1, x=1) + LEG.format(side="r", y=-0.1, x=-1)
MOTOR = '<motor joint="{}_hip_y" gear="50" ctrlrange="-1 1"/>'
MOTORS = f"<actuator>{MOTOR.format('l')}{MOTOR.format('r')}</actuator>"


def walker(root="<freejoint/>", legs=LEGS, extra="", after=""):
    return f"""<mujoco model="walker"><worldbody>
      <light pos="0 0 3"/><geom type="plane" size="1 1 1"/>{extra}
      <body name="torso" pos="0 0 1">{root}<camera/><geom type="sphere" size=".1"/>{legs}</body>
    </worldbody>{after}</mujoco>"""


def test_a_walker_is_read():
    body = Body.from_mjcf(walker(after=MOTORS))
    assert body.name == "walker"
    assert [j.name for j in body.joints] == ["root", "l_hip", "r_hip"]
    assert body.joint("l_hip").elements == ("l_hip_y", "l_hip_x")
    np.testing.assert_allclose(body.upper[6:], np.radians(30))
    np.testing.assert_array_equal(body.torque_limit[6:], [50, np.inf, 50, np.inf])
    np.testing.assert_array_equal(body.mirror_signs[6:], [1, 1, 1, 1])  # the right x axis is already reflected
    assert body.standing[2] == pytest.approx(0.52)
    assert body.groups["left_leg"] == ("l_hip",)
    assert {f.link: f.ankle for f in body.feet} == {"l_foot": "l_hip", "r_foot": "r_hip"}
    np.testing.assert_allclose(body.feet[1].points[0], [-0.1, -0.04, -0.02], atol=1e-12)


def test_what_is_missing_is_said():
    body = Body.from_mjcf(walker())
    assert body.missing == ("hands", "head", "torque limits")
    body.require("feet", "mirror", for_whom="pendulum")
    with pytest.raises(PoiseError, match="'walker' lacks torque limits, head, which pendulum needs"):
        body.require("feet", "torque limits", "head", for_whom="pendulum")


def test_only_the_character_is_kept():
    body = Body.from_mjcf(walker(extra='<body name="table"><geom size=".2"/></body>', after=MOTORS))
    for word in ("plane", "light", "camera", "actuator", "table"):
        assert word not in body.mjcf
    assert all(body.model.geom(k).name for k in range(body.model.ngeom))


def test_free_joint_by_type_and_actuator_force_range():
    legs = LEGS.replace('range="-30 30"', 'range="-30 30" actuatorfrcrange="-9 9"')
    body = Body.from_mjcf(walker(root='<joint type="free"/>', legs=legs))
    np.testing.assert_array_equal(body.torque_limit[6:], 9)
    assert body.joints[0].kind == "free"


def test_ball_ranges_become_boxes():
    legs = '<body name="tail"><joint name="tail" type="ball" range="0 40"/><geom size=".05"/></body>'
    body = Body.from_mjcf(walker(legs=legs))
    np.testing.assert_allclose(body.lower[6:], -np.radians(40))
    assert body.dof_names[6:] == ("tail_x", "tail_y", "tail_z")


def test_unlike_sides_have_no_mirror():
    body = Body.from_mjcf(walker(legs=LEG.format(side="l", y=0.1, x=1) + LEG.format(side="r", y=-0.2, x=-1)))
    assert "mirror pairs" in body.missing
    with pytest.raises(PoiseError, match="lacks mirror pairs"):
        body.mirrored(body.standing)


def test_our_own_bodies_come_back(body):
    other = Body.from_mjcf(body.mjcf)
    assert (other.nv, other.mass) == (body.nv, body.mass)
    assert other.symmetry is not None
    if {"left_foot", "right_foot"} <= set(body.links):
        np.testing.assert_allclose(other.feet[0].points, body.feet[0].points, atol=1e-9)


SLIDE = '<body name="rail"><joint name="rail_x" type="slide"/><geom size=".1"/></body>'
MIXED = '<body name="knot"><joint name="a"/><joint name="b" type="ball"/><geom size=".1"/></body>'
HOLLOW = '<body name="ghost"><joint name="a"/><geom size=".1" mass="0"/></body>'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<mujoco><worldbody>", "not well-formed XML"),
        ("<robot/>", "outermost element is <robot>"),
        (walker(root=""), "no free root: add <freejoint/> to body 'torso'"),
        ("<mujoco><worldbody/></mujoco>", "no body has a joint"),
        (walker(extra='<body name="twin"><freejoint/><geom size=".1"/></body>'), r"several characters \(torso, twin\)"),
        (walker(legs=SLIDE), "joint 'rail_x' is a slide joint"),
        (walker(legs=MIXED), "shares link 'knot'"),
        (walker(legs=HOLLOW), "ghost"),
        (walker(legs=LEGS.replace("-.5", "nan")), "body 'l_foot' has pos=.*not a finite number"),
        (walker(after='<asset><mesh name="m" file="gone.stl"/></asset>'), "gone.stl"),
        (walker(legs='<body name="b"><joint class="c"/></body>'), "class"),
    ],
)
def test_bad_input_is_one_line_that_names_the_culprit(text, message):
    with pytest.raises(PoiseError, match=message) as caught:
        Body.from_mjcf(text)
    assert "\n" not in str(caught.value)


def test_files_are_named_in_messages(tmp_path):
    with pytest.raises(PoiseError, match=r"cannot read .*nowhere\.xml"):
        Body.from_mjcf(tmp_path / "nowhere.xml")
    path = tmp_path / "broken.xml"
    path.write_text("<mujoco>")
    with pytest.raises(PoiseError, match=r"^broken\.xml: not well-formed"):
        Body.from_mjcf(path)


def test_included_files_are_followed(tmp_path):
    (tmp_path / "legs.xml").write_text(f"<mujoco>{LEGS}</mujoco>")
    path = tmp_path / "walker.xml"
    path.write_text(walker(legs='<include file="legs.xml"/>'))
    assert Body.from_mjcf(path).nv == 10
