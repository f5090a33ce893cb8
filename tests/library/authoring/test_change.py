"""Changes of gait: they begin as the one and end as the other, with feet that stand where they stand."""

import numpy as np
import pytest

from poise.arrays import true_runs
from poise.body.body import Body
from poise.body.pose_space import PoseSpace
from poise.errors import PoiseError
from poise.library.authoring.source import read_source
from poise.library.motions import sketch_of_source


@pytest.fixture(scope="module", params=["biped29", "human37"])
def body(request):
    return Body.named(request.param)


@pytest.fixture(scope="module", params=["walk-to-run", "run-to-walk"])
def change(request, body):
    return sketch_of_source(request.param, body).clip


@pytest.fixture(scope="module")
def gaits(change, body):
    source = read_source(change.name)
    return [sketch_of_source(source.table.text(field), body).clip for field in ("begins", "ends")]


def test_it_goes_from_the_one_gait_into_the_other(change, gaits, body):
    ends = np.array([gait.qpos[0] for gait in gaits])
    there = np.array(change.qpos[[0, -1]])
    there[:, 0] = ends[:, 0] = 0.0
    assert np.abs(PoseSpace(body).difference(ends, there)).max() < 0.05
    assert [list(row) for row in change.down[[0, -1]]] == [list(gait.down[0]) for gait in gaits]


def test_its_rhythm_and_speed_lie_between_theirs(change, gaits):
    paces = sorted(2 * (gait.frames - 1) for gait in gaits)
    assert paces[0] < change.frames - 1 < paces[1]
    speeds = np.diff(change.qpos[:, 0]) * change.rate
    ours = [np.mean(speeds[:30]), np.mean(speeds[-30:])]
    assert ours == pytest.approx([gait.qpos[-1, 0] / gait.seconds for gait in gaits], rel=0.25)


def test_flights_become_longer_into_a_run_and_shorter_out_of_it(change):
    flights = [stop - start for start, stop in true_runs(~change.down.any(axis=1))]
    longer = change.name == "walk-to-run"
    assert len(flights) >= 2
    assert np.all(np.diff(flights if longer else flights[::-1]) >= -1)  # frames are whole
    walking = slice(None, change.frames // 4) if longer else slice(-change.frames // 4, None)
    assert change.down[walking].any(axis=1).all()


def test_whole_cycles_are_asked_for(tmp_path, body):
    text = read_source("walk-to-run").path.read_text()
    path = tmp_path / "half.toml"
    path.write_text(text.replace("cycles = 2", "cycles = 1.5"))
    with pytest.raises(PoiseError, match=r"half\.toml.*cycles"):
        sketch_of_source(path, body)
