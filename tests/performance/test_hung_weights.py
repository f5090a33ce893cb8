"""A weight on a link acts like the same mass in the model, and its whole force is recorded."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from poise import Body, PoiseError
from poise.body.load import LoadBox, _loaded_inertial
from poise.dynamics.actuation import Actuation, Motors
from poise.performance.forces import WeightHungInRun, hung_force
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.world import World

BODY = Body.named("biped29")
SETTINGS = WorldSettings(step=1 / 120)
NOBODY = World(Scene((BODY,)), SETTINGS)
STIFF = np.where(np.arange(NOBODY.model.nv) < 6, 0.0, 5.0)
MOTORS = Actuation(motors=Motors(np.zeros(NOBODY.model.nv), STIFF))


def with_point_masses(weights):
    """A world whose model contains the masses."""
    tree = ElementTree.fromstring(BODY.mjcf)
    for weight in weights:
        link = BODY.links[weight.link - 1]
        element = next(each for each in tree.iter("body") if each.get("name") == link)
        for old in element.findall("inertial"):
            element.remove(old)
        point = LoadBox(weight.mass, np.array(weight.point), np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3), solid=False)
        element.append(_loaded_inertial(BODY, link, point))
    heavy = replace(BODY, mjcf=ElementTree.tostring(tree, encoding="unicode"), plan=None)
    return World(Scene((heavy,)), SETTINGS)


def thrown():
    """In the air, rotating with moving joints."""
    qpos, qvel = np.array(NOBODY.model.qpos0), np.random.default_rng(3).normal(0.0, 1.5, NOBODY.model.nv)
    qpos[2] += 2.0
    return qpos, qvel


def standing():
    """On the ground, with stiff joints."""
    return BODY.standing, np.zeros(NOBODY.model.nv)


def push_at(step):
    """(nv,) N: a push to the side for some time."""
    out = np.zeros(NOBODY.model.nv)
    out[1] = 150.0 if 5 <= step < 15 else 0.0
    return out


def unpushed(_):
    return None


HAND, OTHER, FOOT = BODY.hands[0].link, BODY.hands[1].link, BODY.feet[0].link


@pytest.mark.parametrize(
    ("hung", "begin", "push"),
    [
        pytest.param({HAND: 2.0}, thrown, unpushed, id="light"),
        pytest.param({HAND: 10.0}, thrown, unpushed, id="heavy"),
        pytest.param({HAND: 8.0, OTHER: 3.0}, thrown, unpushed, id="one in each hand"),
        pytest.param({HAND: 8.0, BODY.trunk: 20.0}, thrown, unpushed, id="one above the other"),
        pytest.param({HAND: 8.0}, thrown, push_at, id="pushed in the air"),
        pytest.param({HAND: 15.0}, standing, unpushed, id="on the ground"),
        pytest.param({HAND: 8.0, OTHER: 3.0}, standing, push_at, id="pushed on the ground"),
        pytest.param({FOOT: 10.0, HAND: 8.0}, standing, push_at, id="on a foot that stands"),
    ],
)
def test_it_moves_the_body_as_a_mass_in_the_model_does(hung, begin, push):
    world, bare = World(Scene((BODY,)), SETTINGS), World(Scene((BODY,)), SETTINGS)
    weights = [WeightHungInRun.on(world, link, mass) for link, mass in hung.items()]
    carried = with_point_masses(weights)
    for each in (world, carried, bare):
        each.reset(*begin())
    for step in range(40):
        others = push(step)
        pulled = hung_force(weights, world, MOTORS, others)
        world.step(MOTORS, pulled if others is None else pulled + others)
        carried.step(MOTORS, others)
        bare.step(MOTORS, others)
    off, without = (np.abs(each.qpos - carried.qpos).max() for each in (world, bare))
    assert off < 0.05 * without
    assert without > 0.05, "a weight that does not matter shows nothing"


def test_a_weight_has_no_force_in_free_fall_and_its_full_weight_at_rest():
    world = World(Scene((BODY,)), SETTINGS)
    weight = WeightHungInRun.on(world, BODY.trunk, 10.0)
    qpos, qvel = thrown()
    world.reset(qpos, 0 * qvel)
    assert np.abs(hung_force([weight], world, MOTORS, None)[:3]).max() < 1.0
    held = np.zeros(world.model.nv)
    held[2] = BODY.mass * 9.81 + 98.1
    assert hung_force([weight], world, MOTORS, held)[2] == pytest.approx(-98.1, abs=1.0)


def test_computing_the_force_leaves_the_world_unchanged():
    world = World(Scene((BODY,)), SETTINGS)
    world.reset(*thrown())
    before, steps = (world.qpos.copy(), world.qvel.copy()), world.steps
    hung_force([WeightHungInRun.on(world, BODY.trunk, 5.0)], world, MOTORS, None)
    assert (world.qpos == before[0]).all()
    assert (world.qvel == before[1]).all()
    assert (world.time, world.steps) == (0.0, steps)


def test_invalid_weights_are_refused():
    for link, mass in (("tail", 3.0), (BODY.trunk, 0.0), (BODY.trunk, 1e6)):
        with pytest.raises(PoiseError, match=r"tail|must be above 0"):
            WeightHungInRun.on(NOBODY, link, mass)
