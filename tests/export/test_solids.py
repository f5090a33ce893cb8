"""Triangles of simple shapes: closed, outwards, on the surface they stand for."""

import mujoco
import numpy as np
import pytest

from poise.export.figure import (
    bone_mesh,
    box_mesh,
    capsule_mesh,
    cylinder_mesh,
    ellipsoid_mesh,
    flat_shaded_mesh,
    geom_mesh,
)
from poise.rotations import quat_exp, quat_rotate

SHAPES = {
    "sphere": (capsule_mesh(0.3, 0.0), 4 / 3 * np.pi * 0.3**3),
    "capsule": (capsule_mesh(0.1, 0.4), 4 / 3 * np.pi * 0.1**3 + np.pi * 0.1**2 * 0.8),
    "cylinder": (cylinder_mesh(0.2, 0.3), np.pi * 0.2**2 * 0.6),
    "ellipsoid": (ellipsoid_mesh(np.array([0.1, 0.2, 0.3])), 4 / 3 * np.pi * 0.1 * 0.2 * 0.3),
    "box": (box_mesh(np.array([0.1, 0.2, 0.3])), 8 * 0.1 * 0.2 * 0.3),
    "bone": (bone_mesh(np.array([0.0, 0.6, -0.8])), 2 / 3 * 0.1**2),
}
shape = pytest.mark.parametrize("name", SHAPES)


@shape
def test_surfaces_are_closed_and_point_outwards(name):
    solid, volume = SHAPES[name]
    _, spot = np.unique(solid.vertices.round(9), axis=0, return_inverse=True)
    faces = spot.ravel()[solid.faces]
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    there = {tuple(edge) for edge in edges.tolist()}
    assert len(there) == len(edges)
    assert there == {(b, a) for a, b in there}  # each edge is passed once in each direction
    a, b, c = solid.vertices[solid.faces].swapaxes(0, 1)
    inside = np.einsum("ij,ij->", a, np.cross(b, c)) / 6
    assert 0.93 * volume < inside <= volume * (1 + 1e-9)


@shape
def test_normals_are_those_of_the_faces(name):
    solid, _ = SHAPES[name]
    np.testing.assert_allclose(np.linalg.norm(solid.normals, axis=1), 1, atol=1e-12)
    a, b, c = solid.vertices[solid.faces].swapaxes(0, 1)
    across = np.cross(b - a, c - a)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    assert np.einsum("fj,fkj->fk", across, solid.normals[solid.faces]).min() > 0.75


def test_round_shapes_touch_their_surface():
    ball, pill, egg = (SHAPES[name][0] for name in ("sphere", "capsule", "ellipsoid"))
    np.testing.assert_allclose(np.linalg.norm(ball.vertices, axis=1), 0.3, atol=1e-12)
    core = np.clip(pill.vertices[:, 2], -0.4, 0.4)[:, None] * [0, 0, 1]
    np.testing.assert_allclose(np.linalg.norm(pill.vertices - core, axis=1), 0.1, atol=1e-12)
    np.testing.assert_allclose(((egg.vertices / [0.1, 0.2, 0.3]) ** 2).sum(axis=1), 1, atol=1e-12)
    assert pill.vertices[:, 2].max() == pytest.approx(0.5)
    assert pill.vertices[:, 2].min() == pytest.approx(-0.5)


def test_a_bone_goes_from_the_origin_to_its_tip():
    for tip in np.vstack([np.eye(3), -np.eye(3), [[0.3, -0.2, 0.7]]]):
        corners = np.unique(bone_mesh(tip).vertices.round(12), axis=0)
        assert len(corners) == 6
        assert np.abs(corners).sum(axis=1).min() == 0
        assert np.linalg.norm(corners - tip, axis=1).min() < 1e-9


def test_geoms_become_their_shapes():
    model = mujoco.MjModel.from_xml_string("""<mujoco>
      <asset><mesh name="m" vertex="0 0 0  .1 0 0  0 .2 0  0 0 .3"/>
        <hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset>
      <worldbody><geom size=".1"/><geom type="capsule" size=".1 .2"/><geom type="cylinder" size=".1 .2"/>
        <geom type="ellipsoid" size=".1 .2 .3"/><geom type="box" size=".1 .2 .3"/><geom type="mesh" mesh="m"/>
        <geom type="plane" size="1 1 1"/><geom type="hfield" hfield="h"/></worldbody></mujoco>""")
    made = [geom_mesh(model, geom) for geom in range(model.ngeom)]
    assert made[6:] == [None, None]
    half = [np.abs(solid.vertices).max(axis=0) for solid in made[:5]]
    expected = [[0.1, 0.1, 0.1], [0.1, 0.1, 0.3], [0.1, 0.1, 0.2], [0.1, 0.2, 0.3], [0.1, 0.2, 0.3]]
    np.testing.assert_allclose(half, expected, atol=1e-9)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    corners = made[5].vertices @ data.geom_xmat[5].reshape(3, 3).T + data.geom_xpos[5]
    expected = [[0, 0, 0], [0, 0, 0.3], [0, 0.2, 0], [0.1, 0, 0]]
    np.testing.assert_allclose(np.unique(corners.round(6) + 0.0, axis=0), expected, atol=1e-6)


def test_placing_turns_and_moves():
    turn, place = quat_exp([0.3, -0.2, 0.9]), np.array([1.0, 2.0, 3.0])
    solid = SHAPES["box"][0]
    moved = solid.transformed(place, turn)
    np.testing.assert_allclose(moved.vertices, quat_rotate(turn, solid.vertices) + place)
    np.testing.assert_allclose(moved.normals, quat_rotate(turn, solid.normals))


def test_slivers_are_left_out():
    corners = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0.0]])
    assert flat_shaded_mesh(corners, np.array([[0, 1, 2], [0, 1, 3]])).faces.tolist() == [[0, 1, 2]]
