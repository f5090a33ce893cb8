"""Links of one body touch: exactly solved, without a change of momentum, unseen by controllers, and only if wanted."""

from dataclasses import replace

import numpy as np
import pytest

from poise import Actuation, Body, Scene, World, WorldSettings, audit, metrics
from poise.measure.replay import Replay
from poise.world.recorder import SELF, Recorder

BODY = Body.named("human43")


def folding(qvel, seconds=0.5, step=1 / 120, **scene):
    """A recording of the standing body in free space, whose joints move with the velocities of `qvel`."""
    world = World(Scene((BODY,), gravity=0.0, **scene), WorldSettings(step=step))
    start, velocity = np.array(BODY.standing), np.zeros(BODY.nv)
    start[2] += 5.0
    for joint, values in qvel.items():
        velocity[list(BODY.index(joint))] = values
    return recorded(world, start, velocity, seconds)


def falling(seed, **scene):
    """A recording of a limp body that falls down stairs."""
    world = World(replace(Scene.of(BODY, "stairs:0.15:0.3:6"), **scene))
    random = np.random.default_rng(seed)
    start, velocity = np.array(BODY.standing), random.normal(0, 2, BODY.nv)
    start[[0, 2]] += 0.9, world.scene.terrain.height(0.9, 0.0) + 0.3
    velocity[:6] = (-1.0, 0.3, 0.0, *random.normal(0, 3, 3))
    return recorded(world, start, velocity, 1.5)


def recorded(world, qpos, qvel, seconds):
    world.reset(qpos, qvel)
    recorder, step = Recorder(world, with_reference=False), world.settings.step
    for _ in range(round(seconds / step)):
        recorder.add(world.step())
    return recorder.finish({"step": step, "torque_limits": [None] * BODY.nv})


ARM_IN = {"left_shoulder": (-8.0, 0, 0)}
LEGS = {"left_hip": (-6.0, 0, 0), "right_hip": (6.0, 0, 0)}


def test_a_limp_fall_is_solved_exactly_and_keeps_momentum():
    recording = falling(1)
    solver = recording.meta["solver"]
    assert solver["exact"] == recording.steps
    assert solver["worst_residual"] < 1e-8
    assert np.any(recording.contact_kind == SELF)
    checks = {check.name: check.passed for check in audit(recording).checks}
    assert all(checks[name] for name in ("linear_momentum", "angular_momentum", "centre_of_mass"))
    assert metrics(recording)["overlap_share"] < 0.01


@pytest.mark.parametrize("step", [1 / 240, 1 / 120, 1 / 50])
@pytest.mark.parametrize("motion", [ARM_IN, LEGS])
def test_limbs_stop_at_each_other(motion, step):
    through, stopped = (folding(motion, step=step, self_contact=own) for own in (False, True))
    assert metrics(through)["overlap_mm"] > 30.0
    assert metrics(stopped)["overlap_mm"] < 12.0
    assert metrics(stopped)["overlap_share"] < 0.05
    assert np.any(stopped.contact_kind == SELF)


def test_sides_are_treated_alike():
    recording = folding(LEGS)
    np.testing.assert_allclose(BODY.mirrored(recording.qpos[:, : BODY.nq]), recording.qpos[:, : BODY.nq], atol=1e-9)


def test_without_self_contact_nothing_differs_from_a_scene_without_pairs():
    bare = replace(Scene.of(BODY, "stairs:0.15:0.3:6"), self_contact=False)
    bare.__dict__["_self_pairs"] = []
    random = np.random.default_rng(1)
    worlds = [World(bare), World(replace(Scene.of(BODY, "stairs:0.15:0.3:6"), self_contact=False))]
    start, velocity = np.array(BODY.standing), random.normal(0, 3, BODY.nv)
    start[2] += 1.0
    for world in worlds:
        world.reset(start, velocity)
        for _ in range(120):
            world.step()
    assert worlds[0].model.npair == 0 < worlds[1].model.npair
    np.testing.assert_array_equal(worlds[0].qpos, worlds[1].qpos)


def test_controllers_do_not_see_self_contacts():
    world = World(Scene((BODY,), gravity=0.0))
    start, velocity = np.array(BODY.standing), np.zeros(BODY.nv)
    start[2] += 5.0
    velocity[list(BODY.index("left_shoulder"))] = (-8.0, 0, 0)
    world.reset(start, velocity)
    pressed = 0
    for _ in range(40):
        assert not len(world.state.contacts.body)
        result = world.step(Actuation(feedback=np.zeros((BODY.nv, 0))))
        assert not len(result.body)
        pressed += bool(result.self_contacts.impulse.any())
    assert pressed


def test_replays_find_the_surfaces_of_self_contacts():
    recording = falling(1)
    replay = Replay.of(recording)
    own = np.flatnonzero(recording.contact_kind == SELF)
    for n in own:
        pair = tuple(sorted((int(recording.contact_body[n]), int(recording.contact_other[n]))))
        k = int(recording.contact_step[n])
        assert min(replay.touches[k].gap(pair), replay.touches[k + 1].gap(pair)) < 0.01
