"""Solving goals of a script from the last state that their parameters cannot affect."""

from dataclasses import replace

import numpy as np
import pytest
from hopping import HOP

from poise.animate.animate import animate
from poise.animate.goals import GoalEvaluator, predict_turns_of_goal
from poise.animate.read_script import read_script, solved_script_text
from poise.animate.script import (
    ScriptMoment,
    ScriptRehearsal,
    Want,
    links_touching_in_script,
    parameter_effect_time,
    solved_changes,
)
from poise.animate.solve import solve_script

ON_A_BOX = """
seconds = 1
start = { lift = 0.2 }
scene.prop = [{ kind = "box", size = [1, 1, 0.2], at = [0, 0, 0.1], mass = 500 }]
[[pose]]
time = 0.3
angles = { knee_y = 30 }
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("solving") / "hop.toml"
    path.write_text(HOP)
    return path


@pytest.fixture(scope="module")
def hop(file):
    return read_script(file)


@pytest.fixture(scope="module")
def solution(hop):
    return solve_script(hop)


def wanting(script, *wants):
    return replace(script.goals[0], wants=wants)


def reached(script, goal, start=0.0):
    rehearsal = ScriptRehearsal(script)
    rehearsal.continue_with(solved_changes(script.goals))
    rehearsal.run_until(start)
    return GoalEvaluator(rehearsal, goal).simulate_goal().exact


def test_a_hop_meets_its_goal(solution):
    assert solution.converged
    (answer,) = solution.answers
    assert answer.hit.reached == pytest.approx([0.26, 0.23], abs=0.01)
    assert answer.hit.iterations <= 3


def test_solving_from_a_state_equals_solving_from_the_start(hop, solution):
    start = min(parameter_effect_time(hop, free) for free in hop.goals[0].free)
    assert start == 0.25
    goal = hop.goals[0]
    assert np.array_equal(reached(solution.script, goal), solution.answers[0].hit.reached)
    assert np.array_equal(reached(solution.script, goal, start), solution.answers[0].hit.reached)


def test_several_processes_give_bit_identical_results(hop, solution):
    parallel = solve_script(hop, workers=2)
    assert parallel.script.goals[0].solved == solution.script.goals[0].solved
    assert np.array_equal(parallel.answers[0].hit.reached, solution.answers[0].hit.reached)


def test_the_performance_equals_the_rehearsal_bit_by_bit(solution):
    recording = animate(solution.script).recording
    rehearsal = ScriptRehearsal(solution.script)
    rehearsal.continue_with(solved_changes(solution.script.goals))
    rehearsal.run_until(solution.script.seconds)
    assert np.array_equal(recording.qpos[-1], rehearsal.run.world.qpos)


def test_a_touch_down_is_read_within_the_step(hop):
    """Targets moved by less than the displacement of a step are met as exactly: the reading is continuous."""
    goal = wanting(hop, Want("base.x", ScriptMoment("down"), 0.0, 1.0))
    values = []
    for by in np.radians(np.linspace(-1.0, 1.0, 9)):
        rehearsal = ScriptRehearsal(hop)
        rehearsal.continue_with([(hop.goals[0].free[0], by)])
        values.append(GoalEvaluator(rehearsal, goal).simulate_goal().exact[0])
    ways = np.diff(values)
    assert np.all(ways * np.sign(ways.sum()) > 0)
    assert np.ptp(ways) < 0.002  # a step is 6 mm long


def test_predicted_rotation_includes_that_before_take_off(hop):
    wants = [Want(f"{whose}.pitched", ScriptMoment("flight"), 0.0, 1.0) for whose in ("root", "flight")]
    rehearsal = ScriptRehearsal(hop)
    watch = GoalEvaluator(rehearsal, wanting(hop, *wants))
    before, predicted = watch.simulate_goal().exact
    assert rehearsal.run.world.time < 0.55  # s: just after take-off
    ahead = predict_turns_of_goal(rehearsal.run.world.state, watch._stand)[1]
    assert predicted == pytest.approx(before + ahead)
    assert abs(ahead) > 0.05


def test_a_body_on_a_box_is_not_in_flight(tmp_path):
    path = tmp_path / "box.toml"
    path.write_text(ON_A_BOX)
    rehearsal = ScriptRehearsal(read_script(path))
    own = rehearsal.run.world.model.body_rootid == 1
    for _ in range(12):
        bearing = links_touching_in_script(rehearsal.run.step(), own)
        assert own[bearing].any()
        assert rehearsal.run.world.scene.link_id("box") in bearing


def test_self_contact_does_not_count_as_support(hop):
    rehearsal = ScriptRehearsal(hop)
    own = rehearsal.run.world.model.body_rootid == 1
    result = rehearsal.run.step()
    assert set(links_touching_in_script(result, own)) == {0, rehearsal.run.world.scene.link_id("base")}
    assert not links_touching_in_script(result._replace(other=result.body), own).size


def test_missed_events_are_reported(hop):
    goal = replace(wanting(hop, Want("base.x", ScriptMoment("down", 5.0), 0.1, 0.01)), patience=0.8)
    answer = solve_script(replace(hop, goals=(goal,)))
    assert not answer.converged
    assert "never came, wanted 0.1 m" in "\n".join(answer.lines())


def test_constraints_out_of_reach_are_reported_with_the_result(hop):
    goal = wanting(hop, Want("flight.height", ScriptMoment("flight"), 3.0, 0.01))
    solution = solve_script(replace(hop, goals=(goal,)))
    assert not solution.converged
    report = "\n".join(solution.lines())
    assert "hop: NOT met" in report
    assert "wanted 3 m" in report


def test_a_repeated_goal_starts_from_the_previous_solution():
    lamp = read_script("lamp")
    alone = replace(lamp.goals[1], origin=(1, 0))
    hinted, unhinted = (solve_script(replace(lamp, goals=(lamp.goals[0], goal))) for goal in (lamp.goals[1], alone))
    assert hinted.converged
    assert hinted.answers[1].hit.simulations < unhinted.answers[1].hit.simulations


def test_a_solved_script_keeps_its_text_and_reads_back(file, hop, solution, tmp_path):
    text = solved_script_text(solution.script, HOP)
    kept = [line for line in text.splitlines() if not line.startswith("solved")]
    assert kept == HOP.splitlines()
    again = tmp_path / "hop-solved.toml"
    again.write_text(text)
    read = read_script(again)
    assert read.goals[0].solved == pytest.approx(solution.script.goals[0].solved, rel=1e-14)
    assert solve_script(read).answers[0].hit.iterations == 0
    assert solved_script_text(read, text) == text
