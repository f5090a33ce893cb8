"""The jumps that come with Poise meet their goals."""

import numpy as np
import pytest

from poise.animate.animate import animate
from poise.animate.read_script import read_script
from poise.animate.solve import solve_script
from poise.measure.audit import audit
from poise.world.recorder import SELF


def solved(name):
    solution = solve_script(read_script(name))
    assert solution.converged
    return solution, animate(solution.script).recording


def bearing(recording, start):
    """Names of the links that bore on the ground from a time on."""
    after = (recording.time[recording.contact_step] > start) & (recording.contact_kind != SELF)
    return {recording.model.body(int(body)).name for body in np.unique(recording.contact_body[after])}


def test_the_lamp_lands_on_its_spots_without_external_forces():
    solution, recording = solved("lamp")
    assert max(answer.hit.iterations for answer in solution.answers) <= 5
    assert not recording.external.any()
    assert bearing(recording, 0.0) == {"base"}
    for lap, goal in enumerate(solution.script.goals):
        spot = [want.value for want in goal.wants[:2]]
        rest = np.searchsorted(recording.time, 0.2 + 1.2 * lap + 1.2)  # the end of its cycle
        assert np.linalg.norm(recording.qpos[rest, :2] - spot) < 0.007  # 5 mm in x and in y


def test_the_somersault_turns_twice_and_lands_on_its_feet():
    _, recording = solved("somersault")
    assert np.degrees(recording.qvel[:, 4].sum() * recording.step) == pytest.approx(720, abs=5)
    assert all(name.endswith(("foot", "toes")) for name in bearing(recording, 0.0))
    assert recording.qpos[:, 2].min() > 0.5
    assert recording.qpos[-1, 2] > 0.9
    air = (recording.time > 1.1) & (recording.time < 1.8)
    assert not recording.external[air[: len(recording.external)]].any()
    assert audit(recording).passed
