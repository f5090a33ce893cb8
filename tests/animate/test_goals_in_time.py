"""Goals that depend on each other: reported results equal the performance."""

import numpy as np
import pytest

from poise.animate.animate import animate
from poise.animate.read_script import read_script
from poise.animate.script import goal_start, parameter_effect_time
from poise.animate.solve import solve_script
from poise.errors import PoiseError
from poise.toml_reader import TomlError

NODS = """
body = "lamp14"
seconds = 1.0
pose = [
    { time = 0.3, name = "a", angles = { neck_y = 10 } },
    { time = 0.5, name = "b", angles = { neck_y = 10 } },
    { time = 0.7, name = "c", angles = { neck_y = 10 } },
]
"""
GOAL = """
[[goal]]
name = "%s"
free = ["%s"]
want = [{ what = "%s", at = %g, is = %g, within = 0.2 }]
"""


def script_of(tmp_path, *goals, text=NODS):
    path = tmp_path / "nods.toml"
    path.write_text(text + "".join(GOAL % goal for goal in goals))
    return read_script(path)


def performed(script, time, name="neck_y"):
    """Angle (degrees) of a joint in a recording."""
    recording = animate(script).recording
    joint = recording.model.joint("neck")
    axis = ["neck_x", "neck_y", "neck_z"].index(name)
    state = int(np.argmin(np.abs(recording.time - time)))
    w, *vector = recording.qpos[state, joint.qposadr[0] : joint.qposadr[0] + 4]
    return np.degrees(2 * np.arctan2(np.linalg.norm(vector), w) * vector[axis] / max(np.linalg.norm(vector), 1e-12))


def test_a_goal_spoilt_by_a_later_one_is_solved_again(tmp_path):
    script = script_of(tmp_path, ("one", "a.neck_y", "neck_y", 0.4, 20), ("two", "b.neck_y", "neck_y", 0.55, 35))
    solution = solve_script(script)
    assert solution.converged
    for answer, time, target in zip(solution.answers, (0.4, 0.55), (20, 35), strict=True):
        reached = np.degrees(answer.hit.reached[0])
        assert reached == pytest.approx(performed(solution.script, time), abs=1e-6)
        assert reached == pytest.approx(target, abs=0.2)


def test_a_goal_in_conflict_with_a_later_one_is_not_reported_as_met(tmp_path):
    script = script_of(tmp_path, ("one", "b.neck_y", "neck_y", 0.5, 20), ("two", "b.neck_y", "neck_y", 0.51, 35))
    solution = solve_script(script)
    assert not solution.converged
    for answer, time in zip(solution.answers, (0.5, 0.51), strict=True):
        assert np.degrees(answer.hit.reached[0]) == pytest.approx(performed(solution.script, time), abs=1e-6)


@pytest.mark.parametrize("backward", [False, True])
def test_goals_are_met_in_any_order(tmp_path, backward):
    goals = [("one", "a.neck_y", "neck_y", 0.3, 18), ("two", "c.neck_y", "neck_y", 0.72, 25)]
    solution = solve_script(script_of(tmp_path, *(goals[::-1] if backward else goals)))
    assert solution.converged
    assert performed(solution.script, 0.3) == pytest.approx(18, abs=0.25)
    assert performed(solution.script, 0.72) == pytest.approx(25, abs=0.25)


def test_a_start_between_two_steps_is_reported_as_performed(tmp_path):
    text = NODS.replace("0.3,", "0.303,").replace("0.5,", "0.507,")
    solution = solve_script(script_of(tmp_path, ("two", "c.neck_y", "neck_y", 0.72, 25), text=text))
    reached = np.degrees(solution.answers[0].hit.reached[0])
    assert reached == pytest.approx(performed(solution.script, 0.72), abs=1e-6)


def test_a_free_time_has_effect_from_the_key_that_it_may_pass(tmp_path):
    text = NODS + GOAL % ("when", "c.time", "neck_y", 0.9, 10)
    path = tmp_path / "when.toml"
    path.write_text(text.replace('["c.time"]', '[{ what = "c.time", most = 0.25 }]'))
    script = read_script(path)
    (free,) = script.goals[0].free
    assert parameter_effect_time(script, free) == 0.3  # 0.7 - 0.25 is before the key at 0.5
    earlier = script_of(tmp_path, ("one", "b.time", "neck_y", 0.9, 10)).goals[0].free[0]
    assert parameter_effect_time(script, free, [(earlier, -0.1)]) == 0.4  # where that key has been moved


def test_constraints_before_any_effect_are_refused(tmp_path):
    message = r"line 13: soon wants neck_y at 0.1 s, but its parameters have no effect before 0.5 s"
    with pytest.raises(TomlError, match=message):
        script_of(tmp_path, ("soon", "c.neck_y", "neck_y", 0.1, 10))


def test_constraints_too_early_after_changed_times_are_refused(tmp_path):
    goals = ("later", "b.time", "neck_y", 0.9, 10), ("soon", "c.neck_y", "neck_y", 0.52, 10)
    script = script_of(tmp_path, *goals)
    later, soon = script.goals
    with pytest.raises(PoiseError, match=r"soon wants neck_y at 0.52 s, .* before 0.55 s"):
        goal_start(script, soon, [(later.free[0], 0.05)])


def test_a_script_that_blows_up_before_its_goals_is_refused(tmp_path):
    text = NODS.replace("seconds = 1.0", 'seconds = 1.0\npush = "1e7@0.1"')
    with pytest.raises(PoiseError, match="nods cannot be solved: it blew up in step"):
        solve_script(script_of(tmp_path, ("late", "c.neck_y", "neck_y", 0.9, 20), text=text))


def test_late_constraints_are_simulated(tmp_path):
    text = NODS.replace("seconds = 1.0", "seconds = 5.0")
    script = script_of(tmp_path, ("late", "c.neck_y", "neck_y", 4.5, 20), text=text)
    assert solve_script(script).converged


def test_orientations_are_compared_modulo_a_full_turn(tmp_path):
    script = script_of(tmp_path, ("turn", "c.neck_y", "shade.pitch", 0.8, 30))
    plain = solve_script(script)
    further = script_of(tmp_path, ("turn", "c.neck_y", "shade.pitch", 0.8, 390))
    again = solve_script(further)
    np.testing.assert_allclose(plain.answers[0].hit.change, again.answers[0].hit.change, atol=1e-9)
    assert np.degrees(again.answers[0].hit.reached[0]) == pytest.approx(390, abs=0.25)
