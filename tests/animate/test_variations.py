"""Random variations of a script, as the study of poses draws them."""

from dataclasses import replace

import numpy as np
import pytest

from poise.animate.read_script import read_script
from poise.errors import PoiseError
from poise.study.poses.scripts import MASS, TIME, varied_trial_script

HOP = """
body = "lamp14"
seconds = 2.0
push = "3@1.0"
[[pose]]
time = 0.4
name = "crouch"
angles = { elbow_y = 130 }
[[pose]]
time = 0.5
name = "stretch"
angles = { elbow_y = 20 }
[[gains]]
from = 0.45
joints = "elbow"
stiffness = 2
[[goal]]
free = ["crouch.elbow_y", "stretch.elbow_y"]
want = [{ what = "base.x", at = 0.45, is = 0.25, range = 0.05 }, { what = "base.pitch", at = "down", is = 0 }]
solved = { "crouch.elbow_y" = 3 }
"""


@pytest.fixture(scope="module")
def hop(tmp_path_factory):
    file = tmp_path_factory.mktemp("varied") / "hop.toml"
    file.write_text(HOP)
    return read_script(file)


def test_a_seed_gives_one_variation(hop):
    assert varied_trial_script(hop, 1).poses == varied_trial_script(hop, 1).poses
    assert varied_trial_script(hop, 1).poses != varied_trial_script(hop, 2).poses


def test_masses_vary_and_torque_limits_do_not(hop):
    ratios = np.array([varied_trial_script(hop, seed).scene.body.model.body_mass[1:] for seed in range(40)])
    ratios /= hop.scene.body.model.body_mass[1:]
    assert np.all(np.abs(ratios - 1) <= MASS)
    assert np.all(np.ptp(ratios, axis=0) > MASS)
    assert np.ptp(ratios.mean(axis=1)) > 0.5 * MASS  # the total mass varies as well
    assert np.array_equal(varied_trial_script(hop, 0).scene.body.torque_limit, hop.scene.body.torque_limit)


def test_left_and_right_stay_symmetric():
    strut = read_script("strut")
    before, after = strut.scene.body.model, varied_trial_script(strut, 4).scene.body.model
    left, right = ([after.body(f"{side}_{part}").mass[0] for part in ("thigh", "shank")] for side in ("left", "right"))
    assert left == right
    assert left[0] / left[1] != pytest.approx(before.body("left_thigh").mass[0] / before.body("left_shank").mass[0])


def test_intervals_vary_and_timed_entries_move_with_them(hop):
    for seed in range(20):
        made = varied_trial_script(hop, seed)
        first, second = (pose.time for pose in made.poses)
        assert abs(first / 0.4 - 1) <= TIME
        assert abs((second - first) / 0.1 - 1) <= TIME + 1e-9
        halfway = pytest.approx((first + second) / 2)
        assert made.gain_changes[0].when.start == halfway
        assert made.goals[0].wants[0].when.time == halfway
        assert made.seconds == pytest.approx(second + 1.5)
        assert made.pushes == hop.pushes


def test_targets_move_within_their_range(hop):
    moved = np.array([[want.value for want in varied_trial_script(hop, seed).goals[0].wants] for seed in range(40)])
    assert np.all(np.abs(moved[:, 0] - 0.25) <= 0.05)
    assert np.ptp(moved[:, 0]) > 0.05
    assert np.all(moved[:, 1] == 0)


def test_solutions_are_discarded(hop):
    assert hop.goals[0].solved != (0.0, 0.0)
    assert varied_trial_script(hop, 0).goals[0].solved == (0.0, 0.0)


def test_a_body_without_a_plan_is_refused(hop):
    scene = replace(hop.scene, bodies=(replace(hop.scene.body, plan=None),))
    with pytest.raises(PoiseError, match="masses cannot be varied"):
        varied_trial_script(replace(hop, scene=scene), 0)
