"""Recordings: what is in them, and that files come back as they were saved."""

import dataclasses
import json
import zipfile

import mujoco
import numpy as np
import pytest

from poise import Body, Cue, PoiseError, Push, Recording, Scene, World, named_controller, named_motion, perform
from poise.world.recorder import Recorder
from poise.world.recording import ARRAYS, OPTIONAL


@pytest.fixture(scope="module")
def recording():
    body = Body.named("biped29")
    world = World(Scene.of(body))
    pushes = [Push(60.0, 0.1, 0.1)]
    return perform(world, named_controller("hold"), named_motion("stand", body), seconds=0.5, pushes=pushes).recording


def test_shapes_agree(recording):
    steps = recording.steps
    assert steps == 60
    assert len(recording.time) == len(recording.qpos) == len(recording.qvel) == len(recording.reference_qpos) == 61
    assert recording.time[0] == 0.0
    np.testing.assert_allclose(np.diff(recording.time), recording.step, rtol=1e-9)
    assert recording.contact_step.min() == 0
    assert recording.contact_step.max() == steps - 1
    assert (np.diff(recording.contact_step) >= 0).all()


def test_the_model_loads_with_mujoco_alone(recording):
    model = mujoco.MjModel.from_xml_string(recording.model_xml)
    assert (model.nq, model.nv) == (recording.qpos.shape[1], recording.qvel.shape[1])
    np.testing.assert_allclose(np.linalg.norm(recording.qpos[:, 3:7], axis=1), 1.0, atol=1e-12)


def test_poses_follow_from_velocities_in_the_joints(recording):
    model = recording.model
    moved = np.zeros(model.nv)
    for k in range(recording.steps):
        mujoco.mj_differentiatePos(model, moved, recording.step, recording.qpos[k], recording.qpos[k + 1])
        np.testing.assert_allclose(moved[6:], recording.qvel[k + 1, 6:], atol=1e-9)


def test_contact_forces_act_on_the_body_and_point_out_of_the_ground(recording):
    assert (recording.contact_other == 0).all()
    assert (recording.contact_body > 0).all()
    np.testing.assert_allclose(recording.contact_normal, np.tile([0, 0, 1.0], (len(recording.contact_step), 1)))
    assert (recording.contact_force[:, 2] > 0).all()
    np.testing.assert_allclose(recording.contact_point[:, 2], 0, atol=2e-3)
    np.testing.assert_array_equal(recording.contact_friction, 1.0)
    np.testing.assert_array_equal(recording.contact_kind, 0)
    weight = recording.model.body_mass.sum() * 9.81
    late = recording.contact_step >= 50
    assert recording.contact_force[late, 2].sum() / 10 == pytest.approx(weight, rel=0.2)


def test_it_does_not_matter_for_how_many_forces_there_is_room_at_first(monkeypatch):
    def hanging():
        body = Body.named("biped29")
        world, reference = World(Scene.of(body)), named_motion("stand", body)
        hand = world.scene.model.body("left_hand").id
        hold = Cue(0.1, "hold", lambda world: world.grip("left_hand", world.terms.data.xpos[hand]))
        return perform(world, named_controller("hold"), reference, seconds=0.3, cues=[hold]).recording

    whole = hanging()
    assert set(whole.contact_kind) == {0, 1}
    monkeypatch.setattr("poise.world.recorder.CAPACITY", 1)
    grown = hanging()
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(grown, name), getattr(whole, name))


def test_a_file_comes_back_as_it_was(recording, tmp_path):
    recording.save(tmp_path / "r.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["r.npz"]
    back = Recording.load(tmp_path / "r.npz")
    for name in ARRAYS:
        kept, read = getattr(recording, name), getattr(back, name)
        assert kept.dtype == read.dtype
        np.testing.assert_array_equal(kept, read)
    assert back.model_xml == recording.model_xml
    assert back.meta == json.loads(json.dumps(recording.meta))


@pytest.mark.parametrize("name", OPTIONAL)
def test_a_recording_without_an_optional_array_is_one(name, recording, tmp_path):
    dataclasses.replace(recording, **{name: None}).save(tmp_path / "r.npz")
    with np.load(tmp_path / "r.npz") as file:
        assert name not in file.files
    assert getattr(Recording.load(tmp_path / "r.npz"), name) is None


@pytest.mark.parametrize("name", [*(n for n in ARRAYS if n not in OPTIONAL), "model_xml", "meta"])
def test_a_file_that_lacks_something_is_refused_by_name(name, recording, tmp_path):
    recording.save(tmp_path / "r.npz")
    with np.load(tmp_path / "r.npz") as file:
        rest = {key: file[key] for key in file.files if key != name}
    np.savez(tmp_path / "r.npz", **rest)
    with pytest.raises(PoiseError, match=rf"r\.npz is not a recording: it lacks {name}$"):
        Recording.load(tmp_path / "r.npz")


@pytest.mark.parametrize("target", ["gone/r.npz", "file/r.npz", "folder"])
def test_what_cannot_be_written_leaves_nothing_behind(target, recording, tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    before = set(tmp_path.rglob("*"))
    with pytest.raises(PoiseError, match="cannot write"):
        recording.save(tmp_path / target)
    assert set(tmp_path.rglob("*")) == before


def test_saving_again_replaces_the_file(recording, tmp_path):
    (tmp_path / "r.npz").write_text("old")
    recording.save(tmp_path / "r.npz")
    assert Recording.load(tmp_path / "r.npz").steps == recording.steps


def test_a_recorder_that_saw_no_step_gives_an_empty_recording(tmp_path):
    world = World(Scene.of("lamp14"))
    empty = Recorder(world, with_reference=False).finish({"step": world.settings.step, "root": "base"})
    assert empty.steps == 0
    assert empty.torque.shape == empty.external.shape == (0, world.model.nv)
    assert empty.contact_force.shape == (0, 3)
    empty.save(tmp_path / "r.npz")
    assert Recording.load(tmp_path / "r.npz").steps == 0


def test_meta_is_plain_json(recording):
    text = json.dumps(recording.meta, allow_nan=False)
    assert json.loads(text)["settings"]["stiffness"] == 4.0
    assert recording.meta["torque_limits"][:6] == [0.0] * 6
    assert len(recording.meta["dof_names"]) == recording.model.nv


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"torque_limits": "strong"}, "its torque_limits must be one number or null per degree of freedom"),
        ({"torque_limits": [True] * 20}, "its torque_limits"),
        ({"feet": ["tail"]}, "its feet must be names of links"),
        ({"hands": [["hand"]]}, "its hands must be names of links"),
        ({"dof_names": [1, 2]}, "its dof_names"),
        ({"root": 3}, "its root must be a text"),
        ({"solver": {"worst_residual": "small"}}, "its solver"),
        ({"events": [3]}, "its events must be tables"),
        ({"events": [{"time": True}]}, "the time of an event must be a finite number"),
        ({"events": [{"world_force": [1.0, float("nan"), 0.0]}]}, "the world_force of an event must be three finite"),
        ({"events": [{"force": [True, 1, 2]}]}, "the force of an event"),
        ({"step": True}, "its meta has no positive step"),
        ({"step": 10**400}, "its meta has no positive step"),
    ],
)
def test_malformed_entries_of_meta_are_named(entry, message, recording, tmp_path):
    dataclasses.replace(recording, meta={**recording.meta, **entry}).save(tmp_path / "r.npz")
    with pytest.raises(PoiseError, match=message):
        Recording.load(tmp_path / "r.npz")


def test_a_recording_that_unpacks_to_gigabytes_is_refused(tmp_path):
    """Its size is judged by its directory, before anything is unpacked."""
    with (
        zipfile.ZipFile(tmp_path / "r.npz", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("qpos.npy", "w") as file,
    ):
        for _ in range(300):
            file.write(bytes(2**20))
    assert (tmp_path / "r.npz").stat().st_size < 2**20
    with pytest.raises(PoiseError, match="unpacks to more than 256 MB"):
        Recording.load(tmp_path / "r.npz")


def test_an_array_cannot_announce_more_than_the_file_holds(tmp_path):
    with zipfile.ZipFile(tmp_path / "r.npz", "w") as archive, archive.open("qpos.npy", "w") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": (2**40, 20)}
        np.lib.format.write_array_header_1_0(file, header)
    with pytest.raises(PoiseError, match="is not a recording"):
        Recording.load(tmp_path / "r.npz")


def test_the_model_of_a_recording_is_bounded(recording, tmp_path):
    xml = recording.model_xml.replace("<worldbody>", '<worldbody><replicate count="99999"><geom size="1"/></replicate>')
    dataclasses.replace(recording, model_xml=xml).save(tmp_path / "r.npz")
    with pytest.raises(PoiseError, match="model does not load: replicate 'unnamed'"):
        Recording.load(tmp_path / "r.npz")
