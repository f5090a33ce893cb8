"""The observed state of a body, against MuJoCo."""

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from bodies import body_of
from poise.body.pose_space import PoseSpace
from poise.control.pendulum.walker import PRESSED, Walker
from poise.world.scene import Scene
from poise.world.world import World


def tossed(body, seed):
    """A world with a body at an arbitrary position, in an arbitrary pose and motion."""
    rng, world = np.random.default_rng(seed), World(Scene.of(body))
    step = 0.3 * rng.standard_normal((1, body.nv))
    qpos = PoseSpace(body).moved(np.array(body.standing)[None], step)[0]
    qpos[2] += 1.0
    world.reset(qpos, rng.standard_normal(body.nv))
    return world


@pytest.mark.parametrize("name", ["human58", "biped29"])
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1))
def test_velocity_and_spin_are_those_of_the_whole_body(name, seed):
    body = body_of(name)
    world = tossed(body, seed)
    state, data = world.state, mujoco.MjData(world.scene.model)
    data.qpos[:], data.qvel[:] = state.qpos, state.qvel
    mujoco.mj_forward(world.scene.model, data)
    mujoco.mj_subtreeVel(world.scene.model, data)
    seen = Walker(world).observe(state)
    np.testing.assert_allclose(seen.com, data.subtree_com[1], atol=1e-9)
    np.testing.assert_allclose(seen.velocity, data.subtree_linvel[1], atol=1e-9)
    momentum = data.subtree_angmom[1] / body.mass
    np.testing.assert_allclose(seen.spin, [momentum[1], -momentum[0]], atol=1e-9)


def test_who_tips_forward_spins_forward():
    """Rotation about y, which points left, tips the head along x; rotation about x tips it to the right."""
    body = body_of("human58")
    world = World(Scene.of(body))
    for turn, way in (((0.0, 1.0, 0.0), (1.0, 0.0)), ((1.0, 0.0, 0.0), (0.0, -1.0))):
        world.reset(np.array(body.standing), np.concatenate([np.zeros(3), turn, np.zeros(body.nv - 6)]))
        spin = Walker(world).observe(world.state).spin
        assert spin @ np.array(way) > 0.1
        assert abs(spin @ np.array(way)[::-1]) < 0.1 * (spin @ np.array(way))


def test_hips_ankles_and_balls_are_where_they_are(world, walker, body):
    world.reset(np.array(body.standing), np.zeros(body.nv))
    seen, data = walker.observe(world.state), world.state.data
    for side, name in enumerate(("left", "right")):
        np.testing.assert_array_equal(seen.ankle[side], data.body(f"{name}_foot").xpos)
        np.testing.assert_array_equal(seen.hip[side], data.body(f"{name}_thigh").xpos)
        assert seen.ball[side, 2] == pytest.approx(0.0, abs=1e-6)
        np.testing.assert_allclose(
            seen.pressed[side, :2], seen.ankle[side, :2] + PRESSED * (seen.ball - seen.ankle)[side, :2]
        )
        assert seen.foot_yaw(side) == pytest.approx(0.0, abs=1e-9)
    assert seen.touching.all()
