"""A live performance: pushed, steered, edited, judged, and continued from any earlier moment."""

import numpy as np
import pytest

from poise import PoiseError, audit
from poise.performance.run import Run
from poise.studio.choices import Choice
from poise.studio.show import Show, ShowMemory

MEMORY = ShowMemory()


def go(show, seconds):
    for _ in range(round(seconds / show.run.step_s)):
        show.step()


@pytest.fixture
def walk():
    return Show(Choice("walk", controller="pendulum"), memory=MEMORY)


def test_a_push_is_in_the_recording_and_moves_the_body(walk):
    go(walk, 1.0)
    before = walk.run.time
    walk.push_towards(200.0, 90.0, 0.2)
    go(walk, 0.6)
    recording = walk.run.so_far().recording
    event = recording.meta["events"][-1]
    assert event["kind"] == "push"
    assert event["time"] == pytest.approx(before)
    pushed = np.flatnonzero(np.abs(recording.external[:, :3]).max(axis=1) > 1.0)
    assert recording.time[pushed[0]] == pytest.approx(before)
    assert len(pushed) * walk.run.step_s == pytest.approx(0.2)
    sideways = np.array(event["world_force"])
    assert np.linalg.norm(sideways) == pytest.approx(200.0)
    checks = audit(recording).as_dict()["checks"]
    assert checks["linear_momentum"]["passed"]
    assert checks["angular_momentum"]["passed"]
    free = Show(Choice("walk", controller="pendulum"))
    go(free, 1.6)
    away = (walk.run.world.qpos[:2] - free.run.world.qpos[:2]) @ sideways[:2] / 200.0
    assert away > 0.03


def test_a_pull_lasts_as_long_as_it_is_held(walk):
    walk.interact(lambda run: run.pull(np.array([0.0, 50.0, 0.0]), "left_hand"))
    go(walk, 0.2)
    walk.interact(lambda run: run.pull(np.array([0.0, 80.0, 0.0]), "left_hand"))
    go(walk, 0.1)
    walk.interact(Run.let_go)
    go(walk, 0.3)
    recording = walk.run.so_far().recording
    events = [event for event in recording.meta["events"] if event["kind"] == "push"]
    assert [event["duration"] for event in events] == pytest.approx([0.2, 0.1])
    acted = np.abs(recording.external).max(axis=1) > 1e-9
    assert acted.sum() * walk.run.step_s == pytest.approx(0.3)


def test_a_pull_that_is_forgotten_ends(walk):
    walk.interact(lambda run: run.pull(np.array([0.0, 20.0, 0.0]), "left_hand"))
    go(walk, 1.5)
    acted = np.abs(walk.run.so_far().recording.external).max(axis=1) > 1e-9
    assert acted.sum() * walk.run.step_s == pytest.approx(1.0)


def test_steering_turns_it(walk):
    go(walk, 0.5)
    walk.steer(np.radians(70.0), 1.0, None, None)
    go(walk, 4.0)
    w, x, y, z = walk.run.world.qpos[3:7]
    yaw = np.degrees(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)))
    assert yaw == pytest.approx(70.0, abs=20.0)
    assert walk.run.fell_at is None


def test_going_back_is_exact_and_going_on_is_the_same(walk):
    go(walk, 0.7)
    walk.push_towards(150.0, 90.0, 0.1)
    go(walk, 0.8)
    walk.steer(np.radians(20.0), None, None, None)
    walk.edit("warp:0.9")
    go(walk, 1.2)
    first = walk.run.so_far().recording
    middle = walk.run.world.qpos.copy()
    go(walk, 0.5)
    walk.branch(2.7)
    assert np.array_equal(walk.run.world.qpos, middle)
    again = walk.run.so_far().recording
    assert np.array_equal(first.qpos, again.qpos)
    assert [event["kind"] for event in again.meta["events"]] == ["push", "steer", "edit"]
    walk.branch(1.0)
    assert walk.run.time == pytest.approx(1.0)
    assert [event["kind"] for event in walk.run.events] == ["push"]
    assert walk.status()["heading"] == 0.0
    walk.branch(-5.0)
    assert walk.run.time == 0.0


def test_who_has_taken_over_is_gone_back_to_as_well():
    show = Show(Choice("back-flip", controller="rotation"))
    go(show, 2.0)
    show.steer(0.7, None, None, None)
    go(show, 3.0)
    taken_over, exact = show.run.controller.handed_over, show.run.world.qpos.copy()
    assert 3.0 < taken_over < 4.5
    show.branch(taken_over - 0.5)
    assert show.run.controller.handed_over is None
    go(show, 5.0 - show.run.time)
    assert (show.run.world.qpos == exact).all()
    show.branch(taken_over + 0.3)
    go(show, 5.0 - show.run.time)
    assert (show.run.world.qpos == exact).all()


def test_a_rag_doll_falls_and_the_judge_sees_it():
    show = Show(Choice("stand", controller="limp"))
    go(show, 2.0)
    assert show.run.fell_at is not None
    assert show.judge.judged == pytest.approx(2.0)
    assert show.status()["verdict"] == "physical"
    fell = show.run.fell_at
    show.branch(fell - 0.2)
    assert show.run.fell_at is None


def test_edits_and_transitions_are_live_where_physics_need_not_be_found_first(walk):
    walk.edit("stride:+0.1")
    go(walk, 0.3)
    walk.blend_into("sneak")
    go(walk, 1.0)
    kinds = [event["text"] for event in walk.run.events]
    assert kinds[0].startswith("stride")
    assert kinds[1].startswith("blend")
    with pytest.raises(PoiseError, match="choose it below"):
        walk.edit("blend:/etc/passwd@1")
    ahead = Show(Choice("walk", controller="nqr", steered=False))
    with pytest.raises(PoiseError, match="beginning"):
        ahead.edit("stride:+0.1")
    with pytest.raises(PoiseError, match="cannot be steered"):
        ahead.steer(1.0, None, None, None)


def test_a_weight_is_carried_along_until_it_is_taken_off(walk):
    go(walk, 0.5)
    walk.interact(lambda run: run.hang("left_hand", 4.0))
    go(walk, 1.0)
    walk.interact(Run.take_off)
    go(walk, 0.5)
    recording = walk.run.so_far().recording
    pulled = recording.external[:, 2]
    hung = (recording.time[:-1] > 0.499) & (recording.time[:-1] < 1.499)
    assert (pulled[~hung] == 0).all()
    assert pulled[hung].mean() == pytest.approx(-4.0 * 9.81, rel=0.1)
    assert pulled[hung].std() > 1.0, "it swings, and is not only drawn down"
    assert audit(recording).as_dict()["checks"]["linear_momentum"]["passed"]
    exact = walk.run.world.qpos.copy()
    walk.branch(1.2)
    walk.interact(Run.take_off)
    walk.branch(0.7)
    go(walk, 0.8)
    walk.interact(Run.take_off)
    go(walk, 0.5)
    assert (walk.run.world.qpos == exact).all()
    with pytest.raises(PoiseError, match="tail"):
        walk.interact(lambda run: run.hang("tail", 3.0))


def test_the_ground_ahead_rises_and_what_was_walked_on_stays(walk):
    go(walk, 2.0)
    been = walk.run.path[:, 0].max()
    walk.slope(5.0)
    go(walk, 4.0)
    world, recording = walk.run.world, walk.run.so_far().recording
    edge = world.scene.terrain.knots[-1][0]
    assert edge > been + 1.0
    assert world.qpos[0] > edge + 1.0
    climbed = np.tan(np.radians(5.0)) * (world.qpos[0] - edge)
    assert world.qpos[2] - recording.qpos[0, 2] == pytest.approx(climbed, abs=0.06)
    assert walk.run.fell_at is None
    assert audit(recording).passed
    assert walk.status()["rise"] == pytest.approx(5.0)
    assert walk.run.meta["terrain"] == f"0° to {edge:.2f} m, 5° beyond"
    assert [event["kind"] for event in recording.meta["events"]] == ["ground"]
    exact = world.qpos.copy()
    walk.branch(1.5)
    assert walk.run.world.scene.terrain.height(100.0, 0.0) == 0.0
    assert (walk.status()["rise"], walk.run.meta["terrain"]) == (0.0, "flat")
    go(walk, 0.5)
    walk.slope(5.0)
    go(walk, 2.0)
    walk.branch(3.0)
    go(walk, 3.0)
    assert (walk.run.world.qpos == exact).all()


def test_what_was_asked_of_a_walker_is_known_after_going_back(walk):
    go(walk, 0.2)
    walk.steer(0.5, 0.8, 0.1, None)
    go(walk, 0.2)
    walk.steer(-0.5, None, None, 0.7)
    walk.steer(None, None, None, None)  # keeps all values
    keys = ("heading", "speed", "lift", "step")
    assert [walk.status()[key] for key in keys] == pytest.approx([np.degrees(-0.5), 0.8, 0.1, 0.7])
    walk.branch(0.3)
    assert [walk.status()[key] for key in keys] == [pytest.approx(np.degrees(0.5)), 0.8, 0.1, None]
    walk.branch(0.0)
    assert [walk.status()[key] for key in keys] == [0.0, None, None, None]


def test_look_ahead_is_not_made_to_run_uphill():
    show = Show(Choice("walk", "biped29", "nqr", steered=False))
    assert show.fastest is None
    show.slope(4.0)
    assert show.fastest == show.choice.entry.fastest_uphill < 3.0
    show.slope(0.0)
    assert show.fastest is None


def test_the_ground_does_not_change_for_motions_that_would_fall_or_headings_across():
    with pytest.raises(PoiseError, match="ground ahead"):
        Show(Choice("stand", controller="hold")).slope(3.0)
    with pytest.raises(PoiseError, match="ground ahead"):
        Show(Choice("walk", controller="pendulum", terrain="stairs:0.06:0.7:8")).slope(3.0)
    across = Show(Choice("walk", controller="pendulum"))
    across.steer(np.pi / 2, None, None, None)
    go(across, 4.0)
    with pytest.raises(PoiseError, match="turn it"):
        across.slope(3.0)
