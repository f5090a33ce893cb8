"""Videos: as long as what they show, with the performer in the middle, or a line that says what is missing."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from rigs import needs_graphics

from poise.errors import PoiseError
from poise.export.pictures import RATE, video_frames, write_video

BALL = """<mujoco><worldbody>
  <geom type="plane" size="0 0 1"/>
  <body name="ball" pos="0 0 1"><freejoint/><geom type="sphere" size="0.25" rgba="0.9 0.1 0.1 1"/></body>
</worldbody></mujoco>"""
SIZE = (96, 64)


def rolling(seconds: float, speed: float) -> SimpleNamespace:
    """A red ball that goes along x, told a hundred times a second."""
    time = np.arange(round(100 * seconds) + 1) / 100
    qpos = np.zeros((len(time), 7))
    qpos[:, 0], qpos[:, 2], qpos[:, 3] = speed * time, 0.25, 1.0
    return SimpleNamespace(model_xml=BALL, time=time, qpos=qpos)


def red(picture: np.ndarray) -> np.ndarray:
    return picture[..., 0].astype(int) - picture[..., 2] > 60


@needs_graphics
def test_the_camera_goes_along_with_the_performer_and_the_ground_passes():
    seen = list(video_frames(rolling(3.0, 1.5), SIZE))
    assert len(seen) == 3 * RATE + 1
    for picture in seen[36:-36]:
        rows, columns = np.nonzero(red(picture))
        assert abs(columns.mean() - SIZE[0] / 2) < 3
        assert abs(rows.mean() - SIZE[1] / 2) < 6
    floor = [picture[-12:].astype(int) for picture in seen[20:40]]
    assert max(np.abs(one - floor[0]).max() for one in floor) > 8


@needs_graphics
def test_the_film_has_its_length_its_size_and_its_pictures(tmp_path):
    av = pytest.importorskip("av")
    path = write_video(rolling(1.0, 0.0), tmp_path / "ball.mp4", SIZE)
    with av.open(path) as film:
        stream = film.streams.video[0]
        frames = [frame.to_ndarray(format="rgb24") for frame in film.decode(stream)]
        assert stream.codec_context.name == "h264"
        assert float(stream.duration * stream.time_base) == pytest.approx(1.0, abs=1.5 / RATE)
    assert len(frames) == RATE + 1
    assert frames[0].shape == (SIZE[1], SIZE[0], 3)
    drawn = next(iter(video_frames(rolling(0.0, 0.0), SIZE)))
    assert np.abs(frames[0].astype(int) - drawn).mean() < 6


@needs_graphics
def test_a_bar_counts_the_pictures():
    told = []

    def bar(count: int) -> range:
        told.append(count)
        return range(count)

    assert len(list(video_frames(rolling(0.5, 0.0), SIZE, bar=bar))) == told[0] == RATE // 2 + 1


def test_without_the_package_a_line_says_so_and_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(PoiseError, match=r"poise\[video\]"):
        write_video(rolling(0.1, 0.0), tmp_path / "ball.mp4", SIZE)
    assert not list(tmp_path.iterdir())


def test_without_graphics_a_line_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco.egl", None)
    with pytest.raises(PoiseError, match="EGL"):
        next(video_frames(rolling(0.1, 0.0), SIZE))
