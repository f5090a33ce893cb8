"""GLB: parsed by a small reader of its own; the skin it holds, applied here, lies where MuJoCo has the geoms."""

import json
import struct

import mujoco
import numpy as np
import pytest
from rigs import crooked, record, users_rigging, with_rigging

from poise import Body
from poise.errors import PoiseError
from poise.export.clips import performer_clip
from poise.export.figure import exported_figure, geom_mesh
from poise.export.figure_files import glb_bytes, write_glb
from poise.export.look import geom_colours
from poise.motion.clip import clip_from
from poise.motion.skeleton import Skeleton
from poise.rotations import quat_to_matrix

WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}
TYPES = {5126: "<f4", 5125: "<u4", 5123: "<u2", 5121: "<u1"}
TO_OURS = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0.0]])


class Glb:
    """What a reader that knows the format, and nothing of Poise, finds in a file."""

    def __init__(self, raw):
        magic, version, length = struct.unpack_from("<4sII", raw)
        assert (magic, version, length) == (b"glTF", 2, len(raw))
        size, kind = struct.unpack_from("<I4s", raw, 12)
        assert kind == b"JSON"
        assert size % 4 == 0
        self.doc = json.loads(raw[20 : 20 + size])
        rest, kind = struct.unpack_from("<I4s", raw, 20 + size)
        assert kind == b"BIN\0"
        self.data = raw[28 + size :]
        assert len(self.data) == rest == self.doc["buffers"][0]["byteLength"]
        assert rest % 4 == 0

    def array(self, index):
        accessor = self.doc["accessors"][index]
        view = self.doc["bufferViews"][accessor["bufferView"]]
        width = WIDTHS[accessor["type"]]
        start = view["byteOffset"]
        assert start % 4 == 0
        kind = np.dtype(TYPES[accessor["componentType"]])
        assert view["byteLength"] == accessor["count"] * width * kind.itemsize
        assert start + view["byteLength"] <= len(self.data)
        values = np.frombuffer(self.data, kind, accessor["count"] * width, start).reshape(-1, width)
        for name, extreme in (("min", values.min), ("max", values.max)):
            if name in accessor:
                assert accessor[name] == extreme(axis=0).tolist()
        return values / 255 if accessor.get("normalized") else values.astype(float)

    def frames(self, frame):
        """(nodes, 4, 4) in the scene, of the animation's frame; of the file's own pose if None."""
        nodes = [dict(node) for node in self.doc["nodes"]]
        animation = self.doc["animations"][0]
        for channel in animation["channels"] if frame is not None else ():
            track = self.array(animation["samplers"][channel["sampler"]]["output"])
            nodes[channel["target"]["node"]][channel["target"]["path"]] = track[frame]
        out = np.tile(np.eye(4), (len(nodes), 1, 1))

        def walk(index, above):
            x, y, z, w = nodes[index].get("rotation", (0, 0, 0, 1))
            local = np.eye(4)
            local[:3, :3] = quat_to_matrix([w, x, y, z])
            local[:3, 3] = nodes[index].get("translation", (0, 0, 0))
            out[index] = above @ local
            for child in nodes[index].get("children", ()):
                walk(child, out[index])

        for top in self.doc["scenes"][0]["nodes"]:
            walk(top, np.eye(4))
        return out

    def skinned(self, frame):
        """Vertices (V, 3) of the mesh in our axes."""
        skin, primitives = self.doc["skins"][0], self.doc["meshes"][0]["primitives"]
        attributes = primitives[0]["attributes"]
        assert all(p["attributes"] == attributes for p in primitives)
        unbind = self.array(skin["inverseBindMatrices"]).reshape(-1, 4, 4).swapaxes(1, 2)
        move = self.frames(frame)[skin["joints"]] @ unbind
        joints, weights = self.array(attributes["JOINTS_0"]).astype(int), self.array(attributes["WEIGHTS_0"])
        place = np.c_[self.array(attributes["POSITION"]), np.ones(len(joints))]
        return np.einsum("vk,vkij,vj->vi", weights, move[joints], place)[:, :3] @ TO_OURS.T


def painted(recording):
    model = recording.model
    own = model.body_rootid[model.geom_bodyid] == model.body_rootid[recording.root]
    return np.flatnonzero(own & (model.geom_group < 3) & (geom_colours(model)[:, 3] > 0))


def expected_vertices(recording, qpos):
    model, data = recording.model, mujoco.MjData(recording.model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    return np.concatenate(
        [
            geom_mesh(model, g).vertices @ data.geom_xmat[g].reshape(3, 3).T + data.geom_xpos[g]
            for g in painted(recording)
        ]
    )


RECORDINGS = {
    "human": lambda: record(Body.named("human37"), 0.4, terrain="stairs:0.15:0.3:8"),
    "crooked": crooked,
    "user": lambda: (r := crooked()) and with_rigging(r, users_rigging(r.model, r.root, None)),
}


@pytest.fixture(scope="module", params=RECORDINGS)
def recording(request):
    return RECORDINGS[request.param]()


@pytest.fixture(scope="module")
def glb(recording):
    return Glb(glb_bytes(exported_figure(recording)))


def test_nodes_are_the_skeleton(recording, glb):
    skeleton = performer_clip(recording).skeleton
    nodes = glb.doc["nodes"]
    assert [node["name"] for node in nodes[: skeleton.count]] == list(skeleton.names)
    parents = {child: k for k, node in enumerate(nodes) for child in node.get("children", ())}
    assert tuple(parents.get(k, -1) for k in range(skeleton.count)) == skeleton.parents
    tips = nodes[skeleton.count : -1]
    assert [tip["name"] for tip in tips] == [f"{skeleton.names[end.joint]}_end" for end in skeleton.ends]
    assert glb.doc["skins"][0]["joints"] == list(range(skeleton.count))
    assert all("scale" not in node and "matrix" not in node for node in nodes)
    assert all(nodes[k].get("mesh") is None for k in range(len(nodes) - 1))


def test_joints_and_tips_go_where_the_clip_has_them(recording, glb):
    clip = performer_clip(recording)
    for frame in np.linspace(0, clip.frames - 1, 5).astype(int):
        found = glb.frames(frame)[:-1, :3, 3] @ TO_OURS.T
        expected = np.concatenate([clip.places.position[frame], clip.places.ends[frame]])
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_the_skin_lies_where_mujoco_has_the_geoms(recording, glb):
    for frame in np.linspace(0, len(recording.qpos) - 1, 5).astype(int):
        expected = expected_vertices(recording, recording.qpos[frame])
        np.testing.assert_allclose(glb.skinned(frame), expected, atol=1e-5)


def test_the_files_own_pose_is_that_of_the_skin(recording, glb):
    unbind = glb.array(glb.doc["skins"][0]["inverseBindMatrices"]).reshape(-1, 4, 4).swapaxes(1, 2)
    count = len(unbind)
    np.testing.assert_allclose(glb.frames(None)[:count] @ unbind, np.tile(np.eye(4), (count, 1, 1)), atol=1e-6)


def test_turns_are_unit_and_do_not_jump(recording, glb):
    clip = performer_clip(recording)
    animation = glb.doc["animations"][0]
    assert animation["extras"]["frames_per_second"] == pytest.approx(clip.rate)
    paths = [(c["target"]["node"], c["target"]["path"]) for c in animation["channels"]]
    assert paths == [(0, "translation"), *((joint, "rotation") for joint in range(clip.skeleton.count))]
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        np.testing.assert_allclose(glb.array(sampler["input"])[:, 0], np.arange(clip.frames) / clip.rate, atol=1e-6)
        track = glb.array(sampler["output"])
        assert len(track) == clip.frames
        if channel["target"]["path"] == "rotation":
            np.testing.assert_allclose(np.linalg.norm(track, axis=1), 1, atol=1e-6)
            assert np.sum(track[1:] * track[:-1], axis=1).min() > 0


def test_normals_are_unit_and_every_index_counts(recording, glb):
    primitives = glb.doc["meshes"][0]["primitives"]
    normals = glb.array(primitives[0]["attributes"]["NORMAL"])
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-6)
    used = np.unique(np.concatenate([glb.array(p["indices"])[:, 0] for p in primitives]))
    np.testing.assert_array_equal(used, np.arange(len(normals)))
    assert sorted(p["material"] for p in primitives) == list(range(len(glb.doc["materials"])))


def test_colours_are_those_of_the_geoms():
    recording = crooked(0.1)
    glb = Glb(glb_bytes(exported_figure(recording)))
    found = {tuple(m["pbrMetallicRoughness"]["baseColorFactor"]) for m in glb.doc["materials"]}
    assert (1.0, 0.0, 0.0, 1.0) in found
    assert (0.0, 1.0, 0.0, 0.5) in found
    assert len(found) == len(glb.doc["materials"]) == 3
    assert next(m for m in glb.doc["materials"] if m.get("alphaMode") == "BLEND")["name"] == "#00ff00"


def test_the_same_figure_gives_the_same_bytes(tmp_path):
    recording = crooked(0.1)
    first, second = glb_bytes(exported_figure(recording)), glb_bytes(exported_figure(recording))
    assert first == second
    assert write_glb(exported_figure(recording), tmp_path / "x.glb").read_bytes() == first


def clip(offsets=((0, 0, 0), (0, 0, 1), (0.5, 0, 0)), frames=3, translation=None):
    offsets = np.array(offsets, float)
    names, parents = tuple("abcdef"[: len(offsets)]), tuple(range(-1, len(offsets) - 1))
    turns = np.tile([1.0, 0, 0, 0], (frames, len(offsets), 1))
    return clip_from("c", Skeleton(names, parents, offsets), 30, np.zeros((frames, 3)), turns, translation)


def test_a_bare_clip_is_drawn_as_bones():
    glb = Glb(glb_bytes(exported_figure(clip())))
    vertices = glb.skinned(0)
    np.testing.assert_allclose(vertices.max(axis=0)[[0, 2]], [0.5, 1.05], atol=1e-6)
    assert len(vertices) == 2 * 24


def test_joints_that_move_in_their_parents_frame_keep_moving():
    moved = np.random.default_rng(0).standard_normal((3, 3, 3))
    moving = clip(translation=moved)
    glb = Glb(glb_bytes(exported_figure(moving)))
    for frame in range(3):
        found = glb.frames(frame)[:3, :3, 3] @ TO_OURS.T
        np.testing.assert_allclose(found, moving.places.position[frame], atol=1e-6)


def test_odd_clips():
    assert len(Glb(glb_bytes(exported_figure(clip([[0, 0, 0]], 1)))).skinned(0)) == 24
    with pytest.raises(PoiseError, match="no frames"):
        exported_figure(clip(frames=0))
