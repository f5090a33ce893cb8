import mujoco
import numpy as np
import pytest

from poise.dynamics.actuation import Actuation
from poise.library.motions import shipped_dynamic
from poise.measure.audit import audit
from poise.physics.dynamic_motion import recording_of_motion, scene_of_dynamic
from poise.world.scene import Scene
from poise.world.world import World


@pytest.mark.parametrize("name", ["walk", "run", "turn-90", "backflip", "chin-up", "squat"])
def test_a_reference_passes_the_audit_of_a_performance(name):
    result = audit(recording_of_motion(shipped_dynamic(name, "biped29")))
    assert result.passed, [check.name for check in result.checks if not check.passed]


def test_who_hangs_has_a_bar():
    assert [prop.name for prop in scene_of_dynamic(shipped_dynamic("hang", "biped29")).props] == ["bar"]
    assert not scene_of_dynamic(shipped_dynamic("walk", "biped29")).props


def test_the_world_finds_the_contacts_that_the_reference_says():
    """From each state of flat-footed stance, torques alone lead to the next: contacts are found by the world itself."""
    motion = shipped_dynamic("squat", "biped29")
    world = World(scene_of_dynamic(motion))
    for k in range(0, motion.clip.frames - 1, 20):
        world.reset(motion.clip.qpos[k], motion.qvel[k])
        world.step(Actuation(torque=motion.torque[k]))
        assert np.abs(world.qvel - motion.qvel[k + 1]).max() < 0.01


@pytest.mark.parametrize("name", ["walk", "turn-90", "backflip", "chin-up"])
def test_the_world_steps_as_the_reference_says(name):
    """High above the ground, with the reference's forces as pushes, each state leads to the next."""
    motion, up = shipped_dynamic(name, "biped29"), np.array([0.0, 0.0, 10.0])
    world, points = World(Scene.of(motion.clip.body)), motion.points() + up
    links = [world.scene.link_id(link) for link in motion.contacts.links]
    jacobian, away = np.zeros((3, world.model.nv)), np.zeros(world.model.nv)
    for k in range(0, motion.clip.frames - 1, 7):
        here, there = (np.concatenate([qpos[:3] + up, qpos[3:]]) for qpos in motion.clip.qpos[k : k + 2])
        world.reset(here, motion.qvel[k])
        push = np.zeros(world.model.nv)
        for link, point, force in zip(links, points[k], motion.contacts.force[k], strict=True):
            mujoco.mj_jac(world.model, world.terms.data, jacobian, None, point, link)
            push += jacobian.T @ force
        world.step(Actuation(torque=motion.torque[k]), push)
        mujoco.mj_differentiatePos(world.model, away, 1.0, there, world.qpos)
        assert np.abs(away).max() < 1e-10
        assert np.abs(world.qvel - motion.qvel[k + 1]).max() < 1e-8
