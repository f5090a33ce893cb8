import pytest

from poise.measure import audit
from poise.reference.shipping import finished
from poise.world import World
from poise.world.rehearsed import rehearsed, stage


@pytest.mark.parametrize("name", ["walk", "run", "turn-90", "backflip", "chin-up", "squat"])
def test_a_reference_passes_the_audit_of_a_performance(name):
    result = audit(rehearsed(finished(name, "biped29")))
    assert result.passed, [check.name for check in result.checks if not check.passed]


def test_who_hangs_has_a_bar():
    assert [prop.name for prop in stage(finished("hang", "biped29")).props] == ["bar"]
    assert not stage(finished("walk", "biped29")).props


def test_the_world_steps_as_the_reference_says():
    """From each state of flat-footed stance, torques alone lead to the next: contacts are found by the world itself."""
    import numpy as np

    from poise.dynamics import Actuation

    motion = finished("squat", "biped29")
    world = World(stage(motion))
    for k in range(0, motion.clip.frames - 1, 20):
        world.reset(motion.clip.qpos[k], motion.qvel[k])
        world.step(Actuation(torque=motion.torque[k]))
        assert np.abs(world.qvel - motion.qvel[k + 1]).max() < 0.01
