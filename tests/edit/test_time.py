import re
from dataclasses import replace

import mujoco
import numpy as np
import pytest

import skeletons
from poise.arrays import readonly
from poise.body.body import Body
from poise.edit.blend import Blend
from poise.edit.cycle import Loop, TimeWarpEdit, extract_cycle, find_cycle
from poise.edit.pose import Mirror, mirrored_parts
from poise.edit.take import Span, edited, take_of
from poise.errors import PoiseError
from poise.reference.archive import save_prepared
from poise.reference.body_clip import BodyClip
from poise.reference.played import Played
from poise.rotations import quat_exp, quat_multiply, quat_rotate, yaw_of


def test_a_slow_second_makes_the_motion_longer_by_what_it_lost(gait):
    slow = edited(gait, TimeWarpEdit(0.75, Span(2.0, 3.0, 0.2)))
    assert slow.seconds == pytest.approx(gait.seconds + 0.25 * (1.0 - 0.2), abs=0.6 / gait.rate)
    k = round(2.5 * gait.rate)
    assert slow.qvel[k, 0] == pytest.approx(0.75 * gait.qvel[k, 0], rel=0.02)
    assert slow.qpos[-1, 0] == pytest.approx(gait.qpos[-1, 0], abs=0.01)


def test_contacts_follow_a_warp(gait, slip):
    half = edited(gait, TimeWarpEdit(0.5))
    assert half.seconds == pytest.approx(2 * gait.seconds, abs=1 / gait.rate)
    assert (half.down[::2][: gait.frames] == gait.down).all()
    assert slip(half) < 0.002


def test_mirroring_twice_changes_nothing(gait, slip):
    once = edited(gait, Mirror())
    assert slip(once) < 0.002
    assert (once.down != gait.down).any()
    twice = edited(once, Mirror())
    assert twice.qpos == pytest.approx(gait.qpos, abs=1e-12)
    assert (twice.down == gait.down).all()


def test_parts_are_swapped_with_their_counterparts(gait):
    names = [part.name for part in gait.parts]
    swapped = [names[i] for i in mirrored_parts(gait.body)]
    assert [n.replace("left", "*").replace("right", "left").replace("*", "right") for n in names] == swapped


@pytest.fixture(scope="module")
def uneven(gait):
    """The walk with a drift that a cycle has to close: turning, sinking, a joint that creeps."""
    qpos = np.array(gait.qpos)
    share = np.linspace(0, 1, gait.frames)
    turn = quat_exp(share[:, None] * [0.0, 0.0, 0.8])
    qpos[:, :3] = quat_rotate(turn, qpos[:, :3])
    qpos[:, 3:7] = quat_multiply(turn, qpos[:, 3:7])
    qpos[:, 2] -= 0.01 * share
    qpos[:, gait.body.joint("left_elbow").qpos[0]] -= 0.3 * share
    return replace(gait, qpos=readonly(qpos))


def test_a_cycle_is_one_stride_and_closes(uneven):
    cycle = extract_cycle(uneven, near=2.0)
    assert cycle.cyclic
    assert cycle.seconds == pytest.approx(1.1, abs=0.04)
    played = Played(cycle)
    a, b = played.at(0.0), played.at(cycle.seconds)
    assert a.qpos[7:] == pytest.approx(b.qpos[7:], abs=1e-9)
    assert a.qpos[2] == pytest.approx(b.qpos[2], abs=1e-9)
    jump, way = np.zeros(cycle.body.nv), played.at(cycle.seconds - 1e-4).qpos
    mujoco.mj_differentiatePos(cycle.body.model, jump, 1.0, way, played.at(cycle.seconds + 1e-4).qpos)
    assert np.abs(jump).max() < 5e-3


def test_a_cycle_is_a_cycle_of_motion_not_of_standing_still(gait):
    standing = np.tile(gait.qpos[:1], (round(2.0 * gait.rate), 1))
    both = replace(
        gait,
        qpos=readonly(np.concatenate([standing, gait.qpos])),
        down=readonly(np.concatenate([np.tile(gait.down[:1], (len(standing), 1)), gait.down]), bool),
    )
    first, last = find_cycle(both)
    assert first >= len(standing) - 2
    assert (last - first) / gait.rate == pytest.approx(1.1, abs=0.04)


def test_a_straightened_loop_does_not_turn_and_does_not_slide(uneven, slip):
    turning, straight = (edited(uneven, Loop(3, straight=yes)) for yes in (False, True))
    yaw = [float(yaw_of(clip.qpos[-1, 3:7]) - yaw_of(clip.qpos[0, 3:7])) for clip in (turning, straight)]
    assert abs(yaw[0]) > 0.3
    assert yaw[1] == pytest.approx(0.0, abs=1e-6)
    assert slip(straight) < slip(turning) + 0.002


def test_a_loop_tells_which_part_it_repeats(uneven):
    (note,) = Loop(3).on(take_of(Played(uneven), uneven.body)).notes
    assert re.fullmatch(r"loop:3: repeats \d\.\d\d to \d\.\d\d s, 1 stride, which turns by \+\d+\.\d degrees", note)


def test_loops_do_not_slide(gait, slip):
    looped = edited(gait, Loop(4))
    assert looped.seconds == pytest.approx(4.4, abs=0.05)
    assert slip(looped) < 0.002
    assert edited(gait, Loop(), seconds=9.0).seconds == pytest.approx(9.0, abs=0.01)


def test_what_does_not_repeat_has_no_cycle(gait):
    still = replace(gait, qpos=np.tile(gait.qpos[:1], (gait.frames, 1)), down=np.tile(gait.down[:1], (gait.frames, 1)))
    with pytest.raises(PoiseError, match="has no cycle"):
        extract_cycle(still)


def test_a_blend_into_itself_goes_on_as_before(gait, slip):
    through = edited(gait, Blend(gait, span=Span(2.0)))
    speed = np.diff(through.qpos[:, 0]) * gait.rate
    assert speed == pytest.approx(gait.qvel[5, 0], rel=0.05)
    assert slip(through) < 0.002
    assert np.abs(through.qvel[:, 6:]).max() < 1.3 * np.abs(gait.qvel[:, 6:]).max()


def test_a_blend_goes_on_in_the_direction_of_the_walk(gait, slip):
    turned = np.array(gait.qpos)
    turn = quat_exp(np.array([0.0, 0.0, 2.0]))
    turned[:, :3] = quat_rotate(turn, turned[:, :3]) + [5.0, 3.0, 0.0]
    turned[:, 3:7] = quat_multiply(turn, turned[:, 3:7])
    elsewhere = replace(gait, qpos=readonly(turned))
    through = edited(gait, Blend(elsewhere, over=0.4, entry=0.9, span=Span(2.0)))
    assert np.abs(through.qpos[:, 1]).max() < 0.02
    assert np.diff(through.qpos[:, 0]).min() > 0
    assert slip(through) < 0.002
    assert through.seconds == pytest.approx(2.0 + gait.seconds - 0.9, abs=1 / gait.rate)


def test_blending_to_a_stop_plants_both_feet(gait, slip):
    standing = replace(
        gait, qpos=np.tile(gait.body.standing, (120, 1)), down=np.tile(gait.down.any(axis=0), (120, 1))
    )  # fmt: skip
    stopped = edited(gait, Blend(standing, over=0.6, entry=0.0, span=Span(2.0)))
    assert slip(stopped) < 0.002
    assert stopped.qpos[-1, 7:] == pytest.approx(gait.body.standing[7:], abs=1e-9)
    assert np.abs(stopped.qvel[:, 6:]).max() < 2.5 * np.abs(gait.qvel[:, 6:]).max()


def test_a_blend_needs_its_file_and_its_body(gait, human_gait, tmp_path):
    with pytest.raises(PoiseError, match=r"nowhere\.bvh"):
        edited(gait, Blend(str(tmp_path / "nowhere.bvh"), span=Span(1.0)))
    if gait.body.name != "human37":
        with pytest.raises(PoiseError, match="is for body 'human37'"):
            edited(gait, Blend(human_gait, span=Span(1.0)))


def test_a_blend_reads_prepared_motions(human_gait, tmp_path):
    path = save_prepared(human_gait, tmp_path / "other.npz")
    from_file, from_clip = (edited(human_gait, Blend(s, entry=0.5, span=Span(2.0))) for s in (str(path), human_gait))
    assert from_file.qpos == pytest.approx(from_clip.qpos, abs=1e-9)


@pytest.mark.parametrize("name", ["lamp14", "snake"])
def test_a_body_without_legs_goes_over_too(name):
    body = Body.named(name) if name == "lamp14" else Body.from_skeleton(skeletons.snake())
    qpos = np.tile(body.standing, (40, 1))
    qpos[:, 0] = np.linspace(0.0, 0.2, 40)
    through = edited(BodyClip("glide", body, 30.0, readonly(qpos)), Mirror(span=Span(0.5)))
    assert through.qpos[-1, 0] > 0.15
    assert np.abs(through.qvel).max() < 0.5


def test_a_motion_looped_for_ever_is_saved_as_its_cycle(gait):
    looped = edited(gait, Loop())
    assert looped.cyclic
    assert looped.seconds < gait.seconds
    counted = edited(gait, Loop(count=3))
    assert not counted.cyclic
    assert counted.seconds == pytest.approx(3 * looped.seconds)
    assert not edited(gait, Loop(), TimeWarpEdit(0.5)).cyclic
