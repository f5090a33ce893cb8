"""Triangles of the simple shapes that bodies are made of."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from poise.frozen import Array, Ints, readonly
from poise.spatial import quat_rotate

SIDES = 20  # of what is round
RINGS = 5  # from the equator of a sphere to its pole


@dataclass(frozen=True, eq=False)
class Solid:
    """A closed surface; corners are counted once for each direction that the surface has there."""

    vertices: Array  # (V, 3) m
    normals: Array  # (V, 3) unit, outwards
    faces: Ints  # (F, 3) anticlockwise from outside

    def placed(self, position: Array, rotation: Array) -> Solid:
        """Turned by a quaternion, then moved."""
        return Solid(
            readonly(quat_rotate(rotation, self.vertices) + position),
            readonly(quat_rotate(rotation, self.normals)),
            self.faces,
        )


def geom_solid(model: mujoco.MjModel, geom: int) -> Solid | None:
    """A geom in its own frame; None for planes and height fields, which no body wears."""
    size = model.geom_size[geom]
    match model.geom_type[geom]:
        case mujoco.mjtGeom.mjGEOM_SPHERE:
            return capsule(size[0], 0.0)
        case mujoco.mjtGeom.mjGEOM_CAPSULE:
            return capsule(size[0], size[1])
        case mujoco.mjtGeom.mjGEOM_CYLINDER:
            return cylinder(size[0], size[1])
        case mujoco.mjtGeom.mjGEOM_ELLIPSOID:
            return ellipsoid(size)
        case mujoco.mjtGeom.mjGEOM_BOX:
            return box(size)
        case mujoco.mjtGeom.mjGEOM_MESH:
            return _mesh(model, int(model.geom_dataid[geom]))
        case _:
            return None


def capsule(radius: float, half: float) -> Solid:
    """Along z; a sphere if its half length is 0."""
    angle = np.linspace(0, np.pi / 2, RINGS + 1)
    upper = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    upper[-1, 0] = 0.0  # the pole is on the axis exactly
    lower = upper[::-1] * [1.0, -1.0]
    outline = np.concatenate([radius * lower - [0.0, half], radius * upper + [0.0, half]])
    return _turned(outline, np.concatenate([lower, upper]))


def cylinder(radius: float, half: float) -> Solid:
    """Along z."""
    outline = np.array([[0, -half], [radius, -half], [radius, -half], [radius, half], [radius, half], [0, half]])
    return _turned(outline, np.repeat([[0.0, -1.0], [1.0, 0.0], [0.0, 1.0]], 2, axis=0))


def ellipsoid(radii: Array) -> Solid:
    """With radii along x, y and z."""
    ball = capsule(1.0, 0.0)
    across = ball.normals / radii
    unit = across / np.linalg.norm(across, axis=1, keepdims=True)
    return Solid(readonly(ball.vertices * radii), readonly(unit), ball.faces)


def box(half: Array) -> Solid:
    """With half sides along x, y and z."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    return faceted(corners, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]))


def bone(tip: Array) -> Solid:
    """The octahedron by which animation tools draw a bone, from the origin to its tip."""
    length = np.linalg.norm(tip)
    along = tip / length
    side = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    side /= np.linalg.norm(side)
    width = 0.1 * length * np.array([side, np.cross(along, side), -side, -np.cross(along, side)])
    corners = np.concatenate([[np.zeros(3)], 0.1 * tip + width, [tip]])
    belt = [(1, 2), (2, 3), (3, 4), (4, 1)]
    return faceted(corners, np.array([[0, b, a] for a, b in belt] + [[a, b, 5] for a, b in belt]))


def faceted(corners: Array, faces: Ints) -> Solid:
    """Flat triangles that share no vertices."""
    triangles = corners[faces]  # (F, 3, 3)
    across = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    area = np.linalg.norm(across, axis=1)
    triangles, across = triangles[area > 0], across[area > 0] / area[area > 0, None]
    return Solid(
        readonly(triangles.reshape(-1, 3)),
        readonly(np.repeat(across, 3, axis=0)),
        readonly(np.arange(3 * len(triangles)).reshape(-1, 3), int),
    )


def _turned(outline: Array, normals: Array) -> Solid:
    """The surface that an outline (n, 2) of distance from the z axis and height, from below, makes in one turn."""
    angle = 2 * np.pi * np.arange(SIDES) / SIDES
    around = np.stack([np.cos(angle), np.sin(angle)], axis=1)

    def swept(curve: Array) -> Array:
        flat = curve[:, None, :1] * around
        return np.concatenate([flat, np.repeat(curve[:, None, 1:], SIDES, axis=1)], axis=2).reshape(-1, 3)

    ring, side = np.meshgrid(np.arange(len(outline) - 1), np.arange(SIDES), indexing="ij")
    here, beside = ring * SIDES + side, ring * SIDES + (side + 1) % SIDES
    quads = np.stack([here, beside, beside + SIDES, here + SIDES], axis=-1).reshape(-1, 4)
    faces = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    return _without_slivers(swept(outline), swept(normals), faces)


def _without_slivers(vertices: Array, normals: Array, faces: Ints) -> Solid:
    """Only triangles that have an area, and only the vertices they need."""
    a, b, c = vertices[faces].swapaxes(0, 1)
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    kept, faces = np.unique(faces[area > 1e-9 * area.max()], return_inverse=True)
    return Solid(readonly(vertices[kept]), readonly(normals[kept]), readonly(faces.reshape(-1, 3), int))


def _mesh(model: mujoco.MjModel, index: int) -> Solid:
    vertex, face = model.mesh_vertadr[index], model.mesh_faceadr[index]
    vertices = model.mesh_vert[vertex : vertex + model.mesh_vertnum[index]].astype(float)
    return faceted(vertices, model.mesh_face[face : face + model.mesh_facenum[index]])
