"""Levels of the ground, seen and felt, and the leg adjustments that reach them."""

import itertools
from dataclasses import replace
from types import SimpleNamespace

import mujoco
import numpy as np
import pytest

from poise.body.body import Body
from poise.body.pose_space import PoseDisplacement
from poise.control.nqr.footholds import nqr_contact_preview, segment_foot_contacts
from poise.control.nqr.ground_levels import TOLERANCE, NqrGroundLevels
from poise.library.motions import shipped_dynamic
from poise.world.terrain_kinds import parse_terrain

BODY = Body.named("biped29")
LEFT, RIGHT = (BODY.link_id(foot.link) for foot in BODY.feet)
STEP = 1 / 120
RISE = 0.04
AHEAD = PoseDisplacement(0.0, np.zeros(3))
STRIDE = 126


@pytest.fixture(scope="module")
def walk():
    return shipped_dynamic("walk", "biped29")


@pytest.fixture(scope="module")
def holds(walk):
    return segment_foot_contacts(walk, nqr_contact_preview(walk))


def touching(*places, other=0, upward=1.0):
    """Contacts of links at heights (m) or at points (3,) m."""
    links = [link for link, _ in places]
    point = np.array([(0.0, 0.0, at) if np.isscalar(at) else at for _, at in places]).reshape(-1, 3)
    frame = np.zeros((len(links), 3, 3))
    frame[:, 0, 2] = upward
    return SimpleNamespace(
        touching=np.ones(len(links), bool),
        other=np.full(len(links), other),
        body=np.array(links, np.int64),
        point=point,
        frame=frame,
    )


def once_up(x, y):
    """Heights (m) of a step at x = 1 m."""
    return np.where(x > 1.0, RISE, 0.0)


def wavy(x, y):
    """Heights (m) of ground that is nowhere level."""
    return 0.03 * np.sin(3 * x) * np.cos(5 * y)


def level_at(height):
    """Heights (m) of level ground."""
    return lambda x, y: np.full(len(x), height)


def poses(walk, frames, carriage=AHEAD):
    """(T, nq) poses of successive cycles in the world."""
    further = (walk.clip.qpos[-1, :3] - walk.clip.qpos[0, :3]) * [1.0, 1.0, 0.0]
    numbers = np.asarray(frames)
    found = np.array(walk.clip.qpos[numbers % STRIDE])
    found[:, :3] += (numbers // STRIDE)[:, None] * further
    return carriage.pose(found)


def below(heights, points):
    """(...,) m: heights of the ground below points (..., 3)."""
    flat = points.reshape(-1, 3)
    return heights(flat[:, 0], flat[:, 1]).reshape(points.shape[:-1])


def walked(footing, walk, holds, frames, contacts=lambda frame: touching(), carriage=AHEAD):
    """Levels and leg adjustments while the body follows frames of the walk exactly."""
    for frame, pose in zip(frames, poses(walk, frames, carriage), strict=True):
        k = frame % STRIDE
        footing.feel_contacts(contacts(k))
        footing.update(holds, k, pose[:3], carriage.yaw)
        yield footing.motion_level(holds, k), footing.leg_adjustment(holds, k, STEP)


def test_on_level_ground_the_motion_stays_as_it_is(walk, holds):
    footing = NqrGroundLevels(BODY, 0.5, level_at(0.5))
    for level, reach in walked(footing, walk, holds, range(200)):
        assert level == 0.5
        assert not any(part.any() for part in reach)


def test_a_step_that_is_seen_is_climbed_from_landing_to_landing(walk, holds):
    levels, reaches = zip(*walked(NqrGroundLevels(BODY, 0.0, once_up), walk, holds, range(300)), strict=True)
    assert levels[0] == 0.0
    assert levels[-1] == pytest.approx(RISE, abs=1e-6)
    assert np.all(np.diff(levels) > -1e-6)
    assert np.max(np.abs(np.diff(levels))) < 0.1 * RISE
    assert not reaches[0].now.any()
    assert reaches[-1] is reaches[-2]  # beyond the step no leg is adjusted, and nothing is computed


def test_a_share_of_the_velocity_of_adjustments_is_tracked(walk, holds):
    for _, reach in walked(NqrGroundLevels(BODY, 0.0, once_up), walk, holds, range(STRIDE)):
        np.testing.assert_allclose(reach.speed, 0.4 * (reach.ahead - reach.now) / STEP, atol=1e-12)


@pytest.mark.parametrize("terrain", ["stairs:0.04:0.7:12", "stairs:-0.04:0.7:12", "drop:-0.04"])
def test_soles_pass_above_the_edges_and_stand_on_the_treads(walk, holds, terrain):
    """First-order inverse kinematics errs by up to a quarter of the step's height in the air, half on the ground."""
    heights, frames = parse_terrain(terrain).heights, range(4 * STRIDE)
    tracked = poses(walk, frames)
    for pose, (level, reach) in zip(
        tracked, walked(NqrGroundLevels(BODY, 0.0, heights), walk, holds, frames), strict=True
    ):
        pose[2] += level
        mujoco.mj_integratePos(BODY.model, pose, reach.now, 1.0)
    soles = replace(walk, clip=replace(walk.clip, qpos=tracked)).points()
    over = soles[..., 2] - below(heights, soles)
    down = np.tile(walk.contacts.down[:-1], (4, 1))
    assert over[~down].min() > -0.25 * RISE
    assert np.abs(over[down]).max() < 0.55 * RISE


def test_feet_are_lifted_higher_than_the_step(walk, holds):
    plain = walk.points()[:-1, :, 2]
    found = walked(NqrGroundLevels(BODY, 0.0, once_up), walk, holds, range(STRIDE))
    raised = np.array(walk.clip.qpos[:-1])
    for pose, (level, reach) in zip(raised, found, strict=True):
        pose[2] += level
        mujoco.mj_integratePos(BODY.model, pose, reach.now, 1.0)
    lifted = replace(walk, clip=replace(walk.clip, qpos=raised)).points()[..., 2] - plain
    assert RISE + 0.015 < lifted.max() < 1.25 * (RISE + 0.03)


@pytest.mark.parametrize("height", [once_up, wavy])
def test_adjustments_are_continuous_from_step_to_step(walk, holds, height):
    """The adjustment at the end of a step is that at the beginning of the next, if the walk is followed exactly."""
    found = list(walked(NqrGroundLevels(BODY, 0.0, height), walk, holds, range(4 * STRIDE)))
    assert max(np.abs(reach.now).max() for _, reach in found) > 0.1
    for (level, reach), (then, onward) in itertools.pairwise(found):
        assert level + reach.ahead[2] == pytest.approx(then, abs=1e-9)
        np.testing.assert_allclose(onward.now[6:], reach.ahead[6:], atol=1e-9)


@pytest.mark.parametrize("yaw", [0.4, 1.9, -2.6])
def test_adjustments_do_not_depend_on_the_heading(walk, holds, yaw):
    """Over ground that is turned and shifted with the walk."""
    there = PoseDisplacement(yaw, np.array([3.0, -2.0, 0.0]))

    def turned(x, y):
        back = PoseDisplacement(-yaw, np.zeros(3)).vector(np.column_stack([x, y, 0.0 * x]) - there.way)
        return wavy(*back[:, :2].T)

    plain = walked(NqrGroundLevels(BODY, 0.0, wavy), walk, holds, range(200))
    other = walked(NqrGroundLevels(BODY, 0.0, turned), walk, holds, range(200), carriage=there)
    for (level, reach), (same, alike) in zip(plain, other, strict=True):
        assert same == pytest.approx(level, abs=1e-9)
        for one, two in zip(reach, alike, strict=True):
            np.testing.assert_allclose(two, one, atol=1e-9)


def stood_on(walk, heights):
    """Contacts of a frame of a walk: the balls that are down, at the height of the given ground."""
    links, balls = [BODY.link_id(link) for link in walk.contacts.links], walk.points()
    balls[..., 2] = below(heights, balls)

    def contacts(k):
        return touching(*((links[c], balls[k, c]) for c in np.flatnonzero(walk.contacts.down[k])))

    return contacts


@pytest.mark.parametrize("terrain", ["stairs:0.04:0.7:12", "slope:3"])
def test_a_motion_that_has_its_own_ground_is_not_raised_again(walk, terrain):
    """A walk with the height of the ground in its contacts, as edits make it."""
    heights = parse_terrain(terrain).heights
    ground = below(heights, walk.points())
    climbing = replace(walk, clip=replace(walk.clip, cyclic=False), contacts=replace(walk.contacts, ground=ground))
    known = segment_foot_contacts(climbing, nqr_contact_preview(climbing))
    stood = stood_on(walk, heights)
    found = list(walked(NqrGroundLevels(BODY, 0.0, heights), climbing, known, range(STRIDE), stood))
    assert max(abs(level) for level, _ in found) < 1e-9
    assert not any(reach.now.any() for _, reach in found)
    again = list(
        walked(
            NqrGroundLevels(BODY, 0.0, heights),
            walk,
            segment_foot_contacts(walk, nqr_contact_preview(walk)),
            range(STRIDE),
            stood,
        )
    )
    assert max(abs(level) for level, _ in again) > 0.02


@pytest.mark.parametrize("yaw", [0.0, 1.9])
def test_each_standing_foot_begins_on_the_level_seen_below_it(walk, holds, yaw):
    """Both feet stand, one above an edge and the other below it."""
    frame = int(np.flatnonzero(holds.down.all(axis=1))[0])
    places = [balls[frame, :, 0] for balls in holds.balls]
    front = int(np.mean(places[1]) > np.mean(places[0]))
    edge = (places[front].min() + places[1 - front].max()) / 2
    forward = np.array([np.cos(yaw), np.sin(yaw)])
    footing = NqrGroundLevels(BODY, 0.0, lambda x, y: np.where(np.column_stack([x, y]) @ forward > edge, RISE, 0.0))
    there = PoseDisplacement(yaw, np.zeros(3))
    footing.set_standing_feet(holds, frame, poses(walk, [frame], there)[0, :3], yaw)
    (level, reach), *_ = walked(footing, walk, holds, [frame], carriage=there)
    assert level == pytest.approx(RISE / 2)
    raised = replace(walk, clip=replace(walk.clip, qpos=_moved(walk.clip.qpos, frame, reach.now)))
    lifted = [
        (raised.points() - walk.points())[frame, [BODY.link_id(link) == foot for link in walk.contacts.links], 2].mean()
        for foot in (LEFT, RIGHT)
    ]
    assert lifted[front] > RISE / 4
    assert lifted[1 - front] < -RISE / 10  # an almost straight leg reaches less far


def _moved(qpos, frame, change):
    """(T, nq) poses, one of which is moved by (nv,)."""
    found = np.array(qpos)
    mujoco.mj_integratePos(BODY.model, found[frame], change, 1.0)
    return found


def test_feet_that_do_not_stand_begin_on_the_given_level(walk, holds):
    """The ground below a lifted heel and below a swing foot is not looked at."""
    partly = [bears.any(axis=1) & ~bears.all(axis=1) for bears in holds.bears]
    frame, foot = next((k, f) for f in range(2) for k in np.flatnonzero(partly[f] & ~holds.down[:, 1 - f]))
    bears, x = holds.bears[foot][frame], holds.balls[foot][frame, :, 0]
    low, high = x[bears].min() - 0.01, x[bears].max() + 0.01
    footing = NqrGroundLevels(BODY, RISE, lambda x, y: np.where((low < x) & (x < high), 0.0, 1.0))
    footing.set_standing_feet(holds, frame, walk.clip.qpos[frame, :3], 0.0)
    (level, _), *_ = walked(footing, walk, holds, [frame])
    assert level == pytest.approx(RISE / 2)


@pytest.mark.parametrize("heights", [None, level_at(RISE - 0.9 * TOLERANCE)], ids=["blind", "nearly there"])
def test_feet_begin_on_the_given_level_if_nothing_else_is_seen(walk, holds, heights):
    footing = NqrGroundLevels(BODY, RISE, heights)
    footing.set_standing_feet(holds, 0, walk.clip.qpos[0, :3], 0.0)
    (level, _), *_ = walked(footing, walk, holds, [0])
    assert level == RISE


def test_a_foot_lands_on_the_highest_ground_below_its_balls(walk, holds):
    """An edge below the middle of a footprint."""
    landing, foot = next((k, f) for k, f in np.argwhere(holds.lands) if k > 0)
    x = holds.footprints[holds.next_footprint[landing - 1, foot]][:, 0]
    middle = (x.min() + x.max()) / 2
    footing = NqrGroundLevels(BODY, 0.0, lambda x, y: np.where(x > middle, RISE, 0.0))
    levels = [level for level, _ in walked(footing, walk, holds, range(landing + 1))]
    assert levels[-1] == pytest.approx(RISE / 2)  # mean of both feet


def test_a_level_that_changes_suddenly_is_followed_gradually(walk, holds):
    """A step appears under the next footprint shortly before the landing."""
    landing = next(k for k, _ in np.argwhere(holds.lands) if k > 0)
    appears, levels = landing - 4, []
    ground = SimpleNamespace(height=0.0)
    footing = NqrGroundLevels(BODY, 0.0, lambda x, y: np.full(len(x), ground.height))
    for k, (level, _) in zip(range(landing), walked(footing, walk, holds, range(landing)), strict=True):
        levels.append(level)
        ground.height = RISE if k + 1 >= appears else 0.0
    assert levels[appears - 1] == 0.0
    assert 0.0 < levels[appears] < 0.2 * RISE / 2 < levels[-1]


def test_without_sight_the_level_of_the_last_landing_is_expected(walk, holds):
    footing = NqrGroundLevels(BODY, 0.0)

    def lower(k):
        return touching(*((link, -RISE) for link, down in zip((LEFT, RIGHT), holds.down[k], strict=True) if down))

    levels = [level for level, _ in walked(footing, walk, holds, range(300), lower)]
    assert levels[-1] == pytest.approx(-RISE, abs=1.5 * TOLERANCE)


@pytest.mark.parametrize("heights", [None, level_at(0.0)], ids=["blind", "seen"])
def test_felt_levels_correct_expected_ones_gradually(walk, holds, heights):
    """The mean height of a foot's contacts counts."""
    frame = int(np.flatnonzero(holds.down.all(axis=1))[0])
    contacts = touching(*((foot, height * RISE) for foot in (LEFT, RIGHT) for height in (0.5, 1.5)))
    footing = NqrGroundLevels(BODY, 0.0, heights)
    levels = [level for level, _ in walked(footing, walk, holds, [frame], lambda k: contacts)]
    for _ in range(20):
        footing.repeat_step()
        levels += [level for level, _ in walked(footing, walk, holds, [frame], lambda k: contacts)]
    assert 0.1 < levels[0] / RISE < 0.2
    assert levels[-1] == pytest.approx(RISE, abs=TOLERANCE)


def test_a_foot_that_tilts_over_an_edge_has_the_mean_of_both_levels(walk, holds):
    """It is expected above the edge; its toes stand there, and its heel sinks to the ground below."""
    start, contacts = int(np.flatnonzero(holds.down.all(axis=1))[0]), touching((LEFT, 0.0), (LEFT, RISE))
    footing = NqrGroundLevels(BODY, RISE, level_at(RISE))
    levels = [level for level, _ in walked(footing, walk, holds, [start] * 40, lambda k: contacts)]
    assert levels[-1] == pytest.approx(0.75 * RISE, abs=TOLERANCE / 2)  # mean of both feet


def test_waiting_repeats_the_step(walk, holds):
    """The level and the adjustment are the same as before."""
    frame = int(np.flatnonzero(~holds.down[:, 1])[10])
    footing = NqrGroundLevels(BODY, 0.0, lambda x, y: np.where(x > 0.3, RISE, 0.0))
    *_, (level, reach) = walked(footing, walk, holds, range(frame + 1))
    assert np.abs(reach.ahead - reach.now).max() > 1e-3
    footing.repeat_step()
    (again, same), *_ = walked(footing, walk, holds, [frame])
    assert again == level
    for one, other in zip(reach, same, strict=True):
        np.testing.assert_array_equal(other, one)


def test_smaller_bodies_lift_their_feet_by_less(walk, holds):
    """The clearance of a swing foot scales with the body."""

    def lifted(body):
        found = walked(NqrGroundLevels(body, 0.0, once_up), walk, holds, range(STRIDE))
        return max(np.abs(reach.now).max() for _, reach in found)

    assert lifted(low()) < 0.9 * lifted(BODY)


def test_the_tolerance_scales_with_the_body(walk, holds):
    contacts = touching((LEFT, 0.5 * TOLERANCE))
    for body, believes in ((BODY, False), (low(), True)):
        (level, _), *_ = walked(NqrGroundLevels(body, 0.0), walk, holds, [20], lambda k: contacts)
        assert (level > 0.0) == believes


def low():
    """A body whose root is a hundredth as high."""
    kept = {name: getattr(BODY, name) for name in ("feet", "link_id", "model", "nv")}
    return SimpleNamespace(**kept, standing=0.01 * BODY.standing)


@pytest.mark.parametrize(
    "contacts",
    [
        touching((LEFT, 0.3), other=7),
        touching((BODY.link_id(BODY.trunk), 0.3)),
        touching((LEFT, 0.3), upward=0.1),
        touching((LEFT, 0.3), upward=0.6),
    ],
    ids=["a thing", "the trunk", "a wall", "an edge"],
)
def test_only_contacts_of_feet_with_the_ground_count(walk, holds, contacts):
    footing = NqrGroundLevels(BODY, 0.0)
    assert not footing.feel_contacts(contacts).any()
    assert [level for level, _ in walked(footing, walk, holds, [20] * 9, lambda k: contacts)] == [0.0] * 9
    assert footing.feel_contacts(touching((RIGHT, 0.3), upward=0.8)).tolist() == [False, True]
