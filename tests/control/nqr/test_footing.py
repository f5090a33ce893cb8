"""The levels of the ground, seen and felt, and how legs reach for them."""

import itertools
from dataclasses import replace
from types import SimpleNamespace

import mujoco
import numpy as np
import pytest

from poise.body import Body
from poise.control.nqr.footholds import footholds_of
from poise.control.nqr.footing import CLEARANCE, NEWS, Footing
from poise.reference.shipping import finished

BODY = Body.named("biped29")
LEFT, RIGHT = (BODY.link_id(foot.link) for foot in BODY.feet)
STEP = 1 / 120
RISE = 0.04


@pytest.fixture(scope="module")
def walk():
    return finished("walk", "biped29")


@pytest.fixture(scope="module")
def holds(walk):
    return footholds_of(walk)


def touching(*places, other=0):
    """Contacts of links at levels, m."""
    links, levels = zip(*places, strict=True) if places else ((), ())
    point = np.zeros((len(links), 3))
    point[:, 2] = levels
    return SimpleNamespace(
        touching=np.ones(len(links), bool),
        other=np.full(len(links), other),
        body=np.array(links, np.int64),
        point=point,
    )


def walked(footing, walk, holds, frames, contacts=lambda frame: touching()):
    """Levels and reaches while the walk goes through frames, exactly."""
    steps, stride = len(walk.torque), walk.clip.qpos[-1, :3] - walk.clip.qpos[0, :3]
    for frame in frames:
        k = frame % steps
        footing.feel(contacts(k))
        footing.follow(holds, k, walk.clip.qpos[k, :3] + frame // steps * stride, 0.0)
        yield footing.level(holds, k), footing.reach(holds, k, STEP)


def test_on_level_ground_the_motion_stays_as_it_is(walk, holds):
    footing = Footing(BODY, 0.5, lambda x, y: 0.5)
    for level, reach in walked(footing, walk, holds, range(200)):
        assert level == 0.5
        assert not any(part.any() for part in reach)


def test_a_step_that_is_seen_is_climbed_from_landing_to_landing(walk, holds):
    footing = Footing(BODY, 0.0, lambda x, y: RISE if x > 1.0 else 0.0)
    levels, reaches = zip(*walked(footing, walk, holds, range(300)), strict=True)
    assert levels[0] == 0.0
    assert levels[-1] == pytest.approx(RISE, abs=1e-6)
    assert np.all(np.diff(levels) > -1e-6)
    assert np.max(np.abs(np.diff(levels))) < 0.1 * RISE
    assert not reaches[0].now.any()


def test_feet_pass_above_the_step(walk, holds):
    """By inverse kinematics of the first order, to within a quarter."""
    footing = Footing(BODY, 0.0, lambda x, y: RISE if x > 1.0 else 0.0)
    plain = walk.points()
    highest = 0.0
    for k, (level, reach) in enumerate(walked(footing, walk, holds, range(126))):
        lifted = level + _soles(walk, k, reach) - plain[k][:, 2]
        highest = max(highest, float(lifted.max()))
    assert RISE + 0.5 * CLEARANCE < highest < 1.25 * (RISE + CLEARANCE)


def _soles(walk, k, reach):
    """Heights of the balls of a pose with its legs bent."""
    pose = np.array(walk.clip.qpos[k])
    mujoco.mj_integratePos(BODY.model, pose, reach.now, 1.0)
    clip = replace(walk.clip, qpos=np.array([pose, pose]))
    return replace(walk, clip=clip).points()[0][:, 2]


def test_reaching_goes_where_it_says(walk, holds):
    """Where nothing new is seen, the reach at a step's end is that at the beginning of the next."""
    footing = Footing(BODY, 0.0, lambda x, y: RISE if x > 1.0 else 0.0)
    found = list(walked(footing, walk, holds, range(126)))
    misses = [np.abs(after[1].now - before[1].ahead)[6:].max() for before, after in itertools.pairwise(found)]
    assert np.median(misses) < 1e-6
    assert max(misses) < 0.1


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


def test_what_is_not_ground_or_not_a_foot_tells_nothing(walk, holds):
    footing = Footing(BODY, 0.0)
    for contacts in (touching((LEFT, 0.3), other=7), touching((BODY.link_id(BODY.trunk), 0.3))):
        assert [level for level, _ in walked(footing, walk, holds, [20] * 9, lambda k, now=contacts: now)] == [0.0] * 9
        assert not footing.stands.any()
