"""Contacts: from motions whose contacts are known."""

from pathlib import Path

import numpy as np
import pytest

from poise.arrays import drop_short_runs, hysteresis_mask, readonly, true_runs
from poise.body.body import Body
from poise.motion.repair.importer import import_motion
from poise.reference.body_clip import BodyClip
from poise.retarget.contact_detection import ContactSettings, _lost_contacts, find_contacts
from poise.retarget.retarget import retarget

MOCAP = Path(__file__).resolve().parents[2] / "../shared/mocap/bvh"
BODY = Body.named("human37")
RATE = 120.0


def still(frames, height=0.0):
    qpos = np.tile(BODY.standing, (frames, 1))
    qpos[:, 2] += height
    return qpos


def found(qpos, body=BODY):
    clip = find_contacts(BodyClip("test", body, RATE, readonly(qpos)))
    return {part.name: clip.down[:, k] for k, part in enumerate(clip.parts)}


def feet(down):
    return np.stack([state for name, state in down.items() if "hand" not in name], axis=1)


class TestRuns:
    def test_runs_are_the_stretches(self):
        assert true_runs(np.array([1, 0, 1, 1, 0, 1], bool)) == [(0, 1), (2, 4), (5, 6)]
        assert true_runs(np.zeros(3, bool)) == []

    def test_hysteresis_needs_one_value_below_to_enter_and_keeps_up_to_the_other(self):
        value = np.array([9, 3, 1, 3, 9, 3, 3, 9.0])
        assert hysteresis_mask(value, 2.0, 4.0).tolist() == [0, 1, 1, 1, 0, 0, 0, 0]

    def test_short_gaps_and_stretches_do_not_count_except_at_the_ends(self):
        holds = np.array([1, 0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1], bool)
        assert true_runs(drop_short_runs(holds, 2, 3)) == [(0, 1), (4, 9), (16, 17)]


@pytest.mark.parametrize("height", [-0.03, 0.0, 0.03])
def test_who_stands_stands_on_both_feet_also_sunk_or_floating(height):
    down = found(still(60, height))
    assert feet(down).all()
    assert not down["left_hand"].any()
    assert not down["right_hand"].any()


def test_standing_on_a_step_is_standing():
    assert feet(found(still(60, 0.4))).all()


def test_a_capture_that_drifts_slowly_upward_still_stands():
    qpos = still(900)
    qpos[:, 2] += np.linspace(0.0, 0.03, 900)
    assert feet(found(qpos)).all()


def test_noise_of_the_capture_changes_nothing():
    qpos = still(120)
    qpos[:, :3] += 0.002 * np.random.default_rng(0).normal(size=(120, 3))
    assert feet(found(qpos)).all()


@pytest.mark.parametrize("held", [0.0, 0.3])
@pytest.mark.parametrize("height", [0.05, 0.1])
def test_a_body_that_rises_slowly_without_leaving_its_place_has_stood_all_the_while(height, held):
    time = np.maximum(np.abs(np.arange(360) / RATE - 1.5) - held / 2, 0.0)  # s before and after it is highest
    qpos = still(360)
    qpos[:, 2] += height * 0.5 * (1 + np.cos(np.pi * np.minimum(time / 0.35, 1.0)))
    down = found(qpos)
    balls = np.stack([down["left_foot_ball"], down["right_foot_ball"]])
    assert balls.any(axis=0).all()
    assert balls[:, :100].all()


def test_a_gap_between_two_feet_is_shared_by_them():
    clip = BodyClip("test", BODY, RATE, readonly(still(40)))
    names = [part.name for part in clip.parts]
    ball, heel = names.index("left_foot_ball"), names.index("right_foot_heel")
    down, centre = np.zeros((40, len(names)), bool), np.zeros((40, len(names), 3))
    down[:15, ball] = down[25:, heel] = True
    centre[:, ball, 0], centre[:, heel, 0] = np.maximum(np.arange(40) - 14, 0), 1.0 + np.minimum(np.arange(40) - 25, 0)
    added = _lost_contacts(clip, down, centre, np.zeros(40, bool), ContactSettings())
    both = down | added
    assert true_runs(both[:, ball]) == [(0, 20)]
    assert true_runs(both[:, heel]) == [(20, 40)]
    assert not _lost_contacts(clip, down, centre, np.arange(40) == 20, ContactSettings()).any()


def test_a_heel_that_is_raised_does_not_bear_in_a_gap():
    clip = BodyClip("test", BODY, RATE, readonly(still(40)))
    names = [part.name for part in clip.parts]
    ball, heel = names.index("left_foot_ball"), names.index("left_foot_heel")
    down, centre = np.zeros((40, len(names)), bool), np.zeros((40, len(names), 3))
    down[:10, heel] = down[30:, heel] = down[:15, ball] = down[25:, ball] = True
    centre[10:30, heel, 2], centre[15:25, ball, 2] = 0.05, 0.02
    added = _lost_contacts(clip, down, centre, np.zeros(40, bool), ContactSettings())
    assert added[15:25, ball].all()
    assert not added[10:30, heel].any()


def test_a_ballistic_hop_has_no_contact_in_flight_not_even_at_its_top():
    flight = round(0.5 * RATE)
    time = np.arange(flight) / RATE
    qpos = still(180)
    qpos[60 : 60 + flight, 2] += 0.5 * 9.81 * time * (0.5 - time)
    down = feet(found(qpos))
    assert down[:55].all()
    assert not down[70 : 60 + flight - 10].any()
    assert down[-50:].all()


def test_a_foot_that_is_held_up_bears_nothing():
    qpos = np.tile(BODY.qpos_from({"left_hip": (0.0, -1.0, 0.0), "left_knee": 1.2}), (90, 1))
    down = found(qpos)
    assert down["right_foot_heel"].all()
    assert not down["left_foot_heel"].any()
    assert not down["left_foot_ball"].any()


def test_on_tiptoe_only_the_balls_bear():
    angles = {
        f"{side}_{joint}": angle for side in ("left", "right") for joint, angle in (("ankle_y", 0.5), ("toe", -0.5))
    }
    qpos = np.tile(BODY.qpos_from(angles), (60, 1))
    qpos[:, 2] += 0.09
    down = found(qpos)
    assert down["left_foot_ball"].all()
    assert down["right_foot_ball"].all()
    assert not down["left_foot_heel"].any()


def test_a_sliding_stand_is_no_contact_when_fast_and_one_when_slow():
    slide = np.arange(120)[:, None] / RATE * np.array([1.0, 0.0, 0.0])
    fast, slow = still(120), still(120)
    fast[:, :3] += 1.5 * slide
    slow[:, :3] += 0.05 * slide
    assert not feet(found(fast)).any()
    assert feet(found(slow)).all()


def test_small_bodies_have_small_thresholds():
    baby = Body.named("baby")
    qpos = np.tile(baby.standing, (120, 1))
    qpos[40:80, 2] += 0.06  # more than the knee's height of a tread, carried up and down at once
    down = feet(found(qpos, baby))
    assert down[:30].all()
    assert not down[38:42].all()


@pytest.mark.skipif(not MOCAP.is_dir(), reason="needs the motion-capture set")
@pytest.mark.parametrize(("name", "share"), [("02_01", (0.45, 0.75)), ("09_01", (0.2, 0.55))])
def test_duty_of_captured_gaits(name, share):
    """Feet bear for about 60 % of a walk, less the end of roll-off, and less than half of a run, and take turns."""
    clip = find_contacts(retarget(import_motion(MOCAP / f"{name}.bvh").clip, BODY).clip)
    names = [part.name for part in clip.parts]
    for side in ("left", "right"):
        bears = clip.down[:, [names.index(f"{side}_foot_{end}") for end in ("heel", "ball")]].any(axis=1)
        assert share[0] < bears.mean() < share[1]
    assert not clip.down[:, names.index("left_hand")].any()
