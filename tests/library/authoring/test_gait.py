"""Gaits: normal joint angles, feet that stand, flight that falls, and motions that go on where others end."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import skeletons
from poise.arrays import Mask, true_runs
from poise.body.body import Body
from poise.body.link_kinematics import LinkKinematics
from poise.body.pose_space import PoseSpace
from poise.errors import PoiseError
from poise.library.authoring.curves import GaitSourceCurve, Stages
from poise.library.authoring.gait import gait_of_source, gait_source_at_speed
from poise.library.authoring.source import read_source, shipped_names
from poise.library.motions import sketch_of_source
from poise.reference.body_clip import BodyClip, centres_of_mass
from poise.reference.supports import Sketch
from poise.rotations import Array, quat_exp, quat_multiply, quat_rotate

GAITS = {"walk": 1.3, "walk-slow": 0.9, "walk-fast": 1.7, "run": 3.0, "crouch-walk": 0.8, "sneak": 0.5}
TURNS = {"turn-15": 15, "turn-180": 180}


@cache
def made(name: str, body: str = "biped29") -> Sketch:
    return sketch_of_source(name, Body.named(body))


def soles(clip: BodyClip) -> tuple[Array, Mask]:
    """Places (T, N, 3) of all contact points, and whether they are down (T, N)."""
    assert clip.down is not None
    points = [(part.link, point) for part in clip.parts for point in part.points]
    owners = [k for k, part in enumerate(clip.parts) for _ in part.points]
    return LinkKinematics(clip.body, points).at(clip.qpos)[0], clip.down[:, owners]


def farthest_slip(clip: BodyClip) -> float:
    """m: how far any point strays while it is down, the ground included."""
    places, down = soles(clip)
    strays = [0.0]
    for point in range(places.shape[1]):
        for start, stop in true_runs(down[:, point]):
            there = places[start:stop, point]
            middle = np.append(there[:, :2].mean(axis=0), 0.0)
            strays.append(float(np.linalg.norm(there - middle, axis=1).max()))
    return max(strays)


def moved(qpos: Array, degrees: float, to: Array) -> Array:
    """Poses (T, nq) turned about the vertical, the last of them brought above `to` (2,)."""
    turn = quat_exp(np.array([0.0, 0.0, np.radians(degrees)]))
    out = np.array(qpos)
    out[:, :3] = quat_rotate(turn, out[:, :3])
    out[:, 3:7] = quat_multiply(turn, out[:, 3:7])
    out[:, :2] += to - out[-1, :2]
    return out


def gap(body: Body, one: Array, other: Array) -> float:
    return float(np.abs(PoseSpace(body).difference(one, other)).max())


@pytest.mark.parametrize("name", GAITS)
def test_the_second_step_mirrors_the_first(name: str) -> None:
    clip = made(name).clip
    half = (clip.frames - 1) // 2
    ahead = clip.qpos[-1, 0] - clip.qpos[0, 0]
    assert clip.cyclic
    assert ahead / clip.seconds == pytest.approx(GAITS[name], rel=1e-6)
    mirrored = clip.body.mirrored(clip.qpos[: half + 1])
    mirrored[:, 0] += ahead / 2
    assert np.allclose(mirrored, clip.qpos[half:], atol=1e-9)


@pytest.mark.parametrize("name", [*GAITS, *TURNS, "start", "stop"])
def test_feet_neither_slip_nor_sink(name: str) -> None:
    clip = made(name).clip
    places, down = soles(clip)
    assert farthest_slip(clip) < 5e-4
    assert places[..., 2].min() > -5e-4
    assert down.any(axis=1).all() or name == "run"


@pytest.mark.parametrize("body", ["biped29", "human37", "human42"])
def test_the_walk_is_normal(body: str, beyond_normal: Callable[[BodyClip], dict[str, Array]]) -> None:
    for joint, deviations in beyond_normal(made("walk", body).clip).items():
        assert np.abs(deviations).max() < 2, joint


def test_arms_swing_against_the_legs() -> None:
    for name in ("walk", "run"):
        clip = made(name).clip
        places, _ = LinkKinematics(clip.body, [("left_hand", np.zeros(3)), ("left_foot", np.zeros(3))]).at(clip.qpos)
        ahead = places[..., 0] - clip.qpos[:, :1]
        assert np.corrcoef(ahead[:, 0], ahead[:, 1]).min() < -0.8


def test_the_heel_comes_first_and_the_toes_leave_last() -> None:
    for name, first in (("walk", "heel"), ("run", "heel"), ("sneak", "ball")):
        clip = made(name, "human37").clip
        assert clip.down is not None
        down = {part.name: clip.down[:, k] for k, part in enumerate(clip.parts)}
        assert [end for end in ("heel", "ball") if down[f"left_foot_{end}"][0]] == [first]
        lifts = [
            np.flatnonzero(down[part][:-1]).max() for part in ("left_foot_heel", "left_foot_ball", "left_toes_tip")
        ]
        assert lifts == sorted(set(lifts))


def test_flight_obeys_gravity() -> None:
    clip = made("run").clip
    assert clip.down is not None
    flights = true_runs(np.asarray(~clip.down.any(axis=1)))
    assert len(flights) == 2
    for start, stop in flights:
        assert 0.08 < (stop - start) / clip.rate < 0.15
        time = np.arange(stop - start) / clip.rate
        centre = centres_of_mass(clip.body, clip.qpos[start:stop])
        centre[:, 2] += 9.81 / 2 * time**2
        line = np.polynomial.polynomial.polyfit(time, centre, 1)
        assert np.abs(centre - line[0] - time[:, None] * line[1]).max() < 0.002


def test_smaller_figures_walk_alike() -> None:
    child = Body.named("human37").scaled(size=0.64)
    clip, adult = sketch_of_source("walk", child).clip, made("walk", "human37").clip
    assert farthest_slip(clip) < 0.003
    speeds = [(c.qpos[-1, 0] - c.qpos[0, 0]) / c.seconds for c in (clip, adult)]
    assert speeds[0] / speeds[1] == pytest.approx(0.8, rel=0.01)
    assert clip.seconds / adult.seconds == pytest.approx(0.8, rel=0.02)


@pytest.mark.parametrize("family", ["mixamo", "cmu"])
def test_a_body_of_a_users_skeleton_walks(family: str) -> None:
    body = Body.from_skeleton(skeletons.PEOPLE[family]())
    clip = sketch_of_source("walk", body).clip
    places, _ = soles(clip)
    assert farthest_slip(clip) < 0.001
    assert places[..., 2].min() > -0.001


@pytest.mark.parametrize("name", TURNS)
def test_turns_begin_and_end_in_the_walk(name: str) -> None:
    walk, clip = made("walk").clip, made(name).clip
    assert clip.cyclic
    assert gap(clip.body, moved(walk.qpos[:2], 0, clip.qpos[1, :2]), clip.qpos[:2]) < 1e-4
    assert gap(clip.body, moved(walk.qpos[-2:], TURNS[name], clip.qpos[-1, :2]), clip.qpos[-2:]) < 1e-4


def test_feet_turn_in_the_air_and_never_far_in_a_step() -> None:
    clip = made("turn-180").clip
    for side in ("left", "right"):
        _, turns = LinkKinematics(clip.body, (), [f"{side}_foot"]).at(clip.qpos)
        ahead = quat_rotate(turns[:, 0], [1.0, 0.0, 0.0])
        heading = np.degrees(np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0])))
        assert clip.down is not None
        flat = clip.down[:, [part.limb == f"{side}_foot" for part in clip.parts]].all(axis=1)
        stands = [heading[start:stop] for start, stop in true_runs(np.asarray(flat))]
        assert max(np.ptp(stand) for stand in stands) < 0.1
        assert max(np.diff([stand.mean() for stand in stands])) < 100  # two steps of at most 50


def test_start_and_stop_join_standing_and_walking() -> None:
    walk, stand = made("walk").clip, made("stand").clip
    start, stop = made("start").clip, made("stop").clip
    body = walk.body
    assert gap(body, moved(stand.qpos[:2], 0, start.qpos[1, :2]), start.qpos[:2]) < 1e-6
    assert gap(body, moved(walk.qpos[-2:], 0, start.qpos[-1, :2]), start.qpos[-2:]) < 1e-6
    assert gap(body, moved(walk.qpos[:2], 0, stop.qpos[1, :2]), stop.qpos[:2]) < 1e-6
    assert gap(body, moved(stand.qpos[:2], 0, stop.qpos[-1, :2]), stop.qpos[-2:]) < 1e-6


def test_a_speed_of_its_own_changes_nothing_and_more_speed_lengthens_and_quickens_steps() -> None:
    walk = gait_of_source(read_source("walk"))
    percent = np.linspace(0, 100, 37)
    same, fast = gait_source_at_speed(walk, walk.speed), gait_source_at_speed(walk, 1.7)
    assert all(np.allclose(values, walk.angles(percent)[name]) for name, values in same.angles(percent).items())
    assert fast.cadence > walk.cadence
    assert fast.speed * fast.seconds > walk.speed * walk.seconds
    assert fast.down["ball"][1] < walk.down["ball"][1]


def test_curves_pass_their_keys_and_close() -> None:
    curve = GaitSourceCurve.parse("10:3 40:-2 80:7")
    assert np.allclose(curve([10, 40, 80, 110, 180]), [3, -2, 7, 3, 7])
    at = np.array([9.999, 10.0, 10.001])
    assert np.ptp(np.diff(curve(at))) < 1e-5
    assert np.allclose(GaitSourceCurve.parse("0:5").continued(-1.0)([0.0, 50.0]), [5, -5])
    assert np.allclose(
        GaitSourceCurve.parse("0:1 20:4 40:0").pulse(np.array([0.0, 20.0, 40.0, 41.0, 99.0])), [1, 4, 0, 0, 0]
    )


def test_stages_rest_at_their_keys() -> None:
    stages = Stages.parse("50:0 150:1 200:1")
    assert np.allclose(stages(np.array([0.0, 50.0, 100.0, 150.0, 180.0, 300.0])), [0, 0, 0.5, 1, 1, 1])
    assert abs(stages(np.array([50.1]))[0]) < 1e-6


STARTING = read_source("start").path.read_text().split("[down]")[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind = 'gait'\nspeed = -1", "walk.toml, line 2: 'speed' must be more than 0"),
        ("kind = 'gait'\nspede = 1", "walk.toml, line 2: unknown entry 'spede'. Did you mean 'speed'"),
        ("kind = 'dance'", "unknown kind of motion in walk.toml 'dance'"),
        ("speed = 1", "walk.toml: 'kind' is missing"),
        ("kind = ", "walk.toml is not a TOML file"),
        ("kind = 'gait'\nspeed = 1\ncadence = 100\n[curves]\nknee = '0:1'", "unknown curve in walk.toml 'knee'"),
        ("kind = 'gait'\n[curves]\nknee_flexion = '0:1 5'", "curve 'knee_flexion' must be percent:value pairs"),
        ("kind = 'gait'\n[curves]\nknee_flexion = '5:1 5:2'", "curve 'knee_flexion' must have increasing percents"),
        ("kind = 'turn'\nbase = 'squat'\n", "squat.toml, line 1: a gait is needed"),
        ("kind = 'turn'\nbase = 'wlak'\n", "walk.toml, line 2: unknown motion 'wlak'. Did you mean 'walk'"),
        (
            "kind = 'gait'\nspeed = 1\nbase = 'walk-slow'",
            "walk.toml, line 3: 'base' must be a gait with its own",
        ),
        (
            "kind = 'gait'\nspeed = 1\nbase = 'walk.toml'",
            "walk.toml, line 3: 'base' must be a gait with its own",
        ),
        ("kind = 'pace'\nbase = 'walk'\nrest = 'run'", "walk.toml, line 3: 'rest' must be of kind 'keyed'"),
        (STARTING + "[down]\nleft_heel = 5", "walk.toml: 'left_heel' in [down] must be [from, to], not 5"),
        (STARTING + "[down]\nleft_heel = [8, 2]", "walk.toml: 'left_heel' in [down] must be [from, to], not [8, 2]"),
        (STARTING + "[down]\nleft_toe = [2, 8]", "unknown part in [down] of walk.toml 'left_toe'"),
    ],
)
def test_mistakes_are_named(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "walk.toml"
    path.write_text(text)
    with pytest.raises(PoiseError) as error:
        sketch_of_source(path, Body.named("biped29"))
    assert message in str(error.value)


def test_unknown_motions_are_named() -> None:
    assert "walk" in shipped_names()
    with pytest.raises(PoiseError, match=r"unknown motion 'wlak'\. Did you mean 'walk'"):
        sketch_of_source("wlak", Body.named("biped29"))
    with pytest.raises(PoiseError, match="cannot read"):
        sketch_of_source("nowhere.toml", Body.named("biped29"))
