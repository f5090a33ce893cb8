"""Short tasks at random trajectories, for checks of derivatives."""

import numpy as np

from bodies import body_of
from poise.body.pose_space import PoseSpace
from poise.physics.task import Closure, EndState, SpacetimeTask, TaskSpheres

FRAMES = 6  # N + 1


def poses(body, count, seed, size=0.15):
    """(count, nq) random poses around standing, within limits."""
    random, space = np.random.default_rng(seed), PoseSpace(body)
    return space.clamped(space.moved(np.tile(body.standing, (count, 1)), size * random.normal(size=(count, body.nv))))


def balls(body, down, held=False, seed=0):
    """Two balls that roll and a point, which are `down` (FRAMES, 3) or not, and one that only keeps off the ground."""
    random = np.random.default_rng(seed)
    links = [body.link_id(body.feet[0].link), body.link_id(body.feet[1].link), body.link_id(body.hands[0].link), 1]
    place = np.full((4, 3), np.nan)
    if held:
        place[2] = 0.3, 0.2, 1.1
    return TaskSpheres(
        ("left", "right", "hand", "pelvis"),
        np.array(links, np.int64),
        0.05 * random.normal(size=(4, 3)),
        np.array([0.04, 0.06, 0.0, 0.1]),
        np.concatenate([down, np.zeros((FRAMES, 1), bool)], axis=1),
        0.01 * random.normal(size=(FRAMES, 4)),
        np.where(random.random((FRAMES, 4)) < 0.3, -np.inf, 0.02),
        place,
    )


def cyclic(name):
    """A cycle that turns; balls come down and lift off."""
    body = body_of(name)
    down = np.array([[0, 1, 1, 1, 1, 0], [1, 1, 0, 0, 1, 1], [0, 0, 1, 1, 0, 0]], bool).T
    return SpacetimeTask(
        body, 1 / 60, poses(body, FRAMES, 1), balls(body, down), closure=Closure(0.4, np.array([0.5, 0.1]))
    )


def transitional(name):
    """From one state to another with a hand that holds on."""
    body = body_of(name)
    down = np.array([[1, 1, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1], [1, 1, 1, 1, 0, 0]], bool).T
    first, before, last, last_but_one = poses(body, 4, 2)
    start, end = EndState(first, before, np.arange(6.0)), EndState(last, last_but_one, -np.ones(6))
    return SpacetimeTask(body, 1 / 60, poses(body, FRAMES, 3), balls(body, down, held=True), start=start, end=end)


def resting(name):
    """Rest at both ends in a pose of its own choice."""
    body = body_of(name)
    return SpacetimeTask(
        body, 1 / 60, poses(body, FRAMES, 4), balls(body, np.ones((FRAMES, 3), bool)), rest=(True, True)
    )


def flight(name):
    """Nothing ever touches."""
    body = body_of(name)
    return SpacetimeTask(body, 1 / 60, poses(body, FRAMES, 5), balls(body, np.zeros((FRAMES, 3), bool)))


KINDS = {"cyclic": cyclic, "transitional": transitional, "resting": resting, "flight": flight}
