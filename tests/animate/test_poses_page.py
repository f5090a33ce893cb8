"""The scripts in docs/poses.md do what the page says."""

import re
from pathlib import Path

import pytest

from poise.animate.animate import animate
from poise.animate.read_script import read_script
from poise.animate.solve import solve_script
from poise.measure.audit import audit
from poise.measure.metrics import stabilising_effort
from poise.study.poses.scripts import trial_stayed_upright

PAGE = (Path(__file__).parents[2] / "docs/poses.md").read_text()


@pytest.fixture
def scripts(tmp_path):
    """The complete scripts of the page, by title."""
    texts = [text for text in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL) if text.startswith("title")]
    found = {}
    for number, text in enumerate(texts):
        path = tmp_path / f"{number}.toml"
        path.write_text(text)
        script = read_script(path)
        found[script.title] = script
    return found


def test_the_bow_bends_without_stabilising_torques(scripts):
    bow = scripts["A bow"]
    recording = animate(bow).recording
    assert trial_stayed_upright(recording)
    assert audit(recording).passed
    assert stabilising_effort(recording)["mean_nm"] < 30.0
    foot = recording.model.body("left_foot").id
    assert set(recording.contact_step[recording.contact_body == foot]) == set(range(recording.steps))


def test_the_hop_is_solved_and_lands(scripts):
    solution = solve_script(scripts["A hop"])
    assert solution.converged
    recording = animate(solution.script).recording
    assert trial_stayed_upright(recording)
    assert recording.qpos[-1, 0] == pytest.approx(0.25, abs=0.01)
