"""Solutions of goals, written into the text of a script and read back."""

from dataclasses import replace

import numpy as np
import pytest

from poise.animate.read_script import read_script, solved_script_text

NODS = """# page one \u2028 one line still
title = 'He said ]['
body = "lamp14"
seconds = 3
[[cycle]]
period = 1
pose = [
    { at = 0.2, name = "down", angles = { neck_y = 10 } },
    { at = 0.7, name = "up", angles = { neck_y = -10 } },
]
[[goal]] # of each nod
name = "nod"
each = 3
free = ["down#.neck_y", "up#.time"]
want = [{ what = "neck_y", at = 2.9, is = 5 }]
[[goal]]
name = "once"
free = ["up#3.neck_y"] # ]
want = [{ what = "neck_y", at = 2.9, is = -5 }]
"""


@pytest.fixture
def read(tmp_path):
    def read(text):
        file = tmp_path / "nods.toml"
        file.write_text(text, encoding="utf-8")
        return read_script(file)

    return read


def found(script, *, seed):
    """The script with changes of all its parameters."""
    random = np.random.default_rng(seed)
    return replace(
        script, goals=tuple(replace(g, solved=tuple(random.uniform(-0.1, 0.1, len(g.free)))) for g in script.goals)
    )


def test_a_solution_is_read_back_and_replaced_by_the_next(read):
    text, script = NODS, read(NODS)
    for seed in range(2):
        expected = found(script, seed=seed)
        text = solved_script_text(expected, text)
        again = read(text)
        for goal, other in zip(again.goals, expected.goals, strict=True):
            assert goal.solved == pytest.approx(other.solved, rel=1e-14)
        assert text.count("solved = ") == 2


def test_the_rest_of_the_text_is_unchanged(read):
    once = solved_script_text(found(read(NODS), seed=0), NODS)
    assert solved_script_text(found(read(once), seed=0), once) == once
    kept = iter(once.split("\n"))
    assert all(line in kept for line in NODS.split("\n"))  # in the same order
