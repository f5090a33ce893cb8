"""CSV: a table that comes back with the numbers of the recording or clip."""

import csv

import numpy as np
import pytest
from rigs import record

from poise import Body, Scene, World, named_controller, named_motion, perform
from poise.export.clips import performer_clip
from poise.export.formats import write_csv
from poise.world.props import Ball
from poise.world.pushes import parse_push
from poise.world.recorder import Recorder


def read(path):
    with open(path, newline="") as file:
        header, *rows = list(csv.reader(file))
    return header, rows


@pytest.fixture(scope="module")
def recording():
    return record(Body.named("human37"), 0.3, terrain="slope:10")


@pytest.fixture(scope="module")
def table(recording, tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "r.csv"
    write_csv(recording, path)
    return read(path)


def test_there_is_a_row_per_state_and_a_name_per_column(recording, table):
    header, rows = table
    assert len(rows) == recording.steps + 1
    width = 1 + recording.model.nq + 2 * recording.model.nv
    assert len(header) == width
    assert len(set(header)) == width
    assert all(len(row) == width for row in rows)
    assert header[0] == "time_s"


def test_coordinates_are_named_after_their_joints(recording, table):
    header, _ = table
    assert header[1:8] == ["root_x", "root_y", "root_z", "root_qw", "root_qx", "root_qy", "root_qz"]
    names = recording.meta["dof_names"]
    start = 1 + recording.model.nq
    assert header[start : start + len(names)] == [f"{name}_velocity" for name in names]
    assert header[start + len(names) :] == [f"{name}_torque" for name in names]


def test_values_are_those_of_the_recording(recording, table):
    _, rows = table
    nq, nv = recording.model.nq, recording.model.nv
    states = np.array([[float(value) for value in row[: 1 + nq + nv]] for row in rows])
    np.testing.assert_allclose(states[:, 0], recording.time, atol=1e-6)
    np.testing.assert_allclose(states[:, 1 : 1 + nq], recording.qpos, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(states[:, 1 + nq :], recording.qvel, rtol=1e-8, atol=1e-12)


def test_torques_belong_to_the_step_that_begins_in_their_row(tmp_path):
    body = Body.named("biped29")
    world, stand = World(Scene.of(body)), named_motion("stand", body)
    held = perform(world, named_controller("hold"), stand, seconds=0.2, pushes=[parse_push("80@0.05")]).recording
    write_csv(held, tmp_path / "r.csv")
    header, rows = read(tmp_path / "r.csv")
    first = 1 + held.model.nq + held.model.nv
    assert header[first] == "root_x_torque"
    torque = np.array([[float(value) for value in row[first:]] for row in rows[:-1]])
    np.testing.assert_allclose(torque, held.torque, rtol=1e-8, atol=1e-12)
    assert np.abs(torque).max() > 1
    assert set(rows[-1][first:]) == {""}


def test_a_scene_with_props_has_their_columns_too(tmp_path):
    world = World(Scene((), props=(Ball(),)))
    recorder = Recorder(world, with_reference=False)
    recorder.add(world.step())
    names = [world.scene.dof_name(dof) for dof in range(6)]
    write_csv(recorder.finish({"step": world.settings.step, "dof_names": names}), tmp_path / "r.csv")
    header, rows = read(tmp_path / "r.csv")
    assert header[1:4] == ["ball_x", "ball_y", "ball_z"]
    assert len(rows) == 2
    assert len(set(header)) == 1 + 7 + 12


def test_a_clip_gives_the_places_of_its_joints(recording, tmp_path):
    clip = performer_clip(recording)
    header, rows = read(write_csv(clip, tmp_path / "c.csv"))
    table = np.array(rows, float)
    names = clip.skeleton.names
    assert header[0] == "time_s"
    assert header[1:8] == [f"{names[0]}_{part}" for part in ("x", "y", "z", "qw", "qx", "qy", "qz")]
    assert table.shape == (clip.frames, 1 + 7 * len(names))
    np.testing.assert_allclose(table[:, 0], np.arange(clip.frames) / clip.rate, atol=1e-6)
    values = table[:, 1:].reshape(clip.frames, -1, 7)
    np.testing.assert_allclose(values[..., :3], clip.places.position, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(values[..., 3:], clip.places.rotation, rtol=1e-8, atol=1e-12)
