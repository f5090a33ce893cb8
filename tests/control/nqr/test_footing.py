"""The levels of the ground, seen and felt, and how legs reach for them."""

import itertools
import math
from dataclasses import replace
from types import SimpleNamespace

import mujoco
import numpy as np
import pytest

from poise.body import Body
from poise.body.carrying import Carriage
from poise.control.nqr.footholds import footholds_of
from poise.control.nqr.footing import NEWS, Footing
from poise.control.nqr.track import track_of
from poise.reference.shipping import finished
from poise.world.terrain import parse_terrain

BODY = Body.named("biped29")
LEFT, RIGHT = (BODY.link_id(foot.link) for foot in BODY.feet)
STEP = 1 / 120
RISE = 0.04
AHEAD = Carriage(0.0, np.zeros(3))
STRIDE = 126


@pytest.fixture(scope="module")
def walk():
    return finished("walk", "biped29")


@pytest.fixture(scope="module")
def holds(walk):
    return footholds_of(walk, track_of(walk))


def touching(*places, other=0, upward=1.0):
    """Contacts of links at levels, m."""
    links, levels = zip(*places, strict=True) if places else ((), ())
    point, frame = np.zeros((len(links), 3)), np.zeros((len(links), 3, 3))
    point[:, 2] = levels
    frame[:, 0, 2] = upward
    return SimpleNamespace(
        touching=np.ones(len(links), bool),
        other=np.full(len(links), other),
        body=np.array(links, np.int64),
        point=point,
        frame=frame,
    )


def once_up(x, y):
    """A step, m."""
    return RISE if x > 1.0 else 0.0


def poses(walk, frames, carriage=AHEAD):
    """(T, nq) of cycles one after the other, in the world."""
    further = (walk.clip.qpos[-1, :3] - walk.clip.qpos[0, :3]) * [1.0, 1.0, 0.0]
    numbers = np.asarray(frames)
    found = np.array(walk.clip.qpos[numbers % STRIDE])
    found[:, :3] += (numbers // STRIDE)[:, None] * further
    return carriage.pose(found)


def walked(footing, walk, holds, frames, contacts=lambda frame: touching(), carriage=AHEAD):
    """Levels and reaches while the walk goes through frames, exactly."""
    for frame, pose in zip(frames, poses(walk, frames, carriage), strict=True):
        k = frame % STRIDE
        footing.feel(contacts(k))
        footing.look(holds, k, pose[:3], carriage.yaw)
        yield footing.level(holds, k), footing.reach(holds, k, STEP)


def test_on_level_ground_the_motion_stays_as_it_is(walk, holds):
    footing = Footing(BODY, 0.5, lambda x, y: 0.5)
    for level, reach in walked(footing, walk, holds, range(200)):
        assert level == 0.5
        assert not any(part.any() for part in reach)


def test_a_step_that_is_seen_is_climbed_from_landing_to_landing(walk, holds):
    levels, reaches = zip(*walked(Footing(BODY, 0.0, once_up), walk, holds, range(300)), strict=True)
    assert levels[0] == 0.0
    assert levels[-1] == pytest.approx(RISE, abs=1e-6)
    assert np.all(np.diff(levels) > -1e-6)
    assert np.max(np.abs(np.diff(levels))) < 0.1 * RISE
    assert not reaches[0].now.any()


@pytest.mark.parametrize("terrain", ["stairs:0.04:0.7:12", "stairs:-0.04:0.7:12", "drop:-0.04"])
def test_soles_pass_above_the_edges_and_stand_on_the_treads(walk, holds, terrain):
    """By inverse kinematics of the first order, to within a fourth of the height of a step, and half of it."""
    height, frames = parse_terrain(terrain).height, range(4 * STRIDE)
    tracked = poses(walk, frames)
    for pose, (level, reach) in zip(tracked, walked(Footing(BODY, 0.0, height), walk, holds, frames), strict=True):
        pose[2] += level
        mujoco.mj_integratePos(BODY.model, pose, reach.now, 1.0)
    soles = replace(walk, clip=replace(walk.clip, qpos=tracked)).points()
    over = soles[..., 2] - np.vectorize(height)(soles[..., 0], soles[..., 1])
    down = np.tile(walk.contacts.down[:-1], (4, 1))
    assert over[~down].min() > -0.25 * RISE
    assert np.abs(over[down]).max() < 0.55 * RISE


def test_feet_are_lifted_higher_than_the_step(walk, holds):
    plain = walk.points()[:-1, :, 2]
    found = walked(Footing(BODY, 0.0, once_up), walk, holds, range(STRIDE))
    raised = np.array(walk.clip.qpos[:-1])
    for pose, (level, reach) in zip(raised, found, strict=True):
        pose[2] += level
        mujoco.mj_integratePos(BODY.model, pose, reach.now, 1.0)
    lifted = replace(walk, clip=replace(walk.clip, qpos=raised)).points()[..., 2] - plain
    assert RISE + 0.015 < lifted.max() < 1.25 * (RISE + 0.03)


@pytest.mark.parametrize("height", [once_up, lambda x, y: 0.03 * math.sin(3 * x) * math.cos(5 * y)])
def test_reaching_goes_where_it_says(walk, holds, height):
    """The reach at a step's end is that at the beginning of the next, since nothing new is seen on an exact walk."""
    found = list(walked(Footing(BODY, 0.0, height), walk, holds, range(4 * STRIDE)))
    assert max(np.abs(reach.now).max() for _, reach in found) > 0.1
    for (level, reach), (then, onward) in itertools.pairwise(found):
        assert level + reach.ahead[2] == pytest.approx(then, abs=1e-9)
        np.testing.assert_allclose(onward.now[6:], reach.ahead[6:], atol=1e-9)


@pytest.mark.parametrize("yaw", [0.4, 1.9, -2.6])
def test_whichever_way_it_goes_it_reaches_alike(walk, holds, yaw):
    """Over ground that is turned and shifted with the walk."""
    there = Carriage(yaw, np.array([3.0, -2.0, 0.0]))

    def turned(x, y):
        back = Carriage(-yaw, np.zeros(3)).vector(np.array([x, y, 0.0]) - there.way)
        return once_up(back[0], back[1])

    plain = walked(Footing(BODY, 0.0, once_up), walk, holds, range(200))
    other = walked(Footing(BODY, 0.0, turned), walk, holds, range(200), carriage=there)
    for (level, reach), (same, alike) in zip(plain, other, strict=True):
        assert same == pytest.approx(level, abs=1e-9)
        for one, two in zip(reach, alike, strict=True):
            np.testing.assert_allclose(two, one, atol=1e-9)


@pytest.mark.parametrize("terrain", ["stairs:0.04:0.7:12", "slope:3"])
def test_a_motion_that_climbs_by_itself_is_not_raised_again(walk, terrain):
    """A walk that knows the ground below its balls, as edits of motions make them."""
    height = parse_terrain(terrain).height
    balls = walk.points()
    ground = np.vectorize(height)(balls[..., 0], balls[..., 1])
    climbing = replace(walk, clip=replace(walk.clip, cyclic=False), contacts=replace(walk.contacts, ground=ground))
    known = footholds_of(climbing, track_of(climbing))
    felt = touching((LEFT, 0.0), (RIGHT, 0.0))

    def stood(k):
        """Where the motion has its feet."""
        felt.point[:, 2] = known.ground[k]
        return felt

    found = list(walked(Footing(BODY, 0.0, height), climbing, known, range(STRIDE), stood))
    assert max(abs(level) for level, _ in found) < 1e-9
    assert not any(reach.now.any() for _, reach in found)
    again = list(walked(Footing(BODY, 0.0, height), walk, footholds_of(walk, track_of(walk)), range(STRIDE)))
    assert max(abs(level) for level, _ in again) > 0.02


def test_who_cannot_see_expects_the_level_of_the_foot_that_landed_last(walk, holds):
    footing = Footing(BODY, 0.0)

    def lower(k):
        return touching(*((link, -RISE) for link, down in zip((LEFT, RIGHT), holds.down[k], strict=True) if down))

    levels = [level for level, _ in walked(footing, walk, holds, range(300), lower)]
    assert levels[-1] == pytest.approx(-RISE, abs=1.5 * NEWS)


def test_what_is_felt_corrects_what_was_seen(walk, holds):
    footing = Footing(BODY, 0.0, lambda x, y: 0.0)
    (level, _), *_ = reversed(list(walked(footing, walk, holds, [20] * 60, lambda k: touching((LEFT, RISE)))))
    assert level > 0.3 * RISE


@pytest.mark.parametrize(
    "contacts",
    [
        touching((LEFT, 0.3), other=7),
        touching((BODY.link_id(BODY.trunk), 0.3)),
        touching((LEFT, 0.3), upward=0.1),
    ],
    ids=["a thing", "the trunk", "a wall"],
)
def test_what_is_not_ground_or_not_a_foot_tells_nothing(walk, holds, contacts):
    footing = Footing(BODY, 0.0)
    assert not footing.feel(contacts).any()
    assert [level for level, _ in walked(footing, walk, holds, [20] * 9, lambda k: contacts)] == [0.0] * 9
    assert footing.feel(touching((RIGHT, 0.3))).tolist() == [False, True]
