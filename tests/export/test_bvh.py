"""BVH of recordings: read back by a small reader of its own and compared with MuJoCo's kinematics."""

import math

import mujoco
import numpy as np
import pytest
from rigs import CROOKED, crooked, record

from poise import Body, Scene, World, named_controller, named_motion, perform
from poise.export.formats import export
from poise.world.props import Box


def read_bvh(text):
    """Joints (name, parent, offset, channels) depth first, frame time and frames (T, channels)."""
    words = iter(text.split())
    assert next(words) == "HIERARCHY"
    joints, stack, ends = [], [], []
    for word in words:
        if word in ("ROOT", "JOINT"):
            joints.append({"name": next(words), "parent": stack[-1] if stack else -1})
            assert (word == "ROOT") == (len(joints) == 1)
            assert next(words) == "{"
            stack.append(len(joints) - 1)
        elif word == "End":
            assert next(words) == "Site"
            assert next(words) == "{"
            assert next(words) == "OFFSET"
            ends.append((stack[-1], [float(next(words)) for _ in range(3)]))
            assert next(words) == "}"
        elif word == "OFFSET":
            joints[stack[-1]]["offset"] = np.array([float(next(words)) for _ in range(3)])
        elif word == "CHANNELS":
            joints[stack[-1]]["channels"] = [next(words) for _ in range(int(next(words)))]
        elif word == "}":
            stack.pop()
        else:
            assert word == "MOTION"
            break
    assert not stack
    assert next(words) == "Frames:"
    count = int(next(words))
    assert (next(words), next(words)) == ("Frame", "Time:")
    step = float(next(words))
    values = np.array([float(word) for word in words])
    return joints, ends, step, values.reshape(count, -1)


def turn(axis, degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return {
        "X": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "Y": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "Z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis]


def places(joints, frame):
    """World position of every joint in metres, z up, x forward."""
    out, turns, at = [], [], 0
    for joint in joints:
        parent = joint["parent"]
        matrix = np.eye(3) if parent < 0 else turns[parent]
        place = joint["offset"] if parent < 0 else out[parent] + matrix @ joint["offset"]
        for channel in joint["channels"]:
            if channel.endswith("position"):
                place = place + frame[at] * np.eye(3)["XYZ".index(channel[0])]
            else:
                matrix = matrix @ turn(channel[0], frame[at])
            at += 1
        out.append(place)
        turns.append(matrix)
    assert at == len(frame)
    x, y, z = 0.01 * np.array(out).T
    return np.stack([z, x, y], axis=1)  # BVH: y up, z forward, x left


def anchors(model, qpos, names):
    """Where MuJoCo has the joint of each link: its anchor, or the link's origin if it has none."""
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    out = []
    for name in names:
        body = model.body(name)
        out.append(data.xanchor[body.jntadr[0]] if body.jntnum[0] else data.xpos[body.id])
    return np.array(out)


def compare(recording, tmp_path):
    export(recording, tmp_path / "m.bvh")
    joints, ends, step, frames = read_bvh((tmp_path / "m.bvh").read_text())
    names = [joint["name"] for joint in joints]
    assert len(frames) == len(recording.qpos)
    assert step == pytest.approx(recording.step, abs=1e-8)
    for k in np.linspace(0, len(frames) - 1, 7).astype(int):
        expected = anchors(recording.model, recording.qpos[k], names)
        np.testing.assert_allclose(places(joints, frames[k]), expected, atol=1e-4)
    return joints, ends, frames


@pytest.mark.parametrize("name", ["biped29", "human37", "human58", "lamp14"])
def test_joints_are_where_mujoco_has_them(name, tmp_path):
    recording = record(Body.named(name), 0.8, terrain="stairs:0.15:0.3:4")
    joints, ends, frames = compare(recording, tmp_path)
    body = Body.named(name)
    assert {joint["name"] for joint in joints} == set(body.links)
    assert joints[0]["name"] == body.links[0]
    parents = {joint["name"]: joints[joint["parent"]]["name"] for joint in joints[1:]}
    for link, parent in parents.items():
        assert body.model.body(body.model.body(link).parentid[0]).name == parent
    leaves = set(range(len(joints))) - {joint["parent"] for joint in joints}
    assert {index for index, _ in ends} == leaves
    assert [len(joint["channels"]) for joint in joints] == [6] + [3] * (len(joints) - 1)
    assert np.abs(np.diff(frames[:, 3:], axis=0)).max() < 170  # degrees: curves do not jump


def test_a_body_with_turned_frames_and_offset_joints(tmp_path):
    recording = crooked(seconds=1.0)
    moved = np.abs(recording.qpos[-1, 7:] - recording.qpos[0, 7:])
    assert moved.max() > 0.1  # the joints did turn
    joints, _, _ = compare(recording, tmp_path)
    assert [joint["name"] for joint in joints] == ["trunk", "arm", "hand", "fixed", "tail"]


def test_only_the_performer_is_written(tmp_path):
    body = Body.named("lamp14")
    world = World(Scene((body, body), props=(Box(at=(3, 0, 0.2)),)))
    qpos = np.array(world.model.qpos0)
    recording = perform(world, named_controller("limp"), named_motion("stand", body), seconds=0.1).recording
    joints, _, _ = compare(recording, tmp_path)
    assert {joint["name"] for joint in joints} == set(body.links)
    assert len(qpos) > body.nq


def test_the_rest_pose_of_the_file_is_that_of_the_model(tmp_path):
    recording = record(Body.named("biped29"), 0.1, "stand")
    export(recording, tmp_path / "m.bvh")
    joints, _, _, frames = read_bvh((tmp_path / "m.bvh").read_text())
    rest = frames[0].copy()
    rest[3:] = 0
    model = recording.model
    names = [joint["name"] for joint in joints]
    expected = anchors(model, model.qpos0, names)
    found = places(joints, rest)
    np.testing.assert_allclose(found - found[0], expected - expected[0], atol=1e-4)


def test_names_have_no_spaces_that_readers_would_split(tmp_path):
    xml = CROOKED.replace('name="hand" pos', 'name="the hand" pos')
    body = Body.from_mjcf(xml)
    recording = record(body, 0.05, "stand")
    export(recording, tmp_path / "m.bvh")
    for line in (tmp_path / "m.bvh").read_text().splitlines():
        if line.strip().startswith(("ROOT", "JOINT")):
            assert len(line.split()) == 2, line
