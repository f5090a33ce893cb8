"""Pictures without OpenGL: shapes appear where geometry says, and the file is a valid PNG."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace

import mujoco
import numpy as np
import pytest

from poise import Scene
from poise.errors import PoiseError
from poise.export.look import geom_colours, performer_span
from poise.export.pictures import Camera, png_bytes, render_pose, write_strip

BALL = """<mujoco><worldbody>
  <body name="ball" pos="0 0 1"><freejoint/><geom type="sphere" size="0.25" rgba="0.9 0.1 0.1 1"/></body>
</worldbody></mujoco>"""

PUPPET = """<mujoco>
  <asset><hfield name="bumps" nrow="3" ncol="3" size="2 2 0.2 0.1" elevation="0 1 0 1 0 1 0 1 0"/></asset>
  <worldbody>
    <geom type="plane" size="0 0 1"/>
    <geom type="hfield" hfield="bumps" pos="0 6 0"/>
    <geom type="box" size="0.3 0.5 0.1" pos="1 0 0.1"/>
    <body name="trunk" pos="0 0 1"><freejoint/>
      <geom type="capsule" fromto="0 0 0 0 0 0.4" size="0.12"/>
      <geom type="sphere" pos="0 0 1.5" size="0.3" group="3"/>
      <body name="leg"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 -0.1 0 0 -0.8" size="0.07"/>
        <body name="foot" pos="0 0 -0.85"><joint axis="0 1 0"/><geom type="box" size="0.12 0.05 0.03"/></body>
      </body>
    </body>
    <body pos="0 1 0.2"><freejoint/><geom type="ellipsoid" size="0.2 0.1 0.1"/></body>
    <body pos="0 -1 0.2"><freejoint/><geom type="cylinder" size="0.1 0.2"/></body>
  </worldbody>
</mujoco>"""


def drop(xml: str, steps: int = 100) -> SimpleNamespace:
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    qpos = [data.qpos.copy()]
    for _ in range(steps):
        mujoco.mj_step(model, data)
        qpos.append(data.qpos.copy())
    return SimpleNamespace(model_xml=xml, time=0.002 * np.arange(steps + 1), qpos=np.array(qpos))


def read_png(path: Path) -> np.ndarray:
    """Read back with an independent decoder."""
    image = pytest.importorskip("PIL.Image")
    return np.asarray(image.open(io.BytesIO(path.read_bytes())))


def reddish(image: np.ndarray) -> np.ndarray:
    return image[..., 0].astype(int) - image[..., 2] > 60


def test_sphere_silhouette_is_where_the_camera_sees_it():
    model = mujoco.MjModel.from_xml_string(BALL)
    camera = Camera(azimuth=20, elevation=10, distance=4, field=30)
    image = render_pose(model, model.qpos0, (200, 160), camera=camera, span=1.0)
    assert image.shape == (160, 200, 3)
    assert image.dtype == np.uint8
    rows, columns = np.nonzero(reddish(image))
    radius = np.tan(np.arcsin(0.25 / 4)) / np.tan(np.radians(15)) * 80  # pixels
    assert rows.mean() + 0.5 == pytest.approx(80, abs=0.7)
    assert columns.mean() + 0.5 == pytest.approx(100, abs=0.7)
    assert reddish(image).sum() == pytest.approx(np.pi * radius**2, rel=0.04)


def test_focus_moves_the_picture():
    model = mujoco.MjModel.from_xml_string(BALL)
    camera = Camera(azimuth=0, elevation=0)
    above = render_pose(model, model.qpos0, (80, 80), camera=camera, span=1.0, focus=(0, 0, 1.3))
    right = render_pose(model, model.qpos0, (80, 80), camera=camera, span=1.0, focus=(0, -0.3, 1))
    assert np.nonzero(reddish(above))[0].mean() > 45
    assert np.nonzero(reddish(right))[1].mean() > 45  # seen from +x, +y is to the right


def test_hidden_groups_are_not_drawn_and_unpainted_geoms_wear_the_house_colours():
    model = mujoco.MjModel.from_xml_string(PUPPET)
    colours = geom_colours(model)
    assert not np.allclose(colours[0], 0.5)
    assert not np.allclose(colours[0], colours[3])
    seen = render_pose(model, model.qpos0, (64, 64))
    model.geom_rgba[model.geom_group == 3] = (1, 0, 0, 1)
    assert np.array_equal(seen, render_pose(model, model.qpos0, (64, 64)))
    assert performer_span(model, model.qpos0) > 1.2


def test_a_body_casts_a_shadow_on_the_floor():
    shaded = BALL.replace("<worldbody>", '<worldbody><geom type="plane" size="0 0 1"/>')
    model = mujoco.MjModel.from_xml_string(shaded)
    camera = Camera(azimuth=0, elevation=60, distance=6)
    near, far = (np.array([-0.4, 0.35, z]) for z in (1.0, 9.0))
    pictures = []
    for place in (near, far):
        qpos = model.qpos0.copy()
        qpos[:3] = place
        pictures.append(render_pose(model, qpos, (90, 90), camera=camera, span=1.0, focus=(-0.8, 0.7, 0)).astype(int))
    darker = (pictures[1] - pictures[0]).min(axis=2) > 20
    assert darker[40:50, 40:50].any()
    assert darker.mean() < 0.2


def test_strip_is_a_png_of_the_right_shape_and_the_same_each_time(tmp_path):
    recording = drop(PUPPET)
    first = write_strip(recording, tmp_path / "a.png", columns=3, size=(64, 48))
    second = write_strip(recording, tmp_path / "b.png", columns=3, size=(64, 48))
    assert first.read_bytes() == second.read_bytes()
    picture = read_png(first)
    assert picture.shape == (48, 192, 3)
    assert picture.std() > 10
    assert [file.name for file in sorted(tmp_path.iterdir())] == ["a.png", "b.png"]


def test_given_times_wrap_into_rows(tmp_path):
    path = write_strip(drop(PUPPET, 10), tmp_path / "s.png", columns=2, size=(32, 32), times=[0, 0.01, 0.02])
    assert read_png(path).shape == (64, 64, 3)


def test_png_keeps_every_pixel(tmp_path):
    image = np.random.default_rng(0).integers(0, 256, (7, 5, 3), dtype=np.uint8)
    path = tmp_path / "noise.png"
    path.write_bytes(png_bytes(image))
    assert np.array_equal(read_png(path), image)


def test_mistakes_are_said_in_one_line(tmp_path):
    recording = drop(BALL, 1)
    with pytest.raises(PoiseError, match="cannot write"):
        write_strip(recording, tmp_path / "missing" / "s.png", columns=1, size=(8, 8))
    with pytest.raises(PoiseError, match="at least one"):
        write_strip(recording, tmp_path / "s.png", columns=0)


@pytest.mark.parametrize("terrain", ["flat", "slope:5", "drop:0.3"])
def test_who_has_gone_far_still_walks_on_the_ground(terrain):
    scene = Scene.of("biped29", terrain)
    there = (400.0, 300.0, scene.terrain.height(400.0, 300.0))
    sky, *_, lowest = render_pose(scene.model, scene.model.qpos0, (32, 32), span=1.7, focus=there)
    assert (lowest != sky).any(axis=1).all()
