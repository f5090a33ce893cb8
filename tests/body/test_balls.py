import mujoco
import numpy as np
import pytest

from poise.body.body import Body
from poise.body.surface import contact_spheres_of_body

SHAPES = """
<mujoco><worldbody><body name="trunk" pos="0 0 2" euler="10 20 30"><freejoint/>
  <geom name="head" type="sphere" size=".1" pos=".1 0 .5"/>
  <geom name="spine" type="capsule" size=".05" fromto="0 0 0 .1 .2 .4"/>
  <geom name="foot" type="box" size=".1 .05 .02" pos="0 0 -.4" euler="40 0 10"/>
  <geom name="hat" type="sphere" size=".3" contype="0" conaffinity="0"/>
</body></worldbody></mujoco>"""


def test_spheres_ends_of_capsules_and_corners_of_boxes():
    balls = contact_spheres_of_body(Body.from_mjcf(SHAPES))
    assert [ball.name.rsplit("_", 1)[0] for ball in balls] == ["head"] + 2 * ["spine"] + 8 * ["foot"]
    assert {ball.radius for ball in balls} == {0.1, 0.05, 0.0}
    assert {ball.link for ball in balls} == {"trunk"}


@pytest.mark.parametrize("name", ["head", "spine", "foot"])
def test_the_lowest_ball_is_as_low_as_the_shape(name):
    """MuJoCo's distance of a shape to a plane far below."""
    body = Body.from_mjcf(SHAPES)
    text = body.mjcf.replace("<worldbody>", '<worldbody><geom name="floor" type="plane" size="9 9 1"/>')
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    far = mujoco.mj_geomDistance(model, data, model.geom("floor").id, model.geom(name).id, 9.0, None)
    link = data.body("trunk")
    lowest = [
        (link.xpos + link.xmat.reshape(3, 3) @ ball.centre)[2] - ball.radius
        for ball in contact_spheres_of_body(body)
        if ball.name.startswith(name)
    ]
    assert min(lowest) == pytest.approx(far, abs=1e-9)
    assert np.ptp([ball.radius for ball in contact_spheres_of_body(body) if ball.name.startswith(name)]) == 0.0
