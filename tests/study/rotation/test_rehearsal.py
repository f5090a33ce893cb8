"""Trials of rotational behaviours, and the studies made of them."""

from dataclasses import replace

from poise.arrays import Frozen
from poise.library.behaviours.files import read_behaviour
from poise.study.experiment.study import Scope
from poise.study.rotation.aerial import AERIAL, FLIPS, GOALS as IN_THE_AIR
from poise.study.rotation.attempts import run_roll_trial
from poise.study.rotation.ground import GOALS as ON_THE_GROUND, GROUND, ROLLS, TURNS
from poise.study.rotation.stage import BehaviourTrial


def test_a_roll_without_strength_stalls():
    roll = read_behaviour("forward-roll")
    weak = replace(roll, control=Frozen({**roll.control, "strength": 0.02}))
    rolled = run_roll_trial(BehaviourTrial(weak, seconds=4.0))
    assert rolled.stalled
    assert rolled.turns < 1.0
    assert rolled.seconds < 4.0


def test_rolls_are_judged_by_the_goals_of_their_ground():
    cases = ROLLS.cases(Scope(seeds=2, seconds=1.0))
    assert {case.terrain for case in cases} == set(TURNS)
    row = ROLLS.run_case(ROLLS.cases(Scope(seeds=1, seconds=0.2, coarse=True))[0])
    assert row["goal"] == TURNS["flat"]
    assert row["survived"] is False
    (found,) = ROLLS.summary([row])
    assert found["reached"] == 0
    assert found["of"] == 1
    ROLLS.plot([row])


def test_behaviours_on_the_ground_are_judged_by_their_goals():
    whole = GROUND.cases(Scope(seeds=1, seconds=1.0))
    assert {case.behaviour.name for case in whole} == set(ON_THE_GROUND)
    assert {case.limits for case in whole if case.behaviour.name == "sideways-roll"} == {"athlete", "human"}
    assert {case.limits for case in whole if case.behaviour.name == "baby-roll"} == {"infant"}
    rows = [GROUND.run_case(case) for case in GROUND.cases(Scope(seeds=1, seconds=2.5, coarse=True))]
    rolled, baby = rows
    assert rolled["survived"]
    assert 0.5 < rolled["seconds"] < 2.5
    early = GROUND.run_case(GROUND.cases(Scope(seeds=1, seconds=0.2))[0])
    assert not early["survived"]
    assert early["seconds"] is None
    assert [found["reached"] for found in GROUND.summary([rolled, early])] == [0.5]
    assert baby["physical"]
    GROUND.plot([*rows, early])


def test_flips_that_do_not_leave_the_ground_do_not_count():
    row = FLIPS.run_case(FLIPS.cases(Scope(seeds=1, seconds=0.2, coarse=True))[0])
    assert not row["survived"]
    assert FLIPS.summary([row])[0]["succeeded"] == 0
    FLIPS.plot([row])


def test_aerial_behaviours_are_judged_by_their_goals():
    tried = [(case.behaviour.name, case.noise, case.limits) for case in AERIAL.cases(Scope(seeds=1, seconds=1.0))]
    strong = [(name, noise, "athlete") for name, goal in IN_THE_AIR.items() for noise in goal.noises]
    assert tried == strong + [(name, goal.noises[0], "human") for name, goal in IN_THE_AIR.items()]
    early = AERIAL.run_case(AERIAL.cases(Scope(seeds=1, seconds=0.2))[0])
    assert not early["survived"]
    assert early["physical"]
    (row,) = AERIAL.summary([early])
    assert (row["reached"], row["physical"], row["both"], row["of"]) == (0, 1, 0, 1)
    AERIAL.plot([early])
